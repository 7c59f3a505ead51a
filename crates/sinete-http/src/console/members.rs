//! Members on the console: list, search, show, change roles, enable, disable, remove.

use super::overview::role_names;
use super::{
    ActionError, ActionOutcome, CompletedAction, FlashVisibility, Outcome, PageContext, parse_page_id,
};
use crate::console::list_order::{ListOrder, OrderChoice, TIME_ORDERS};
use crate::console::member_access;
use crate::console::pagination::ConsolePaging;
use axum::response::Response;
use sinete_core::access_control::built_in_permissions::{MANAGE_API_KEYS, MANAGE_MEMBERS, READ_AUDIT};
use sinete_core::access_control::permission_catalog::BuiltInRole;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::accounts::profile_text::ProfileText;
use sinete_core::events::security_event::EventKind;
use sinete_core::id::{MembershipId, RoleId};
use sinete_core::limits::MEMBER_SEARCH_ROUNDS_MAX;
use sinete_core::organizations::member_profile::MemberProfile;
use sinete_core::organizations::member_search::{InvalidMemberSearch, MemberSearch};
use sinete_engine::events::audit_log;
use sinete_engine::events::audit_log::{AuditLogFilter, AuditLogOrder};
use sinete_engine::organizations::invitations;
use sinete_engine::organizations::member_search;
use sinete_engine::organizations::member_search::MemberSearchRequest;
use sinete_engine::organizations::members;
use sinete_engine::organizations::members::{
    AssignableRole, MemberWithRoles, MembershipHolder, MembershipRow,
};
use sinete_engine::organizations::newest_first;
use sinete_engine::{Failure, UseCaseResult};
use sinete_screens::console::block_page::TableBlock;
use sinete_screens::console::member::{MemberActions, MemberDetailView, MemberProfileItem};
use sinete_screens::console::members::{MemberItem, MemberListView, MembershipHolderView};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_screens::console::role_choices::RoleChoice;
use sinete_screens::console::{ConsoleLayout, ConsoleSection};
use sinete_screens::display_time::DisplayTime;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::{HandlerError, HandlerResult};

/// Lists all members, or the search results.
pub(super) async fn list_members(context: &PageContext<'_>) -> HandlerResult {
    let (engine, access) = (context.engine(), context.access.organization_access());
    let search_text = context.query.get("search").unwrap_or_default();
    // Results of a search are in the order of its index.
    let orders = if search_text.trim().is_empty() { TIME_ORDERS } else { &[] };
    let order = OrderChoice::from_query(context, orders, &[("search", search_text)]);
    let paging = ConsolePaging::from_filtered_query(context, &order.query)?;
    let search = Some(search_text).filter(|text| !text.trim().is_empty()).map(str::parse::<MemberSearch>);
    let (mut stopped, mut notice, mut early) = (None, None, false);
    let mut read: Vec<(String, MemberWithRoles)> = match search.transpose() {
        Ok(None) => {
            let (after, limit) = (paging.after()?, paging.fetch_limit());
            let read = match order.current == ListOrder::NewestFirst {
                true => newest_first::list_members(engine, access, after, limit).await?,
                false => members::list(engine, access, after, limit).await?,
            };
            read.into_iter().map(|member| (member.membership.id.to_string(), member)).collect()
        }
        Ok(Some(search)) => {
            let after = paging.after()?;
            let looked = MemberSearchRequest {
                search: &search,
                after,
                limit: paging.fetch_limit(),
                scans_max: MEMBER_SEARCH_ROUNDS_MAX,
            };
            let search_page = member_search::search_members(engine, access, looked).await?;
            early = search_page.is_index_incomplete;
            stopped = search_page.stopped_at.map(|position| position.to_string());
            search_page.members.into_iter().map(|found| (found.position.to_string(), found.member)).collect()
        }
        // An invalid query finds nothing, and the page shows the error.
        Err(member_search) => {
            notice = Some(match member_search {
                InvalidMemberSearch::TooManyWords => ConsoleNotice::TooManyWords,
                InvalidMemberSearch::Text => ConsoleNotice::BadSearch,
            });
            Vec::new()
        }
    };
    let is_search_incomplete = stopped.is_some();
    let next = paging.split_page_at(&mut read, |(cursor, _)| cursor.clone(), stopped);
    let ids: Vec<MembershipId> = read.iter().map(|(_, member)| member.membership.id).collect();
    let addresses = invitations::list_addresses(engine, access, &ids).await?;
    let address = |id: MembershipId| addresses.iter().find(|(of, _)| *of == id).map(|(_, text)| text.clone());
    let member_texts: Vec<MemberText> = read
        .into_iter()
        .map(|(_, member)| {
            let address = address(member.membership.id).unwrap_or_default();
            MemberText::from_member(context, member, address)
        })
        .collect::<Result<_, _>>()?;
    let lines: Vec<MemberItem<'_>> = member_texts.iter().map(MemberText::to_item).collect();
    let pages = order.to_view(&paging, next.as_deref(), lines.len());
    let layout = context.layout(ConsoleSection::Members);
    let layout = ConsoleLayout { notice: notice.or(layout.notice), ..layout };
    let may_invite = context.access.can_change(MANAGE_MEMBERS);
    let page = MemberListView {
        layout,
        members: &lines,
        pages,
        search: search_text,
        is_search_incomplete,
        is_index_incomplete: early,
        may_invite,
    };
    Ok(context.page_response(page.render(&context.frame())))
}

