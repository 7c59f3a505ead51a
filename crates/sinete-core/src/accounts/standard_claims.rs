//! The user's own profile: the standard claims (OpenID Connect Core §5.1) except e-mail address and phone
//! number, which need verification.

use crate::accounts::profile_text::ProfileText;
use crate::validation::is_display_text;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use url::Url;

/// The maximum length of a URL in a profile, in bytes.
const URL_BYTES_MAX: usize = 1024;

/// The user's standard claims. `None` fields were not provided.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StandardClaims {
    /// The full display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<ProfileText>,
    /// The given name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given_name: Option<ProfileText>,
    /// The family name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family_name: Option<ProfileText>,
    /// The middle name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub middle_name: Option<ProfileText>,
    /// The nickname.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nickname: Option<ProfileText>,
    /// The preferred short name. It is not an identifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferred_username: Option<ProfileText>,
    /// The URL of a profile page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<WebAddress>,
    /// The URL of a picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<WebAddress>,
    /// The URL of the user's website.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub website: Option<WebAddress>,
    /// The gender, in the user's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gender: Option<ProfileText>,
    /// The date of birth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub birthdate: Option<Birthdate>,
    /// The time zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zoneinfo: Option<TimeZone>,
    /// The preferred locale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locale: Option<Locale>,
    /// The postal address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<PostalAddress>,
    /// When the profile last changed, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<i64>,
}

/// A postal address (Core §5.1.1).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PostalAddress {
    /// The full address, formatted for display or mailing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formatted: Option<AddressText>,
    /// Street and number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub street_address: Option<AddressText>,
    /// City.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locality: Option<ProfileText>,
    /// State or province.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<ProfileText>,
    /// Postal code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub postal_code: Option<ProfileText>,
    /// Country.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<ProfileText>,
}

macro_rules! claims {
    ($($(#[$doc:meta])* $kind:ident, $fits:path, $why:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $kind(Box<str>);

        impl $kind {
            /// The value as entered.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $kind {
            type Err = InvalidClaim;

            fn from_str(text: &str) -> Result<Self, InvalidClaim> {
                if $fits(text) { Ok(Self(text.into())) } else { Err(InvalidClaim($why)) }
            }
        }

        impl TryFrom<String> for $kind {
            type Error = InvalidClaim;

            fn try_from(text: String) -> Result<Self, InvalidClaim> {
                text.parse()
            }
        }

        impl From<$kind> for String {
            fn from(claim: $kind) -> Self {
                claim.0.into()
            }
        }
    )*};
}

/// The text is not valid for this claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidClaim(&'static str);

claims! {
    /// The URL of a page or picture.
    WebAddress, is_web_address, "an http or https address of at most 1024 characters, without credentials";
    /// A date, a date without year, or a year.
    Birthdate, is_birthdate, "a date as YYYY-MM-DD, with the year 0000 if it is omitted, or a year as YYYY";
    /// A name of the IANA time zone database.
    TimeZone, is_time_zone, "a name of the time zone database, such as America/Sao_Paulo";
    /// A BCP 47 language tag.
    Locale, is_locale, "a language tag, such as pt-BR";
    /// A text that may have several lines.
    AddressText, is_address_text, "1 to 500 characters without control or direction marks except line breaks";
}

fn is_web_address(text: &str) -> bool {
    text.len() <= URL_BYTES_MAX
        && !text.chars().any(|character| character.is_whitespace() || character.is_control())
        && Url::parse(text).is_ok_and(|url| {
            matches!(url.scheme(), "http" | "https")
                && url.has_host()
                && url.username().is_empty()
                && url.password().is_none()
        })
}

fn is_birthdate(text: &str) -> bool {
    let number = |digits: &str, length: usize| {
        let plain = digits.len() == length && digits.bytes().all(|byte| byte.is_ascii_digit());
        if plain { digits.parse::<u32>().ok() } else { None }
    };
    let mut parts = text.split('-');
    let (year, month, day, rest) = (parts.next(), parts.next(), parts.next(), parts.next());
    match (year.and_then(|year| number(year, 4)), month, day, rest) {
        (Some(_), None, None, None) => true,
        (Some(year), Some(month), Some(day), None) => match (number(month, 2), number(day, 2)) {
            (Some(month), Some(day)) => (1..=days_in_month(year, month)).contains(&day),
            _ => false,
        },
        _ => false,
    }
}

/// The number of days in the month. An unknown year may be a leap year.
const fn days_in_month(year: u32, month: u32) -> u32 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 0,
    }
}

