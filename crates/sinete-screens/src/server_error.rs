//! Something went wrong on our side.

use crate::language::Language;
use crate::page::{Frame, Message, render};

/// What the page shows: the request's id, for a person to quote, and nothing about the cause.
#[derive(Clone, Copy, Debug)]
pub struct ServerError<'a> {
    /// The path of the base address, without its trailing slash.
    pub base_path: &'a str,
    /// The request's id.
    pub reference: &'a str,
}

impl ServerError<'_> {
    /// The page in that language.
    pub fn page(&self, language: Language) -> String {
        let frame = Frame::new(language, self.base_path);
        render(&Message {
            frame,
            title: frame.words.server_error_title,
            detail: frame.words.server_error_detail,
            reference: Some(self.reference),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_names_the_reference_in_both_languages_and_escapes_it() {
        for language in Language::ALL {
            let page = ServerError { base_path: "", reference: "01a1<b>" }.page(language);
            assert!(page.contains(language.words().server_error_title));
            assert!(page.contains(language.words().reference) && page.contains("01a1&#60;b&#62;"));
        }
    }
}
