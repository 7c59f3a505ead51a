//! E-mail addresses: one form for comparison, exactly one recipient, no look-alikes.

use crate::json_schema::impl_value_schema;
use crate::limits::{EMAIL_BYTES_MAX, EMAIL_LOCAL_PART_BYTES_MAX};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// An e-mail address that names exactly one recipient.
///
/// The local part is ASCII; the domain may use any script, in its registered spelling. Comments, quotes,
/// routes and address lists are not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EmailAddress {
    text: Box<str>,
    domain: Box<str>,
}

impl_value_schema!(EmailAddress, {
    "type": "string", "format": "email", "minLength": 3, "maxLength": EMAIL_BYTES_MAX,
});

/// The text is not an e-mail address that we accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "an e-mail address is written like ana@example.com, for one recipient and without special characters"
)]
pub struct InvalidEmailAddress;

impl EmailAddress {
    /// The address as the user wrote it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The form for comparison: ASCII letters in lower case, the domain as A-labels. No other character is
    /// folded, so that look-alikes do not match.
    pub fn lookup_key(&self) -> String {
        format!("{}@{}", self.local().to_ascii_lowercase(), self.domain)
    }

    /// The form for SMTP: the local part as written, the domain as A-labels.
    pub fn smtp_address(&self) -> String {
        format!("{}@{}", self.local(), self.domain)
    }

    /// The domain as A-labels.
    pub fn domain(&self) -> &str {
        &self.domain
    }

    fn local(&self) -> &str {
        self.text.split('@').next().unwrap_or_default()
    }
}

impl FromStr for EmailAddress {
    type Err = InvalidEmailAddress;

    fn from_str(text: &str) -> Result<Self, InvalidEmailAddress> {
        let (local, domain) = text.split_once('@').ok_or(InvalidEmailAddress)?;
        if text.len() > EMAIL_BYTES_MAX || !is_local_part(local) {
            return Err(InvalidEmailAddress);
        }
        let domain = to_a_labels(domain).filter(|domain| is_host_name(domain)).ok_or(InvalidEmailAddress)?;
        // A-labels are longer than the Unicode form.
        if local.len() + 1 + domain.len() > EMAIL_BYTES_MAX {
            return Err(InvalidEmailAddress);
        }
        Ok(Self { text: text.into(), domain: domain.into() })
    }
}

/// RFC 5322 §3.2.3: atoms separated by single dots, without characters that old mail systems read as routes
/// or shells as commands.
fn is_local_part(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"#$&'*+-/=?^_{}~".contains(&b);
    (1..=EMAIL_LOCAL_PART_BYTES_MAX).contains(&text.len())
        && text.split('.').all(|atom| !atom.is_empty() && atom.bytes().all(plain))
}

/// Converts the domain to A-labels if it is spelled plainly, apart from the case of ASCII letters. Rejects
/// full-width letters, invisible joiners and everything else that IDNA would silently map.
pub(crate) fn to_a_labels(domain: &str) -> Option<String> {
    let lowered = domain.to_ascii_lowercase();
    let ascii = url::quirks::domain_to_ascii(&lowered);
    let back = if lowered.is_ascii() { ascii.clone() } else { url::quirks::domain_to_unicode(&ascii) };
    (!ascii.is_empty() && back == lowered).then_some(ascii)
}

/// Whether the text is a host name: at least two labels of letters, digits and inner hyphens, the last not
/// numeric, which excludes IP addresses.
pub(crate) fn is_host_name(domain: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    let last = domain.rsplit('.').next().unwrap_or_default();
    domain.contains('.')
        && domain.split('.').all(is_label)
        && last.starts_with(|first: char| first.is_ascii_lowercase())
}

