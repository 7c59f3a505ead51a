//! The webhook payload, as in the Standard Webhooks specification: type, timestamp and data.

use crate::Failure;
use crate::events::audit_log::entry::EventParty;
use serde::Serialize;
use serde_json::{Map, Value};
use sinete_core::id::{EventId, OrganizationId};
use sinete_store::events::webhooks::delivery::ChainedEvent;

/// The payload of an event.
#[derive(Debug, Serialize)]
pub struct WebhookEvent<'a> {
    /// The kind of event.
    #[serde(rename = "type")]
    pub kind: &'a str,
    /// When it happened.
    pub timestamp: String,
    /// The data.
    pub data: WebhookEventData<'a>,
}

/// The data of an event. It excludes the origin of the request, which is personal and must be erasable here.
#[derive(Debug, Serialize)]
pub struct WebhookEventData<'a> {
    /// The event's id, the same at every attempt.
    pub id: EventId,
    /// The organization it concerns.
    pub organization: Option<OrganizationId>,
    /// The actor.
    pub actor: EventParty<'a>,
    /// The subject.
    pub subject: Option<EventParty<'a>>,
    /// The reason, if an operator acted by assignment.
    pub reason: &'a str,
    /// The details.
    pub detail: Map<String, Value>,
}

impl<'a> WebhookEvent<'a> {
    /// Converts an event.
    pub fn from_event(event: &'a ChainedEvent) -> Result<Self, Failure> {
        let unreadable =
            |_| sinete_store::StoreFailure::Damaged("the details of an event cannot be parsed".to_owned());
        let subject = |kind| EventParty { kind, id: event.subject_id.as_deref() };
        Ok(Self {
            kind: &event.kind,
            timestamp: event.at.to_string(),
            data: WebhookEventData {
                id: event.id,
                organization: event.organization,
                actor: EventParty { kind: &event.actor_kind, id: event.actor_id.as_deref() },
                subject: event.subject_kind.as_deref().map(subject),
                reason: &event.reason,
                detail: serde_json::from_str(&event.detail).map_err(unreadable)?,
            },
        })
    }

    /// Serializes the payload.
    pub fn to_json(&self) -> Result<Vec<u8>, Failure> {
        serde_json::to_vec(self).map_err(|_| Failure::Interrupted)
    }
}
