//! Webhooks: those of an organization receive events of its audit log, those of the instance all events.
//!
//! Deliveries are driven by the security log: an event is queued from the moment it is committed.
//! [`delivery`] sends them.

mod attempts;
pub mod delivery;
mod immediate_delivery;
mod pause_notice;
pub mod payload;
mod secret_rotation;
mod secrets;
mod subscription;

use self::secrets::encrypt_secret;
use self::subscription::check_subscription;
use crate::access_control::admin_scope::{AdminScope, ScopedPermission};
use crate::access_control::organization_access::organization_suspended;
use crate::organizations::precondition_failed;
use crate::{Engine, Error};
use sinete_core::access_control::built_in_permissions::{
    MANAGE_WEBHOOKS, OPERATE_INSTANCE, READ_AUDIT, READ_INSTANCE,
};
use sinete_core::events::security_event::{EventKind, SecurityEvent};
use sinete_core::events::webhooks::{WebhookPauseReason, is_webhook_limit_reached};
use sinete_core::id::{EventId, WebhookId};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::events::EventRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::time::Timestamp;
use sinete_core::validation::ValidationErrors;
use sinete_crypto::events::webhooks::WebhookSecret;
use sinete_store::events::webhooks;
use sinete_store::events::webhooks::{NewWebhook, WebhookSettings, delivery as store_delivery};
use sinete_store::{BatchOutcome, GuardConflict, GuardedStatement, WriteBatch, organizations};

pub use attempts::{list_attempts, list_latest_attempts};
pub use immediate_delivery::{WebhookAnswer, resend_event, send_test_event_now};
pub(crate) use secret_rotation::adopt_secret;
pub use secret_rotation::rotate_secret;
pub(crate) use secrets::decrypt_secret;
pub use sinete_store::events::webhooks::WebhookRow;
pub use sinete_store::events::webhooks::attempts::{WebhookAttemptOutcome, WebhookAttemptRow};

const READ_PERMISSION: ScopedPermission =
    ScopedPermission { in_organization: MANAGE_WEBHOOKS, over_instance: READ_INSTANCE };
const MANAGE_PERMISSION: ScopedPermission =
    ScopedPermission { in_organization: MANAGE_WEBHOOKS, over_instance: OPERATE_INSTANCE };
/// The permission to receive events of the audit log, new or replayed.
const AUDIT_LOG_PERMISSION: ScopedPermission =
    ScopedPermission { in_organization: READ_AUDIT, over_instance: READ_INSTANCE };

/// A webhook as submitted.
#[derive(Clone, Debug)]
pub struct WebhookDraft {
    /// The URL.
    pub address: String,
    /// The description.
    pub description: String,
    /// The names of the event types; empty for all.
    pub kinds: Vec<String>,
}

/// Values that only the command line may choose for a new webhook.
#[derive(Debug, Default)]
pub struct WebhookBootstrap {
    /// The id; by default a new one.
    pub id: Option<WebhookId>,
    /// The secret; by default a new one.
    pub secret: Option<WebhookSecret>,
}

/// A webhook with a new secret, which is shown once.
#[derive(Debug)]
pub struct SavedWebhook {
    /// The webhook.
    pub webhook: WebhookRow,
    /// The new secret.
    pub secret: WebhookSecret,
}

/// Adds a webhook. It receives events from now on.
pub async fn create(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    draft: &WebhookDraft,
    webhook_bootstrap: WebhookBootstrap,
) -> Result<SavedWebhook, Error> {
    let (address, kinds) = admin_scope
        .require_change_permission(MANAGE_PERMISSION)
        .and_then(|()| check_subscription(engine, admin_scope, draft))?;
    let count = webhooks::count_webhooks(engine.store(), admin_scope.owning_organization()).await?;
    if is_webhook_limit_reached(count) {
        return Err(too_many_webhooks().into());
    }
    let now = admin_scope.now();
    let id = webhook_bootstrap.id.unwrap_or_else(|| WebhookId::mint(now, engine.entropy()));
    let secret = webhook_bootstrap.secret.unwrap_or_else(|| WebhookSecret::mint(engine.entropy()));
    let encrypted_secret = encrypt_secret(engine, id, &secret)?;
    let settings = WebhookSettings { address: &address, description: &draft.description, kinds: &kinds };
    let new = NewWebhook {
        id,
        organization: admin_scope.owning_organization(),
        settings,
        sealed_secret: &encrypted_secret,
        created_at: now,
    };
    let event = webhook_event(engine, admin_scope, EventKind::WebhookCreated, id)
        .with_detail("address", address.as_str());
    let batch = admin_scope
        .record(admin_scope.guarded_batch().with_statement(webhooks::create_webhook(&new)?), &event)?;
    match engine.store().commit(batch).await? {
        // The row is not read again: if that failed, the secret would be lost.
        BatchOutcome::Committed(_) => Ok(SavedWebhook { webhook: new.to_row(), secret }),
        BatchOutcome::Conflict(conflict) if organizations::is_lock_conflict(&conflict) => {
            Err(organization_suspended().into())
        }
        // Another request reached the limit, or is a concurrent duplicate.
        BatchOutcome::Conflict(_) => Err(too_many_webhooks().into()),
    }
}

