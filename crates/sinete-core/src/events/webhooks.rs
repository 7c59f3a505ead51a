//! Webhooks: valid URLs, event filters, and the outcome of delivery attempts.

use crate::events::security_event::EventKind;
use crate::limits::{
    WEBHOOK_PAUSE_AFTER, WEBHOOK_RETRY, WEBHOOK_RETRY_MAX, WEBHOOK_URL_BYTES_MAX, WEBHOOKS_MAX,
};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use url::{Host, Url};

/// The URL of a webhook: https, without credentials and without a fragment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WebhookUrl(Url);

/// Whether plain-HTTP URLs are accepted. Deliveries to them can be read and altered in transit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainHttpPolicy {
    /// Accepted, for a development instance.
    Allowed,
    /// Rejected.
    Refused,
}

/// Why a webhook URL is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidWebhookUrl {
    /// Not a URL, or too long.
    #[error("must be a URL of at most 2048 bytes, such as https://example.com/events")]
    Malformed,
    /// The scheme is not https, so deliveries could be read in transit.
    #[error("must be an https URL")]
    NotHttps,
    /// It contains credentials, which would appear in logs.
    #[error("must not contain a user name or password")]
    Credentials,
    /// It contains a fragment, which is never sent.
    #[error("must not contain a fragment")]
    Fragment,
}

impl WebhookUrl {
    /// Parses a webhook URL.
    pub fn parse(text: &str, plain: PlainHttpPolicy) -> Result<Self, InvalidWebhookUrl> {
        if text.len() > WEBHOOK_URL_BYTES_MAX {
            return Err(InvalidWebhookUrl::Malformed);
        }
        let url = Url::parse(text).map_err(|_| InvalidWebhookUrl::Malformed)?;
        let has_host = matches!(&url.host(), Some(Host::Domain(name)) if !name.is_empty())
            || matches!(url.host(), Some(Host::Ipv4(_) | Host::Ipv6(_)));
        match (url.scheme(), plain) {
            ("https", _) | ("http", PlainHttpPolicy::Allowed) if has_host => {}
            ("https" | "http", _) if !has_host => return Err(InvalidWebhookUrl::Malformed),
            _ => return Err(InvalidWebhookUrl::NotHttps),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(InvalidWebhookUrl::Credentials);
        }
        if url.fragment().is_some() {
            return Err(InvalidWebhookUrl::Fragment);
        }
        Ok(Self(url))
    }

    /// The normalized URL.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl TryFrom<String> for WebhookUrl {
    type Error = InvalidWebhookUrl;

    /// Accepts http as well: the instance that uses the URL decides about plain HTTP.
    fn try_from(text: String) -> Result<Self, InvalidWebhookUrl> {
        Self::parse(&text, PlainHttpPolicy::Allowed)
    }
}

impl From<WebhookUrl> for String {
    fn from(address: WebhookUrl) -> Self {
        address.0.into()
    }
}

impl fmt::Display for WebhookUrl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// The event types of a webhook: the listed kinds, or all if the set is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct EventKindFilter(BTreeSet<&'static str>);

impl EventKindFilter {
    /// Creates a filter from these kinds.
    pub fn from_kinds(kinds: impl IntoIterator<Item = EventKind>) -> Self {
        Self(kinds.into_iter().map(EventKind::name).collect())
    }

    /// Whether events of this kind are delivered. Unknown kinds of a newer version are delivered only if the
    /// set is empty.
    pub fn includes(&self, kind: &str) -> bool {
        self.0.is_empty() || self.0.contains(kind)
    }

    /// Whether adding this filter requires permission to read the audit log, whose events it would deliver.
    /// An empty filter delivers all events.
    pub fn needs_audit_read(&self) -> bool {
        let is_notice = |name: &&str| name.parse().is_ok_and(is_change_notice);
        self.0.is_empty() || !self.0.iter().all(is_notice)
    }

    /// The names in ascending order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().copied()
    }
}

