//! The archive of the security log: records of archived segments, the checkpoint from which the chain
//! continues, and the one way in which events leave the database.
//!
//! The triggers allow a deletion only up to the checkpoint, and a checkpoint only up to the last archived
//! segment. One process archives at a time: each batch renews its claim, so a process that lost its claim
//! changes nothing.

use crate::events::security_log::read_hash;
use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::{GuardedStatement, WriteBatch};
use sinete_core::events::log_chain::{ArchivedLogSegment, LogChainHash, LogCheckpoint};
use sinete_core::time::Timestamp;

/// The record of an archived segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchivedSegment {
    /// Its range in the chain.
    pub segment: ArchivedLogSegment,
    /// The time of its latest event.
    pub last_at: Timestamp,
    /// The file in the archive.
    pub file: ArchivedFile,
    /// When it was archived.
    pub archived_at: Timestamp,
    /// The id of the signing key.
    pub kid: String,
    /// The signature.
    pub signature: Vec<u8>,
}

/// A file of the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchivedFile {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub bytes: i64,
    /// The SHA-256 of its content.
    pub digest: LogChainHash,
}

/// The checkpoint as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCheckpoint {
    /// The signed checkpoint.
    pub checkpoint: LogCheckpoint,
    /// The id of the signing key.
    pub kid: String,
    /// The signature.
    pub signature: Vec<u8>,
}

/// One process's claim to archive the log. Its end identifies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchiveClaim {
    /// When the claim expires.
    pub until: Timestamp,
}

/// Lists all records of archived segments, in the order of the chain.
pub async fn list_archived_segments(store: &Store) -> Result<Vec<ArchivedSegment>, StoreFailure> {
    store.read_list(&SEGMENTS, &[]).await?.iter().map(read_segment).collect()
}

/// Finds the checkpoint; `None` if the log was never cut.
pub async fn find_checkpoint(store: &Store) -> Result<Option<StoredCheckpoint>, StoreFailure> {
    let Some(row) = store.read_first(&CHECKPOINT, &[]).await? else { return Ok(None) };
    Ok(Some(StoredCheckpoint {
        checkpoint: LogCheckpoint {
            position: row.integer("position")?,
            hash: read_hash(&row, "hash")?,
            cut_at: row.timestamp("cut_at")?,
        },
        kid: row.text("kid")?.to_owned(),
        signature: row.blob("signature")?.to_vec(),
    }))
}

/// Until when a process has claimed to archive the log; in the past if none has.
pub async fn find_archive_claim(store: &Store) -> Result<Timestamp, StoreFailure> {
    let row = store.read_first(&FIND_CLAIM, &[]).await?;
    row.map_or(Ok(Timestamp::EPOCH), |row| row.timestamp("claimed_until"))
}

/// The position up to which webhooks need the chain: those that are neither paused nor finished. `None` if no
/// webhook needs it.
pub async fn find_webhook_floor(store: &Store) -> Result<Option<i64>, StoreFailure> {
    let row = store.read_first(&WEBHOOK_FLOOR, &[]).await?;
    row.map_or(Ok(None), |row| row.optional_integer("floor"))
}

/// Claims the archive, unless another process has.
pub fn claim_archive(claim: ArchiveClaim, now: Timestamp) -> WriteBatch {
    WriteBatch::new().with_statement(GuardedStatement::exactly_one(&CLAIM, [claim.until.into(), now.into()]))
}

/// Renews a claim. A batch that contains this conflicts if another process has claimed the archive since.
pub fn renew_claim(claim: ArchiveClaim, to: ArchiveClaim) -> GuardedStatement {
    GuardedStatement::exactly_one(&RENEW, [claim.until.into(), to.until.into()])
}

/// Records an archived segment, after the last one.
pub fn record_segment(record: &ArchivedSegment) -> GuardedStatement {
    let segment = &record.segment;
    GuardedStatement::exactly_one(
        &RECORD,
        [
            segment.first.into(),
            segment.last.into(),
            SqlValue::from(*segment.previous.as_bytes()),
            SqlValue::from(*segment.hash.as_bytes()),
            record.last_at.into(),
            record.file.name.as_str().into(),
            record.file.bytes.into(),
            SqlValue::from(*record.file.digest.as_bytes()),
            record.archived_at.into(),
            record.kid.as_str().into(),
            record.signature.as_slice().into(),
        ],
    )
}

/// Removes the events after one checkpoint up to another, with their positions. The position before the cut is
/// zero if the log was never cut.
pub fn cut_events(from: i64, to: &StoredCheckpoint) -> Vec<GuardedStatement> {
    let StoredCheckpoint { checkpoint, kid, signature } = to;
    let mut values: Vec<SqlValue> = vec![
        checkpoint.position.into(),
        SqlValue::from(*checkpoint.hash.as_bytes()),
        checkpoint.cut_at.into(),
        kid.as_str().into(),
        signature.as_slice().into(),
    ];
    let checkpointed = if from == 0 {
        GuardedStatement::exactly_one(&BEGIN_CHECKPOINT, values)
    } else {
        values.push(from.into());
        GuardedStatement::exactly_one(&ADVANCE_CHECKPOINT, values)
    };
    let range = || [SqlValue::from(from), SqlValue::from(checkpoint.position)];
    vec![
        checkpointed,
        GuardedStatement::any_number(&CUT_EVENTS, range()),
        GuardedStatement::any_number(&CUT_POSITIONS, range()),
    ]
}