/// Shows a member.
pub(super) async fn show_member(context: &PageContext<'_>, id: &str) -> HandlerResult {
    let (engine, access, id) = (context.engine(), context.access.organization_access(), parse_page_id(id)?);
    let member = members::show(engine, access, id).await?;
    let address = invitations::list_addresses(engine, access, &[id]).await?.pop().map(|(_, text)| text);
    let roles = members::list_assignable_roles(engine, access).await.unless_refused()?;
    let roles = roles.filter(|_| context.access.can_change(MANAGE_MEMBERS));
    let mut member_text = MemberText::from_member(context, member, address.unwrap_or_default())?;
    member_text.user_name = members::find_scim_user_name(engine, access, id).await?.unwrap_or_default();
    let last_sign_in = find_last_sign_in(context, id).await?;
    let tables = member_access::load_tables(context, id, &member_text.member.roles).await?;
    Ok(member_text.detail_page(context, roles.as_deref(), last_sign_in, &tables))
}

/// The last sign-in of a member to an application of the organization.
async fn find_last_sign_in(
    context: &PageContext<'_>,
    id: MembershipId,
) -> Result<Option<DisplayTime>, HandlerError> {
    let filter = AuditLogFilter {
        actor: Some(id.to_string()),
        kind: Some(EventKind::GrantGiven),
        order: AuditLogOrder::NewestFirst,
        ..AuditLogFilter::default()
    };
    let access = context.access.organization_access();
    let log_entries = audit_log::list(context.engine(), access, &filter, None, 1).await.unless_refused()?;
    Ok(log_entries.and_then(|entries| entries.first().map(|entry| DisplayTime(entry.at.seconds()))))
}

/// Handles a form of a member.
pub(super) async fn submit_member_form(context: &PageContext<'_>, id: &str, form: &FormParams) -> Outcome {
    let (engine, id, page_path) = (context.engine(), parse_page_id(id)?, context.path.clone());
    let action = form.get("action").unwrap_or_default();
    let is_own = context.access.is_own_membership(id);
    let is_leaving = action == "remove" && is_own;
    let result = match action {
        // Granting access, or leaving, requires recent authentication.
        "set_roles" | "enable" => context.access.require_fresh_access(engine).await,
        "remove" | "disable" if is_own => context.access.require_fresh_access(engine).await,
        _ => Ok(context.access.organization_access()),
    };
    let access = result?;
    if action == member_access::REVOKE_GRANT {
        return member_access::revoke_grant(context, form).await;
    }
    let (result, notice) = match action {
        "set_roles" => {
            let expected_version = form.get("version").and_then(|text| text.parse().ok()).unwrap_or_default();
            (
                members::set_roles(engine, access, id, expected_version, &parse_chosen_roles(form)).await,
                ConsoleNotice::RolesChanged,
            )
        }
        "enable" => (members::enable(engine, access, id).await, ConsoleNotice::SwitchedOn),
        "disable" => (members::disable(engine, access, id).await, ConsoleNotice::SwitchedOff),
        "remove" => (members::remove(engine, access, id).await, ConsoleNotice::Removed),
        _ => return Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible)),
    };
    let to = match notice {
        ConsoleNotice::Removed if is_leaving => "/my-account".to_owned(),
        ConsoleNotice::Removed => {
            format!("{}{}", context.return_to.organization_path(), ConsoleSection::Members.path())
        }
        _ => page_path,
    };
    result?;
    Ok(ActionOutcome::Redirect(CompletedAction { notice, return_path: to }))
}

