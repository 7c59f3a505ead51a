//! The sign-in methods that a page offers.

use crate::locales::LocalePhrases;

/// A sign-in method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignInMethod {
    /// A passkey.
    Passkey,
    /// A password.
    Password,
    /// A code sent by e-mail.
    EmailCode,
    /// A code sent by SMS.
    SmsCode,
    /// A code from an authenticator app.
    Totp,
    /// A recovery code.
    RecoveryCode,
    /// An organization's identity provider.
    Provider,
}

impl SignInMethod {
    /// The name in forms.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passkey => "passkey",
            Self::Password => "password",
            Self::EmailCode => "email_code",
            Self::SmsCode => "sms_code",
            Self::Totp => "totp",
            Self::RecoveryCode => "recovery_code",
            Self::Provider => "single_sign_on",
        }
    }

    /// Parses the name in forms.
    pub fn from_name(name: &str) -> Option<Self> {
        [
            Self::Passkey,
            Self::Password,
            Self::EmailCode,
            Self::SmsCode,
            Self::Totp,
            Self::RecoveryCode,
            Self::Provider,
        ]
        .into_iter()
        .find(|sign_in_method| sign_in_method.name() == name)
    }

    /// Whether a page shows it only after the user selected it.
    pub const fn needs_selection(self) -> bool {
        matches!(self, Self::SmsCode | Self::Totp | Self::RecoveryCode | Self::Provider)
    }

    /// The text that offers it as an alternative.
    pub(crate) const fn offer_text(self, phrases: &LocalePhrases) -> &'static str {
        let phrases = &phrases.sign_in;
        match self {
            Self::Passkey => phrases.use_passkey,
            Self::Password => phrases.use_password,
            Self::EmailCode => phrases.use_code,
            Self::SmsCode => phrases.use_sms,
            Self::Totp => phrases.use_totp,
            Self::RecoveryCode => phrases.use_recovery,
            Self::Provider => phrases.use_provider,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sign_in_method_is_found_by_its_name_only() {
        for sign_in_method in [
            SignInMethod::Passkey,
            SignInMethod::Password,
            SignInMethod::EmailCode,
            SignInMethod::SmsCode,
            SignInMethod::Totp,
        ] {
            assert_eq!(SignInMethod::from_name(sign_in_method.name()), Some(sign_in_method));
        }
        assert_eq!(SignInMethod::from_name("Password"), None);
        assert_eq!(SignInMethod::from_name(""), None);
    }
}
