//! Something went wrong on our side.

use crate::page::{Emblem, Frame, Message, render};

/// What the page shows: the request's id, for a person to quote, and nothing about the cause.
#[derive(Clone, Copy, Debug)]
pub struct ServerError<'a> {
    /// The request's id.
    pub reference: &'a str,
}

impl ServerError<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = &frame.words().messages;
        let reference = Some(self.reference);
        render(&Message {
            frame: *frame,
            emblem: Emblem::Broken,
            title: words.server_error,
            detail: words.server_error_detail,
            reference,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brand::Brand;
    use crate::language::Language;

    #[test]
    fn it_names_the_reference_in_both_languages_and_escapes_it() {
        for language in Language::ALL {
            let brand = Brand::default();
            let page = ServerError { reference: "01a1<b>" }.page(&Frame::plain(language, "", &brand));
            assert!(page.contains(language.words().messages.server_error));
            assert!(page.contains(language.words().frame.reference) && page.contains("01a1&#60;b&#62;"));
        }
    }
}
