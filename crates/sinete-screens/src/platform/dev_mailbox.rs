//! The mailbox page of a development instance.

use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct DevMailView<'a> {
    /// The messages, newest first.
    pub lines: &'a [DevMailLine<'a>],
}

/// A message.
#[derive(Clone, Debug)]
pub struct DevMailLine<'a> {
    /// Its id.
    pub id: String,
    /// The recipient.
    pub to: &'a str,
    /// The subject.
    pub subject: &'a str,
    /// The text.
    pub text: &'a str,
}

#[derive(Template)]
#[template(path = "dev_mail.html")]
struct DevMailPage<'a> {
    frame: &'a PageFrame<'a>,
    title: &'static str,
    lines: &'a [DevMailLine<'a>],
}

impl DevMailView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        render_template(&DevMailPage { frame, title: frame.words().dev_mail.title, lines: self.lines })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::branding::PageBranding;
    use crate::language::UiLanguage;

    #[test]
    fn dev_mailbox_page_lists_messages_escaped() {
        let line = |id: &str| DevMailLine {
            id: id.to_owned(),
            to: "ana@example.com",
            subject: "<b>Hello</b>",
            text: "<script>alert(1)</script>",
        };
        let brand = PageBranding::default();
        for language in UiLanguage::ALL {
            let frame = PageFrame::without_script(language, "/id", &brand);
            let page = DevMailView { lines: &[line("one"), line("two")] }.render(&frame);
            assert!(page.contains("href=\"/id/dev/mail/one\"") && page.contains("href=\"/id/dev/mail/two\""));
            assert!(page.contains("ana@example.com") && !page.contains("<b>") && !page.contains("<script"));
            let empty = DevMailView { lines: &[] }.render(&frame);
            assert!(empty.contains(language.phrases().dev_mail.empty));
        }
    }
}
