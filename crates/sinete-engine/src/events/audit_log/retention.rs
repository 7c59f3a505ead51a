//! Removes the entries of audit logs that passed their retention: that of the organization, else that of the
//! instance. Without either they stay.

use crate::{Engine, Failure};
use sinete_core::id::OrganizationId;
use sinete_core::limits::{AUDIT_CLEANUP_ORGANIZATIONS_MAX, CLEANUP_PASSES_MAX};
use sinete_core::organizations::audit_log_settings::AuditRetention;
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_core::time::Timestamp;
use sinete_store::events::{audit_retention, log_chain};

/// Page size for reading organizations.
const PAGE: u32 = 500;

/// The position of the scan over all organizations. After the end it starts again.
#[derive(Clone, Copy, Debug, Default)]
pub struct AuditCleanupPosition {
    after: Option<OrganizationId>,
}

/// Continues the scan up to a limit or its end, and removes entries that passed their retention. Ages count from the
/// signed head of the security log, so that a clock that is ahead removes nothing too early. A run is bounded, and
/// the rest is left to the next scan.
pub async fn remove_expired_entries(
    engine: &Engine,
    position: &mut AuditCleanupPosition,
) -> Result<(), Failure> {
    let Some(head) = log_chain::find_chain_head(engine.store()).await? else { return Ok(()) };
    let now = engine.now().min(head.head.sealed_at);
    let oldest = now.minus(AuditRetention::MIN.lifetime());
    for _ in 0..AUDIT_CLEANUP_ORGANIZATIONS_MAX / PAGE {
        let aged =
            audit_retention::list_aged_audit_logs(engine.store(), position.after, oldest, PAGE).await?;
        position.after = aged.last().map(|log| log.organization);
        if aged.is_empty() {
            break;
        }
        for log in &aged {
            let settings: OrganizationSettings = log.settings.parse()?;
            let retention = settings.audit_log.retention_days.or(engine.settings().audit_retention);
            if let Some(retention) = retention {
                remove_entries_before(engine, log.organization, now.minus(retention.lifetime())).await?;
            }
        }
    }
    Ok(())
}

async fn remove_entries_before(
    engine: &Engine,
    organization: OrganizationId,
    before: Timestamp,
) -> Result<(), Failure> {
    for _ in 0..CLEANUP_PASSES_MAX {
        if !audit_retention::has_entries_before(engine.store(), organization, before).await? {
            break;
        }
        // This batch cannot conflict.
        let removal = audit_retention::remove_entries_before(organization, before);
        let _ = engine.store().commit(removal).await?;
    }
    Ok(())
}
