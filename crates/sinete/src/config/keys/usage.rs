//! The keys of usage counts.

use crate::config::key::{ConfigKey, ConfigKeyEntry};
use sinete_core::limits::USAGE_RETENTION_MIN;
use sinete_core::time::Lifetime;

/// Longest retention in days, some centuries.
const RETENTION_DAYS_MAX: u32 = 100_000;

/// How long usage counts are kept.
pub static USAGE_RETENTION: ConfigKey<Lifetime> = ConfigKey::text(
    ConfigKeyEntry::new(
        "usage.retention",
        "How long the daily counts of sign-ins, active users, tokens, approvals and failures are kept. They contain no \
         personal data.",
        "days, such as `400d`, at least `31d`",
        "\"800d\"",
    )
    .with_default("400d"),
    parse_usage_retention,
);

fn parse_usage_retention(text: &str) -> Result<Lifetime, String> {
    let days = text.strip_suffix('d').and_then(|days| days.parse::<u32>().ok());
    let days = days.ok_or_else(|| format!("{text:?} is not a number of days such as 400d"))?;
    match Lifetime::from_days(days.min(RETENTION_DAYS_MAX)) {
        retention if retention < USAGE_RETENTION_MIN => {
            Err(format!("{text:?} is too short: a report by month needs 31d at least"))
        }
        retention => Ok(retention),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_retention_is_at_least_a_month() {
        assert_eq!(parse_usage_retention("31d"), Ok(Lifetime::from_days(31)));
        assert_eq!(parse_usage_retention("400d"), Ok(sinete_core::limits::USAGE_RETENTION));
        for wrong in ["30d", "0d", "-1d", "400", "9h", "d", ""] {
            assert!(parse_usage_retention(wrong).is_err(), "{wrong}");
        }
    }
}
