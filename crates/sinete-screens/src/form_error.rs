//! What is said when a form was not right, and which field it was.

use crate::language::UiLanguage;
use crate::locales::with_value;

/// Why a form is shown again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormError {
    /// A password, or a name and a password, that does not match. The text is the same for accounts that do
    /// not exist.
    WrongCredentials,
    /// A code that does not match or is too old.
    WrongCode,
    /// A code that no device shows.
    WrongUserCode,
    /// A field that was left empty.
    Missing,
    /// An address that is none.
    BadEmail,
    /// A telephone number that is none.
    BadPhone,
    /// An address or a number that this person has already.
    AlreadyYours,
    /// A password of fewer characters than this.
    PasswordShort(u32),
    /// A password of more characters than this.
    PasswordLong(u32),
    /// A password that is easy to guess.
    PasswordRefused,
    /// Too many tries: wait this many seconds.
    TooMany(u64),
    /// A step that was done before, or is not due.
    ActionNotAvailable,
    /// The passkey was not used.
    Passkey,
    /// Something that cannot be done now.
    NotPossible,
    /// Who somebody is was proven, and what waited for it was not done.
    NotDone,
    /// A proof is needed that only signing in again can give.
    SignInAgain,
    /// We have too much to do.
    Busy,
    /// No organization signs people in for this address.
    NoProvider,
    /// The provider did not confirm who it is, or nobody here knows them.
    Provider,
}

/// The field that a page puts the cursor into.
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
    /// The sentence that says so.
    pub fn text(self, language: UiLanguage) -> String {
        let words = &language.words().trouble;
        match self {
            Self::WrongCredentials => words.wrong_proof.to_owned(),
            Self::WrongCode => words.wrong_code.to_owned(),
            Self::WrongUserCode => language.words().device.wrong_code.to_owned(),
            Self::Missing => words.missing.to_owned(),
            Self::BadEmail => words.bad_email.to_owned(),
            Self::BadPhone => words.bad_phone.to_owned(),
            Self::AlreadyYours => words.taken_by_you.to_owned(),
            Self::PasswordShort(least) => with_value(words.password_short, least),
            Self::PasswordLong(most) => with_value(words.password_long, most),
            Self::PasswordRefused => words.password_refused.to_owned(),
            Self::TooMany(seconds) => with_value(words.too_many, wait_text(seconds, language)),
            Self::ActionNotAvailable => words.out_of_turn.to_owned(),
            Self::Passkey => words.passkey.to_owned(),
            Self::NotPossible => words.not_possible.to_owned(),
            Self::NotDone => language.words().outcomes.not_done.to_owned(),
            Self::SignInAgain => words.sign_in_again.to_owned(),
            Self::Busy => words.busy.to_owned(),
            Self::NoProvider => words.no_provider.to_owned(),
            Self::Provider => words.provider.to_owned(),
        }
    }

    /// The field to look at, on a page that has the given ones.
    pub(crate) fn focused_field(self, on_page: &[FormField]) -> Option<FormField> {
        let wanted: &[FormField] = match self {
            Self::WrongCredentials
            | Self::PasswordShort(_)
            | Self::PasswordLong(_)
            | Self::PasswordRefused => &[FormField::Password, FormField::Code],
            Self::WrongCode | Self::WrongUserCode => &[FormField::Code],
            Self::NoProvider | Self::BadEmail | Self::BadPhone => &[FormField::Identifier],
            Self::Missing => &[FormField::Identifier, FormField::Name, FormField::Code, FormField::Password],
            Self::AlreadyYours
            | Self::TooMany(_)
            | Self::ActionNotAvailable
            | Self::Passkey
            | Self::NotPossible
            | Self::NotDone
            | Self::SignInAgain
            | Self::Provider
            | Self::Busy => &[],
        };
        wanted.iter().copied().find(|field| on_page.contains(field))
    }
}

/// A wait in words: seconds up to two minutes, whole minutes above, rounded up.
fn wait_text(seconds: u64, language: UiLanguage) -> String {
    let words = &language.words().trouble;
    match seconds {
        0 | 1 => words.second.to_owned(),
        60 => words.minute.to_owned(),
        2..120 => with_value(words.seconds, seconds),
        _ => with_value(words.minutes, seconds.div_ceil(60)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_rendered_in_natural_units() {
        for (seconds, english, portuguese) in [
            (0, "a second", "um segundo"),
            (30, "30 seconds", "30 segundos"),
            (60, "a minute", "um minuto"),
            (119, "119 seconds", "119 segundos"),
            (121, "3 minutes", "3 minutos"),
            (900, "15 minutes", "15 minutos"),
        ] {
            assert_eq!(wait_text(seconds, UiLanguage::English), english);
            assert_eq!(wait_text(seconds, UiLanguage::Portuguese), portuguese);
        }
        let text = FormError::TooMany(60).text(UiLanguage::English);
        assert_eq!(text, "That was tried too often. Wait a minute and try again.");
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
