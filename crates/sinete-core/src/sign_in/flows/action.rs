//! The actions available at each stage, by their API names.

use super::AuthenticationFlow;
use super::purpose::{FlowKind, FlowPurpose};
use super::stage::{FlowStage, IdentityProviderRedirect, SmsChallenge};
use crate::assurance::proof_method::AuthenticationProofMethod;
use crate::sign_in::credentials::enrollment::EnrollableFactor;

macro_rules! actions {
    ($($(#[$doc:meta])* $action:ident = $name:literal;)*) => {
        /// An action in a flow. The names are part of our API.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum FlowAction {
            $($(#[$doc])* $action,)*
        }

        impl FlowAction {
            /// All actions.
            pub const ALL: &[Self] = &[$(Self::$action),*];

            /// The API name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$action => $name,)*
                }
            }
        }
    };
}

actions! {
    /// E-mail address and password, or only the password if the account is known.
    Password = "password";
    /// An e-mail address to send a code to.
    Email = "email";
    /// A phone number to send a code to; absent if the account is known.
    SmsCode = "sms_code";
    /// The code that was sent.
    Code = "code";
    /// Sends the code again.
    Resend = "resend";
    /// Creates an account instead of signing in.
    SignUp = "sign_up";
    /// The details of a new account.
    Details = "details";
    /// A new password.
    NewPassword = "new_password";
    /// The user code of a device.
    UserCode = "user_code";
    /// The organization to act in.
    ChooseOrganization = "choose_organization";
    /// Allows or denies the request.
    Consent = "consent";
    /// A passkey assertion.
    Passkey = "passkey";
    /// A code from an authenticator app.
    Totp = "totp";
    /// A recovery code.
    RecoveryCode = "recovery_code";
    /// Chooses a factor to set up.
    ChooseFactor = "choose_factor";
    /// A new passkey.
    PasskeyRegistration = "passkey_registration";
    /// The first code of an authenticator app.
    TotpConfirmation = "totp_confirmation";
    /// A new set of recovery codes.
    RecoveryCodes = "recovery_codes";
    /// Signs in at an organization's identity provider.
    SingleSignOn = "single_sign_on";
    /// The identity provider's response.
    ProviderAnswer = "provider_answer";
    /// Starts again.
    Restart = "restart";
}

/// Whose credential is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialAccountSource {
    /// The account with the given e-mail address.
    SubmittedContact,
    /// The account of the flow.
    FlowAccount,
}

impl AuthenticationFlow {
    /// The actions available now. Before the user has authenticated, they reveal nothing about an account.
    pub fn available_actions(&self) -> Vec<FlowAction> {
        match self.stage() {
            FlowStage::SignIn => {
                let mail = self.allows_email_sign_in().then_some(FlowAction::Email);
                let text = self.allows_sms_sign_in().then_some(FlowAction::SmsCode);
                let provider = self.allows_provider_sign_in().then_some(FlowAction::SingleSignOn);
                let sign_up = self.can_sign_up().then_some(FlowAction::SignUp);
                self.available_proof_methods()
                    .into_iter()
                    .map(FlowAction::from_proof_method)
                    .chain(mail)
                    .chain(text)
                    .chain(provider)
                    .chain(sign_up)
                    .collect()
            }
            FlowStage::SecondFactor => {
                let flow_action = self.can_restart().then_some(FlowAction::Restart);
                self.available_proof_methods()
                    .into_iter()
                    .map(FlowAction::from_proof_method)
                    .chain(flow_action)
                    .collect()
            }
            FlowStage::Reauthenticate { .. } => {
                self.available_proof_methods().into_iter().map(FlowAction::from_proof_method).collect()
            }
            FlowStage::Details if self.can_restart() => vec![FlowAction::Details, FlowAction::Restart],
            FlowStage::Details => vec![FlowAction::Details],
            FlowStage::Address => vec![FlowAction::Email],
            FlowStage::MailedProof(_) if self.can_restart() => {
                vec![FlowAction::Code, FlowAction::Resend, FlowAction::Restart]
            }
            FlowStage::MailedProof(_) => vec![FlowAction::Code, FlowAction::Resend],
            FlowStage::TextedProof(SmsChallenge { from: Some(_), .. }) => {
                vec![FlowAction::Code, FlowAction::Resend, FlowAction::Restart]
            }
            FlowStage::TextedProof(_) => vec![FlowAction::Code, FlowAction::Resend],
            FlowStage::AtProvider(IdentityProviderRedirect { from: Some(_), .. }) => {
                vec![FlowAction::ProviderAnswer, FlowAction::Restart]
            }
            FlowStage::AtProvider(_) => vec![FlowAction::ProviderAnswer],
            FlowStage::NewPassword => vec![FlowAction::NewPassword],
            FlowStage::UserCode => vec![FlowAction::UserCode],
            FlowStage::ChooseOrganization { .. } => vec![FlowAction::ChooseOrganization],
            FlowStage::Consent { .. } => vec![FlowAction::Consent],
            FlowStage::ChooseFactor { .. } => vec![FlowAction::ChooseFactor],
            FlowStage::Enroll(pending_enrollment) if self.can_restart() => {
                vec![FlowAction::from_factor(pending_enrollment.factor()), FlowAction::Restart]
            }
            FlowStage::Enroll(pending_enrollment) => {
                vec![FlowAction::from_factor(pending_enrollment.factor())]
            }
            FlowStage::Deciding | FlowStage::Resume | FlowStage::Refused { .. } | FlowStage::Finished(_) => {
                Vec::new()
            }
        }
    }

    /// Whose password or phone is meant at this stage.
    pub fn password_owner(&self) -> CredentialAccountSource {
        match (self.stage(), self.purpose()) {
            // An invitation names its e-mail address.
            (FlowStage::SignIn, FlowPurpose::AcceptInvitation { .. }) => CredentialAccountSource::FlowAccount,
            (FlowStage::SignIn, _) => CredentialAccountSource::SubmittedContact,
            _ => CredentialAccountSource::FlowAccount,
        }
    }

    /// Whether the e-mail address of a new account is already known.
    pub fn has_email_address(&self) -> bool {
        self.kind() == FlowKind::AcceptInvitation
    }
}

impl FlowAction {
    /// The action for this proof method.
    const fn from_proof_method(proof_method: AuthenticationProofMethod) -> Self {
        match proof_method {
            AuthenticationProofMethod::Password => Self::Password,
            AuthenticationProofMethod::Passkey => Self::Passkey,
            AuthenticationProofMethod::Totp => Self::Totp,
            AuthenticationProofMethod::RecoveryCode => Self::RecoveryCode,
            AuthenticationProofMethod::SmsCode => Self::SmsCode,
            AuthenticationProofMethod::SingleSignOn => Self::SingleSignOn,
        }
    }

    /// The action that enrolls this factor.
    const fn from_factor(factor: EnrollableFactor) -> Self {
        match factor {
            EnrollableFactor::Passkey => Self::PasskeyRegistration,
            EnrollableFactor::Totp => Self::TotpConfirmation,
            EnrollableFactor::RecoveryCodes => Self::RecoveryCodes,
        }
    }

    /// Finds the action by name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|action| action.name() == name)
    }
}
