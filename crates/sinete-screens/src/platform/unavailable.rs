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
        let phrases = &frame.phrases().messages;
        let (title, detail) = match self {
            Self::ServiceUnavailable => (phrases.unavailable, phrases.unavailable_detail),
            Self::TooManyRequests => (phrases.too_many, phrases.too_many_detail),
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
            let (frame, phrases) =
                (PageFrame::without_script(language, "", &brand), &language.phrases().messages);
            assert!(UnavailableReason::ServiceUnavailable.render(&frame).contains(phrases.unavailable));
            assert!(UnavailableReason::TooManyRequests.render(&frame).contains(phrases.too_many));
        }
    }
}
