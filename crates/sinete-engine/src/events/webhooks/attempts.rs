//! The delivery attempts of a webhook, in either order.

use super::show;
use crate::access_control::admin_scope::AdminScope;
use crate::{Engine, Error};
use sinete_core::id::{AttemptId, WebhookId};
use sinete_store::events::webhooks::attempts;
use sinete_store::events::webhooks::attempts::WebhookAttemptRow;

/// Lists attempts, oldest first.
pub async fn list_attempts(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: WebhookId,
    after: Option<AttemptId>,
    limit: u32,
) -> Result<Vec<WebhookAttemptRow>, Error> {
    let webhook = show(engine, admin_scope, id).await?;
    Ok(attempts::list_attempts(engine.store(), webhook.id, after, limit).await?)
}

/// Lists the latest attempts, newest first, optionally before a given one.
pub async fn list_latest_attempts(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: WebhookId,
    before: Option<AttemptId>,
    limit: u32,
) -> Result<Vec<WebhookAttemptRow>, Error> {
    let webhook = show(engine, admin_scope, id).await?;
    Ok(attempts::list_latest_attempts(engine.store(), webhook.id, before, limit).await?)
}
