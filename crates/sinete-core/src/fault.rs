//! What is wrong with a document somebody handed in: every fault at once, each with its place.

use crate::limits::DISPLAY_TEXT_CHARACTERS_MAX;
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// One thing that is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// A JSON pointer (RFC 6901) to the place.
    pub pointer: String,
    /// What is wrong there, in one sentence without anything the caller sent.
    pub text: Cow<'static, str>,
}

/// Everything that is wrong with one document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// One more.
    pub fn add(&mut self, pointer: impl Into<String>, text: impl Into<Cow<'static, str>>) {
        self.0.push(Fault { pointer: pointer.into(), text: text.into() });
    }

    /// A text that people will read must be there, be short and not mislead.
    pub fn display_text(&mut self, pointer: &str, text: &str) {
        let fits = (1..=DISPLAY_TEXT_CHARACTERS_MAX).contains(&text.chars().count());
        if !fits || text.trim().is_empty() || text.chars().any(misleads) {
            let bound =
                format!("1 to {DISPLAY_TEXT_CHARACTERS_MAX} characters without control or direction marks");
            self.add(pointer, bound);
        }
    }

    /// The text as what it must be, or one more fault that says why it cannot be.
    pub fn read<T>(&mut self, pointer: impl Into<String>, text: &str) -> Option<T>
    where
        T: FromStr<Err: fmt::Display>,
    {
        text.parse().map_err(|why: T::Err| self.add(pointer, why.to_string())).ok()
    }

    /// The faults of a part, under the place where the part stands.
    pub fn nest(&mut self, pointer: &str, part: &Self) {
        let nested = |fault: &Fault| Fault {
            pointer: format!("{pointer}{}", fault.pointer),
            text: fault.text.clone(),
        };
        self.0.extend(part.0.iter().map(nested));
    }

    /// The faults, in the order they were found.
    pub fn iter(&self) -> impl Iterator<Item = &Fault> {
        self.0.iter()
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Characters that make a text look like another one: controls, direction marks, invisible joiners.
pub fn misleads(character: char) -> bool {
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
                | '\u{2060}'..='\u{2069}'
                | '\u{3164}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}
