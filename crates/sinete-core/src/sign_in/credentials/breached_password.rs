//! Breached passwords in the published list format: the SHA-1 in hexadecimal, a colon and the number of
//! occurrences, one per line.

use std::fmt;

/// The number of fingerprint digits sent in a range query.
const PREFIX_DIGITS: usize = 5;

/// The SHA-1 of a password. Common passwords are easily guessed from it, so it is never logged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PasswordFingerprint([u8; Self::BYTES]);

impl PasswordFingerprint {
    /// The length in bytes.
    pub const BYTES: usize = 20;

    /// Wraps a computed SHA-1.
    pub const fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    pub const fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }

    /// Parses the fingerprint of a list line, if the line is valid.
    pub fn parse_line(line: &str) -> Option<Self> {
        let line = line.trim_end_matches(['\r', '\n']);
        let (digits, count) = line.split_once(':').unwrap_or((line, "1"));
        let is_count = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
        if !is_count || digits.len() != 2 * Self::BYTES {
            return None;
        }
        let mut bytes = [0; Self::BYTES];
        for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks(2)) {
            let digit = |at: usize| char::from(*pair.get(at)?).to_digit(16);
            *byte = u8::try_from(digit(0)? * 16 + digit(1)?).ok()?;
        }
        Some(Self(bytes))
    }

    /// The first digits, which are all that a range query reveals. Many fingerprints share them.
    pub fn prefix(&self) -> String {
        self.digits().chars().take(PREFIX_DIGITS).collect()
    }

    /// Whether the fingerprint is in a range response, which lists the remaining digits one per line. A line
    /// with count zero is padding.
    pub fn matches_range_response(&self, answer: &str) -> bool {
        let rest: String = self.digits().chars().skip(PREFIX_DIGITS).collect();
        answer.lines().filter_map(|line| line.trim_end().split_once(':')).any(|(digits, count)| {
            digits.eq_ignore_ascii_case(&rest) && count.parse::<u64>().is_ok_and(|count| count > 0)
        })
    }

    fn digits(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02X}")).collect()
    }
}

impl fmt::Debug for PasswordFingerprint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Fingerprint(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LINE: &str = "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:10434004";

    #[test]
    fn breached_password_line_parses_and_other_text_does_not() {
        let password_fingerprint = PasswordFingerprint::parse_line(LINE).unwrap();
        for same in [LINE.to_lowercase(), format!("{LINE}\r\n"), LINE[..40].to_owned()] {
            assert_eq!(PasswordFingerprint::parse_line(&same), Some(password_fingerprint), "{same}");
        }
        let long = format!("0{LINE}");
        let spoiled = LINE.replace('5', "G");
        for other in
            ["", ":", "5BAA6", &LINE[..39], &LINE[..41], &long, &spoiled, "# a list", &format!("{LINE}x")]
        {
            assert_eq!(PasswordFingerprint::parse_line(other), None, "{other}");
        }
    }

    #[test]
    fn breached_password_range_response_is_searched_for_the_suffix() {
        let password_fingerprint = PasswordFingerprint::parse_line(LINE).unwrap();
        assert_eq!(password_fingerprint.prefix(), "5BAA6");
        let rest = &LINE[5..];
        assert!(
            password_fingerprint
                .matches_range_response(&format!("0018A45C4D1DEF81644B54AB7F969B88D65:1\r\n{rest}\r\n"))
        );
        assert!(password_fingerprint.matches_range_response(&rest.to_lowercase()));
        let padding = format!("{}:0", &LINE[5..40]);
        for without in ["", "0018A45C4D1DEF81644B54AB7F969B88D65:1", LINE, &padding, &rest[1..]] {
            assert!(!password_fingerprint.matches_range_response(without), "{without}");
        }
    }

    #[test]
    fn breached_password_fingerprint_is_not_printed() {
        assert_eq!(format!("{:?}", PasswordFingerprint::parse_line(LINE).unwrap()), "Fingerprint(…)");
    }

    proptest! {
        #[test]
        fn breached_password_fingerprints_sort_like_their_lines(one in any::<[u8; 20]>(), other in any::<[u8; 20]>()) {
            let (one, other) = (PasswordFingerprint::from_bytes(one), PasswordFingerprint::from_bytes(other));
            prop_assert_eq!(one.cmp(&other), one.digits().cmp(&other.digits()));
            prop_assert_eq!(PasswordFingerprint::parse_line(&one.digits()), Some(one));
        }

        #[test]
        fn breached_password_parsing_never_panics(text in ".{0,80}") {
            let known = PasswordFingerprint::parse_line(LINE).unwrap();
            let _ = (PasswordFingerprint::parse_line(&text), known.matches_range_response(&text));
        }
    }
}
