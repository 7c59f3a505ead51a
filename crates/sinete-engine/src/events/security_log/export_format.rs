//! The lines of an export: a header that identifies the log, one line for each event, and a last line with
//! the signature. `docs/operate/security-log.md` describes them.

use super::signed_head::{Base64UrlBytes, Rfc3339Time, SignedLogHead};
use compact_str::CompactString;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sinete_core::events::log_chain::{LogChainHash, LogChainLink, LoggedEvent, PersonalEventData};
use sinete_core::id::{EventId, InstanceId, OrganizationId, RequestId};

/// The format name in the header.
pub(super) const FORMAT: &str = "sinete.log.export.v1";

/// The header line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExportHeaderLine {
    pub(super) format: String,
    pub(super) instance: InstanceId,
    pub(super) exported_at: Rfc3339Time,
    pub(super) selection: ExportSelectionLine,
    /// The head at the time of the export, with which the events end.
    pub(super) head: SignedLogHead,
}

/// The selection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExportSelectionLine {
    pub(super) after: i64,
    pub(super) since: Option<Rfc3339Time>,
    pub(super) until: Option<Rfc3339Time>,
    pub(super) kinds: Vec<String>,
    pub(super) organization: Option<OrganizationId>,
    pub(super) with_personal: bool,
}

/// One event.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExportEventLine {
    position: i64,
    previous: LogChainHash,
    hash: LogChainHash,
    id: EventId,
    at: Rfc3339Time,
    kind: CompactString,
    actor: EventActorPart,
    subject: Option<EventSubjectPart>,
    organization: Option<OrganizationId>,
    client: Option<CompactString>,
    request: Option<RequestId>,
    detail: Value,
    personal_hash: Option<LogChainHash>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    personal: Option<EventPersonalPart>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EventActorPart {
    kind: CompactString,
    id: Option<CompactString>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EventSubjectPart {
    kind: Option<CompactString>,
    id: Option<CompactString>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EventPersonalPart {
    salt: Base64UrlBytes,
    address: Option<CompactString>,
    user_agent: Option<CompactString>,
}

/// The last line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExportSignatureLine {
    /// The number of preceding lines.
    pub(super) lines: u64,
    /// The SHA-256 of all their bytes.
    pub(super) digest: LogChainHash,
    pub(super) kid: String,
    /// The signature over both.
    pub(super) signature: Base64UrlBytes,
}

impl ExportSelectionLine {
    /// Whether the selection may leave gaps between events.
    pub(super) fn has_gaps(&self) -> bool {
        self.since.is_some() || self.until.is_some() || !self.kinds.is_empty() || self.organization.is_some()
    }

    /// Whether the event is selected. Times are compared by id, which defines the order of events.
    pub(super) fn includes(&self, event: &LoggedEvent) -> bool {
        let since = self.since.is_none_or(|since| EventId::lower_bound_at(since.0) <= event.id);
        let until = self.until.is_none_or(|until| event.id < EventId::lower_bound_at(until.0));
        let kind = self.kinds.is_empty() || self.kinds.iter().any(|kind| *kind == event.kind);
        let organization = self.organization.is_none() || self.organization == event.organization;
        since && until && kind && organization
    }
}

impl ExportEventLine {
    /// Creates the line of a link with an event. Personal data is omitted unless requested.
    pub(super) fn from_link(
        link: &LogChainLink,
        event: &LoggedEvent,
        previous: LogChainHash,
        with_personal: bool,
    ) -> Self {
        let has_subject = event.subject_kind.is_some() || event.subject_id.is_some();
        let subject = || EventSubjectPart { kind: event.subject_kind.clone(), id: event.subject_id.clone() };
        let personal = link.personal.as_ref().filter(|_| with_personal);
        Self {
            position: link.position,
            previous,
            hash: link.hash,
            id: event.id,
            at: Rfc3339Time(event.at),
            kind: event.kind.clone(),
            actor: EventActorPart { kind: event.actor_kind.clone(), id: event.actor_id.clone() },
            subject: has_subject.then(subject),
            organization: event.organization,
            client: event.client.clone(),
            request: event.request,
            detail: detail_to_json(&event.detail),
            personal_hash: event.personal_hash,
            personal: personal.map(|personal| EventPersonalPart {
                salt: Base64UrlBytes(personal.salt.clone()),
                address: personal.address.clone(),
                user_agent: personal.user_agent.clone(),
            }),
        }
    }

    /// The link, and the previous hash that the line states.
    pub(super) fn into_link(self) -> (LogChainLink, LogChainHash) {
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
            detail: detail_from_json(self.detail).into(),
            personal_hash: self.personal_hash,
        };
        let personal = self.personal.map(|part| PersonalEventData {
            salt: part.salt.0,
            address: part.address,
            user_agent: part.user_agent,
        });
        let link = LogChainLink {
            position: self.position,
            event_id: self.id,
            hash: self.hash,
            event: Some(event),
            personal,
        };
        (link, self.previous)
    }
}

