//! The last verification of the security log by a command.

use crate::events::security_log::read_hash;
use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;
use sinete_core::events::log_chain::LogChainAnchor;
use sinete_core::time::Timestamp;

/// A recorded verification. It is not signed: it states when a verification ran, and proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogVerificationRow {
    /// When it began.
    pub verified_at: Timestamp,
    /// The number of verified events.
    pub events: u64,
    /// The number of findings.
    pub findings: u64,
    /// The head that it read, if there was one.
    pub head: Option<LogChainAnchor>,
}

/// Records a verification, unless a later one is recorded.
pub fn record_verification(row: &LogVerificationRow) -> GuardedStatement {
    let count = |number: u64| SqlValue::from(i64::try_from(number).unwrap_or(i64::MAX));
    GuardedStatement::any_number(
        &RECORD,
        [
            row.verified_at.into(),
            count(row.events),
            count(row.findings),
            row.head.map(|head| head.position).into(),
            row.head.map(|head| *head.hash.as_bytes()).into(),
        ],
    )
}

/// Finds the last verification; `None` if none was recorded.
pub async fn find_last_verification(store: &Store) -> Result<Option<LogVerificationRow>, StoreFailure> {
    let Some(row) = store.read_first(&FIND, &[]).await? else { return Ok(None) };
    let head = match row.optional_integer("head_position")? {
        Some(position) => Some(LogChainAnchor { position, hash: read_hash(&row, "head_hash")? }),
        None => None,
    };
    Ok(Some(LogVerificationRow {
        verified_at: row.timestamp("verified_at")?,
        events: row.integer("events")?.max(0).unsigned_abs(),
        findings: row.integer("findings")?.max(0).unsigned_abs(),
        head,
    }))
}

static RECORD: SqlStatement = SqlStatement::new(
    "log_verification.record",
    "INSERT INTO log_verification (id, verified_at, events, findings, head_position, head_hash) \
     VALUES (1, ?1, ?2, ?3, ?4, ?5) ON CONFLICT (id) DO UPDATE SET verified_at = excluded.verified_at, \
     events = excluded.events, findings = excluded.findings, head_position = excluded.head_position, \
     head_hash = excluded.head_hash WHERE log_verification.verified_at <= excluded.verified_at",
);
static FIND: SqlStatement = SqlStatement::new(
    "log_verification.find",
    "SELECT verified_at, events, findings, head_position, head_hash FROM log_verification WHERE id = 1",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&RECORD, &FIND];
