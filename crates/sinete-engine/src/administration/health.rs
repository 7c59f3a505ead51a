//! The health of the instance, for operators: its nodes, its database, and the limits that refused requests.

use crate::access_control::instance_admin::InstanceAdmin;
use crate::{Engine, Error};
use sinete_core::access_control::built_in_permissions::READ_INSTANCE;
use sinete_core::id::NodeId;
use sinete_core::limits::{LIMIT_COUNT_PERIOD, NODE_GONE_AFTER, NODE_RETENTION};
use sinete_core::refusal::limit_kind::LimitKind;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_store::platform::nodes::{self, LimitCountRow, NodeRow};
use std::time::{Duration, Instant};

/// The health of the instance.
#[derive(Clone, Debug)]
pub struct InstanceHealth {
    /// The nodes that were seen within a day, the latest first.
    pub nodes: Vec<NodeHealth>,
    /// The database.
    pub database: DatabaseHealth,
    /// The limits that refused something within a day, the most frequent first.
    pub limits: Vec<LimitHits>,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeHealth {
    /// Its id.
    pub id: NodeId,
    /// Whether it serves requests.
    pub state: NodeCondition,
    /// The version of its program.
    pub program_version: String,
    /// The newest migration that its program knows.
    pub schema_version: u32,
    /// When it started.
    pub started_at: Timestamp,
    /// Its last heartbeat.
    pub seen_at: Timestamp,
}

/// Whether a node serves requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeCondition {
    /// Its heartbeat is recent.
    Serving,
    /// It stopped and recorded that.
    Stopped,
    /// Its heartbeats ended: it was killed, or does not reach the database.
    Gone,
}

/// The database.
#[derive(Clone, Debug)]
pub struct DatabaseHealth {
    /// The engine.
    pub engine: String,
    /// Its version, as it reports it.
    pub version: String,
    /// The newest applied migration.
    pub schema_version: u32,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// How long the node that answers waited for a small read.
    pub latency: Duration,
}

/// How often a limit refused something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitHits {
    /// The limit.
    pub limit: LimitKind,
    /// In the last hour.
    pub last_hour: u64,
    /// In the last day.
    pub last_day: u64,
}

/// Shows the health. `unwritten` are the refusals that the node that answers has not written yet.
pub async fn show_health(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    unwritten: &[(LimitKind, u64)],
) -> Result<InstanceHealth, Error> {
    instance_admin.require_permission(READ_INSTANCE)?;
    let (store, now) = (engine.store(), engine.now());
    let nodes = nodes::list_nodes(store, now.minus(NODE_RETENTION)).await?;
    let counts = nodes::list_limit_counts(store, periods_begin(now, Lifetime::from_hours(24))).await?;
    Ok(InstanceHealth {
        nodes: nodes.into_iter().map(|row| NodeHealth::from_row(row, now)).collect(),
        database: measure_database(engine).await?,
        limits: sum_limit_hits(&counts, unwritten, now),
    })
}

async fn measure_database(engine: &Engine) -> Result<DatabaseHealth, Error> {
    #[expect(clippy::disallowed_methods, reason = "the duration of a read is only displayed")]
    let began = Instant::now();
    engine.store().check_connection().await?;
    let latency = began.elapsed();
    let info = engine.store().load_info().await?;
    Ok(DatabaseHealth {
        engine: info.engine.to_string(),
        version: info.version,
        schema_version: info.schema_version.unwrap_or_default(),
        size_bytes: info.size_bytes,
        latency,
    })
}

impl NodeHealth {
    fn from_row(row: NodeRow, now: Timestamp) -> Self {
        let state = match row.stopped_at {
            Some(_) => NodeCondition::Stopped,
            None if row.seen_at < now.minus(NODE_GONE_AFTER) => NodeCondition::Gone,
            None => NodeCondition::Serving,
        };
        Self {
            id: row.id,
            state,
            program_version: row.program_version,
            schema_version: row.schema_version,
            started_at: row.started_at,
            seen_at: row.seen_at,
        }
    }
}

/// Periods that start after this moment are within this time, entirely or in part.
const fn periods_begin(now: Timestamp, within: Lifetime) -> Timestamp {
    now.minus(within).minus(LIMIT_COUNT_PERIOD)
}

/// The sums over the last hour and the last day, the most frequent first.
fn sum_limit_hits(
    counts: &[LimitCountRow],
    unwritten: &[(LimitKind, u64)],
    now: Timestamp,
) -> Vec<LimitHits> {
    let hour = periods_begin(now, Lifetime::from_hours(1));
    let sum = |limit: LimitKind| {
        let of_limit = || counts.iter().filter(move |row| row.limit == limit);
        let now = unwritten.iter().filter(|(it, _)| *it == limit).map(|(_, count)| count).sum::<u64>();
        LimitHits {
            limit,
            last_hour: now + of_limit().filter(|row| row.starts_at > hour).map(|row| row.total).sum::<u64>(),
            last_day: now + of_limit().map(|row| row.total).sum::<u64>(),
        }
    };
    let mut hits: Vec<LimitHits> =
        LimitKind::ALL.iter().copied().map(sum).filter(|hits| hits.last_day > 0).collect();
    hits.sort_by_key(|hits| std::cmp::Reverse((hits.last_hour, hits.last_day)));
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_000_000);

    fn node(seen_ago: u32, stopped: bool) -> NodeRow {
        let seen_at = NOW.minus(Lifetime::from_seconds(seen_ago));
        NodeRow {
            id: NodeId::from_bytes([1; 16]),
            program_version: "1.2.3".to_owned(),
            schema_version: 7,
            started_at: NOW.minus(Lifetime::from_hours(3)),
            seen_at,
            stopped_at: stopped.then_some(seen_at),
        }
    }

    #[test]
    fn node_state_is_gone_after_three_missed_heartbeats() {
        let state = |seen_ago, stopped| NodeHealth::from_row(node(seen_ago, stopped), NOW).state;
        assert_eq!(state(0, false), NodeCondition::Serving);
        assert_eq!(state(100, false), NodeCondition::Serving);
        assert_eq!(state(101, false), NodeCondition::Gone);
        assert_eq!(state(0, true), NodeCondition::Stopped);
        assert_eq!(state(5_000, true), NodeCondition::Stopped);
    }

    #[test]
    fn limit_hits_are_summed_over_the_last_hour_and_day() {
        let row = |minutes_ago, limit, total| LimitCountRow {
            starts_at: NOW.minus(Lifetime::from_minutes(minutes_ago)),
            limit,
            total,
        };
        let counts = [
            row(5, LimitKind::FlowsByAddress, 2),
            row(65, LimitKind::FlowsByAddress, 3),
            row(75, LimitKind::FlowsByAddress, 10),
            row(600, LimitKind::Requests, 40),
        ];
        let hits = sum_limit_hits(&counts, &[(LimitKind::FlowsByAddress, 1)], NOW);
        let flows = LimitHits { limit: LimitKind::FlowsByAddress, last_hour: 6, last_day: 16 };
        let requests = LimitHits { limit: LimitKind::Requests, last_hour: 0, last_day: 40 };
        assert_eq!(hits, [flows, requests], "and no row for limits that refused nothing");
    }
}
