//! Times as arguments of commands.

use sinete_core::time::Timestamp;

/// Parses an RFC 3339 time.
pub fn parse_timestamp(text: &str) -> Result<Timestamp, String> {
    let parsed: Result<jiff::Timestamp, _> = text.parse();
    parsed
        .map(|moment| Timestamp::from_micros(moment.as_microsecond()))
        .map_err(|_| "write a time as in 2026-11-15T00:00:00Z".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_timestamp_argument_parses_as_printed() {
        let printed = Timestamp::from_micros(1_794_711_123_000_042);
        assert_eq!(parse_timestamp(&printed.to_string()), Ok(printed));
        assert_eq!(parse_timestamp("2026-11-15T04:52:03+02:00"), Ok(Timestamp::from_seconds(1_794_711_123)));
        assert!(parse_timestamp("yesterday").is_err());
    }
}
