//! The API keys of an organization, and creating one.

use super::notices::ConsoleField;
use super::{ConsoleLayout, ListPaging};
use crate::display_time::DisplayTime;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct ApiKeyListView<'a> {
    /// The console layout.
    pub layout: ConsoleLayout<'a>,
    /// The keys on this page.
    pub api_keys: &'a [ApiKeyItem<'a>],
    /// The pagination of the list.
    pub pages: ListPaging<'a>,
    /// The form to create a key, if the user may.
    pub create_form: Option<NewApiKeyForm<'a>>,
}

/// An API key.
#[derive(Clone, Copy, Debug)]
pub struct ApiKeyItem<'a> {
    /// The id that the form submits.
    pub id: &'a str,
    /// The owner's name for it.
    pub name: &'a str,
    /// The holder; `None` if it is the user's own.
    pub holder: Option<&'a str>,
    /// The maximum scope.
    pub scope: &'a str,
    /// The state.
    pub state: ApiKeyState,
    /// When it expires or ended.
    pub at: DisplayTime,
    /// When it was last used.
    pub used: Option<DisplayTime>,
}

/// The state of an API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiKeyState {
    /// Active.
    Active,
    /// Revoked.
    Revoked,
    /// Expired.
    Expired,
}

/// The form to create a key.
#[derive(Clone, Copy, Debug)]
pub struct NewApiKeyForm<'a> {
    /// The idempotency key of the form.
    pub idempotency_key: &'a str,
    /// The name, as entered.
    pub name: &'a str,
    /// The available scopes.
    pub scopes: &'a [ApiKeyScope<'a>],
    /// The lifetime in days.
    pub days: u32,
    /// The service that the key is for, by id and name; `None` for the user.
    pub holder: Option<(&'a str, &'a str)>,
}

/// A permission that a key can have.
#[derive(Clone, Copy, Debug)]
pub struct ApiKeyScope<'a> {
    /// The permission that the form submits.
    pub permission: &'a str,
    /// The description, if known.
    pub description: &'a str,
    /// Whether it is selected.
    pub is_selected: bool,
}

/// A new API key, shown only once.
#[derive(Clone, Copy, Debug)]
pub struct NewApiKeyView<'a> {
    /// The console layout.
    pub layout: ConsoleLayout<'a>,
    /// The owner's name for it.
    pub name: &'a str,
    /// The key.
    pub secret: &'a str,
    /// When it expires.
    pub expires_at: DisplayTime,
}

#[derive(Template)]
#[template(path = "console/api_keys.html")]
struct ApiKeyListPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    layout: &'a ConsoleLayout<'a>,
    view: &'a ApiKeyListView<'a>,
}

#[derive(Template)]
#[template(path = "console/new_api_key.html")]
struct NewApiKeyPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    layout: &'a ConsoleLayout<'a>,
    view: &'a NewApiKeyView<'a>,
}

impl ApiKeyListView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&ApiKeyListPage {
            frame,
            phrases,
            title: phrases.api_keys.title,
            layout: &self.layout,
            view: self,
        })
    }
}

impl NewApiKeyView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&NewApiKeyPage {
            frame,
            phrases,
            title: phrases.api_keys.made,
            layout: &self.layout,
            view: self,
        })
    }
}

impl ApiKeyItem<'_> {
    /// The state, before and after its time.
    pub(crate) fn state_text_parts(&self, phrases: &LocalePhrases) -> [&'static str; 2] {
        let phrases = &phrases.api_keys;
        match self.state {
            ApiKeyState::Active => phrases.works_until_around(),
            ApiKeyState::Revoked => phrases.revoked_on_around(),
            ApiKeyState::Expired => phrases.expired_on_around(),
        }
    }

    pub(crate) fn is_active(&self) -> bool {
        self.state == ApiKeyState::Active
    }
}
