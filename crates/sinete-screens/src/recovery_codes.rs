//! The codes for the day the rest is lost, shown once.

use crate::page::{Frame, render};
use crate::words::Words;
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct RecoveryCodes<'a> {
    /// Where to go on.
    pub done: &'a str,
    /// The codes.
    pub codes: &'a [&'a str],
}

#[derive(Template)]
#[template(path = "recovery_codes.html")]
struct Page<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: &'static str,
    view: &'a RecoveryCodes<'a>,
}

impl RecoveryCodes<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = frame.words();
        render(&Page { frame, words, title: words.credentials.recovery_title, view: self })
    }
}
