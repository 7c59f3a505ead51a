//! Counts of refusals by limit: as a metric of this node, and until the next heartbeat adds them to those of all nodes
//! (docs/contribute/decisions/0322-health-nodes-write-heartbeats-and-limit-counts.md). Only a refusal counts, so an
//! answered request costs nothing.

use metrics::Counter;
use sinete_core::refusal::limit_kind::LimitKind;
use std::sync::atomic::{AtomicU64, Ordering};

/// The counts of this node.
#[derive(Debug)]
pub struct LimitCounters(Vec<LimitCounter>);

struct LimitCounter {
    limit: LimitKind,
    metric: Counter,
    /// Those that no heartbeat has written yet.
    unwritten: AtomicU64,
}

impl std::fmt::Debug for LimitCounter {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} {}", self.limit.name(), self.unwritten.load(Ordering::Relaxed))
    }
}

impl LimitCounters {
    /// Counters for all limits. Metrics go to the recorder that is installed at this time.
    pub(crate) fn new(metric: impl Fn(LimitKind) -> Counter) -> Self {
        let counter = |limit: &LimitKind| LimitCounter {
            limit: *limit,
            metric: metric(*limit),
            unwritten: AtomicU64::new(0),
        };
        Self(LimitKind::ALL.iter().map(counter).collect())
    }

    /// Counts a refusal.
    pub(crate) fn count(&self, limit: LimitKind) {
        if let Some(counter) = self.0.iter().find(|it| it.limit == limit) {
            counter.metric.increment(1);
            counter.unwritten.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Takes the counts that no heartbeat has written yet.
    pub fn take_unwritten_counts(&self) -> Vec<(LimitKind, u64)> {
        self.collect(|counter| counter.unwritten.swap(0, Ordering::Relaxed))
    }

    /// Returns counts that could not be written.
    pub fn put_back(&self, counts: &[(LimitKind, u64)]) {
        for (limit, count) in counts {
            if let Some(counter) = self.0.iter().find(|it| it.limit == *limit) {
                counter.unwritten.fetch_add(*count, Ordering::Relaxed);
            }
        }
    }

    /// The counts that no heartbeat has written yet.
    pub fn unwritten(&self) -> Vec<(LimitKind, u64)> {
        self.collect(|counter| counter.unwritten.load(Ordering::Relaxed))
    }

    fn collect(&self, read: impl Fn(&LimitCounter) -> u64) -> Vec<(LimitKind, u64)> {
        self.0.iter().map(|counter| (counter.limit, read(counter))).filter(|(_, count)| *count > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_counters_retain_unwritten_counts() {
        let counters = LimitCounters::new(|_| Counter::noop());
        assert_eq!(counters.unwritten(), []);
        counters.count(LimitKind::FlowsByAddress);
        counters.count(LimitKind::FlowsByAddress);
        counters.count(LimitKind::Requests);
        let unwritten_counts = counters.take_unwritten_counts();
        assert_eq!(unwritten_counts, [(LimitKind::FlowsByAddress, 2), (LimitKind::Requests, 1)]);
        counters.count(LimitKind::FlowsByAddress);
        counters.put_back(&unwritten_counts);
        assert_eq!(counters.unwritten(), [(LimitKind::FlowsByAddress, 3), (LimitKind::Requests, 1)]);
    }
}