fn too_many_webhooks() -> Refusal {
    Refusal::because(EventRefusal::WebhookLimit, "too many webhooks")
}

/// Lists the webhooks, oldest first.
pub async fn list(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    after: Option<WebhookId>,
    limit: u32,
) -> Result<Vec<WebhookRow>, Error> {
    admin_scope.require_read_permission(READ_PERMISSION)?;
    admin_scope.record_read_by_non_member(engine, "webhooks").await?;
    Ok(webhooks::list_webhooks(engine.store(), admin_scope.owning_organization(), after, limit).await?)
}

/// Shows one webhook.
pub async fn show(engine: &Engine, admin_scope: AdminScope<'_>, id: WebhookId) -> Result<WebhookRow, Error> {
    admin_scope.require_read_permission(READ_PERMISSION)?;
    admin_scope.record_read_by_non_member(engine, "webhooks").await?;
    find_webhook(engine, admin_scope, id).await
}

/// Loads the webhook for a change, if it has this version.
pub async fn find_changeable(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: WebhookId,
    expected_version: i64,
) -> Result<WebhookRow, Error> {
    admin_scope.require_change_permission(MANAGE_PERMISSION)?;
    let webhook = find_webhook(engine, admin_scope, id).await?;
    if webhook.version == expected_version { Ok(webhook) } else { Err(precondition_failed().into()) }
}

/// Changes the URL, description or event types.
pub async fn change(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    before: &WebhookRow,
    draft: &WebhookDraft,
) -> Result<WebhookRow, Error> {
    let (address, kinds) = admin_scope
        .require_change_permission(MANAGE_PERMISSION)
        .and_then(|()| check_subscription(engine, admin_scope, draft))?;
    let settings = WebhookSettings { address: &address, description: &draft.description, kinds: &kinds };
    let step = webhooks::change_webhook(before, &settings, admin_scope.now())?;
    let event = webhook_event(engine, admin_scope, EventKind::WebhookChanged, before.id)
        .with_detail("address", address.as_str());
    commit_change(engine, admin_scope, before.id, step, &event).await
}

/// Pauses the webhook until it is resumed. Events are queued meanwhile.
pub async fn pause(engine: &Engine, admin_scope: AdminScope<'_>, id: WebhookId) -> Result<WebhookRow, Error> {
    let before = match find_manageable(engine, admin_scope, id).await? {
        before if before.paused_at.is_some() => return Ok(before),
        before => before,
    };
    let reason = WebhookPauseReason::Stopped.as_str();
    let event = webhook_event(engine, admin_scope, EventKind::WebhookPaused, id).with_detail("why", reason);
    commit_change(engine, admin_scope, id, webhooks::pause_webhook(before.id, admin_scope.now()), &event)
        .await
}

/// Resumes a paused webhook, starting with the first undelivered event.
pub async fn resume(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: WebhookId,
) -> Result<WebhookRow, Error> {
    let before = match find_manageable(engine, admin_scope, id).await? {
        before if before.paused_at.is_none() => return Ok(before),
        before => before,
    };
    let event = webhook_event(engine, admin_scope, EventKind::WebhookResumed, id);
    commit_change(engine, admin_scope, id, webhooks::resume_webhook(before.id, admin_scope.now()), &event)
        .await
}

