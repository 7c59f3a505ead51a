//! The mailbox of a development instance, available on its own machine. Not served in production.

use crate::pages;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_SECURITY_POLICY, FORWARDED, HeaderName, HeaderValue};
use serde_json::{Value, json};
use sinete_core::id::MessageId;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_engine::platform::dev_mailbox::{DevMailbox, DevMessage, DevMessageContent};
use sinete_server::reply::json::{json_response, serialize_json};
use sinete_server::reply::{HandlerResult, page};
use std::net::IpAddr;
use std::sync::Arc;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// The CSP of a message: styles and links, but no active content.
pub(crate) const MESSAGE_CSP: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'; sandbox allow-top-navigation-by-user-activation",
);

/// Lists all messages, newest first.
pub(crate) async fn list_messages(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let mailbox = open_mailbox(&state, &request)?;
    let all = mailbox.list();
    if let Some(page) = pages::render_dev_mailbox(&state, &request, &all) {
        return Ok(page);
    }
    let items: Vec<Value> = all.iter().map(|arrived| message_json(arrived)).collect();
    Ok(json_response(StatusCode::OK, serialize_json(&json!({"items": items}))?))
}

/// Shows a message, as JSON or as it would look.
pub(crate) async fn show_message(state: HttpState, mut request: RoutedRequest) -> HandlerResult {
    let parameters = request.path_parameters().await?;
    let mailbox = open_mailbox(&state, &request)?;
    let id = parameters.first().and_then(|(_, id)| id.parse::<MessageId>().ok());
    let arrived: Arc<DevMessage> = id.and_then(|id| mailbox.find(id)).ok_or_else(message_not_found)?;
    match &arrived.content {
        DevMessageContent::Email(message) if request.context().prefers_page() => {
            let mut response = page::html_response(StatusCode::OK, message.html.clone());
            response.headers_mut().insert(CONTENT_SECURITY_POLICY, MESSAGE_CSP);
            Ok(response)
        }
        DevMessageContent::Email(_) | DevMessageContent::Sms(_) => {
            Ok(json_response(StatusCode::OK, serialize_json(&message_json(&arrived))?))
        }
    }
}

/// Opens the mailbox for requests from this machine. DNS rebinding and proxied requests are rejected.
fn open_mailbox<'a>(state: &'a HttpState, request: &RoutedRequest) -> Result<&'a DevMailbox, Refusal> {
    let host = request.host().unwrap_or_default();
    let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|it| it.is_ascii_digit()));
    let name = name.map_or(host, |(name, _)| name).trim_matches(['[', ']']);
    let is_near = name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    let came_straight =
        [&FORWARDED, &X_FORWARDED_FOR].iter().all(|header| !request.headers().contains_key(*header));
    if !is_near || !came_straight || !request.context().client_address().is_loopback() {
        return Err(message_not_found());
    }
    state.backend().dev_mailbox().ok_or_else(message_not_found)
}

fn message_json(arrived: &DevMessage) -> Value {
    match &arrived.content {
        DevMessageContent::Email(message) => json!({
            "id": arrived.id, "channel": "mail", "to": message.to, "subject": message.subject,
            "text": message.text, "html": message.html,
        }),
        DevMessageContent::Sms(message) => {
            json!({"id": arrived.id, "channel": "sms", "to": message.to, "text": message.text})
        }
    }
}

fn message_not_found() -> Refusal {
    Refusal::because(RequestRefusal::PathNotFound, "not available to this client, or not there")
}