/// Lists whose origins must be erased from the archive.
pub async fn list_requested_erasures(store: &Store) -> Result<Vec<String>, StoreFailure> {
    store.read_list(&ERASURES, &[]).await?.iter().map(|row| Ok(row.text("who")?.to_owned())).collect()
}

/// Requests that the origins of an account or membership are erased from the archive, if there is one.
pub fn request_erasure(principal_id: &str) -> GuardedStatement {
    GuardedStatement::any_number(&REQUEST_ERASURE, [SqlValue::from(principal_id)])
}

/// Records that the origins of an account or membership were erased from the archive.
pub fn complete_erasure(principal_id: &str) -> GuardedStatement {
    GuardedStatement::any_number(&COMPLETE_ERASURE, [SqlValue::from(principal_id)])
}

fn read_segment(row: &SqlRow) -> Result<ArchivedSegment, StoreFailure> {
    Ok(ArchivedSegment {
        segment: ArchivedLogSegment {
            first: row.integer("first_position")?,
            last: row.integer("last_position")?,
            previous: read_hash(row, "previous_hash")?,
            hash: read_hash(row, "hash")?,
        },
        last_at: row.timestamp("last_at")?,
        file: ArchivedFile {
            name: row.text("file_name")?.to_owned(),
            bytes: row.integer("file_bytes")?,
            digest: read_hash(row, "file_digest")?,
        },
        archived_at: row.timestamp("archived_at")?,
        kid: row.text("kid")?.to_owned(),
        signature: row.blob("signature")?.to_vec(),
    })
}

static SEGMENTS: SqlStatement = SqlStatement::new(
    "log_segments.list",
    "SELECT first_position, last_position, previous_hash, hash, last_at, file_name, file_bytes, file_digest, \
     archived_at, kid, signature FROM log_segments ORDER BY first_position",
);
static CHECKPOINT: SqlStatement = SqlStatement::new(
    "log_checkpoint.find",
    "SELECT position, hash, cut_at, kid, signature FROM log_checkpoint WHERE id = 1",
);
static FIND_CLAIM: SqlStatement =
    SqlStatement::new("log_archiver.find", "SELECT claimed_until FROM log_archiver WHERE id = 1");
static CLAIM: SqlStatement = SqlStatement::new(
    "log_archiver.claim",
    "UPDATE log_archiver SET claimed_until = ?1 WHERE id = 1 AND claimed_until <= ?2",
);
static RENEW: SqlStatement = SqlStatement::new(
    "log_archiver.renew",
    "UPDATE log_archiver SET claimed_until = ?2 WHERE id = 1 AND claimed_until = ?1",
);
static RECORD: SqlStatement = SqlStatement::new(
    "log_segments.record",
    "INSERT INTO log_segments (first_position, last_position, previous_hash, hash, last_at, file_name, file_bytes, \
     file_digest, archived_at, kid, signature) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
);
static BEGIN_CHECKPOINT: SqlStatement = SqlStatement::new(
    "log_checkpoint.begin",
    "INSERT INTO log_checkpoint (id, position, hash, cut_at, kid, signature) VALUES (1, ?1, ?2, ?3, ?4, ?5)",
);
static ADVANCE_CHECKPOINT: SqlStatement = SqlStatement::new(
    "log_checkpoint.advance",
    "UPDATE log_checkpoint SET position = ?1, hash = ?2, cut_at = ?3, kid = ?4, signature = ?5 \
     WHERE id = 1 AND position = ?6",
);
static CUT_EVENTS: SqlStatement = SqlStatement::new(
    "security_log.cut",
    "DELETE FROM security_log WHERE id IN \
     (SELECT event_id FROM log_chain WHERE position > ?1 AND position <= ?2)",
);
static CUT_POSITIONS: SqlStatement =
    SqlStatement::new("log_chain.cut", "DELETE FROM log_chain WHERE position > ?1 AND position <= ?2");
// The scan of the chain counts only where there are webhooks: without any, it does not advance.
static WEBHOOK_FLOOR: SqlStatement = SqlStatement::new(
    "log_archive.webhook_floor",
    "SELECT MIN(p.position) AS floor FROM (SELECT h.position FROM webhooks h WHERE h.removed_at IS NULL \
     AND h.paused_at IS NULL AND h.position < h.wanted_position UNION ALL SELECT w.position FROM webhook_walk w \
     WHERE EXISTS (SELECT 1 FROM webhooks h WHERE h.removed_at IS NULL)) p",
);
static ERASURES: SqlStatement =
    SqlStatement::new("log_erasures.list", "SELECT who FROM log_erasures ORDER BY who");
static REQUEST_ERASURE: SqlStatement = SqlStatement::new(
    "log_erasures.request",
    "INSERT INTO log_erasures (who) SELECT ?1 WHERE EXISTS (SELECT 1 FROM log_segments) \
     AND NOT EXISTS (SELECT 1 FROM log_erasures WHERE who = ?1) ON CONFLICT (who) DO NOTHING",
);
static COMPLETE_ERASURE: SqlStatement =
    SqlStatement::new("log_erasures.complete", "DELETE FROM log_erasures WHERE who = ?1");

pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &SEGMENTS,
    &CHECKPOINT,
    &FIND_CLAIM,
    &CLAIM,
    &RENEW,
    &RECORD,
    &BEGIN_CHECKPOINT,
    &ADVANCE_CHECKPOINT,
    &CUT_EVENTS,
    &CUT_POSITIONS,
    &WEBHOOK_FLOOR,
    &ERASURES,
    &REQUEST_ERASURE,
    &COMPLETE_ERASURE,
];
