//! The redirect back to the application. Browsers apply a page's `form-action` policy to all redirects after
//! a form, and that policy cannot list every application's redirect URI. Therefore the form ends at this
//! page, which then continues with a refresh.

use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct ContinueView<'a> {
    /// The path and query to continue at, below the base URL.
    pub address: &'a str,
    /// The name of the application.
    pub application: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "redirect.html")]
struct ContinuePage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    view: &'a ContinueView<'a>,
}

impl ContinueView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&ContinuePage { frame, phrases, title: phrases.frame.working, view: self })
    }
}
