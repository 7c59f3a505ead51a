//! Timestamps and durations. Arithmetic only: this crate never reads a clock.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A point in time, in microseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

/// A duration in microseconds, never negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Lifetime(i64);

impl Timestamp {
    /// The epoch, for "before everything".
    pub const EPOCH: Self = Self(0);

    /// Creates a timestamp from microseconds since the epoch, as stored.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Creates a timestamp from seconds since the epoch, as in tokens.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(1_000_000))
    }

    /// Creates a timestamp from milliseconds since the epoch, as in ids.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis.saturating_mul(1_000))
    }

    /// Microseconds since the epoch.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Whole milliseconds since the epoch, rounded down.
    pub const fn millis(self) -> i64 {
        self.0.div_euclid(1_000)
    }

    /// Whole seconds since the epoch, rounded down.
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// Adds a duration, saturating.
    pub const fn plus(self, span: Lifetime) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// Subtracts a duration, saturating.
    pub const fn minus(self, span: Lifetime) -> Self {
        Self(self.0.saturating_sub(span.0))
    }

    /// The duration since `earlier`; zero if `earlier` is later.
    pub const fn since(self, earlier: Self) -> Lifetime {
        let span = self.0.saturating_sub(earlier.0);
        if span < 0 { Lifetime(0) } else { Lifetime(span) }
    }
}

impl Lifetime {
    /// The zero duration.
    pub const ZERO: Self = Self(0);

    /// A duration of microseconds.
    pub const fn from_micros(micros: u32) -> Self {
        Self(micros as i64)
    }

    /// A duration of milliseconds.
    pub const fn from_millis(millis: u32) -> Self {
        Self(millis as i64 * 1_000)
    }

    /// A duration of seconds.
    pub const fn from_seconds(seconds: u32) -> Self {
        Self(seconds as i64 * 1_000_000)
    }

    /// A duration of minutes.
    pub const fn from_minutes(minutes: u32) -> Self {
        Self(minutes as i64 * 60_000_000)
    }

    /// A duration of hours.
    pub const fn from_hours(hours: u32) -> Self {
        Self(hours as i64 * 3_600_000_000)
    }

    /// A duration of days of exactly 24 hours.
    pub const fn from_days(days: u32) -> Self {
        Self(days as i64 * 86_400_000_000)
    }

    /// The duration in microseconds.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// The duration in whole seconds, rounded down.
    pub const fn seconds(self) -> i64 {
        self.0 / 1_000_000
    }

    /// The duration in whole seconds, rounded up, as for `Retry-After`.
    pub const fn seconds_to_wait(self) -> i64 {
        self.0.saturating_add(999_999) / 1_000_000
    }

    /// The sum of both durations.
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Converts to the standard library's type, for timers.
    pub const fn as_duration(self) -> std::time::Duration {
        std::time::Duration::from_micros(self.0.unsigned_abs())
    }
}

impl fmt::Display for Timestamp {
    /// RFC 3339 in UTC with microseconds, for logs and exports.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, rest) = (self.0.div_euclid(86_400_000_000), self.0.rem_euclid(86_400_000_000));
        let (year, month, day) = civil_from_days(days);
        let (hour, minute) = (rest / 3_600_000_000, rest / 60_000_000 % 60);
        let (second, micro) = (rest / 1_000_000 % 60, rest % 1_000_000);
        write!(out, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micro:06}Z")
    }
}

/// The text is not a timestamp in our format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a time such as 2026-11-15T02:52:03.000042Z")]
pub struct InvalidTimestamp;

impl FromStr for Timestamp {
    type Err = InvalidTimestamp;

    /// Accepts only our own format with a four-digit year, so that each time has one text.
    fn from_str(text: &str) -> Result<Self, InvalidTimestamp> {
        let number = |from: usize, to: usize| -> Result<i64, InvalidTimestamp> {
            let digits = text.get(from..to).filter(|part| part.bytes().all(|digit| digit.is_ascii_digit()));
            digits.and_then(|digits| digits.parse().ok()).ok_or(InvalidTimestamp)
        };
        let days = days_from_civil(number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let seconds = (number(11, 13)? * 60 + number(14, 16)?) * 60 + number(17, 19)?;
        let moment = Self(days * 86_400_000_000 + seconds * 1_000_000 + number(20, 26)?);
        // A month of 13 or a wrong separator prints differently from the input.
        if moment.to_string() == text { Ok(moment) } else { Err(InvalidTimestamp) }
    }
}

/// A date of the proleptic Gregorian calendar as days since 1970-01-01.
pub(crate) const fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Days since 1970-01-01 as a date of the proleptic Gregorian calendar.
pub(crate) const fn civil_from_days(days: i64) -> (i64, i64, i64) {
    // Years are counted from 1 March 0000, so that a leap day is the last day of its year.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamp_prints_as_rfc_3339() {
        assert_eq!(Timestamp::EPOCH.to_string(), "1970-01-01T00:00:00.000000Z");
        assert_eq!(Timestamp::from_seconds(951_782_400).to_string(), "2000-02-29T00:00:00.000000Z");
        assert_eq!(Timestamp::from_micros(1_794_711_123_000_042).to_string(), "2026-11-15T02:52:03.000042Z");
        assert_eq!(Timestamp::from_seconds(-1).to_string(), "1969-12-31T23:59:59.000000Z");
    }

    #[test]
    fn retry_after_seconds_are_rounded_up() {
        for (micros, seconds) in [(0, 0), (1, 1), (999_999, 1), (1_000_000, 1), (1_000_001, 2)] {
            assert_eq!(Lifetime::from_micros(micros).seconds_to_wait(), seconds, "{micros}");
        }
        assert!(Timestamp::from_micros(i64::MAX).since(Timestamp::EPOCH).seconds_to_wait() > 0);
    }

    #[test]
    fn timestamp_parses_only_the_format_it_prints() {
        for text in
            ["1970-01-01T00:00:00.000000Z", "2000-02-29T23:59:59.999999Z", "1969-12-31T23:59:59.000001Z"]
        {
            assert_eq!(text.parse::<Timestamp>().map(|moment| moment.to_string()), Ok(text.to_owned()));
        }
        for text in [
            "",
            "2026-11-15",
            "2026-11-15T02:52:03Z",
            "2026-11-15t02:52:03.000042Z",
            "2026-11-15T02:52:03.000042+00:00",
            "2026-02-30T02:52:03.000042Z",
            "2026-13-01T02:52:03.000042Z",
            "2026-11-15T24:00:00.000000Z",
            "2026-11-15T02:52:03.000042é",
        ] {
            assert_eq!(text.parse::<Timestamp>(), Err(InvalidTimestamp), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn timestamp_round_trips(micros in -62_135_596_800_000_000_i64..253_402_300_800_000_000) {
            let moment = Timestamp::from_micros(micros);
            proptest::prop_assert_eq!(moment.to_string().parse(), Ok(moment));
        }
    }

    #[test]
    fn timestamp_arithmetic_saturates_and_durations_are_never_negative() {
        let end = Timestamp::from_micros(i64::MAX);
        assert_eq!(end.plus(Lifetime::from_days(1)), end);
        assert_eq!(Timestamp::EPOCH.since(end), Lifetime::ZERO);
        assert_eq!(Timestamp::from_seconds(90).since(Timestamp::from_seconds(30)), Lifetime::from_minutes(1));
    }
}
