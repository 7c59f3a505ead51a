//! The metrics. No label contains caller input.

use metrics::{
    Counter, Gauge, Histogram, Unit, counter, describe_counter, describe_gauge, describe_histogram,
};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusRecorder};
use sinete_core::refusal::limit_kind::LimitKind;
use std::time::Duration;

/// A metric.
#[derive(Clone, Copy, Debug)]
pub struct MetricDefinition {
    /// The name.
    pub name: &'static str,
    /// The kind.
    pub kind: MetricKind,
    /// The labels.
    pub labels: &'static [&'static str],
    /// The help text.
    pub help: &'static str,
}

/// The kind of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// A counter.
    Counter,
    /// A gauge.
    Gauge,
    /// A histogram.
    Histogram,
}

const REQUESTS: &str = "sinete_http_requests_total";
const DURATION: &str = "sinete_http_request_duration_seconds";
const IN_PROGRESS: &str = "sinete_http_requests_in_progress";
const REQUESTS_REJECTED: &str = "sinete_http_requests_turned_away_total";
const CONNECTIONS: &str = "sinete_http_connections";
const CONNECTIONS_REFUSED: &str = "sinete_http_connections_refused_total";
const UNREADABLE_REQUESTS: &str = "sinete_http_unreadable_requests_total";
const PANICS: &str = "sinete_http_panics_total";
const CERTIFICATE_RELOADS: &str = "sinete_http_certificate_reloads_total";

const LIMITS_HIT: &str = "sinete_limits_hit_total";

/// The counter of refusals by a limit.
pub(crate) fn limit_counter(limit: LimitKind) -> Counter {
    counter!(LIMITS_HIT, "limit" => limit.name())
}

const WEBHOOK_ATTEMPTS: &str = "sinete_webhook_attempts_total";

/// Counts webhook deliveries by outcome.
pub fn count_webhook_attempts(outcome: &'static str, count: u64) {
    counter!(WEBHOOK_ATTEMPTS, "outcome" => outcome).increment(count);
}

const DOMAIN_CHECKS: &str = "sinete_domain_looks_total";

/// Counts domain checks by outcome.
pub fn count_domain_checks(outcome: &'static str, count: u64) {
    counter!(DOMAIN_CHECKS, "outcome" => outcome).increment(count);
}

const PROVIDER_REQUESTS: &str = "sinete_provider_requests_total";
const PROVIDER_OUTCOMES: [(&str, &str); 6] = [
    ("description", "answered"),
    ("description", "unanswered"),
    ("token", "answered"),
    ("token", "unanswered"),
    ("userinfo", "answered"),
    ("userinfo", "unanswered"),
];
const PROVIDER_DURATION: &str = "sinete_provider_request_duration_seconds";

/// Counts a request to an identity provider by kind and outcome.
pub fn count_provider_request(kind: &'static str, outcome: &'static str, took: Duration) {
    counter!(PROVIDER_REQUESTS, "what" => kind, "outcome" => outcome).increment(1);
    metrics::histogram!(PROVIDER_DURATION, "what" => kind).record(took);
}

