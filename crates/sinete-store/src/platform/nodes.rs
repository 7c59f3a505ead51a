//! The servers that run on this database, and how many requests each limit refused, for all of them together. A
//! heartbeat writes both and deletes what is too old, so that both tables stay small
//! (docs/contribute/decisions/0322-health-nodes-write-heartbeats-and-limit-counts.md).

use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;
use sinete_core::id::NodeId;
use sinete_core::limits::NODES_LISTED_MAX;
use sinete_core::refusal::limit_kind::LimitKind;
use sinete_core::time::Timestamp;

/// A node as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRow {
    /// Its id: new with every start.
    pub id: NodeId,
    /// The version of the program.
    pub program_version: String,
    /// The newest migration that the program knows.
    pub schema_version: u32,
    /// When it started.
    pub started_at: Timestamp,
    /// Its last heartbeat.
    pub seen_at: Timestamp,
    /// When it stopped, if it could record that.
    pub stopped_at: Option<Timestamp>,
}

/// The refusals of one limit in one period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitCountRow {
    /// When the period starts.
    pub starts_at: Timestamp,
    /// The limit.
    pub limit: LimitKind,
    /// The number of refusals.
    pub total: u64,
}

/// Writes the row of a node.
pub fn record_node(node: &NodeRow) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &RECORD,
        [
            node.id.into(),
            node.program_version.as_str().into(),
            node.schema_version.into(),
            node.started_at.into(),
            node.seen_at.into(),
            node.stopped_at.into(),
        ],
    )
}

/// Adds to the refusals of a limit.
pub fn add_limit_count(limit: LimitKind, starts_at: Timestamp, count: u64) -> GuardedStatement {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    GuardedStatement::exactly_one(&ADD, [starts_at.into(), limit.name().into(), SqlValue::from(count)])
}

/// Deletes nodes that were last seen before this moment.
pub fn delete_nodes_seen_before(before: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(&DELETE_NODES, [before.into()])
}

/// Deletes the counts of periods that started before this moment.
pub fn delete_limit_counts_before(before: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(&DELETE_COUNTS, [before.into()])
}

/// Lists the nodes that were seen since this moment, the latest first.
pub async fn list_nodes(store: &Store, since: Timestamp) -> Result<Vec<NodeRow>, StoreFailure> {
    let rows = store.read_list(&LIST_NODES, &[since.into(), NODES_LISTED_MAX.into()]).await?;
    rows.iter()
        .map(|row| {
            Ok(NodeRow {
                id: row.id("id")?,
                program_version: row.text("program_version")?.to_owned(),
                schema_version: u32::try_from(row.integer("schema_version")?).unwrap_or_default(),
                started_at: row.timestamp("started_at")?,
                seen_at: row.timestamp("seen_at")?,
                stopped_at: row.optional_timestamp("stopped_at")?,
            })
        })
        .collect()
}

/// Lists the refusals in periods that started after this moment. Limits that a newer version added are left out.
pub async fn list_limit_counts(store: &Store, after: Timestamp) -> Result<Vec<LimitCountRow>, StoreFailure> {
    let mut counts = Vec::new();
    for row in store.read_list(&LIST_COUNTS, &[after.into()]).await? {
        if let Some(limit) = LimitKind::parse(row.text("limit_kind")?) {
            let total = row.integer("total")?.max(0).unsigned_abs();
            counts.push(LimitCountRow { starts_at: row.timestamp("starts_at")?, limit, total });
        }
    }
    Ok(counts)
}

static RECORD: SqlStatement = SqlStatement::new(
    "nodes.record",
    "INSERT INTO nodes (id, program_version, schema_version, started_at, seen_at, stopped_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
     ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, stopped_at = excluded.stopped_at",
);
static ADD: SqlStatement = SqlStatement::new(
    "limit_counts.add",
    "INSERT INTO limit_counts (starts_at, limit_kind, total) VALUES (?1, ?2, ?3) \
     ON CONFLICT (starts_at, limit_kind) DO UPDATE SET total = limit_counts.total + excluded.total",
);
static DELETE_NODES: SqlStatement = SqlStatement::new("nodes.forget", "DELETE FROM nodes WHERE seen_at < ?1");
static DELETE_COUNTS: SqlStatement =
    SqlStatement::new("limit_counts.forget", "DELETE FROM limit_counts WHERE starts_at < ?1");
static LIST_NODES: SqlStatement = SqlStatement::new(
    "nodes.list",
    "SELECT id, program_version, schema_version, started_at, seen_at, stopped_at FROM nodes \
     WHERE seen_at >= ?1 ORDER BY started_at DESC, id LIMIT ?2",
);
static LIST_COUNTS: SqlStatement = SqlStatement::new(
    "limit_counts.list",
    "SELECT starts_at, limit_kind, total FROM limit_counts WHERE starts_at > ?1 ORDER BY starts_at, limit_kind",
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&RECORD, &ADD, &DELETE_NODES, &DELETE_COUNTS, &LIST_NODES, &LIST_COUNTS];
