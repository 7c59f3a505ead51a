//! We cannot answer right now: too many requests at once, or the database is away.

use crate::language::Language;
use crate::page::{Frame, Message, render};

/// What the page shows: that waiting helps.
#[derive(Clone, Copy, Debug)]
pub struct Unavailable<'a> {
    /// The path of the base address, without its trailing slash.
    pub base_path: &'a str,
}

impl Unavailable<'_> {
    /// The page in that language.
    pub fn page(&self, language: Language) -> String {
        let frame = Frame::new(language, self.base_path);
        render(&Message {
            frame,
            title: frame.words.unavailable_title,
            detail: frame.words.unavailable_detail,
            reference: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_so_in_both_languages() {
        for language in Language::ALL {
            let page = Unavailable { base_path: "" }.page(language);
            assert!(page.contains(language.words().unavailable_title));
        }
    }
}
