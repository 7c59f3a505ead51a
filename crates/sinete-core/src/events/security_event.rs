//! The events of the security log: a closed set of kinds, each with who, what, where and from where.

mod kind;

pub use kind::{EventKind, InvalidEventKind};

use crate::client_id::ClientId;
use crate::entropy::{Entropy, draw_bytes};
use crate::id::{AccountId, ApiKeyId, EventId, MembershipId, OrganizationId, RequestId};
use crate::limits::USER_AGENT_BYTES_MAX;
use crate::time::Timestamp;
use compact_str::{CompactString, ToCompactString};
use std::fmt;

/// One thing that happened. It is written in the transaction of what it records and never changed.
#[derive(Clone, Debug, PartialEq)]
pub struct SecurityEvent {
    /// Its own id, ordered by time.
    pub id: EventId,
    /// When it happened, by the clock of the node that saw it.
    pub at: Timestamp,
    /// What happened.
    pub kind: EventKind,
    /// Who did it.
    pub actor: SecurityEventActor,
    /// What it was done to, as a kind and an id.
    pub subject: Option<SecurityEventSubject>,
    /// The organization it concerns.
    pub organization: Option<OrganizationId>,
    /// The client through which it was done.
    pub client: Option<ClientId>,
    /// Where the request came from.
    pub origin: RequestOrigin,
    /// Facts about it that are neither secret nor personal, each name once.
    pub detail: Vec<(&'static str, serde_json::Value)>,
    /// Random bytes hashed with the personal part, so that it cannot be found by trying every address.
    pub salt: [u8; 16],
}

/// Who did something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecurityEventActor {
    /// Sinete itself, or whoever holds its command line.
    System,
    /// Somebody who has not said who they are.
    Anonymous,
    /// A person, globally.
    Account(AccountId),
    /// A person in one organization.
    Membership(MembershipId),
    /// An application, service or agent.
    Client(ClientId),
    /// A key.
    ApiKey(ApiKeyId),
}

/// What something was done to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecurityEventSubject {
    /// The kind of thing, such as `account` or `signing_key`.
    pub kind: &'static str,
    /// Its id, as text.
    pub id: CompactString,
}

/// Where a request came from. Address and user agent are personal data and can be erased.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestOrigin {
    /// The request, as logs and error bodies name it.
    pub request: Option<RequestId>,
    /// The network address.
    pub address: Option<std::net::IpAddr>,
    /// The user agent, cut to a bounded length.
    user_agent: Option<Box<str>>,
    /// The client that made it on somebody's behalf.
    client: Option<ClientId>,
}

impl SecurityEvent {
    /// An event with the facts every event has; the rest is added with the functions below.
    pub fn new(kind: EventKind, actor: SecurityEventActor, now: Timestamp, entropy: &dyn Entropy) -> Self {
        Self {
            id: EventId::mint(now, entropy),
            at: now,
            kind,
            actor,
            subject: None,
            organization: None,
            client: None,
            origin: RequestOrigin::default(),
            detail: Vec::new(),
            salt: draw_bytes(entropy),
        }
    }

    /// What it was done to.
    #[must_use]
    pub fn with_subject(mut self, kind: &'static str, id: impl fmt::Display) -> Self {
        self.subject = Some(SecurityEventSubject { kind, id: id.to_compact_string() });
        self
    }

    /// The organization it concerns.
    #[must_use]
    pub fn with_organization(mut self, organization: OrganizationId) -> Self {
        self.organization = Some(organization);
        self
    }

    /// The client through which it was done.
    #[must_use]
    pub fn with_client(mut self, client: ClientId) -> Self {
        self.client = Some(client);
        self
    }

    /// Where the request came from.
    #[must_use]
    pub fn with_origin(mut self, origin: &RequestOrigin) -> Self {
        self.origin = origin.clone();
        self.client = self.client.or_else(|| origin.client.clone());
        self
    }

    /// One more fact. Never a secret, never personal data.
    #[must_use]
    pub fn with_detail(mut self, name: &'static str, value: impl Into<serde_json::Value>) -> Self {
        self.detail.retain(|(known, _)| *known != name);
        self.detail.push((name, value.into()));
        self
    }
}

impl RequestOrigin {
    /// The origin of one request.
    pub fn new(
        request: Option<RequestId>,
        address: Option<std::net::IpAddr>,
        user_agent: Option<&str>,
    ) -> Self {
        let cut = |text: &str| text[..text.floor_char_boundary(USER_AGENT_BYTES_MAX)].into();
        Self { request, address, user_agent: user_agent.map(cut), client: None }
    }

    /// The same, made by a client on somebody's behalf.
    #[must_use]
    pub fn with_client(self, client: ClientId) -> Self {
        Self { client: Some(client), ..self }
    }

    /// What the caller says it is.
    pub fn user_agent(&self) -> Option<&str> {
        self.user_agent.as_deref()
    }
}

impl SecurityEventActor {
    /// The kind of actor, as stored.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Anonymous => "anonymous",
            Self::Account(_) => "account",
            Self::Membership(_) => "membership",
            Self::Client(_) => "client",
            Self::ApiKey(_) => "api_key",
        }
    }

    /// The actor's id, as stored.
    pub fn id(&self) -> Option<CompactString> {
        match self {
            Self::System | Self::Anonymous => None,
            Self::Account(id) => Some(id.to_compact_string()),
            Self::Membership(id) => Some(id.to_compact_string()),
            Self::Client(id) => Some(id.as_str().into()),
            Self::ApiKey(id) => Some(id.to_compact_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_kinds_have_unique_names() {
        let mut names: Vec<_> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), EventKind::ALL.len());
    }

    #[test]
    fn event_user_agent_is_truncated_at_a_character_boundary() {
        let origin = RequestOrigin::new(None, None, Some(&"é".repeat(400)));
        assert_eq!(origin.user_agent().unwrap().len(), 512);
        let odd = format!("x{}", "é".repeat(400));
        assert_eq!(RequestOrigin::new(None, None, Some(&odd)).user_agent().unwrap().len(), 511);
    }
}
