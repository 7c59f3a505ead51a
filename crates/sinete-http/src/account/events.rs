//! What one did, and what was done to one.

use super::begin;
use crate::call::Call;
use crate::manage::page::Viewed;
use crate::reply::json::At;
use crate::reply::{Answer, Declined};
use crate::schema::Schema;
use crate::state::State;
use serde::Serialize;
use serde_json::Value;
use sinete_core::id::EventId;
use sinete_engine::account::{self, Entry};

pub(crate) async fn list(state: State, call: Call) -> Answer {
    let errand = begin(state, call).await?;
    let page = errand.page(None)?;
    let read = account::events(errand.engine(), &errand.caller, page.after()?, page.to_read()).await?;
    page.answer(errand.engine(), read)
}

/// An event, as the person is shown it. Who else had a part in it is said by kind alone.
#[derive(Serialize)]
struct EventView<'a> {
    id: EventId,
    at: At,
    kind: &'a str,
    actor: &'a str,
    subject: Option<SubjectView<'a>>,
    client_id: Option<&'a str>,
    address: Option<&'a str>,
    user_agent: Option<&'a str>,
    detail: Value,
}

#[derive(Serialize)]
struct SubjectView<'a> {
    kind: &'a str,
    id: Option<&'a str>,
}

impl Viewed for Entry {
    fn place(&self) -> String {
        self.event.id.to_string()
    }

    fn view(&self) -> Result<impl Serialize, Declined> {
        let (event, personal) = (&self.event, self.personal.as_ref());
        Ok(EventView {
            id: event.id,
            at: At(event.at),
            kind: &event.kind,
            actor: &event.actor_kind,
            subject: event
                .subject_kind
                .as_deref()
                .map(|kind| SubjectView { kind, id: event.subject_id.as_deref() }),
            client_id: event.client.as_deref(),
            address: personal.and_then(|personal| personal.address.as_deref()),
            user_agent: personal.and_then(|personal| personal.user_agent.as_deref()),
            detail: serde_json::from_str(&event.detail).unwrap_or_default(),
        })
    }
}

pub(super) const SCHEMAS: &[&Schema] = &[&EVENT];

/// What is shown.
pub(crate) const EVENT: Schema = Schema {
    name: "OwnEvent",
    json: r##"{
        "type": "object", "additionalProperties": false,
        "required": ["id", "at", "kind", "actor", "subject", "client_id", "address", "user_agent", "detail"],
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "at": {"type": "string", "format": "date-time"},
            "kind": {"type": "string"},
            "actor": {"type": "string", "description": "What kind of actor did it."},
            "subject": {
                "type": ["object", "null"], "additionalProperties": false, "required": ["kind", "id"],
                "properties": {"kind": {"type": "string"}, "id": {"type": ["string", "null"]}}
            },
            "client_id": {"type": ["string", "null"]},
            "address": {"type": ["string", "null"]},
            "user_agent": {"type": ["string", "null"]},
            "detail": {"type": ["object", "null"]}
        }
    }"##,
};
