//! Metrics, recorded once per process.

use crate::exit::CommandError;
use metrics_exporter_prometheus::PrometheusHandle;
use sinete_engine::events::webhooks::delivery::WebhookTally;
use sinete_engine::identity_providers::ProviderCall;
use sinete_engine::organizations::domains::DomainCheckTally;
use std::sync::{Mutex, PoisonError};

static PROMETHEUS_HANDLE: Mutex<Option<PrometheusHandle>> = Mutex::new(None);

/// Returns the metrics recorder, and installs it at the first call.
pub fn install_recorder() -> Result<PrometheusHandle, CommandError> {
    let mut installed = PROMETHEUS_HANDLE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(handle) = &*installed {
        return Ok(handle.clone());
    }
    let failed =
        |error: &dyn std::fmt::Display| CommandError::failed(format!("counting cannot begin: {error}"));
    let recorder = sinete_server::telemetry::build_recorder().map_err(|error| failed(&error))?;
    let handle = recorder.handle();
    metrics::set_global_recorder(recorder).map_err(|error| failed(&error))?;
    Ok(installed.insert(handle).clone())
}

/// Counts delivery attempts of webhooks.
pub fn count_webhook_attempts(tally: WebhookTally) {
    for (outcome, count) in [("told", tally.delivered), ("again", tally.retried), ("paused", tally.paused)] {
        if count > 0 {
            sinete_server::telemetry::count_webhook_attempts(outcome, count.into());
        }
    }
}

/// Counts requests to identity providers.
pub fn count_provider_request(provider_call: ProviderCall) {
    let outcome = if provider_call.is_answered { "answered" } else { "unanswered" };
    sinete_server::telemetry::count_provider_request(
        provider_call.kind.name(),
        outcome,
        provider_call.duration,
    );
}

/// Counts domain checks.
pub fn count_domain_checks(looked: DomainCheckTally) {
    let DomainCheckTally { verified, missing, unreachable: unanswered, lost } = looked;
    for (outcome, count) in
        [("seen", verified), ("missing", missing), ("unanswered", unanswered), ("lost", lost)]
    {
        if count > 0 {
            sinete_server::telemetry::count_domain_checks(outcome, count.into());
        }
    }
}
