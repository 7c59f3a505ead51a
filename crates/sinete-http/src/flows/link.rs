//! The link of a message over the API: looked at as often as anybody likes, and followed once.

use super::schemas::FOLLOWED;
use super::{checked, named, told, walker};
use crate::call::RoutedRequest;
use crate::extract::same_origin;
use crate::extract::session::{SessionTokenKind, of_headers};
use crate::reply::HandlerResult;
use crate::reply::json::{JsonTimestamp, answer, written};
use crate::state::HttpState;
use axum::http::StatusCode;
use serde::Serialize;
use serde_json::Value;
use sinete_core::flow::FlowTokenTransport;
use sinete_engine::flows::{self, LinkFollower, MagicLinkView};

/// What a link is for.
#[derive(Serialize)]
struct MagicLinkResponse {
    flow: String,
    kind: &'static str,
    email: String,
    expires_at: JsonTimestamp,
    works_anywhere: bool,
}

/// Tells what a link is for. It spends nothing.
pub(crate) async fn look(state: HttpState, mut call: RoutedRequest) -> HandlerResult {
    let token = named(&mut call, "link").await?;
    let MagicLinkView { flow, kind, address, expires_at, works_anywhere, around: _ } =
        flows::look_at_link(state.engine(), &token).await??;
    let link = MagicLinkResponse {
        flow: flow.to_string(),
        kind: kind.name(),
        email: address,
        expires_at: JsonTimestamp(expires_at),
        works_anywhere,
    };
    Ok(answer(StatusCode::OK, written(&link)?))
}

/// Follows a link: its flow goes on, with whoever holds its token or else with whoever asks.
pub(crate) async fn follow(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let sent = checked(&call, &FOLLOWED)?;
    let text = |name: &str| sent.get(name).and_then(Value::as_str);
    let carrier = match text("session") {
        Some("token") => FlowTokenTransport::Token,
        Some(_) | None => FlowTokenTransport::Cookie,
    };
    if carrier == FlowTokenTransport::Cookie {
        // Whoever follows their own link in somebody's browser would sign them in as somebody else.
        same_origin::check(&state, &call)?;
    }
    let presented = of_headers(SessionTokenKind::Flow, call.headers(), state.scheme())?;
    let held = presented.as_ref().filter(|presented| FlowTokenTransport::from(presented.by) == carrier);
    let follower = LinkFollower { flow_token: held.map(|presented| presented.token), carrier };
    let walker = walker(&state, &call, carrier).await?;
    state.paced(&call).starting()?;
    let token = text("token").unwrap_or_default();
    let standing = flows::follow_link(state.engine(), token, &follower, &walker).await??;
    told(&state, StatusCode::OK, standing, held).await
}
