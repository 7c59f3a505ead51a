//! Replacing the secret of a webhook. The earlier secret signs beside the new one until the overlap ends.

use super::secrets::encrypt_secret;
use super::{MANAGE_PERMISSION, SavedWebhook, conflict_refusal, find_webhook, webhook_event};
use crate::access_control::admin_scope::AdminScope;
use crate::organizations::precondition_failed;
use crate::{Engine, Error};
use sinete_core::events::security_event::EventKind;
use sinete_core::id::WebhookId;
use sinete_core::limits::{WEBHOOK_SECRET_OVERLAP, WEBHOOK_SECRET_OVERLAP_MAX};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::events::EventRefusal;
use sinete_core::time::Lifetime;
use sinete_crypto::events::webhooks::WebhookSecret;
use sinete_store::BatchOutcome;
use sinete_store::events::webhooks;
use sinete_store::events::webhooks::WebhookRow;

/// Rotates the secret. The previous one also signs for a while, so that the receiver can change over.
pub async fn rotate_secret(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: WebhookId,
    overlap: Option<Lifetime>,
) -> Result<SavedWebhook, Error> {
    let secret = WebhookSecret::mint(engine.entropy());
    let overlap = overlap.unwrap_or(WEBHOOK_SECRET_OVERLAP);
    let webhook = adopt_secret(engine, admin_scope, id, &secret, overlap).await?;
    Ok(SavedWebhook { webhook, secret })
}

/// Replaces the secret with this one. The previous one also signs for a while.
pub(crate) async fn adopt_secret(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: WebhookId,
    secret: &WebhookSecret,
    overlap: Lifetime,
) -> Result<WebhookRow, Error> {
    admin_scope.require_change_permission(MANAGE_PERMISSION)?;
    if overlap > WEBHOOK_SECRET_OVERLAP_MAX {
        return Err(Refusal::because(
            EventRefusal::WebhookSecretOverlapTooLong,
            "an overlap that is too long",
        )
        .into());
    }
    let before = find_webhook(engine, admin_scope, id).await?;
    let encrypted_secret = encrypt_secret(engine, id, secret)?;
    let until = admin_scope.now().plus(overlap);
    let step = webhooks::rotate_webhook_secret(&before, &encrypted_secret, until);
    let event = webhook_event(engine, admin_scope, EventKind::WebhookSecretRotated, id)
        .with_detail("both_until", until.to_string());
    match engine
        .store()
        .commit(admin_scope.record(admin_scope.guarded_batch().with_statement(step), &event)?)
        .await?
    {
        BatchOutcome::Committed(_) => Ok(before.with_rotated_secret(until)),
        BatchOutcome::Conflict(conflict) => Err(conflict_refusal(&conflict, precondition_failed).into()),
    }
}
