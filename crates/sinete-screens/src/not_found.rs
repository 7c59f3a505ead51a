//! There is no such page.

use crate::page::{MessageEmblem, MessagePage, PageFrame, render};

/// What the page shows: the way back.
#[derive(Clone, Copy, Debug)]
pub struct NotFoundView;

impl NotFoundView {
    /// The page.
    pub fn page(&self, frame: &PageFrame<'_>) -> String {
        let words = &frame.words().messages;
        render(&MessagePage {
            frame: *frame,
            emblem: MessageEmblem::Lost,
            title: words.not_found,
            detail: words.not_found_detail,
            reference: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brand::PageBranding;
    use crate::language::UiLanguage;

    #[test]
    fn it_says_so_in_both_languages_and_leads_back() {
        for language in UiLanguage::ALL {
            let brand = PageBranding::default();
            let page = NotFoundView.page(&PageFrame::plain(language, "", &brand));
            assert!(page.contains(language.words().messages.not_found));
            assert!(page.contains("href=\"/\""));
        }
    }
}
