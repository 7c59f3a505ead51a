//! The page for overload, rate limits and an unavailable database.

use crate::page::{MessageEmblem, MessagePage, PageFrame, render_template};

/// Why the service is unavailable. In both cases, waiting helps.
#[derive(Clone, Copy, Debug)]
pub enum UnavailableReason {
    /// The service or its database is unavailable.
    ServiceUnavailable,
    /// Too many requests from the user's network.
    TooManyRequests,
}

impl UnavailableReason {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = &frame.words().messages;
        let (title, detail) = match self {
            Self::ServiceUnavailable => (words.unavailable, words.unavailable_detail),
            Self::TooManyRequests => (words.too_many, words.too_many_detail),
        };
        render_template(&MessagePage {
            frame: *frame,
            emblem: MessageEmblem::Wait,
            title,
            detail,
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
    fn unavailable_page_is_localized() {
        for language in UiLanguage::ALL {
            let brand = PageBranding::default();
            let (frame, words) =
                (PageFrame::without_script(language, "", &brand), &language.phrases().messages);
            assert!(UnavailableReason::ServiceUnavailable.render(&frame).contains(words.unavailable));
            assert!(UnavailableReason::TooManyRequests.render(&frame).contains(words.too_many));
        }
    }
}
