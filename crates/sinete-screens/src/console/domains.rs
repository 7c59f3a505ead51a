//! The domains of an organization, each with the TXT record that verifies it.

use super::notices::ConsoleField;
use super::{ConsoleLayout, ListPaging};
use crate::display_time::DisplayTime;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct DomainListView<'a> {
    /// The console layout.
    pub layout: ConsoleLayout<'a>,
    /// The domains on this page.
    pub domains: &'a [DomainItem<'a>],
    /// The pagination of the list.
    pub pages: ListPaging<'a>,
    /// Whether the user may change domains.
    pub may_change: bool,
    /// The domain, as entered.
    pub domain_input: &'a str,
    /// Whether the instance runs in development mode.
    pub is_development: bool,
}

/// A domain.
#[derive(Clone, Copy, Debug)]
pub struct DomainItem<'a> {
    /// The id that the form submits.
    pub id: &'a str,
    /// The name in Unicode.
    pub name: &'a str,
    /// The state.
    pub state: DomainState,
    /// The date of the state.
    pub since: DisplayTime,
    /// The name of the TXT record.
    pub record_name: &'a str,
    /// The value of the TXT record.
    pub record_value: &'a str,
}

/// The state of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DomainState {
    /// Unverified.
    Pending,
    /// Verified.
    Verified,
    /// Verified, but the record is missing.
    Missing,
}

#[derive(Template)]
#[template(path = "console/domains.html")]
struct DomainListPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    layout: &'a ConsoleLayout<'a>,
    view: &'a DomainListView<'a>,
}

impl DomainListView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&DomainListPage {
            frame,
            phrases,
            title: phrases.domains.title,
            layout: &self.layout,
            view: self,
        })
    }
}

impl DomainItem<'_> {
    pub(crate) fn state_text(&self, frame: &PageFrame<'_>) -> String {
        let phrases = &frame.phrases().domains;
        let day = self.since.day(frame.language);
        match self.state {
            DomainState::Pending => phrases.since(day),
            DomainState::Verified => phrases.proven_on(day),
            DomainState::Missing => phrases.missing_since(day),
        }
    }
}
