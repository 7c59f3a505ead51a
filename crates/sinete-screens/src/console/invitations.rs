//! The invitations of an organization, and sending one.

use super::notices::ConsoleField;
use super::role_choices::RoleChoice;
use super::{ConsoleLayout, ListPaging, StepUpFormState};
use crate::display_time::DisplayTime;
use crate::language::UiLanguage;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct InvitationListView<'a> {
    /// The console layout.
    pub layout: ConsoleLayout<'a>,
    /// The invitations on this page.
    pub invitations: &'a [InvitationItem<'a>],
    /// The pagination of the list.
    pub pages: ListPaging<'a>,
    /// Whether the user may revoke invitations.
    pub may_withdraw: bool,
    /// The form to send an invitation, if the user may.
    pub invitation_form: Option<NewInvitationForm<'a>>,
    /// The form for a whole list, shown with the one for a single invitation.
    pub list: InvitationListForm<'a>,
}

/// The form to invite a list of users, and its result.
#[derive(Clone, Copy, Debug)]
pub struct InvitationListForm<'a> {
    /// The list, as entered.
    pub text: &'a str,
    /// The state of the form.
    pub form_state: StepUpFormState,
    /// What is wrong with which lines.
    pub faults: &'a [InvitationListFault<'a>],
    /// What was done, if something was.
    pub result: Option<InvitationListOutcome<'a>>,
}

/// A line of a list that is wrong.
#[derive(Clone, Copy, Debug)]
pub struct InvitationListFault<'a> {
    /// The line.
    pub line: &'a str,
    /// The sentence about it.
    pub text: &'a str,
}

/// The result of a list.
#[derive(Clone, Copy, Debug)]
pub struct InvitationListOutcome<'a> {
    /// How many invitations were sent.
    pub sent_invitations: usize,
    /// How many users were invited already.
    pub already_invited: usize,
    /// The line at which it stopped; empty if it did not.
    pub stopped_at: &'a str,
}

/// An invitation.
#[derive(Clone, Copy, Debug)]
pub struct InvitationItem<'a> {
    /// The id that the form submits.
    pub id: &'a str,
    /// The recipient's address; empty if it was erased.
    pub address: &'a str,
    /// The names of the roles that it offers; empty if the user may not see roles.
    pub roles: &'a str,
    /// The state.
    pub state: InvitationState,
    /// When it expires or ended.
    pub at: DisplayTime,
}

/// The state of an invitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvitationState {
    /// Pending.
    Pending,
    /// Accepted.
    Accepted,
    /// Revoked.
    Withdrawn,
    /// Expired.
    Expired,
}

/// The form to send an invitation.
#[derive(Clone, Copy, Debug)]
pub struct NewInvitationForm<'a> {
    /// The address, as entered.
    pub email: &'a str,
    /// The assignable roles.
    pub roles: &'a [RoleChoice<'a>],
    /// The selected language.
    pub language: Option<UiLanguage>,
    /// The lifetime in days.
    pub days: u32,
}

#[derive(Template)]
#[template(path = "console/invitations.html")]
struct InvitationListPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    layout: &'a ConsoleLayout<'a>,
    view: &'a InvitationListView<'a>,
}

impl InvitationListView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&InvitationListPage {
            frame,
            phrases,
            title: phrases.console.invitations,
            layout: &self.layout,
            view: self,
        })
    }
}

impl InvitationItem<'_> {
    /// The state, before and after its time.
    pub(crate) fn state_text_parts(&self, phrases: &LocalePhrases) -> [&'static str; 2] {
        let phrases = &phrases.console;
        match self.state {
            InvitationState::Pending => phrases.waits_until_around(),
            InvitationState::Accepted => phrases.accepted_on_around(),
            InvitationState::Withdrawn => phrases.withdrawn_on_around(),
            InvitationState::Expired => phrases.expired_on_around(),
        }
    }

    pub(crate) fn is_pending(&self) -> bool {
        self.state == InvitationState::Pending
    }

    /// Whether it can be sent again.
    pub(crate) fn can_be_resent(&self) -> bool {
        !self.address.is_empty() && matches!(self.state, InvitationState::Pending | InvitationState::Expired)
    }
}

impl NewInvitationForm<'_> {
    pub(crate) fn is_language_selected(&self, language: &UiLanguage) -> bool {
        self.language == Some(*language)
    }
}
