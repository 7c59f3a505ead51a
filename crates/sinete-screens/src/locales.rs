//! The phrases of the screens. They are in the message files of `sinete-locales`.

pub use sinete_locales::{EventKindPhrases, HealthPhrases, LocalePhrases};
