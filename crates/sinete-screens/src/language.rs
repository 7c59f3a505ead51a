//! The languages of the screens.

/// A language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UiLanguage {
    /// English, also the default.
    #[default]
    English,
    /// Brazilian Portuguese.
    Portuguese,
}

impl UiLanguage {
    /// All languages, in the order they were added.
    pub const ALL: [Self; 2] = [Self::English, Self::Portuguese];

    /// The BCP 47 tag.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Portuguese => "pt-BR",
        }
    }

    /// The native name.
    pub const fn native_name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Portuguese => "Português",
        }
    }
}
