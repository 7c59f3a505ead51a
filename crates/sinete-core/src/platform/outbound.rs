//! Requests that we send to addresses that others named: what each is for, and on whose behalf it is sent.
//!
//! Both decide who may take a place among the requests that are under way. Each purpose has places of its own, and no
//! owner can take so many of them that none is left for the others.

pub mod circuit_breaker;
pub mod slots;

use crate::client_id::ClientId;
use crate::id::OrganizationId;
use std::net::IpAddr;

/// What a request to another server is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OutboundPurpose {
    /// Signing in at an identity provider: its discovery document, its keys and its token endpoint.
    IdentityProvider,
    /// An administrator tries a connection to an identity provider.
    ConnectionTest,
    /// The keys that a client publishes at its `jwks_uri`.
    ClientKeys,
    /// The document at a client's `sector_identifier_uri`.
    SectorIdentifier,
    /// A logout token for a client (OpenID Connect Back-Channel Logout).
    BackchannelLogout,
    /// A notification for a client (OpenID CIBA, ping mode).
    CibaNotification,
    /// An event for a webhook.
    Webhook,
    /// The service that knows breached passwords.
    BreachedPasswords,
    /// The gateway that sends SMS.
    SmsGateway,
    /// A check of `sinete doctor`.
    Diagnosis,
}

impl OutboundPurpose {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::IdentityProvider,
        Self::ConnectionTest,
        Self::ClientKeys,
        Self::SectorIdentifier,
        Self::BackchannelLogout,
        Self::CibaNotification,
        Self::Webhook,
        Self::BreachedPasswords,
        Self::SmsGateway,
        Self::Diagnosis,
    ];

    /// Its name, in the log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::IdentityProvider => "identity_provider",
            Self::ConnectionTest => "connection_test",
            Self::ClientKeys => "client_keys",
            Self::SectorIdentifier => "sector_identifier",
            Self::BackchannelLogout => "backchannel_logout",
            Self::CibaNotification => "ciba_notification",
            Self::Webhook => "webhook",
            Self::BreachedPasswords => "breached_passwords",
            Self::SmsGateway => "sms_gateway",
            Self::Diagnosis => "diagnosis",
        }
    }

    /// How many requests for this purpose one node has under way at most.
    pub const fn slot_count(self) -> usize {
        match self {
            Self::IdentityProvider | Self::BackchannelLogout | Self::Diagnosis => 128,
            Self::ClientKeys | Self::Webhook => 64,
            Self::CibaNotification | Self::BreachedPasswords | Self::SmsGateway => 32,
            Self::ConnectionTest | Self::SectorIdentifier => 16,
        }
    }

    /// The purpose whose circuits count for it: an administrator who tries a connection notices that it works again, for
    /// everybody who signs in there.
    pub const fn circuit_purpose(self) -> Self {
        match self {
            Self::ConnectionTest => Self::IdentityProvider,
            other => other,
        }
    }

    /// Whether the host is asked although its circuit is open: somebody who has just repaired it wants to know now.
    pub const fn bypasses_open_circuit(self) -> bool {
        matches!(self, Self::ConnectionTest | Self::Diagnosis)
    }
}

/// On whose behalf a request is sent: whoever named the address.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OutboundOwner {
    /// Whoever runs the instance, by its configuration. Nobody else can take its places.
    Instance,
    /// An organization, by its connections, clients and webhooks.
    Organization(OrganizationId),
    /// A client that an operator made for every organization, or verified.
    Client(ClientId),
    /// A client that registered itself and that nobody verified. Anybody can have as many of them as they like, so they share what one owner gets.
    SelfRegistered(ClientId),
    /// Whoever is just registering a client, from this address; counted with the clients that registered themselves.
    Registrant(Option<IpAddr>),
}

impl OutboundOwner {
    /// Whether it shares the places of one owner with everybody who registered a client by themselves.
    pub const fn is_self_registered(&self) -> bool {
        matches!(self, Self::SelfRegistered(_) | Self::Registrant(_))
    }
}

/// A request that is about to be sent.
#[derive(Clone, Debug)]
pub struct OutboundTarget<'a> {
    /// What for.
    pub purpose: OutboundPurpose,
    /// On whose behalf.
    pub owner: OutboundOwner,
    /// Where to.
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
