//! The languages that all phrases are available in, and the selection of one for a user.

pub use sinete_locales::Language;
