//! The limiter that all outbound requests pass through.
//!
//! A request acquires a slot of its purpose for its owner, and is refused if the circuit to its host is open.
//! Its result closes or opens the circuit. The rules are in `sinete_core::platform::outbound`.

use sinete_core::limits::{CIRCUITS_TRACKED_MAX, OUTBOUND_QUEUE_WAIT_MAX, OUTBOUND_QUEUED_MAX};
use sinete_core::platform::outbound::circuit_breaker::{CircuitBreaker, CircuitState};
use sinete_core::platform::outbound::slots::OutboundSlotPool;
use sinete_core::platform::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use sinete_core::time::Lifetime;
use sinete_engine::ports::{Clock, OutboundError, OutboundFailureKind};
use std::collections::{BTreeMap, HashMap};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use url::Url;

/// The outbound slots, and the circuits to hosts.
pub struct OutboundLimiter {
    clock: Arc<dyn Clock>,
    purposes: BTreeMap<OutboundPurpose, PurposeLimiter>,
    circuits: Mutex<HashMap<CircuitKey, CircuitBreaker>>,
}

/// The slots of one purpose.
struct PurposeLimiter {
    state: Mutex<PurposeLimiterState>,
    slot_freed: Notify,
}

struct PurposeLimiterState {
    slots: OutboundSlotPool,
    queued: HashMap<OutboundOwner, usize>,
}

/// A circuit: host, owner and purpose.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CircuitKey {
    purpose: OutboundPurpose,
    owner: OutboundOwner,
    host: String,
}

/// A slot, released on drop, also if the caller is cancelled.
struct OutboundSlot<'g> {
    limiter: &'g PurposeLimiter,
    owner: OutboundOwner,
}

/// A request that waits for a slot.
struct QueuedRequest<'g> {
    limiter: &'g PurposeLimiter,
    owner: OutboundOwner,
}

