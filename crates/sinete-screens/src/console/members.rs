//! The members of an organization.

use super::notices::ConsoleField;
use super::{ConsoleLayout, ListPaging};
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct MemberListView<'a> {
    /// The console layout.
    pub layout: ConsoleLayout<'a>,
    /// The members on this page.
    pub members: &'a [MemberItem<'a>],
    /// The pagination of the list.
    pub pages: ListPaging<'a>,
    /// The search query; empty to show all.
    pub search: &'a str,
    /// Whether the search stopped early and can be continued.
    pub is_search_incomplete: bool,
    /// Whether some members are not indexed yet.
    pub is_index_incomplete: bool,
    /// Whether the user may invite members.
    pub may_invite: bool,
}

/// A member in the list.
#[derive(Clone, Copy, Debug)]
pub struct MemberItem<'a> {
    /// The id.
    pub id: &'a str,
    /// The name; empty if unknown.
    pub name: &'a str,
    /// The e-mail address.
    pub address: &'a str,
    /// The roles.
    pub roles: &'a str,
    /// The holder.
    pub holder: MembershipHolderView,
    /// Whether it is disabled.
    pub is_disabled: bool,
}

/// The holder of a membership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MembershipHolderView {
    /// The current user.
    CurrentUser,
    /// Another user.
    OtherUser,
    /// A service or an agent.
    Machine,
    /// A provisioned membership that is not claimed yet.
    Unclaimed,
}

impl MemberItem<'_> {
    /// The display name.
    pub(crate) fn display_name<'b>(&'b self, phrases: &'b LocalePhrases) -> &'b str {
        [self.name, self.address, phrases.console.nameless]
            .into_iter()
            .find(|it| !it.is_empty())
            .unwrap_or_default()
    }
}

#[derive(Template)]
#[template(path = "console/members.html")]
struct MemberListPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    layout: &'a ConsoleLayout<'a>,
    view: &'a MemberListView<'a>,
}

impl MemberListView<'_> {
    /// Whether a user on the page has no name in the organization.
    pub(crate) fn has_unnamed_members(&self) -> bool {
        let is_person = |holder| holder != MembershipHolderView::Machine;
        self.members.iter().any(|member| member.name.is_empty() && is_person(member.holder))
    }

    /// The result of the search, if there was one.
    pub(crate) fn search_result_text(&self, phrases: &LocalePhrases) -> Option<String> {
        let is_searched = !self.search.trim().is_empty() && self.layout.notice.is_none();
        let text = match (self.members.len(), self.pages.is_not_first, self.pages.next) {
            // Without a complete index, no results does not mean that there are none.
            (0, _, None) if self.is_index_incomplete => return None,
            (0, ..) if self.is_search_incomplete => phrases.console.found_nobody_yet.to_owned(),
            (count, ..) if self.is_search_incomplete => phrases.console.found_so_far(count),
            (0, false, _) => phrases.console.found_nobody.to_owned(),
            (0, true, _) => phrases.console.found_no_further.to_owned(),
            (count, false, None) => phrases.console.found(count),
            (count, false, Some(_)) => phrases.console.found_more(count),
            // Results of earlier pages are not counted again.
            (_, true, _) => return None,
        };
        Some(text).filter(|_| is_searched)
    }

    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&MemberListPage {
            frame,
            phrases,
            title: phrases.console.members,
            layout: &self.layout,
            view: self,
        })
    }
}
