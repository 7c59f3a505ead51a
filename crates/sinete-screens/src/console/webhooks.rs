//! The addresses of an organization that are told of what happens, and what became of telling one of them.

use super::audit_log::{EVENT_KIND_GROUPS, EventKindGroup};
use super::notices::ConsoleField;
use super::{ConsoleLayout, ConsoleSection, FormGate, ListPaging};
use crate::display_time::DisplayTime;
use crate::locales::{LocalePhrases, with_value};
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct WebhookListView<'a> {
    /// What stands around it.
    pub desk: ConsoleLayout<'a>,
    /// The webhooks on this page.
    pub webhooks: &'a [WebhookItem<'a>],
    /// Where the list goes on.
    pub pages: ListPaging<'a>,
    /// What one more is made of, where the person may add it.
    pub add: Option<NewWebhookForm<'a>>,
}

/// A webhook.
#[derive(Clone, Copy, Debug)]
pub struct WebhookItem<'a> {
    /// What its page is found under.
    pub id: &'a str,
    /// Where it is.
    pub address: &'a str,
    /// What it is for; empty, where nobody said.
    pub about: &'a str,
    /// How it stands.
    pub state: WebhookState,
}

/// How a webhook stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookState {
    /// It takes what it is told.
    Active,
    /// It has not taken anything since then.
    Failing(DisplayTime),
    /// It is told of nothing since then, because it failed too long.
    PausedAfterFailures(DisplayTime),
    /// It is told of nothing since then, because it said that it is gone.
    PausedByGone(DisplayTime),
    /// It is told of nothing since then, because somebody said so.
    PausedByUser(DisplayTime),
}

/// A webhook that is being added.
#[derive(Clone, Copy, Debug)]
pub struct NewWebhookForm<'a> {
    /// What makes sure that a form which is sent twice adds one.
    pub once: &'a str,
    /// How the form stands.
    pub stands: FormGate,
    /// What it is to be.
    pub fields: WebhookFields<'a>,
}

/// What can be typed about a webhook.
#[derive(Clone, Copy, Debug)]
pub struct WebhookFields<'a> {
    /// Where it is.
    pub address: &'a str,
    /// What it is for.
    pub about: &'a str,
    /// Whether it is told of everything.
    pub everything: bool,
    /// What it is told of otherwise.
    pub kinds: &'a [&'a str],
    /// Kinds that it is told of and that are not offered to everybody.
    pub others: &'a [&'a str],
}

/// One webhook.
#[derive(Clone, Copy, Debug)]
pub struct WebhookDetailView<'a> {
    /// What stands around it.
    pub desk: ConsoleLayout<'a>,
    /// The webhook.
    pub webhook: WebhookItem<'a>,
    /// What it is told of; nothing means everything.
    pub kinds: &'a [&'a str],
    /// When it is tried again, where it is.
    pub next_attempt: Option<DisplayTime>,
    /// Whether there may be something it has not been told of.
    pub behind: bool,
    /// Until when its earlier secret signs too.
    pub both_until: Option<DisplayTime>,
    /// Since when it is told of things.
    pub since: DisplayTime,
    /// The version that was read, which a change names.
    pub version: i64,
    /// How its form stands.
    pub stands: FormGate,
    /// What stands in the fields of it.
    pub fields: WebhookFields<'a>,
    /// What the page showed, as the form carries it.
    pub shown: &'a str,
    /// What became of telling it.
    pub attempts: &'a [DeliveryAttemptItem<'a>],
    /// Where those go on.
    pub pages: ListPaging<'a>,
    /// The day from which it is told again, as it was typed.
    pub replay: &'a str,
    /// Whether the person may change it.
    pub may_change: bool,
    /// Whether they may also have it told again of what happened before.
    pub may_replay: bool,
    /// What makes sure that a form which is sent twice makes one secret.
    pub once: &'a str,
}

/// An attempt to tell a webhook of something.
#[derive(Clone, Copy, Debug)]
pub struct DeliveryAttemptItem<'a> {
    /// The event.
    pub event: &'a str,
    /// What had happened, by the name of its kind.
    pub kind: &'a str,
    /// What was answered; nothing where it was not reached.
    pub status: Option<u16>,
    /// What followed from it.
    pub came: DeliveryOutcome,
    /// When.
    pub at: DisplayTime,
}

/// What followed from an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// It was taken.
    Delivered,
    /// It is tried again.
    Retrying,
    /// The webhook was paused.
    Paused,
}

