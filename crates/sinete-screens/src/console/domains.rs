//! The domains that an organization proves to be its own, each with the record that proves it.

use super::notices::ConsoleField;
use super::{ConsoleLayout, ListPaging};
use crate::display_time::DisplayTime;
use crate::locales::{LocalePhrases, with_value};
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct DomainListView<'a> {
    /// What stands around it.
    pub desk: ConsoleLayout<'a>,
    /// The domains on this page.
    pub domains: &'a [DomainItem<'a>],
    /// Where the list goes on.
    pub pages: ListPaging<'a>,
    /// Whether the person may change any of it.
    pub may_change: bool,
    /// The domain, as it was typed.
    pub typed: &'a str,
}

/// A domain.
#[derive(Clone, Copy, Debug)]
pub struct DomainItem<'a> {
    /// What the form names it by.
    pub id: &'a str,
    /// What it is called in its own script.
    pub name: &'a str,
    /// How it stands.
    pub state: DomainState,
    /// Since when.
    pub since: DisplayTime,
    /// The name of the record that proves it.
    pub record_name: &'a str,
    /// The value of that record.
    pub record_value: &'a str,
}

/// How a domain stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DomainState {
    /// Its record was not seen yet.
    Pending,
    /// It is proven.
    Verified,
    /// It counts, and its record is gone.
    Missing,
}

#[derive(Template)]
#[template(path = "console/domains.html")]
struct DomainListPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    desk: &'a ConsoleLayout<'a>,
    view: &'a DomainListView<'a>,
}

impl DomainListView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        render_template(&DomainListPage {
            frame,
            words,
            title: words.domains.title,
            desk: &self.desk,
            view: self,
        })
    }
}

impl DomainItem<'_> {
    pub(crate) fn state_text(&self, frame: &PageFrame<'_>) -> String {
        let words = &frame.words().domains;
        let phrase = match self.state {
            DomainState::Pending => words.since,
            DomainState::Verified => words.proven_on,
            DomainState::Missing => words.missing_since,
        };
        with_value(phrase, self.since.day(frame.language))
    }
}
