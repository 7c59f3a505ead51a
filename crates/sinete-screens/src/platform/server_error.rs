//! The page for internal errors.

use crate::page::{MessageEmblem, MessagePage, PageFrame, render_template};

/// The content of the page: the request id for support, and nothing about the cause.
#[derive(Clone, Copy, Debug)]
pub struct ServerErrorView<'a> {
    /// The request id.
    pub reference: &'a str,
}

impl ServerErrorView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = &frame.phrases().messages;
        let reference = Some(self.reference);
        render_template(&MessagePage {
            frame: *frame,
            emblem: MessageEmblem::Error,
            title: phrases.server_error,
            detail: phrases.server_error_detail,
            reference,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::branding::PageBranding;
    use crate::language::UiLanguage;

    #[test]
    fn server_error_page_shows_its_escaped_reference_in_every_language() {
        for language in UiLanguage::ALL {
            let brand = PageBranding::default();
            let page = ServerErrorView { reference: "01a1<b>" }
                .render(&PageFrame::without_script(language, "", &brand));
            assert!(page.contains(language.phrases().messages.server_error));
            assert!(page.contains(language.phrases().frame.reference) && page.contains("01a1&#60;b&#62;"));
        }
    }
}
