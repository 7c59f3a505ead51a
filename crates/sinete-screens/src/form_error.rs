//! Form errors and the fields they concern.

use crate::language::UiLanguage;

/// Why a form is shown again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormError {
    /// Wrong credentials. The text is the same for accounts that do not exist.
    WrongCredentials,
    /// The code is wrong or expired.
    WrongCode,
    /// The user code is invalid.
    WrongUserCode,
    /// A field is empty.
    Missing,
    /// The e-mail address is invalid.
    BadEmail,
    /// The phone number is invalid.
    BadPhone,
    /// The user already has this contact.
    ContactAlreadyAdded,
    /// The password has fewer characters than this.
    PasswordShort(u32),
    /// The password has more characters than this.
    PasswordLong(u32),
    /// The password is easy to guess.
    PasswordRefused,
    /// Too many attempts: wait this many seconds.
    TooMany(u64),
    /// The action was already done or is not available at this stage.
    ActionNotAvailable,
    /// The passkey ceremony failed.
    Passkey,
    /// The action is not possible now.
    NotPossible,
    /// The step-up succeeded, but the action was not performed.
    ActionNotPerformed,
    /// The user must sign in again.
    SignInAgain,
    /// The service is overloaded.
    Busy,
    /// No organization has a connection for this address.
    NoProvider,
    /// The identity provider did not authenticate the user, or the user is unknown here.
    Provider,
}

/// The field to focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormField {
    /// The e-mail address.
    Identifier,
    /// The password.
    Password,
    /// The code.
    Code,
    /// The name.
    Name,
}

impl FormError {
    /// The error text.
    pub fn text(self, language: UiLanguage) -> String {
        let phrases = &language.phrases().form_errors;
        match self {
            Self::WrongCredentials => phrases.wrong_proof.to_owned(),
            Self::WrongCode => phrases.wrong_code.to_owned(),
            Self::WrongUserCode => language.phrases().device.wrong_code.to_owned(),
            Self::Missing => phrases.missing.to_owned(),
            Self::BadEmail => phrases.bad_email.to_owned(),
            Self::BadPhone => phrases.bad_phone.to_owned(),
            Self::ContactAlreadyAdded => phrases.taken_by_you.to_owned(),
            Self::PasswordShort(least) => phrases.password_short(least),
            Self::PasswordLong(limit) => phrases.password_long(limit),
            Self::PasswordRefused => phrases.password_refused.to_owned(),
            Self::TooMany(seconds) => phrases.too_many(wait_text(seconds, language)),
            Self::ActionNotAvailable => phrases.out_of_turn.to_owned(),
            Self::Passkey => phrases.passkey.to_owned(),
            Self::NotPossible => phrases.not_possible.to_owned(),
            Self::ActionNotPerformed => language.phrases().notices.not_done.to_owned(),
            Self::SignInAgain => phrases.sign_in_again.to_owned(),
            Self::Busy => phrases.busy.to_owned(),
            Self::NoProvider => phrases.no_provider.to_owned(),
            Self::Provider => phrases.provider.to_owned(),
        }
    }

    /// The field to focus, on a page with the given fields.
    pub(crate) fn focused_field(self, on_page: &[FormField]) -> Option<FormField> {
        let form_fields: &[FormField] = match self {
            Self::WrongCredentials
            | Self::PasswordShort(_)
            | Self::PasswordLong(_)
            | Self::PasswordRefused => &[FormField::Password, FormField::Code],
            Self::WrongCode | Self::WrongUserCode => &[FormField::Code],
            Self::NoProvider | Self::BadEmail | Self::BadPhone => &[FormField::Identifier],
            Self::Missing => &[FormField::Identifier, FormField::Name, FormField::Code, FormField::Password],
            Self::ContactAlreadyAdded
            | Self::TooMany(_)
            | Self::ActionNotAvailable
            | Self::Passkey
            | Self::NotPossible
            | Self::ActionNotPerformed
            | Self::SignInAgain
            | Self::Provider
            | Self::Busy => &[],
        };
        form_fields.iter().copied().find(|field| on_page.contains(field))
    }
}

/// Formats a waiting time: seconds up to two minutes, above that whole minutes, rounded up.
fn wait_text(seconds: u64, language: UiLanguage) -> String {
    let phrases = &language.phrases().form_errors;
    match seconds {
        60 | 120.. => phrases.minutes(seconds.div_ceil(60)),
        _ => phrases.seconds(seconds.max(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_rendered_in_natural_units() {
        for (seconds, english, portuguese) in [
            (0, "1 second", "1 segundo"),
            (30, "30 seconds", "30 segundos"),
            (60, "1 minute", "1 minuto"),
            (119, "119 seconds", "119 segundos"),
            (121, "3 minutes", "3 minutos"),
            (900, "15 minutes", "15 minutos"),
        ] {
            assert_eq!(wait_text(seconds, UiLanguage::English), english);
            assert_eq!(wait_text(seconds, UiLanguage::Portuguese), portuguese);
        }
        let text = FormError::TooMany(60).text(UiLanguage::English);
        assert_eq!(text, "Too many attempts. Try again in 1 minute.");
        assert!(FormError::PasswordShort(15).text(UiLanguage::Portuguese).contains("15"));
    }

    #[test]
    fn error_message_focuses_its_field() {
        let page = [FormField::Identifier, FormField::Password];
        assert_eq!(FormError::WrongCredentials.focused_field(&page), Some(FormField::Password));
        assert_eq!(FormError::BadEmail.focused_field(&page), Some(FormField::Identifier));
        assert_eq!(FormError::WrongCode.focused_field(&page), None);
        assert_eq!(FormError::Busy.focused_field(&page), None);
    }
}
