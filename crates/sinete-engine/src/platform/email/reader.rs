//! The language and the time zone of the recipient.

use jiff::Timestamp as JiffTimestamp;
use jiff::tz::TimeZone;
use sinete_core::accounts::language::Language;
use sinete_core::time::Timestamp;

/// The recipient of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EmailReader {
    /// The language.
    pub language: Language,
    /// The time zone of the account's profile, such as `America/Recife`; UTC if it is unknown.
    pub time_zone: Option<String>,
}

impl From<Language> for EmailReader {
    fn from(language: Language) -> Self {
        Self { language, time_zone: None }
    }
}

impl EmailReader {
    /// The date and time in words, in the reader's time zone.
    pub(super) fn format_time(&self, at: Timestamp) -> String {
        let time_zone = self.time_zone.as_deref().and_then(|name| TimeZone::get(name).ok());
        let (zone, name) = match (time_zone, self.time_zone.as_deref()) {
            (Some(zone), Some(name)) => (zone, name.replace('_', " ")),
            _ => (TimeZone::UTC, "UTC".to_owned()),
        };
        let Ok(instant) = JiffTimestamp::from_second(at.seconds()) else { return at.to_string() };
        let local = instant.to_zoned(zone);
        let phrases = self.language.phrases();
        let months = &phrases.months;
        let month = months.name(local.month().unsigned_abs());
        let date = months.date(i64::from(local.day()), month, local.year());
        phrases.mail.moment(date, format_args!("{:02}:{:02}", local.hour(), local.minute()), name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn email_time_is_in_words_and_in_the_zone_of_the_reader() {
        let at = Timestamp::from_seconds(1_700_000_000);
        let format_time = |language: Language, zone: Option<&str>| {
            EmailReader { language, time_zone: zone.map(str::to_owned) }.format_time(at)
        };
        assert_eq!(format_time(Language::English, None), "14 November 2023 at 22:13 (UTC)");
        assert_eq!(
            format_time(Language::Portuguese, Some("America/Recife")),
            "14 de novembro de 2023 às 19:13 (America/Recife)"
        );
        assert_eq!(
            format_time(Language::Spanish, Some("Pacific/Auckland")),
            "15 de noviembre de 2023 a las 11:13 (Pacific/Auckland)"
        );
        assert_eq!(
            format_time(Language::English, Some("Mars/Olympus_Mons")),
            "14 November 2023 at 22:13 (UTC)"
        );
    }
}
