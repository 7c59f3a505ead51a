//! We cannot answer right now: too many requests at once, or the database is away.

use crate::page::{Frame, Message, render};

/// What the page shows: that waiting helps.
#[derive(Clone, Copy, Debug)]
pub struct Unavailable;

impl Unavailable {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = &frame.words().messages;
        render(&Message {
            frame: *frame,
            title: words.unavailable,
            detail: words.unavailable_detail,
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
    fn it_says_so_in_both_languages() {
        for language in Language::ALL {
            let brand = Brand::default();
            let page = Unavailable.page(&Frame::plain(language, "", &brand));
            assert!(page.contains(language.words().messages.unavailable));
        }
    }
}
