//! The results of console forms.

mod meaning;

use crate::language::UiLanguage;

/// Declares all results, each with its phrase.
macro_rules! outcomes {
    ($($(#[$about:meta])* $name:ident: $phrase:ident;)+) => {
        /// The result of a form.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ConsoleNotice {
            $($(#[$about])* $name,)+
        }

        impl ConsoleNotice {
            /// All results.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// The name that identifies it between the form and the next page.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($phrase),)+
                }
            }

            /// The text in a language.
            pub const fn text(self, language: UiLanguage) -> &'static str {
                let words = &language.phrases().notices;
                match self {
                    $(Self::$name => words.$phrase,)+
                }
            }
        }
    };
}

outcomes! {
    /// The member's roles were changed.
    RolesChanged: roles_changed;
    /// The member was disabled.
    SwitchedOff: switched_off;
    /// The member was enabled.
    SwitchedOn: switched_on;
    /// The member was removed.
    Removed: removed;
    /// An invitation was sent.
    Invited: invited;
    /// An invitation was revoked.
    Withdrawn: withdrawn;
    /// An API key was revoked.
    KeyRevoked: key_revoked;
    /// A role was created.
    RoleMade: role_made;
    /// A role was changed.
    RoleChanged: role_changed;
    /// A role was removed.
    RoleDeleted: role_deleted;
    /// The role name is invalid.
    BadRoleName: bad_role_name;
    /// The name is already in use.
    NameTaken: name_taken;
    /// A permission does not exist.
    BadPermissions: bad_permissions;
    /// A domain was added.
    DomainClaimed: domain_claimed;
    /// A domain was verified.
    DomainProven: domain_proven;
    /// A domain was removed.
    DomainReleased: domain_released;
    /// The domain is invalid.
    BadDomain: bad_domain;
    /// The domain was already added, or the limit is reached.
    DomainTaken: domain_taken;
    /// The TXT record was not found.
    NotProven: not_proven;
    /// The DNS did not answer.
    DnsSilent: dns_silent;
    /// Another organization verified the domain.
    DomainOfAnother: domain_of_another;
    /// An application without a secret was registered.
    Registered: registered;
    /// An application was changed.
    ApplicationChanged: application_changed;
    /// An application was disabled.
    ApplicationOff: application_off;
    /// An application was enabled.
    ApplicationOn: application_on;
    /// An application was removed.
    ApplicationDeleted: application_deleted;
    /// A client secret was revoked.
    SecretRevoked: secret_revoked;
    /// The form was already submitted, and its resource was created then.
    MadeBefore: made_before;
    /// A connection was created.
    ProviderConnected: provider_connected;
    /// A connection was changed.
    ConnectionChanged: connection_changed;
    /// The limit of connections is reached.
    NoMoreConnections: no_more_connections;
    /// Only owners may change these settings.
    OwnersDecide: owners_decide;
    /// The issuer is invalid.
    BadIssuer: bad_issuer;
    /// The discovery document of the issuer cannot be read or used.
    NotDiscovered: not_discovered;
    /// The `client_id` is invalid.
    BadClientId: bad_client_id;
    /// The client secret is invalid or missing.
    BadClientSecret: bad_client_secret;
    /// The scopes are invalid.
    BadScopes: bad_scopes;
    /// The metadata is invalid.
    BadMetadata: bad_metadata;
    /// The metadata cannot be fetched from this URL.
    BadMetadataUrl: bad_metadata_url;
    /// There is already a connection to this provider.
    ProviderTaken: provider_taken;
    /// The subject attribute is invalid.
    BadSubject: bad_subject;
    /// The e-mail attribute is invalid.
    BadAttribute: bad_attribute;
    /// The name attribute is invalid.
    BadNameAttribute: bad_name_attribute;
    /// The domains are not verified domains of the organization.
    BadDomains: bad_domains;
    /// Another connection has a domain of this one.
    DomainInUse: domain_in_use;
    /// A connection was enabled.
    ConnectionOn: connection_on;
    /// The connection was enabled, and a domain of it is not verified, or it has none.
    ConnectionOnUnverified: connection_on_unverified;
    /// A connection was disabled.
    ConnectionOff: connection_off;
    /// A connection cannot be enabled with its current settings.
    ChangeItFirst: change_it_first;
    /// A connection was removed.
    ConnectionDeleted: connection_deleted;
    /// The connection test succeeded.
    ConnectionWorks: connection_works;
    /// The certificates of a SAML connection are valid.
    CertificatesValid: certificates_valid;
    /// The provider's metadata cannot be used.
    NoDescription: no_description;
    /// The provider's keys cannot be used.
    NoProviderKeys: no_provider_keys;
    /// The provider rejected our client authentication.
    NotTaken: not_taken;
    /// The provider's certificates cannot be used.
    BadCertificates: bad_certificates;
    /// The step-up succeeded, and a form is open.
    Proven: proven;
    /// The step-up succeeded, and an input must be entered again.
    TypeAgain: type_again;
    /// The step-up succeeded, but the earlier input was too large to be preserved.
    NotKept: not_kept;
    /// A webhook was changed.
    WebhookChanged: webhook_changed;
    /// A webhook was paused.
    WebhookPaused: webhook_paused;
    /// A webhook was resumed.
    WebhookResumed: webhook_resumed;
    /// A test event was queued.
    WebhookTested: webhook_tested;
    /// Earlier events were queued again.
    WebhookReplayed: webhook_replayed;
    /// A webhook was removed.
    WebhookDeleted: webhook_deleted;
    /// The URL is invalid.
    BadAddress: bad_address;
    /// No event type was selected.
    NoKinds: no_kinds;
    /// The limit of webhooks is reached.
    NoMoreWebhooks: no_more_webhooks;
    /// The webhook is paused and receives nothing.
    IsPaused: is_paused;
    /// The date is invalid or in the future.
    BadSince: bad_since;
    /// The description is too long or contains characters that cannot be displayed.
    BadDescription: bad_description;
    /// An agent needs a purpose.
    NoPurpose: no_purpose;
    /// A redirect URI is invalid.
    BadRedirects: bad_redirects;
    /// The application must authenticate.
    MustProve: must_prove;
    /// Keys are missing, or the `jwks_uri` is invalid.
    BadPublicKeys: bad_public_keys;
    /// The grant types are invalid.
    BadGrants: bad_grants;
    /// The scope is invalid.
    BadScope: bad_scope;
    /// An application that acts for itself needs a role.
    NeedsRole: needs_role;
    /// A setting that is not in the form conflicts with it.
    OverTheApi: over_the_api;
    /// The limit of secrets is reached, or the application needs none.
    NoMoreSecrets: no_more_secrets;
    /// The secret is the last one in use.
    LastSecret: last_secret;
    /// The key was already created and shown.
    KeyShown: key_shown;
    /// The name is missing.
    NoName: no_name;
    /// No permission was selected for the key.
    NoScope: no_scope;
    /// The resource was changed by another user in the meantime.
    Changed: changed;
    /// The change would grant more than the user holds, or concerns owners.
    NotYours: not_yours;
    /// The organization would have no owner.
    LastOwner: last_owner;
    /// No role was selected.
    NoRoles: no_roles;
    /// The e-mail address is invalid.
    BadEmail: bad_email;
    /// There is already a pending invitation for this address.
    AlreadyInvited: already_invited;
    /// Too many invitations were sent to this address.
    TooMany: too_many;
    /// The organization is suspended.
    Suspended: suspended;
    /// The resource no longer exists.
    Gone: gone;
    /// A selected role does not exist in the organization.
    RoleGone: role_gone;
    /// The lifetime of the invitation is too long.
    BadDays: bad_days;
    /// The lifetime of the key is too long.
    BadKeyDays: bad_key_days;
    /// The form is too large.
    TooMuch: too_much;
    /// The invitation was already accepted.
    Accepted: accepted;
    /// The user lacks the permission.
    NotAllowed: not_allowed;
    /// The action is not possible.
    NotPossible: not_possible;
    /// The service is overloaded.
    Busy: busy;
    /// The user must sign in again.
    SignInAgain: sign_in_again;
    /// The session had ended when the form was submitted.
    SessionEnded: session_ended;
    /// The step-up succeeded, but the action was not performed.
    NotDone: not_done;
    /// The search query is invalid.
    BadSearch: bad_search;
    /// The search query has too many words.
    TooManyWords: too_many_words;
    /// The event kind does not exist.
    BadKind: bad_kind;
    /// The date is invalid.
    BadDay: bad_day;
    /// The network address is invalid.
    BadNetworkAddress: bad_network_address;
    /// A change was saved.
    Saved: saved;
    /// Something was created.
    Created: created;
    /// Something was deleted or ended.
    Deleted: deleted;
    /// An action was performed.
    Done: done;
    /// A signing key was rotated; its successor signs later.
    KeyRotated: key_rotated;
    /// Fields are invalid; each shows it.
    FieldsInvalid: fields_invalid;
    /// It conflicts with what exists.
    Conflicting: conflicting;
    /// Too many requests were made in a short time.
    RateLimited: rate_limited;
    /// It was refused, for the reason in the sentence of the refusal.
    NothingChanged: nothing_changed;
}

/// A field that can have an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsoleField {
    /// The e-mail address.
    Email,
    /// The roles.
    Roles,
    /// The name.
    Name,
    /// The scope.
    Scope,
    /// The purpose.
    Purpose,
    /// The domain.
    Domain,
    /// The URL of a webhook.
    WebhookUrl,
    /// The redirect URIs.
    RedirectUris,
    /// The client authentication method.
    ClientAuthMethod,
    /// The `jwks_uri`.
    JwksUri,
    /// The grant types.
    GrantTypes,
    /// The issuer.
    Issuer,
    /// The `client_id`.
    ClientId,
    /// The client secret.
    Secret,
    /// The metadata.
    Metadata,
    /// The URL of the metadata.
    MetadataUrl,
    /// The subject attribute.
    SubjectAttribute,
    /// The e-mail attribute.
    EmailAttribute,
    /// The name attribute.
    NameAttribute,
    /// The event kind.
    EventKind,
    /// The dates.
    Dates,
    /// The search query.
    Search,
}
