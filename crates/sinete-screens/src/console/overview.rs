//! What an organization is, and what the person may do in it.

use super::ConsoleLayout;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct OverviewView<'a> {
    /// What stands around it.
    pub desk: ConsoleLayout<'a>,
    /// The organization's id.
    pub id: &'a str,
    /// The person's roles in it.
    pub roles: &'a str,
    /// What they allow, in plain words.
    pub may: &'a [&'a str],
}

#[derive(Template)]
#[template(path = "console/overview.html")]
struct OverviewPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'a str,
    desk: &'a ConsoleLayout<'a>,
    view: &'a OverviewView<'a>,
}

impl OverviewView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let (words, desk) = (frame.words(), &self.desk);
        render_template(&OverviewPage { frame, words, title: desk.organization, desk, view: self })
    }
}
