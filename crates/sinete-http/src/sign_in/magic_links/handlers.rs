//! Handlers of magic links over the API: shown any number of times, used once.

use crate::sign_in::flows::handlers::{
    flow_actor, flow_response, parse_checked_body, path_parameter, requested_transport,
};
use crate::sign_in::flows::schemas::FOLLOWED_LINK;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use serde::Serialize;
use serde_json::Value;
use sinete_core::sign_in::flows::FlowTokenTransport;
use sinete_engine::sign_in::flows;
use sinete_engine::sign_in::flows::{LinkFollower, MagicLinkView};
use sinete_server::extract::session::{SessionTokenKind, find_token};
use sinete_server::reply::HandlerResult;
use sinete_server::reply::json::{JsonTimestamp, json_response, serialize_json};

/// The purpose of a link.
#[derive(Serialize)]
struct MagicLinkResponse {
    flow: String,
    kind: &'static str,
    email: String,
    expires_at: JsonTimestamp,
    works_anywhere: bool,
}

/// Shows the purpose of a link without using it.
pub(crate) async fn show_link(state: HttpState, mut request: RoutedRequest) -> HandlerResult {
    let token = path_parameter(&mut request, "link").await?;
    let MagicLinkView { flow, kind, address, expires_at, is_unbound: works_anywhere, .. } =
        flows::look_at_link(state.engine(), &token).await?;
    let link = MagicLinkResponse {
        flow: flow.to_string(),
        kind: kind.name(),
        email: address,
        expires_at: JsonTimestamp(expires_at),
        works_anywhere,
    };
    Ok(json_response(StatusCode::OK, serialize_json(&link)?))
}

/// Uses a link: its flow continues, for the holder of its token or else for the caller.
pub(crate) async fn follow_link(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let body = parse_checked_body(&state, &request, &FOLLOWED_LINK)?;
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    let carrier = requested_transport(&request, &body);
    if carrier == FlowTokenTransport::Cookie {
        // Prevents login CSRF: otherwise another site could make the browser follow the attacker's link.
        state.server().check_same_origin(request.headers())?;
    }
    let presented_token = find_token(SessionTokenKind::Flow, request.headers(), state.scheme())?;
    let matching_token =
        presented_token.as_ref().filter(|token| FlowTokenTransport::from(token.transport) == carrier);
    let follower =
        LinkFollower { flow_token: matching_token.map(|token| token.token), token_transport: carrier };
    let actor = flow_actor(&state, &request, carrier).await?;
    state.rate_limit(&request).check_flow_start_by_address()?;
    let token = text("token").unwrap_or_default();
    let snapshot = flows::follow_link(state.engine(), token, &follower, &actor).await?;
    flow_response(&state, StatusCode::OK, snapshot, matching_token).await
}
