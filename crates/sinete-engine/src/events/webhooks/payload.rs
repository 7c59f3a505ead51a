//! An event as others are told of it, after the Standard Webhooks specification: what it is, when it was, and facts.

use crate::Failure;
use crate::events::audit_log::entry::AuditLogReference;
use serde::Serialize;
use serde_json::{Map, Value};
use sinete_core::id::{EventId, OrganizationId};
use sinete_store::events::webhooks::delivery::ChainedEvent;

/// An event on its way out.
#[derive(Debug, Serialize)]
pub struct WebhookEvent<'a> {
    /// What happened.
    #[serde(rename = "type")]
    pub kind: &'a str,
    /// When it happened.
    pub timestamp: String,
    /// What is known of it.
    pub data: WebhookEventData<'a>,
}

/// What is known of an event. Where the request came from is not among it: that is personal, and can be erased here.
#[derive(Debug, Serialize)]
pub struct WebhookEventData<'a> {
    /// Its id, at every attempt the same.
    pub id: EventId,
    /// The organization it concerns.
    pub organization: Option<OrganizationId>,
    /// Who did it.
    pub actor: AuditLogReference<'a>,
    /// What it was done to.
    pub subject: Option<AuditLogReference<'a>>,
    /// Why, where a stranger acted by assignment.
    pub reason: &'a str,
    /// Facts about it.
    pub detail: Map<String, Value>,
}

impl<'a> WebhookEvent<'a> {
    /// The event as others are told of it.
    pub fn from_event(event: &'a ChainedEvent) -> Result<Self, Failure> {
        let unreadable =
            |_| sinete_store::StoreFailure::Damaged("the facts of an event cannot be read".to_owned());
        let subject = |kind| AuditLogReference { kind, id: event.subject_id.as_deref() };
        Ok(Self {
            kind: &event.kind,
            timestamp: event.at.to_string(),
            data: WebhookEventData {
                id: event.id,
                organization: event.organization,
                actor: AuditLogReference { kind: &event.actor_kind, id: event.actor_id.as_deref() },
                subject: event.subject_kind.as_deref().map(subject),
                reason: &event.reason,
                detail: serde_json::from_str(&event.detail).map_err(unreadable)?,
            },
        })
    }

    /// The same as it is sent.
    pub fn to_json(&self) -> Result<Vec<u8>, Failure> {
        serde_json::to_vec(self).map_err(|_| Failure::Interrupted)
    }
}
