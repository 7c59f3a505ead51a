//! The invitations of an organization, and sending one.

use super::member::RoleChoice;
use super::notices::ConsoleField;
use super::{ConsoleLayout, ListPaging};
use crate::display_time::DisplayTime;
use crate::language::UiLanguage;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct InvitationListView<'a> {
    /// The console layout.
    pub desk: ConsoleLayout<'a>,
    /// The invitations on this page.
    pub invitations: &'a [InvitationItem<'a>],
    /// The pagination of the list.
    pub pages: ListPaging<'a>,
    /// Whether the user may revoke invitations.
    pub may_withdraw: bool,
    /// The form to send an invitation, if the user may.
    pub invite: Option<NewInvitationForm<'a>>,
}

/// An invitation.
#[derive(Clone, Copy, Debug)]
pub struct InvitationItem<'a> {
    /// The id that the form submits.
    pub id: &'a str,
    /// The recipient's address; empty if it was erased.
    pub address: &'a str,
    /// The state.
    pub fate: InvitationState,
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
    words: &'static LocalePhrases,
    title: &'static str,
    desk: &'a ConsoleLayout<'a>,
    view: &'a InvitationListView<'a>,
}

impl InvitationListView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        render_template(&InvitationListPage {
            frame,
            words,
            title: words.console.invitations,
            desk: &self.desk,
            view: self,
        })
    }
}

impl InvitationItem<'_> {
    pub(crate) fn state_text(&self, frame: &PageFrame<'_>) -> String {
        let words = &frame.words().console;
        let time = self.at.time(frame.language);
        match self.fate {
            InvitationState::Pending => words.waits_until(time),
            InvitationState::Accepted => words.accepted_on(time),
            InvitationState::Withdrawn => words.withdrawn_on(time),
            InvitationState::Expired => words.expired_on(time),
        }
    }

    pub(crate) fn is_pending(&self) -> bool {
        self.fate == InvitationState::Pending
    }
}

impl NewInvitationForm<'_> {
    pub(crate) fn is_language_selected(&self, language: &UiLanguage) -> bool {
        self.language == Some(*language)
    }
}
