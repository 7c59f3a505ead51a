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
    admin_scope: AdminScope<'_>,
    draft: &WebhookDraft,
) -> Result<(WebhookUrl, EventKindFilter), Refusal> {
    let (address, kinds) = parse_draft(engine, draft)?;
    if kinds.needs_audit_read() {
        admin_scope.require_read_permission(AUDIT_LOG_PERMISSION)?;
    }
    Ok((address, kinds))
}

/// Parses the submitted values. Plain HTTP is accepted only by development instances.
fn parse_draft(engine: &Engine, draft: &WebhookDraft) -> Result<(WebhookUrl, EventKindFilter), Refusal> {
    let mut errors = ValidationErrors::default();
    let plain = match engine.settings().mode {
        InstanceMode::Development => PlainHttpPolicy::Allowed,
        InstanceMode::Production => PlainHttpPolicy::Refused,
    };
    let address = WebhookUrl::parse(&draft.address, plain);
    if let Err(webhook_url) = &address {
        errors.add("/address", webhook_url.to_string());
    }
    if !draft.description.is_empty() {
        errors.check_display_text("/description", &draft.description);
    }
    let kinds: Vec<EventKind> = (draft.kinds.iter().enumerate())
        .filter_map(|(index, name)| errors.parse_text(format!("/kinds/{index}"), name))
        .collect();
    match address {
        Ok(address) if errors.is_empty() => Ok((address, EventKindFilter::from_kinds(kinds))),
        Ok(_) | Err(_) => Err(Refusal::from_validation_errors(errors)),
    }
}
