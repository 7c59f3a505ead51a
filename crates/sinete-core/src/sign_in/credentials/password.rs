//! Passwords: a minimum length and not commonly used; no other rules.

use crate::limits::{PASSWORD_BYTES_MAX, PASSWORD_CHARACTERS_MAX};
use crate::validation::ValidationErrors;
use serde::{Deserialize, Serialize};
use std::fmt;
use unicode_normalization::UnicodeNormalization as _;

/// A password in its normalized form. It is never logged.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

/// A password hash. It is never logged.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PasswordHash(pub String);

/// The policy for new passwords.
#[derive(Clone, Debug, Default)]
pub struct PasswordPolicy<'a> {
    /// The minimum number of characters.
    pub characters_min: usize,
    /// Names an attacker would try: the service, the organization, the user's e-mail address.
    pub names: Vec<&'a str>,
}

/// Why a password is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasswordRejection {
    /// It is too short.
    #[error("the password is too short: use more characters")]
    Short,
    /// It is too long.
    #[error("the password is too long: use at most 128 characters")]
    Long,
    /// It is on the list of common passwords.
    #[error("the password is one of the most common ones: choose another")]
    Common,
    /// It is one of the policy's names.
    #[error("the password is your address or the name of this service or organization: choose another")]
    Name,
    /// It appeared in a breach.
    #[error("the password is known from a breach elsewhere: choose another")]
    Breached,
}

impl Password {
    /// Prepares a submitted password for comparison: NFC, without trimming, case folding or truncation.
    /// `None` if it is too long to be a password.
    pub fn from_submitted(text: &str) -> Option<Self> {
        (text.len() <= PASSWORD_BYTES_MAX).then(|| Self(text.nfc().collect()))
    }

    /// Validates a new password.
    pub fn from_chosen(text: &str, rules: &PasswordPolicy<'_>) -> Result<Self, PasswordRejection> {
        let password = Self::from_submitted(text).ok_or(PasswordRejection::Long)?;
        let characters = password.0.chars().count();
        if characters < rules.characters_min {
            return Err(PasswordRejection::Short);
        }
        if characters > PASSWORD_CHARACTERS_MAX {
            return Err(PasswordRejection::Long);
        }
        let folded = password.0.to_lowercase();
        if rules.names.iter().any(|name| is_name(&folded, &name.to_lowercase())) {
            return Err(PasswordRejection::Name);
        }
        if COMMON_PASSWORDS.lines().any(|common| common == folded) {
            return Err(PasswordRejection::Common);
        }
        Ok(password)
    }

    /// The bytes to hash.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// Whether the password is the name, with or without its spaces, the name repeated, or its local part before
/// the `@`.
fn is_name(password: &str, name: &str) -> bool {
    let local = name.split('@').next().unwrap_or_default();
    let squeezed: String = name.split_whitespace().collect();
    [name, local, &squeezed]
        .into_iter()
        .filter(|name| !name.is_empty())
        .any(|name| password.len().is_multiple_of(name.len()) && password.replace(name, "").is_empty())
}

impl PasswordRejection {
    /// Reports the rejection at this JSON pointer.
    pub fn to_validation_errors(self, pointer: &str) -> ValidationErrors {
        let mut errors = ValidationErrors::default();
        errors.add(pointer, self.to_string());
        errors
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Password(…)")
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("PasswordHash(…)")
    }
}

/// Common passwords in lower case, one per line. Decision 0031 names the source.
static COMMON_PASSWORDS: &str = include_str!("common_passwords.txt");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{PASSWORD_CHARACTERS_MIN, PASSWORD_CHARACTERS_MIN_ALLOWED};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const RULES: PasswordPolicy<'_> =
        PasswordPolicy { characters_min: PASSWORD_CHARACTERS_MIN_ALLOWED, names: Vec::new() };

    fn chosen(text: &str) -> Result<Password, PasswordRejection> {
        Password::from_chosen(text, &RULES)
    }

