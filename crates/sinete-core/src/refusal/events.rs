//! Reasons to refuse a change to a webhook, or an event stream.

use super::reason::refusal_reasons;

refusal_reasons! {
    /// Why a change to a webhook, or an event stream is refused.
    EventRefusal {
        WebhookPaused = Conflict, "webhook_paused",
            "The webhook is paused. Resume it first.";
        WebhookLimit = Conflict, "webhook_limit",
            "The maximum number of webhooks is reached. Remove one first.";
        WebhookSecretOverlapTooLong = Unprocessable, "webhook_secret_overlap_too_long",
            "The previous webhook secret can stay valid for at most 7 days. Send a shorter time.";
        StreamLimit = TemporarilyUnavailable, "stream_limit",
            "The maximum number of event streams is open. Try again later.";
    }
}
