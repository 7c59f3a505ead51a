//! Who was asked to join an organization, and asking somebody.

use super::member::RoleChoice;
use super::said::Field;
use super::{Desk, Pages};
use crate::language::Language;
use crate::moment::Moment;
use crate::page::{Frame, render};
use crate::words::Words;
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct Invitations<'a> {
    /// What stands around it.
    pub desk: Desk<'a>,
    /// The invitations on this page.
    pub invitations: &'a [Invitation<'a>],
    /// Where the list goes on.
    pub pages: Pages<'a>,
    /// Whether the person may take one back.
    pub may_withdraw: bool,
    /// What an invitation is made of, where the person may send one.
    pub invite: Option<Invite<'a>>,
}

/// An invitation.
#[derive(Clone, Copy, Debug)]
pub struct Invitation<'a> {
    /// What the form names it by.
    pub id: &'a str,
    /// Where it was sent; empty, where that was forgotten.
    pub address: &'a str,
    /// What became of it.
    pub fate: Fate,
    /// Until or since when.
    pub at: Moment,
}

/// What became of an invitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It waits.
    Waits,
    /// It was accepted.
    Accepted,
    /// It was taken back.
    Withdrawn,
    /// It was too old.
    Expired,
}

/// An invitation that is being written.
#[derive(Clone, Copy, Debug)]
pub struct Invite<'a> {
    /// The address, as it was typed.
    pub email: &'a str,
    /// The roles that can be given.
    pub roles: &'a [RoleChoice<'a>],
    /// The language that was chosen.
    pub language: Option<Language>,
    /// For how many days it works.
    pub days: u32,
}

#[derive(Template)]
#[template(path = "console/invitations.html")]
struct Page<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: &'static str,
    desk: &'a Desk<'a>,
    view: &'a Invitations<'a>,
}

impl Invitations<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = frame.words();
        render(&Page { frame, words, title: words.console.invitations, desk: &self.desk, view: self })
    }
}

impl Invitation<'_> {
    pub(crate) fn became(&self, frame: &Frame<'_>) -> String {
        let words = &frame.words().console;
        let phrase = match self.fate {
            Fate::Waits => words.waits_until,
            Fate::Accepted => words.accepted_on,
            Fate::Withdrawn => words.withdrawn_on,
            Fate::Expired => words.expired_on,
        };
        crate::words::with(phrase, self.at.time(frame.language))
    }

    pub(crate) fn waits(&self) -> bool {
        self.fate == Fate::Waits
    }
}

impl Invite<'_> {
    pub(crate) fn wants(&self, language: &Language) -> bool {
        self.language == Some(*language)
    }
}
