//! Something went wrong on our side.

use crate::page::{MessageEmblem, MessagePage, PageFrame, render};

/// What the page shows: the request's id, for a person to quote, and nothing about the cause.
#[derive(Clone, Copy, Debug)]
pub struct ServerErrorView<'a> {
    /// The request's id.
    pub reference: &'a str,
}

impl ServerErrorView<'_> {
    /// The page.
    pub fn page(&self, frame: &PageFrame<'_>) -> String {
        let words = &frame.words().messages;
        let reference = Some(self.reference);
        render(&MessagePage {
            frame: *frame,
            emblem: MessageEmblem::Broken,
            title: words.server_error,
            detail: words.server_error_detail,
            reference,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brand::PageBranding;
    use crate::language::UiLanguage;

    #[test]
    fn it_names_the_reference_in_both_languages_and_escapes_it() {
        for language in UiLanguage::ALL {
            let brand = PageBranding::default();
            let page = ServerErrorView { reference: "01a1<b>" }.page(&PageFrame::plain(language, "", &brand));
            assert!(page.contains(language.words().messages.server_error));
            assert!(page.contains(language.words().frame.reference) && page.contains("01a1&#60;b&#62;"));
        }
    }
}
