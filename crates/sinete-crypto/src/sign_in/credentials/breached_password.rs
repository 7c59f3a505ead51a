//! Password fingerprints for lists of breached passwords.

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use sinete_core::sign_in::credentials::breached_password::PasswordFingerprint;
use sinete_core::sign_in::credentials::password::Password;

/// Computes the fingerprint of a password. SHA-1 is the format of the lists and does not protect the
/// password.
pub fn fingerprint_password(password: &Password) -> PasswordFingerprint {
    let mut bytes = [0; PasswordFingerprint::BYTES];
    bytes.copy_from_slice(digest(&SHA1_FOR_LEGACY_USE_ONLY, password.as_bytes()).as_ref());
    PasswordFingerprint::from_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breached_password_fingerprint_matches_published_lists() {
        let password = Password::from_submitted("password").unwrap();
        let line = "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:10434004";
        assert_eq!(Some(fingerprint_password(&password)), PasswordFingerprint::parse_line(line));
    }
}