/// A secret that is shown this once.
#[derive(Clone, Copy, Debug)]
pub struct WebhookSecretView<'a> {
    /// What stands around it.
    pub desk: ConsoleLayout<'a>,
    /// Whose it is.
    pub webhook: WebhookItem<'a>,
    /// The secret.
    pub secret: &'a str,
}

#[derive(Template)]
#[template(path = "console/webhooks.html")]
struct WebhookListPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    desk: &'a ConsoleLayout<'a>,
    view: &'a WebhookListView<'a>,
}

#[derive(Template)]
#[template(path = "console/webhook.html")]
struct WebhookDetailPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'a str,
    desk: &'a ConsoleLayout<'a>,
    view: &'a WebhookDetailView<'a>,
}

#[derive(Template)]
#[template(path = "console/shown_webhook.html")]
struct WebhookSecretPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    desk: &'a ConsoleLayout<'a>,
    view: &'a WebhookSecretView<'a>,
}

impl WebhookListView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        render_template(&WebhookListPage {
            frame,
            words,
            title: words.webhooks.title,
            desk: &self.desk,
            view: self,
        })
    }
}

impl WebhookDetailView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        render_template(&WebhookDetailPage {
            frame,
            words,
            title: self.webhook.display_name(),
            desk: &self.desk,
            view: self,
        })
    }

    /// Whether the day for telling it again was not right.
    pub(crate) fn has_replay_error(&self) -> bool {
        self.desk.said.is_some_and(|said| said.field() == Some(ConsoleField::Days))
    }

    pub(crate) fn is_paused(&self) -> bool {
        !matches!(self.webhook.state, WebhookState::Active | WebhookState::Failing(_))
    }

    /// Whether what happened has a page that the person may see.
    pub(crate) fn has_audit_log(&self) -> bool {
        self.desk.sections.contains(&ConsoleSection::AuditLog)
    }
}

impl WebhookSecretView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        render_template(&WebhookSecretPage {
            frame,
            words,
            title: words.webhooks.shown,
            desk: &self.desk,
            view: self,
        })
    }
}

impl<'a> WebhookItem<'a> {
    /// What it is called: what it is for, or else where it is.
    pub(crate) const fn display_name(&self) -> &'a str {
        if self.about.is_empty() { self.address } else { self.about }
    }
}

impl WebhookState {
    pub(crate) const fn text(self, words: &LocalePhrases) -> &'static str {
        match self {
            Self::Active => words.webhooks.working,
            Self::Failing(_) => words.webhooks.failing,
            Self::PausedAfterFailures(_) | Self::PausedByGone(_) | Self::PausedByUser(_) => {
                words.webhooks.paused
            }
        }
    }

    pub(crate) fn is_healthy(&self) -> bool {
        *self == Self::Active
    }

    /// Why, where there is something to say.
    pub(crate) fn reason_text(&self, frame: &PageFrame<'_>) -> Option<String> {
        let words = &frame.words().webhooks;
        let (phrase, at) = match self {
            Self::Active => return None,
            Self::Failing(at) => (words.failing_since, at),
            Self::PausedAfterFailures(at) => (words.paused_failing, at),
            Self::PausedByGone(at) => (words.paused_gone, at),
            Self::PausedByUser(at) => (words.paused_stopped, at),
        };
        Some(with_value(phrase, frame.time_text(at)))
    }
}

impl WebhookFields<'_> {
    pub(crate) fn includes_kind(&self, kind: &str) -> bool {
        self.kinds.contains(&kind)
    }
}

impl DeliveryAttemptItem<'_> {
    pub(crate) fn response_text(&self, words: &LocalePhrases) -> String {
        self.status.map_or_else(
            || words.webhooks.unreached.to_owned(),
            |status| with_value(words.webhooks.answered, status),
        )
    }
}

impl ConsoleLayout<'_> {
    /// The page of a webhook.
    pub(crate) fn webhook_url(&self, frame: &PageFrame<'_>, id: &str) -> String {
        self.section_url(frame, &format!("{}/{id}", ConsoleSection::Webhooks.path()))
    }
}

/// Whether a kind can be chosen. A trial is told to whom it is made for, whatever was chosen.
pub fn is_selectable_kind(kind: &str) -> bool {
    kind != "webhook.tested" && EVENT_KIND_GROUPS.iter().any(|heading| heading.kinds.contains(&kind))
}

impl EventKindGroup {
    /// Those of its kinds that can be chosen.
    pub(crate) fn selectable_kinds(&self) -> impl Iterator<Item = &'static str> {
        self.kinds.iter().copied().filter(|kind| is_selectable_kind(kind))
    }
}