/// The text as an object, if serializing it gives the same text; otherwise the text itself.
fn detail_to_json(text: &str) -> Value {
    match serde_json::from_str::<Value>(text) {
        Ok(object) if object.is_object() && to_canonical_json(object.clone()) == text => object,
        _ => Value::String(text.to_owned()),
    }
}

fn detail_from_json(detail: Value) -> String {
    match detail {
        Value::String(text) => text,
        other => to_canonical_json(other),
    }
}

fn to_canonical_json(mut object: Value) -> String {
    object.sort_all_objects();
    object.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sinete_core::time::Timestamp;

    prop_compose! {
        fn any_link()(
            (position, hash, id, at) in (1_i64.., any::<[u8; 32]>(), any::<[u8; 16]>(), 0..4_000_000_000_000_000_i64),
            (kind, actor_kind, detail) in (".{0,9}", ".{0,9}", r#"(\{("[a-c]":[0-9]\.?5?,?){0,2}\})|.{0,9}"#),
            (actor_id, client) in (proptest::option::of(".{0,9}"), proptest::option::of(".{0,9}")),
            (subject_kind, subject_id) in (proptest::option::of(".{0,9}"), proptest::option::of(".{0,9}")),
            (organization, request) in any::<(Option<[u8; 16]>, Option<[u8; 16]>)>(),
            personal in proptest::option::of((any::<[u8; 16]>(), proptest::option::of(".{0,9}"))),
        ) -> LogChainLink {
            let personal = personal
                .map(|(salt, address)| PersonalEventData { salt: salt.to_vec(), address: address.map(Into::into), user_agent: None });
            let event = LoggedEvent {
                id: EventId::from_bytes(id),
                at: Timestamp::from_micros(at),
                kind: kind.into(),
                actor_kind: actor_kind.into(),
                actor_id: actor_id.map(Into::into),
                subject_kind: subject_kind.map(Into::into),
                subject_id: subject_id.map(Into::into),
                client: client.map(Into::into),
                detail: detail.into(),
                organization: organization.map(OrganizationId::from_bytes),
                request: request.map(RequestId::from_bytes),
                personal_hash: personal.as_ref().map(PersonalEventData::compute_hash),
            };
            let hash = LogChainHash::from_bytes(hash);
            LogChainLink { position, event_id: event.id, hash, event: Some(event), personal }
        }
    }

    proptest! {
        #[test]
        fn security_log_export_line_round_trips_exactly(link in any_link(), previous in any::<[u8; 32]>()) {
            let previous = LogChainHash::from_bytes(previous);
            let event = link.event.as_ref().unwrap();
            let line = serde_json::to_string(&ExportEventLine::from_link(&link, event, previous, true)).unwrap();
            prop_assert!(!line.contains('\n'));
            let read: ExportEventLine = serde_json::from_str(&line).unwrap();
            prop_assert_eq!(read.into_link(), (link.clone(), previous));
            let without = serde_json::to_string(&ExportEventLine::from_link(&link, event, previous, false)).unwrap();
            let read: ExportEventLine = serde_json::from_str(&without).unwrap();
            prop_assert_eq!(read.into_link(), (LogChainLink { personal: None, ..link }, previous));
        }
    }

    #[test]
    fn security_log_detail_is_exported_as_an_object_unless_altered() {
        assert_eq!(detail_to_json(r#"{"a":1,"b":"olá"}"#), serde_json::json!({"a": 1, "b": "olá"}));
        for altered in
            ["", "[]", "\"text\"", r#"{"b":1,"a":2}"#, r#"{ "a":1}"#, r#"{"a":1,"a":1}"#, r#"{"a":1.0e5}"#]
        {
            assert_eq!(detail_to_json(altered), Value::String(altered.to_owned()));
            assert_eq!(detail_from_json(detail_to_json(altered)), altered);
        }
    }
}
