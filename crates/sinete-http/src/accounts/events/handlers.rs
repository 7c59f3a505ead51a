//! Handlers of the account's events.

use crate::accounts::account_request::begin_account_request;
use crate::management_api::pagination::ResourceView;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use sinete_core::id::EventId;
use sinete_engine::sign_in::account_holder;
use sinete_engine::sign_in::account_holder::SecurityLogEntry;
use sinete_server::reply::json::JsonTimestamp;
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::NamedSchema;

pub(crate) async fn list_account_events(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    let page = management_request.page_request(None)?;
    let read = account_holder::list_events(
        management_request.engine(),
        &management_request.caller,
        page.after()?,
        page.fetch_limit(),
    )
    .await?;
    page.to_response(management_request.engine(), read)
}

/// An event, as returned to the user. Other parties are named by kind only.
#[derive(Serialize, JsonSchema)]
struct OwnEventView<'a> {
    id: EventId,
    at: JsonTimestamp,
    kind: &'a str,
    /// The kind of actor.
    actor: &'a str,
    subject: Option<EventSubjectView<'a>>,
    client_id: Option<&'a str>,
    address: Option<&'a str>,
    user_agent: Option<&'a str>,
    #[schemars(with = "Option<serde_json::Map<String, Value>>")]
    detail: Value,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct EventSubjectView<'a> {
    kind: &'a str,
    id: Option<&'a str>,
}

impl ResourceView for SecurityLogEntry {
    fn cursor(&self) -> String {
        self.event.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        let (event, personal) = (&self.event, self.personal.as_ref());
        Ok(OwnEventView {
            id: event.id,
            at: JsonTimestamp(event.at),
            kind: &event.kind,
            actor: &event.actor_kind,
            subject: event
                .subject_kind
                .as_deref()
                .map(|kind| EventSubjectView { kind, id: event.subject_id.as_deref() }),
            client_id: event.client.as_deref(),
            address: personal.and_then(|personal| personal.address.as_deref()),
            user_agent: personal.and_then(|personal| personal.user_agent.as_deref()),
            detail: serde_json::from_str(&event.detail).unwrap_or_default(),
        })
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&EVENT];

/// The schema of the resource.
pub(crate) const EVENT: NamedSchema = NamedSchema::response::<OwnEventView<'_>>("OwnEvent");
