//! We do not answer right now: too many requests at once, from one network or altogether, or the database is away.

use crate::page::{Emblem, Frame, Message, render};

/// Why not. Either way waiting helps.
#[derive(Clone, Copy, Debug)]
pub enum Unavailable {
    /// It is our doing.
    Ours,
    /// Too much came from the reader's network.
    TooMany,
}

impl Unavailable {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = &frame.words().messages;
        let (title, detail) = match self {
            Self::Ours => (words.unavailable, words.unavailable_detail),
            Self::TooMany => (words.too_many, words.too_many_detail),
        };
        render(&Message { frame: *frame, emblem: Emblem::Later, title, detail, reference: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brand::Brand;
    use crate::language::Language;

    #[test]
    fn it_says_so_in_both_languages() {
        for language in Language::ALL {
            let brand = Brand::default();
            let (frame, words) = (Frame::plain(language, "", &brand), &language.words().messages);
            assert!(Unavailable::Ours.page(&frame).contains(words.unavailable));
            assert!(Unavailable::TooMany.page(&frame).contains(words.too_many));
        }
    }
}
