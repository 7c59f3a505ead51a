//! Comparison of this node's clock with the database's, which all nodes share.

use crate::{Engine, Failure};
use sinete_core::limits::CLOCK_OFFSET_MAX;
use sinete_core::time::Timestamp;
use sinete_store::ClockOffset;
use std::sync::atomic::Ordering::Relaxed;

/// A comparison of the two clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockComparison {
    /// The difference.
    pub offset: ClockOffset,
    /// Whether it is within the limit.
    pub is_within_bound: bool,
    /// Whether this changed since the previous comparison.
    pub has_changed: bool,
}

impl Engine {
    /// Whether this node's clock was within the limit at the last [comparison](compare_clocks).
    pub fn clock_is_right(&self) -> bool {
        self.shared.clock_is_right.load(Relaxed)
    }
}

/// Compares the database's clock with this node's. While the difference is too large, nothing is signed.
/// SQLite has no clock of its own, and the clock of a test is not compared.
pub async fn compare_clocks(engine: &Engine) -> Result<ClockComparison, Failure> {
    let before = engine.now();
    let offset = match engine.shared.clock.is_comparable() {
        true => {
            let read = engine.store().measure_clock_offset(before).await?;
            clock_offset(
                Timestamp::from_micros(before.micros().saturating_add(read.micros())),
                before,
                engine.now(),
            )
        }
        false => ClockOffset::NONE,
    };
    let is_right = !offset.exceeds(CLOCK_OFFSET_MAX);
    let has_changed = engine.shared.clock_is_right.swap(is_right, Relaxed) != is_right;
    Ok(ClockComparison { offset, is_within_bound: is_right, has_changed })
}

/// The difference between the clocks, given that the database's was read between these two local times. A
/// slow response does not count as a difference.
fn clock_offset(database: Timestamp, before: Timestamp, after: Timestamp) -> ClockOffset {
    if database < before {
        ClockOffset::between(database, before)
    } else if database > after {
        ClockOffset::between(database, after)
    } else {
        ClockOffset::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_offset_is_measured_from_the_nearer_end_of_the_query() {
        let at = Timestamp::from_seconds;
        for (database, micros) in [(100, 0), (105, 0), (110, 0), (113, 3_000_000), (97, -3_000_000)] {
            assert_eq!(clock_offset(at(database), at(100), at(110)).micros(), micros, "{database}");
        }
    }
}
