//! The details of a member: profile, roles and state.

use super::block_page::{CellPart, FieldInput, TableBlock};
use super::members::{MemberItem, MembershipHolderView};
use super::notices::ConsoleField;
use super::role_choices::RoleChoice;
use super::{ConsoleLayout, ConsoleSection, build_query};
use crate::display_time::DisplayTime;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct MemberDetailView<'a> {
    /// The console layout.
    pub layout: ConsoleLayout<'a>,
    /// The member.
    pub member: MemberItem<'a>,
    /// The profile.
    pub known: MemberProfileItem<'a>,
    /// When it was created.
    pub since: DisplayTime,
    /// The version that was read, which a role change submits.
    pub version: i64,
    /// The organization's roles, if the user may see and assign them.
    pub roles: Option<&'a [RoleChoice<'a>]>,
    /// The last sign-in to an application of the organization, if there is one and the user may see it.
    pub last_sign_in: Option<DisplayTime>,
    /// What the user may do.
    pub actions: MemberActions,
    /// The sources of its roles, its sessions, its sign-in methods and the access that it granted, as far as the user
    /// may see them.
    pub tables: &'a [TableBlock],
}

/// The profile of a member; each value is empty if unknown.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemberProfileItem<'a> {
    /// The work e-mail address.
    pub email: &'a str,
    /// The job title.
    pub title: &'a str,
    /// The department.
    pub department: &'a str,
    /// The `userName` of SCIM.
    pub user_name: &'a str,
    /// The directory's external id.
    pub external_id: &'a str,
}

/// What the user may do with a member.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemberActions {
    /// Disable or enable it.
    pub change_condition: bool,
    /// Remove it, or leave.
    pub remove: bool,
    /// View its entries in the audit log.
    pub view_audit_log: bool,
    /// Create an API key for it.
    pub create_api_key: bool,
    /// View the access that it granted.
    pub view_grants: bool,
    /// View the requests for its approval.
    pub view_approvals: bool,
}

#[derive(Template)]
#[template(path = "console/member.html")]
struct MemberDetailPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'a str,
    layout: &'a ConsoleLayout<'a>,
    view: &'a MemberDetailView<'a>,
}

impl MemberDetailView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&MemberDetailPage {
            frame,
            phrases,
            title: self.member.display_name(phrases),
            layout: &self.layout,
            view: self,
        })
    }

    pub(crate) fn is_current_user(&self) -> bool {
        self.member.holder == MembershipHolderView::CurrentUser
    }
}

impl ConsoleLayout<'_> {
    /// The URL of a member's sign-ins in the audit log.
    pub(crate) fn member_sign_ins_url(&self, frame: &PageFrame<'_>, id: &str) -> String {
        let query = build_query([("actor", id), ("kind", "grant.given")]);
        self.section_url(frame, &format!("{}?{query}", ConsoleSection::AuditLog.path()))
    }

    /// The URL of a member's failed sign-ins in the audit log. Whoever tried is not known, so the member is the subject.
    pub(crate) fn member_failed_sign_ins_url(&self, frame: &PageFrame<'_>, id: &str) -> String {
        let query = build_query([("subject", id), ("kind", "credential.failed")]);
        self.section_url(frame, &format!("{}?{query}", ConsoleSection::AuditLog.path()))
    }

    /// The URL of the access that a member granted.
    pub(crate) fn member_grants_url(&self, frame: &PageFrame<'_>, id: &str) -> String {
        self.section_url(
            frame,
            &format!("{}?{}", ConsoleSection::Grants.path(), build_query([("member", id)])),
        )
    }

    /// The URL of the requests for a member's approval.
    pub(crate) fn member_approvals_url(&self, frame: &PageFrame<'_>, id: &str) -> String {
        self.section_url(
            frame,
            &format!("{}?{}", ConsoleSection::Approvals.path(), build_query([("member", id)])),
        )
    }

    /// The URL of the form that creates an API key for a service.
    pub(crate) fn member_key_url(&self, frame: &PageFrame<'_>, id: &str) -> String {
        self.section_url(frame, &format!("{}?{}", ConsoleSection::ApiKeys.path(), build_query([("for", id)])))
    }
}
