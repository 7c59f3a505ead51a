//! The webhooks of an organization: list, creation, details and delivery attempts.

use super::audit_log::{EVENT_KIND_GROUPS, EventKindGroup};
use super::notices::ConsoleField;
use super::{ConsoleLayout, ConsoleSection, ListPaging, StepUpFormState};
use crate::display_time::DisplayTime;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct WebhookListView<'a> {
    /// The console layout.
    pub layout: ConsoleLayout<'a>,
    /// The webhooks on this page.
    pub webhooks: &'a [WebhookItem<'a>],
    /// The pagination of the list.
    pub pages: ListPaging<'a>,
    /// The form to add a webhook, if the user may.
    pub add: Option<NewWebhookForm<'a>>,
}

/// A webhook.
#[derive(Clone, Copy, Debug)]
pub struct WebhookItem<'a> {
    /// The id in the URL of its page.
    pub id: &'a str,
    /// The URL.
    pub address: &'a str,
    /// The description; empty if there is none.
    pub description: &'a str,
    /// The state.
    pub state: WebhookState,
}

/// The state of a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookState {
    /// Deliveries succeed.
    Active,
    /// Deliveries have failed since then.
    Failing(DisplayTime),
    /// Paused since then, because deliveries failed for too long.
    PausedAfterFailures(DisplayTime),
    /// Paused since then, because the endpoint responded 410 Gone.
    PausedByGone(DisplayTime),
    /// Paused since then by a user.
    PausedByUser(DisplayTime),
}

/// The form to add a webhook.
#[derive(Clone, Copy, Debug)]
pub struct NewWebhookForm<'a> {
    /// The idempotency key of the form.
    pub idempotency_key: &'a str,
    /// The state of the form.
    pub form_state: StepUpFormState,
    /// The form fields.
    pub fields: WebhookFields<'a>,
}

/// The editable fields of a webhook.
#[derive(Clone, Copy, Debug)]
pub struct WebhookFields<'a> {
    /// The URL.
    pub address: &'a str,
    /// The description.
    pub description: &'a str,
    /// Whether it receives all event types.
    pub all_events: bool,
    /// The selected event types otherwise.
    pub kinds: &'a [&'a str],
    /// Selected event types that are not offered in the form.
    pub unlisted_kinds: &'a [&'a str],
}

/// The details of a webhook.
#[derive(Clone, Copy, Debug)]
pub struct WebhookDetailView<'a> {
    /// The console layout.
    pub layout: ConsoleLayout<'a>,
    /// The webhook.
    pub webhook: WebhookItem<'a>,
    /// The event types; empty means all.
    pub kinds: &'a [&'a str],
    /// When the next attempt is due, if any.
    pub next_attempt: Option<DisplayTime>,
    /// Whether there may be undelivered events.
    pub has_undelivered_events: bool,
    /// Until when the previous secret also signs.
    pub previous_secret_until: Option<DisplayTime>,
    /// When it was created.
    pub since: DisplayTime,
    /// The version that was read, which a change submits.
    pub version: i64,
    /// The state of its form.
    pub form_state: StepUpFormState,
    /// The values of the form fields.
    pub fields: WebhookFields<'a>,
    /// The displayed values, which the form submits to detect what the user changed.
    pub original_values: &'a str,
    /// The delivery attempts.
    pub attempts: &'a [DeliveryAttemptItem<'a>],
    /// The pagination of the attempts.
    pub pages: ListPaging<'a>,
    /// The start date of a replay, as entered.
    pub replay_since: &'a str,
    /// Whether the user may change it.
    pub may_change: bool,
    /// Whether the user may also replay earlier events.
    pub may_replay: bool,
    /// The idempotency key of the form.
    pub idempotency_key: &'a str,
    /// The answer to an event that was just sent, if one was.
    pub answer: Option<TestDeliveryAnswer<'a>>,
}

/// The answer to an event that was sent at once.
#[derive(Clone, Copy, Debug)]
pub struct TestDeliveryAnswer<'a> {
    /// The kind of event.
    pub kind: &'a str,
    /// The response status; `None` if the endpoint was not reached.
    pub status: Option<u16>,
    /// How long it took, in milliseconds.
    pub milliseconds: u64,
}

impl TestDeliveryAnswer<'_> {
    /// Whether the event was accepted.
    pub(crate) fn is_accepted(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status))
    }

    /// The response, as text.
    pub(crate) fn text(&self, phrases: &LocalePhrases) -> String {
        match self.status {
            Some(status) => phrases.webhooks.answer_status(status, self.milliseconds),
            None => phrases.webhooks.answer_none.to_owned(),
        }
    }
}

/// A delivery attempt.
#[derive(Clone, Copy, Debug)]
pub struct DeliveryAttemptItem<'a> {
    /// The event id.
    pub event: &'a str,
    /// The kind of event.
    pub kind: &'a str,
    /// The response status; `None` if the endpoint was not reached.
    pub status: Option<u16>,
    /// The outcome.
    pub outcome: DeliveryOutcome,
    /// The time.
    pub at: DisplayTime,
}