/// All metrics.
pub const METRICS: &[MetricDefinition] = &[
    MetricDefinition {
        name: REQUESTS,
        kind: MetricKind::Counter,
        labels: &["route", "method", "status"],
        help: "Responses, by the path of the route (or \"unmatched\"), the method and the class of the status.",
    },
    MetricDefinition {
        name: DURATION,
        kind: MetricKind::Histogram,
        labels: &["route", "method"],
        help: "Seconds from the headers of a request to its response, by route.",
    },
    MetricDefinition {
        name: IN_PROGRESS,
        kind: MetricKind::Gauge,
        labels: &[],
        help: "Requests in progress.",
    },
    MetricDefinition {
        name: REQUESTS_REJECTED,
        kind: MetricKind::Counter,
        labels: &["reason"],
        help: "Requests that the server answered 503: too many at once (full), or no response in time (slow).",
    },
    MetricDefinition {
        name: CONNECTIONS,
        kind: MetricKind::Gauge,
        labels: &["listener"],
        help: "Open connections.",
    },
    MetricDefinition {
        name: CONNECTIONS_REFUSED,
        kind: MetricKind::Counter,
        labels: &["reason"],
        help: "Connections that were refused: too many at once (full), or a TLS handshake that failed or took too long (handshake).",
    },
    MetricDefinition {
        name: UNREADABLE_REQUESTS,
        kind: MetricKind::Counter,
        labels: &["status"],
        help: "Requests answered before they could be read: malformed (400), target too long (414), headers too large (431), or too slow (408).",
    },
    MetricDefinition {
        name: PANICS,
        kind: MetricKind::Counter,
        labels: &[],
        help: "Requests whose handler panicked. Each of them is a bug.",
    },
    MetricDefinition {
        name: CERTIFICATE_RELOADS,
        kind: MetricKind::Counter,
        labels: &["result"],
        help: "Reloads of a changed TLS certificate: in use (taken), or refused, so that the previous one stays in use (refused).",
    },
    MetricDefinition {
        name: LIMITS_HIT,
        kind: MetricKind::Counter,
        labels: &["limit"],
        help: "Requests and connections that a rate limit or resource limit refused, by limit.",
    },
    MetricDefinition {
        name: WEBHOOK_ATTEMPTS,
        kind: MetricKind::Counter,
        labels: &["outcome"],
        help: "Attempts to deliver an event to a webhook: delivered (told), failed and retried later (again), or failed so that the webhook was paused (paused).",
    },
    MetricDefinition {
        name: DOMAIN_CHECKS,
        kind: MetricKind::Counter,
        labels: &["outcome"],
        help: "Checks of the TXT record of a verified domain: found (seen), not found (missing), no response from the DNS (unanswered), or the domain lost its verification (lost).",
    },
    MetricDefinition {
        name: PROVIDER_REQUESTS,
        kind: MetricKind::Counter,
        labels: &["what", "outcome"],
        help: "Requests to identity providers, for their metadata (description), to redeem a code (token) or for claims (userinfo): a usable response (answered), or none (unanswered).",
    },
    MetricDefinition {
        name: PROVIDER_DURATION,
        kind: MetricKind::Histogram,
        labels: &["what"],
        help: "Seconds until an identity provider responded, or until the timeout.",
    },
];

/// The buckets of durations, in seconds: fine below a millisecond, where cached documents are served.
pub const DURATION_BUCKETS_SECONDS: [f64; 14] =
    [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 2.5, 10.0];

/// A metrics recorder with our buckets. The program installs it before it creates a [`crate::context::ServerContext`].
pub fn build_recorder() -> Result<PrometheusRecorder, BuildError> {
    let builder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Full(DURATION.to_owned()), &DURATION_BUCKETS_SECONDS)?
        .set_buckets_for_metric(Matcher::Full(PROVIDER_DURATION.to_owned()), &DURATION_BUCKETS_SECONDS)?;
    Ok(builder.build_recorder())
}

/// The metrics that belong to no route.
pub(crate) struct ServerMetrics {
    pub(crate) in_progress: Gauge,
    pub(crate) rejected_full: Counter,
    pub(crate) rejected_slow: Counter,
    pub(crate) connections_public: Gauge,
    pub(crate) connections_admin: Gauge,
    pub(crate) refused_full: Counter,
    pub(crate) refused_handshake: Counter,
    pub(crate) panics: Counter,
    unreadable_requests: [(u16, Counter); 4],
    pub(crate) certificate_reloaded: Counter,
    pub(crate) certificate_refused: Counter,
}

