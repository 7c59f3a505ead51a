//! The periods that usage is shown by. All of them are in UTC.

use crate::time::{Lifetime, Timestamp, civil_from_days, days_from_civil};

const DAY: i64 = Lifetime::from_days(1).micros();

/// A kind of period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UsagePeriod {
    /// A day.
    Day,
    /// A week, from Monday.
    Week,
    /// A calendar month.
    Month,
}

impl UsagePeriod {
    /// All kinds, shortest first.
    pub const ALL: [Self; 3] = [Self::Day, Self::Week, Self::Month];

    /// The name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
        }
    }

    /// Parses a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|period| period.name() == name)
    }

    /// How many periods are shown unless another number is requested.
    pub const fn default_count(self) -> u32 {
        match self {
            Self::Day => 30,
            Self::Week | Self::Month => 12,
        }
    }

    /// The start of the period that contains this time.
    pub const fn period_start(self, at: Timestamp) -> Timestamp {
        let days = at.micros().div_euclid(DAY);
        let first = match self {
            Self::Day => days,
            // 1970-01-01 was a Thursday.
            Self::Week => days - (days + 3).rem_euclid(7),
            Self::Month => {
                let (year, month, _) = civil_from_days(days);
                days_from_civil(year, month, 1)
            }
        };
        Timestamp::from_micros(first.saturating_mul(DAY))
    }

    /// The starts of the last periods including the current one, oldest first.
    pub fn last_starts(self, now: Timestamp, count: u32) -> Vec<Timestamp> {
        let mut starts = vec![self.period_start(now)];
        for _ in 1..count {
            let first = starts.last().copied().unwrap_or(now);
            starts.push(self.period_start(first.minus(Lifetime::from_micros(1))));
        }
        starts.reverse();
        starts
    }
}

/// The date of a time, as `2026-11-18`.
pub fn format_date(at: Timestamp) -> String {
    let (year, month, day) = civil_from_days(at.micros().div_euclid(DAY));
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dates(period: UsagePeriod, now: &str, count: u32) -> Vec<String> {
        let now: Timestamp = now.parse().unwrap();
        period.last_starts(now, count).into_iter().map(format_date).collect()
    }

    #[test]
    fn usage_periods_start_at_midnight_on_monday_and_on_the_first() {
        let now = "2026-03-01T23:59:59.999999Z";
        assert_eq!(dates(UsagePeriod::Day, now, 3), ["2026-02-27", "2026-02-28", "2026-03-01"]);
        assert_eq!(dates(UsagePeriod::Week, now, 2), ["2026-02-16", "2026-02-23"]);
        assert_eq!(
            dates(UsagePeriod::Month, now, 4),
            ["2025-12-01", "2026-01-01", "2026-02-01", "2026-03-01"]
        );
        let monday = "2026-03-02T00:00:00.000000Z";
        assert_eq!(dates(UsagePeriod::Week, monday, 1), ["2026-03-02"]);
        assert_eq!(dates(UsagePeriod::Day, "2024-03-01T00:00:00.000000Z", 2), ["2024-02-29", "2024-03-01"]);
    }
}
