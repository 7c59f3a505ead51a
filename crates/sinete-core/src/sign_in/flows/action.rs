//! What can be said at each stage, by the names that clients use.

use super::AuthenticationFlow;
use super::account::AuthenticationProofMethod;
use super::purpose::{FlowKind, FlowPurpose};
use super::stage::{FlowStage, IdentityProviderRedirect, SmsChallenge};
use crate::sign_in::credentials::enrollment::EnrollableFactor;

macro_rules! actions {
    ($($(#[$doc:meta])* $action:ident = $name:literal;)*) => {
        /// Something that can be said in a flow. The names are part of our interface.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum FlowAction {
            $($(#[$doc])* $action,)*
        }

        impl FlowAction {
            /// Every action there is.
            pub const ALL: &[Self] = &[$(Self::$action),*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$action => $name,)*
                }
            }
        }
    };
}

actions! {
    /// An address and its password, or the password alone where it is known whose.
    Password = "password";
    /// An address that a code is sent to.
    Email = "email";
    /// A telephone number that digits are sent to, or nothing where it is known whose.
    SmsCode = "sms_code";
    /// The code that was sent.
    Code = "code";
    /// The code is sent again.
    Resend = "resend";
    /// What a new account will be.
    Details = "details";
    /// A new password.
    NewPassword = "new_password";
    /// The code that a device shows.
    UserCode = "user_code";
    /// The organization to speak for.
    ChooseOrganization = "choose_organization";
    /// Whether to allow what is asked.
    Consent = "consent";
    /// A passkey signs.
    Passkey = "passkey";
    /// Digits from an authenticator application.
    Totp = "totp";
    /// A recovery code.
    RecoveryCode = "recovery_code";
    /// A new passkey.
    PasskeyRegistration = "passkey_registration";
    /// The first digits of an authenticator application.
    TotpConfirmation = "totp_confirmation";
    /// A new set of recovery codes.
    RecoveryCodes = "recovery_codes";
    /// Signing in at a provider of an organization.
    SingleSignOn = "single_sign_on";
    /// What the provider answered.
    ProviderAnswer = "provider_answer";
    /// From the beginning.
    Restart = "restart";
}

/// Whose password is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialOwner {
    /// That of the address given with it.
    OfAddress,
    /// That of whomever the flow is about.
    OfPerson,
}

impl AuthenticationFlow {
    /// What can be said now. It depends on nothing that only the owner of an account may know, until somebody
    /// has proven to be that.
    pub fn available_actions(&self) -> Vec<FlowAction> {
        match self.stage() {
            FlowStage::SignIn => {
                let mail = self.allows_email_sign_in().then_some(FlowAction::Email);
                let text = self.allows_sms_sign_in().then_some(FlowAction::SmsCode);
                let provider = self.allows_provider_sign_in().then_some(FlowAction::SingleSignOn);
                self.available_proof_methods()
                    .into_iter()
                    .map(FlowAction::from_proof_method)
                    .chain(mail)
                    .chain(text)
                    .chain(provider)
                    .collect()
            }
            FlowStage::SecondFactor => {
                let anew = self.can_restart().then_some(FlowAction::Restart);
                self.available_proof_methods()
                    .into_iter()
                    .map(FlowAction::from_proof_method)
                    .chain(anew)
                    .collect()
            }
            FlowStage::Reauthenticate { .. } => {
                self.available_proof_methods().into_iter().map(FlowAction::from_proof_method).collect()
            }
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
            FlowStage::Enroll(enrolling) => vec![FlowAction::from_factor(enrolling.factor())],
            FlowStage::Deciding | FlowStage::Resume | FlowStage::Refused { .. } | FlowStage::Finished(_) => {
                Vec::new()
            }
        }
    }

    /// Whose password, or telephone, is meant at this stage.
    pub fn password_owner(&self) -> CredentialOwner {
        match (self.stage(), self.purpose()) {
            // An invitation says for which address it is.
            (FlowStage::SignIn, FlowPurpose::AcceptInvitation { .. }) => CredentialOwner::OfPerson,
            (FlowStage::SignIn, _) => CredentialOwner::OfAddress,
            _ => CredentialOwner::OfPerson,
        }
    }

    /// Whether a new account's address is known already.
    pub fn has_email_address(&self) -> bool {
        self.kind() == FlowKind::AcceptInvitation
    }
}

impl FlowAction {
    /// The action by which something is proven in this way.
    const fn from_proof_method(way: AuthenticationProofMethod) -> Self {
        match way {
            AuthenticationProofMethod::Password => Self::Password,
            AuthenticationProofMethod::Passkey => Self::Passkey,
            AuthenticationProofMethod::Totp => Self::Totp,
            AuthenticationProofMethod::RecoveryCode => Self::RecoveryCode,
            AuthenticationProofMethod::SmsCode => Self::SmsCode,
            AuthenticationProofMethod::SingleSignOn => Self::SingleSignOn,
        }
    }

    /// The action by which something is set up.
    const fn from_factor(factor: EnrollableFactor) -> Self {
        match factor {
            EnrollableFactor::Passkey => Self::PasskeyRegistration,
            EnrollableFactor::Totp => Self::TotpConfirmation,
            EnrollableFactor::RecoveryCodes => Self::RecoveryCodes,
        }
    }

    /// The action of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|action| action.name() == name)
    }
}