impl ServerMetrics {
    /// Describes all metrics and registers those without a route.
    pub(crate) fn new() -> Self {
        for metric in METRICS {
            match metric.kind {
                MetricKind::Counter => describe_counter!(metric.name, metric.help),
                MetricKind::Gauge => describe_gauge!(metric.name, metric.help),
                MetricKind::Histogram => describe_histogram!(metric.name, Unit::Seconds, metric.help),
            }
        }
        // Initialized to zero, so that the first event of each is an increase.
        for outcome in ["told", "again", "paused"] {
            count_webhook_attempts(outcome, 0);
        }
        for outcome in ["seen", "missing", "unanswered", "lost"] {
            count_domain_checks(outcome, 0);
        }
        for (kind, outcome) in PROVIDER_OUTCOMES {
            counter!(PROVIDER_REQUESTS, "what" => kind, "outcome" => outcome).increment(0);
        }
        Self {
            in_progress: metrics::gauge!(IN_PROGRESS),
            rejected_full: counter!(REQUESTS_REJECTED, "reason" => "full"),
            rejected_slow: counter!(REQUESTS_REJECTED, "reason" => "slow"),
            connections_public: metrics::gauge!(CONNECTIONS, "listener" => "public"),
            connections_admin: metrics::gauge!(CONNECTIONS, "listener" => "admin"),
            refused_full: counter!(CONNECTIONS_REFUSED, "reason" => "full"),
            refused_handshake: counter!(CONNECTIONS_REFUSED, "reason" => "handshake"),
            panics: counter!(PANICS),
            unreadable_requests: [(400, "400"), (408, "408"), (414, "414"), (431, "431")]
                .map(|(status, label)| (status, counter!(UNREADABLE_REQUESTS, "status" => label))),
            certificate_reloaded: counter!(CERTIFICATE_RELOADS, "result" => "taken"),
            certificate_refused: counter!(CERTIFICATE_RELOADS, "result" => "refused"),
        }
    }

    /// Counts a response to an unreadable request.
    pub(crate) fn count_unreadable(&self, status: u16) {
        if let Some((_, counter)) = self.unreadable_requests.iter().find(|(code, _)| *code == status) {
            counter.increment(1);
        }
    }
}

/// The metrics of one route, registered once so that counting needs no lookup.
pub(crate) struct RouteMetrics {
    by_class: [Counter; 5],
    duration: Histogram,
}

impl RouteMetrics {
    /// The metrics of requests without a route.
    pub(crate) fn unmatched() -> Self {
        Self::with_labels("unmatched", "any")
    }

    pub(crate) fn with_labels(route: &'static str, method: &'static str) -> Self {
        let by_class = ["1xx", "2xx", "3xx", "4xx", "5xx"]
            .map(|status| counter!(REQUESTS, "route" => route, "method" => method, "status" => status));
        let duration = metrics::histogram!(DURATION, "route" => route, "method" => method);
        Self { by_class, duration }
    }

    pub(crate) fn record(&self, status: u16, took: Duration) {
        if let Some(counter) = self.by_class.get(usize::from(status / 100).saturating_sub(1)) {
            counter.increment(1);
        }
        self.duration.record(took);
    }
}

/// Increments a gauge while it is held.
pub(crate) struct GaugeGuard<'a>(&'a Gauge);

impl<'a> GaugeGuard<'a> {
    pub(crate) fn new(gauge: &'a Gauge) -> Self {
        gauge.increment(1);
        Self(gauge)
    }
}

impl Drop for GaugeGuard<'_> {
    fn drop(&mut self) {
        self.0.decrement(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_described_once_and_rendered_under_their_name() {
        let mut names: Vec<_> = METRICS.iter().map(|metric| metric.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), METRICS.len());
        let recorder = build_recorder().unwrap();
        metrics::with_local_recorder(&recorder, || {
            let telemetry = ServerMetrics::new();
            limit_counter(LimitKind::Requests).increment(1);
            telemetry.panics.increment(1);
            RouteMetrics::unmatched().record(404, Duration::from_micros(300));
            count_provider_request("token", "answered", Duration::from_millis(80));
        });
        let text = recorder.handle().render();
        assert!(text.contains("# TYPE sinete_http_panics_total counter"));
        assert!(text.contains("sinete_webhook_attempts_total{outcome=\"paused\"} 0"));
        assert!(text.contains("sinete_provider_requests_total{what=\"token\",outcome=\"answered\"} 1"));
        assert!(
            text.contains("sinete_provider_requests_total{what=\"description\",outcome=\"unanswered\"} 0")
        );
        let rendered = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
        let mut rendered: Vec<_> = rendered.collect();
        rendered.sort_unstable();
        assert_eq!(rendered, names, "everything that is explained is there, and nothing else");
        assert!(
            text.contains("sinete_http_requests_total{route=\"unmatched\",method=\"any\",status=\"4xx\"} 1")
        );
        assert!(text.contains("le=\"0.0005\"} 1") && text.contains("le=\"0.00025\"} 0"));
    }
}