/// Whether events of this kind are change notices about the organization's own resources, which a webhook
/// administrator may receive without reading the audit log. All other kinds are about users and credentials;
/// a new kind counts as such until it is listed here
/// (docs/contribute/decisions/0088-webhooks-follow-the-security-log.md).
pub const fn is_change_notice(kind: EventKind) -> bool {
    use EventKind as Kind;
    matches!(
        kind,
        Kind::OrganizationChanged
            | Kind::OrganizationSuspended
            | Kind::OrganizationRestored
            | Kind::OrganizationDeletionAsked
            | Kind::OrganizationDeletionWithdrawn
            | Kind::MembershipCreated
            | Kind::MembershipRolesChanged
            | Kind::MembershipChanged
            | Kind::MembershipClaimed
            | Kind::MembershipDisabled
            | Kind::MembershipEnabled
            | Kind::MembershipEnded
            | Kind::InvitationSent
            | Kind::InvitationAccepted
            | Kind::InvitationRevoked
            | Kind::RoleCreated
            | Kind::RoleChanged
            | Kind::RoleRemoved
            | Kind::ApiCreated
            | Kind::ApiChanged
            | Kind::ApiRemoved
            | Kind::RelationshipsChanged
            | Kind::ClientCreated
            | Kind::ClientChanged
            | Kind::ClientDisabled
            | Kind::ClientEnabled
            | Kind::ClientRemoved
            | Kind::ClientVerified
            | Kind::DomainAdded
            | Kind::DomainVerified
            | Kind::DomainMissing
            | Kind::DomainLost
            | Kind::DomainRemoved
            | Kind::ConnectionCreated
            | Kind::ConnectionChanged
            | Kind::ConnectionTested
            | Kind::ConnectionRemoved
            | Kind::WebhookCreated
            | Kind::WebhookChanged
            | Kind::WebhookRemoved
            | Kind::WebhookSecretRotated
            | Kind::WebhookPaused
            | Kind::WebhookResumed
            | Kind::WebhookReplayed
            | Kind::WebhookTested
    )
}

impl TryFrom<Vec<String>> for EventKindFilter {
    type Error = String;

    fn try_from(names: Vec<String>) -> Result<Self, String> {
        let read = |name: &String| name.parse::<EventKind>().map_err(|kind| format!("{name}: {kind}"));
        Ok(Self::from_kinds(names.iter().map(read).collect::<Result<Vec<_>, _>>()?))
    }
}

impl From<EventKindFilter> for Vec<String> {
    fn from(kinds: EventKindFilter) -> Self {
        kinds.names().map(str::to_owned).collect()
    }
}

/// Whether an event is delivered to a webhook: events of its types, and test events for this webhook only.
pub fn should_deliver(kinds: &EventKindFilter, kind: &str, is_about_this_one: bool) -> bool {
    if kind == EventKind::WebhookTested.name() { is_about_this_one } else { kinds.includes(kind) }
}

/// Whether an owner has as many webhooks as it may have.
pub const fn is_webhook_limit_reached(count: u32) -> bool {
    count >= WEBHOOKS_MAX
}

/// The outcome of a delivery attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookDeliveryAttempt {
    /// The endpoint responded with this status.
    Responded(u16),
    /// The endpoint could not be reached, must not be contacted, or timed out.
    NotReached,
}

/// The current series of failures of a webhook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WebhookDeliveryFailures {
    /// The number of consecutive failures.
    pub count: i64,
    /// The time of the first of them.
    pub since: Option<Timestamp>,
}

/// What follows from an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookDeliveryDecision {
    /// Delivered: the next event is due.
    Delivered,
    /// The same event is retried, not before this time. Later events wait, so that the order is kept.
    Retry(Timestamp),
    /// The webhook is paused until an administrator resumes it.
    Pause(WebhookPauseReason),
}

/// Why a webhook is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookPauseReason {
    /// It failed for too long.
    Failing,
    /// The endpoint responded that it is permanently gone (410).
    Gone,
    /// An administrator paused it.
    Stopped,
}

impl WebhookPauseReason {
    /// The name, as stored and displayed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Failing => "failing",
            Self::Gone => "gone",
            Self::Stopped => "stopped",
        }
    }
}

