//! The mailbox of a development instance, as a page.

use crate::page::{PageFrame, render};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct DevMailView<'a> {
    /// The messages, newest first.
    pub lines: &'a [DevMailLine<'a>],
}

/// One message.
#[derive(Clone, Debug)]
pub struct DevMailLine<'a> {
    /// Its id.
    pub id: String,
    /// To whom.
    pub to: &'a str,
    /// About what.
    pub subject: &'a str,
    /// What it says.
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
    /// The page.
    pub fn page(&self, frame: &PageFrame<'_>) -> String {
        render(&DevMailPage { frame, title: frame.words().dev_mail.title, lines: self.lines })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brand::PageBranding;
    use crate::language::UiLanguage;

    #[test]
    fn every_message_is_listed_with_the_way_to_it_and_none_becomes_markup() {
        let line = |id: &str| DevMailLine {
            id: id.to_owned(),
            to: "ana@example.com",
            subject: "<b>Hello</b>",
            text: "<script>alert(1)</script>",
        };
        let brand = PageBranding::default();
        for language in UiLanguage::ALL {
            let frame = PageFrame::plain(language, "/id", &brand);
            let page = DevMailView { lines: &[line("one"), line("two")] }.page(&frame);
            assert!(page.contains("href=\"/id/dev/mail/one\"") && page.contains("href=\"/id/dev/mail/two\""));
            assert!(page.contains("ana@example.com") && !page.contains("<b>") && !page.contains("<script"));
            let empty = DevMailView { lines: &[] }.page(&frame);
            assert!(empty.contains(language.words().dev_mail.empty));
        }
    }
}
