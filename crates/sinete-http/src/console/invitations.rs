//! Invitations on the console: list, send, send again, revoke.

use super::members::{RoleSelection, parse_chosen_roles};
use super::{ActionError, ActionOutcome, CompletedAction, FlashVisibility, Outcome, PageContext};
use crate::console::expiry;
use crate::console::invitation_list;
use crate::console::invitation_list::{INVITE_LIST_ACTION, SubmittedList};
use crate::console::list_order::{ListOrder, OrderChoice, TIME_ORDERS};
use crate::console::pagination::ConsolePaging;
use sinete_core::access_control::built_in_permissions::MANAGE_MEMBERS;
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::accounts::language::Language;
use sinete_core::limits::{INVITATION_LIFETIME, INVITATION_LIFETIME_MAX};
use sinete_core::time::Timestamp;
use sinete_engine::UseCaseResult;
use sinete_engine::organizations::invitations;
use sinete_engine::organizations::invitations::{InvitationRequest, InvitationRow, InvitedMembership};
use sinete_engine::organizations::members;
use sinete_engine::organizations::members::AssignableRole;
use sinete_engine::organizations::newest_first;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::invitations::{
    InvitationItem, InvitationListView, InvitationState, NewInvitationForm,
};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_screens::console::role_choices::RoleChoice;
use sinete_screens::display_time::DisplayTime;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerResult;

/// Lists the invitations, with a form if the user may send one.
pub(super) async fn show_invitations(context: &PageContext<'_>) -> HandlerResult {
    let is_proven = context.is_recently_authenticated(context.access.can_change(MANAGE_MEMBERS)).await?;
    let list = SubmittedList::new(context.step_up_form_state(INVITE_LIST_ACTION, is_proven));
    render_invitations(context, &list).await
}

/// Shows the page with a list that was submitted.
pub(super) async fn render_invitations(context: &PageContext<'_>, list: &SubmittedList) -> HandlerResult {
    let (engine, access) = (context.engine(), context.access.organization_access());
    let order = OrderChoice::from_query(context, TIME_ORDERS, &[]);
    let paging = ConsolePaging::from_filtered_query(context, &order.query)?;
    let (after, limit) = (paging.after()?, paging.fetch_limit());
    let mut read = match order.current == ListOrder::NewestFirst {
        true => newest_first::list_invitations(engine, access, after, limit).await?,
        false => invitations::list(engine, access, after, limit).await?,
    };
    let next = paging.split_page(&mut read, |invitation| invitation.id.to_string());
    let ids: Vec<String> = read.iter().map(|it| it.id.to_string()).collect();
    let may_withdraw = context.access.can_change(MANAGE_MEMBERS);
    let assignable_roles = members::list_assignable_roles(engine, access).await.unless_refused()?;
    let names: Vec<String> = read
        .iter()
        .map(|it| offered_role_names(context, it, assignable_roles.as_deref().unwrap_or_default()))
        .collect();
    let lines: Vec<InvitationItem<'_>> = read
        .iter()
        .zip(ids.iter().zip(&names))
        .map(|(it, (id, roles))| InvitationItem { roles, ..invitation_item(it, id, access.now()) })
        .collect();
    let roles = assignable_roles.filter(|_| may_withdraw).unwrap_or_default();
    let choices = role_choices(context, &roles);
    let choices: Vec<RoleChoice<'_>> = choices.iter().map(RoleSelection::to_choice).collect();
    let field_value = |name: &str| context.flash.as_ref().and_then(|flash| flash.typed_field(name));
    let invite = NewInvitationForm {
        email: field_value("email").unwrap_or_default(),
        roles: &choices,
        language: field_value("language").and_then(Language::from_locale_list),
        days: field_value("days").and_then(|text| text.parse().ok()).unwrap_or(1),
    };
    let list_faults = list.fault_items();
    // Revoking is a separate form.
    let has_form =
        !choices.is_empty() || !context.flash.as_ref().is_some_and(|flash| flash.is_form_open("invite"));
    let page = InvitationListView {
        layout: context
            .form_layout(ConsoleSection::Invitations, FlashVisibility::from_form_presence(has_form)),
        invitations: &lines,
        pages: order.to_view(&paging, next.as_deref(), lines.len()),
        may_withdraw,
        invitation_form: (!choices.is_empty()).then_some(invite),
        list: list.to_form(&list_faults),
    };
    Ok(context.page_response(page.render(&context.frame())))
}

