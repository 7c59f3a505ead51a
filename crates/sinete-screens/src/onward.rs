//! The way back to the application. Browsers hold a form to its page's policy through every redirect that follows,
//! and where an application sends people is its own business: so the form ends here, and the way goes on by itself.

use crate::page::{Frame, render};
use crate::words::Words;
use askama::Template;

/// What the page shows: where it goes on, as a path and query below the base address.
#[derive(Clone, Copy, Debug)]
pub struct Onward<'a> {
    /// Where it goes on.
    pub address: &'a str,
    /// The application that waits there.
    pub application: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "onward.html")]
struct Page<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: &'static str,
    view: &'a Onward<'a>,
}

impl Onward<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = frame.words();
        render(&Page { frame, words, title: words.frame.working, view: self })
    }
}
