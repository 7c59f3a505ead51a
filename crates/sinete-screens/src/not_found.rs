//! There is no such page.

use crate::page::{Emblem, Frame, Message, render};

/// What the page shows: the way back.
#[derive(Clone, Copy, Debug)]
pub struct NotFound;

impl NotFound {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = &frame.words().messages;
        render(&Message {
            frame: *frame,
            emblem: Emblem::Lost,
            title: words.not_found,
            detail: words.not_found_detail,
            reference: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brand::Brand;
    use crate::language::Language;

    #[test]
    fn it_says_so_in_both_languages_and_leads_back() {
        for language in Language::ALL {
            let brand = Brand::default();
            let page = NotFound.page(&Frame::plain(language, "", &brand));
            assert!(page.contains(language.words().messages.not_found));
            assert!(page.contains("href=\"/\""));
        }
    }
}