fn is_time_zone(text: &str) -> bool {
    let is_part = |part: &str| {
        let starts = part.bytes().next().is_some_and(|first| first.is_ascii_alphabetic());
        starts && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_+-".contains(&byte))
    };
    text.len() <= 64 && text.split('/').count() <= 3 && text.split('/').all(is_part)
}

fn is_locale(text: &str) -> bool {
    let mut parts = text.split('-');
    let language = parts.next().is_some_and(|part| {
        (2..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphabetic())
    });
    let is_subtag =
        |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    text.len() <= 35 && language && parts.all(is_subtag)
}

fn is_address_text(text: &str) -> bool {
    is_display_text(&text.replace('\n', " "), 500)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn standard_claims_round_trip() {
        let text = r#"{"name":"Ana Souza","given_name":"Ana","family_name":"Souza","middle_name":"M","nickname":"Aninha","preferred_username":"ana","profile":"https://ana.example/eu","picture":"https://ana.example/p.png","website":"http://ana.example/","gender":"f","birthdate":"0000-02-29","zoneinfo":"America/Sao_Paulo","locale":"pt-BR","address":{"formatted":"Rua A, 1\nRecife","street_address":"Rua A, 1","locality":"Recife","region":"PE","postal_code":"50000-000","country":"BR"},"updated_at":5}"#;
        let claims: StandardClaims = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&claims).unwrap(), text);
        assert_eq!(serde_json::to_string(&StandardClaims::default()).unwrap(), "{}");
    }

    #[test]
    fn birthdate_claim_must_be_a_valid_date() {
        for text in ["1984-02-29", "0000-02-29", "2000-02-29", "1984", "0001-12-31"] {
            assert!(text.parse::<Birthdate>().is_ok(), "{text}");
        }
        for text in [
            "",
            "84",
            "1984-2-29",
            "1985-02-29",
            "1900-02-29",
            "1984-13-01",
            "1984-00-01",
            "1984-04-31",
            "1984-04-00",
            "1984-04",
            "1984-04-01-01",
            "+984-04-01",
            "19840401",
            " 1984",
        ] {
            assert!(text.parse::<Birthdate>().is_err(), "{text}");
        }
    }

    #[test]
    fn url_claims_must_be_http_or_https() {
        for text in ["https://example.com", "http://localhost:8080/a?b#c"] {
            assert!(text.parse::<WebAddress>().is_ok(), "{text}");
        }
        let long = format!("https://example.com/{}", "a".repeat(1024));
        for text in [
            "",
            "example.com",
            "javascript:alert(1)",
            "data:text/html,x",
            "https://a:b@example.com",
            "ftp://a",
            "https://exa mple.com",
            "https://example.com/\u{7f}",
            "https://",
            &long,
        ] {
            assert!(text.parse::<WebAddress>().is_err(), "{text}");
        }
    }

    #[test]
    fn zoneinfo_locale_and_address_claims_keep_their_format() {
        for text in ["UTC", "Europe/Lisbon", "America/Argentina/Buenos_Aires", "Etc/GMT+3"] {
            assert!(text.parse::<TimeZone>().is_ok(), "{text}");
        }
        for text in ["", "/", "Europe/", "Europe/Lis bon", "../etc", "a/b/c/d", "1"] {
            assert!(text.parse::<TimeZone>().is_err(), "{text}");
        }
        for text in ["pt", "pt-BR", "zh-Hant-TW", "ast"] {
            assert!(text.parse::<Locale>().is_ok(), "{text}");
        }
        for text in ["", "p", "pt_BR", "pt-", "12", "pt-BR-toolongsubtag", "português"] {
            assert!(text.parse::<Locale>().is_err(), "{text}");
        }
        assert!("Rua A\nRecife".parse::<AddressText>().is_ok());
        for text in ["", " \n", "a\rb", "a\u{202e}b", &"x".repeat(501)] {
            assert!(text.parse::<AddressText>().is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn claim_parsing_never_panics(text in ".{0,60}") {
            let _ = text.parse::<Birthdate>();
            let _ = text.parse::<WebAddress>();
            let _ = text.parse::<TimeZone>();
            let _ = text.parse::<Locale>();
            let _ = text.parse::<AddressText>();
        }
    }
}
