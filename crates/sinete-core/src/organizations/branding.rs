//! Branding of the hosted pages: name, colours and logo. It can neither make a page unreadable nor change its
//! text.

pub mod logo;

use super::settings::OrganizationName;
use crate::json_schema::impl_value_schema;
use crate::limits::{ACCENT_COLOR_CONTRAST_MIN_TENTHS, BACKGROUND_COLOR_CONTRAST_MIN_TENTHS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Branding of the hosted pages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(inline)]
pub struct BrandingSettings {
    /// The displayed name, if it differs from the organization's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<OrganizationName>,
    /// The colour of buttons and links.
    #[schemars(description = "A color on which white text is readable, such as #1a5fb4.")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accent: Option<AccentColor>,
    /// The background colour of the light theme.
    #[schemars(description = "A light background color, such as #eef2ff. The dark theme does not use it.")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background: Option<BackgroundColor>,
}

impl BrandingSettings {
    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        self == &Self::default()
    }
}

/// A colour with enough contrast to white text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AccentColor([u8; 3]);

/// A colour with enough contrast to black and dark grey text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BackgroundColor([u8; 3]);

/// Why a colour is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidColor {
    /// It is not six hexadecimal digits.
    #[error("must be a color such as #1a5fb4")]
    Malformed,
    /// Its contrast to white text is too low.
    #[error("has less contrast than 4.5 to 1 with white text; choose a darker color")]
    TooLight,
    /// Its contrast to black text is too low.
    #[error("has less contrast than 12 to 1 with black text; choose a lighter color")]
    TooDark,
}

impl_value_schema!(AccentColor, {"type": "string", "pattern": "^#[0-9a-fA-F]{6}$"});
impl_value_schema!(BackgroundColor, {"type": "string", "pattern": "^#[0-9a-fA-F]{6}$"});

impl TryFrom<String> for AccentColor {
    type Error = InvalidColor;

    fn try_from(text: String) -> Result<Self, InvalidColor> {
        let colour = parse_color(&text)?;
        let contrast = 1.05 / (luminance(colour) + 0.05);
        let is_dark = contrast * 10.0 >= f64::from(ACCENT_COLOR_CONTRAST_MIN_TENTHS);
        if is_dark { Ok(Self(colour)) } else { Err(InvalidColor::TooLight) }
    }
}

impl TryFrom<String> for BackgroundColor {
    type Error = InvalidColor;

    fn try_from(text: String) -> Result<Self, InvalidColor> {
        let colour = parse_color(&text)?;
        let contrast = (luminance(colour) + 0.05) / 0.05;
        let is_light = contrast * 10.0 >= f64::from(BACKGROUND_COLOR_CONTRAST_MIN_TENTHS);
        if is_light { Ok(Self(colour)) } else { Err(InvalidColor::TooDark) }
    }
}

impl From<AccentColor> for String {
    fn from(AccentColor(colour): AccentColor) -> Self {
        format_color(colour)
    }
}

impl From<BackgroundColor> for String {
    fn from(BackgroundColor(colour): BackgroundColor) -> Self {
        format_color(colour)
    }
}

fn format_color([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn parse_color(text: &str) -> Result<[u8; 3], InvalidColor> {
    let digits = text.strip_prefix('#').ok_or(InvalidColor::Malformed)?;
    if digits.len() != 6 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(InvalidColor::Malformed);
    }
    let number = u32::from_str_radix(digits, 16).map_err(|_| InvalidColor::Malformed)?;
    let [_, red, green, blue] = number.to_be_bytes();
    Ok([red, green, blue])
}

/// Relative luminance, from which WCAG 2.2 §1.4.3 computes contrast: (lighter + 0.05) / (darker + 0.05).
fn luminance(colour: [u8; 3]) -> f64 {
    let channel = |value: u8| {
        let value = f64::from(value) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    let [red, green, blue] = colour.map(channel);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accent_color_with_insufficient_contrast_is_refused() {
        let colour = |text: &str| AccentColor::try_from(text.to_owned());
        assert_eq!(String::from(colour("#1A5FB4").unwrap()), "#1a5fb4");
        assert!(colour("#767676").is_ok());
        assert_eq!(colour("#777777"), Err(InvalidColor::TooLight));
        assert_eq!(colour("#ffff00"), Err(InvalidColor::TooLight));
        for text in ["red", "#fff", "1a5fb4", "#1a5fbg", "#+a5fb4", "#1a5fb4;"] {
            assert_eq!(colour(text), Err(InvalidColor::Malformed), "{text}");
        }
    }

    #[test]
    fn background_color_must_be_light() {
        let background = |text: &str| BackgroundColor::try_from(text.to_owned());
        assert_eq!(String::from(background("#EEF2FF").unwrap()), "#eef2ff");
        assert_eq!(background("#1a5fb4"), Err(InvalidColor::TooDark));
        assert_eq!(background("#a0a0a0"), Err(InvalidColor::TooDark));
        assert_eq!(background("white"), Err(InvalidColor::Malformed));
    }
}
