//! The one way out: every request to an address that others named passes here before it is sent.
//!
//! It takes a place of its purpose on behalf of its owner, and is refused where the circuit to its host is open. What
//! becomes of it closes or opens that circuit. Which purposes and owners there are, and who may take the next place, is
//! decided in `sinete_core::outbound`.

use sinete_core::limits::{CIRCUITS_KEPT_MAX, OUTBOUND_WAIT_MAX, OUTBOUND_WAITING_MAX};
use sinete_core::outbound::circuit_breaker::{CircuitBreaker, CircuitState};
use sinete_core::outbound::places::PurposeSlots;
use sinete_core::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use sinete_core::time::Lifetime;
use sinete_engine::ports::{Clock, OutboundError};
use std::collections::{BTreeMap, HashMap};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use url::Url;

/// The places for requests to other servers, and the circuits to their hosts.
pub struct OutboundLimiter {
    clock: Arc<dyn Clock>,
    purposes: BTreeMap<OutboundPurpose, PurposeLimiter>,
    circuits: Mutex<HashMap<CircuitKey, CircuitBreaker>>,
}

/// The places of one purpose.
struct PurposeLimiter {
    state: Mutex<PurposeLimiterState>,
    freed: Notify,
}

struct PurposeLimiterState {
    places: PurposeSlots,
    waiting: HashMap<OutboundOwner, usize>,
}

/// A host as one owner uses it for one purpose.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CircuitKey {
    purpose: OutboundPurpose,
    owner: OutboundOwner,
    host: String,
}

/// A place that is taken until this is dropped, also where whoever asked stops waiting.
struct OutboundSlot<'g> {
    gate: &'g PurposeLimiter,
    owner: OutboundOwner,
}

/// Somebody who waits for a place.
struct QueuedRequest<'g> {
    gate: &'g PurposeLimiter,
    owner: OutboundOwner,
}

impl OutboundLimiter {
    /// A gate through which nothing has passed yet.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        let gate = |purpose: OutboundPurpose| {
            let places = PurposeSlots::new(purpose.places());
            let state = Mutex::new(PurposeLimiterState { places, waiting: HashMap::new() });
            (purpose, PurposeLimiter { state, freed: Notify::new() })
        };
        let purposes = OutboundPurpose::ALL.into_iter().map(gate).collect();
        Self { clock, purposes, circuits: Mutex::new(HashMap::new()) }
    }

    /// Sends a request once it has a place, unless its host was silent too often or it takes too long.
    pub async fn pass<T>(
        &self,
        target: &OutboundTarget<'_>,
        longest: Lifetime,
        sent: impl Future<Output = Result<T, OutboundError>>,
    ) -> Result<T, OutboundError> {
        let outcome = self.try_pass(target, longest, sent).await;
        if let Err(not_reached) = &outcome {
            let (purpose, reason) = (target.purpose.as_str(), not_reached.reason());
            tracing::debug!(purpose, reason, "an address was not reached");
        }
        outcome
    }

    async fn try_pass<T>(
        &self,
        target: &OutboundTarget<'_>,
        longest: Lifetime,
        sent: impl Future<Output = Result<T, OutboundError>>,
    ) -> Result<T, OutboundError> {
        let circuit = CircuitKey::of(target);
        self.must_be_closed(target, circuit.as_ref())?;
        let _place = self.place(target).await?;
        let ended = tokio::time::timeout(longest.as_duration(), sent).await;
        let outcome = ended.unwrap_or_else(|_| Err(OutboundError::no_answer("it took too long")));
        if let Some(circuit) = circuit {
            self.remember(circuit, &outcome);
        }
        outcome
    }

    fn must_be_closed(
        &self,
        target: &OutboundTarget<'_>,
        key: Option<&CircuitKey>,
    ) -> Result<(), OutboundError> {
        let Some(key) = key.filter(|_| !target.purpose.tries_open_circuits()) else { return Ok(()) };
        let mut circuits = self.circuits();
        let state = circuits.get_mut(key).map_or(CircuitState::Closed, |it| it.admit(self.clock.now()));
        match state {
            CircuitState::Closed | CircuitState::HalfOpen => Ok(()),
            CircuitState::Open => Err(OutboundError::new("did not answer several times in a row")),
        }
    }

    fn remember<T>(&self, key: CircuitKey, outcome: &Result<T, OutboundError>) {
        let mut circuits = self.circuits();
        if outcome.as_ref().err().is_some_and(OutboundError::is_silence) {
            if circuits.len() >= CIRCUITS_KEPT_MAX && !circuits.contains_key(&key) {
                circuits.clear();
            }
            circuits.entry(key).or_default().failed(self.clock.now());
        } else {
            circuits.remove(&key);
        }
    }

    /// A place, once one is free for this owner.
    async fn place(&self, target: &OutboundTarget<'_>) -> Result<OutboundSlot<'_>, OutboundError> {
        let busy = || OutboundError::busy("has as many requests of its owner under way as there may be");
        let gate = self.purposes.get(&target.purpose).ok_or_else(busy)?;
        if let Some(place) = gate.take(&target.owner) {
            return Ok(place);
        }
        let _waiting = gate.queue(&target.owner).ok_or_else(busy)?;
        let waits = async {
            loop {
                // Whoever gives a place back between the look and the wait is not missed.
                let mut freed = pin!(gate.freed.notified());
                freed.as_mut().enable();
                if let Some(place) = gate.take(&target.owner) {
                    return place;
                }
                freed.await;
            }
        };
        tokio::time::timeout(OUTBOUND_WAIT_MAX.as_duration(), waits).await.map_err(|_| busy())
    }

    fn circuits(&self) -> MutexGuard<'_, HashMap<CircuitKey, CircuitBreaker>> {
        self.circuits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PurposeLimiter {
    fn state(&self) -> MutexGuard<'_, PurposeLimiterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, owner: &OutboundOwner) -> Option<OutboundSlot<'_>> {
        let is_taken = self.state().places.take(owner);
        is_taken.then(|| OutboundSlot { gate: self, owner: owner.clone() })
    }

    fn queue(&self, owner: &OutboundOwner) -> Option<QueuedRequest<'_>> {
        let mut state = self.state();
        let waiting = state.waiting.entry(owner.clone()).or_default();
        if *waiting >= OUTBOUND_WAITING_MAX {
            return None;
        }
        *waiting += 1;
        Some(QueuedRequest { gate: self, owner: owner.clone() })
    }
}

impl Drop for OutboundSlot<'_> {
    fn drop(&mut self) {
        self.gate.state().places.give_back(&self.owner);
        self.gate.freed.notify_waiters();
    }
}

impl Drop for QueuedRequest<'_> {
    fn drop(&mut self) {
        let mut state = self.gate.state();
        if let Some(waiting) = state.waiting.get_mut(&self.owner) {
            *waiting -= 1;
            if *waiting == 0 {
                state.waiting.remove(&self.owner);
            }
        }
    }
}

impl CircuitKey {
    /// None where the address names no host: it is refused before anything is sent.
    fn of(target: &OutboundTarget<'_>) -> Option<Self> {
        let url = Url::parse(target.url).ok()?;
        let host = format!("{}:{}", url.host_str()?, url.port_or_known_default().unwrap_or_default());
        Some(Self { purpose: target.purpose.circuit(), owner: target.owner.clone(), host })
    }
}
