//! Invitations into an organization: listed, sent, withdrawn.

use super::lasting;
use super::members::{RoleSelection, chosen};
use super::paging::ConsolePaging;
use super::{ActionError, ActionOutcome, CompletedAction, FlashVisibility, Outcome, PageContext};
use crate::extract::pairs::FormParams;
use crate::pages::spoken;
use crate::reply::HandlerResult;
use sinete_core::limits::{INVITATION_LIFETIME, INVITATION_LIFETIME_MAX};
use sinete_core::people::address::EmailAddress;
use sinete_core::people::language::Language;
use sinete_core::time::Timestamp;
use sinete_engine::invitations::{self, InvitationRequest, InvitationRow, InvitedMembership};
use sinete_engine::members::{self, AssignableRole};
use sinete_screens::console::invitations::{
    InvitationItem as Line, InvitationListView, InvitationState, NewInvitationForm,
};
use sinete_screens::console::member::RoleChoice;
use sinete_screens::console::said::ConsoleNotice;
use sinete_screens::console::{ConsoleSection, ListPaging};
use sinete_screens::moment::DisplayTime;

/// Shows a page of the invitations, and a form for one more to whoever may send it.
pub(super) async fn show(work: &PageContext<'_>) -> HandlerResult {
    let (engine, acting) = (work.engine(), work.at.acting());
    let paging = ConsolePaging::asked(work)?;
    let mut read = invitations::list(engine, acting, paging.after()?, ConsolePaging::to_read()).await??;
    let next = paging.cut(&mut read, |invitation| invitation.id.to_string());
    let ids: Vec<String> = read.iter().map(|it| it.id.to_string()).collect();
    let lines: Vec<Line<'_>> = read.iter().zip(&ids).map(|(it, id)| line(it, id, acting.now())).collect();
    let may_withdraw = work.at.may_change("members:manage");
    let offered = match members::offered_roles(engine, acting).await? {
        Ok(offered) if may_withdraw => offered,
        Ok(_) | Err(_) => Vec::new(),
    };
    let choices = choices(work, &offered);
    let choices: Vec<RoleChoice<'_>> = choices.iter().map(RoleSelection::view).collect();
    let typed = |name: &str| work.left.as_ref().and_then(|left| left.field(name));
    let invite = NewInvitationForm {
        email: typed("email").unwrap_or_default(),
        roles: &choices,
        language: typed("language").and_then(Language::first_spoken).map(spoken),
        days: typed("days").and_then(|text| text.parse().ok()).unwrap_or(1),
    };
    // Taking one back is done by a form of its own.
    let has_form = !choices.is_empty() || !work.left.as_ref().is_some_and(|left| left.opens("invite"));
    let page = InvitationListView {
        desk: work.desk_of_form(ConsoleSection::Invitations, FlashVisibility::form_if(has_form)),
        invitations: &lines,
        pages: ListPaging { next: next.as_deref(), later: paging.is_later(), asked: "" },
        may_withdraw,
        invite: (!choices.is_empty()).then_some(invite),
    };
    Ok(work.answer(page.page(&work.frame())))
}

/// The roles that somebody can be invited with: those that the person could give. Where there is nothing to choose, it
/// is chosen.
fn choices(work: &PageContext<'_>, offered: &[AssignableRole]) -> Vec<RoleSelection> {
    let given: Vec<&AssignableRole> = offered.iter().filter(|it| it.can_be_given).collect();
    let usual =
        |it: &AssignableRole| given.len() == 1 || it.role.is_built_in && it.role.role.name() == "member";
    let ticked = |it: &AssignableRole| {
        RoleSelection::is_ticked(work, "invite", it.role.id).unwrap_or_else(|| usual(it))
    };
    given.iter().map(|it| RoleSelection::of(work, it, ticked(it), true)).collect()
}

fn line<'a>(invitation: &'a InvitationRow, id: &'a str, now: Timestamp) -> Line<'a> {
    let (fate, at) = match (invitation.accepted_at, invitation.revoked_at) {
        (Some(at), _) => (InvitationState::Accepted, at),
        (None, Some(at)) => (InvitationState::Withdrawn, at),
        (None, None) if invitation.expires_at <= now => (InvitationState::Expired, invitation.expires_at),
        (None, None) => (InvitationState::Waits, invitation.expires_at),
    };
    Line { id, address: &invitation.lookup, fate, at: DisplayTime(at.seconds()) }
}

/// Sends or withdraws an invitation.
pub(super) async fn change(work: &PageContext<'_>, form: &FormParams) -> Outcome {
    let (engine, to) = (work.engine(), work.here.clone());
    if let Some(id) = form.get("withdraw") {
        let Ok(id) = id.parse() else { return Ok(Err(ActionError::ConsoleNotice(ConsoleNotice::Gone))) };
        let done = invitations::revoke(engine, work.at.acting(), id).await?;
        let done = done.map(|()| ActionOutcome::Done(CompletedAction { said: ConsoleNotice::Withdrawn, to }));
        return Ok(done.map_err(|refusal| ActionError::Refused(refusal, ConsoleNotice::Accepted)));
    }
    if form.get("action") != Some("invite") {
        return Ok(Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible)));
    }
    let wanted = match wanted(form) {
        Ok(wanted) => wanted,
        Err(said) => return Ok(Err(ActionError::ConsoleNotice(said))),
    };
    let acting = match work.at.conferring(engine).await? {
        Ok(acting) => acting,
        Err(refusal) => return Ok(Err(ActionError::Refused(refusal, ConsoleNotice::NotPossible))),
    };
    if let Err(refusal) = work.state.paced(work.call).inviting(acting.organization.id) {
        return Ok(Err(ActionError::Refused(refusal, ConsoleNotice::NotPossible)));
    }
    let done = invitations::invite(engine, acting, &wanted).await?;
    let done = done.map(|_| ActionOutcome::Done(CompletedAction { said: ConsoleNotice::Invited, to }));
    Ok(done.map_err(|refusal| ActionError::of_roles(refusal, ConsoleNotice::AlreadyInvited, form)))
}

/// The invitation that a form asks for.
fn wanted(form: &FormParams) -> Result<InvitationRequest, ConsoleNotice> {
    let address = form.get("email").unwrap_or_default().trim();
    let address = address.parse::<EmailAddress>().map_err(|_| ConsoleNotice::BadEmail)?;
    let roles = chosen(form);
    if roles.is_empty() {
        return Err(ConsoleNotice::NoRoles);
    }
    let lifetime =
        lasting::asked(form, INVITATION_LIFETIME, INVITATION_LIFETIME_MAX).ok_or(ConsoleNotice::BadDays)?;
    Ok(InvitationRequest {
        address,
        place: InvitedMembership::New(roles),
        lifetime: Some(lifetime),
        language: form.get("language").and_then(Language::first_spoken),
    })
}
