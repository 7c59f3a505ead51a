//! Outbound requests to URLs that others configured: the purpose and the owner of each.
//!
//! Both decide who gets a slot for a concurrent request. Each purpose has its own slots, and no owner can
//! take so many of them that none is left for others.

pub mod circuit_breaker;
pub mod slots;

use crate::client_id::ClientId;
use crate::id::OrganizationId;
use std::net::IpAddr;

/// The purpose of an outbound request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OutboundPurpose {
    /// Sign-in at an identity provider: its metadata, its keys and its token endpoint.
    IdentityProvider,
    /// A test of a connection to an identity provider by an administrator.
    ConnectionTest,
    /// The keys at a client's `jwks_uri`.
    ClientKeys,
    /// The document at a client's `sector_identifier_uri`.
    SectorIdentifier,
    /// The metadata document of a client whose id is a URL.
    ClientDocument,
    /// A logout token for a client (OpenID Connect Back-Channel Logout).
    BackchannelLogout,
    /// A notification for a client (OpenID CIBA, ping mode).
    CibaNotification,
    /// An event for a webhook.
    Webhook,
    /// A query to the breached password service.
    BreachedPasswords,
    /// A request to the SMS gateway.
    SmsGateway,
    /// A file of the archive of the security log.
    LogArchive,
    /// A check of `sinete doctor`.
    Diagnosis,
}

impl OutboundPurpose {
    /// All purposes.
    pub const ALL: [Self; 12] = [
        Self::IdentityProvider,
        Self::ConnectionTest,
        Self::ClientKeys,
        Self::SectorIdentifier,
        Self::ClientDocument,
        Self::BackchannelLogout,
        Self::CibaNotification,
        Self::Webhook,
        Self::BreachedPasswords,
        Self::SmsGateway,
        Self::LogArchive,
        Self::Diagnosis,
    ];

    /// The name in the log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::IdentityProvider => "identity_provider",
            Self::ConnectionTest => "connection_test",
            Self::ClientKeys => "client_keys",
            Self::SectorIdentifier => "sector_identifier",
            Self::ClientDocument => "client_document",
            Self::BackchannelLogout => "backchannel_logout",
            Self::CibaNotification => "ciba_notification",
            Self::Webhook => "webhook",
            Self::BreachedPasswords => "breached_passwords",
            Self::SmsGateway => "sms_gateway",
            Self::LogArchive => "log_archive",
            Self::Diagnosis => "diagnosis",
        }
    }

    /// The maximum number of concurrent requests of one node for this purpose.
    pub const fn slot_count(self) -> usize {
        match self {
            Self::IdentityProvider | Self::BackchannelLogout | Self::Diagnosis => 128,
            Self::ClientKeys | Self::Webhook => 64,
            Self::ClientDocument | Self::CibaNotification | Self::BreachedPasswords | Self::SmsGateway => 32,
            Self::ConnectionTest | Self::SectorIdentifier | Self::LogArchive => 16,
        }
    }

    /// The purpose whose circuits it shares: a successful connection test also closes the circuit for
    /// sign-in.
    pub const fn circuit_purpose(self) -> Self {
        match self {
            Self::ConnectionTest => Self::IdentityProvider,
            other => other,
        }
    }

    /// Whether requests are sent although the circuit is open: an administrator who just fixed a host wants
    /// to test it now.
    pub const fn bypasses_open_circuit(self) -> bool {
        matches!(self, Self::ConnectionTest | Self::Diagnosis)
    }
}

/// The owner of an outbound request: the party that configured the URL.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OutboundOwner {
    /// The operator of the instance, through its configuration. Its slots are not available to others.
    Instance,
    /// An organization, through its connections, clients and webhooks.
    Organization(OrganizationId),
    /// A client that an operator created for every organization, or verified.
    Client(ClientId),
    /// An unverified client from dynamic registration. Because anyone can register any number of them, all
    /// together get the share of one owner.
    SelfRegistered(ClientId),
    /// A client that is being registered from this address; counted with the self-registered clients.
    Registrant(Option<IpAddr>),
}

impl OutboundOwner {
    /// Whether it belongs to the shared owner of self-registered clients.
    pub const fn is_self_registered(&self) -> bool {
        matches!(self, Self::SelfRegistered(_) | Self::Registrant(_))
    }
}

/// An outbound request that is about to be sent.
#[derive(Clone, Debug)]
pub struct OutboundTarget<'a> {
    /// The purpose.
    pub purpose: OutboundPurpose,
    /// The owner.
    pub owner: OutboundOwner,
    /// The URL.
    pub url: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outbound_purposes_have_their_own_concurrency_limit_and_name() {
        let names: std::collections::BTreeSet<_> =
            OutboundPurpose::ALL.iter().map(|it| it.as_str()).collect();
        assert_eq!(names.len(), OutboundPurpose::ALL.len());
        assert!(OutboundPurpose::ALL.iter().all(|purpose| purpose.slot_count() >= 16));
    }
}
