//! The queue for hashing slots. It is short, and a flood that fills it must not keep out all other users:
//! users on devices that their account knows go first, and among the others the networks take turns.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// Maximum queue length per slot, for users on known devices and for the others, each.
const QUEUE_PER_SLOT: usize = 4;
/// Maximum waiting time for a slot.
pub(super) const WAIT_MAX: Duration = Duration::from_millis(500);
/// The same on a known device. Only those who have signed in before can fill that queue.
const KNOWN_DEVICE_WAIT_MAX: Duration = Duration::from_secs(5);
/// After this many slots for known devices in a row, one of the others gets a slot.
const KNOWN_DEVICES_IN_A_ROW_MAX: u32 = 4;

/// Who waits for a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashingRequester {
    /// A user on a device that has signed in to the account before, or in a session of the account.
    KnownDevice,
    /// Anyone else, from this network if it is known.
    UnknownDevice(Option<IpAddr>),
}

/// The priority of the thread behind a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlotPriority {
    /// It has a share of the processors while others need them.
    Shared,
    /// It runs only while a processor would be idle.
    Idle,
}

impl SlotPriority {
    /// The priority of a thread: of two threads the first has a share.
    pub(super) const fn of_thread(number: usize) -> Self {
        match number % 2 {
            0 => Self::Shared,
            _ => Self::Idle,
        }
    }
}

/// The queue.
pub(super) struct HashingQueue {
    slots: usize,
    pub(super) wait_max: Duration,
    state: Mutex<QueueState>,
    known_device_arrived: Condvar,
}

struct QueueState {
    free_shared: usize,
    free_idle: usize,
    known_devices: VecDeque<oneshot::Sender<PoolSlot>>,
    unknown_devices: VecDeque<(Option<IpAddr>, oneshot::Sender<PoolSlot>)>,
    consecutive_known: u32,
    last_network: Option<IpAddr>,
}

/// A slot for one job. The next waiting request gets it when it is dropped.
pub(super) struct PoolSlot {
    queue: Arc<HashingQueue>,
    pub(super) priority: SlotPriority,
}

impl PoolSlot {
    /// If unknown devices wait, keeps the slot from them for a time, or until a user on a known device waits.
    /// Blocks the thread.
    pub(super) fn delay_unknown_devices(&self, time: Duration) {
        let state = self.queue.lock();
        if state.unknown_devices.iter().all(|(_, sender)| sender.is_closed()) {
            return;
        }
        let is_wanted_by_none =
            |state: &mut QueueState| state.known_devices.iter().all(oneshot::Sender::is_closed);
        drop(self.queue.known_device_arrived.wait_timeout_while(state, time, is_wanted_by_none));
    }
}

impl Drop for PoolSlot {
    fn drop(&mut self) {
        let next = {
            let mut state = self.queue.lock();
            let next = state.pop_next_request(self.priority);
            if next.is_none() {
                *state.free_slots(self.priority) += 1;
            }
            next
        };
        if let Some(next) = next {
            // If it stopped waiting, the slot comes back and is dropped here.
            drop(next.send(Self { queue: Arc::clone(&self.queue), priority: self.priority }));
        }
    }
}

impl HashingQueue {
    pub(super) fn new(slots: usize, wait_max: Duration) -> Arc<Self> {
        let idle = (0..slots).filter(|number| SlotPriority::of_thread(*number) == SlotPriority::Idle).count();
        let state = QueueState {
            free_shared: slots - idle,
            free_idle: idle,
            known_devices: VecDeque::new(),
            unknown_devices: VecDeque::new(),
            consecutive_known: 0,
            last_network: None,
        };
        Arc::new(Self { slots, wait_max, state: Mutex::new(state), known_device_arrived: Condvar::new() })
    }

