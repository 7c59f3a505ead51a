//! The calendar date from which a setting applies, in UTC.

use crate::json_schema::impl_value_schema;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// A date such as `2026-12-01`. It begins at midnight UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EffectiveDate(Timestamp);

impl_value_schema!(EffectiveDate, {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"});

/// The text is not a calendar date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a date is written as 2026-12-01")]
pub struct InvalidEffectiveDate;

/// The characters of a date.
const DATE_CHARACTERS: usize = 10;

impl EffectiveDate {
    /// The moment at which the date begins.
    pub const fn starts_at(self) -> Timestamp {
        self.0
    }
}

impl TryFrom<String> for EffectiveDate {
    type Error = InvalidEffectiveDate;

    fn try_from(text: String) -> Result<Self, InvalidEffectiveDate> {
        let is_date = text.len() == DATE_CHARACTERS;
        let midnight = is_date.then(|| format!("{text}T00:00:00.000000Z").parse().ok()).flatten();
        midnight.map(Self).ok_or(InvalidEffectiveDate)
    }
}

impl From<EffectiveDate> for String {
    fn from(date: EffectiveDate) -> Self {
        date.0.to_string().chars().take(DATE_CHARACTERS).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effective_date_is_a_day_of_the_calendar() {
        let parse = |text: &str| EffectiveDate::try_from(text.to_owned());
        let leap_day = parse("2028-02-29").unwrap();
        assert_eq!(leap_day.starts_at(), Timestamp::from_seconds(1_835_395_200));
        assert_eq!(String::from(leap_day), "2028-02-29");
        for text in
            ["", "2027-02-29", "2026-13-01", "2026-1-01", "2026-12-01T00:00:00Z", "01/12/2026", "+026-12-01"]
        {
            assert_eq!(parse(text), Err(InvalidEffectiveDate), "{text}");
        }
    }
}
