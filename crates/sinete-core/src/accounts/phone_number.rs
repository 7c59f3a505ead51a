//! Phone numbers in international form (E.164).

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// A phone number: a plus and 8 to 15 digits, including the country code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PhoneNumber(Box<str>);

/// The text is not a phone number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a phone number with its country code, such as +55 81 99999 0000")]
pub struct InvalidPhoneNumber;

impl PhoneNumber {
    /// The plus and the digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for PhoneNumber {
    type Err = InvalidPhoneNumber;

    /// Accepts spaces, hyphens, dots and brackets between digits.
    fn from_str(text: &str) -> Result<Self, InvalidPhoneNumber> {
        let rest = text.trim().strip_prefix('+').ok_or(InvalidPhoneNumber)?;
        let digits: String = rest.chars().filter(|it| !matches!(it, ' ' | '-' | '.' | '(' | ')')).collect();
        let fits = (8..=15).contains(&digits.len())
            && text.len() <= 40
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && !digits.starts_with('0');
        if fits { Ok(Self(format!("+{digits}").into())) } else { Err(InvalidPhoneNumber) }
    }
}

impl TryFrom<String> for PhoneNumber {
    type Error = InvalidPhoneNumber;

    fn try_from(text: String) -> Result<Self, InvalidPhoneNumber> {
        text.parse()
    }
}

impl From<PhoneNumber> for String {
    fn from(number: PhoneNumber) -> Self {
        number.0.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phone_number_is_normalized_to_e164() {
        for text in ["+5581999990000", "+55 (81) 99999-0000", " +55.81.99999.0000 "] {
            assert_eq!(text.parse::<PhoneNumber>().unwrap().as_str(), "+5581999990000", "{text}");
        }
    }

    #[test]
    fn phone_number_with_invalid_syntax_is_refused() {
        for text in [
            "",
            "+",
            "5581999990000",
            "+055819999",
            "+1234567",
            "+1234567890123456",
            "+55 81 9999O 0000",
            "+55\t81999990000",
            "+5581999990000;ext=1",
            "++5581999990000",
            "+５５81999990000",
            "+55819999\r\n0000",
        ] {
            assert!(text.parse::<PhoneNumber>().is_err(), "{text:?}");
        }
    }
}
