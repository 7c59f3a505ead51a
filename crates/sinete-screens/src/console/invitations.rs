//! Who was asked to join an organization, and asking somebody.

use super::member::RoleChoice;
use super::notices::ConsoleField;
use super::{ConsoleLayout, ListPaging};
use crate::display_time::DisplayTime;
use crate::language::UiLanguage;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct InvitationListView<'a> {
    /// What stands around it.
    pub desk: ConsoleLayout<'a>,
    /// The invitations on this page.
    pub invitations: &'a [InvitationItem<'a>],
    /// Where the list goes on.
    pub pages: ListPaging<'a>,
    /// Whether the person may take one back.
    pub may_withdraw: bool,
    /// What an invitation is made of, where the person may send one.
    pub invite: Option<NewInvitationForm<'a>>,
}

/// An invitation.
#[derive(Clone, Copy, Debug)]
pub struct InvitationItem<'a> {
    /// What the form names it by.
    pub id: &'a str,
    /// Where it was sent; empty, where that was forgotten.
    pub address: &'a str,
    /// What became of it.
    pub fate: InvitationState,
    /// Until or since when.
    pub at: DisplayTime,
}

/// What became of an invitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvitationState {
    /// It waits.
    Pending,
    /// It was accepted.
    Accepted,
    /// It was taken back.
    Withdrawn,
    /// It was too old.
    Expired,
}

/// An invitation that is being written.
#[derive(Clone, Copy, Debug)]
pub struct NewInvitationForm<'a> {
    /// The address, as it was typed.
    pub email: &'a str,
    /// The roles that can be given.
    pub roles: &'a [RoleChoice<'a>],
    /// The language that was chosen.
    pub language: Option<UiLanguage>,
    /// For how many days it works.
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
    /// The page.
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
        let phrase = match self.fate {
            InvitationState::Pending => words.waits_until,
            InvitationState::Accepted => words.accepted_on,
            InvitationState::Withdrawn => words.withdrawn_on,
            InvitationState::Expired => words.expired_on,
        };
        crate::locales::with_value(phrase, self.at.time(frame.language))
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
