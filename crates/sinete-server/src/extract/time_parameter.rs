//! Time parameters in RFC 3339, in any of its spellings.

use sinete_core::time::{Lifetime, Timestamp};
use std::str::FromStr;

/// A time parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeParameter(pub Timestamp);

/// The text is not a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a time such as 2026-11-15T02:52:03Z or 2026-11-15T02:52:03.5-03:00")]
pub struct InvalidTimeParameter;

impl FromStr for TimeParameter {
    type Err = InvalidTimeParameter;

    fn from_str(text: &str) -> Result<Self, InvalidTimeParameter> {
        let (date_time, rest) = text.split_at_checked(19).ok_or(InvalidTimeParameter)?;
        let (fraction, zone) = match rest.strip_prefix('.') {
            Some(rest) => rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count()),
            None => ("0", rest),
        };
        if fraction.is_empty() || fraction.len() > FRACTION_DIGITS_MAX {
            return Err(InvalidTimeParameter);
        }
        // Digits beyond microseconds are ignored.
        let micros = &fraction[..fraction.len().min(6)];
        let ours = format!("{}.{micros:0<6}Z", date_time.to_ascii_uppercase());
        let local: Timestamp = ours.parse().map_err(|_| InvalidTimeParameter)?;
        match zone.as_bytes() {
            [b'Z' | b'z'] => Ok(Self(local)),
            [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
                let offset = Lifetime::from_minutes(
                    parse_two_digits(*h1, *h2, 23)? * 60 + parse_two_digits(*m1, *m2, 59)?,
                );
                Ok(Self(if *sign == b'+' { local.minus(offset) } else { local.plus(offset) }))
            }
            _ => Err(InvalidTimeParameter),
        }
    }
}

/// Maximum digits of a fraction.
const FRACTION_DIGITS_MAX: usize = 12;

/// Parses a two-digit number up to a maximum.
fn parse_two_digits(tens: u8, ones: u8, limit: u32) -> Result<u32, InvalidTimeParameter> {
    let digit = |byte: u8| char::from(byte).to_digit(10).ok_or(InvalidTimeParameter);
    let number = digit(tens)? * 10 + digit(ones)?;
    if number <= limit { Ok(number) } else { Err(InvalidTimeParameter) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn timestamp_parameter_accepts_every_rfc_3339_spelling() {
        let moment = TimeParameter(Timestamp::from_micros(1_794_711_123_500_000));
        for text in [
            "2026-11-15T02:52:03.5Z",
            "2026-11-15t02:52:03.500000z",
            "2026-11-15T02:52:03.500000999Z",
            "2026-11-14T23:52:03.5-03:00",
            "2026-11-15T08:22:03.5+05:30",
        ] {
            assert_eq!(text.parse(), Ok(moment), "{text}");
        }
        assert_eq!("1970-01-01T00:00:00Z".parse(), Ok(TimeParameter(Timestamp::EPOCH)));
    }

    #[test]
    fn timestamp_parameter_with_invalid_syntax_is_refused() {
        for text in [
            "",
            "2026-11-15",
            "2026-11-15T02:52:03",
            "2026-11-15 02:52:03Z",
            "2026-13-15T02:52:03Z",
            "2026-02-30T02:52:03Z",
            "2026-11-15T24:00:00Z",
            "2026-11-15T02:52:03.Z",
            "2026-11-15T02:52:03.1234567890123Z",
            "2026-11-15T02:52:03+24:00",
            "2026-11-15T02:52:03+0300",
            "2026-11-15T02:52:0éZ",
            "yesterday at half past",
        ] {
            assert_eq!(text.parse::<TimeParameter>(), Err(InvalidTimeParameter), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn timestamp_parameter_round_trips(micros in 0_i64..4_000_000_000_000_000) {
            let at = Timestamp::from_micros(micros);
            prop_assert_eq!(at.to_string().parse(), Ok(TimeParameter(at)));
        }

        #[test]
        fn timestamp_parameter_parsing_never_panics(text in "(?s).{0,40}") {
            let _ = text.parse::<TimeParameter>();
        }
    }
}
