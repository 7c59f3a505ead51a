//! Message authentication codes (MACs) for values that we send in plain text and receive back, so that only
//! we can create or change them.
//!
//! A MAC is not secret and hides nothing. It covers the purpose, the binding and the value; a MAC for another
//! purpose, binding or value is rejected. MACs of a previous instance key are accepted while that key is
//! configured.

use crate::platform::encryption::InstanceKeyRing;
use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::hmac;

/// The length of a MAC in bytes: too long to be guessed.
pub const MAC_BYTES: usize = 16;

/// The purpose of a MAC. The names are part of the MAC and must never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MacPurpose {
    /// A pagination cursor.
    Cursor,
    /// A passkey challenge.
    PasskeyChallenge,
    /// A CSRF token of a session.
    CsrfToken,
    /// A code that a user types; only its MAC is stored.
    UserEnteredCode,
    /// The state of an authentication request to an identity provider.
    ProviderState,
    /// The user whom a CIBA request names.
    CibaUser,
    /// A DPoP nonce.
    DpopNonce,
    /// The successor of a refresh token that is bound to a key.
    RefreshTokenSuccessor,
    /// The state of a test sign-in.
    TestState,
    /// The PKCE code verifier of a test sign-in.
    TestVerifier,
    /// A test sign-in at an identity provider.
    ConnectionTest,
    /// The id of the next connection to a provider.
    ConnectionReservation,
}

impl MacPurpose {
    const fn name(self) -> &'static str {
        match self {
            Self::Cursor => "cursor",
            Self::PasskeyChallenge => "passkey challenge",
            Self::CsrfToken => "session request",
            Self::UserEnteredCode => "typed code",
            Self::ProviderState => "provider request",
            Self::CibaUser => "asked person",
            Self::DpopNonce => "key proof nonce",
            Self::RefreshTokenSuccessor => "refresh token successor",
            Self::TestState => "test state",
            Self::TestVerifier => "test verifier",
            Self::ConnectionTest => "connection test",
            Self::ConnectionReservation => "connection reservation",
        }
    }
}

impl InstanceKeyRing {
    /// Computes the MAC of these parts with the current key.
    pub fn compute_mac(&self, purpose: MacPurpose, parts: &[&[u8]]) -> [u8; MAC_BYTES] {
        let tag = compute_tag(self.current().mac_key(), purpose, parts);
        // The tag has 32 bytes.
        tag.as_ref().first_chunk().copied().unwrap_or_default()
    }

    /// Derives secret bytes from these parts with each of our keys, the current one first. Unlike a MAC they
    /// are never sent next to the parts.
    pub fn derive_bytes(&self, purpose: MacPurpose, parts: &[&[u8]]) -> impl Iterator<Item = [u8; 32]> {
        let keys = std::iter::once(self.current()).chain(self.previous());
        keys.map(move |key| {
            compute_tag(key.mac_key(), purpose, parts).as_ref().first_chunk().copied().unwrap_or_default()
        })
    }

    /// Whether one of our keys computed this MAC for exactly these parts.
    pub fn verify_mac(&self, purpose: MacPurpose, parts: &[&[u8]], stamp: &[u8; MAC_BYTES]) -> bool {
        let made_by = |key: &hmac::Key| {
            let tag = compute_tag(key, purpose, parts);
            let full_tag: &[u8] = tag.as_ref();
            full_tag.get(..MAC_BYTES).is_some_and(|expected| verify_slices_are_equal(expected, stamp).is_ok())
        };
        made_by(self.current().mac_key()) || self.previous().iter().any(|key| made_by(key.mac_key()))
    }
}

/// Each part is preceded by its length, so that different lists of parts never have the same encoding.
fn compute_tag(key: &hmac::Key, purpose: MacPurpose, parts: &[&[u8]]) -> hmac::Tag {
    let mut context = hmac::Context::with_key(key);
    for part in std::iter::once(purpose.name().as_bytes()).chain(parts.iter().copied()) {
        context.update(&(part.len() as u64).to_be_bytes());
        context.update(part);
    }
    context.sign()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::encryption::InstanceKey;
    use sinete_core::entropy::DangerouslySeededEntropy;

    fn key(seed: u64) -> InstanceKey {
        InstanceKey::parse(&InstanceKey::mint(&DangerouslySeededEntropy::new(seed))).unwrap()
    }

    #[test]
    fn instance_mac_is_valid_only_for_its_purpose_and_content() {
        let keys = InstanceKeyRing::new(key(1), Vec::new());
        let stamp = keys.compute_mac(MacPurpose::Cursor, &[b"members", b"org", b"7"]);
        assert!(keys.verify_mac(MacPurpose::Cursor, &[b"members", b"org", b"7"], &stamp));
        for parts in [
            &[&b"members"[..], b"org", b"8"][..],
            &[b"roles", b"org", b"7"],
            &[b"members", b"org7", b""],
            &[b"members", b"org"],
            &[b"membersorg", b"7"],
            &[],
        ] {
            assert!(!keys.verify_mac(MacPurpose::Cursor, parts, &stamp), "{parts:?}");
        }
        for index in 0..MAC_BYTES {
            let mut other = stamp;
            other[index] ^= 1;
            assert!(!keys.verify_mac(MacPurpose::Cursor, &[b"members", b"org", b"7"], &other));
        }
    }

    #[test]
    fn instance_key_derives_bytes_with_the_current_key_first() {
        let (old, new) = (InstanceKeyRing::new(key(1), vec![]), InstanceKeyRing::new(key(2), vec![key(1)]));
        let derive = |keys: &InstanceKeyRing| -> Vec<_> {
            keys.derive_bytes(MacPurpose::RefreshTokenSuccessor, &[b"token"]).collect()
        };
        let (before, after) = (derive(&old), derive(&new));
        assert_eq!((before.len(), after.len()), (1, 2));
        assert_eq!(before[0], after[1]);
        assert_ne!(after[0], after[1]);
    }

    #[test]
    fn instance_mac_of_a_previous_key_is_valid_and_of_a_foreign_one_is_not() {
        let stamp = InstanceKeyRing::new(key(1), Vec::new()).compute_mac(MacPurpose::Cursor, &[b"x"]);
        assert!(InstanceKeyRing::new(key(2), vec![key(1)]).verify_mac(MacPurpose::Cursor, &[b"x"], &stamp));
        assert!(!InstanceKeyRing::new(key(2), vec![key(3)]).verify_mac(MacPurpose::Cursor, &[b"x"], &stamp));
    }
}
