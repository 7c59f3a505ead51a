//! Percentiles and medians by nearest rank: every reported value was measured.

use std::time::Duration;

/// Sorted durations.
#[derive(Clone, Debug, Default)]
pub struct LatencyStatistics(Vec<Duration>);

impl LatencyStatistics {
    /// Sorts the measured durations.
    pub fn from_durations(mut measured: Vec<Duration>) -> Self {
        measured.sort_unstable();
        Self(measured)
    }

    /// The number of durations.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The smallest value that at least `percent` of all values do not exceed; `None` if there are none.
    pub fn percentile(&self, percent: u8) -> Option<Duration> {
        let rank = (self.0.len() * usize::from(percent.min(100))).div_ceil(100);
        self.0.get(rank.saturating_sub(1)).copied()
    }

    /// The largest value.
    pub fn max(&self) -> Option<Duration> {
        self.0.last().copied()
    }

    /// Combines both.
    #[must_use]
    pub fn merge(mut self, others: &Self) -> Self {
        self.0.extend_from_slice(&others.0);
        Self::from_durations(self.0)
    }
}

/// The median; for an even number of values the mean of the middle two. NaN values are ignored.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let upper = sorted.get(sorted.len() / 2).copied()?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    sorted.get(sorted.len() / 2 - 1).map(|lower| f64::midpoint(*lower, upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn milliseconds(values: impl IntoIterator<Item = u64>) -> LatencyStatistics {
        LatencyStatistics::from_durations(values.into_iter().map(Duration::from_millis).collect())
    }

    #[test]
    fn percentile_is_the_nearest_rank() {
        let hundred = milliseconds((1..=100).rev());
        assert_eq!(hundred.percentile(50), Some(Duration::from_millis(50)));
        assert_eq!(hundred.percentile(99), Some(Duration::from_millis(99)));
        assert_eq!(hundred.percentile(100), Some(Duration::from_millis(100)));
        assert_eq!(hundred.percentile(0), Some(Duration::from_millis(1)));
        assert_eq!(hundred.max(), Some(Duration::from_millis(100)));

        let five = milliseconds([15, 20, 35, 40, 50]);
        assert_eq!(five.percentile(30), Some(Duration::from_millis(20)));
        assert_eq!(five.percentile(40), Some(Duration::from_millis(20)));
        assert_eq!(five.percentile(41), Some(Duration::from_millis(35)));
    }

    #[test]
    fn percentile_of_no_measurements_is_none() {
        assert_eq!(milliseconds([]).percentile(50), None);
        assert_eq!(milliseconds([]).max(), None);
        assert_eq!(median([]), None);
    }

    #[test]
    fn joined_rounds_are_ranked_together() {
        let joined = milliseconds([9, 1]).merge(&milliseconds([5]));
        assert_eq!(joined.count(), 3);
        assert_eq!(joined.percentile(50), Some(Duration::from_millis(5)));
    }

    #[test]
    fn median_is_the_middle_and_skips_nan() {
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median([f64::NAN, 7.0]), Some(7.0));
    }
}
