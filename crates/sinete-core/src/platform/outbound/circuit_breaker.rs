//! A circuit breaker for one host: after several consecutive failures, requests to it fail immediately for a
//! while; then a single request tests whether it responds again.
//!
//! There is one for each owner and host. An owner that causes failures at a shared host, such as a page of
//! its own at a large provider, opens only its own circuit.

use crate::limits::{CIRCUIT_FAILURES_MAX, CIRCUIT_OPEN_MAX, CIRCUIT_OPEN_MIN};
use crate::time::{Lifetime, Timestamp};

/// The circuit to one host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CircuitBreaker {
    /// The number of failures since the last success.
    failures: u32,
    /// The time of the last failure.
    failed_at: Option<Timestamp>,
    /// When a test request was allowed.
    probed_at: Option<Timestamp>,
}

/// Whether a request may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CircuitState {
    /// Requests are sent.
    Closed,
    /// This request is sent as a test; others wait for its result.
    HalfOpen,
    /// Requests fail immediately.
    Open,
}

impl CircuitBreaker {
    /// Whether a request may be sent now. Records the time of a test request.
    pub fn try_request(&mut self, now: Timestamp) -> CircuitState {
        let Some(failed_at) = self.failed_at.filter(|_| self.failures >= CIRCUIT_FAILURES_MAX) else {
            return CircuitState::Closed;
        };
        // A test request that never reports its result delays the next one no longer than a failure does.
        let last = self.probed_at.map_or(failed_at, |probed_at| probed_at.max(failed_at));
        if now.since(last) < self.open_duration() {
            return CircuitState::Open;
        }
        self.probed_at = Some(now);
        CircuitState::HalfOpen
    }

    /// The host responded, with any status.
    pub fn record_success(&mut self) {
        *self = Self::default();
    }

    /// The host did not respond. Failures of requests that were in progress when the circuit opened are not
    /// counted again.
    pub fn record_failure(&mut self, now: Timestamp) {
        if self.failures >= CIRCUIT_FAILURES_MAX && self.probed_at.is_none() {
            return;
        }
        self.failures = self.failures.saturating_add(1);
        self.failed_at = Some(now);
        self.probed_at = None;
    }

    fn open_duration(&self) -> Lifetime {
        let doublings = self.failures.saturating_sub(CIRCUIT_FAILURES_MAX).min(i64::BITS);
        let seconds = (0..doublings).fold(CIRCUIT_OPEN_MIN.seconds(), |open, _| {
            open.saturating_mul(2).min(CIRCUIT_OPEN_MAX.seconds())
        });
        Lifetime::from_seconds(u32::try_from(seconds).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp::from_seconds(1_763_208_000);

    fn later(seconds: u32) -> Timestamp {
        NOON.plus(Lifetime::from_seconds(seconds))
    }

    fn failing(times: u32) -> CircuitBreaker {
        let failed_at = (times > 0).then_some(NOON);
        CircuitBreaker { failures: times, failed_at, probed_at: None }
    }

    #[test]
    fn circuit_breaker_opens_once_for_concurrent_failures() {
        let mut breaker = CircuitBreaker::default();
        for _ in 0..100 {
            breaker.record_failure(NOON);
        }
        assert_eq!(breaker.try_request(later(4)), CircuitState::Open);
        assert_eq!(breaker.try_request(later(5)), CircuitState::HalfOpen);
        breaker.record_failure(later(8));
        assert_eq!(
            breaker.try_request(later(17)),
            CircuitState::Open,
            "the pause is longer after a failed test request"
        );
        assert_eq!(breaker.try_request(later(18)), CircuitState::HalfOpen);
    }

    #[test]
    fn circuit_breaker_opens_after_consecutive_failures_only() {
        let mut breaker = failing(CIRCUIT_FAILURES_MAX - 1);
        assert_eq!(breaker.try_request(NOON), CircuitState::Closed);
        breaker.record_success();
        for _ in 1..CIRCUIT_FAILURES_MAX {
            breaker.record_failure(NOON);
        }
        assert_eq!(breaker.try_request(NOON), CircuitState::Closed, "a response resets the count");
        breaker.record_failure(NOON);
        assert_eq!(breaker.try_request(NOON), CircuitState::Open);
    }

    #[test]
    fn circuit_breaker_half_open_admits_one_request() {
        let mut breaker = failing(CIRCUIT_FAILURES_MAX);
        assert_eq!(breaker.try_request(later(4)), CircuitState::Open);
        assert_eq!(breaker.try_request(later(5)), CircuitState::HalfOpen);
        assert_eq!(breaker.try_request(later(5)), CircuitState::Open, "one is enough");
        assert_eq!(
            breaker.try_request(later(10)),
            CircuitState::HalfOpen,
            "a test request without a result is not counted"
        );
        breaker.record_success();
        assert_eq!(
            (breaker.try_request(later(10)), breaker),
            (CircuitState::Closed, CircuitBreaker::default())
        );
    }

    #[test]
    fn circuit_breaker_open_time_doubles_up_to_a_bound() {
        let open_for = |times| failing(times).open_duration().seconds();
        let rests: Vec<_> =
            (0..8).map(|extra_failures| open_for(CIRCUIT_FAILURES_MAX + extra_failures)).collect();
        assert_eq!(rests, [5, 10, 20, 40, 80, 160, 300, 300]);
        assert_eq!(open_for(u32::MAX), 300);
    }
}
