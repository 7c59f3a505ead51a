//! The queue for hashing slots. It is short, and a flood that fills it must not keep everybody else out: users on devices
//! that their account knows go first, and among the others the networks take turns.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// Maximum queue length per slot, for users on known devices and for the others, each.
const QUEUE_PER_SLOT: usize = 4;
/// Maximum waiting time for a slot.
pub(super) const WAIT_MAX: Duration = Duration::from_millis(500);
/// The same on a known device. Only those who have signed in before can fill that queue.
const KNOWN_WAIT_MAX: Duration = Duration::from_secs(5);
/// After this many slots for known devices in a row, one of the others gets a slot.
const KNOWN_IN_A_ROW: u32 = 4;

/// Who waits for a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashingRequester {
    /// A user on a device that has signed in to the account before, or in a session of the account.
    KnownDevice,
    /// Anyone else, from this network if it is known.
    Stranger(Option<IpAddr>),
}

/// The queue.
pub(super) struct HashingQueue {
    slots: usize,
    pub(super) wait_max: Duration,
    state: Mutex<QueueState>,
}

struct QueueState {
    free: usize,
    known: VecDeque<oneshot::Sender<PoolSlot>>,
    strangers: VecDeque<(Option<IpAddr>, oneshot::Sender<PoolSlot>)>,
    known_in_a_row: u32,
    last_network: Option<IpAddr>,
}

/// A slot for one job. The next waiting request gets it when it is dropped.
pub(super) struct PoolSlot {
    queue: Arc<HashingQueue>,
}

impl Drop for PoolSlot {
    fn drop(&mut self) {
        let next = {
            let mut state = self.queue.lock();
            let next = state.take_next();
            if next.is_none() {
                state.free += 1;
            }
            next
        };
        if let Some(next) = next {
            // If it stopped waiting, the slot comes back and is dropped here.
            drop(next.send(Self { queue: Arc::clone(&self.queue) }));
        }
    }
}

impl HashingQueue {
    pub(super) fn new(slots: usize, wait_max: Duration) -> Arc<Self> {
        let state = QueueState {
            free: slots,
            known: VecDeque::new(),
            strangers: VecDeque::new(),
            known_in_a_row: 0,
            last_network: None,
        };
        Arc::new(Self { slots, wait_max, state: Mutex::new(state) })
    }

    /// Acquires a slot, waiting up to the limit.
    pub(super) async fn acquire(self: &Arc<Self>, requester: HashingRequester) -> Option<PoolSlot> {
        let (slot, wait_max) = {
            let mut state = self.lock();
            if state.free > 0 {
                state.free -= 1;
                return Some(PoolSlot { queue: Arc::clone(self) });
            }
            let (sender, slot) = oneshot::channel();
            let places = self.slots * QUEUE_PER_SLOT;
            match requester {
                HashingRequester::KnownDevice => {
                    state.known.retain(|waiting| !waiting.is_closed());
                    if state.known.len() >= places {
                        return None;
                    }
                    state.known.push_back(sender);
                    (slot, KNOWN_WAIT_MAX.max(self.wait_max))
                }
                HashingRequester::Stranger(network) => {
                    state.strangers.retain(|(_, waiting)| !waiting.is_closed());
                    if state.strangers.len() >= places && !state.make_room(network) {
                        return None;
                    }
                    state.strangers.push_back((network, sender));
                    (slot, self.wait_max)
                }
            }
        };
        tokio::time::timeout(wait_max, slot).await.ok()?.ok()
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of free slots and of requests that wait.
    #[cfg(test)]
    pub(super) fn free_and_waiting(&self) -> (usize, usize) {
        let mut state = self.lock();
        state.known.retain(|waiting| !waiting.is_closed());
        state.strangers.retain(|(_, waiting)| !waiting.is_closed());
        (state.free, state.known.len() + state.strangers.len())
    }
}

impl QueueState {
    /// The next request that gets a slot: known devices first, then the first one of a network that did not get the
    /// last slot.
    fn take_next(&mut self) -> Option<oneshot::Sender<PoolSlot>> {
        self.known.retain(|waiting| !waiting.is_closed());
        self.strangers.retain(|(_, waiting)| !waiting.is_closed());
        if (self.known_in_a_row < KNOWN_IN_A_ROW || self.strangers.is_empty())
            && let Some(next) = self.known.pop_front()
        {
            self.known_in_a_row = self.known_in_a_row.saturating_add(1);
            return Some(next);
        }
        self.known_in_a_row = 0;
        let other = self.strangers.iter().position(|(network, _)| *network != self.last_network);
        let (network, next) = self.strangers.remove(other.unwrap_or(0))?;
        self.last_network = network;
        Some(next)
    }