    #[test]
    fn password_length_is_counted_in_characters_and_bounded_in_bytes() {
        let rules = PasswordPolicy { characters_min: PASSWORD_CHARACTERS_MIN, names: Vec::new() };
        assert_eq!(Password::from_chosen(&"é".repeat(14), &rules), Err(PasswordRejection::Short));
        assert!(Password::from_chosen(&"é".repeat(15), &rules).is_ok());
        assert!(chosen(&"ab".repeat(64)).is_ok());
        assert_eq!(chosen(&"a".repeat(129)), Err(PasswordRejection::Long));
        assert!(chosen(&"𝕏".repeat(128)).is_ok());
        assert_eq!(Password::from_submitted(&"a".repeat(513)), None);
    }

    #[test]
    fn password_is_not_trimmed_or_case_folded_and_is_unicode_normalized() {
        let bytes = |text: &str| Password::from_submitted(text).unwrap().as_bytes().to_vec();
        assert_ne!(bytes("a long password "), bytes("a long password"));
        assert_ne!(bytes("A long password"), bytes("a long password"));
        assert_ne!(bytes("a\0long password"), bytes("a long password"));
        assert_eq!(bytes("caf\u{e9} caf\u{e9} caf\u{e9}"), bytes("cafe\u{301} cafe\u{301} cafe\u{301}"));
        // Compatibility forms are different characters (NFC, not NFKC).
        assert_ne!(bytes("ﬁnal password"), bytes("final password"));
    }

    #[test]
    fn password_from_the_common_list_is_refused_only_as_a_whole() {
        for common in ["password", "Password1", "QWERTYUIOP", "12345678", "iloveyou", "1q2w3e4r5t"] {
            assert_eq!(chosen(common), Err(PasswordRejection::Common), "{common}");
        }
        assert!(chosen("my password is long").is_ok());
        let lines: Vec<_> = COMMON_PASSWORDS.lines().collect();
        let distinct: BTreeSet<_> = lines.iter().collect();
        assert_eq!(distinct.len(), lines.len());
        assert!(lines.iter().all(|line| line.chars().count() >= PASSWORD_CHARACTERS_MIN_ALLOWED));
        assert!(lines.iter().all(|line| *line == line.to_lowercase()));
        assert!(lines.len() >= 3_000);
        let long = lines.iter().filter(|line| line.chars().count() >= PASSWORD_CHARACTERS_MIN).count();
        assert!(long >= 3_000, "those of the usual length count for themselves: {long}");
    }

    #[test]
    fn password_containing_service_or_user_names_is_refused() {
        let names = vec!["Padaria Central", "Sinete", "ana.maria@example.com"];
        let rules = PasswordPolicy { characters_min: 8, names };
        for name in
            ["padaria central", "PadariaCentral", "SineteSinete", "ana.maria", "ANA.MARIA@example.com"]
        {
            assert_eq!(Password::from_chosen(name, &rules), Err(PasswordRejection::Name), "{name}");
        }
        assert!(Password::from_chosen("padaria central da vila", &rules).is_ok());
    }

    #[test]
    fn password_and_hash_are_not_printed() {
        let password = chosen("correct horse battery").unwrap();
        let hash = PasswordHash("$argon2id$…".into());
        assert!(!format!("{password:?}{hash:?}").contains("horse"));
        assert!(!format!("{hash:?}").contains("argon"));
    }

    proptest! {
        #[test]
        fn password_of_sufficient_length_that_is_not_common_is_accepted(text in "\\PC{15,100}") {
            let folded = text.nfc().collect::<String>();
            prop_assume!(folded.chars().count() >= 15 && text.len() <= 512);
            prop_assume!(!COMMON_PASSWORDS.lines().any(|common| common == folded.to_lowercase()));
            prop_assert!(chosen(&text).is_ok());
        }
    }
}
