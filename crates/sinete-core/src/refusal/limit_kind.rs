//! The limits that can refuse a request, so that refusals are counted by limit and without who was refused
//! (docs/contribute/decisions/0322-health-nodes-write-heartbeats-and-limit-counts.md).

use crate::refusal::RefusalReason;
use crate::refusal::accounts::AccountRefusal;
use crate::refusal::events::EventRefusal;
use crate::refusal::oauth::OAuthRefusal;
use crate::refusal::organizations::OrganizationRefusal;
use crate::refusal::request::RequestRefusal;
use crate::refusal::scim::ScimRefusal;
use crate::refusal::sign_in::SignInRefusal;

macro_rules! limit_kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal;)*) => {
        /// A limit that can refuse a request or a connection.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum LimitKind {
            $($(#[$doc])* $kind,)*
        }

        impl LimitKind {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// Its name, which is stored and does not change.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }
        }
    };
}

limit_kinds! {
    /// Flows and authorization requests, by network address.
    FlowsByAddress = "flows_by_address";
    /// Flows of signed-in users, by account.
    FlowsByAccount = "flows_by_account";
    /// Requests stored for clients that anyone can use, by network address.
    StoredRequestsByAddress = "stored_requests_by_address";
    /// Other writes of signed-in users, by account.
    WritesByAccount = "writes_by_account";
    /// Failed passwords, codes and other proofs, by network address.
    FailedProofsByAddress = "failed_proofs_by_address";
    /// Failed authentications of clients and callers, by network address.
    FailedCredentialsByAddress = "failed_credentials_by_address";
    /// Failed attempts at one credential or account.
    FailedAttempts = "failed_attempts";
    /// Messages, by network address.
    MessagesByAddress = "messages_by_address";
    /// Messages to one recipient.
    MessagesByRecipient = "messages_by_recipient";
    /// Invitations, by organization.
    InvitationsByOrganization = "invitations_by_organization";
    /// Invitations to one recipient.
    InvitationsByRecipient = "invitations_by_recipient";
    /// Dynamic client registrations.
    Registrations = "registrations";
    /// Changes of a registration by its client.
    RegistrationChangesByClient = "registration_changes_by_client";
    /// Client metadata documents that are fetched.
    ClientDocuments = "client_documents";
    /// Tokens of clients that anyone can use, by grant.
    TokensByGrant = "tokens_by_grant";
    /// CIBA requests to one user.
    ApprovalRequests = "approval_requests";
    /// SCIM requests, by credential.
    ScimByCredential = "scim_by_credential";
    /// Passwords that are hashed at once.
    PasswordHashing = "password_hashing";
    /// Event streams at once.
    EventStreams = "event_streams";
    /// Connections at once.
    Connections = "connections";
    /// Requests at once.
    Requests = "requests";
    /// The time for a response.
    ResponseTime = "response_time";
    /// Work that waits for the database.
    DatabaseQueue = "database_queue";
}

impl LimitKind {
    /// The limit with this name; `None` if a newer version added it.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// The limit that a reason belongs to, if it belongs to one. The general rate limit of requests has one reason
    /// for several limits, so that such a refusal names its limit itself.
    pub fn from_reason(reason: RefusalReason) -> Option<Self> {
        Some(match reason {
            RefusalReason::OAuth(OAuthRefusal::RegistrationRateLimited) => Self::Registrations,
            RefusalReason::OAuth(OAuthRefusal::GrantRateLimited) => Self::TokensByGrant,
            RefusalReason::OAuth(OAuthRefusal::ApprovalRateLimited) => Self::ApprovalRequests,
            RefusalReason::OAuth(OAuthRefusal::ClientDocumentRateLimited) => Self::ClientDocuments,
            RefusalReason::SignIn(SignInRefusal::TooManyAttempts) => Self::FailedAttempts,
            RefusalReason::SignIn(SignInRefusal::PasswordCheckBusy) => Self::PasswordHashing,
            RefusalReason::Accounts(AccountRefusal::MessageRateLimited) => Self::MessagesByRecipient,
            RefusalReason::Organizations(OrganizationRefusal::InvitationRateLimited) => {
                Self::InvitationsByRecipient
            }
            RefusalReason::Scim(ScimRefusal::RateLimited) => Self::ScimByCredential,
            RefusalReason::Events(EventRefusal::StreamLimit) => Self::EventStreams,
            RefusalReason::Request(RequestRefusal::TooManyConnections) => Self::Connections,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::RefusalCode;
    use std::collections::BTreeSet;

    #[test]
    fn limit_kinds_are_found_by_their_unique_names() {
        let names: BTreeSet<_> = LimitKind::ALL.iter().map(|kind| kind.name()).collect();
        assert_eq!(names.len(), LimitKind::ALL.len());
        assert!(LimitKind::ALL.iter().all(|kind| LimitKind::parse(kind.name()) == Some(*kind)));
        assert_eq!(LimitKind::parse("of a newer version"), None);
    }

    #[test]
    fn limit_kind_exists_for_every_rate_limit_reason() {
        let without: Vec<_> = RefusalReason::all()
            .filter(|reason| reason.code() == RefusalCode::TooManyRequests)
            .filter(|reason| LimitKind::from_reason(*reason).is_none())
            .map(RefusalReason::name)
            .collect();
        assert_eq!(without, ["rate_limited"], "whose refusals name their limit");
        assert_eq!(LimitKind::from_reason(RequestRefusal::NotFound.into()), None);
    }
}
