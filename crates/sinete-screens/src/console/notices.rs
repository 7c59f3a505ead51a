//! What came of a form on the console.

use crate::language::UiLanguage;

/// Everything that can come of a form, each with its phrase.
macro_rules! outcomes {
    ($($(#[$about:meta])* $name:ident: $phrase:ident;)+) => {
        /// What came of a form.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ConsoleNotice {
            $($(#[$about])* $name,)+
        }

        impl ConsoleNotice {
            /// Everything that can be said.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// What it is known by between a form and the page that follows.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($phrase),)+
                }
            }

            pub(crate) const fn text(self, language: UiLanguage) -> &'static str {
                let words = &language.words().outcomes;
                match self {
                    $(Self::$name => words.$phrase,)+
                }
            }
        }
    };
}

outcomes! {
    /// The member carries other roles.
    RolesChanged: roles_changed;
    /// The member counts for nothing for now.
    SwitchedOff: switched_off;
    /// The member counts again.
    SwitchedOn: switched_on;
    /// The member is gone.
    Removed: removed;
    /// An invitation was sent.
    Invited: invited;
    /// An invitation was taken back.
    Withdrawn: withdrawn;
    /// A key was revoked.
    KeyRevoked: key_revoked;
    /// A role was made.
    RoleMade: role_made;
    /// A role was changed.
    RoleChanged: role_changed;
    /// A role is gone.
    RoleDeleted: role_deleted;
    /// A role cannot be called so.
    BadRoleName: bad_role_name;
    /// There is one of that name.
    NameTaken: name_taken;
    /// There is no such thing to be conferred.
    BadPermissions: bad_permissions;
    /// A domain was claimed.
    DomainClaimed: domain_claimed;
    /// A domain is proven.
    DomainProven: domain_proven;
    /// A domain was released.
    DomainReleased: domain_released;
    /// That is no domain that can be claimed.
    BadDomain: bad_domain;
    /// It was claimed before, or there are as many as there may be.
    DomainTaken: domain_taken;
    /// The record was not seen.
    NotProven: not_proven;
    /// An application was registered that has no secret to show.
    Registered: registered;
    /// An application was changed.
    ApplicationChanged: application_changed;
    /// An application is switched off.
    ApplicationOff: application_off;
    /// An application is switched on again.
    ApplicationOn: application_on;
    /// An application is gone.
    ApplicationDeleted: application_deleted;
    /// A secret was revoked.
    SecretRevoked: secret_revoked;
    /// What the form makes was made before.
    MadeBefore: made_before;
    /// A provider is connected.
    ProviderConnected: provider_connected;
    /// A connection was changed.
    ConnectionChanged: connection_changed;
    /// There are as many connections as there may be.
    NoMoreConnections: no_more_connections;
    /// Something that owners say about a provider.
    OwnersDecide: owners_decide;
    /// That is no provider.
    BadIssuer: bad_issuer;
    /// Nobody is known by that.
    BadClientId: bad_client_id;
    /// That is no secret, or there is none.
    BadClientSecret: bad_client_secret;
    /// Nothing can be asked for so.
    BadScopes: bad_scopes;
    /// That is no description of a provider.
    BadMetadata: bad_metadata;
    /// There is a connection to that provider.
    ProviderTaken: provider_taken;
    /// Nobody is known by that attribute.
    BadSubject: bad_subject;
    /// No address stands there.
    BadAttribute: bad_attribute;
    /// No name stands there.
    BadNameAttribute: bad_name_attribute;
    /// Those are no domains of the organization.
    BadDomains: bad_domains;
    /// People are sent to a provider.
    ConnectionOn: connection_on;
    /// Nobody is sent to a provider any more.
    ConnectionOff: connection_off;
    /// A connection cannot be switched as it is set.
    ChangeItFirst: change_it_first;
    /// A connection is gone.
    ConnectionDeleted: connection_deleted;
    /// What is set about a connection works.
    ConnectionWorks: connection_works;
    /// What a provider says about itself is of no use.
    NoDescription: no_description;
    /// The keys of a provider are of no use.
    NoProviderKeys: no_provider_keys;
    /// A provider did not take our proof.
    NotTaken: not_taken;
    /// The certificates of a provider are of no use.
    BadCertificates: bad_certificates;
    /// It was proven who asks, and a form stands open for it.
    Proven: proven;
    /// It was proven who asks, and something has to be typed again.
    TypeAgain: type_again;
    /// It was proven who asks, and what they sent before was too much to wait for that.
    NotKept: not_kept;
    /// A webhook was changed.
    WebhookChanged: webhook_changed;
    /// A webhook is told of nothing for now.
    WebhookPaused: webhook_paused;
    /// A webhook is told of things again.
    WebhookResumed: webhook_resumed;
    /// A webhook is to be told of a trial.
    WebhookTested: webhook_tested;
    /// A webhook is to be told once more.
    WebhookReplayed: webhook_replayed;
    /// A webhook is gone.
    WebhookDeleted: webhook_deleted;
    /// Nothing can be told there.
    BadAddress: bad_address;
    /// Nothing was chosen that it is told of.
    NoKinds: no_kinds;
    /// There are as many addresses as there may be.
    NoMoreWebhooks: no_more_webhooks;
    /// Whoever is paused is told of nothing.
    IsPaused: is_paused;
    /// That is no day that has begun.
    BadSince: bad_since;
    /// Nobody could read that, or not all of it.
    BadDescription: bad_description;
    /// An agent is for something.
    NoPurpose: no_purpose;
    /// People cannot be sent there.
    BadRedirects: bad_redirects;
    /// It has to prove itself.
    MustProve: must_prove;
    /// Keys are missing, or cannot be had there.
    BadPublicKeys: bad_public_keys;
    /// It cannot get tokens so.
    BadGrants: bad_grants;
    /// It cannot ask for that.
    BadScope: bad_scope;
    /// What acts for itself carries a role.
    NeedsRole: needs_role;
    /// Something that the form does not speak of does not go with it.
    OverTheApi: over_the_api;
    /// It has as many secrets as it may, or needs none.
    NoMoreSecrets: no_more_secrets;
    /// It uses that secret.
    LastSecret: last_secret;
    /// A key was made and shown before.
    KeyShown: key_shown;
    /// No name was typed.
    NoName: no_name;
    /// Nothing was chosen that a key may be used for.
    NoScope: no_scope;
    /// Somebody else was faster.
    Changed: changed;
    /// It would confer more than the person holds, or decide about owners.
    NotYours: not_yours;
    /// Nobody would own the organization any more.
    LastOwner: last_owner;
    /// No role was chosen.
    NoRoles: no_roles;
    /// What was typed is no address.
    BadEmail: bad_email;
    /// An invitation waits there already.
    AlreadyInvited: already_invited;
    /// The address was written to often enough.
    TooMany: too_many;
    /// The organization accepts no change.
    Suspended: suspended;
    /// It is not there any more.
    Gone: gone;
    /// A role that was chosen is none of the organization's, or not any more.
    RoleGone: role_gone;
    /// An invitation cannot wait that long.
    BadDays: bad_days;
    /// A key cannot work that long.
    BadKeyDays: bad_key_days;
    /// A form held more than one can.
    TooMuch: too_much;
    /// The invitation was accepted.
    Accepted: accepted;
    /// The person lacks the permission.
    NotAllowed: not_allowed;
    /// It cannot be done.
    NotPossible: not_possible;
    /// We have too much to do.
    Busy: busy;
    /// It takes a proof that only signing in again can give.
    SignInAgain: sign_in_again;
    /// It was proven who asks, and what waited for it was not done.
    NotDone: not_done;
    /// That cannot be looked for.
    BadSearch: bad_search;
    /// Those are more words than can be looked for at once.
    TooManyWords: too_many_words;
    /// There is no such kind of event.
    BadKind: bad_kind;
    /// What was typed is no day.
    BadDay: bad_day;
}

