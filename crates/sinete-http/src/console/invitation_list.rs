//! Inviting a list of users on the console. All errors are shown at once, and nothing is sent unless every
//! line is valid.

use super::invitations::render_invitations;
use super::{ActionError, ActionOutcome, Outcome, PageContext};
use crate::console::expiry;
use sinete_core::id::RoleId;
use sinete_core::limits::{INVITATION_LIFETIME, INVITATION_LIFETIME_MAX};
use sinete_core::organizations::invitation_list::{FaultyLine, InvitationFault, parse_invitation_list};
use sinete_engine::organizations::invitations;
use sinete_engine::organizations::invitations::InvitationListResult;
use sinete_engine::organizations::members;
use sinete_screens::console::StepUpFormState;
use sinete_screens::console::invitations::{InvitationListFault, InvitationListForm, InvitationListOutcome};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_screens::locales::LocalePhrases;
use sinete_server::extract::params::FormParams;

/// The value of `action`.
pub(super) const INVITE_LIST_ACTION: &str = "invite_list";

/// A list, as it was submitted, and its result.
pub(super) struct SubmittedList {
    text: String,
    form_state: StepUpFormState,
    /// The line and the sentence about it.
    faults: Vec<(String, String)>,
    /// What was done, and the line at which it stopped.
    result: Option<(InvitationListResult, String)>,
}

impl SubmittedList {
    /// A form without a list.
    pub(super) const fn new(form_state: StepUpFormState) -> Self {
        Self { text: String::new(), form_state, faults: Vec::new(), result: None }
    }

    pub(super) fn fault_items(&self) -> Vec<InvitationListFault<'_>> {
        self.faults.iter().map(|(line, text)| InvitationListFault { line, text }).collect()
    }

    pub(super) fn to_form<'a>(
        &'a self,
        list_faults: &'a [InvitationListFault<'a>],
    ) -> InvitationListForm<'a> {
        let result = self.result.as_ref().map(|(result, stopped_at)| InvitationListOutcome {
            sent_invitations: result.sent_invitations,
            already_invited: result.already_invited,
            stopped_at,
        });
        InvitationListForm { text: &self.text, form_state: self.form_state, faults: list_faults, result }
    }
}

/// Sends the invitations of a list. The response is the page itself: a list is too long for the cookie that other forms
/// leave their input in.
pub(super) async fn submit_invitation_list(context: &PageContext<'_>, form: &FormParams) -> Outcome {
    let (engine, phrases) = (context.engine(), context.phrases());
    let access = context.access.require_fresh_access(engine).await?;
    let lifetime = expiry::parse_lifetime(form, INVITATION_LIFETIME, INVITATION_LIFETIME_MAX)
        .ok_or(ActionError::ConsoleNotice(ConsoleNotice::BadDays))?;
    let roles = members::list_assignable_roles(engine, access).await?;
    let find_role = |name: &str| -> Option<RoleId> {
        let role = roles.iter().find(|it| it.is_assignable && it.role.role.name() == name)?;
        Some(role.role.id)
    };
    let text = form.get("list").unwrap_or_default();
    let mut list = SubmittedList { text: text.to_owned(), ..SubmittedList::new(StepUpFormState::Open) };
    match parse_invitation_list(text, find_role) {
        Err(faulty_lines) => {
            list.faults = faulty_lines.iter().map(|fault| describe_fault(phrases, fault)).collect()
        }
        Ok(lines) if lines.is_empty() => {
            list.faults = vec![("1".to_owned(), phrases.invitation_list.empty.to_owned())];
        }
        Ok(lines) => {
            let limits = context.state.rate_limit(context.request);
            let count = || limits.check_invitation(access.organization.id);
            let result = invitations::invite_list(engine, access, &lines, lifetime, count).await?;
            let stopped_at = result.stopped.as_ref().map(|(line, refusal)| {
                context.request.context().record_refusal(refusal);
                line.to_string()
            });
            if stopped_at.is_none() {
                list = SubmittedList::new(StepUpFormState::Closed);
            }
            list.result = Some((result, stopped_at.unwrap_or_default()));
        }
    }
    Ok(ActionOutcome::Response(render_invitations(context, &list).await?))
}

/// The line, and the sentence about what is wrong with it.
fn describe_fault(phrases: &LocalePhrases, faulty: &FaultyLine) -> (String, String) {
    let phrases = &phrases.invitation_list;
    let text = match &faulty.fault {
        InvitationFault::Email(value) => phrases.bad_address(value),
        InvitationFault::Role(value) => phrases.bad_role(value),
        InvitationFault::Language(value) => phrases.bad_language(value),
        InvitationFault::Repeated(line) => phrases.repeated(line.to_string()),
        InvitationFault::Columns => phrases.columns.to_owned(),
        InvitationFault::TooMany => phrases.too_many.to_owned(),
    };
    (faulty.line.to_string(), text)
}
