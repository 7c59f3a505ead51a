//! Deliveries at once, beside the queue: a test event, or one event again. The queue, its order and its retry schedule
//! are not changed.

use super::payload::WebhookEvent;
use super::{
    conflict_refusal, decrypt_secret, find_manageable, no_such_webhook, require_replay_permission,
    webhook_event,
};
use crate::access_control::admin_scope::AdminScope;
use crate::organizations::precondition_failed;
use crate::ports::OutboundPost;
use crate::{Engine, Error};
use sinete_core::events::security_event::{EventKind, SecurityEvent};
use sinete_core::id::{EventId, WebhookId};
use sinete_core::platform::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::events::EventRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_store::BatchOutcome;
use sinete_store::events::webhooks::WebhookRow;
use sinete_store::events::webhooks::delivery as store_delivery;
use sinete_store::events::webhooks::delivery::ChainedEvent;
use std::time::{Duration, Instant};

/// The detail of a test event that was sent at once, so that the queue leaves it out.
const IMMEDIATE_DELIVERY_DETAIL: &str = "at_once";

/// The answer of a webhook to a delivery at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookAnswer {
    /// The event.
    pub event: EventId,
    /// The event kind.
    pub kind: String,
    /// The HTTP status; `None` if the endpoint was not reached or did not answer in time.
    pub status: Option<u16>,
    /// How long it took.
    pub duration: Duration,
}

/// Records a test event and sends it at once, whatever the retry schedule.
pub async fn send_test_event_now(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: WebhookId,
) -> Result<WebhookAnswer, Error> {
    let webhook = find_manageable(engine, admin_scope, id).await?;
    if webhook.paused_at.is_some() {
        return Err(Refusal::because(EventRefusal::WebhookPaused, "a test event for a paused webhook").into());
    }
    let event = webhook_event(engine, admin_scope, EventKind::WebhookTested, id)
        .with_detail(IMMEDIATE_DELIVERY_DETAIL, true);
    commit_event(engine, admin_scope, &event).await?;
    send_now(engine, admin_scope, &webhook, event.id).await
}

/// Sends one event again, with its original id.
pub async fn resend_event(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: WebhookId,
    event: EventId,
) -> Result<WebhookAnswer, Error> {
    let webhook = find_manageable(engine, admin_scope, id).await?;
    require_replay_permission(admin_scope)?;
    if webhook.paused_at.is_some() {
        return Err(Refusal::because(EventRefusal::WebhookPaused, "an event for a paused webhook").into());
    }
    let recorded = webhook_event(engine, admin_scope, EventKind::WebhookReplayed, id)
        .with_detail("event", event.to_string());
    if store_delivery::find_event(engine.store(), admin_scope.owning_organization(), event).await?.is_none() {
        return Err(no_such_event().into());
    }
    commit_event(engine, admin_scope, &recorded).await?;
    send_now(engine, admin_scope, &webhook, event).await
}

/// Whether the queue leaves out an event about the webhook itself, because it was sent at once.
pub(super) fn is_sent_immediately(event: &ChainedEvent) -> bool {
    event.kind == EventKind::WebhookTested.name()
        && serde_json::from_str::<serde_json::Value>(&event.detail)
            .is_ok_and(|it| it[IMMEDIATE_DELIVERY_DETAIL] == true)
}

async fn commit_event(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    event: &SecurityEvent,
) -> Result<(), Error> {
    match engine.store().commit(admin_scope.record(admin_scope.guarded_batch(), event)?).await? {
        BatchOutcome::Committed(_) => Ok(()),
        BatchOutcome::Conflict(conflict) => Err(conflict_refusal(&conflict, precondition_failed).into()),
    }
}

async fn send_now(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    webhook: &WebhookRow,
    event: EventId,
) -> Result<WebhookAnswer, Error> {
    let owner = admin_scope.owning_organization();
    let chained_event =
        store_delivery::find_event(engine.store(), owner, event).await?.ok_or_else(no_such_event)?;
    let encrypted_secrets =
        store_delivery::find_signing_secrets(engine.store(), webhook.id, engine.now()).await?;
    let secrets: Vec<_> = encrypted_secrets
        .iter()
        .filter_map(|encrypted_secret| decrypt_secret(engine, webhook.id, encrypted_secret))
        .collect();
    if secrets.is_empty() {
        return Err(no_such_webhook().into());
    }
    let (id, second) = (chained_event.id.to_string(), engine.now().seconds());
    let body = WebhookEvent::from_event(&chained_event)?.to_json()?;
    let signatures: Vec<_> = secrets.iter().map(|secret| secret.sign_message(&id, second, &body)).collect();
    let headers = [
        ("webhook-id", id),
        ("webhook-timestamp", second.to_string()),
        ("webhook-signature", signatures.join(" ")),
    ];
    let owner = owner.map_or(OutboundOwner::Instance, OutboundOwner::Organization);
    let target = OutboundTarget { purpose: OutboundPurpose::Webhook, owner, url: &webhook.address };
    let posted = OutboundPost { target, headers: &headers, body: &body };
    #[expect(clippy::disallowed_methods, reason = "the duration of a response is only displayed")]
    let began = Instant::now();
    let status = engine.outbound_http().post(&posted).await.ok();
    Ok(WebhookAnswer { event: chained_event.id, kind: chained_event.kind, status, duration: began.elapsed() })
}

fn no_such_event() -> Refusal {
    Refusal::because(RequestRefusal::NotFound, "no such event of the webhook")
}