/// A field that something can be wrong with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsoleField {
    /// The address.
    Email,
    /// The roles.
    Roles,
    /// The name.
    Name,
    /// What it may be used for.
    Scope,
    /// What it is for.
    Purpose,
    /// The domain.
    Domain,
    /// Where something is told.
    Address,
    /// Where people are sent back to.
    Redirects,
    /// How it proves itself.
    Proof,
    /// Where its keys are.
    PublicKeys,
    /// How it gets tokens.
    Grants,
    /// Who a provider is.
    Issuer,
    /// By what a provider knows us.
    ClientId,
    /// What it gave us.
    Secret,
    /// What it says about itself.
    Metadata,
    /// What it names people by.
    Subject,
    /// Where it writes their address.
    Attribute,
    /// Where it writes their name.
    FullName,
    /// What happened.
    Kind,
    /// The days.
    Days,
    /// What is looked for.
    Search,
}

impl ConsoleNotice {
    /// What is known by this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|said| said.name() == name)
    }

    /// Whether it says that something was not done.
    pub const fn is_error(&self) -> bool {
        !matches!(
            self,
            Self::RolesChanged
                | Self::SwitchedOff
                | Self::SwitchedOn
                | Self::Removed
                | Self::Invited
                | Self::Withdrawn
                | Self::KeyRevoked
                | Self::Registered
                | Self::DomainClaimed
                | Self::DomainProven
                | Self::DomainReleased
                | Self::RoleMade
                | Self::RoleChanged
                | Self::RoleDeleted
                | Self::ApplicationChanged
                | Self::ApplicationOff
                | Self::ApplicationOn
                | Self::ApplicationDeleted
                | Self::SecretRevoked
                | Self::Proven
                | Self::ProviderConnected
                | Self::ConnectionChanged
                | Self::ConnectionOn
                | Self::ConnectionOff
                | Self::ConnectionDeleted
                | Self::ConnectionWorks
                | Self::WebhookChanged
                | Self::WebhookPaused
                | Self::WebhookResumed
                | Self::WebhookTested
                | Self::WebhookReplayed
                | Self::WebhookDeleted
        )
    }

    /// Whether it speaks of a form: of a field in it, or of what to do with it now.
    pub const fn is_about_form(self) -> bool {
        self.field().is_some()
            || matches!(
                self,
                Self::Changed
                    | Self::Proven
                    | Self::TypeAgain
                    | Self::NotKept
                    | Self::TooMuch
                    | Self::ChangeItFirst
            )
    }

    /// The field that was not right.
    pub(crate) const fn field(self) -> Option<ConsoleField> {
        match self {
            Self::BadEmail | Self::AlreadyInvited | Self::TooMany => Some(ConsoleField::Email),
            Self::NoRoles | Self::RoleGone | Self::NeedsRole => Some(ConsoleField::Roles),
            Self::BadDomain | Self::DomainTaken | Self::BadDomains => Some(ConsoleField::Domain),
            Self::NoPurpose | Self::BadDescription => Some(ConsoleField::Purpose),
            Self::BadRedirects => Some(ConsoleField::Redirects),
            Self::MustProve => Some(ConsoleField::Proof),
            Self::BadPublicKeys => Some(ConsoleField::PublicKeys),
            Self::BadGrants => Some(ConsoleField::Grants),
            Self::NoName | Self::BadRoleName | Self::NameTaken => Some(ConsoleField::Name),
            Self::BadIssuer => Some(ConsoleField::Issuer),
            Self::BadClientId => Some(ConsoleField::ClientId),
            Self::BadClientSecret => Some(ConsoleField::Secret),
            Self::BadMetadata | Self::ProviderTaken => Some(ConsoleField::Metadata),
            Self::BadSubject => Some(ConsoleField::Subject),
            Self::BadAttribute => Some(ConsoleField::Attribute),
            Self::BadNameAttribute => Some(ConsoleField::FullName),
            Self::NoScope | Self::BadScope | Self::BadScopes | Self::BadPermissions => {
                Some(ConsoleField::Scope)
            }
            Self::BadAddress => Some(ConsoleField::Address),
            Self::BadKind | Self::NoKinds => Some(ConsoleField::Kind),
            Self::BadDay | Self::BadSince => Some(ConsoleField::Days),
            Self::BadSearch | Self::TooManyWords => Some(ConsoleField::Search),
            _ => None,
        }
    }
}
