//! What can be said in a flow, with its fields. A credential adds its own here.

use super::identity_provider::{ProviderCallback, ProviderDeparture};
use serde_json::Value;
use sinete_core::sign_in::flows::action::FlowAction;

/// Something that is said in a flow.
#[derive(Clone)]
pub enum FlowInput {
    /// A password, with the address it belongs to where that is not known.
    Password {
        /// The address.
        email: Option<String>,
        /// The password.
        password: String,
    },
    /// An address that a code is sent to.
    Email {
        /// The address, where that is not known.
        email: Option<String>,
    },
    /// Digits are to be sent to a telephone.
    SmsCode {
        /// Its number, where it is not known whose is meant.
        phone: Option<String>,
    },
    /// The code that was sent.
    Code {
        /// The digits.
        code: String,
    },
    /// The code is to be sent again.
    Resend,
    /// What a new account will be.
    Details {
        /// Its address, where that is not known.
        email: Option<String>,
        /// Its password, if it has one.
        password: Option<String>,
        /// Its passkey, if it has one: what the browser handed over.
        passkey: Option<Value>,
        /// What its owner is called.
        name: Option<String>,
    },
    /// A new password.
    NewPassword {
        /// The password.
        password: String,
        /// The ids of what goes on acting for them: everything else that outlives sessions ends.
        keep: Vec<String>,
    },
    /// The code that a device shows.
    UserCode {
        /// The code, however it was written.
        user_code: String,
    },
    /// The organization to speak for.
    ChooseOrganization {
        /// Its id.
        organization: String,
    },
    /// Whether to allow what is asked.
    Consent {
        /// Yes or no.
        allow: bool,
    },
    /// A passkey signed.
    Passkey {
        /// What the browser handed over.
        credential: Value,
    },
    /// Digits from an authenticator application.
    Totp {
        /// The digits.
        code: String,
    },
    /// A recovery code.
    RecoveryCode {
        /// The code.
        code: String,
    },
    /// A new passkey.
    PasskeyRegistration {
        /// What the browser handed over.
        credential: Value,
        /// What its owner calls it.
        name: Option<String>,
    },
    /// The first digits of an authenticator application.
    TotpConfirmation {
        /// The digits.
        code: String,
        /// What its owner calls it.
        name: Option<String>,
    },
    /// A new set of recovery codes is wanted.
    RecoveryCodes,
    /// Signing in at a provider of an organization.
    SingleSignOn(ProviderDeparture),
    /// What the provider answered.
    ProviderAnswer(ProviderCallback),
    /// From the beginning.
    Restart,
}

impl FlowInput {
    /// The action it belongs to.
    pub const fn action(&self) -> FlowAction {
        match self {
            Self::Password { .. } => FlowAction::Password,
            Self::Email { .. } => FlowAction::Email,
            Self::SmsCode { .. } => FlowAction::SmsCode,
            Self::Code { .. } => FlowAction::Code,
            Self::Resend => FlowAction::Resend,
            Self::Details { .. } => FlowAction::Details,
            Self::NewPassword { .. } => FlowAction::NewPassword,
            Self::UserCode { .. } => FlowAction::UserCode,
            Self::ChooseOrganization { .. } => FlowAction::ChooseOrganization,
            Self::Consent { .. } => FlowAction::Consent,
            Self::Passkey { .. } => FlowAction::Passkey,
            Self::Totp { .. } => FlowAction::Totp,
            Self::RecoveryCode { .. } => FlowAction::RecoveryCode,
            Self::PasskeyRegistration { .. } => FlowAction::PasskeyRegistration,
            Self::TotpConfirmation { .. } => FlowAction::TotpConfirmation,
            Self::RecoveryCodes => FlowAction::RecoveryCodes,
            Self::SingleSignOn(_) => FlowAction::SingleSignOn,
            Self::ProviderAnswer(_) => FlowAction::ProviderAnswer,
            Self::Restart => FlowAction::Restart,
        }
    }
}

impl std::fmt::Debug for FlowInput {
    /// The action alone: everything else may be a secret.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Said({})", self.action().name())
    }
}
