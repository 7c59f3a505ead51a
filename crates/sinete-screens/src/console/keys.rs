//! The API keys of an organization, and making one.

use super::said::Field;
use super::{Desk, Pages};
use crate::moment::Moment;
use crate::page::{Frame, render};
use crate::words::{Words, with};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct Keys<'a> {
    /// What stands around it.
    pub desk: Desk<'a>,
    /// The keys on this page.
    pub keys: &'a [Key<'a>],
    /// Where the list goes on.
    pub pages: Pages<'a>,
    /// What a key is made of, where the person may make one.
    pub make: Option<Make<'a>>,
}

/// A key.
#[derive(Clone, Copy, Debug)]
pub struct Key<'a> {
    /// What the form names it by.
    pub id: &'a str,
    /// What its owner calls it.
    pub name: &'a str,
    /// Whose it is; nothing, where it is the reader's own.
    pub holder: Option<&'a str>,
    /// What it may be used for at most.
    pub scope: &'a str,
    /// What becomes of it.
    pub fate: Fate,
    /// Until or since when.
    pub at: Moment,
    /// When it was last used.
    pub used: Option<Moment>,
}

/// What becomes of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It works.
    Works,
    /// It was revoked.
    Revoked,
    /// It was too old.
    Expired,
}

/// A key that is being made.
#[derive(Clone, Copy, Debug)]
pub struct Make<'a> {
    /// What makes sure that a form which is sent twice makes one key.
    pub once: &'a str,
    /// Its name, as it was typed.
    pub name: &'a str,
    /// What it could be used for.
    pub scopes: &'a [Scope<'a>],
    /// For how many days it works.
    pub days: u32,
}

/// Something that a key can be used for.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// What the form names it by.
    pub permission: &'a str,
    /// What it means, where we know.
    pub about: &'a str,
    /// Whether it is chosen.
    pub chosen: bool,
}

/// A key that was just made, with what is never shown again.
#[derive(Clone, Copy, Debug)]
pub struct ShownKey<'a> {
    /// What stands around it.
    pub desk: Desk<'a>,
    /// What its owner calls it.
    pub name: &'a str,
    /// The key itself.
    pub secret: &'a str,
    /// When it stops working.
    pub until: Moment,
}

#[derive(Template)]
#[template(path = "console/keys.html")]
struct Page<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: &'static str,
    desk: &'a Desk<'a>,
    view: &'a Keys<'a>,
}

#[derive(Template)]
#[template(path = "console/shown_key.html")]
struct ShownPage<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: &'static str,
    desk: &'a Desk<'a>,
    view: &'a ShownKey<'a>,
}

impl Keys<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = frame.words();
        render(&Page { frame, words, title: words.keys.title, desk: &self.desk, view: self })
    }
}

impl ShownKey<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = frame.words();
        render(&ShownPage { frame, words, title: words.keys.made, desk: &self.desk, view: self })
    }
}

impl Key<'_> {
    pub(crate) fn became(&self, frame: &Frame<'_>) -> String {
        let words = &frame.words().keys;
        let (phrase, day) = match self.fate {
            Fate::Works => (words.works_until, self.at.day(frame.language)),
            Fate::Revoked => (words.revoked_on, self.at.day(frame.language)),
            Fate::Expired => (words.expired_on, self.at.day(frame.language)),
        };
        with(phrase, day)
    }

    pub(crate) fn last_use(&self, frame: &Frame<'_>) -> String {
        let words = &frame.words().keys;
        self.used
            .map_or_else(|| words.never_used.to_owned(), |used| with(words.used_on, used.day(frame.language)))
    }

    pub(crate) fn works(&self) -> bool {
        self.fate == Fate::Works
    }
}