/// The roles that the user may assign. If there is only one, it is selected.
fn role_choices(context: &PageContext<'_>, roles: &[AssignableRole]) -> Vec<RoleSelection> {
    let assignable_roles: Vec<&AssignableRole> = roles.iter().filter(|it| it.is_assignable).collect();
    let is_default = |it: &AssignableRole| {
        assignable_roles.len() == 1 || it.role.is_built_in && it.role.role.name() == "member"
    };
    let is_selected = |it: &AssignableRole| {
        RoleSelection::is_ticked_in_form(context, "invite", it.role.id).unwrap_or_else(|| is_default(it))
    };
    assignable_roles.iter().map(|it| RoleSelection::new(context, it, is_selected(it), true)).collect()
}

/// The names of the roles that an invitation offers.
fn offered_role_names(
    context: &PageContext<'_>,
    invitation: &InvitationRow,
    catalog: &[AssignableRole],
) -> String {
    let roles = catalog.iter().filter(|it| invitation.roles.contains(&it.role.id));
    context.phrases().role_names.join(roles.map(|it| it.role.role.name()))
}

fn invitation_item<'a>(invitation: &'a InvitationRow, id: &'a str, now: Timestamp) -> InvitationItem<'a> {
    let (fate, at) = match (invitation.accepted_at, invitation.revoked_at) {
        (Some(at), _) => (InvitationState::Accepted, at),
        (None, Some(at)) => (InvitationState::Withdrawn, at),
        (None, None) if invitation.expires_at <= now => (InvitationState::Expired, invitation.expires_at),
        (None, None) => (InvitationState::Pending, invitation.expires_at),
    };
    InvitationItem { id, address: &invitation.lookup, roles: "", state: fate, at: DisplayTime(at.seconds()) }
}

/// Sends or revokes an invitation.
pub(super) async fn submit_invitation_form(context: &PageContext<'_>, form: &FormParams) -> Outcome {
    let (engine, to) = (context.engine(), context.path.clone());
    if let Some(id) = form.get("withdraw") {
        let Ok(id) = id.parse() else { return Err(ActionError::ConsoleNotice(ConsoleNotice::Gone)) };
        let result = invitations::revoke(engine, context.access.organization_access(), id).await;
        let result = result.map(|()| {
            ActionOutcome::Redirect(CompletedAction { notice: ConsoleNotice::Withdrawn, return_path: to })
        });
        return Ok(result?);
    }
    if let Some(id) = form.get("resend") {
        return resend_invitation(context, id).await;
    }
    if form.get("action") == Some(INVITE_LIST_ACTION) {
        return invitation_list::submit_invitation_list(context, form).await;
    }
    if form.get("action") != Some("invite") {
        return Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible));
    }
    let request = parse_new_invitation(form).map_err(ActionError::ConsoleNotice)?;
    let access = context.access.require_fresh_access(engine).await?;
    context
        .state
        .rate_limit(context.request)
        .check_invitation(access.organization.id)
        .map_err(ActionError::Refused)?;
    invitations::invite(engine, access, &request).await?;
    Ok(ActionOutcome::Redirect(CompletedAction { notice: ConsoleNotice::Invited, return_path: to }))
}

/// Sends an invitation again.
async fn resend_invitation(context: &PageContext<'_>, id: &str) -> Outcome {
    let Ok(id) = id.parse() else { return Err(ActionError::ConsoleNotice(ConsoleNotice::Gone)) };
    let access = context.access.require_fresh_access(context.engine()).await?;
    context
        .state
        .rate_limit(context.request)
        .check_invitation(access.organization.id)
        .map_err(ActionError::Refused)?;
    invitations::resend(context.engine(), access, id).await?;
    let return_path = context.path.clone();
    Ok(ActionOutcome::Redirect(CompletedAction { notice: ConsoleNotice::Invited, return_path }))
}

/// Parses a new invitation.
fn parse_new_invitation(form: &FormParams) -> Result<InvitationRequest, ConsoleNotice> {
    let address = form.get("email").unwrap_or_default().trim();
    let address = address.parse::<EmailAddress>().map_err(|_| ConsoleNotice::BadEmail)?;
    let roles = parse_chosen_roles(form);
    if roles.is_empty() {
        return Err(ConsoleNotice::NoRoles);
    }
    let lifetime = expiry::parse_lifetime(form, INVITATION_LIFETIME, INVITATION_LIFETIME_MAX)
        .ok_or(ConsoleNotice::BadDays)?;
    Ok(InvitationRequest {
        address,
        membership: InvitedMembership::New(roles),
        lifetime: Some(lifetime),
        language: form.get("language").and_then(Language::from_locale_list),
    })
}
