//! The page for 404.

use crate::page::{MessageEmblem, MessagePage, PageFrame, render_template};

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct NotFoundView;

impl NotFoundView {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = &frame.phrases().messages;
        render_template(&MessagePage {
            frame: *frame,
            emblem: MessageEmblem::NotFound,
            title: phrases.not_found,
            detail: phrases.not_found_detail,
            reference: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::branding::PageBranding;
    use crate::language::UiLanguage;

    #[test]
    fn not_found_page_is_localized_and_links_back() {
        for language in UiLanguage::ALL {
            let brand = PageBranding::default();
            let page = NotFoundView.render(&PageFrame::without_script(language, "", &brand));
            assert!(page.contains(language.phrases().messages.not_found));
            assert!(page.contains("href=\"/\""));
        }
    }
}
