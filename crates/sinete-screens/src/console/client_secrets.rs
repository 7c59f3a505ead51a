//! The secrets of an application: the list on its page, and a new secret.

use super::ConsoleLayout;
use super::quickstarts::QuickstartSettings;
use crate::display_time::DisplayTime;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// A client secret, without its value.
#[derive(Clone, Copy, Debug)]
pub struct ClientSecretItem<'a> {
    /// The id of the secret.
    pub id: &'a str,
    /// The date it was added.
    pub since: DisplayTime,
    /// When it expires, if it was replaced.
    pub expires_at: Option<DisplayTime>,
}

/// A new client secret, shown only once.
#[derive(Clone, Copy, Debug)]
pub struct NewClientSecretView<'a> {
    /// The console layout.
    pub layout: ConsoleLayout<'a>,
    /// The `client_id`.
    pub id: &'a str,
    /// The name.
    pub name: &'a str,
    /// The secret itself.
    pub secret: &'a str,
    /// What it is configured with, if users sign in to it.
    pub quickstart: Option<QuickstartSettings<'a>>,
}

#[derive(Template)]
#[template(path = "console/new_client_secret.html")]
struct NewClientSecretPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    layout: &'a ConsoleLayout<'a>,
    view: &'a NewClientSecretView<'a>,
}

impl NewClientSecretView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&NewClientSecretPage {
            frame,
            phrases,
            title: phrases.applications.shown,
            layout: &self.layout,
            view: self,
        })
    }
}

impl ClientSecretItem<'_> {
    pub(crate) fn lifetime_text(&self, frame: &PageFrame<'_>) -> String {
        let phrases = &frame.phrases().applications;
        let until = self.expires_at.map(|until| phrases.secret_until(until.time(frame.language)));
        let since = phrases.secret_since(self.since.day(frame.language));
        format!("{since} · {}", until.as_deref().unwrap_or(phrases.secret_stays))
    }

    pub(crate) fn can_revoke(&self) -> bool {
        self.expires_at.is_some()
    }
}
