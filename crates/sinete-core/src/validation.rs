//! Validation errors of a submitted document: all at once, each with its location.

use crate::limits::DISPLAY_TEXT_CHARACTERS_MAX;
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use unicode_normalization::char::is_combining_mark;

/// A validation error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidationError {
    /// A JSON pointer (RFC 6901) to the location.
    pub pointer: String,
    /// What is wrong, in one sentence. It repeats nothing that the caller sent, except the start of a redirect URI.
    pub text: Cow<'static, str>,
}

/// All validation errors of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValidationErrors(Vec<ValidationError>);

impl ValidationErrors {
    /// Adds an error.
    pub fn add(&mut self, pointer: impl Into<String>, text: impl Into<Cow<'static, str>>) {
        self.0.push(ValidationError { pointer: pointer.into(), text: text.into() });
    }

    /// Checks a display text: not empty, not too long, without misleading characters.
    pub fn check_display_text(&mut self, pointer: &str, text: &str) {
        if !is_display_text(text, DISPLAY_TEXT_CHARACTERS_MAX) {
            let bound = format!(
                "1 to {DISPLAY_TEXT_CHARACTERS_MAX} visible characters without control or direction marks"
            );
            self.add(pointer, bound);
        }
    }

    /// Parses the text, or adds an error that says why it is invalid.
    pub fn parse_text<T>(&mut self, pointer: impl Into<String>, text: &str) -> Option<T>
    where
        T: FromStr<Err: fmt::Display>,
    {
        text.parse().map_err(|err: T::Err| self.add(pointer, err.to_string())).ok()
    }

    /// Adds the errors of a part under its location.
    pub fn add_nested(&mut self, pointer: &str, part: &Self) {
        let nested = |fault: &ValidationError| ValidationError {
            pointer: format!("{pointer}{}", fault.pointer),
            text: fault.text.clone(),
        };
        self.0.extend(part.0.iter().map(nested));
    }

    /// Iterates over the errors in the order they were found.
    pub fn iter(&self) -> impl Iterator<Item = &ValidationError> {
        self.0.iter()
    }

    /// Whether there are no errors.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Whether the text can be displayed: at least one visible character, at most this many characters, and none
/// that makes it look like another text. All names given by users are checked here.
pub fn is_display_text(text: &str, characters_max: usize) -> bool {
    text.chars().count() <= characters_max
        && text.chars().any(is_visible)
        && !text.chars().any(is_misleading_character)
}

/// Whether a character is visible on its own. Combining marks and variation selectors belong to many scripts,
/// but are invisible alone.
fn is_visible(character: char) -> bool {
    let is_blank = matches!(
        character,
        '\u{2800}'
            | '\u{180b}'..='\u{180f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d159}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e000}'..='\u{f8ff}'
            | '\u{fff0}'..='\u{fff8}'
            | '\u{fffe}'..='\u{ffff}'
            | '\u{e0000}'..='\u{10ffff}'
    );
    !is_blank
        && !character.is_whitespace()
        && !is_combining_mark(character)
        && !is_misleading_character(character)
}

/// Whether a character makes a text look like another one: controls, direction marks, invisible joiners.
pub fn is_misleading_character(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{00ad}'
                | '\u{061c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_text_of_invisible_characters_is_refused() {
        for invisible in [
            "",
            " ",
            "\t",
            "\u{a0}",
            "\u{3000}",
            "\u{200b}",
            "\u{200d}\u{200d}",
            "\u{2800}",
            "\u{2800} \u{2800}",
            "\u{fe0f}",
            "\u{34f}",
            "\u{301}",
            "\u{17b4}",
            "\u{180b}",
            "\u{206a}",
            "\u{feff}",
            "\u{3164}",
            "\u{1d173}",
            "\u{e0100}",
            "\u{e0041}",
            "\u{e000}",
            "\u{ffff}",
            "\u{10fffd}",
        ] {
            assert!(!is_display_text(invisible, 100), "{invisible:?}");
            let mut errors = ValidationErrors::default();
            errors.check_display_text("/name", invisible);
            assert!(!errors.is_empty(), "{invisible:?}");
        }
    }

    #[test]
    fn display_text_accepts_names_in_every_script() {
        for name in [
            "x",
            "Zo\u{eb}",
            "Zoe\u{308}",
            "\u{845b}\u{e0100}\u{57ce}",
            "\u{2764}\u{fe0f} Bank",
            "\u{1820}\u{180b}",
            "!",
            "\u{1f600}",
        ] {
            assert!(is_display_text(name, 100), "{name:?}");
        }
        assert!(!is_display_text("abc", 2) && !is_display_text("a\u{202e}b", 100));
    }
}
