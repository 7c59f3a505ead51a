//! Validation of a webhook's URL and event types, at creation and at every change.

use super::{AUDIT_LOG_PERMISSION, WebhookDraft};
use crate::access_control::admin_scope::AdminScope;
use crate::{Engine, InstanceMode};
use sinete_core::events::security_event::EventKind;
use sinete_core::events::webhooks::{EventKindFilter, PlainHttpPolicy, WebhookUrl};
use sinete_core::refusal::Refusal;
use sinete_core::validation::ValidationErrors;

/// Checks the submitted values and that the caller may receive these events. Every change is checked, because
/// another URL or event type sends events to another receiver.
pub(super) fn check_subscription(
    engine: &Engine,
    managing: AdminScope<'_>,
    wanted: &WebhookDraft,
) -> Result<(WebhookUrl, EventKindFilter), Refusal> {
    let (address, kinds) = parse_draft(engine, wanted)?;
    if kinds.needs_audit_read() {
        managing.require_read_permission(AUDIT_LOG_PERMISSION)?;
    }
    Ok((address, kinds))
}

/// Parses the submitted values. Plain HTTP is accepted only by development instances.
fn parse_draft(engine: &Engine, wanted: &WebhookDraft) -> Result<(WebhookUrl, EventKindFilter), Refusal> {
    let mut faults = ValidationErrors::default();
    let plain = match engine.settings().mode {
        InstanceMode::Development => PlainHttpPolicy::Allowed,
        InstanceMode::Production => PlainHttpPolicy::Refused,
    };
    let address = WebhookUrl::parse(&wanted.address, plain);
    if let Err(why) = &address {
        faults.add("/address", why.to_string());
    }
    if !wanted.description.is_empty() {
        faults.check_display_text("/description", &wanted.description);
    }
    let kinds: Vec<EventKind> = (wanted.kinds.iter().enumerate())
        .filter_map(|(place, name)| faults.parse_text(format!("/kinds/{place}"), name))
        .collect();
    match address {
        Ok(address) if faults.is_empty() => Ok((address, EventKindFilter::from_kinds(kinds))),
        Ok(_) | Err(_) => Err(Refusal::from_validation_errors(faults)),
    }
}
