//! What an organization decides for itself. Everything has a default, and nothing here can switch on what
//! the instance does not do.

use super::language::Language;
use super::organization::Slug;
use crate::assurance::Assurance;
use crate::fault::misleads;
use crate::limits::{ACCENT_COLOUR_CONTRAST_MIN_TENTHS, ORGANIZATION_NAME_CHARACTERS_MAX};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// An organization's name, as people read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OrganizationName(Box<str>);

/// The text cannot be a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a name is 1 to {ORGANIZATION_NAME_CHARACTERS_MAX} characters, without control or direction marks")]
pub struct NotAName;

impl OrganizationName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name an organization has when nobody gave it one.
    pub fn of(slug: &Slug) -> Self {
        Self(slug.as_str().into())
    }
}

impl TryFrom<String> for OrganizationName {
    type Error = NotAName;

    fn try_from(text: String) -> Result<Self, NotAName> {
        let trimmed = text.trim();
        let fits = (1..=ORGANIZATION_NAME_CHARACTERS_MAX).contains(&trimmed.chars().count());
        if !fits || trimmed.chars().any(misleads) { Err(NotAName) } else { Ok(Self(trimmed.into())) }
    }
}
impl From<OrganizationName> for String {
    fn from(name: OrganizationName) -> Self {
        name.0.into()
    }
}
impl fmt::Display for OrganizationName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The settings of one organization.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OrganizationSettings {
    /// The least assurance a token of this organization is issued at.
    pub least_assurance: Assurance,
    /// The credentials its members may sign in with here; left out, every kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_credentials: Option<BTreeSet<CredentialKind>>,
    /// The ways of getting a token that are switched off here.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub refused_grants: BTreeSet<GrantKind>,
    /// Whether clients that nobody vouches for may ask its members for access.
    pub unverified_clients: UnverifiedClients,
    /// Whether its own agents may act for its members through token exchange.
    pub delegation: Delegation,
    /// The language in which people are written to whose own is not known.
    #[serde(skip_serializing_if = "is_usual")]
    pub language: Language,
    /// How the hosted screens look for it.
    #[serde(skip_serializing_if = "Branding::is_empty")]
    pub branding: Branding,
}

fn is_usual(language: &Language) -> bool {
    *language == Language::default()
}

/// The kinds of credential a person can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CredentialKind {
    /// A passkey.
    Passkey,
    /// A link sent by mail.
    MagicLink,
    /// Digits sent by mail.
    EmailCode,
    /// Digits sent by SMS.
    SmsCode,
    /// Digits from an authenticator application.
    Totp,
    /// A code kept for the day everything else is lost.
    RecoveryCode,
    /// A password.
    Password,
    /// The organization's own identity provider.
    SingleSignOn,
}

/// The ways of getting a token that an organization can switch off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantKind {
    /// A service or agent for itself.
    ClientCredentials,
    /// A client acting for somebody.
    TokenExchange,
    /// A device without a browser.
    DeviceCode,
    /// A request approved on another device.
    Backchannel,
    /// A long-lived key.
    ApiKey,
}

/// What clients that nobody vouches for may do here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnverifiedClients {
    /// They may ask, and the person decides.
    #[default]
    Allow,
    /// They may not.
    Refuse,
}

/// What the organization's own agents may do for its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Delegation {
    /// Whether they may exchange a member's token for a narrower one of their own.
    pub own_agents: bool,
}

impl Default for Delegation {
    fn default() -> Self {
        Self { own_agents: true }
    }
}

/// How the hosted screens look.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Branding {
    /// The name shown, where it differs from the organization's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<OrganizationName>,
    /// The colour of buttons and links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accent: Option<Colour>,
}

impl Branding {
    fn is_empty(&self) -> bool {
        self == &Self::default()
    }
}

/// A colour on which white text, or black text, can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Colour([u8; 3]);

