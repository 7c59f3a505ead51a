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

impl DevMailLine<'_> {
    /// The text in parts, of which the URLs are links.
    fn text_parts(&self) -> Vec<(&str, bool)> {
        let is_url = |part: &str| part.starts_with("http://") || part.starts_with("https://");
        // The white space after each word stays with it, so that nothing of the text is lost.
        self.text
            .split_inclusive(char::is_whitespace)
            .flat_map(|part| {
                let word = part.trim_end();
                [(word, is_url(word)), (&part[word.len()..], false)]
            })
            .filter(|(part, _)| !part.is_empty())
            .collect()
    }
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
        render_template(&DevMailPage { frame, title: frame.phrases().dev_mail.title, lines: self.lines })
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
            assert!(!page.contains("<a href=\"javascript"), "{page}");
            let empty = DevMailView { lines: &[] }.render(&frame);
            assert!(empty.contains(language.phrases().dev_mail.empty));
        }
    }

    #[test]
    fn dev_mailbox_urls_are_links_and_the_text_is_complete() {
        let text = "Open this link:\n\nhttps://id.example/accept?a=1&b=\"2\"\n\njavascript:alert(1) end";
        let line = DevMailLine { id: "one".to_owned(), to: "ana@example.com", subject: "Hello", text };
        let parts = line.text_parts();
        assert_eq!(parts.iter().map(|(part, _)| *part).collect::<String>(), text);
        let links: Vec<&str> = parts.iter().filter(|(_, is)| *is).map(|(part, _)| *part).collect();
        assert_eq!(links, ["https://id.example/accept?a=1&b=\"2\""]);
        let brand = PageBranding::default();
        let frame = PageFrame::without_script(UiLanguage::English, "", &brand);
        let page = DevMailView { lines: &[line] }.render(&frame);
        assert!(page.contains("<a href=\"https://id.example/accept?a=1&#38;b=&#34;2&#34;\""), "{page}");
    }
}
