//! The state of the security log, for operators: its signed head, what is not sealed yet, and its archive.

use crate::access_control::instance_admin::InstanceAdmin;
use crate::events::security_log::{SecurityLog, SecurityLogError, SignedLogHead};
use crate::{Engine, Error};
use sinete_core::access_control::built_in_permissions::READ_INSTANCE;
use sinete_core::events::log_chain::LogChainAnchor;
use sinete_core::time::Timestamp;
use sinete_store::events::{log_archive, log_verification};

/// The state of the security log.
#[derive(Clone, Debug)]
pub struct SecurityLogStatus {
    /// The head, if its signature is valid and it ends the chain.
    pub head: Option<SignedLogHead>,
    /// What is wrong with the head, if something is.
    pub finding: Option<String>,
    /// The number of events that are not sealed yet.
    pub unsealed: u64,
    /// The archived segments.
    pub archive: LogArchiveStatus,
    /// The position up to which events were removed from the database, and when.
    pub checkpoint: Option<(i64, Timestamp)>,
    /// The last verification of the whole log by a command.
    pub last_verification: Option<RecordedLogVerification>,
}

/// A verification that a command recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedLogVerification {
    /// When it began.
    pub verified_at: Timestamp,
    /// The number of verified events.
    pub events: u64,
    /// The number of findings.
    pub findings: u64,
    /// The head that it read, if there was one.
    pub head: Option<LogChainAnchor>,
}

/// What is in the archive.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogArchiveStatus {
    /// The number of segments.
    pub segments: usize,
    /// The last archived position, and when it was archived. The chain was verified up to its head then.
    pub last: Option<(i64, Timestamp)>,
}

/// Shows the state. The signature of the head is verified; the whole log is only by `sinete log verify`.
pub async fn show_log_status(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
) -> Result<SecurityLogStatus, Error> {
    instance_admin.require_permission(READ_INSTANCE)?;
    let (store, now) = (engine.store(), engine.now());
    let (head, unsealed) = load_head(engine, now).await?;
    let (head, finding) = match head {
        Ok(head) => (Some(head), None),
        Err(finding) => (None, Some(finding)),
    };
    let segments = log_archive::list_archived_segments(store).await?;
    let checkpoint = log_archive::find_checkpoint(store).await?;
    let last_verification = log_verification::find_last_verification(store).await?;
    Ok(SecurityLogStatus {
        head,
        finding,
        unsealed,
        archive: LogArchiveStatus {
            segments: segments.len(),
            last: segments.last().map(|it| (it.segment.last, it.archived_at)),
        },
        checkpoint: checkpoint.map(|it| (it.checkpoint.position, it.checkpoint.cut_at)),
        last_verification: last_verification.map(|it| RecordedLogVerification {
            verified_at: it.verified_at,
            events: it.events,
            findings: it.findings,
            head: it.head,
        }),
    })
}

/// The head, or what is wrong with it, and the number of unsealed events.
async fn load_head(engine: &Engine, now: Timestamp) -> Result<(Result<SignedLogHead, String>, u64), Error> {
    let log = match SecurityLog::open(engine.store(), engine.instance_keys(), now).await {
        Ok(log) => log,
        Err(SecurityLogError::Store(failure)) => return Err(failure.into()),
        Err(finding) => return Ok((Err(finding.to_string()), 0)),
    };
    let unsealed = log.count_unsealed(now).await.unwrap_or_default();
    match log.signed_head().await {
        Ok(head) => Ok((Ok(head), unsealed)),
        Err(SecurityLogError::Store(failure)) => Err(failure.into()),
        Err(finding) => Ok((Err(finding.to_string()), unsealed)),
    }
}