    /// Refuses the newest request of the network with the most requests, if that network has at least two more than
    /// this one.
    fn make_room(&mut self, network: Option<IpAddr>) -> bool {
        let count = |one: Option<IpAddr>| self.strangers.iter().filter(|(other, _)| *other == one).count();
        let busiest = self.strangers.iter().map(|(other, _)| *other).max_by_key(|other| count(*other));
        let Some(busiest) = busiest.filter(|busiest| count(*busiest) >= count(network) + 2) else {
            return false;
        };
        let newest = self.strangers.iter().rposition(|(other, _)| *other == busiest);
        newest.and_then(|place| self.strangers.remove(place)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use HashingRequester::{KnownDevice, Stranger};

    fn network(number: u8) -> HashingRequester {
        Stranger(Some(IpAddr::from([192, 0, 2, number])))
    }

    /// Requests that wait one after the other, each reporting its number with its slot.
    async fn queue_up(
        queue: &Arc<HashingQueue>,
        requesters: &[HashingRequester],
    ) -> Vec<tokio::task::JoinHandle<bool>> {
        let mut waiting = Vec::new();
        for requester in requesters {
            let (queue, requester) = (Arc::clone(queue), *requester);
            waiting.push(tokio::spawn(async move { queue.acquire(requester).await.is_some() }));
            // On one thread, the request is in the queue when this returns.
            tokio::task::yield_now().await;
        }
        waiting
    }

    /// Lets waiting requests have the slot, one after the other, and returns the order.
    async fn order(requesters: &[HashingRequester]) -> Vec<usize> {
        let queue = HashingQueue::new(1, WAIT_MAX);
        let held = queue.acquire(network(0)).await;
        let done = Arc::new(Mutex::new(Vec::new()));
        for (number, requester) in requesters.iter().enumerate() {
            let (queue, requester, done) = (Arc::clone(&queue), *requester, Arc::clone(&done));
            tokio::spawn(async move {
                let slot = queue.acquire(requester).await;
                done.lock().unwrap().extend(slot.as_ref().map(|_| number));
            });
            tokio::task::yield_now().await;
        }
        drop(held);
        while queue.free_and_waiting() != (1, 0) {
            tokio::task::yield_now().await;
        }
        done.lock().unwrap().clone()
    }

    #[tokio::test]
    async fn password_queue_serves_known_devices_first_and_networks_in_turn() {
        assert_eq!(order(&[network(1), network(1), KnownDevice]).await, [2, 0, 1]);
        assert_eq!(order(&[network(1), network(1), network(1), network(2)]).await, [0, 3, 1, 2]);
        // Known devices do not keep the others out for ever either.
        let known = [KnownDevice; 4];
        let all: Vec<_> = [network(1)].into_iter().chain(known).collect();
        assert_eq!(order(&all).await, [1, 2, 3, 4, 0]);
    }

    #[tokio::test]
    async fn password_queue_filled_by_one_network_has_room_for_another_and_for_known_devices() {
        let queue = HashingQueue::new(1, Duration::from_secs(60));
        let held = queue.acquire(network(1)).await;
        let flood = queue_up(&queue, &[network(1); 4]).await;
        assert!(queue.acquire(network(1)).await.is_none(), "the queue is full");
        let others = queue_up(&queue, &[network(2), KnownDevice]).await;
        drop(held);
        for other in others {
            assert!(other.await.unwrap());
        }
        let mut served = Vec::new();
        for one in flood {
            served.push(one.await.unwrap());
        }
        assert_eq!(served, [true, true, true, false], "the newest of the flood made room");
        assert_eq!(queue.free_and_waiting(), (1, 0));
    }

    #[tokio::test]
    async fn password_queue_loses_no_slot_to_requests_that_stopped_waiting() {
        let queue = HashingQueue::new(1, Duration::from_millis(5));
        let held = queue.acquire(network(1)).await;
        assert!(queue.acquire(network(2)).await.is_none(), "it waited too long");
        let gone = queue_up(&queue, &[KnownDevice]).await.remove(0);
        gone.abort();
        assert!(gone.await.is_err());
        drop(held);
        assert_eq!(queue.free_and_waiting(), (1, 0));
        assert!(queue.acquire(Stranger(None)).await.is_some());
    }
}