impl OutboundLimiter {
    /// Creates a limiter.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        let gate = |purpose: OutboundPurpose| {
            let places = OutboundSlotPool::new(purpose.slot_count());
            let state = Mutex::new(PurposeLimiterState { slots: places, queued: HashMap::new() });
            (purpose, PurposeLimiter { state, slot_freed: Notify::new() })
        };
        let purposes = OutboundPurpose::ALL.into_iter().map(gate).collect();
        Self { clock, purposes, circuits: Mutex::new(HashMap::new()) }
    }

    /// Sends a request once it has a slot, unless the circuit is open or it takes too long.
    pub async fn run_request<T>(
        &self,
        target: &OutboundTarget<'_>,
        longest: Lifetime,
        request: impl Future<Output = Result<T, OutboundError>>,
    ) -> Result<T, OutboundError> {
        let outcome = self.try_run_request(target, longest, request).await;
        if let Err(not_reached) = &outcome {
            let (purpose, reason) = (target.purpose.as_str(), not_reached.reason());
            tracing::debug!(purpose, reason, "an address was not reached");
        }
        outcome
    }

    async fn try_run_request<T>(
        &self,
        target: &OutboundTarget<'_>,
        longest: Lifetime,
        request: impl Future<Output = Result<T, OutboundError>>,
    ) -> Result<T, OutboundError> {
        let circuit = CircuitKey::from_target(target);
        self.require_closed_circuit(target, circuit.as_ref())?;
        let _place = self.acquire_slot(target).await?;
        let ended = tokio::time::timeout(longest.as_duration(), request).await;
        let outcome = ended.unwrap_or_else(|_| {
            Err(OutboundError::with_kind(OutboundFailureKind::TimedOut, "it took too long"))
        });
        if let Some(circuit) = circuit {
            self.record_outcome(circuit, &outcome);
        }
        outcome
    }

    fn require_closed_circuit(
        &self,
        target: &OutboundTarget<'_>,
        key: Option<&CircuitKey>,
    ) -> Result<(), OutboundError> {
        let Some(key) = key.filter(|_| !target.purpose.bypasses_open_circuit()) else { return Ok(()) };
        let mut circuits = self.lock_circuits();
        let state = circuits.get_mut(key).map_or(CircuitState::Closed, |it| it.try_request(self.clock.now()));
        match state {
            CircuitState::Closed | CircuitState::HalfOpen => Ok(()),
            CircuitState::Open => Err(OutboundError::new("did not answer several times in a row")),
        }
    }

    fn record_outcome<T>(&self, key: CircuitKey, outcome: &Result<T, OutboundError>) {
        let mut circuits = self.lock_circuits();
        if outcome.as_ref().err().is_some_and(OutboundError::is_no_answer) {
            if circuits.len() >= CIRCUITS_TRACKED_MAX && !circuits.contains_key(&key) {
                circuits.clear();
            }
            circuits.entry(key).or_default().record_failure(self.clock.now());
        } else {
            circuits.remove(&key);
        }
    }

    /// Acquires a slot for the owner, waiting if necessary.
    async fn acquire_slot(&self, target: &OutboundTarget<'_>) -> Result<OutboundSlot<'_>, OutboundError> {
        let busy = || OutboundError::busy("has reached the limit of concurrent requests of its owner");
        let gate = self.purposes.get(&target.purpose).ok_or_else(busy)?;
        if let Some(outbound_slot) = gate.try_acquire(&target.owner) {
            return Ok(outbound_slot);
        }
        let _waiting = gate.enqueue(&target.owner).ok_or_else(busy)?;
        let waits = async {
            loop {
                // Registered before checking, so that a slot released in between is noticed.
                let mut freed = pin!(gate.slot_freed.notified());
                freed.as_mut().enable();
                if let Some(outbound_slot) = gate.try_acquire(&target.owner) {
                    return outbound_slot;
                }
                freed.await;
            }
        };
        tokio::time::timeout(OUTBOUND_QUEUE_WAIT_MAX.as_duration(), waits).await.map_err(|_| busy())
    }

    fn lock_circuits(&self) -> MutexGuard<'_, HashMap<CircuitKey, CircuitBreaker>> {
        self.circuits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PurposeLimiter {
    fn lock_state(&self) -> MutexGuard<'_, PurposeLimiterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn try_acquire(&self, owner: &OutboundOwner) -> Option<OutboundSlot<'_>> {
        let is_taken = self.lock_state().slots.try_acquire(owner);
        is_taken.then(|| OutboundSlot { limiter: self, owner: owner.clone() })
    }

    fn enqueue(&self, owner: &OutboundOwner) -> Option<QueuedRequest<'_>> {
        let mut state = self.lock_state();
        let queued_count = state.queued.entry(owner.clone()).or_default();
        if *queued_count >= OUTBOUND_QUEUED_MAX {
            return None;
        }
        *queued_count += 1;
        Some(QueuedRequest { limiter: self, owner: owner.clone() })
    }
}

impl Drop for OutboundSlot<'_> {
    fn drop(&mut self) {
        self.limiter.lock_state().slots.release(&self.owner);
        self.limiter.slot_freed.notify_waiters();
    }
}

impl Drop for QueuedRequest<'_> {
    fn drop(&mut self) {
        let mut state = self.limiter.lock_state();
        if let Some(queued_count) = state.queued.get_mut(&self.owner) {
            *queued_count -= 1;
            if *queued_count == 0 {
                state.queued.remove(&self.owner);
            }
        }
    }
}

impl CircuitKey {
    /// `None` if the URL has no host; such a request is rejected before it is sent.
    fn from_target(target: &OutboundTarget<'_>) -> Option<Self> {
        let url = Url::parse(target.url).ok()?;
        let host = format!("{}:{}", url.host_str()?, url.port_or_known_default().unwrap_or_default());
        Some(Self { purpose: target.purpose.circuit_purpose(), owner: target.owner.clone(), host })
    }
}
