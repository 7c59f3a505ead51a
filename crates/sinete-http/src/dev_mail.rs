//! The mailbox of a development instance, for whoever sits at the machine it runs on. Production serves none of it.

use crate::call::RoutedRequest;
use crate::pages;
use crate::reply::json::{answer, written};
use crate::reply::{HandlerResult, page};
use crate::state::HttpState;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_SECURITY_POLICY, FORWARDED, HeaderName, HeaderValue};
use serde_json::{Value, json};
use sinete_core::id::MessageId;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::dev_mailbox::{DevMailbox, DevMessage, DevMessageContent};
use std::net::IpAddr;
use std::sync::Arc;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// A message as a page of its own: what it looks like and where its links lead, and nothing it could do.
const MESSAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'; sandbox allow-top-navigation-by-user-activation",
);

/// Everything that would have been sent, newest first.
pub(crate) async fn list(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let mailbox = opened(&state, &call)?;
    let all = mailbox.all();
    if let Some(page) = pages::dev_mail(&state, &call, &all) {
        return Ok(page);
    }
    let items: Vec<Value> = all.iter().map(|arrived| shown(arrived)).collect();
    Ok(answer(StatusCode::OK, written(&json!({"items": items}))?))
}

/// One message: as JSON, or as its reader would see it.
pub(crate) async fn show(state: HttpState, mut call: RoutedRequest) -> HandlerResult {
    let parameters = call.path_parameters().await?;
    let mailbox = opened(&state, &call)?;
    let id = parameters.first().and_then(|(_, id)| id.parse::<MessageId>().ok());
    let arrived: Arc<DevMessage> = id.and_then(|id| mailbox.find(id)).ok_or_else(no_such_message)?;
    match &arrived.content {
        DevMessageContent::Mail(message) if call.visit().prefers_page() => {
            let mut response = page::answer(StatusCode::OK, message.html.clone());
            response.headers_mut().insert(CONTENT_SECURITY_POLICY, MESSAGE_POLICY);
            Ok(response)
        }
        DevMessageContent::Mail(_) | DevMessageContent::Sms(_) => {
            Ok(answer(StatusCode::OK, written(&shown(&arrived))?))
        }
    }
}

/// The mailbox, for somebody at this machine. A page from elsewhere that was led here by a name of its own, and
/// whatever came through a proxy, are not.
fn opened<'a>(state: &'a HttpState, call: &RoutedRequest) -> Result<&'a DevMailbox, Refusal> {
    let named = call.host().unwrap_or_default();
    let name = named.rsplit_once(':').filter(|(_, port)| port.bytes().all(|it| it.is_ascii_digit()));
    let name = name.map_or(named, |(name, _)| name).trim_matches(['[', ']']);
    let is_near = name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    let came_straight =
        [&FORWARDED, &X_FORWARDED_FOR].iter().all(|header| !call.headers().contains_key(*header));
    if !is_near || !came_straight || !call.visit().client().is_loopback() {
        return Err(no_such_message());
    }
    state.house().dev_mailbox().ok_or_else(no_such_message)
}

fn shown(arrived: &DevMessage) -> Value {
    match &arrived.content {
        DevMessageContent::Mail(message) => json!({
            "id": arrived.id, "channel": "mail", "to": message.to, "subject": message.subject,
            "text": message.text, "html": message.html,
        }),
        DevMessageContent::Sms(message) => {
            json!({"id": arrived.id, "channel": "sms", "to": message.to, "text": message.text})
        }
    }
}

fn no_such_message() -> Refusal {
    Refusal::new(
        RefusalCode::NotFound,
        "there is nothing at this address",
        "not for whoever asks, or not there",
    )
}
