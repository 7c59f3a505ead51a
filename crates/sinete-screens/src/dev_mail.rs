//! The mailbox of a development instance, as a page.

use crate::page::{Frame, render};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct DevMail<'a> {
    /// The messages, newest first.
    pub lines: &'a [Line<'a>],
}

/// One message.
#[derive(Clone, Debug)]
pub struct Line<'a> {
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
    frame: &'a Frame<'a>,
    title: &'static str,
    lines: &'a [Line<'a>],
}

impl DevMail<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        render(&DevMailPage { frame, title: frame.words().dev_mail.title, lines: self.lines })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brand::Brand;
    use crate::language::Language;

    #[test]
    fn every_message_is_listed_with_the_way_to_it_and_none_becomes_markup() {
        let line = |id: &str| Line {
            id: id.to_owned(),
            to: "ana@example.com",
            subject: "<b>Hello</b>",
            text: "<script>alert(1)</script>",
        };
        let brand = Brand::default();
        for language in Language::ALL {
            let frame = Frame::plain(language, "/id", &brand);
            let page = DevMail { lines: &[line("one"), line("two")] }.page(&frame);
            assert!(page.contains("href=\"/id/dev/mail/one\"") && page.contains("href=\"/id/dev/mail/two\""));
            assert!(page.contains("ana@example.com") && !page.contains("<b>") && !page.contains("<script"));
            let empty = DevMail { lines: &[] }.page(&frame);
            assert!(empty.contains(language.words().dev_mail.empty));
        }
    }
}
