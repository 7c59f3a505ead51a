//! The languages we write to people in.

use serde::{Deserialize, Serialize};

/// A language every message is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Language {
    /// English.
    #[default]
    #[serde(rename = "en")]
    English,
    /// Portuguese.
    #[serde(rename = "pt")]
    Portuguese,
}

impl Language {
    /// Its tag, as BCP 47 writes it.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Portuguese => "pt",
        }
    }
}
