//! Secrets that are shown once, and their stored digests.
//!
//! A secret consists of a prefix that names its kind, 256 random bits and a checksum. The checksum rejects a
//! truncated or mistyped secret before the database is queried. Only the SHA-256 digest is stored: with 256
//! bits of entropy, a slow hash would add nothing. Codes that a user types are not secrets of this kind and
//! must not be stored this way.

mod authorization_code;
mod encoding;
mod refresh_token;

use crate::entropy::{Entropy, draw_bytes};
use std::fmt;
use std::marker::PhantomData;
use subtle::ConstantTimeEq as _;

pub use authorization_code::{AuthorizationCodeDigest, AuthorizationCodeSecret};
pub use refresh_token::{RefreshFamilyMark, RefreshTokenDigests, RefreshTokenSecret};

/// A secret of kind `K` in plain text. It can be shown exactly once, and cannot be printed, copied or stored.
///
/// ```
/// # use sinete_core::{entropy::DangerouslySeededEntropy, secret::{Secret, SessionToken}};
/// let secret = Secret::<SessionToken>::mint(&DangerouslySeededEntropy::new(1));
/// let digest = secret.digest();
/// println!("{}", secret.reveal());
/// ```
/// A secret cannot be printed by accident:
/// ```compile_fail,E0277
/// # use sinete_core::{entropy::DangerouslySeededEntropy, secret::{Secret, SessionToken}};
/// let secret = Secret::<SessionToken>::mint(&DangerouslySeededEntropy::new(1));
/// let digest = secret.digest();
/// println!("{}", secret);
/// ```
/// nor shown a second time:
/// ```compile_fail,E0382
/// # use sinete_core::{entropy::DangerouslySeededEntropy, secret::{Secret, SessionToken}};
/// let secret = Secret::<SessionToken>::mint(&DangerouslySeededEntropy::new(1));
/// println!("{}", secret.reveal());
/// println!("{}", secret.reveal());
/// ```
pub struct Secret<K> {
    bytes: [u8; 32],
    kind: PhantomData<fn() -> K>,
}

/// The stored digest of a secret of kind `K`: it recognizes the secret but cannot reveal it.
///
/// ```
/// # use sinete_core::secret::{ApiKey, Digest, SessionToken};
/// fn find_session(_: &Digest<SessionToken>) {}
/// # let bytes = [0; 32];
/// find_session(&Digest::<SessionToken>::from_bytes(bytes));
/// ```
/// The digest of an API key cannot be used to look up a session:
/// ```compile_fail,E0308
/// # use sinete_core::secret::{ApiKey, Digest, SessionToken};
/// fn find_session(_: &Digest<SessionToken>) {}
/// # let bytes = [0; 32];
/// find_session(&Digest::<ApiKey>::from_bytes(bytes));
/// ```
pub struct Digest<K> {
    bytes: [u8; 32],
    kind: PhantomData<fn() -> K>,
}

/// A kind of secret. The prefix is part of issued secrets and must never change.
pub trait SecretKind {
    /// The prefix of every secret of this kind.
    const PREFIX: &'static str;
}

