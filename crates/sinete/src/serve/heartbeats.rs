//! The heartbeats of this node. They are written in the background; an unavailable database costs a log line, and
//! the refusals that could not be written are written with a later heartbeat.

use sinete_core::limits::HEARTBEAT_INTERVAL;
use sinete_engine::Engine;
use sinete_engine::platform::heartbeat::{NodeState, RunningNode, record_heartbeat};
use sinete_http::state::HttpState;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How often a heartbeat is written.
const INTERVAL: Duration = Duration::from_secs(HEARTBEAT_INTERVAL.seconds().unsigned_abs());
/// The maximum time of one heartbeat, so that a slow database delays neither the next one nor the stop.
const WRITE_MAX: Duration = Duration::from_secs(3);

/// What writes the heartbeats of this node.
#[derive(Clone)]
pub struct HeartbeatWriter {
    engine: Engine,
    state: HttpState,
    node: RunningNode,
}

impl HeartbeatWriter {
    /// Writes the first heartbeat.
    pub async fn start(engine: &Engine, state: &HttpState) -> Self {
        let node = RunningNode::start(engine, env!("CARGO_PKG_VERSION"));
        let heartbeats = Self { engine: engine.clone(), state: state.clone(), node };
        heartbeats.record(NodeState::Serving).await;
        heartbeats
    }

    /// Writes heartbeats until stopped.
    pub fn spawn(&self, stop: &CancellationToken) -> JoinHandle<()> {
        let (heartbeats, stop) = (self.clone(), stop.clone());
        tokio::spawn(async move {
            while tokio::time::timeout(INTERVAL, stop.cancelled()).await.is_err() {
                heartbeats.record(NodeState::Serving).await;
            }
        })
    }

    /// Writes the last heartbeat, so that a node that stops in order is not shown as gone.
    pub async fn record_stop(&self) {
        self.record(NodeState::Stopping).await;
    }

    async fn record(&self, state: NodeState) {
        let counters = self.state.server().limit_counters();
        let refused = counters.take_unwritten_counts();
        let write_future = async {
            let result = record_heartbeat(&self.engine, &self.node, state, &refused).await;
            result.map_err(|failed| failed.to_string())
        };
        let result = tokio::time::timeout(WRITE_MAX, write_future).await;
        if let Err(failed) = result.unwrap_or_else(|_| Err("it took too long".to_owned())) {
            // The database may still commit what took too long: counted twice is better than not at all.
            counters.put_back(&refused);
            tracing::warn!(failed, "the heartbeat of this node was not written");
        }
    }
}
