//! The languages the screens speak.

use crate::locales::{ENGLISH, LocalePhrases, PORTUGUESE};

/// A language every screen is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UiLanguage {
    /// English, which also answers a reader who prefers neither.
    #[default]
    English,
    /// Portuguese, as it is written in Brazil.
    Portuguese,
}

impl UiLanguage {
    /// Every language, in the order they were added.
    pub const ALL: [Self; 2] = [Self::English, Self::Portuguese];

    /// The tag a page declares itself with.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Portuguese => "pt-BR",
        }
    }

    /// What it calls itself.
    pub const fn native_name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Portuguese => "Português",
        }
    }

    /// The phrases of this language.
    pub const fn words(self) -> &'static LocalePhrases {
        match self {
            Self::English => &ENGLISH,
            Self::Portuguese => &PORTUGUESE,
        }
    }
}
