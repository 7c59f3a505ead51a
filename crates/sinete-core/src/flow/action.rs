//! What can be said at each stage, by the names that clients use.

use super::Flow;
use super::credential::enrolling::Factor;
use super::person::Way;
use super::purpose::{FlowKind, Purpose};
use super::stage::{AtProvider, Stage, Texted};

macro_rules! actions {
    ($($(#[$doc:meta])* $action:ident = $name:literal;)*) => {
        /// Something that can be said in a flow. The names are part of our interface.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Action {
            $($(#[$doc])* $action,)*
        }

        impl Action {
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
pub enum Whose {
    /// That of the address given with it.
    OfAddress,
    /// That of whomever the flow is about.
    OfPerson,
}

impl Flow {
    /// What can be said now. It depends on nothing that only the owner of an account may know, until somebody
    /// has proven to be that.
    pub fn actions(&self) -> Vec<Action> {
        match self.stage() {
            Stage::SignIn => {
                let mail = self.signs_in_by_mail().then_some(Action::Email);
                let text = self.signs_in_by_text().then_some(Action::SmsCode);
                let provider = self.signs_in_at_providers().then_some(Action::SingleSignOn);
                self.ways().into_iter().map(Action::of).chain(mail).chain(text).chain(provider).collect()
            }
            Stage::SecondFactor => {
                let anew = self.may_restart().then_some(Action::Restart);
                self.ways().into_iter().map(Action::of).chain(anew).collect()
            }
            Stage::Reauthenticate { .. } => self.ways().into_iter().map(Action::of).collect(),
            Stage::Details => vec![Action::Details],
            Stage::Address => vec![Action::Email],
            Stage::MailedProof(_) if self.may_restart() => {
                vec![Action::Code, Action::Resend, Action::Restart]
            }
            Stage::MailedProof(_) => vec![Action::Code, Action::Resend],
            Stage::TextedProof(Texted { from: Some(_), .. }) => {
                vec![Action::Code, Action::Resend, Action::Restart]
            }
            Stage::TextedProof(_) => vec![Action::Code, Action::Resend],
            Stage::AtProvider(AtProvider { from: Some(_), .. }) => {
                vec![Action::ProviderAnswer, Action::Restart]
            }
            Stage::AtProvider(_) => vec![Action::ProviderAnswer],
            Stage::NewPassword => vec![Action::NewPassword],
            Stage::UserCode => vec![Action::UserCode],
            Stage::ChooseOrganization { .. } => vec![Action::ChooseOrganization],
            Stage::Consent { .. } => vec![Action::Consent],
            Stage::Enroll(enrolling) => vec![Action::setting_up(enrolling.factor())],
            Stage::Deciding | Stage::Resume | Stage::Refused { .. } | Stage::Finished(_) => Vec::new(),
        }
    }

    /// Whose password, or telephone, is meant at this stage.
    pub fn whose_password(&self) -> Whose {
        match (self.stage(), self.purpose()) {
            // An invitation says for which address it is.
            (Stage::SignIn, Purpose::AcceptInvitation { .. }) => Whose::OfPerson,
            (Stage::SignIn, _) => Whose::OfAddress,
            _ => Whose::OfPerson,
        }
    }

    /// Whether a new account's address is known already.
    pub fn knows_address(&self) -> bool {
        self.kind() == FlowKind::AcceptInvitation
    }
}

impl Action {
    /// The action by which something is proven in this way.
    const fn of(way: Way) -> Self {
        match way {
            Way::Password => Self::Password,
            Way::Passkey => Self::Passkey,
            Way::Totp => Self::Totp,
            Way::RecoveryCode => Self::RecoveryCode,
            Way::SmsCode => Self::SmsCode,
            Way::SingleSignOn => Self::SingleSignOn,
        }
    }

    /// The action by which something is set up.
    const fn setting_up(factor: Factor) -> Self {
        match factor {
            Factor::Passkey => Self::PasskeyRegistration,
            Factor::Totp => Self::TotpConfirmation,
            Factor::RecoveryCodes => Self::RecoveryCodes,
        }
    }

    /// The action of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|action| action.name() == name)
    }
}
