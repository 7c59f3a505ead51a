//! The rate limits of a route. There is no default: a route without them does not compile, and a test exceeds
//! the limits of every route.

use sinete_core::refusal::limit_kind::LimitKind;

/// The rate limits of a route's writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteRateLimits {
    /// It adds no rows.
    ReadOnly,
    /// It writes, within these limits.
    Limited {
        /// The limits.
        kinds: &'static [RateLimitKind],
        /// Maximum rows of append-only logs per counted request.
        log_rows: u32,
    },
    /// It writes without a limit. The reason says who can call it, and what else bounds it.
    Unlimited(&'static str),
}

/// A rate limit: what is counted, and by which party.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RateLimitKind {
    /// Flows and authorization requests of unauthenticated users, by address.
    FlowsByAddress,
    /// Requests stored for clients that anyone can use (PAR, device authorization, CIBA), by address. A page
    /// of another site can make browsers send them, which must not use up the sign-ins of their network.
    StoredRequestsByAddress,
    /// Flows started by signed-in users, by account.
    FlowsByAccount,
    /// Other writes of signed-in users, by account.
    WritesByAccount,
    /// Failed passwords, codes and other proofs, by address.
    FailedProofsByAddress,
    /// Messages, by address.
    MessagesByAddress,
    /// Failed authentications of clients and callers, by address.
    FailedCredentialsByAddress,
    /// Client registrations, by address, network and in total.
    RegistrationsByAddress,
    /// Changes of client registrations, by client.
    RegistrationChangesByClient,
    /// Invitations, by organization.
    InvitationsByOrganization,
    /// Tokens of clients that anyone can use, by grant or API key.
    TokensByGrant,
    /// SCIM requests, by credential.
    ProvisioningByCredential,
}

impl RateLimitKind {
    /// The limit that refusals are counted for.
    pub const fn limit_kind(self) -> LimitKind {
        match self {
            Self::FlowsByAddress => LimitKind::FlowsByAddress,
            Self::StoredRequestsByAddress => LimitKind::StoredRequestsByAddress,
            Self::FlowsByAccount => LimitKind::FlowsByAccount,
            Self::WritesByAccount => LimitKind::WritesByAccount,
            Self::FailedProofsByAddress => LimitKind::FailedProofsByAddress,
            Self::MessagesByAddress => LimitKind::MessagesByAddress,
            Self::FailedCredentialsByAddress => LimitKind::FailedCredentialsByAddress,
            Self::RegistrationsByAddress => LimitKind::Registrations,
            Self::RegistrationChangesByClient => LimitKind::RegistrationChangesByClient,
            Self::InvitationsByOrganization => LimitKind::InvitationsByOrganization,
            Self::TokensByGrant => LimitKind::TokensByGrant,
            Self::ProvisioningByCredential => LimitKind::ScimByCredential,
        }
    }
}

impl RouteRateLimits {
    /// Whether this limit applies.
    pub fn includes(&self, limit: RateLimitKind) -> bool {
        match self {
            Self::ReadOnly | Self::Unlimited(_) => false,
            Self::Limited { kinds: by, .. } => by.contains(&limit),
        }
    }
}
