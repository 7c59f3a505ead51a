//! One member: what is known of them, what they carry, and whether it counts.

use super::ConsoleLayout;
use super::members::{MemberItem, MembershipHolderView};
use super::notices::ConsoleField;
use crate::display_time::DisplayTime;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct MemberDetailView<'a> {
    /// What stands around it.
    pub desk: ConsoleLayout<'a>,
    /// The member.
    pub member: MemberItem<'a>,
    /// What else is known of it.
    pub known: MemberProfileItem<'a>,
    /// Since when it is there.
    pub since: DisplayTime,
    /// The version that was read, which a change of the roles names.
    pub version: i64,
    /// The roles there are, where the person may see them and choose among them.
    pub roles: Option<&'a [RoleChoice<'a>]>,
    /// What the person may do to it.
    pub may: MemberActions,
}

/// What the organization knows of a member; each is empty where it does not.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemberProfileItem<'a> {
    /// The address it is reached at for work.
    pub email: &'a str,
    /// What they are there.
    pub title: &'a str,
    /// Where they are there.
    pub department: &'a str,
    /// The name a directory knows it by.
    pub external: &'a str,
}

/// A role that can be chosen.
#[derive(Clone, Copy, Debug)]
pub struct RoleChoice<'a> {
    /// What the form names it by.
    pub id: &'a str,
    /// What it is called.
    pub name: &'a str,
    /// What it is for.
    pub about: &'a str,
    /// Whether it is chosen.
    pub chosen: bool,
    /// Whether the person could choose otherwise.
    pub free: bool,
}

/// What the person may do to a member.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemberActions {
    /// Switch it off, or on again.
    pub switch: bool,
    /// Remove it, or leave.
    pub remove: bool,
    /// Look at what it did.
    pub trail: bool,
}

#[derive(Template)]
#[template(path = "console/member.html")]
struct MemberDetailPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'a str,
    desk: &'a ConsoleLayout<'a>,
    view: &'a MemberDetailView<'a>,
}

impl MemberDetailView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        render_template(&MemberDetailPage {
            frame,
            words,
            title: self.member.display_name(words),
            desk: &self.desk,
            view: self,
        })
    }

    pub(crate) fn is_current_user(&self) -> bool {
        self.member.holder == MembershipHolderView::CurrentUser
    }
}
