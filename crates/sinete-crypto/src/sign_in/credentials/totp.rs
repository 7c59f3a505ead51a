//! TOTP (RFC 6238) with SHA-1, six digits and thirty seconds, the parameters that authenticator apps support.
//!
//! Verification returns the matching time step, so that the caller can accept each step once.

use crate::base32;
use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::hmac;
use sinete_core::entropy::Entropy;
use zeroize::Zeroizing;

/// The length of a secret in bytes: 160 bits, as RFC 4226 §4 recommends.
pub const SEED_BYTES: usize = 20;
/// The length of a time step in seconds.
pub const STEP_SECONDS: i64 = 30;
/// The number of digits.
pub const DIGITS: usize = 6;

/// The secret shared with an authenticator app.
pub struct TotpSecret(Zeroizing<[u8; SEED_BYTES]>);

/// How late a code may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TotpTolerance {
    /// The current and the previous time step, for users who type slowly (RFC 6238 §5.2).
    #[default]
    OneStep,
    /// Only the current time step.
    None,
}

impl TotpSecret {
    /// Generates a secret.
    pub fn mint(entropy: &dyn Entropy) -> Self {
        let mut bytes = Zeroizing::new([0; SEED_BYTES]);
        entropy.fill(bytes.as_mut_slice());
        Self(bytes)
    }

    /// Reads a stored secret.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(|bytes| Self(Zeroizing::new(bytes)))
    }

    /// The bytes, for encryption.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_slice()
    }

    /// The secret as text, for manual entry.
    pub fn to_text(&self) -> String {
        base32::encode_base32(base32::RFC_4648, self.as_bytes())
    }

    /// The `otpauth` URI for a QR code.
    pub fn to_uri(&self, issuer: &str, account: &str) -> String {
        let (issuer, account, secret) = (percent_encode(issuer), percent_encode(account), self.to_text());
        format!(
            "otpauth://totp/{issuer}:{account}?secret={secret}&issuer={issuer}&algorithm=SHA1&digits={DIGITS}\
             &period={STEP_SECONDS}"
        )
    }

    /// Finds the time step of these digits: the current one, or an earlier one within the tolerance. Codes of
    /// future steps are rejected.
    pub fn find_matching_step(&self, digits: &str, now_seconds: i64, lateness: TotpTolerance) -> Option<i64> {
        let present = now_seconds.div_euclid(STEP_SECONDS);
        let earliest = match lateness {
            TotpTolerance::OneStep => present - 1,
            TotpTolerance::None => present,
        };
        let mut matched = None;
        // All steps are tried, so that the time reveals nothing.
        for step in earliest..=present {
            if verify_slices_are_equal(self.compute_digits(step).as_bytes(), digits.as_bytes()).is_ok() {
                matched = Some(step);
            }
        }
        matched
    }

    /// The digits of a time step (RFC 4226 §5.3).
    fn compute_digits(&self, step: i64) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, self.as_bytes());
        let tag = hmac::sign(&key, &step.to_be_bytes());
        let tag = tag.as_ref();
        let from = tag.last().map_or(0, |last| usize::from(last & 0x0f));
        let four = tag.get(from..).and_then(<[u8]>::first_chunk).copied().unwrap_or_default();
        let number = u32::from_be_bytes(four) & 0x7fff_ffff;
        format!("{:06}", number % 1_000_000)
    }
}

impl std::fmt::Debug for TotpSecret {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Seed")
    }
}

/// Percent-encodes everything except letters, digits and `-._~`.
fn percent_encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sinete_core::entropy::DangerouslySeededEntropy;

    fn published() -> TotpSecret {
        TotpSecret::from_bytes(b"12345678901234567890").unwrap()
    }

    /// RFC 6238, appendix B: the last six of its eight digits.
    #[test]
    fn totp_matches_rfc_6238_vectors() {
        for (seconds, digits) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            let step = Some(seconds / 30);
            assert_eq!(
                published().find_matching_step(digits, seconds, TotpTolerance::None),
                step,
                "{seconds}"
            );
            assert_eq!(
                published().find_matching_step(digits, seconds, TotpTolerance::OneStep),
                step,
                "{seconds}"
            );
        }
    }

    #[test]
    fn totp_code_may_be_one_step_late_but_never_early() {
        let (seed, digits) = (published(), "287082");
        // The digits of step 1: seconds 30 to 59.
        for (seconds, late, strict) in [
            (0, None, None),
            (29, None, None),
            (30, Some(1), Some(1)),
            (59, Some(1), Some(1)),
            (60, Some(1), None),
            (89, Some(1), None),
            (90, None, None),
            (-1, None, None),
        ] {
            assert_eq!(seed.find_matching_step(digits, seconds, TotpTolerance::OneStep), late, "{seconds}");
            assert_eq!(seed.find_matching_step(digits, seconds, TotpTolerance::None), strict, "{seconds}");
        }
    }

    #[test]
    fn totp_code_with_other_characters_is_refused() {
        for text in ["", "287 082", " 287082", "0287082", "28708", "94287082", "２８７０８２", "287082\0"]
        {
            assert_eq!(published().find_matching_step(text, 59, TotpTolerance::OneStep), None, "{text:?}");
        }
    }

    #[test]
    fn totp_seed_is_rendered_as_text_and_otpauth_uri() {
        assert_eq!(published().to_text(), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assert_eq!(
            published().to_uri("Casa & Co", "ana+1@exämple.com"),
            "otpauth://totp/Casa%20%26%20Co:ana%2B1%40ex%C3%A4mple.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\
             &issuer=Casa%20%26%20Co&algorithm=SHA1&digits=6&period=30"
        );
        assert_eq!(format!("{:?}", published()), "Seed");
        let minted = TotpSecret::mint(&DangerouslySeededEntropy::new(1));
        assert_ne!(minted.as_bytes(), TotpSecret::mint(&DangerouslySeededEntropy::new(2)).as_bytes());
        assert!(TotpSecret::from_bytes(&[0; 19]).is_none() && TotpSecret::from_bytes(&[0; 21]).is_none());
    }

    proptest! {
        #[test]
        fn totp_code_matches_its_own_step(seed: [u8; SEED_BYTES], seconds in 0_i64..4_000_000_000) {
            let seed = TotpSecret::from_bytes(&seed).unwrap();
            let digits = seed.compute_digits(seconds / 30);
            prop_assert_eq!(digits.len(), DIGITS);
            prop_assert_eq!(seed.find_matching_step(&digits, seconds, TotpTolerance::None), Some(seconds / 30));
        }
    }
}