/// Whether the caller may replay events: earlier events are the audit log, whatever the webhook receives from
/// now on.
pub fn require_replay_permission(admin_scope: AdminScope<'_>) -> Result<(), Refusal> {
    admin_scope.require_read_permission(AUDIT_LOG_PERMISSION)
}

/// Queues all events since a time again, in order and with their original ids.
pub async fn replay_events(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: WebhookId,
    since: Timestamp,
) -> Result<WebhookRow, Error> {
    find_manageable(engine, admin_scope, id).await?;
    require_replay_permission(admin_scope)?;
    if since > admin_scope.now() {
        let mut errors = ValidationErrors::default();
        errors.add("/since", "must be in the past");
        return Err(Refusal::from_validation_errors(errors).into());
    }
    let places = store_delivery::list_positions_since(engine.store(), EventId::lower_bound_at(since)).await?;
    let after = match places.into_iter().min() {
        Some(first) => first - 1,
        // No such event is sealed yet, so delivery continues with the new ones.
        None => store_delivery::find_delivery_scan(engine.store()).await?.head,
    };
    let event = webhook_event(engine, admin_scope, EventKind::WebhookReplayed, id)
        .with_detail("since", since.to_string());
    commit_change(engine, admin_scope, id, webhooks::replay_webhook(id, after, admin_scope.now()), &event)
        .await
}

/// Queues a test event, which is signed and retried like other events.
pub async fn send_test_event(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: WebhookId,
) -> Result<(), Error> {
    if find_manageable(engine, admin_scope, id).await?.paused_at.is_some() {
        return Err(Refusal::because(EventRefusal::WebhookPaused, "a test event for a paused webhook").into());
    }
    let event = webhook_event(engine, admin_scope, EventKind::WebhookTested, id);
    match engine.store().commit(admin_scope.record(admin_scope.guarded_batch(), &event)?).await? {
        BatchOutcome::Committed(_) => Ok(()),
        BatchOutcome::Conflict(conflict) => Err(conflict_refusal(&conflict, precondition_failed).into()),
    }
}

/// Removes the webhook permanently.
pub async fn remove(engine: &Engine, admin_scope: AdminScope<'_>, id: WebhookId) -> Result<(), Error> {
    find_manageable(engine, admin_scope, id).await?;
    let event = webhook_event(engine, admin_scope, EventKind::WebhookRemoved, id);
    let batch = admin_scope.guarded_batch().with_statement(webhooks::remove_webhook(id, admin_scope.now()));
    match engine.store().commit(admin_scope.record(batch, &event)?).await? {
        BatchOutcome::Committed(_) => Ok(()),
        BatchOutcome::Conflict(conflict) => Err(conflict_refusal(&conflict, no_such_webhook).into()),
    }
}

/// Commits a change with its event, and returns the webhook.
async fn commit_change(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: WebhookId,
    step: GuardedStatement,
    event: &SecurityEvent,
) -> Result<WebhookRow, Error> {
    let batch: WriteBatch = admin_scope.guarded_batch().with_statement(step);
    match engine.store().commit(admin_scope.record(batch, event)?).await? {
        BatchOutcome::Committed(_) => find_webhook(engine, admin_scope, id).await,
        BatchOutcome::Conflict(conflict) => Err(conflict_refusal(&conflict, precondition_failed).into()),
    }
}

async fn find_manageable(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: WebhookId,
) -> Result<WebhookRow, Error> {
    admin_scope.require_change_permission(MANAGE_PERMISSION)?;
    find_webhook(engine, admin_scope, id).await
}

async fn find_webhook(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: WebhookId,
) -> Result<WebhookRow, Error> {
    Ok(webhooks::find_webhook(engine.store(), admin_scope.owning_organization(), id)
        .await?
        .ok_or_else(no_such_webhook)?)
}

fn webhook_event(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    kind: EventKind,
    id: WebhookId,
) -> SecurityEvent {
    admin_scope.event(engine, kind).with_subject("webhook", id)
}

fn conflict_refusal(conflict: &GuardConflict, otherwise: fn() -> Refusal) -> Refusal {
    if organizations::is_lock_conflict(conflict) { organization_suspended() } else { otherwise() }
}

fn no_such_webhook() -> Refusal {
    Refusal::because(RequestRefusal::NotFound, "no such webhook")
}
