//! The API keys of an organization, and making one.

use super::notices::ConsoleField;
use super::{ConsoleLayout, ListPaging};
use crate::display_time::DisplayTime;
use crate::locales::{LocalePhrases, with_value};
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct ApiKeyListView<'a> {
    /// What stands around it.
    pub desk: ConsoleLayout<'a>,
    /// The keys on this page.
    pub keys: &'a [ApiKeyItem<'a>],
    /// Where the list goes on.
    pub pages: ListPaging<'a>,
    /// What a key is made of, where the person may make one.
    pub make: Option<NewApiKeyForm<'a>>,
}

/// A key.
#[derive(Clone, Copy, Debug)]
pub struct ApiKeyItem<'a> {
    /// What the form names it by.
    pub id: &'a str,
    /// What its owner calls it.
    pub name: &'a str,
    /// Whose it is; nothing, where it is the reader's own.
    pub holder: Option<&'a str>,
    /// What it may be used for at most.
    pub scope: &'a str,
    /// What becomes of it.
    pub fate: ApiKeyState,
    /// Until or since when.
    pub at: DisplayTime,
    /// When it was last used.
    pub used: Option<DisplayTime>,
}

/// What becomes of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiKeyState {
    /// It works.
    Active,
    /// It was revoked.
    Revoked,
    /// It was too old.
    Expired,
}

/// A key that is being made.
#[derive(Clone, Copy, Debug)]
pub struct NewApiKeyForm<'a> {
    /// What makes sure that a form which is sent twice makes one key.
    pub once: &'a str,
    /// Its name, as it was typed.
    pub name: &'a str,
    /// What it could be used for.
    pub scopes: &'a [ApiKeyScope<'a>],
    /// For how many days it works.
    pub days: u32,
}

/// Something that a key can be used for.
#[derive(Clone, Copy, Debug)]
pub struct ApiKeyScope<'a> {
    /// What the form names it by.
    pub permission: &'a str,
    /// What it means, where we know.
    pub about: &'a str,
    /// Whether it is chosen.
    pub chosen: bool,
}

/// A key that was just made, with what is never shown again.
#[derive(Clone, Copy, Debug)]
pub struct NewApiKeyView<'a> {
    /// What stands around it.
    pub desk: ConsoleLayout<'a>,
    /// What its owner calls it.
    pub name: &'a str,
    /// The key itself.
    pub secret: &'a str,
    /// When it stops working.
    pub until: DisplayTime,
}

#[derive(Template)]
#[template(path = "console/keys.html")]
struct ApiKeyListPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    desk: &'a ConsoleLayout<'a>,
    view: &'a ApiKeyListView<'a>,
}

#[derive(Template)]
#[template(path = "console/shown_key.html")]
struct NewApiKeyPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    desk: &'a ConsoleLayout<'a>,
    view: &'a NewApiKeyView<'a>,
}

impl ApiKeyListView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        render_template(&ApiKeyListPage {
            frame,
            words,
            title: words.keys.title,
            desk: &self.desk,
            view: self,
        })
    }
}

impl NewApiKeyView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        render_template(&NewApiKeyPage { frame, words, title: words.keys.made, desk: &self.desk, view: self })
    }
}

impl ApiKeyItem<'_> {
    pub(crate) fn state_text(&self, frame: &PageFrame<'_>) -> String {
        let words = &frame.words().keys;
        let (phrase, day) = match self.fate {
            ApiKeyState::Active => (words.works_until, self.at.day(frame.language)),
            ApiKeyState::Revoked => (words.revoked_on, self.at.day(frame.language)),
            ApiKeyState::Expired => (words.expired_on, self.at.day(frame.language)),
        };
        with_value(phrase, day)
    }

    pub(crate) fn last_use_text(&self, frame: &PageFrame<'_>) -> String {
        let words = &frame.words().keys;
        self.used.map_or_else(
            || words.never_used.to_owned(),
            |used| with_value(words.used_on, used.day(frame.language)),
        )
    }

    pub(crate) fn is_active(&self) -> bool {
        self.fate == ApiKeyState::Active
    }
}
