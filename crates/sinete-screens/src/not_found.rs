//! There is no such page.

use crate::language::Language;
use crate::page::{Frame, Message, render};

/// What the page shows: the way back.
#[derive(Clone, Copy, Debug)]
pub struct NotFound<'a> {
    /// The path of the base address, without its trailing slash.
    pub base_path: &'a str,
}

impl NotFound<'_> {
    /// The page in that language.
    pub fn page(&self, language: Language) -> String {
        let frame = Frame::new(language, self.base_path);
        render(&Message {
            frame,
            title: frame.words.not_found_title,
            detail: frame.words.not_found_detail,
            reference: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_so_in_both_languages_and_leads_back() {
        for language in Language::ALL {
            let page = NotFound { base_path: "" }.page(language);
            assert!(page.contains(language.words().not_found_title));
            assert!(page.contains("href=\"/\""));
        }
    }
}
