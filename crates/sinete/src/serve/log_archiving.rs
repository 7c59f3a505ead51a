//! The background task that archives the security log every hour. Every node runs one, and one at a time
//! archives.

use sinete_core::limits::LOG_ARCHIVE_INTERVAL;
use sinete_engine::Engine;
use sinete_engine::events::security_log::{ArchivePolicy, LogArchiver, SecurityLog, SecurityLogError};
use sinete_engine::ports::{ArchiveStorage, Clock};
use std::sync::Arc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The configured archive.
pub struct LogArchiving {
    pub storage: Arc<dyn ArchiveStorage>,
    pub policy: ArchivePolicy,
    pub clock: Arc<dyn Clock>,
}

/// Archives until stopped. An interrupted run is continued by the next one.
pub fn spawn_log_archiving(
    engine: &Engine,
    log: SecurityLog,
    archiving: LogArchiving,
    stop: &CancellationToken,
) -> JoinHandle<()> {
    let (engine, stop) = (engine.clone(), stop.clone());
    tokio::spawn(async move {
        let period = LOG_ARCHIVE_INTERVAL.as_duration();
        while tokio::time::timeout(period, stop.cancelled()).await.is_err() {
            let LogArchiving { storage, policy, clock } = &archiving;
            let archiver = LogArchiver {
                log: &log,
                storage: &**storage,
                policy: policy.clone(),
                clock: &**clock,
                entropy: engine.entropy(),
            };
            match stop.run_until_cancelled(archiver.run(&mut |_| {})).await {
                None => break,
                Some(Ok(run)) => tracing::info!(
                    segments = run.segments,
                    events = run.events,
                    cut = run.cut,
                    erased = run.erased,
                    held_by_webhooks = run.is_blocked_by_webhooks,
                    "the security log was archived"
                ),
                // Another node is at work.
                Some(Err(SecurityLogError::ArchiveClaimed { .. })) => {}
                Some(Err(failed @ SecurityLogError::Tampered(_))) => {
                    tracing::error!(%failed, "the security log is not archived: run `sinete log verify`");
                }
                Some(Err(failed)) => tracing::warn!(%failed, "the security log could not be archived"),
            }
        }
    })
}
