//! The inputs of flows. Each sign-in method adds its own here.

use super::identity_provider::{ProviderCallback, ProviderSignInRequest};
use serde_json::Value;
use sinete_core::sign_in::credentials::enrollment::EnrollableFactor;
use sinete_core::sign_in::flows::action::FlowAction;

/// An input.
#[derive(Clone)]
pub enum FlowInput {
    /// A password, with the address if the account is not known.
    Password {
        /// The address.
        email: Option<String>,
        /// The password.
        password: String,
    },
    /// An address to send a code to.
    Email {
        /// The address, if the account is not known.
        email: Option<String>,
    },
    /// A request for a code by SMS.
    SmsCode {
        /// The number, if the account is not known.
        phone: Option<String>,
    },
    /// A code that was sent.
    Code {
        /// The code.
        code: String,
    },
    /// A request to send the code again.
    Resend,
    /// A request to create an account instead of signing in.
    SignUp,
    /// The details of a new account.
    Details {
        /// The address, if it is not known.
        email: Option<String>,
        /// The password, if chosen.
        password: Option<String>,
        /// The passkey registration response, if chosen.
        passkey: Option<Value>,
        /// The name.
        name: Option<String>,
    },
    /// A new password.
    NewPassword {
        /// The password.
        password: String,
        /// The ids of lasting access to keep; all other access is revoked.
        keep: Vec<String>,
    },
    /// A user code of a device.
    UserCode {
        /// The code, as entered.
        user_code: String,
    },
    /// The chosen organization.
    ChooseOrganization {
        /// The id.
        organization: String,
    },
    /// The consent decision.
    Consent {
        /// Whether it is allowed.
        allow: bool,
    },
    /// A passkey assertion.
    Passkey {
        /// The WebAuthn response.
        credential: Value,
    },
    /// A TOTP code.
    Totp {
        /// The code.
        code: String,
    },
    /// A recovery code.
    RecoveryCode {
        /// The code.
        code: String,
    },
    /// The factor to set up.
    ChooseFactor {
        /// The kind.
        factor: EnrollableFactor,
    },
    /// A new passkey.
    PasskeyRegistration {
        /// The WebAuthn response.
        credential: Value,
        /// The name.
        name: Option<String>,
    },
    /// The first TOTP code of an enrollment.
    TotpConfirmation {
        /// The code.
        code: String,
        /// The name.
        name: Option<String>,
    },
    /// A request for new recovery codes.
    RecoveryCodes,
    /// A request to sign in at an identity provider.
    SingleSignOn(ProviderSignInRequest),
    /// The response of an identity provider.
    ProviderResponse(ProviderCallback),
    /// A restart.
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
            Self::SignUp => FlowAction::SignUp,
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
            Self::ProviderResponse(_) => FlowAction::ProviderAnswer,
            Self::ChooseFactor { .. } => FlowAction::ChooseFactor,
            Self::Restart => FlowAction::Restart,
        }
    }
}

impl std::fmt::Debug for FlowInput {
    /// Shows only the action: everything else may be secret.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Said({})", self.action().name())
    }
}
