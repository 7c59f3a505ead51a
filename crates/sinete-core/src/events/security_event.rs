//! Security events: a closed set of kinds, each event with actor, subject, organization and origin.

mod kind;

pub use kind::{EventKind, InvalidEventKind};

use crate::client_id::ClientId;
use crate::entropy::{Entropy, draw_bytes};
use crate::id::{AccountId, ApiKeyId, EventId, MembershipId, OrganizationId, RequestId, SetupLinkId};
use crate::limits::USER_AGENT_BYTES_MAX;
use crate::time::Timestamp;
use compact_str::{CompactString, ToCompactString};
use std::fmt;

/// A security event. It is written in the transaction of the change it records and is never modified.
#[derive(Clone, Debug, PartialEq)]
pub struct SecurityEvent {
    /// The event's id, ordered by time.
    pub id: EventId,
    /// When it happened, by the clock of the node.
    pub at: Timestamp,
    /// The kind of event.
    pub kind: EventKind,
    /// The actor.
    pub actor: SecurityEventActor,
    /// The subject, as a kind and an id.
    pub subject: Option<SecurityEventTarget>,
    /// The organization it concerns.
    pub organization: Option<OrganizationId>,
    /// The client through which it was done.
    pub client: Option<ClientId>,
    /// Where the request came from.
    pub origin: RequestOrigin,
    /// Details that are neither secret nor personal; each name occurs once.
    pub detail: Vec<(&'static str, serde_json::Value)>,
    /// A random salt that is hashed with the personal data, so that it cannot be found by trying every
    /// address.
    pub salt: [u8; 16],
}

/// The actor of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecurityEventActor {
    /// Sinete itself, or an operator at its command line.
    System,
    /// An unauthenticated caller.
    Anonymous,
    /// A user, by account.
    Account(AccountId),
    /// A user in one organization, by membership.
    Membership(MembershipId),
    /// An application, service or agent.
    Client(ClientId),
    /// An API key.
    ApiKey(ApiKeyId),
    /// The holder of a set-up link, who has no account.
    SetupLink(SetupLinkId),
}

/// The subject of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecurityEventTarget {
    /// The kind, such as `account` or `signing_key`.
    pub kind: &'static str,
    /// The id, as text.
    pub id: CompactString,
}

/// Where a request came from. Address and user agent are personal data and can be erased.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestOrigin {
    /// The request id, as in logs and error bodies.
    pub request: Option<RequestId>,
    /// The IP address.
    pub address: Option<std::net::IpAddr>,
    /// The user agent, truncated to a bounded length.
    user_agent: Option<Box<str>>,
    /// The client that made the request on behalf of a user.
    client: Option<ClientId>,
}

impl SecurityEvent {
    /// Creates an event with the mandatory fields. The functions below add the rest.
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

    /// Sets the subject.
    #[must_use]
    pub fn with_subject(mut self, kind: &'static str, id: impl fmt::Display) -> Self {
        self.subject = Some(SecurityEventTarget { kind, id: id.to_compact_string() });
        self
    }

    /// Sets the organization it concerns.
    #[must_use]
    pub fn with_organization(mut self, organization: OrganizationId) -> Self {
        self.organization = Some(organization);
        self
    }

    /// Sets the client through which it was done.
    #[must_use]
    pub fn with_client(mut self, client: ClientId) -> Self {
        self.client = Some(client);
        self
    }

    /// Sets where the request came from.
    #[must_use]
    pub fn with_origin(mut self, origin: &RequestOrigin) -> Self {
        self.origin = origin.clone();
        self.client = self.client.or_else(|| origin.client.clone());
        self
    }

    /// Adds a detail. Never a secret, never personal data.
    #[must_use]
    pub fn with_detail(mut self, name: &'static str, value: impl Into<serde_json::Value>) -> Self {
        self.detail.retain(|(existing, _)| *existing != name);
        self.detail.push((name, value.into()));
        self
    }
}

impl RequestOrigin {
    /// Creates the origin of one request.
    pub fn new(
        request: Option<RequestId>,
        address: Option<std::net::IpAddr>,
        user_agent: Option<&str>,
    ) -> Self {
        let cut = |text: &str| text[..text.floor_char_boundary(USER_AGENT_BYTES_MAX)].into();
        Self { request, address, user_agent: user_agent.map(cut), client: None }
    }

    /// Sets the client that made the request on behalf of a user.
    #[must_use]
    pub fn with_client(self, client: ClientId) -> Self {
        Self { client: Some(client), ..self }
    }

    /// The user agent.
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
            Self::SetupLink(_) => "setup_link",
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
            Self::SetupLink(id) => Some(id.to_compact_string()),
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
