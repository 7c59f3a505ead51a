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

/// The lanes. A read takes the one with the fewest reads in flight, and the first of several: the server plans a
/// statement once for each connection, so a lane is connected only when reads are concurrent.
pub(super) struct ReadLanePool {
    first: Arc<Lane>,
    others: Vec<Arc<Lane>>,
}

/// One of them.
#[derive(Default)]
struct Lane {
    connection: Mutex<Option<Arc<ClientWrapper>>>,
    reads_in_flight: AtomicUsize,
}

/// A lane, taken for one read.
pub(super) struct ReadLane {
    pub(super) client: Arc<ClientWrapper>,
    place: LanePlace,
}

/// The place of a read in its lane.
struct LanePlace(Arc<Lane>);

/// How many of the connections are lanes. At least one is left for batches.
pub(super) fn lane_count(connections: usize) -> usize {
    (connections / 4).clamp(1, LANES_MAX).min(connections.saturating_sub(1))
}

impl ReadLanePool {
    /// Lanes that are not connected yet.
    pub(super) fn new(count: usize) -> Self {
        Self { first: Arc::default(), others: (1..count).map(|_| Arc::default()).collect() }
    }

    /// The lane with the fewest reads, connected if necessary.
    pub(super) async fn acquire_lane(
        &self,
        pool: &Pool,
        deadline: StatementDeadline,
    ) -> Result<ReadLane, StoreFailure> {
        let place = self.take_place();
        if let Some(client) = place.0.open_connection() {
            return Ok(ReadLane { client, place });
        }
        // Several callers may do this at once; the last connection stays, and the others are closed after
        // their read.
        let client = Arc::new(Object::take(connect::acquire_connection(pool, deadline).await?));
        place.0.set_connection(Some(Arc::clone(&client)));
        Ok(ReadLane { client, place })
    }

    fn take_place(&self) -> LanePlace {
        let count_reads = |lane: &Lane| lane.reads_in_flight.load(Relaxed);
        let lane = self.others.iter().fold(&self.first, |least, lane| {
            if count_reads(lane) < count_reads(least) { lane } else { least }
        });
        lane.reads_in_flight.fetch_add(1, Relaxed);
        LanePlace(Arc::clone(lane))
    }

    /// Resets every lane.
    pub(super) fn reset_all_lanes(&self) {
        for lane in std::iter::once(&self.first).chain(&self.others) {
            lane.set_connection(None);
        }
    }
}

impl ReadLane {
    /// Makes the next caller reconnect the lane. Pending reads still get their results.
    pub(super) fn reset(&self) {
        let lane = &self.place.0;
        if lane.open_connection().is_some_and(|client| Arc::ptr_eq(&client, &self.client)) {
            lane.set_connection(None);
        }
    }
}

impl Lane {
    fn open_connection(&self) -> Option<Arc<ClientWrapper>> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        connection.as_ref().filter(|client| !client.is_closed()).cloned()
    }

    fn set_connection(&self, client: Option<Arc<ClientWrapper>>) {
        *self.connection.lock().unwrap_or_else(PoisonError::into_inner) = client;
    }
}

impl Drop for LanePlace {
    fn drop(&mut self) {
        self.0.reads_in_flight.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_lanes_are_used_in_order_while_reads_are_not_concurrent() {
        let lanes = ReadLanePool::new(3);
        let is_first = |place: &LanePlace| Arc::ptr_eq(&place.0, &lanes.first);
        for _ in 0..5 {
            assert!(is_first(&lanes.take_place()));
        }
        let places = [(); 4].map(|()| lanes.take_place());
        assert_eq!(places.each_ref().map(is_first), [true, false, false, true]);
        assert!(!Arc::ptr_eq(&places[1].0, &places[2].0));
        drop(places);
        assert!(is_first(&lanes.take_place()));
    }

    #[test]
    fn read_lanes_leave_connections_for_writes() {
        for (connections, lanes) in [(1, 0), (2, 1), (4, 1), (8, 2), (16, 4), (100, LANES_MAX)] {
            assert_eq!(lane_count(connections), lanes, "of {connections}");
        }
    }
}
