//! Everything that is written to people about, with the phrases and the values of each message.

use super::locales::{EmailPhrases, EmailTemplatePhrases};
use super::{EmailedCredential, SignInSighting, sanitize_text};
use sinete_core::accounts::language::Language;
use sinete_core::sign_in::sessions::device;

/// Everything we ever write about.
#[derive(Clone, Copy, Debug)]
pub enum EmailKind<'a> {
    /// Somebody is invited into an organization.
    Invitation {
        /// Its name.
        organization: &'a str,
    },
    /// Somebody is to run the instance.
    FirstOperator,
    /// Somebody wants to sign in.
    SignIn,
    /// Somebody wants an account at this address.
    SignUp,
    /// Somebody wants an account at an address that has one.
    AccountExists,
    /// Somebody wants to show that the address is theirs.
    VerifyEmail,
    /// Somebody wants to set a new password.
    ResetPassword,
    /// Somebody wants to be reached at this address from now on.
    ChangeEmail,
    /// Somebody is reached at another address now; this is the old one.
    EmailChanged {
        /// The new one.
        address: &'a str,
    },
    /// Somebody signed in on a device that was not seen before.
    NewDevice(&'a SignInSighting),
    /// Somebody signed in from farther away than anybody travels.
    ImpossibleTravel(&'a SignInSighting),
    /// Somebody allowed an application on another device than their own browser's.
    DeviceAllowed {
        /// What the application calls itself.
        application: &'a str,
        /// The device that asked.
        asked: &'a SignInSighting,
    },
    /// An application asks for somebody's approval.
    ApprovalAsked {
        /// What the application calls itself.
        application: &'a str,
        /// From where it asked.
        asked: &'a SignInSighting,
    },
    /// Somebody approved what an application asked for.
    RequestApproved {
        /// What the application calls itself.
        application: &'a str,
        /// From where it asked.
        asked: &'a SignInSighting,
    },
    /// A password was set.
    PasswordChanged,
    /// A way to sign in was added.
    CredentialAdded(EmailedCredential<'a>),
    /// A way to sign in was removed.
    CredentialRemoved(EmailedCredential<'a>),
    /// An address or a number was added, and proven.
    ContactAdded {
        /// Which.
        address: &'a str,
    },
    /// This provider knows from now on whose the account is.
    IdentityLinked(&'a str),
    /// This provider no longer knows whose the account is.
    IdentityUnlinked(&'a str),
    /// An operator asks somebody to set a new password.
    ResetStarted,
    /// A webhook is told of nothing any more.
    WebhookPaused {
        /// Where it is.
        address: &'a str,
    },
    /// The last recovery code was used.
    RecoveryCodesUsedUp,
}

impl EmailKind<'_> {
    /// The name under which the sending of it is shown to those who run the instance.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Invitation { .. } => "invitation",
            Self::FirstOperator => "first_operator",
            Self::SignIn => "sign_in",
            Self::SignUp => "sign_up",
            Self::AccountExists => "account_exists",
            Self::VerifyEmail => "verify_email",
            Self::ResetPassword => "reset_password",
            Self::ChangeEmail => "change_email",
            Self::EmailChanged { .. } => "email_changed",
            Self::NewDevice(_) => "new_device",
            Self::ImpossibleTravel(_) => "impossible_travel",
            Self::DeviceAllowed { .. } => "device_allowed",
            Self::ApprovalAsked { .. } => "approval_asked",
            Self::RequestApproved { .. } => "request_approved",
            Self::PasswordChanged => "password_changed",
            Self::CredentialAdded(_) => "credential_added",
            Self::CredentialRemoved(_) => "credential_removed",
            Self::ContactAdded { .. } => "contact_added",
            Self::IdentityLinked(_) => "identity_linked",
            Self::IdentityUnlinked(_) => "identity_unlinked",
            Self::ResetStarted => "reset_started",
            Self::WebhookPaused { .. } => "webhook_paused",
            Self::RecoveryCodesUsedUp => "recovery_codes_used_up",
        }
    }

    pub(super) const fn phrases(self, words: &'static EmailPhrases) -> &'static EmailTemplatePhrases {
        match self {
            Self::Invitation { .. } => &words.invitation,
            Self::FirstOperator => &words.first_operator,
            Self::SignIn => &words.sign_in,
            Self::SignUp => &words.sign_up,
            Self::AccountExists => &words.account_exists,
            Self::VerifyEmail => &words.verify_email,
            Self::ResetPassword => &words.reset_password,
            Self::ChangeEmail => &words.change_email,
            Self::EmailChanged { .. } => &words.email_changed,
            Self::NewDevice(_) => &words.new_device,
            Self::ImpossibleTravel(_) => &words.impossible_travel,
            Self::DeviceAllowed { .. } => &words.device_allowed,
            Self::ApprovalAsked { .. } => &words.approval_asked,
            Self::RequestApproved { .. } => &words.request_approved,
            Self::PasswordChanged => &words.password_changed,
            Self::CredentialAdded(_) => &words.credential_added,
            Self::CredentialRemoved(_) => &words.credential_removed,
            Self::ContactAdded { .. } => &words.contact_added,
            Self::IdentityLinked(_) => &words.identity_linked,
            Self::IdentityUnlinked(_) => &words.identity_unlinked,
            Self::ResetStarted => &words.reset_started,
            Self::WebhookPaused { .. } => &words.webhook_paused,
            Self::RecoveryCodesUsedUp => &words.recovery_codes_used_up,
        }
    }

    /// The texts from outside that stand in the letter, under the names its phrases give them.
    pub(super) fn external_values(self, words: &EmailPhrases) -> Vec<(&'static str, String)> {
        match self {
            Self::Invitation { organization } => vec![("organization", sanitize_text(organization))],
            Self::DeviceAllowed { application, .. }
            | Self::ApprovalAsked { application, .. }
            | Self::RequestApproved { application, .. } => vec![("application", sanitize_text(application))],
            Self::EmailChanged { address }
            | Self::ContactAdded { address }
            | Self::WebhookPaused { address } => {
                vec![("address", sanitize_text(address))]
            }
            Self::IdentityLinked(provider) | Self::IdentityUnlinked(provider) => {
                vec![("name", sanitize_text(provider))]
            }
            Self::CredentialAdded(credential) | Self::CredentialRemoved(credential) => {
                vec![("name", credential.describe(words))]
            }
            Self::FirstOperator
            | Self::SignIn
            | Self::SignUp
            | Self::AccountExists
            | Self::VerifyEmail
            | Self::ResetPassword
            | Self::ChangeEmail
            | Self::NewDevice(_)
            | Self::ImpossibleTravel(_)
            | Self::PasswordChanged
            | Self::ResetStarted
            | Self::RecoveryCodesUsedUp => Vec::new(),
        }
    }

    /// What was seen, as rows of a name and a value.
    pub(super) fn fact_rows(self, language: Language) -> Vec<(&'static str, String)> {
        let (Self::NewDevice(seen)
        | Self::ImpossibleTravel(seen)
        | Self::DeviceAllowed { asked: seen, .. }
        | Self::ApprovalAsked { asked: seen, .. }
        | Self::RequestApproved { asked: seen, .. }) = self
        else {
            return Vec::new();
        };
        let words = EmailPhrases::for_language(language);
        let rows = [
            (words.seen_at, seen.at.map(|at| at.to_string())),
            (
                words.seen_device,
                seen.device.as_deref().map(|device| device::localize_device_label(device, language)),
            ),
            (words.seen_place, seen.place.clone()),
            (words.seen_address, seen.address.clone()),
        ];
        rows.into_iter().filter_map(|(name, value)| Some((name, sanitize_text(&value?)))).collect()
    }
}
