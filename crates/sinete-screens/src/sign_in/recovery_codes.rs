//! The page that shows recovery codes, only once.

use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct RecoveryCodesView<'a> {
    /// The URL to continue at.
    pub continue_url: &'a str,
    /// The codes.
    pub codes: &'a [&'a str],
}

#[derive(Template)]
#[template(path = "recovery_codes.html")]
struct RecoveryCodesPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    /// The codes as the content of a file.
    file: String,
    view: &'a RecoveryCodesView<'a>,
}

impl RecoveryCodesView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&RecoveryCodesPage {
            frame,
            phrases,
            title: phrases.credentials.recovery_title,
            file: self.codes.join("\n"),
            view: self,
        })
    }
}
