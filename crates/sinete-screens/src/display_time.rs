//! Localized dates and times. The server does not know the user's time zone, so times are in UTC and say so;
//! the script converts them to the local time zone.

use crate::language::UiLanguage;

/// A point in time, in seconds since 1970 in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DisplayTime(pub i64);

const DAY: i64 = 86_400;

impl DisplayTime {
    /// The localized date.
    pub fn day(self, language: UiLanguage) -> String {
        let (year, month, day) = self.calendar_date();
        let months = &language.phrases().months;
        months.date(day, months.name(month), year)
    }

    /// The localized date and time.
    pub fn time(self, language: UiLanguage) -> String {
        let of_day = self.0.rem_euclid(DAY);
        let (hour, minute) = (of_day / 3600, of_day % 3600 / 60);
        format!("{}, {hour:02}:{minute:02} UTC", self.day(language))
    }

    /// The time in RFC 3339 format.
    pub fn rfc3339(self) -> String {
        let (year, month, day) = self.calendar_date();
        let of_day = self.0.rem_euclid(DAY);
        let (hour, minute, second) = (of_day / 3600, of_day % 3600 / 60, of_day % 60);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }

    /// Year, month and day in the Gregorian calendar, counted from 1 March 0000 so that a leap day is the
    /// last day of its year.
    fn calendar_date(self) -> (i64, u8, u8) {
        let days = self.0.div_euclid(DAY) + 719_468;
        let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * of_year + 2) / 153;
        let day = of_year - (153 * from_march + 2) / 5 + 1;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        (year, u8::try_from(month).unwrap_or(1), u8::try_from(day).unwrap_or(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_localized() {
        for (seconds, english, portuguese, machine) in [
            (0, "1 January 1970, 00:00 UTC", "1º de janeiro de 1970, 00:00 UTC", "1970-01-01T00:00:00Z"),
            (
                951_782_400,
                "29 February 2000, 00:00 UTC",
                "29 de fevereiro de 2000, 00:00 UTC",
                "2000-02-29T00:00:00Z",
            ),
            (
                1_763_143_505,
                "14 November 2025, 18:05 UTC",
                "14 de novembro de 2025, 18:05 UTC",
                "2025-11-14T18:05:05Z",
            ),
            (-1, "31 December 1969, 23:59 UTC", "31 de dezembro de 1969, 23:59 UTC", "1969-12-31T23:59:59Z"),
            (
                4_102_444_799,
                "31 December 2099, 23:59 UTC",
                "31 de dezembro de 2099, 23:59 UTC",
                "2099-12-31T23:59:59Z",
            ),
        ] {
            assert_eq!(DisplayTime(seconds).time(UiLanguage::English), english);
            assert_eq!(DisplayTime(seconds).time(UiLanguage::Portuguese), portuguese);
            assert_eq!(DisplayTime(seconds).rfc3339(), machine);
        }
    }
}
