//! The languages, and every phrase of screens and e-mail in each of them. The phrases are in `locales/`, one
//! file for each language in the syntax of Project Fluent; the build checks and compiles them.

mod descriptions;
mod event_kinds;
mod mail;
mod months;
mod negotiation;
mod phrase;
mod roles;

pub use mail::{MailPart, MailTemplate, MailText};
pub use phrase::PluralCount;

use phrase::{PhrasePart, PhraseValue, PluralKey, PluralRule, render_phrase, split_phrase};

include!(concat!(env!("OUT_DIR"), "/phrases.rs"));

impl Language {
    /// The language's own name.
    pub const fn native_name(self) -> &'static str {
        self.phrases().language.name
    }

    /// Every value that the APIs accept for a language: the stored values, and the tags that differ from them.
    pub fn values() -> Vec<&'static str> {
        let tags = Self::ALL
            .into_iter()
            .map(Self::tag)
            .filter(|tag| Self::ALL.into_iter().all(|language| language.stored_value() != *tag));
        Self::ALL.into_iter().map(Self::stored_value).chain(tags).collect()
    }

    /// The English or the Portuguese text, for what is stored in these two languages only: the descriptions in
    /// the API catalog.
    pub const fn choose_description<T: Copy>(self, english: T, portuguese: T) -> T {
        if self.uses_portuguese_descriptions() { portuguese } else { english }
    }

    /// Whether the Portuguese one of two descriptions is read in this language.
    pub const fn uses_portuguese_descriptions(self) -> bool {
        matches!(self.tag().as_bytes(), [b'p', b't', ..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_files_use_typographic_apostrophes() {
        for language in Language::ALL {
            let path = format!("{}/locales/{}.ftl", env!("CARGO_MANIFEST_DIR"), language.tag());
            let text = std::fs::read_to_string(path).unwrap();
            let phrases = text.lines().filter(|line| !line.starts_with('#'));
            for phrase in phrases {
                assert!(!phrase.contains('\''), "{}: {phrase}", language.tag());
            }
        }
    }

    #[test]
    fn language_values_of_the_api_are_the_stored_ones_and_every_tag() {
        assert_eq!(Language::values(), ["en", "pt", "pt-PT", "es", "pt-BR"]);
        assert_eq!(Language::Portuguese.choose_description(1, 2), 2);
        assert_eq!(Language::EuropeanPortuguese.choose_description(1, 2), 2);
        assert_eq!(Language::Spanish.choose_description(1, 2), 1);
    }
}