/// The selected roles. Invalid ids are ignored.
pub(super) fn parse_chosen_roles(form: &FormParams) -> Vec<RoleId> {
    let role_ids = form.iter().filter_map(|(name, _)| name.strip_prefix("role."));
    role_ids.filter_map(|id| id.parse().ok()).collect()
}

/// A role in a form.
#[derive(Clone)]
pub(super) struct RoleSelection {
    role: RoleId,
    id: String,
    name: String,
    description: String,
    is_selected: bool,
    is_editable: bool,
}

impl RoleSelection {
    pub(super) fn new(
        context: &PageContext<'_>,
        assignable_role: &AssignableRole,
        is_selected: bool,
        free: bool,
    ) -> Self {
        let role = &assignable_role.role;
        Self {
            role: role.id,
            id: role.id.to_string(),
            name: context.reader.language.phrases().role_names.join([role.role.name()]),
            description: role.description.clone(),
            is_selected,
            is_editable: free,
        }
    }

    pub(super) fn to_choice(&self) -> RoleChoice<'_> {
        let Self { id, name, description, is_selected: chosen, is_editable: free, .. } = self;
        RoleChoice { id, name, description, is_selected: *chosen, is_editable: *free }
    }

    /// The role, if it is selected.
    pub(super) fn chosen_role(&self) -> Option<RoleId> {
        self.is_selected.then_some(self.role)
    }

    /// Applies the submitted selection, if there is one and the user may change it.
    pub(super) fn apply_submitted_tick(&mut self, submitted_tick: impl Fn(RoleId) -> Option<bool>) {
        self.is_selected = submitted_tick(self.role).filter(|_| self.is_editable).unwrap_or(self.is_selected);
    }

    /// Whether the role was selected in this rejected form.
    pub(super) fn is_ticked_in_form(context: &PageContext<'_>, form: &str, role: RoleId) -> Option<bool> {
        context.flash.as_ref()?.was_ticked(form, &format!("role.{role}"))
    }
}

/// A member, for display.
struct MemberText {
    id: String,
    name: String,
    address: String,
    /// The `userName` of SCIM, on the page of a member.
    user_name: String,
    roles: String,
    holder: MembershipHolderView,
    profile: MemberProfile,
    member: MemberWithRoles,
}

impl MemberText {
    fn from_member(
        context: &PageContext<'_>,
        member: MemberWithRoles,
        address: String,
    ) -> Result<Self, HandlerError> {
        let membership = &member.membership;
        let profile: MemberProfile = membership.profile.parse().map_err(Failure::from)?;
        let holder = match &membership.holder {
            MembershipHolder::User(_) if context.access.is_own_membership(membership.id) => {
                MembershipHolderView::CurrentUser
            }
            MembershipHolder::User(_) => MembershipHolderView::OtherUser,
            MembershipHolder::Machine(_) => MembershipHolderView::Machine,
            MembershipHolder::Unclaimed => MembershipHolderView::Unclaimed,
        };
        Ok(Self {
            id: membership.id.to_string(),
            name: member_name(membership)?,
            address: member_address(membership, Some(address))?,
            user_name: String::new(),
            roles: role_names(&member.roles, context.reader.language),
            holder,
            profile,
            member,
        })
    }

