//! The roles of an organization: list, creation and details.

use super::block_page::{CellPart, FieldInput, TableBlock};
use super::notices::ConsoleField;
use super::{ConsoleLayout, ConsoleSection, ListPaging};
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct RoleListView<'a> {
    /// The console layout.
    pub layout: ConsoleLayout<'a>,
    /// The roles on this page.
    pub roles: &'a [RoleItem<'a>],
    /// The pagination of the list.
    pub pages: ListPaging<'a>,
    /// The form to create a role, if the user may.
    pub create_form: Option<NewRoleForm<'a>>,
}

/// A role.
#[derive(Clone, Copy, Debug)]
pub struct RoleItem<'a> {
    /// The id in the URL of its page.
    pub id: &'a str,
    /// The name.
    pub name: &'a str,
    /// The description.
    pub description: &'a str,
    /// Whether it is built in.
    pub built_in: bool,
    /// The number of permissions.
    pub permissions: usize,
}

/// The form to create a role.
#[derive(Clone, Copy, Debug)]
pub struct NewRoleForm<'a> {
    /// The idempotency key of the form.
    pub idempotency_key: &'a str,
    /// Whether the form is open.
    pub open: bool,
    /// The form fields.
    pub fields: RoleFields<'a>,
}

/// The editable fields of a role.
#[derive(Clone, Copy, Debug)]
pub struct RoleFields<'a> {
    /// The name.
    pub name: &'a str,
    /// The description.
    pub description: &'a str,
    /// The available permissions.
    pub permissions: &'a [RolePermission<'a>],
    /// Whether there are permissions that the user may not see.
    pub hides_some: bool,
}

/// A permission that a role can have.
#[derive(Clone, Copy, Debug)]
pub struct RolePermission<'a> {
    /// The permission.
    pub permission: &'a str,
    /// The description, if known.
    pub description: &'a str,
    /// Whether the role has it.
    pub is_selected: bool,
    /// Whether the user may change the selection.
    pub is_editable: bool,
}

/// The details of a role.
#[derive(Clone, Copy, Debug)]
pub struct RoleDetailView<'a> {
    /// The console layout.
    pub layout: ConsoleLayout<'a>,
    /// The role.
    pub role: RoleItem<'a>,
    /// Whether it is the owner role, which grants more than is listed.
    pub is_owner_role: bool,
    /// The version that was read, which a change submits.
    pub version: i64,
    /// The values of the form fields.
    pub fields: RoleFields<'a>,
    /// The displayed values, which the form submits to detect what the user changed.
    pub original_values: &'a str,
    /// Whether the user may change it.
    pub may_change: bool,
    /// The members who hold it, if the user may see members.
    pub holders: Option<&'a TableBlock>,
}

#[derive(Template)]
#[template(path = "console/all_roles.html")]
struct RoleListPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    layout: &'a ConsoleLayout<'a>,
    view: &'a RoleListView<'a>,
}

#[derive(Template)]
#[template(path = "console/role.html")]
struct RoleDetailPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'a str,
    layout: &'a ConsoleLayout<'a>,
    view: &'a RoleDetailView<'a>,
}

impl RoleListView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&RoleListPage {
            frame,
            phrases,
            title: phrases.console.roles,
            layout: &self.layout,
            view: self,
        })
    }
}

impl RoleDetailView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&RoleDetailPage {
            frame,
            phrases,
            title: self.role.name,
            layout: &self.layout,
            view: self,
        })
    }

    /// Whether the role has permissions.
    pub(crate) fn has_permissions(&self) -> bool {
        self.fields.permissions.iter().any(|it| it.is_selected)
    }
}

impl RoleItem<'_> {
    pub(crate) fn permission_count_text(&self, phrases: &LocalePhrases) -> String {
        phrases.roles.permissions(self.permissions)
    }
}

impl ConsoleLayout<'_> {
    /// The URL of a role's page.
    pub(crate) fn role_url(&self, frame: &PageFrame<'_>, id: &str) -> String {
        self.section_url(frame, &format!("{}/{id}", ConsoleSection::Roles.path()))
    }
}
