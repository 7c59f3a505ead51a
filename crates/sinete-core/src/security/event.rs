//! The events of the security log: a closed set of kinds, each with who, what, where and from where.

use crate::client::ClientId;
use crate::entropy::{Entropy, draw};
use crate::id::{AccountId, ApiKeyId, EventId, MembershipId, OrganizationId, RequestId};
use crate::limits::USER_AGENT_BYTES_MAX;
use crate::time::Timestamp;
use std::fmt;

/// One thing that happened. It is written in the transaction of what it records and never changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its own id, ordered by time.
    pub id: EventId,
    /// When it happened, by the clock of the node that saw it.
    pub at: Timestamp,
    /// What happened.
    pub kind: EventKind,
    /// Who did it.
    pub actor: Actor,
    /// What it was done to, as a kind and an id.
    pub subject: Option<Subject>,
    /// The organization it concerns.
    pub organization: Option<OrganizationId>,
    /// The client through which it was done.
    pub client: Option<ClientId>,
    /// Where the request came from.
    pub origin: Origin,
    /// Facts about it that are neither secret nor personal.
    pub detail: serde_json::Map<String, serde_json::Value>,
    /// Random bytes hashed with the personal part, so that it cannot be found by trying every address.
    pub salt: [u8; 16],
}

/// Who did something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
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
pub struct Subject {
    /// The kind of thing, such as `account` or `signing_key`.
    pub kind: &'static str,
    /// Its id, as text.
    pub id: String,
}

/// Where a request came from. Address and user agent are personal data and can be erased.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The request, as logs and error bodies name it.
    pub request: Option<RequestId>,
    /// The network address.
    pub address: Option<std::net::IpAddr>,
    /// The user agent, cut to a bounded length.
    user_agent: Option<Box<str>>,
    /// The client that made it on somebody's behalf.
    client: Option<ClientId>,
}

impl Event {
    /// An event with the facts every event has; the rest is added with the functions below.
    pub fn new(kind: EventKind, actor: Actor, now: Timestamp, entropy: &dyn Entropy) -> Self {
        Self {
            id: EventId::mint(now, entropy),
            at: now,
            kind,
            actor,
            subject: None,
            organization: None,
            client: None,
            origin: Origin::default(),
            detail: serde_json::Map::new(),
            salt: draw(entropy),
        }
    }

    /// What it was done to.
    #[must_use]
    pub fn about(mut self, kind: &'static str, id: impl fmt::Display) -> Self {
        self.subject = Some(Subject { kind, id: id.to_string() });
        self
    }

    /// The organization it concerns.
    #[must_use]
    pub fn within(mut self, organization: OrganizationId) -> Self {
        self.organization = Some(organization);
        self
    }

    /// The client through which it was done.
    #[must_use]
    pub fn through(mut self, client: ClientId) -> Self {
        self.client = Some(client);
        self
    }

    /// Where the request came from.
    #[must_use]
    pub fn from_origin(mut self, origin: &Origin) -> Self {
        self.origin = origin.clone();
        self.client = self.client.or_else(|| origin.client.clone());
        self
    }

    /// One more fact. Never a secret, never personal data.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<serde_json::Value>) -> Self {
        self.detail.insert(name.to_owned(), value.into());
        self
    }
}

impl Origin {
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
    pub fn through(self, client: ClientId) -> Self {
        Self { client: Some(client), ..self }
    }

    /// What the caller says it is.
    pub fn user_agent(&self) -> Option<&str> {
        self.user_agent.as_deref()
    }
}

impl Actor {
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
    pub fn id(&self) -> Option<String> {
        match self {
            Self::System | Self::Anonymous => None,
            Self::Account(id) => Some(id.to_string()),
            Self::Membership(id) => Some(id.to_string()),
            Self::Client(id) => Some(id.to_string()),
            Self::ApiKey(id) => Some(id.to_string()),
        }
    }
}

macro_rules! event_kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal;)*) => {
        /// Everything that is ever recorded. The names are part of our interface: they never change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum EventKind {
            $($(#[$doc])* $kind,)*
        }

        impl EventKind {
            /// Every kind there is.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// The name, as logs, exports and filters know it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }
        }
    };
}