    /// Acquires a slot, waiting up to the limit.
    pub(super) async fn acquire(self: &Arc<Self>, requester: HashingRequester) -> Option<PoolSlot> {
        let (slot, wait_max) = {
            let mut state = self.lock();
            if let Some(priority) = state.acquire_free_slot() {
                return Some(PoolSlot { queue: Arc::clone(self), priority });
            }
            let (sender, slot) = oneshot::channel();
            let places = self.slots * QUEUE_PER_SLOT;
            match requester {
                HashingRequester::KnownDevice => {
                    state.known_devices.retain(|sender| !sender.is_closed());
                    if state.known_devices.len() >= places {
                        return None;
                    }
                    state.known_devices.push_back(sender);
                    self.known_device_arrived.notify_one();
                    (slot, KNOWN_DEVICE_WAIT_MAX.max(self.wait_max))
                }
                HashingRequester::UnknownDevice(network) => {
                    state.unknown_devices.retain(|(_, sender)| !sender.is_closed());
                    if state.unknown_devices.len() >= places && !state.make_room(network) {
                        return None;
                    }
                    state.unknown_devices.push_back((network, sender));
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
        state.known_devices.retain(|sender| !sender.is_closed());
        state.unknown_devices.retain(|(_, sender)| !sender.is_closed());
        (state.free_shared + state.free_idle, state.known_devices.len() + state.unknown_devices.len())
    }
}

impl QueueState {
    fn free_slots(&mut self, priority: SlotPriority) -> &mut usize {
        match priority {
            SlotPriority::Shared => &mut self.free_shared,
            SlotPriority::Idle => &mut self.free_idle,
        }
    }

    fn acquire_free_slot(&mut self) -> Option<SlotPriority> {
        let priority = if self.free_shared > 0 { SlotPriority::Shared } else { SlotPriority::Idle };
        let free = self.free_slots(priority);
        *free = free.checked_sub(1)?;
        Some(priority)
    }

    /// The next request that gets a slot: known devices first, then the first one of a network that did not
    /// get the last slot. A slot that runs only when idle is for known devices only while no other request
    /// waits.
    fn pop_next_request(&mut self, priority: SlotPriority) -> Option<oneshot::Sender<PoolSlot>> {
        self.known_devices.retain(|sender| !sender.is_closed());
        self.unknown_devices.retain(|(_, sender)| !sender.is_closed());
        let known_first =
            priority == SlotPriority::Shared && self.consecutive_known < KNOWN_DEVICES_IN_A_ROW_MAX;
        if (known_first || self.unknown_devices.is_empty())
            && let Some(next) = self.known_devices.pop_front()
        {
            self.consecutive_known = self.consecutive_known.saturating_add(1);
            return Some(next);
        }
        self.consecutive_known = 0;
        let other = self.unknown_devices.iter().position(|(network, _)| *network != self.last_network);
        let (network, next) = self.unknown_devices.remove(other.unwrap_or(0))?;
        self.last_network = network;
        Some(next)
    }

    /// Refuses the newest request of the network with the most requests, if that network has at least two more than
    /// this one.
    fn make_room(&mut self, network: Option<IpAddr>) -> bool {
        let count =
            |one: Option<IpAddr>| self.unknown_devices.iter().filter(|(other, _)| *other == one).count();
        let busiest = self.unknown_devices.iter().map(|(other, _)| *other).max_by_key(|other| count(*other));
        let Some(busiest) = busiest.filter(|busiest| count(*busiest) >= count(network) + 2) else {
            return false;
        };
        let newest = self.unknown_devices.iter().rposition(|(other, _)| *other == busiest);
        newest.and_then(|index| self.unknown_devices.remove(index)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use HashingRequester::{KnownDevice, UnknownDevice};

    fn network(number: u8) -> HashingRequester {
        UnknownDevice(Some(IpAddr::from([192, 0, 2, number])))
    }

    /// Requests that wait one after the other, each reporting its number with its slot.
    async fn queue_up(
        queue: &Arc<HashingQueue>,
        requesters: &[HashingRequester],
    ) -> Vec<tokio::task::JoinHandle<bool>> {
        let mut join_handles = Vec::new();
        for requester in requesters {
            let (queue, requester) = (Arc::clone(queue), *requester);
            join_handles.push(tokio::spawn(async move { queue.acquire(requester).await.is_some() }));
            // On one thread, the request is in the queue when this returns.
            tokio::task::yield_now().await;
        }
        join_handles
    }

    /// Lets waiting requests have the slot, one after the other, and returns the order.
    async fn order(requesters: &[HashingRequester]) -> Vec<usize> {
        let queue = HashingQueue::new(1, WAIT_MAX);
        let pool_slot = queue.acquire(network(0)).await;
        let acquired_numbers = Arc::new(Mutex::new(Vec::new()));
        for (number, requester) in requesters.iter().enumerate() {
            let (queue, requester, acquired_numbers) =
                (Arc::clone(&queue), *requester, Arc::clone(&acquired_numbers));
            tokio::spawn(async move {
                let slot = queue.acquire(requester).await;
                acquired_numbers.lock().unwrap().extend(slot.as_ref().map(|_| number));
            });
            tokio::task::yield_now().await;
        }
        drop(pool_slot);
        while queue.free_and_waiting() != (1, 0) {
            tokio::task::yield_now().await;
        }
        acquired_numbers.lock().unwrap().clone()
    }

    #[tokio::test]
    async fn password_queue_serves_known_devices_first_and_networks_in_turn() {
        assert_eq!(order(&[network(1), network(1), KnownDevice]).await, [2, 0, 1]);
        assert_eq!(order(&[network(1), network(1), network(1), network(2)]).await, [0, 3, 1, 2]);
        // Known devices do not keep the others out forever either.
        let hashing_requesters = [KnownDevice; 4];
        let all: Vec<_> = [network(1)].into_iter().chain(hashing_requesters).collect();
        assert_eq!(order(&all).await, [1, 2, 3, 4, 0]);
    }

    #[tokio::test]
    async fn password_queue_filled_by_one_network_has_room_for_another_and_for_known_devices() {
        let queue = HashingQueue::new(1, Duration::from_secs(60));
        let pool_slot = queue.acquire(network(1)).await;
        let flood = queue_up(&queue, &[network(1); 4]).await;
        assert!(queue.acquire(network(1)).await.is_none(), "the queue is full");
        let others = queue_up(&queue, &[network(2), KnownDevice]).await;
        drop(pool_slot);
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
    async fn password_queue_assigns_idle_slots_to_unknown_devices_first() {
        let queue = HashingQueue::new(2, Duration::from_secs(60));
        let (shared, idle) =
            (queue.acquire(KnownDevice).await.unwrap(), queue.acquire(KnownDevice).await.unwrap());
        assert_eq!((shared.priority, idle.priority), (SlotPriority::Shared, SlotPriority::Idle));
        let priority = |requester| {
            let queue = Arc::clone(&queue);
            tokio::spawn(async move { queue.acquire(requester).await.map(|slot| slot.priority) })
        };
        let (join_handle, unknown_device) = (priority(KnownDevice), priority(network(1)));
        while queue.free_and_waiting().1 < 2 {
            tokio::task::yield_now().await;
        }
        drop(idle);
        assert_eq!(unknown_device.await.unwrap(), Some(SlotPriority::Idle));
        drop(shared);
        assert!(join_handle.await.unwrap().is_some());
        assert_eq!(queue.free_and_waiting(), (2, 0));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn password_queue_pauses_unknown_devices_until_a_known_device_waits() {
        let queue = HashingQueue::new(1, Duration::from_secs(60));
        let slot = queue.acquire(network(1)).await.unwrap();
        slot.delay_unknown_devices(Duration::from_secs(600));
        let join_handle = tokio::spawn({
            let queue = Arc::clone(&queue);
            async move { queue.acquire(network(2)).await.is_some() }
        });
        while queue.free_and_waiting() != (0, 1) {
            tokio::task::yield_now().await;
        }
        let pause_task =
            tokio::task::spawn_blocking(move || slot.delay_unknown_devices(Duration::from_secs(600)));
        assert!(queue.acquire(KnownDevice).await.is_some(), "a known device ends the pause");
        pause_task.await.unwrap();
        assert!(join_handle.await.unwrap());
        assert_eq!(queue.free_and_waiting(), (1, 0));
    }

    #[tokio::test]
    async fn password_queue_returns_the_slots_of_abandoned_requests() {
        let queue = HashingQueue::new(1, Duration::from_millis(5));
        let pool_slot = queue.acquire(network(1)).await;
        assert!(queue.acquire(network(2)).await.is_none(), "it waited too long");
        let gone = queue_up(&queue, &[KnownDevice]).await.remove(0);
        gone.abort();
        assert!(gone.await.is_err());
        drop(pool_slot);
        assert_eq!(queue.free_and_waiting(), (1, 0));
        assert!(queue.acquire(UnknownDevice(None)).await.is_some());
    }
}
