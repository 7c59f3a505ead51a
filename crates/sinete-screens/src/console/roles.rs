//! The roles of an organization, making one, and what one of them confers.

use super::notices::ConsoleField;
use super::{ConsoleLayout, ConsoleSection, ListPaging};
use crate::locales::{LocalePhrases, with_value};
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct RoleListView<'a> {
    /// What stands around it.
    pub desk: ConsoleLayout<'a>,
    /// The roles on this page.
    pub roles: &'a [RoleItem<'a>],
    /// Where the list goes on.
    pub pages: ListPaging<'a>,
    /// What a role is made of, where the person may make one.
    pub make: Option<NewRoleForm<'a>>,
}

/// A role.
#[derive(Clone, Copy, Debug)]
pub struct RoleItem<'a> {
    /// What its page is found under.
    pub id: &'a str,
    /// What it is called.
    pub name: &'a str,
    /// What it is for.
    pub about: &'a str,
    /// Whether every organization has it.
    pub built_in: bool,
    /// How much it confers.
    pub permissions: usize,
}

/// A role that is being made.
#[derive(Clone, Copy, Debug)]
pub struct NewRoleForm<'a> {
    /// What makes sure that a form which is sent twice makes one role.
    pub once: &'a str,
    /// Whether the form stands open.
    pub open: bool,
    /// What it is to be.
    pub fields: RoleFields<'a>,
}

/// What can be typed about a role.
#[derive(Clone, Copy, Debug)]
pub struct RoleFields<'a> {
    /// What it is called.
    pub name: &'a str,
    /// What it is for.
    pub about: &'a str,
    /// What there is to be conferred.
    pub permissions: &'a [RolePermission<'a>],
    /// Whether there is more that the person may not see.
    pub hides_some: bool,
}

/// Something that a role can confer.
#[derive(Clone, Copy, Debug)]
pub struct RolePermission<'a> {
    /// How it is written.
    pub permission: &'a str,
    /// What it means, where we know.
    pub about: &'a str,
    /// Whether the role confers it.
    pub chosen: bool,
    /// Whether the person could choose otherwise.
    pub free: bool,
}

/// One role.
#[derive(Clone, Copy, Debug)]
pub struct RoleDetailView<'a> {
    /// What stands around it.
    pub desk: ConsoleLayout<'a>,
    /// The role.
    pub role: RoleItem<'a>,
    /// Whether it is the owners', which confers more than is listed.
    pub is_owners: bool,
    /// The version that was read, which a change names.
    pub version: i64,
    /// What stands in the fields of its form.
    pub fields: RoleFields<'a>,
    /// What the page showed, as the form carries it.
    pub shown: &'a str,
    /// Whether the person may change it.
    pub may_change: bool,
}

#[derive(Template)]
#[template(path = "console/all_roles.html")]
struct RoleListPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    desk: &'a ConsoleLayout<'a>,
    view: &'a RoleListView<'a>,
}

#[derive(Template)]
#[template(path = "console/role.html")]
struct RoleDetailPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'a str,
    desk: &'a ConsoleLayout<'a>,
    view: &'a RoleDetailView<'a>,
}

impl RoleListView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        render_template(&RoleListPage {
            frame,
            words,
            title: words.console.roles,
            desk: &self.desk,
            view: self,
        })
    }
}

impl RoleDetailView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        render_template(&RoleDetailPage { frame, words, title: self.role.name, desk: &self.desk, view: self })
    }

    /// Whether there is anything that it confers.
    pub(crate) fn has_permissions(&self) -> bool {
        self.fields.permissions.iter().any(|it| it.chosen)
    }
}

impl RoleItem<'_> {
    pub(crate) fn permission_count_text(&self, words: &LocalePhrases) -> String {
        match self.permissions {
            0 => words.conferring.nothing.to_owned(),
            1 => words.conferring.one_permission.to_owned(),
            many => with_value(words.conferring.permissions, many),
        }
    }
}

impl ConsoleLayout<'_> {
    /// The page of a role.
    pub(crate) fn role_url(&self, frame: &PageFrame<'_>, id: &str) -> String {
        self.section_url(frame, &format!("{}/{id}", ConsoleSection::Roles.path()))
    }
}
