//! Whether this node's clock can be relied on: compared with the database's, which all nodes share.

use crate::{Engine, Failure};
use sinete_core::limits::CLOCK_OFFSET_MAX;
use sinete_core::time::Timestamp;
use sinete_store::ClockOffset;
use std::sync::atomic::Ordering::Relaxed;

/// A comparison of the two clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockComparison {
    /// How far the database's clock is from this node's.
    pub offset: ClockOffset,
    /// Whether that is within the bound.
    pub is_within_bound: bool,
    /// Whether it was the other way round at the comparison before.
    pub has_changed: bool,
}

impl Engine {
    /// Whether this node's clock can be relied on, as it was [compared](compare) last.
    pub fn clock_is_right(&self) -> bool {
        self.shared.clock_is_right.load(Relaxed)
    }
}

/// Compares the database's clock with this node's. While they are too far apart, nothing is signed. SQLite has no clock
/// of its own, and a clock that a test sets is compared with nobody's.
pub async fn compare_clocks(engine: &Engine) -> Result<ClockComparison, Failure> {
    let before = engine.now();
    let offset = match engine.shared.clock.is_comparable() {
        true => {
            let read = engine.store().measure_clock_offset(before).await?;
            clock_offset(
                Timestamp::from_micros(before.micros().saturating_add(read.micros())),
                (before, engine.now()),
            )
        }
        false => ClockOffset::NONE,
    };
    let is_right = !offset.exceeds(CLOCK_OFFSET_MAX);
    let has_changed = engine.shared.clock_is_right.swap(is_right, Relaxed) != is_right;
    Ok(ClockComparison { offset, is_within_bound: is_right, has_changed })
}

/// How far the database's clock was from this node's, given that it was read between these two moments of this node's. A
/// database that takes its time to answer does not make a clock wrong.
fn clock_offset(database: Timestamp, (before, after): (Timestamp, Timestamp)) -> ClockOffset {
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
        let asked = (at(100), at(110));
        for (database, micros) in [(100, 0), (105, 0), (110, 0), (113, 3_000_000), (97, -3_000_000)] {
            assert_eq!(clock_offset(at(database), asked).micros(), micros, "{database}");
        }
    }
}