/// The outcome of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// Delivered.
    Delivered,
    /// Will be retried.
    Retrying,
    /// The webhook was paused.
    Paused,
}

/// A webhook secret, shown only once.
#[derive(Clone, Copy, Debug)]
pub struct WebhookSecretView<'a> {
    /// The console layout.
    pub layout: ConsoleLayout<'a>,
    /// The webhook.
    pub webhook: WebhookItem<'a>,
    /// The secret.
    pub secret: &'a str,
}

#[derive(Template)]
#[template(path = "console/webhooks.html")]
struct WebhookListPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    layout: &'a ConsoleLayout<'a>,
    view: &'a WebhookListView<'a>,
}

#[derive(Template)]
#[template(path = "console/webhook.html")]
struct WebhookDetailPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'a str,
    layout: &'a ConsoleLayout<'a>,
    view: &'a WebhookDetailView<'a>,
}

#[derive(Template)]
#[template(path = "console/new_webhook.html")]
struct WebhookSecretPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    layout: &'a ConsoleLayout<'a>,
    view: &'a WebhookSecretView<'a>,
}

impl WebhookListView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&WebhookListPage {
            frame,
            phrases,
            title: phrases.webhooks.title,
            layout: &self.layout,
            view: self,
        })
    }
}

impl WebhookDetailView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&WebhookDetailPage {
            frame,
            phrases,
            title: self.webhook.display_name(),
            layout: &self.layout,
            view: self,
        })
    }

    /// Whether the start date of the replay has an error.
    pub(crate) fn has_replay_error(&self) -> bool {
        self.layout.notice.is_some_and(|notice| notice.field() == Some(ConsoleField::Dates))
    }

    pub(crate) fn is_paused(&self) -> bool {
        !matches!(self.webhook.state, WebhookState::Active | WebhookState::Failing(_))
    }

    /// Whether the user may see the audit log entry of the event.
    pub(crate) fn has_audit_log(&self) -> bool {
        self.layout.sections.contains(&ConsoleSection::AuditLog)
    }
}

impl WebhookSecretView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&WebhookSecretPage {
            frame,
            phrases,
            title: phrases.webhooks.shown,
            layout: &self.layout,
            view: self,
        })
    }
}

impl<'a> WebhookItem<'a> {
    /// The display name: the description, or else the URL.
    pub(crate) const fn display_name(&self) -> &'a str {
        if self.description.is_empty() { self.address } else { self.description }
    }
}

impl WebhookState {
    pub(crate) const fn text(self, phrases: &LocalePhrases) -> &'static str {
        match self {
            Self::Active => phrases.webhooks.working,
            Self::Failing(_) => phrases.webhooks.failing,
            Self::PausedAfterFailures(_) | Self::PausedByGone(_) | Self::PausedByUser(_) => {
                phrases.webhooks.paused
            }
        }
    }

    pub(crate) fn is_healthy(&self) -> bool {
        *self == Self::Active
    }

    /// The reason of the state, if there is one.
    pub(crate) fn reason_text(&self, frame: &PageFrame<'_>) -> Option<String> {
        let phrases = &frame.phrases().webhooks;
        Some(match self {
            Self::Active => return None,
            Self::Failing(at) => phrases.failing_since(frame.time_text(at)),
            Self::PausedAfterFailures(at) => phrases.paused_failing(frame.time_text(at)),
            Self::PausedByGone(at) => phrases.paused_gone(frame.time_text(at)),
            Self::PausedByUser(at) => phrases.paused_stopped(frame.time_text(at)),
        })
    }
}

impl WebhookFields<'_> {
    pub(crate) fn includes_kind(&self, kind: &str) -> bool {
        self.kinds.contains(&kind)
    }
}

impl DeliveryAttemptItem<'_> {
    pub(crate) fn response_text(&self, phrases: &LocalePhrases) -> String {
        self.status
            .map_or_else(|| phrases.webhooks.unreached.to_owned(), |status| phrases.webhooks.answered(status))
    }
}

impl ConsoleLayout<'_> {
    /// The URL of a webhook's page.
    pub(crate) fn webhook_url(&self, frame: &PageFrame<'_>, id: &str) -> String {
        self.section_url(frame, &format!("{}/{id}", ConsoleSection::Webhooks.path()))
    }
}

/// Whether an event type can be selected. Test events are always delivered to their webhook.
pub fn is_selectable_kind(kind: &str) -> bool {
    kind != "webhook.tested" && EVENT_KIND_GROUPS.iter().any(|heading| heading.kinds.contains(&kind))
}

impl EventKindGroup {
    /// The selectable event types.
    pub(crate) fn selectable_kinds(&self) -> impl Iterator<Item = &'static str> {
        self.kinds.iter().copied().filter(|kind| is_selectable_kind(kind))
    }
}
