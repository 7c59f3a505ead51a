//! We do not answer right now: too many requests at once, from one network or altogether, or the database is away.

use crate::page::{MessageEmblem, MessagePage, PageFrame, render};

/// Why not. Either way waiting helps.
#[derive(Clone, Copy, Debug)]
pub enum UnavailableReason {
    /// It is our doing.
    Ours,
    /// Too much came from the reader's network.
    TooMany,
}

impl UnavailableReason {
    /// The page.
    pub fn page(&self, frame: &PageFrame<'_>) -> String {
        let words = &frame.words().messages;
        let (title, detail) = match self {
            Self::Ours => (words.unavailable, words.unavailable_detail),
            Self::TooMany => (words.too_many, words.too_many_detail),
        };
        render(&MessagePage { frame: *frame, emblem: MessageEmblem::Later, title, detail, reference: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brand::PageBranding;
    use crate::language::UiLanguage;

    #[test]
    fn it_says_so_in_both_languages() {
        for language in UiLanguage::ALL {
            let brand = PageBranding::default();
            let (frame, words) = (PageFrame::plain(language, "", &brand), &language.words().messages);
            assert!(UnavailableReason::Ours.page(&frame).contains(words.unavailable));
            assert!(UnavailableReason::TooMany.page(&frame).contains(words.too_many));
        }
    }
}
