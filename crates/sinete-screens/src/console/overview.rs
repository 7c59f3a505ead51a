//! What an organization is, and what the person may do in it.

use super::Desk;
use crate::page::{Frame, render};
use crate::words::Words;
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct Overview<'a> {
    /// What stands around it.
    pub desk: Desk<'a>,
    /// The organization's id.
    pub id: &'a str,
    /// The person's roles in it.
    pub roles: &'a str,
    /// What they allow, in plain words.
    pub may: &'a [&'a str],
}

#[derive(Template)]
#[template(path = "console/overview.html")]
struct Page<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: &'a str,
    desk: &'a Desk<'a>,
    view: &'a Overview<'a>,
}

impl Overview<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let (words, desk) = (frame.words(), &self.desk);
        render(&Page { frame, words, title: desk.organization, desk, view: self })
    }
}
