//! Preview of the invitations.

use super::{sample_layout, sample_role_choices, select_text};
use crate::console::invitations::{
    InvitationItem, InvitationListForm, InvitationListView, InvitationState, NewInvitationForm,
};
use crate::console::notices::ConsoleNotice;
use crate::console::{ConsoleLayout, ConsoleSection, ListPaging, StepUpFormState};
use crate::display_time::DisplayTime;

pub(super) fn render_invitations(
    frame: &crate::page::PageFrame<'_>,
    notice: Option<ConsoleNotice>,
) -> String {
    let choices = sample_role_choices(frame.language);
    let member = select_text(frame.language, "member", "membro");
    let entered_email = if notice.is_some() { "davi@example" } else { "" };
    InvitationListView {
        layout: ConsoleLayout { notice, ..sample_layout(ConsoleSection::Invitations) },
        invitations: &[
            InvitationItem {
                id: "1",
                address: "carla@example.org",
                roles: member,
                state: InvitationState::Pending,
                at: DisplayTime(1_763_243_505),
            },
            InvitationItem {
                id: "2",
                address: "bruno@example.org",
                roles: member,
                state: InvitationState::Accepted,
                at: DisplayTime(1_763_043_505),
            },
            InvitationItem {
                id: "3",
                address: "erro@example.org",
                roles: member,
                state: InvitationState::Withdrawn,
                at: DisplayTime(1_762_943_505),
            },
        ],
        pages: ListPaging { next: Some("cursor"), ..ListPaging::default() },
        may_withdraw: true,
        invitation_form: Some(NewInvitationForm {
            email: entered_email,
            roles: &choices[1..],
            language: None,
            days: 1,
        }),
        list: InvitationListForm { text: "", form_state: StepUpFormState::Closed, faults: &[], result: None },
    }
    .render(frame)
}
