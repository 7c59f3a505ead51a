//! The kinds of e-mail messages, with the phrases and the values of each.

use super::{EmailReader, NotifiedCredential, SignInDetails, sanitize_text};
use sinete_core::sign_in::sessions::device;
use sinete_locales::{MailPhrases, MailTemplate};

/// The kinds of e-mail messages.
#[derive(Clone, Copy, Debug)]
pub enum EmailKind<'a> {
    /// An invitation to an organization.
    Invitation {
        /// The organization's name.
        organization: &'a str,
        /// The name of the member who invites, if it is a user with a name.
        inviter: Option<&'a str>,
        /// The names of the roles that it offers.
        roles: &'a [String],
    },
    /// The link that creates the first operator.
    FirstOperator,
    /// Sign-in.
    SignIn,
    /// Sign-up with this address.
    SignUp,
    /// Sign-up with an address that already has an account.
    AccountExists,
    /// Verification of the address.
    VerifyEmail,
    /// Password reset.
    ResetPassword,
    /// Change to this address.
    ChangeEmail,
    /// The address was changed; sent to the previous one.
    EmailChanged {
        /// The new address.
        address: &'a str,
    },
    /// Sign-in on a new device.
    NewDevice(&'a SignInDetails),
    /// Sign-in from a place too far from the previous one for the time between.
    ImpossibleTravel(&'a SignInDetails),
    /// A device authorization was approved.
    DeviceAllowed {
        /// The application's name.
        application: &'a str,
        /// The requesting device.
        request_details: &'a SignInDetails,
    },
    /// A CIBA request needs approval.
    ApprovalRequested {
        /// The application's name.
        application: &'a str,
        /// The origin of the request.
        request_details: &'a SignInDetails,
    },
    /// A CIBA request was approved.
    RequestApproved {
        /// The application's name.
        application: &'a str,
        /// The origin of the request.
        request_details: &'a SignInDetails,
    },
    /// The password was changed.
    PasswordChanged,
    /// A credential was added.
    CredentialAdded(NotifiedCredential<'a>),
    /// A credential was removed.
    CredentialRemoved(NotifiedCredential<'a>),
    /// A contact was added and verified.
    ContactAdded {
        /// The contact.
        address: &'a str,
    },
    /// An identity at this provider was linked.
    IdentityLinked(&'a str),
    /// An identity at this provider was unlinked.
    IdentityUnlinked(&'a str),
    /// An operator requests a new password.
    ResetStarted,
    /// A webhook was paused.
    WebhookPaused {
        /// The URL of the webhook.
        address: &'a str,
    },
    /// The last recovery code was used.
    RecoveryCodesUsedUp,
}

impl EmailKind<'_> {
    /// The names of all kinds.
    pub const NAMES: [&'static str; 23] = [
        "invitation",
        "first_operator",
        "sign_in",
        "sign_up",
        "account_exists",
        "verify_email",
        "reset_password",
        "change_email",
        "email_changed",
        "new_device",
        "impossible_travel",
        "device_allowed",
        "approval_asked",
        "request_approved",
        "password_changed",
        "credential_added",
        "credential_removed",
        "contact_added",
        "identity_linked",
        "identity_unlinked",
        "reset_started",
        "webhook_paused",
        "recovery_codes_used_up",
    ];

    /// The name of the kind, shown to operators in the delivery list.
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
            Self::ApprovalRequested { .. } => "approval_asked",
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

    pub(super) const fn phrases(self, phrases: &'static MailPhrases) -> &'static MailTemplate {
        match self {
            Self::Invitation { .. } => &phrases.invitation,
            Self::FirstOperator => &phrases.first_operator,
            Self::SignIn => &phrases.sign_in,
            Self::SignUp => &phrases.sign_up,
            Self::AccountExists => &phrases.account_exists,
            Self::VerifyEmail => &phrases.verify_email,
            Self::ResetPassword => &phrases.reset_password,
            Self::ChangeEmail => &phrases.change_email,
            Self::EmailChanged { .. } => &phrases.email_changed,
            Self::NewDevice(_) => &phrases.new_device,
            Self::ImpossibleTravel(_) => &phrases.impossible_travel,
            Self::DeviceAllowed { .. } => &phrases.device_allowed,
            Self::ApprovalRequested { .. } => &phrases.approval_asked,
            Self::RequestApproved { .. } => &phrases.request_approved,
            Self::PasswordChanged => &phrases.password_changed,
            Self::CredentialAdded(_) => &phrases.credential_added,
            Self::CredentialRemoved(_) => &phrases.credential_removed,
            Self::ContactAdded { .. } => &phrases.contact_added,
            Self::IdentityLinked(_) => &phrases.identity_linked,
            Self::IdentityUnlinked(_) => &phrases.identity_unlinked,
            Self::ResetStarted => &phrases.reset_started,
            Self::WebhookPaused { .. } => &phrases.webhook_paused,
            Self::RecoveryCodesUsedUp => &phrases.recovery_codes_used_up,
        }
    }

    /// The external texts in the message by placeholder name.
    pub(super) fn external_values(self, phrases: &MailPhrases) -> Vec<(&'static str, String)> {
        match self {
            Self::Invitation { organization, inviter, .. } => {
                let inviter = inviter.map(|name| ("inviter", sanitize_text(name)));
                [("organization", sanitize_text(organization))].into_iter().chain(inviter).collect()
            }
            Self::DeviceAllowed { application, .. }
            | Self::ApprovalRequested { application, .. }
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
                vec![("name", credential.describe(phrases))]
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

    /// The subject and the first sentence. An invitation names the member who invites, if their name is
    /// known.
    pub(super) fn render_opening(
        self,
        phrases: &MailPhrases,
        template: &MailTemplate,
        values: &[(&'static str, String)],
    ) -> (String, String) {
        let value = |name: &str| values.iter().find(|(key, _)| *key == name).map(|(_, value)| value);
        match (self, value("inviter"), value("organization"), value("service")) {
            (Self::Invitation { .. }, Some(inviter), Some(organization), Some(service)) => (
                phrases.invited_by_subject(inviter, organization),
                phrases.invited_by(inviter, organization, service),
            ),
            _ => (template.subject.fill(values), template.lead.fill(values)),
        }
    }

    /// The details of a sign-in, or the roles of an invitation, as rows of name and value.
    pub(super) fn fact_rows(self, reader: &EmailReader) -> Vec<(&'static str, String)> {
        if let Self::Invitation { roles, .. } = self {
            let phrases = reader.language.phrases();
            let names = phrases.role_names.join(roles.iter().map(String::as_str));
            let row = (!names.is_empty()).then(|| (phrases.mail.invited_as, sanitize_text(&names)));
            return row.into_iter().collect();
        }
        let (Self::NewDevice(details)
        | Self::ImpossibleTravel(details)
        | Self::DeviceAllowed { request_details: details, .. }
        | Self::ApprovalRequested { request_details: details, .. }
        | Self::RequestApproved { request_details: details, .. }) = self
        else {
            return Vec::new();
        };
        let language = reader.language;
        let phrases = &language.phrases().mail;
        let rows = [
            (phrases.seen_at, details.at.map(|at| reader.format_time(at))),
            (
                phrases.seen_device,
                details.device.as_deref().map(|device| device::localize_device_label(device, language)),
            ),
            (phrases.seen_place, details.location.clone()),
            (phrases.seen_address, details.address.clone()),
        ];
        rows.into_iter().filter_map(|(name, value)| Some((name, sanitize_text(&value?)))).collect()
    }
}
