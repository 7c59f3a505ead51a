//! Who belongs to an organization.

use super::notices::ConsoleField;
use super::{ConsoleLayout, ListPaging};
use crate::locales::{LocalePhrases, with_value};
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct MemberListView<'a> {
    /// What stands around it.
    pub desk: ConsoleLayout<'a>,
    /// The members on this page.
    pub members: &'a [MemberItem<'a>],
    /// Where the list goes on.
    pub pages: ListPaging<'a>,
    /// What is looked for, as it was typed; empty, where everybody is shown.
    pub search: &'a str,
    /// Whether the search stopped before its end, and goes on where somebody says so.
    pub further: bool,
    /// Whether there are members who cannot be found yet.
    pub early: bool,
}

/// A member, in one line.
#[derive(Clone, Copy, Debug)]
pub struct MemberItem<'a> {
    /// What it is found under.
    pub id: &'a str,
    /// What it is called; empty, where nobody knows.
    pub name: &'a str,
    /// The address it is known by.
    pub address: &'a str,
    /// The roles it carries.
    pub roles: &'a str,
    /// Who holds it.
    pub holder: MembershipHolderView,
    /// Whether it is switched off.
    pub off: bool,
}

/// Who holds a membership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MembershipHolderView {
    /// The person who reads this.
    CurrentUser,
    /// Another person.
    Person,
    /// A service or an agent.
    Machine,
    /// Nobody yet.
    Unclaimed,
}

impl MemberItem<'_> {
    /// What it goes by here.
    pub(crate) fn display_name<'b>(&'b self, words: &'b LocalePhrases) -> &'b str {
        [self.name, self.address, words.console.nameless]
            .into_iter()
            .find(|it| !it.is_empty())
            .unwrap_or_default()
    }
}

#[derive(Template)]
#[template(path = "console/members.html")]
struct MemberListPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    desk: &'a ConsoleLayout<'a>,
    view: &'a MemberListView<'a>,
}

impl MemberListView<'_> {
    /// What came of the search, where there was one.
    pub(crate) fn search_result_text(&self, words: &LocalePhrases) -> Option<String> {
        let is_searched = !self.search.trim().is_empty() && self.desk.said.is_none();
        let found = match (self.members.len(), self.pages.later, self.pages.next) {
            // It would not be true yet.
            (0, _, None) if self.early => return None,
            (0, ..) if self.further => words.console.found_nobody_yet.to_owned(),
            (count, ..) if self.further => with_value(words.console.found_so_far, count),
            (0, false, _) => words.console.found_nobody.to_owned(),
            (0, true, _) => words.console.found_no_further.to_owned(),
            (count, false, None) => with_value(words.console.found, count),
            (count, false, Some(_)) => with_value(words.console.found_more, count),
            // How many there were before is not counted again.
            (_, true, _) => return None,
        };
        Some(found).filter(|_| is_searched)
    }

    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        render_template(&MemberListPage {
            frame,
            words,
            title: words.console.members,
            desk: &self.desk,
            view: self,
        })
    }
}
