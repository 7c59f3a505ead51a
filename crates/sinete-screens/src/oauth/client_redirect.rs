//! The way back to the application. Browsers hold a form to its page's policy through every redirect that follows,
//! and where an application sends people is its own business: so the form ends here, and the way goes on by itself.

use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page shows: where it goes on, as a path and query below the base address.
#[derive(Clone, Copy, Debug)]
pub struct ContinueView<'a> {
    /// Where it goes on.
    pub address: &'a str,
    /// The application that waits there.
    pub application: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "onward.html")]
struct ContinuePage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    view: &'a ContinueView<'a>,
}

impl ContinueView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        render_template(&ContinuePage { frame, words, title: words.frame.working, view: self })
    }
}
