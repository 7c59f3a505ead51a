//! The codes for the day the rest is lost, shown once.

use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct RecoveryCodesView<'a> {
    /// Where to go on.
    pub done: &'a str,
    /// The codes.
    pub codes: &'a [&'a str],
}

#[derive(Template)]
#[template(path = "recovery_codes.html")]
struct RecoveryCodesPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    view: &'a RecoveryCodesView<'a>,
}

impl RecoveryCodesView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        render_template(&RecoveryCodesPage {
            frame,
            words,
            title: words.credentials.recovery_title,
            view: self,
        })
    }
}