impl TryFrom<String> for EmailAddress {
    type Error = InvalidEmailAddress;
    fn try_from(text: String) -> Result<Self, InvalidEmailAddress> {
        text.parse()
    }
}
impl From<EmailAddress> for String {
    fn from(address: EmailAddress) -> Self {
        address.text.into()
    }
}
impl fmt::Display for EmailAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lookup(text: &str) -> Option<String> {
        text.parse::<EmailAddress>().ok().map(|address| address.lookup_key())
    }

    #[test]
    fn email_address_has_one_lookup_form_and_keeps_its_spelling() {
        let address: EmailAddress = "Ana.Maria+sinete@Exemplo.COM.br".parse().unwrap();
        assert_eq!(address.as_str(), "Ana.Maria+sinete@Exemplo.COM.br");
        assert_eq!(address.lookup_key(), "ana.maria+sinete@exemplo.com.br");
        assert_eq!(address.smtp_address(), "Ana.Maria+sinete@exemplo.com.br");
        let address: EmailAddress = "ana@padaria-são-joão.com.br".parse().unwrap();
        assert_eq!(address.domain(), "xn--padaria-so-joo-yhbe.com.br");
        assert_eq!(lookup("ANA@xn--padaria-so-joo-yhbe.com.br").as_deref(), Some(&*address.lookup_key()));
    }

    #[test]
    fn email_address_that_could_reach_a_second_recipient_is_refused() {
        for text in [
            "",
            "@",
            "ana",
            "ana@",
            "@example.com",
            "ana@@example.com",
            "ana@example.com@evil.example",
            "ana@evil.example,bob@example.com",
            "ana,bob@example.com",
            "ana;bob@example.com",
            "ana@example.com;bob@example.com",
            "ana@example.com\r\nBcc: bob@example.com",
            "ana@example.com\nBcc:bob@example.com",
            "Bcc:ana@example.com",
            "ana%0d%0abcc:bob@example.com",
            "ana%example.com@relay.example",
            "relay!ana@example.com",
            "@relay.example:ana@example.com",
            "Ana <ana@example.com>",
            "<ana@example.com>",
            "\"ana\"@example.com",
            "\"a@b\"@example.com",
            "ana(comment)@example.com",
            "ana @example.com",
            " ana@example.com",
            "ana@example.com ",
            "ana\0@example.com",
            "ana\t@example.com",
            ".ana@example.com",
            "ana.@example.com",
            "a..b@example.com",
            "ana|id@example.com",
            "ana`id`@example.com",
            "ana\\@example.com",
            "ana@example",
            "ana@localhost",
            "ana@.example.com",
            "ana@example..com",
            "ana@example.com.",
            "ana@-example.com",
            "ana@exam_ple.com",
            "ana@127.0.0.1",
            "ana@[127.0.0.1]",
            "ana@[::1]",
            "ana@0x7f.1",
            "ana@example.com/x",
            "ana@example.com?x",
            "ana@example.com#x",
            "ana@example.com:25",
        ] {
            assert_eq!(text.parse::<EmailAddress>(), Err(InvalidEmailAddress), "{text:?}");
        }
        assert!(format!("{}@example.com", "x".repeat(65)).parse::<EmailAddress>().is_err());
        assert!(format!("ana@{}.com", "x.".repeat(130)).parse::<EmailAddress>().is_err());
        assert!(serde_json::from_str::<EmailAddress>(r#"["ana@example.com","bob@example.com"]"#).is_err());
        assert!(serde_json::from_str::<EmailAddress>(r#""ana@example.com""#).is_ok());
    }

    #[test]
    fn email_address_homoglyphs_never_match() {
        let real = lookup("mike@example.com");
        assert_eq!(lookup("MIKE@EXAMPLE.COM"), real);
        for text in [
            "mıke@example.com",
            "mİke@example.com",
            "ｍｉｋｅ@example.com",
            "mike＠example.com",
            "mikе@example.com",
            "mi\u{200d}ke@example.com",
            "mi\u{301}ke@example.com",
            "mike@ｅxample.com",
            "mike@example。com",
            "mike@еxample.com",
            "mike@ex\u{ad}ample.com",
            "mike@exam\u{200b}ple.com",
            "mike@example.com.",
            "mike@xn--example-.com",
            "mike@xn--example.com",
            "mike@xn--mike-.example.com",
        ] {
            assert_ne!(lookup(text), real, "{text:?}");
        }
        // A different script is a different domain.
        assert_eq!(lookup("mike@еxample.com").as_deref(), Some("mike@xn--xample-2of.com"));
        for mapped in
            ["mike@ｅxample.com", "mike@xn--example.com", "mike@ex\u{ad}ample.com", "mike@e\u{301}x.com"]
        {
            assert_eq!(lookup(mapped), None, "{mapped:?}");
        }
    }

    proptest! {
        #[test]
        fn email_address_parsing_never_panics_and_yields_one_recipient(text in "(?s).{0,40}@?.{0,40}") {
            if let Ok(address) = text.parse::<EmailAddress>() {
                let recipient = address.smtp_address();
                prop_assert_eq!(recipient.matches('@').count(), 1);
                prop_assert!(recipient.bytes().all(|b| b.is_ascii_graphic() && !b",;:<>()\"%!\\".contains(&b)));
                prop_assert_eq!(address.as_str(), &text);
            }
        }

        #[test]
        fn email_address_lookup_form_is_stable_across_its_forms(text in "[a-zA-Z0-9+_-]{1,20}@[a-zA-Z0-9]{1,10}(\\.[a-zA-Zàéõç]{2,10}){1,3}") {
            if let Ok(address) = text.parse::<EmailAddress>() {
                let again: EmailAddress = address.smtp_address().parse().unwrap();
                prop_assert_eq!(again.lookup_key(), address.lookup_key());
                prop_assert!(address.smtp_address().eq_ignore_ascii_case(&address.lookup_key()));
            }
        }

        #[test]
        fn email_address_with_one_foreign_character_never_matches(place in 0_usize..16, letter in "[^\\x00-\\x7f]") {
            let mut text: Vec<char> = "mike@example.com".chars().collect();
            text[place] = letter.chars().next().unwrap();
            let changed: String = text.into_iter().collect();
            prop_assert_ne!(lookup(&changed), lookup("mike@example.com"));
        }
    }
}
