//! What bounds the writes of a route. There is no default: a row that does not say it does not compile, and a test drives
//! every route past what its row says.

/// What bounds how often a route writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteRateLimits {
    /// It adds no row to any table.
    ReadOnly,
    /// It writes, and each of these bounds how often.
    Limited {
        /// The limits.
        by: &'static [RateLimitKind],
        /// Most rows of the append-only logs that one request leaves which they count.
        log_rows: u32,
    },
    /// It writes as often as it is asked to. The reason says who can ask, and why that is bounded otherwise.
    Unlimited(&'static str),
}

/// One limit: what is counted, and for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RateLimitKind {
    /// Flows and authorization requests of people who are not signed in, by network address.
    FlowsByAddress,
    /// Requests that are stored for clients which anybody can be (PAR, device authorization, CIBA), by network address. A page of
    /// another site can have a browser make them, and must not use up the sign-ins of its network by that.
    StoredRequestsByAddress,
    /// Flows that somebody starts who is signed in, by account.
    FlowsByAccount,
    /// Everything else that somebody makes us write who is signed in, by account.
    WritesByAccount,
    /// Wrong passwords, codes and the like, by network address.
    FailedProofsByAddress,
    /// Messages to be sent, by network address.
    MessagesByAddress,
    /// Wrong credentials of clients and callers, by network address.
    FailedCredentialsByAddress,
    /// Clients that register themselves, by network address, network and altogether.
    RegistrationsByAddress,
    /// Changes that clients make to their own registration, by client.
    RegistrationChangesByClient,
    /// Invitations, by organization.
    InvitationsByOrganization,
    /// Tokens of clients which anybody can be, by the grant or key they are derived from.
    TokensByGrant,
    /// Requests of directories, by credential.
    ProvisioningByCredential,
}

impl RouteRateLimits {
    /// Whether this limit is one of them.
    pub fn includes(&self, limit: RateLimitKind) -> bool {
        match self {
            Self::ReadOnly | Self::Unlimited(_) => false,
            Self::Limited { by, .. } => by.contains(&limit),
        }
    }
}
