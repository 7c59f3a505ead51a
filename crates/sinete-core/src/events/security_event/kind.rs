//! Everything that is ever recorded, by name.

use std::fmt;
use std::str::FromStr;

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
    /// Somebody acted inside an organization by assignment, or operators read its events.
    OrganizationAdministered = "organization.administered";
    /// A membership was made.
    MembershipCreated = "membership.created";
    /// A membership's roles changed.
    MembershipRolesChanged = "membership.roles_changed";
    /// A membership's profile changed.
    MembershipChanged = "membership.changed";
    /// A membership that waited was claimed by whoever a provider says it is for.
    MembershipClaimed = "membership.claimed";
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
    /// Relationships at an API were added or removed.
    RelationshipsChanged = "relationships.changed";
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
    /// Somebody acted as another person by assignment.
    MembershipImpersonated = "membership.impersonated";
    /// An API key was issued.
    ApiKeyIssued = "api_key.issued";
    /// An API key was revoked.
    ApiKeyRevoked = "api_key.revoked";
    /// Somebody agreed to what a client asked for.
    ConsentGiven = "consent.given";
    /// Somebody denied what a client asked for.
    ConsentDenied = "consent.denied";
    /// A client was given a grant.
    GrantGiven = "grant.given";
    /// A code was redeemed.
    CodeRedeemed = "code.redeemed";
    /// A code was presented a second time by its client.
    CodeReplayed = "code.replayed";
    /// A code was presented by a client that it was not given to.
    CodeMisdirected = "code.misdirected";
    /// A device asked for somebody's authorization.
    DeviceRequested = "device.requested";
    /// Somebody typed the code that a device shows.
    DeviceRecognised = "device.recognised";
    /// Somebody typed a code that no device shows.
    UserCodeFailed = "device.user_code_failed";
    /// Somebody allowed what a device asked for.
    DeviceAllowed = "device.allowed";
    /// Somebody denied what a device asked for, or could not allow it.
    DeviceDenied = "device.denied";
    /// A device was handed the tokens that somebody allowed.
    DeviceCodeRedeemed = "device_code.redeemed";
    /// A device code was presented again by its client after the tokens were handed over.
    DeviceCodeReplayed = "device_code.replayed";
    /// A device code was presented by a client that it was not given to.
    DeviceCodeMisdirected = "device_code.misdirected";
    /// A client asked for somebody's approval.
    ApprovalRequested = "approval.requested";
    /// Somebody approved what a client asked for.
    ApprovalGiven = "approval.given";
    /// Somebody denied what a client asked for, or could not approve it.
    ApprovalDenied = "approval.denied";
    /// A client was handed the tokens that somebody approved.
    ApprovalRedeemed = "approval.redeemed";
    /// A request for approval was presented again by its client after the tokens were handed over.
    ApprovalReplayed = "approval.replayed";
    /// A request for approval was presented by a client that did not make it.
    ApprovalMisdirected = "approval.misdirected";
    /// A client was not told that somebody answered: it could not be reached, or did not take the message.
    ApprovalNoticeGivenUp = "approval.notice_given_up";
    /// A refresh token was exchanged for its successor.
    RefreshTokenRotated = "refresh_token.rotated";
    /// A refresh token that stays was used.
    RefreshTokenUsed = "refresh_token.used";
    /// A refresh token was presented again after it was exchanged.
    RefreshTokenReused = "refresh_token.reused";
    /// A refresh token was presented by a client that it was not given to, or without the key that it is bound to.
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
    /// A client could not be notified that a session ended. It is notified again unless `retried` is false.
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
    /// A person is reached at another address, and no longer at the old one.
    EmailChanged = "email.changed";
    /// Whoever reads the old address brought it back.
    EmailRestored = "email.restored";
    /// A person removed an e-mail address or a telephone number.
    ContactRemoved = "contact.removed";
    /// A person changed what they say about themselves.
    AccountChanged = "account.changed";
    /// A person took everything out that is kept about them.
    AccountExported = "account.exported";
    /// An operator switched an account off.
    AccountDisabled = "account.disabled";
    /// An operator switched an account on again.
    AccountEnabled = "account.enabled";
    /// An operator signed a person out everywhere.
    AccountSessionsEnded = "account.sessions_ended";
    /// An operator signed everybody out everywhere.
    InstanceSessionsEnded = "instance.sessions_ended";
    /// An operator had a person written to, so that they set a new password.
    AccountResetStarted = "account.reset_started";
    /// A person deleted their account.
    AccountDeleted = "account.deleted";
    /// A person took back what they let an application do.
    ApplicationRemoved = "application.removed";
    /// An address was named that is told of events.
    WebhookCreated = "webhook.created";
    /// What an address is told of, or the address itself, changed.
    WebhookChanged = "webhook.changed";
    /// An address is told of nothing any more.
    WebhookRemoved = "webhook.removed";
    /// What is sent to an address is signed with a new secret.
    WebhookSecretRotated = "webhook.secret_rotated";
    /// An address is told of nothing until somebody says so: it answered wrongly for too long, or was stopped.
    WebhookPaused = "webhook.paused";
    /// A paused address is told of events again.
    WebhookResumed = "webhook.resumed";
    /// An address is told of everything since some moment once more.
    WebhookReplayed = "webhook.replayed";
    /// Somebody tries out whether an address is reached.
    WebhookTested = "webhook.tested";
    /// An organization says that a domain is its own.
    DomainAdded = "domain.added";
    /// The record that proves a domain was seen.
    DomainVerified = "domain.verified";
    /// The record that proves a domain is gone: unless it comes back, the domain is lost.
    DomainMissing = "domain.missing";
    /// A domain is proven no longer.
    DomainLost = "domain.lost";
    /// An organization no longer calls a domain its own.
    DomainRemoved = "domain.removed";
    /// An organization was connected to a provider of its own.
    ConnectionCreated = "connection.created";
    /// A connection to a provider changed.
    ConnectionChanged = "connection.changed";
    /// A connection to a provider was tried.
    ConnectionTested = "connection.tested";
    /// A provider knows from now on whose an account is.
    IdentityLinked = "identity.linked";
    /// A provider no longer knows whose an account is.
    IdentityUnlinked = "identity.unlinked";
    /// An organization is connected to a provider no longer.
    ConnectionRemoved = "connection.removed";
}

impl fmt::Display for EventKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for EventKind {
    type Err = InvalidEventKind;

    fn from_str(text: &str) -> Result<Self, InvalidEventKind> {
        Self::ALL.iter().copied().find(|kind| kind.name() == text).ok_or(InvalidEventKind)
    }
}

/// A text names no kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no such kind of event")]
pub struct InvalidEventKind;
