//! The link of a message over the API: looked at as often as anybody likes, and followed once.

use super::schemas::FOLLOWED;
use super::{checked, named, told, walker};
use crate::call::Call;
use crate::extract::same_origin;
use crate::extract::session::{Kind, of_headers};
use crate::reply::Answer;
use crate::reply::json::{At, answer, written};
use crate::state::State;
use axum::http::StatusCode;
use serde::Serialize;
use serde_json::Value;
use sinete_core::flow::Carrier;
use sinete_engine::flows::{self, Follower, Opened};

/// What a link is for.
#[derive(Serialize)]
struct Link {
    flow: String,
    kind: &'static str,
    email: String,
    expires_at: At,
    works_anywhere: bool,
}

/// Tells what a link is for. It spends nothing.
pub(crate) async fn look(state: State, mut call: Call) -> Answer {
    let token = named(&mut call, "link").await?;
    let Opened { flow, kind, address, expires_at, works_anywhere, around: _ } =
        flows::look_at_link(state.engine(), &token).await??;
    let link = Link {
        flow: flow.to_string(),
        kind: kind.name(),
        email: address,
        expires_at: At(expires_at),
        works_anywhere,
    };
    Ok(answer(StatusCode::OK, written(&link)?))
}

/// Follows a link: its flow goes on, with whoever holds its token or else with whoever asks.
pub(crate) async fn follow(state: State, call: Call) -> Answer {
    let sent = checked(&call, &FOLLOWED)?;
    let text = |name: &str| sent.get(name).and_then(Value::as_str);
    let carrier = match text("session") {
        Some("token") => Carrier::Token,
        Some(_) | None => Carrier::Cookie,
    };
    if carrier == Carrier::Cookie {
        // Whoever follows their own link in somebody's browser would sign them in as somebody else.
        same_origin::check(&state, &call)?;
    }
    let presented = of_headers(Kind::Flow, call.headers(), state.scheme())?;
    let held = presented.as_ref().filter(|presented| Carrier::from(presented.by) == carrier);
    let follower = Follower { flow_token: held.map(|presented| presented.token), carrier };
    let walker = walker(&state, &call, carrier).await?;
    state.paced(&call).starting()?;
    let token = text("token").unwrap_or_default();
    let standing = flows::follow_link(state.engine(), token, &follower, &walker).await??;
    told(&state, StatusCode::OK, standing, held).await
}
