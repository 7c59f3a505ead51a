//! The heartbeat of a node: a row which shows that it runs, and the refusals of each limit since the last
//! one. It is written in the background, so that no request waits for it
//! (docs/contribute/decisions/0322-health-nodes-write-heartbeats-and-limit-counts.md).

use crate::{Engine, Failure};
use sinete_core::id::NodeId;
use sinete_core::limits::{LIMIT_COUNT_PERIOD, LIMIT_COUNT_RETENTION, NODE_RETENTION};
use sinete_core::refusal::limit_kind::LimitKind;
use sinete_core::time::Timestamp;
use sinete_store::platform::nodes::{self, NodeRow};
use sinete_store::{WriteBatch, migrate};

/// A running server.
#[derive(Clone, Debug)]
pub struct RunningNode {
    id: NodeId,
    program_version: &'static str,
    started_at: Timestamp,
}

/// Whether the node continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeState {
    /// It serves requests.
    Serving,
    /// It stops.
    Stopping,
}

impl RunningNode {
    /// A node that starts now.
    pub fn start(engine: &Engine, program_version: &'static str) -> Self {
        let started_at = engine.now();
        Self { id: NodeId::mint(started_at, engine.entropy()), program_version, started_at }
    }
}

/// Writes a heartbeat with the refusals since the last one, and deletes what is too old.
pub async fn record_heartbeat(
    engine: &Engine,
    node: &RunningNode,
    state: NodeState,
    refused: &[(LimitKind, u64)],
) -> Result<(), Failure> {
    let now = engine.now();
    let row = NodeRow {
        id: node.id,
        program_version: node.program_version.to_owned(),
        schema_version: migrate::newest_version(),
        started_at: node.started_at,
        seen_at: now,
        stopped_at: (state == NodeState::Stopping).then_some(now),
    };
    let mut batch = WriteBatch::new()
        .with_statement(nodes::record_node(&row))
        .with_statement(nodes::delete_nodes_seen_before(now.minus(NODE_RETENTION)))
        .with_statement(nodes::delete_limit_counts_before(now.minus(LIMIT_COUNT_RETENTION)));
    let period = start_of_period(now);
    // In the order of names, so that two nodes lock the rows in the same order.
    let mut refused = refused.to_vec();
    refused.sort_by_key(|(limit, _)| limit.name());
    for (limit, count) in refused {
        batch = batch.with_statement(nodes::add_limit_count(limit, period, count));
    }
    // The statements have no guard that another node could break.
    let _ = engine.store().commit(batch).await?;
    Ok(())
}

/// The start of the period that a moment is in.
fn start_of_period(at: Timestamp) -> Timestamp {
    let period = LIMIT_COUNT_PERIOD.micros();
    Timestamp::from_micros(at.micros().div_euclid(period).saturating_mul(period))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heartbeat_limit_counts_of_one_period_have_one_start() {
        let at = Timestamp::from_seconds;
        assert_eq!(start_of_period(at(1_200)), at(1_200));
        assert_eq!(start_of_period(at(1_799)), at(1_200));
        assert_eq!(start_of_period(at(1_800)), at(1_800));
    }
}