    fn to_item(&self) -> MemberItem<'_> {
        MemberItem {
            id: &self.id,
            name: &self.name,
            address: &self.address,
            roles: &self.roles,
            holder: self.holder,
            is_disabled: self.member.membership.condition != LifecycleCondition::Enabled,
        }
    }

    fn detail_page(
        &self,
        context: &PageContext<'_>,
        roles: Option<&[AssignableRole]>,
        last_sign_in: Option<DisplayTime>,
        tables: &[TableBlock],
    ) -> Response {
        let is_owner = context.access.organization_access().is_owner;
        let choice = |role: &AssignableRole| {
            let is_assigned = self.member.roles.iter().any(|it| it.id == role.role.id);
            let owns = role.role.is_built_in && role.role.role.name() == BuiltInRole::Owner.name();
            // Any role can be removed except owner, which only owners may remove.
            let free = if is_assigned { is_owner || !owns } else { role.is_assignable };
            let is_selected = RoleSelection::is_ticked_in_form(context, "set_roles", role.role.id)
                .filter(|_| free)
                .unwrap_or(is_assigned);
            RoleSelection::new(context, role, is_selected, free)
        };
        let choices: Option<Vec<RoleSelection>> = roles.map(|all| all.iter().map(choice).collect());
        let choices: Option<Vec<RoleChoice<'_>>> =
            choices.as_ref().map(|all| all.iter().map(RoleSelection::to_choice).collect());
        let text = |text: &'_ Option<ProfileText>| {
            text.as_ref().map(|it| it.as_str().to_owned()).unwrap_or_default()
        };
        let email = self.profile.email.as_ref().map(ToString::to_string).unwrap_or_default();
        let (title, department) = (text(&self.profile.title), text(&self.profile.department));
        let manages = context.access.can_change(MANAGE_MEMBERS);
        let is_own = self.holder == MembershipHolderView::CurrentUser;
        let leaves = is_own && context.access.organization_access().require_enabled().is_ok();
        let version = self.member.membership.version;
        // Every member may leave.
        let has_form =
            choices.is_some() || !context.flash.as_ref().is_some_and(|flash| flash.is_form_open("set_roles"));
        let page = MemberDetailView {
            layout: context
                .form_layout(ConsoleSection::Members, FlashVisibility::from_form_presence(has_form)),
            member: self.to_item(),
            known: MemberProfileItem {
                email: &email,
                title: &title,
                department: &department,
                user_name: &self.user_name,
                external_id: self.member.membership.external_id.as_deref().unwrap_or_default(),
            },
            since: DisplayTime(self.member.membership.created_at.seconds()),
            version: context.flash.as_ref().map_or(version, |flash| flash.form_version("set_roles", version)),
            roles: choices.as_deref(),
            last_sign_in,
            actions: MemberActions {
                change_condition: manages && !is_own,
                remove: manages || leaves,
                view_audit_log: context.access.has_permission(READ_AUDIT),
                create_api_key: self.holder == MembershipHolderView::Machine
                    && context.access.can_change(MANAGE_API_KEYS),
                view_grants: context.can_call("listGrants"),
                view_approvals: self.holder != MembershipHolderView::Machine
                    && context.can_call("listCibaRequests"),
            },
            tables,
        };
        context.page_response(page.render(&context.frame()))
    }
}

/// The address that a member is shown by: the one of the invitation, or else of the profile; empty if there is none
/// (docs/contribute/decisions/0334-members-named-by-the-profile-of-the-organization.md).
pub(super) fn member_address(
    membership: &MembershipRow,
    invited: Option<String>,
) -> Result<String, HandlerError> {
    if let Some(invited) = invited.filter(|address| !address.is_empty()) {
        return Ok(invited);
    }
    let profile: MemberProfile = membership.profile.parse().map_err(Failure::from)?;
    Ok(profile.email.as_ref().map(ToString::to_string).unwrap_or_default())
}

/// The display name of a member: from the profile, or the machine's name; empty if there is none.
pub(super) fn member_name(membership: &MembershipRow) -> Result<String, HandlerError> {
    let profile: MemberProfile = membership.profile.parse().map_err(Failure::from)?;
    let text = |text: &Option<ProfileText>| text.as_ref().map(|it| it.as_str().to_owned());
    let parts = [text(&profile.given_name), text(&profile.family_name)];
    let full_name = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
    Ok(text(&profile.name).unwrap_or(match &membership.holder {
        MembershipHolder::Machine(client) => client.as_str().to_owned(),
        MembershipHolder::User(_) | MembershipHolder::Unclaimed => full_name,
    }))
}
