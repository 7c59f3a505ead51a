//! The languages of the screens.

pub use sinete_locales::Language as UiLanguage;
