//! The kinds of security events, by name.

use std::fmt;
use std::str::FromStr;

macro_rules! event_kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal;)*) => {
        /// The kinds of security events. The names are part of the public API and never change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum EventKind {
            $($(#[$doc])* $kind,)*
        }

        impl EventKind {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// The name in logs, exports and filters.
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
    /// A node started to serve requests.
    ServerStarted = "server.started";
    /// A node stopped serving requests.
    ServerStopped = "server.stopped";
    /// A signing key was generated.
    SigningKeyGenerated = "signing_key.generated";
    /// A signing key was imported.
    SigningKeyImported = "signing_key.imported";
    /// A signing key was replaced by its successor.
    SigningKeyRotated = "signing_key.rotated";
    /// A signing key was revoked before its retirement.
    SigningKeyRevoked = "signing_key.revoked";
    /// Stored secrets were encrypted again under another instance key.
    InstanceKeyRotated = "instance_key.rotated";
    /// A backup of the database was made.
    BackupTaken = "backup.taken";
    /// The database was restored from a backup.
    BackupRestored = "backup.restored";
    /// The security log was exported.
    LogExported = "log.exported";
    /// The addresses and user agents of an account's requests were erased from the security log.
    LogPersonalErased = "log.personal_erased";
    /// A segment of the security log was archived and verified.
    LogArchived = "log.archived";
    /// An archived segment of the security log was removed from the database.
    LogCut = "log.cut";
    /// An organization was created.
    OrganizationCreated = "organization.created";
    /// An organization's name or settings changed.
    OrganizationChanged = "organization.changed";
    /// An organization was suspended.
    OrganizationSuspended = "organization.suspended";
    /// A suspended organization was restored.
    OrganizationRestored = "organization.restored";
    /// The deletion of an organization was requested.
    OrganizationDeletionAsked = "organization.deletion_asked";
    /// A requested deletion of an organization was withdrawn.
    OrganizationDeletionWithdrawn = "organization.deletion_withdrawn";
    /// An assigned account or client acted in an organization, or operators read its events.
    OrganizationAdministered = "organization.administered";
    /// A membership was created.
    MembershipCreated = "membership.created";
    /// A membership's roles changed.
    MembershipRolesChanged = "membership.roles_changed";
    /// A membership's profile changed.
    MembershipChanged = "membership.changed";
    /// A provisioned membership was claimed by an account that an identity provider signed in.
    MembershipClaimed = "membership.claimed";
    /// A SCIM PATCH named attributes that are not stored; they were ignored.
    ScimAttributesIgnored = "scim.attributes_ignored";
    /// A membership was disabled.
    MembershipDisabled = "membership.disabled";
    /// A disabled membership was enabled again.
    MembershipEnabled = "membership.enabled";
    /// A membership ended: the member left or was removed.
    MembershipEnded = "membership.ended";
    /// A one-time link was created that makes its user an operator.
    OperatorInvited = "operator.invited";
    /// An invitation was sent.
    InvitationSent = "invitation.sent";
    /// An invitation was accepted.
    InvitationAccepted = "invitation.accepted";
    /// An invitation was revoked.
    InvitationRevoked = "invitation.revoked";
    /// A message could not be delivered and is not retried.
    MessageGivenUp = "message.given_up";
    /// An operator had a message sent again.
    MessageResent = "message.resent";
    /// A role was created.
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
    /// A client was created.
    ClientCreated = "client.created";
    /// A client changed.
    ClientChanged = "client.changed";
    /// A client was disabled.
    ClientDisabled = "client.disabled";
    /// A disabled client was enabled again.
    ClientEnabled = "client.enabled";
    /// A client was removed.
    ClientRemoved = "client.removed";
    /// An operator verified a client, or withdrew the verification.
    ClientVerified = "client.verified";
    /// A client failed to authenticate.
    ClientProofFailed = "client.proof_failed";
    /// Unused clients from dynamic client registration expired.
    ClientRegistrationsExpired = "client.registrations_expired";
    /// A client secret was added.
    ClientSecretAdded = "client_secret.added";
    /// A client secret was revoked.
    ClientSecretRevoked = "client_secret.revoked";
    /// An assignment to administer an organization or impersonate a user was created.
    AssignmentMade = "assignment.made";
    /// An assignment was ended before it expired.
    AssignmentEnded = "assignment.ended";
    /// A user was impersonated under an assignment.
    MembershipImpersonated = "membership.impersonated";
    /// An API key was issued.
    ApiKeyIssued = "api_key.issued";
    /// An API key was revoked.
    ApiKeyRevoked = "api_key.revoked";
    /// A user consented to a client's request.
    ConsentGiven = "consent.given";
    /// A user denied a client's request.
    ConsentDenied = "consent.denied";
    /// A grant was created for a client.
    GrantGiven = "grant.given";
    /// An authorization code was redeemed.
    CodeRedeemed = "code.redeemed";
    /// An authorization code was presented a second time by its client.
    CodeReplayed = "code.replayed";
    /// An authorization code was presented by a client that it was not issued to.
    CodeMisdirected = "code.misdirected";
    /// A device authorization was requested.
    DeviceRequested = "device.requested";
    /// A user entered a valid user code.
    DeviceRecognised = "device.recognised";
    /// A user entered an invalid user code.
    UserCodeFailed = "device.user_code_failed";
    /// A user approved a device authorization.
    DeviceAllowed = "device.allowed";
    /// A user denied a device authorization, or was not allowed to approve it.
    DeviceDenied = "device.denied";
    /// A device code was redeemed for tokens.
    DeviceCodeRedeemed = "device_code.redeemed";
    /// A device code was presented again by its client after it was redeemed.
    DeviceCodeReplayed = "device_code.replayed";
    /// A device code was presented by a client that it was not issued to.
    DeviceCodeMisdirected = "device_code.misdirected";
    /// A CIBA request was made.
    ApprovalRequested = "approval.requested";
    /// A user approved a CIBA request.
    ApprovalGiven = "approval.given";
    /// A user denied a CIBA request, or was not allowed to approve it.
    ApprovalDenied = "approval.denied";
    /// A CIBA request was redeemed for tokens.
    ApprovalRedeemed = "approval.redeemed";
    /// A CIBA request was presented again by its client after it was redeemed.
    ApprovalReplayed = "approval.replayed";
    /// A CIBA request was presented by a client that did not make it.
    ApprovalMisdirected = "approval.misdirected";
    /// A CIBA ping notification was given up: the client could not be reached or did not accept it.
    ApprovalNoticeGivenUp = "approval.notice_given_up";
    /// A refresh token was exchanged for its successor.
    RefreshTokenRotated = "refresh_token.rotated";
    /// A refresh token was used and not rotated: by a client whose tokens stay, or again by the key that it is bound to.
    RefreshTokenUsed = "refresh_token.used";
    /// A refresh token was presented again after it was rotated.
    RefreshTokenReused = "refresh_token.reused";
    /// A refresh token was presented by the wrong client, or without the key that it is bound to.
    RefreshTokenMisdirected = "refresh_token.misdirected";
    /// A machine was issued a token for itself.
    TokenIssued = "token.issued";
    /// A token or API key was exchanged for a token with which a client acts for the subject.
    TokenExchanged = "token.exchanged";
    /// An access token was revoked before it expired.
    AccessTokenRevoked = "access_token.revoked";
    /// A grant was revoked.
    GrantRevoked = "grant.revoked";
    /// An account was created.
    AccountCreated = "account.created";
    /// An account was imported.
    AccountImported = "account.imported";
    /// An import finished.
    ImportFinished = "import.finished";
    /// A user verified a contact.
    ContactVerified = "contact.verified";
    /// A password was set or changed.
    PasswordSet = "password.set";
    /// A credential was disabled after too many failed attempts.
    CredentialDisabled = "credential.disabled";
    /// A user signed in.
    SessionStarted = "session.started";
    /// A user signed in on a device that is new to the account.
    NewDeviceSeen = "sign_in.new_device";
    /// A user signed in from a place too far from the previous one for the time between.
    ImpossibleTravelSeen = "sign_in.impossible_travel";
    /// A user reported a sign-in as not their own.
    SignInDisavowed = "sign_in.disavowed";
    /// A session got a new token after a step-up or a change of credentials.
    SessionRenewed = "session.renewed";
    /// A client could not be notified that a session ended. It is notified again unless `retried` is false.
    LogoutNotDelivered = "logout.not_delivered";
    /// A session ended before it expired.
    SessionEnded = "session.ended";
    /// An authentication attempt failed.
    CredentialFailed = "credential.failed";
    /// A user added a credential.
    CredentialAdded = "credential.added";
    /// A user renamed a credential.
    CredentialRenamed = "credential.renamed";
    /// A user removed a credential.
    CredentialRemoved = "credential.removed";
    /// A user added an e-mail address or a phone number.
    ContactAdded = "contact.added";
    /// A user made an e-mail address or a phone number the primary one.
    ContactMadePrimary = "contact.made_primary";
    /// A user replaced an e-mail address with another.
    EmailChanged = "email.changed";
    /// A replaced e-mail address was restored by its holder.
    EmailRestored = "email.restored";
    /// A user removed an e-mail address or a phone number.
    ContactRemoved = "contact.removed";
    /// A user changed their profile.
    AccountChanged = "account.changed";
    /// A user exported the data of their account.
    AccountExported = "account.exported";
    /// An operator disabled an account.
    AccountDisabled = "account.disabled";
    /// An operator enabled an account again.
    AccountEnabled = "account.enabled";
    /// An operator ended all sessions of an account.
    AccountSessionsEnded = "account.sessions_ended";
    /// An operator ended all sessions of the instance.
    InstanceSessionsEnded = "instance.sessions_ended";
    /// An operator sent a user an e-mail to set a new password.
    AccountResetStarted = "account.reset_started";
    /// A user deleted their account.
    AccountDeleted = "account.deleted";
    /// A user revoked an application's access.
    ApplicationRemoved = "application.removed";
    /// A webhook was created.
    WebhookCreated = "webhook.created";
    /// The URL or event types of a webhook changed.
    WebhookChanged = "webhook.changed";
    /// A webhook was removed.
    WebhookRemoved = "webhook.removed";
    /// The secret of a webhook was rotated.
    WebhookSecretRotated = "webhook.secret_rotated";
    /// A webhook was paused, after failing for too long or by an administrator.
    WebhookPaused = "webhook.paused";
    /// A paused webhook was resumed.
    WebhookResumed = "webhook.resumed";
    /// The events since a given time were queued again for a webhook.
    WebhookReplayed = "webhook.replayed";
    /// A test event was sent to a webhook.
    WebhookTested = "webhook.tested";
    /// A domain was added to an organization.
    DomainAdded = "domain.added";
    /// The DNS record that verifies a domain was found.
    DomainVerified = "domain.verified";
    /// The DNS record that verifies a domain is missing; unless it returns, the domain is lost.
    DomainMissing = "domain.missing";
    /// A domain is no longer verified.
    DomainLost = "domain.lost";
    /// A domain was removed from an organization.
    DomainRemoved = "domain.removed";
    /// A connection to an identity provider was created.
    ConnectionCreated = "connection.created";
    /// A connection to an identity provider changed.
    ConnectionChanged = "connection.changed";
    /// A connection to an identity provider was tested; if by a test sign-in, the detail `sign_in` is its result.
    ConnectionTested = "connection.tested";
    /// An identity at an identity provider was linked to an account.
    IdentityLinked = "identity.linked";
    /// An identity at an identity provider was unlinked from an account.
    IdentityUnlinked = "identity.unlinked";
    /// A connection to an identity provider was removed.
    ConnectionRemoved = "connection.removed";
    /// An owner issued a set-up link.
    SetupLinkIssued = "setup_link.issued";
    /// A set-up link was opened in a browser, which it is bound to.
    SetupLinkOpened = "setup_link.opened";
    /// The holder of a set-up link prepared a connection, a SCIM token or a domain.
    SetupLinkPrepared = "setup_link.prepared";
    /// An owner revoked a set-up link.
    SetupLinkRevoked = "setup_link.revoked";
    /// An owner confirmed what was prepared with a set-up link.
    SetupLinkConfirmed = "setup_link.confirmed";
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

/// The text is not a kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not an event type; the page Events of the documentation lists them")]
pub struct InvalidEventKind;
