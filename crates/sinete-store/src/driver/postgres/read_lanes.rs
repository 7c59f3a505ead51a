//! Connections that all short reads share.
//!
//! A short read is one statement and changes nothing, so many can be pipelined on one connection: they are
//! sent without waiting for each other, and the server answers them in turn. That saves both sides most of
//! the wake-ups that one connection per read would cost. Batches use other connections.

use super::connect;
use crate::driver::deadline::StatementDeadline;
use crate::failure::StoreFailure;
use deadpool_postgres::{ClientWrapper, Object, Pool};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// Most lanes: more than a server of this size has processors to spare.
const LANES_MAX: usize = 4;

/// The lanes, used in turn.
pub(super) struct ReadLanePool {
    lanes: Vec<Mutex<Option<Arc<ClientWrapper>>>>,
    next: AtomicUsize,
}

/// A lane, taken for one read.
pub(super) struct ReadLane {
    pub(super) client: Arc<ClientWrapper>,
    index: usize,
}

/// How many of the connections are lanes. At least one is left for batches.
pub(super) fn lane_count(connections: usize) -> usize {
    (connections / 4).clamp(1, LANES_MAX).min(connections.saturating_sub(1))
}

impl ReadLanePool {
    /// Lanes that are not connected yet.
    pub(super) fn new(count: usize) -> Self {
        Self { lanes: (0..count.max(1)).map(|_| Mutex::new(None)).collect(), next: AtomicUsize::new(0) }
    }

    /// The next lane, connected if necessary.
    pub(super) async fn acquire_lane(
        &self,
        pool: &Pool,
        deadline: StatementDeadline,
    ) -> Result<ReadLane, StoreFailure> {
        let index = self.next.fetch_add(1, Relaxed) % self.lanes.len();
        if let Some(client) = self.client_at(index) {
            return Ok(ReadLane { client, index });
        }
        // Several callers may do this at once; the last connection stays, and the others are closed after
        // their read.
        let client = Arc::new(Object::take(connect::acquire_connection(pool, deadline).await?));
        self.set_client(index, Some(Arc::clone(&client)));
        Ok(ReadLane { client, index })
    }

    /// Makes the next caller reconnect the lane. Pending reads still get their results.
    pub(super) fn reset_lane(&self, lane: &ReadLane) {
        let is_this = |client_wrapper: &Arc<ClientWrapper>| Arc::ptr_eq(client_wrapper, &lane.client);
        if self.client_at(lane.index).as_ref().is_some_and(is_this) {
            self.set_client(lane.index, None);
        }
    }

    /// Resets every lane.
    pub(super) fn reset_all_lanes(&self) {
        for index in 0..self.lanes.len() {
            self.set_client(index, None);
        }
    }

    fn client_at(&self, index: usize) -> Option<Arc<ClientWrapper>> {
        let lane = self.lanes.get(index)?.lock().unwrap_or_else(PoisonError::into_inner);
        lane.as_ref().filter(|client| !client.is_closed()).cloned()
    }

    fn set_client(&self, index: usize, client: Option<Arc<ClientWrapper>>) {
        if let Some(lane) = self.lanes.get(index) {
            *lane.lock().unwrap_or_else(PoisonError::into_inner) = client;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_lanes_leave_connections_for_writes() {
        for (connections, lanes) in [(1, 0), (2, 1), (4, 1), (8, 2), (16, 4), (100, LANES_MAX)] {
            assert_eq!(lane_count(connections), lanes, "of {connections}");
        }
    }
}
