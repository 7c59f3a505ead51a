//! Values that leave us in the clear and come back: stamped, so that nobody else can make or change one.
//!
//! A stamp is not a secret and hides nothing. It covers what the value is, what it is bound to and the value
//! itself; one made for another use, another binding or another value is not recognised. Stamps of a previous
//! instance key are still recognised while that key is configured.

use crate::platform::encryption::InstanceKeyRing;
use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::hmac;

/// How long a stamp is: enough that nobody guesses one.
pub const STAMP_BYTES: usize = 16;

/// What a stamped value is. The names are bound into the stamp: they must never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MacPurpose {
    /// Where a list goes on.
    Cursor,
    /// What a passkey is to sign.
    PasskeyChallenge,
    /// What only a page of ours could have read in a session.
    SessionRequest,
    /// Digits that a person types, of which only the stamp is kept.
    TypedCode,
    /// What goes to a provider with somebody, and what must come back.
    ProviderRequest,
    /// Whom a client means who asks for somebody's approval.
    AskedPerson,
    /// What a proof that somebody holds a key must repeat.
    KeyProofNonce,
}

impl MacPurpose {
    const fn name(self) -> &'static str {
        match self {
            Self::Cursor => "cursor",
            Self::PasskeyChallenge => "passkey challenge",
            Self::SessionRequest => "session request",
            Self::TypedCode => "typed code",
            Self::ProviderRequest => "provider request",
            Self::AskedPerson => "asked person",
            Self::KeyProofNonce => "key proof nonce",
        }
    }
}

impl InstanceKeyRing {
    /// The stamp of a value made of these parts, by the current key.
    pub fn compute_mac(&self, what: MacPurpose, parts: &[&[u8]]) -> [u8; STAMP_BYTES] {
        let tag = tag(self.current().mac_key(), what, parts);
        // The tag has 32 bytes.
        tag.as_ref().first_chunk().copied().unwrap_or_default()
    }

    /// Whether one of our keys made this stamp for exactly these parts.
    pub fn verify_mac(&self, what: MacPurpose, parts: &[&[u8]], stamp: &[u8; STAMP_BYTES]) -> bool {
        let made_by = |key: &hmac::Key| {
            let tag = tag(key, what, parts);
            let whole: &[u8] = tag.as_ref();
            whole.get(..STAMP_BYTES).is_some_and(|made| verify_slices_are_equal(made, stamp).is_ok())
        };
        made_by(self.current().mac_key()) || self.previous().iter().any(|key| made_by(key.mac_key()))
    }
}

/// Every part has its length before it, so that no two lists of parts are the same text.
fn tag(key: &hmac::Key, what: MacPurpose, parts: &[&[u8]]) -> hmac::Tag {
    let mut context = hmac::Context::with_key(key);
    for part in std::iter::once(what.name().as_bytes()).chain(parts.iter().copied()) {
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
    fn instance_mac_is_valid_only_for_what_it_was_made_for() {
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
        for place in 0..STAMP_BYTES {
            let mut other = stamp;
            other[place] ^= 1;
            assert!(!keys.verify_mac(MacPurpose::Cursor, &[b"members", b"org", b"7"], &other));
        }
    }

    #[test]
    fn instance_mac_of_a_previous_key_is_valid_and_of_a_foreign_one_is_not() {
        let stamp = InstanceKeyRing::new(key(1), Vec::new()).compute_mac(MacPurpose::Cursor, &[b"x"]);
        assert!(InstanceKeyRing::new(key(2), vec![key(1)]).verify_mac(MacPurpose::Cursor, &[b"x"], &stamp));
        assert!(!InstanceKeyRing::new(key(2), vec![key(3)]).verify_mac(MacPurpose::Cursor, &[b"x"], &stamp));
    }
}
