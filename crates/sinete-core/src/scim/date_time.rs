//! Date-times of directories (RFC 7643 §2.3.5): RFC 3339, in any time zone and precision.

use crate::time::{Lifetime, Timestamp};

/// Parses a date-time.
pub fn parse_date_time(text: &str) -> Option<Timestamp> {
    let (date_and_time, zone) = match text.strip_suffix(['Z', 'z']) {
        Some(local) => (local, None),
        None => {
            let at = text.len().checked_sub(6)?;
            (text.get(..at)?, Some(text.get(at..)?))
        }
    };
    let (seconds, fraction) = match date_and_time.split_once('.') {
        Some((seconds, fraction)) => (seconds, fraction),
        None => (date_and_time, "0"),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(fraction) || fraction.len() > 9 {
        return None;
    }
    // Timestamps are stored in microseconds, so further digits are ignored.
    let micros: String = fraction.chars().chain("000000".chars()).take(6).collect();
    let local: Timestamp = format!("{}.{micros}Z", seconds.to_ascii_uppercase()).parse().ok()?;
    let Some(zone) = zone else { return Some(local) };
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    if !digits(hours) || !digits(minutes) {
        return None;
    }
    let (hours, minutes): (u32, u32) = (hours.parse().ok()?, minutes.parse().ok()?);
    let offset = Lifetime::from_minutes(hours * 60 + minutes);
    match zone.get(..1)? {
        _ if hours > 23 || minutes > 59 => None,
        "+" => Some(local.minus(offset)),
        "-" => Some(local.plus(offset)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scim_date_time_is_read_in_any_zone_and_precision() {
        let noon = Timestamp::from_seconds(1_794_744_000);
        for text in [
            "2026-11-15T12:00:00Z",
            "2026-11-15t12:00:00.0z",
            "2026-11-15T12:00:00.000000999Z",
            "2026-11-15T09:00:00-03:00",
            "2026-11-15T14:30:00.0+02:30",
        ] {
            assert_eq!(parse_date_time(text), Some(noon), "{text}");
        }
    }

    #[test]
    fn scim_date_time_with_invalid_syntax_is_refused() {
        for text in [
            "",
            "Z",
            "2026-11-15",
            "2026-11-15T12:00:00",
            "2026-11-15T12:00:00.Z",
            "2026-11-15T12:00:00+24:00",
            "2026-11-15T12:00:00*02:00",
            "2026-13-15T12:00:00Z",
            "2026-11-15T12:00:00+é:00",
        ] {
            assert_eq!(parse_date_time(text), None, "{text}");
        }
    }
}
