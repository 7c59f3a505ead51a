//! The lines of an export: a first one that says whose log it is, one for each event, and a last one that
//! signs them all. `docs/security-log.md` describes them.

use super::head::{Base64, Moment, SignedHead};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sinete_core::id::{EventId, InstanceId, OrganizationId, RequestId};
use sinete_core::security::chain::{ChainHash, Link, LoggedEvent, Personal};

/// What every first line begins with.
pub(super) const FORMAT: &str = "sinete.log.export.v1";

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FirstLine {
    pub(super) format: String,
    pub(super) instance: InstanceId,
    pub(super) exported_at: Moment,
    pub(super) selection: Selected,
    /// The head at the moment of export: the events end with it.
    pub(super) head: SignedHead,
}

/// What was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Selected {
    pub(super) after: i64,
    pub(super) since: Option<Moment>,
    pub(super) until: Option<Moment>,
    pub(super) kinds: Vec<String>,
    pub(super) organization: Option<OrganizationId>,
    pub(super) with_personal: bool,
}

/// One event.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EventLine {
    position: i64,
    previous: ChainHash,
    hash: ChainHash,
    id: EventId,
    at: Moment,
    kind: String,
    actor: ActorPart,
    subject: Option<SubjectPart>,
    organization: Option<OrganizationId>,
    client: Option<String>,
    request: Option<RequestId>,
    detail: Value,
    personal_hash: Option<ChainHash>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    personal: Option<PersonalPart>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ActorPart {
    kind: String,
    id: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SubjectPart {
    kind: Option<String>,
    id: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PersonalPart {
    salt: Base64,
    address: Option<String>,
    user_agent: Option<String>,
}

/// The last line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LastLine {
    /// How many lines come before it.
    pub(super) lines: u64,
    /// The SHA-256 of all their bytes.
    pub(super) digest: ChainHash,
    pub(super) kid: String,
    /// The signature over both.
    pub(super) signature: Base64,
}

impl Selected {
    /// Whether events may be missing between the first and the last.
    pub(super) fn has_gaps(&self) -> bool {
        self.since.is_some() || self.until.is_some() || !self.kinds.is_empty() || self.organization.is_some()
    }

    /// Whether the event is one that was asked for. Times go by the id, which is what events are ordered by.
    pub(super) fn wants(&self, event: &LoggedEvent) -> bool {
        let since = self.since.is_none_or(|since| EventId::floor(since.0) <= event.id);
        let until = self.until.is_none_or(|until| event.id < EventId::floor(until.0));
        let kind = self.kinds.is_empty() || self.kinds.contains(&event.kind);
        let organization = self.organization.is_none() || self.organization == event.organization;
        since && until && kind && organization
    }
}

impl EventLine {
    /// The line of a link whose event is there. The personal part is left out unless it is wanted.
    pub(super) fn of(link: &Link, event: &LoggedEvent, previous: ChainHash, with_personal: bool) -> Self {
        let has_subject = event.subject_kind.is_some() || event.subject_id.is_some();
        let subject = || SubjectPart { kind: event.subject_kind.clone(), id: event.subject_id.clone() };
        let personal = link.personal.as_ref().filter(|_| with_personal);
        Self {
            position: link.position,
            previous,
            hash: link.hash,
            id: event.id,
            at: Moment(event.at),
            kind: event.kind.clone(),
            actor: ActorPart { kind: event.actor_kind.clone(), id: event.actor_id.clone() },
            subject: has_subject.then(subject),
            organization: event.organization,
            client: event.client.clone(),
            request: event.request,
            detail: detail_to_json(&event.detail),
            personal_hash: event.personal_hash,
            personal: personal.map(|personal| PersonalPart {
                salt: Base64(personal.salt.clone()),
                address: personal.address.clone(),
                user_agent: personal.user_agent.clone(),
            }),
        }
    }

    /// The link the line stands for, and the hash it says it follows.
    pub(super) fn into_link(self) -> (Link, ChainHash) {
        let (subject_kind, subject_id) = match self.subject {
            Some(subject) => (subject.kind, subject.id),
            None => (None, None),
        };
        let event = LoggedEvent {
            id: self.id,
            at: self.at.0,
            kind: self.kind,
            actor_kind: self.actor.kind,
            actor_id: self.actor.id,
            subject_kind,
            subject_id,
            organization: self.organization,
            client: self.client,
            request: self.request,
            detail: detail_from_json(self.detail),
            personal_hash: self.personal_hash,
        };
        let personal = self.personal.map(|part| Personal {
            salt: part.salt.0,
            address: part.address,
            user_agent: part.user_agent,
        });
        let link = Link {
            position: self.position,
            event_id: self.id,
            hash: self.hash,
            event: Some(event),
            personal,
        };
        (link, self.previous)
    }
}

/// The object that the text is, if writing that object gives the text again; else the text.
fn detail_to_json(text: &str) -> Value {
    match serde_json::from_str::<Value>(text) {
        Ok(object) if object.is_object() && canonical(object.clone()) == text => object,
        _ => Value::String(text.to_owned()),
    }
}

fn detail_from_json(detail: Value) -> String {
    match detail {
        Value::String(text) => text,
        other => canonical(other),
    }
}

fn canonical(mut object: Value) -> String {
    object.sort_all_objects();
    object.to_string()
}