/// Decides what follows from an attempt after these failures. Every 2xx status counts as delivered. A
/// redirect does not, because its target was not configured.
pub fn decide_delivery(
    attempt: WebhookDeliveryAttempt,
    before: WebhookDeliveryFailures,
    now: Timestamp,
) -> WebhookDeliveryDecision {
    match attempt {
        WebhookDeliveryAttempt::Responded(200..=299) => WebhookDeliveryDecision::Delivered,
        WebhookDeliveryAttempt::Responded(410) => WebhookDeliveryDecision::Pause(WebhookPauseReason::Gone),
        WebhookDeliveryAttempt::Responded(_) | WebhookDeliveryAttempt::NotReached => {
            let since = before.since.unwrap_or(now);
            if now.since(since) >= WEBHOOK_PAUSE_AFTER {
                return WebhookDeliveryDecision::Pause(WebhookPauseReason::Failing);
            }
            let quadruplings = before.count.clamp(0, 8);
            let wait = (0..quadruplings).fold(WEBHOOK_RETRY, |wait, _| {
                let twice = wait.plus(wait);
                twice.plus(twice)
            });
            WebhookDeliveryDecision::Retry(now.plus(wait.min(WEBHOOK_RETRY_MAX)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Lifetime;

    const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);

    #[test]
    fn webhook_for_all_events_or_for_user_and_credential_events_needs_audit_read() {
        assert!(EventKindFilter::default().needs_audit_read());
        let notices = [EventKind::MembershipCreated, EventKind::InvitationSent];
        assert!(!EventKindFilter::from_kinds(notices).needs_audit_read());
        for kind in [
            EventKind::SessionStarted,
            EventKind::GrantGiven,
            EventKind::ApiKeyIssued,
            EventKind::ClientSecretAdded,
            EventKind::MembershipImpersonated,
            EventKind::OrganizationAdministered,
        ] {
            assert!(
                EventKindFilter::from_kinds(notices.into_iter().chain([kind])).needs_audit_read(),
                "{kind:?}"
            );
        }
    }

    #[test]
    fn webhook_url_must_be_https_without_credentials_or_fragment() {
        for text in ["https://example.com/events", "https://example.com:8443/a?b=c", "https://[2001:db8::1]/"]
        {
            assert_eq!(
                WebhookUrl::parse(text, PlainHttpPolicy::Refused).map(|it| it.to_string()),
                Ok(text.to_owned())
            );
        }
        let refused = |text: &str, plain| WebhookUrl::parse(text, plain).unwrap_err();
        assert_eq!(refused("http://example.com/", PlainHttpPolicy::Refused), InvalidWebhookUrl::NotHttps);
        assert!(WebhookUrl::parse("http://127.0.0.1:9/", PlainHttpPolicy::Allowed).is_ok());
        assert_eq!(refused("ftp://example.com/", PlainHttpPolicy::Allowed), InvalidWebhookUrl::NotHttps);
        assert_eq!(
            refused("https://ana@example.com/", PlainHttpPolicy::Allowed),
            InvalidWebhookUrl::Credentials
        );
        assert_eq!(
            refused("https://:x@example.com/", PlainHttpPolicy::Allowed),
            InvalidWebhookUrl::Credentials
        );
        assert_eq!(refused("https://example.com/#x", PlainHttpPolicy::Allowed), InvalidWebhookUrl::Fragment);
        for text in
            ["", "example.com", "https://", "/events", &format!("https://e.com/{}", "x".repeat(2_048))]
        {
            assert_eq!(refused(text, PlainHttpPolicy::Allowed), InvalidWebhookUrl::Malformed, "{text}");
        }
    }

    #[test]
    fn webhook_retries_back_off_to_an_hour_and_pause_after_three_days() {
        let wait = |times, since| {
            decide_delivery(
                WebhookDeliveryAttempt::NotReached,
                WebhookDeliveryFailures { count: times, since },
                NOW,
            )
        };
        let seconds = |times| match wait(times, (times > 0).then_some(NOW)) {
            WebhookDeliveryDecision::Retry(at) => at.since(NOW).seconds(),
            WebhookDeliveryDecision::Delivered | WebhookDeliveryDecision::Pause(_) => -1,
        };
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 100].map(seconds), [5, 20, 80, 320, 1_280, 3_600, 3_600, 3_600]);
        let just_before = NOW.minus(WEBHOOK_PAUSE_AFTER).plus(Lifetime::from_micros(1));
        assert!(matches!(wait(80, Some(just_before)), WebhookDeliveryDecision::Retry(_)));
        assert_eq!(
            wait(80, Some(NOW.minus(WEBHOOK_PAUSE_AFTER))),
            WebhookDeliveryDecision::Pause(WebhookPauseReason::Failing)
        );
    }

    #[test]
    fn webhook_delivery_succeeds_on_2xx_and_is_paused_on_410() {
        let judged = |status| {
            decide_delivery(
                WebhookDeliveryAttempt::Responded(status),
                WebhookDeliveryFailures::default(),
                NOW,
            )
        };
        for status in [200, 201, 202, 204, 299] {
            assert_eq!(judged(status), WebhookDeliveryDecision::Delivered, "{status}");
        }
        for status in [199, 300, 301, 302, 307, 400, 401, 404, 429, 500, 503] {
            assert!(matches!(judged(status), WebhookDeliveryDecision::Retry(_)), "{status}");
        }
        assert_eq!(judged(410), WebhookDeliveryDecision::Pause(WebhookPauseReason::Gone));
    }

    #[test]
    fn webhook_test_event_goes_only_to_the_tested_webhook() {
        let (all, some) = (EventKindFilter::default(), EventKindFilter::from_kinds([EventKind::RoleCreated]));
        for kinds in [&all, &some] {
            assert!(should_deliver(kinds, "webhook.tested", true));
            assert!(!should_deliver(kinds, "webhook.tested", false));
            assert!(should_deliver(kinds, "role.created", false));
        }
        assert!(should_deliver(&all, "something.newer", false));
        assert!(!should_deliver(&some, "role.removed", false));
    }
}
