//! A short text in the profile of an account or of a member.

use crate::json_schema::impl_value_schema;
use crate::limits::DISPLAY_TEXT_CHARACTERS_MAX;
use crate::validation::is_display_text;
use serde::{Deserialize, Serialize};

/// A short profile text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ProfileText(Box<str>);

impl_value_schema!(ProfileText, {
    "type": "string", "minLength": 1, "maxLength": DISPLAY_TEXT_CHARACTERS_MAX,
});

/// The text is not valid in a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("1 to {DISPLAY_TEXT_CHARACTERS_MAX} visible characters without control or direction marks")]
pub struct InvalidProfileText;

impl ProfileText {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ProfileText {
    type Error = InvalidProfileText;

    fn try_from(text: String) -> Result<Self, InvalidProfileText> {
        let trimmed = text.trim();
        let fits = is_display_text(trimmed, DISPLAY_TEXT_CHARACTERS_MAX);
        if fits { Ok(Self(trimmed.into())) } else { Err(InvalidProfileText) }
    }
}
impl From<ProfileText> for String {
    fn from(text: ProfileText) -> Self {
        text.0.into()
    }
}
