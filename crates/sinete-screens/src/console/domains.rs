//! The domains that an organization proves to be its own, each with the record that proves it.

use super::said::Field;
use super::{Desk, Pages};
use crate::moment::Moment;
use crate::page::{Frame, render};
use crate::words::{Words, with};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct Domains<'a> {
    /// What stands around it.
    pub desk: Desk<'a>,
    /// The domains on this page.
    pub domains: &'a [Domain<'a>],
    /// Where the list goes on.
    pub pages: Pages<'a>,
    /// Whether the person may change any of it.
    pub may_change: bool,
    /// The domain, as it was typed.
    pub typed: &'a str,
}

/// A domain.
#[derive(Clone, Copy, Debug)]
pub struct Domain<'a> {
    /// What the form names it by.
    pub id: &'a str,
    /// What it is called in its own script.
    pub name: &'a str,
    /// How it stands.
    pub state: State,
    /// Since when.
    pub since: Moment,
    /// The name of the record that proves it.
    pub record_name: &'a str,
    /// The value of that record.
    pub record_value: &'a str,
}

/// How a domain stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Its record was not seen yet.
    Waits,
    /// It is proven.
    Proven,
    /// It counts, and its record is gone.
    Missing,
}

#[derive(Template)]
#[template(path = "console/domains.html")]
struct Page<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: &'static str,
    desk: &'a Desk<'a>,
    view: &'a Domains<'a>,
}

impl Domains<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = frame.words();
        render(&Page { frame, words, title: words.domains.title, desk: &self.desk, view: self })
    }
}

impl Domain<'_> {
    pub(crate) fn stands(&self, frame: &Frame<'_>) -> String {
        let words = &frame.words().domains;
        let phrase = match self.state {
            State::Waits => words.since,
            State::Proven => words.proven_on,
            State::Missing => words.missing_since,
        };
        with(phrase, self.since.day(frame.language))
    }
}
