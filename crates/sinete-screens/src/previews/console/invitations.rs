//! Preview of the invitations.

use super::{layout_of, localized, sample_role_choices};
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
    let member = localized(frame.language, "member", "membro");
    let typed = if notice.is_some() { "davi@example" } else { "" };
    InvitationListView {
        desk: ConsoleLayout { said: notice, ..layout_of(ConsoleSection::Invitations) },
        invitations: &[
            InvitationItem {
                id: "1",
                address: "carla@example.org",
                roles: member,
                fate: InvitationState::Pending,
                at: DisplayTime(1_763_243_505),
            },
            InvitationItem {
                id: "2",
                address: "bruno@example.org",
                roles: member,
                fate: InvitationState::Accepted,
                at: DisplayTime(1_763_043_505),
            },
            InvitationItem {
                id: "3",
                address: "erro@example.org",
                roles: member,
                fate: InvitationState::Withdrawn,
                at: DisplayTime(1_762_943_505),
            },
        ],
        pages: ListPaging { next: Some("cursor"), ..ListPaging::default() },
        may_withdraw: true,
        invite: Some(NewInvitationForm { email: typed, roles: &choices[1..], language: None, days: 1 }),
        list: InvitationListForm { text: "", gate: StepUpFormState::Closed, faults: &[], result: None },
    }
    .render(frame)
}