macro_rules! secret_kinds {
    ($($(#[$doc:meta])* $kind:ident = $prefix:literal;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub enum $kind {}
            impl SecretKind for $kind {
                const PREFIX: &'static str = $prefix;
            }
        )*
        /// All prefixes, for secret scanners and for the test that no two kinds share one.
        pub const PREFIXES: &[&str] = &[$($prefix),*];
    };
}

secret_kinds! {
    /// A session token.
    SessionToken = "sn_se_";
    /// A flow token.
    FlowToken = "sn_fl_";
    /// A known-device cookie. It grants nothing.
    DeviceCookie = "sn_dv_";
    /// An authorization code, see [`AuthorizationCodeSecret`].
    AuthorizationCode = "sn_ac_";
    /// A refresh token, see [`RefreshTokenSecret`].
    RefreshToken = "sn_rt_";
    /// The `request_uri` handle of a pushed authorization request.
    PushedRequest = "sn_pr_";
    /// A device code.
    DeviceCode = "sn_dc_";
    /// An `auth_req_id` (CIBA).
    BackchannelRequest = "sn_br_";
    /// A client secret.
    ClientSecret = "sn_cs_";
    /// A registration access token.
    RegistrationToken = "sn_ra_";
    /// A long-lived API key of a membership or service.
    ApiKey = "sn_ak_";
    /// A magic link sent by e-mail.
    MagicLink = "sn_ml_";
    /// An invitation to an organization.
    InvitationToken = "sn_in_";
    /// A link in a message to an account holder that responds to it.
    AccountLink = "sn_al_";
    /// The reference to a verified SAML response that waits for the browser that delivered it.
    SamlAnswer = "sn_sa_";
    /// The one-time link that opens the set-up of an organization's single sign-on.
    SetupLinkToken = "sn_sl_";
    /// The session of the browser that opened a set-up link.
    SetupSessionToken = "sn_ss_";
    /// The one-time link that creates the first operator.
    BootstrapToken = "sn_bo_";
}

impl<K: SecretKind> Secret<K> {
    /// Generates a secret.
    pub fn mint(entropy: &dyn Entropy) -> Self {
        Self { bytes: draw_bytes(entropy), kind: PhantomData }
    }

    /// Parses a presented secret. Only the exact issued text is accepted: prefix, length, encoding and
    /// checksum must match.
    pub fn parse(text: &str) -> Result<Self, InvalidSecret> {
        Ok(Self { bytes: encoding::decode_secret(K::PREFIX, text)?, kind: PhantomData })
    }

    /// The digest to store and to look the secret up by.
    pub fn digest(&self) -> Digest<K> {
        use sha2::Digest as _;
        // The prefix is hashed too, so equal bytes of two kinds have different digests.
        let hash = sha2::Sha256::new().chain_update(K::PREFIX).chain_update(self.bytes).finalize();
        Digest { bytes: hash.into(), kind: PhantomData }
    }

    /// The text, to show once.
    pub fn reveal(self) -> String {
        encoding::encode_secret(K::PREFIX, &self.bytes)
    }
}

/// The text is not a secret of the expected kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a secret of the expected kind")]
pub struct InvalidSecret;

impl<K> Digest<K> {
    /// The SHA-256 of these parts, each preceded by its length, so that different parts never have the same
    /// digest. Not for secrets, which have [`Secret::digest`].
    pub fn from_parts(parts: &[&[u8]]) -> Self {
        use sha2::Digest as _;
        let hash = parts.iter().fold(sha2::Sha256::new(), |hash, part| {
            hash.chain_update((part.len() as u64).to_be_bytes()).chain_update(part)
        });
        Self { bytes: hash.finalize().into(), kind: PhantomData }
    }

    /// Creates a digest from stored bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self { bytes, kind: PhantomData }
    }

    /// The bytes to store.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.bytes
    }
}

impl<K> PartialEq for Digest<K> {
    /// Compares in constant time.
    fn eq(&self, other: &Self) -> bool {
        self.bytes.ct_eq(&other.bytes).into()
    }
}
impl<K> Eq for Digest<K> {}
impl<K> Clone for Digest<K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K> Copy for Digest<K> {}
impl<K> fmt::Debug for Digest<K> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Digest(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_of_parts_depends_on_where_they_are_split() {
        let digest = |parts: &[&[u8]]| *Digest::<ApiKey>::from_parts(parts).as_bytes();
        assert_eq!(digest(&[b"ab", b"c"]), digest(&[b"ab", b"c"]));
        assert_ne!(digest(&[b"ab", b"c"]), digest(&[b"a", b"bc"]));
        assert_ne!(digest(&[b"abc"]), digest(&[b"abc", b""]));
    }
    use crate::entropy::DangerouslySeededEntropy;
    use proptest::prelude::*;

    fn example() -> (String, Digest<SessionToken>) {
        let secret = Secret::<SessionToken>::mint(&DangerouslySeededEntropy::new(3));
        let digest = secret.digest();
        (secret.reveal(), digest)
    }

    #[test]
    fn secret_is_recognized_by_its_digest() {
        let (text, digest) = example();
        assert!(text.starts_with("sn_se_"));
        assert_eq!(text.len(), 54);
        assert_eq!(Secret::<SessionToken>::parse(&text).map(|secret| secret.digest()), Ok(digest));
    }

    #[test]
    fn secret_of_one_kind_does_not_parse_as_another() {
        let (text, _) = example();
        assert!(Secret::<ApiKey>::parse(&text).is_err());
        // Replacing the prefix is rejected: the checksum covers it.
        assert!(Secret::<ApiKey>::parse(&text.replace("sn_se_", "sn_ak_")).is_err());
        let mut prefixes = PREFIXES.to_vec();
        prefixes.sort_unstable();
        prefixes.dedup();
        assert_eq!(prefixes.len(), PREFIXES.len());
    }

    proptest! {
        #[test]
        fn secret_with_a_changed_character_is_refused(place in 0_usize..54, character in "[ -~]") {
            let (text, _) = example();
            let mut changed = text.clone();
            changed.replace_range(place..=place, &character);
            prop_assume!(changed != text);
            prop_assert!(Secret::<SessionToken>::parse(&changed).is_err());
        }

        #[test]
        fn secret_truncated_or_padded_is_refused(length in 0_usize..54, tail in "[ -~]{1,9}") {
            let (text, _) = example();
            prop_assert!(Secret::<SessionToken>::parse(&text[..length]).is_err());
            let padded = format!("{text}{tail}");
            prop_assert!(Secret::<SessionToken>::parse(&padded).is_err());
        }

        #[test]
        fn secret_parsing_never_panics(text in ".{0,80}") {
            prop_assert!(Secret::<SessionToken>::parse(&text).is_err());
        }
    }
}