/// The text is not a usable colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAColour {
    /// It is not written as six hexadecimal digits.
    #[error("a colour is written like #1a5fb4")]
    Malformed,
    /// White text on it cannot be read well enough.
    #[error("white text on this colour has less contrast than 4.5 to 1; choose a darker one")]
    TooLight,
}

impl TryFrom<String> for Colour {
    type Error = NotAColour;

    fn try_from(text: String) -> Result<Self, NotAColour> {
        let digits = text.strip_prefix('#').ok_or(NotAColour::Malformed)?;
        if digits.len() != 6 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(NotAColour::Malformed);
        }
        let number = u32::from_str_radix(digits, 16).map_err(|_| NotAColour::Malformed)?;
        let [_, red, green, blue] = number.to_be_bytes();
        let colour = Self([red, green, blue]);
        if colour.contrast_with_white() * 10.0 < f64::from(ACCENT_COLOUR_CONTRAST_MIN_TENTHS) {
            return Err(NotAColour::TooLight);
        }
        Ok(colour)
    }
}
impl From<Colour> for String {
    fn from(Colour([red, green, blue]): Colour) -> Self {
        format!("#{red:02x}{green:02x}{blue:02x}")
    }
}

impl Colour {
    /// WCAG 2.2: (lighter + 0.05) / (darker + 0.05), in relative luminance.
    fn contrast_with_white(self) -> f64 {
        let channel = |value: u8| {
            let value = f64::from(value) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue] = self.0.map(channel);
        1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_left_out_are_the_defaults_and_stay_left_out() {
        let settings: OrganizationSettings = serde_json::from_str("{}").unwrap();
        assert_eq!(settings, OrganizationSettings::default());
        assert!(settings.delegation.own_agents);
        assert!(!serde_json::to_string(&settings).unwrap().contains("language"));
        let text = r##"{"language":"pt","least_assurance":"aal2","allowed_credentials":["passkey"],"branding":{"accent":"#1a5fb4"}}"##;
        let settings: OrganizationSettings = serde_json::from_str(text).unwrap();
        assert_eq!((settings.least_assurance, settings.language), (Assurance::Two, Language::Portuguese));
        let again = serde_json::from_value(serde_json::to_value(&settings).unwrap()).unwrap();
        assert_eq!(settings, again);
    }

    #[test]
    fn an_unknown_setting_is_an_error() {
        for text in [
            r#"{"leastAssurance":"aal2"}"#,
            r#"{"least_assurance":"aal3"}"#,
            r#"{"allowed_credentials":["secret_question"]}"#,
            r#"{"refused_grants":["password"]}"#,
            r#"{"branding":{"css":"x"}}"#,
            r#"{"language":"de"}"#,
        ] {
            assert!(serde_json::from_str::<OrganizationSettings>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_name_cannot_pretend_to_be_another() {
        let name = |text: &str| OrganizationName::try_from(text.to_owned());
        assert_eq!(name("  Padaria São João ").unwrap().as_str(), "Padaria São João");
        for text in ["", "   ", "a\u{202e}b", "a\u{200b}b", "a\nb", "a\0b", &"x".repeat(101)] {
            assert_eq!(name(text), Err(NotAName), "{text:?}");
        }
    }

    #[test]
    fn a_colour_nobody_could_read_on_is_refused() {
        let colour = |text: &str| Colour::try_from(text.to_owned());
        assert_eq!(String::from(colour("#1A5FB4").unwrap()), "#1a5fb4");
        assert!(colour("#767676").is_ok());
        assert_eq!(colour("#777777"), Err(NotAColour::TooLight));
        assert_eq!(colour("#ffff00"), Err(NotAColour::TooLight));
        for text in ["red", "#fff", "1a5fb4", "#1a5fbg", "#+a5fb4", "#1a5fb4;"] {
            assert_eq!(colour(text), Err(NotAColour::Malformed), "{text}");
        }
    }
}
