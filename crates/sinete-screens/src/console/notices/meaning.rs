//! What a result means for the page: whether it is an error, and of which field.

use super::{ConsoleField, ConsoleNotice};

impl ConsoleNotice {
    /// Finds a result by name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|notice| notice.name() == name)
    }

    /// Whether it is an error.
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
                | Self::CertificatesValid
                | Self::ConnectionOnUnverified
                | Self::WebhookChanged
                | Self::WebhookPaused
                | Self::WebhookResumed
                | Self::WebhookTested
                | Self::WebhookReplayed
                | Self::WebhookDeleted
                | Self::Saved
                | Self::Created
                | Self::Deleted
                | Self::Done
                | Self::KeyRotated
        )
    }

    /// Whether it concerns a form: one of its fields, or how to continue with it.
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
                    | Self::FieldsInvalid
            )
    }

    /// The field with the error.
    pub(crate) const fn field(self) -> Option<ConsoleField> {
        match self {
            Self::BadEmail | Self::AlreadyInvited | Self::TooMany => Some(ConsoleField::Email),
            Self::NoRoles | Self::RoleGone | Self::NeedsRole => Some(ConsoleField::Roles),
            Self::BadDomain | Self::DomainTaken | Self::BadDomains | Self::DomainInUse => {
                Some(ConsoleField::Domain)
            }
            Self::NoPurpose | Self::BadDescription => Some(ConsoleField::Purpose),
            Self::BadRedirects => Some(ConsoleField::RedirectUris),
            Self::MustProve => Some(ConsoleField::ClientAuthMethod),
            Self::BadPublicKeys => Some(ConsoleField::JwksUri),
            Self::BadGrants => Some(ConsoleField::GrantTypes),
            Self::NoName | Self::BadRoleName | Self::NameTaken => Some(ConsoleField::Name),
            Self::BadIssuer | Self::NotDiscovered => Some(ConsoleField::Issuer),
            Self::BadClientId => Some(ConsoleField::ClientId),
            Self::BadClientSecret => Some(ConsoleField::Secret),
            Self::BadMetadata | Self::ProviderTaken => Some(ConsoleField::Metadata),
            Self::BadMetadataUrl => Some(ConsoleField::MetadataUrl),
            Self::BadSubject => Some(ConsoleField::SubjectAttribute),
            Self::BadAttribute => Some(ConsoleField::EmailAttribute),
            Self::BadNameAttribute => Some(ConsoleField::NameAttribute),
            Self::NoScope | Self::BadScope | Self::BadScopes | Self::BadPermissions => {
                Some(ConsoleField::Scope)
            }
            Self::BadAddress | Self::BadNetworkAddress => Some(ConsoleField::WebhookUrl),
            Self::BadKind | Self::NoKinds => Some(ConsoleField::EventKind),
            Self::BadDay | Self::BadSince => Some(ConsoleField::Dates),
            Self::BadSearch | Self::TooManyWords => Some(ConsoleField::Search),
            _ => None,
        }
    }
}