event_kinds! {
    /// The database was set up for a new instance.
    InstanceCreated = "instance.created";
    /// A node began to serve.
    ServerStarted = "server.started";
    /// A node stopped serving.
    ServerStopped = "server.stopped";
    /// A signing key was generated.
    SigningKeyGenerated = "signing_key.generated";
    /// A signing key was brought in from outside.
    SigningKeyImported = "signing_key.imported";
    /// A signing key handed over to its successor.
    SigningKeyRotated = "signing_key.rotated";
    /// A signing key was withdrawn before its time.
    SigningKeyRevoked = "signing_key.revoked";
    /// Stored secrets were sealed anew under another instance key.
    InstanceKeyRotated = "instance_key.rotated";
    /// A copy of the database was taken.
    BackupTaken = "backup.taken";
    /// The database was restored from a copy.
    BackupRestored = "backup.restored";
    /// The security log was exported.
    LogExported = "log.exported";
    /// Where somebody's requests came from was erased from the security log.
    LogPersonalErased = "log.personal_erased";
    /// An organization was made.
    OrganizationCreated = "organization.created";
    /// An organization's name or settings changed.
    OrganizationChanged = "organization.changed";
    /// An organization was suspended.
    OrganizationSuspended = "organization.suspended";
    /// A suspended organization was restored.
    OrganizationRestored = "organization.restored";
    /// Somebody asked for an organization to be deleted.
    OrganizationDeletionAsked = "organization.deletion_asked";
    /// A deletion that was asked for was taken back.
    OrganizationDeletionWithdrawn = "organization.deletion_withdrawn";
    /// Somebody acted inside an organization by assignment.
    OrganizationAdministered = "organization.administered";
    /// A membership was made.
    MembershipCreated = "membership.created";
    /// A membership's roles changed.
    MembershipRolesChanged = "membership.roles_changed";
    /// A membership's profile changed.
    MembershipChanged = "membership.changed";
    /// A membership was disabled.
    MembershipDisabled = "membership.disabled";
    /// A disabled membership was enabled again.
    MembershipEnabled = "membership.enabled";
    /// A membership ended, by leaving or being removed.
    MembershipEnded = "membership.ended";
    /// A one-time link was made that makes whoever opens it an operator.
    OperatorInvited = "operator.invited";
    /// Somebody was invited.
    InvitationSent = "invitation.sent";
    /// An invitation was accepted.
    InvitationAccepted = "invitation.accepted";
    /// An invitation was taken back.
    InvitationRevoked = "invitation.revoked";
    /// A message that was to be sent was refused for good.
    MessageGivenUp = "message.given_up";
    /// A role was made.
    RoleCreated = "role.created";
    /// A role changed.
    RoleChanged = "role.changed";
    /// A role was removed.
    RoleRemoved = "role.removed";
    /// An API was added.
    ApiCreated = "api.created";
    /// An API changed.
    ApiChanged = "api.changed";
    /// An API was removed.
    ApiRemoved = "api.removed";
    /// A client was added.
    ClientCreated = "client.created";
    /// A client changed.
    ClientChanged = "client.changed";
    /// A client was stopped.
    ClientDisabled = "client.disabled";
    /// A stopped client was enabled again.
    ClientEnabled = "client.enabled";
    /// A client was removed.
    ClientRemoved = "client.removed";
    /// An operator vouched for a client, or withdrew it.
    ClientVerified = "client.verified";
    /// A client failed to prove who it is.
    ClientProofFailed = "client.proof_failed";
    /// Clients that registered themselves and that nobody used came to their end.
    ClientRegistrationsExpired = "client.registrations_expired";
    /// A client was given a new secret.
    ClientSecretAdded = "client_secret.added";
    /// A client's secret was revoked.
    ClientSecretRevoked = "client_secret.revoked";
    /// Somebody was assigned to act in an organization or as a person.
    AssignmentMade = "assignment.made";
    /// An assignment was ended before its time.
    AssignmentEnded = "assignment.ended";
    /// An API key was issued.
    ApiKeyIssued = "api_key.issued";
    /// An API key was revoked.
    ApiKeyRevoked = "api_key.revoked";
    /// Somebody agreed to what a client asked for.
    ConsentGiven = "consent.given";
    /// A client was given a grant.
    GrantGiven = "grant.given";
    /// A code was redeemed.
    CodeRedeemed = "code.redeemed";
    /// A code was presented a second time by its client.
    CodeReplayed = "code.replayed";
    /// A code was presented by a client that it was not given to.
    CodeMisdirected = "code.misdirected";
    /// A refresh token was exchanged for its successor.
    RefreshTokenRotated = "refresh_token.rotated";
    /// A refresh token was presented again after it was exchanged.
    RefreshTokenReused = "refresh_token.reused";
    /// A refresh token was presented by a client that it was not given to.
    RefreshTokenMisdirected = "refresh_token.misdirected";
    /// A machine was issued a token for itself.
    TokenIssued = "token.issued";
    /// A token or key was exchanged for a token with which somebody acts for its holder.
    TokenExchanged = "token.exchanged";
    /// An access token was revoked before its time.
    AccessTokenRevoked = "access_token.revoked";
    /// A grant was revoked.
    GrantRevoked = "grant.revoked";
    /// An account was made.
    AccountCreated = "account.created";
    /// An account was brought over from somewhere else.
    AccountImported = "account.imported";
    /// A run that brought accounts over came to its end.
    ImportFinished = "import.finished";
    /// Somebody proved that an address is theirs.
    ContactVerified = "contact.verified";
    /// A password was set or changed.
    PasswordSet = "password.set";
    /// A way to sign in counts no more, because it was tried wrongly too often.
    CredentialDisabled = "credential.disabled";
    /// Somebody signed in.
    SessionStarted = "session.started";
    /// Somebody signed in on a device the account was not seen on before.
    NewDeviceSeen = "sign_in.new_device";
    /// Somebody signed in from farther away than anybody travels.
    ImpossibleTravelSeen = "sign_in.impossible_travel";
    /// The owner of an account said that somebody else had signed in.
    SignInDisavowed = "sign_in.disavowed";
    /// Something more was proven in a session, or how its owner signs in changed: it has a new token.
    SessionRenewed = "session.renewed";
    /// A client was not told that a session ended: it could not be reached, or did not take the message.
    LogoutNotDelivered = "logout.not_delivered";
    /// A session ended before its time.
    SessionEnded = "session.ended";
    /// A proof of identity was wrong.
    CredentialFailed = "credential.failed";
    /// A person set up something to sign in with.
    CredentialAdded = "credential.added";
    /// A person gave a credential another name.
    CredentialRenamed = "credential.renamed";
    /// A person removed something they signed in with.
    CredentialRemoved = "credential.removed";
    /// A person added an e-mail address or a telephone number.
    ContactAdded = "contact.added";
    /// A person chose the address or number to be written to.
    ContactMadePrimary = "contact.made_primary";
    /// A person removed an e-mail address or a telephone number.
    ContactRemoved = "contact.removed";
    /// A person changed what they say about themselves.
    AccountChanged = "account.changed";
    /// A person took everything out that is kept about them.
    AccountExported = "account.exported";
    /// A person deleted their account.
    AccountDeleted = "account.deleted";
    /// A person took back what they let an application do.
    ApplicationRemoved = "application.removed";
}

impl fmt::Display for EventKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_name_of_its_own() {
        let mut names: Vec<_> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), EventKind::ALL.len());
    }

    #[test]
    fn a_user_agent_is_cut_at_a_character() {
        let origin = Origin::new(None, None, Some(&"é".repeat(400)));
        assert_eq!(origin.user_agent().unwrap().len(), 512);
        let odd = format!("x{}", "é".repeat(400));
        assert_eq!(Origin::new(None, None, Some(&odd)).user_agent().unwrap().len(), 511);
    }
}
