//! Secrets that are shown once, and the digests we keep of them.
//!
//! A secret is 256 random bits behind a prefix that names its kind, and ends in a checksum, so that a
//! truncated or mistyped one is refused before the database is asked. Only its SHA-256 is ever stored:
//! with 256 bits of entropy there is nothing a slow hash would add. Digits that a person types are not
//! secrets of this kind and must not be stored this way.

mod authorization_code;
mod encoding;
mod refresh_token;

use crate::entropy::{Entropy, draw_bytes};
use std::fmt;
use std::marker::PhantomData;
use subtle::ConstantTimeEq as _;

pub use authorization_code::{AuthorizationCodeDigest, AuthorizationCodeSecret};
pub use refresh_token::{RefreshTokenDigests, RefreshTokenFamily, RefreshTokenSecret};

/// A secret of kind `K`, in the clear. It can be shown exactly once and never printed, copied or stored.
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

/// What we keep of a secret of kind `K`: enough to recognise it, nothing to recover it from.
///
/// ```
/// # use sinete_core::secret::{ApiKey, Digest, SessionToken};
/// fn find_session(_: &Digest<SessionToken>) {}
/// # let bytes = [0; 32];
/// find_session(&Digest::<SessionToken>::from_bytes(bytes));
/// ```
/// An API key is not looked up as a session:
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

/// A kind of secret. The prefix is part of what was handed out: it must never change.
pub trait SecretKind {
    /// What every secret of this kind begins with.
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
        /// Every prefix in use, for the test that no two kinds share one and for secret scanners.
        pub const PREFIXES: &[&str] = &[$($prefix),*];
    };
}

secret_kinds! {
    /// A signed-in session.
    SessionToken = "sn_se_";
    /// One pass through the flow engine.
    FlowToken = "sn_fl_";
    /// What a browser or device is recognised by. It confers nothing.
    DeviceCookie = "sn_dv_";
    /// An authorization code, which is a [`AuthorizationCodeSecret`].
    AuthorizationCode = "sn_ac_";
    /// A refresh token, which is a [`RefreshTokenSecret`].
    RefreshToken = "sn_rt_";
    /// A handle of a pushed authorization request.
    PushedRequest = "sn_pr_";
    /// What a device polls with.
    DeviceCode = "sn_dc_";
    /// What a backchannel client polls with.
    BackchannelRequest = "sn_br_";
    /// The secret of a confidential client.
    ClientSecret = "sn_cs_";
    /// The right to manage one's own registration.
    RegistrationToken = "sn_ra_";
    /// A long-lived key of a membership or service.
    ApiKey = "sn_ak_";
    /// A sign-in link sent by mail.
    MagicLink = "sn_ml_";
    /// An invitation into an organization.
    InvitationToken = "sn_in_";
    /// A link by which the owner of an account answers a message about it.
    AccountLink = "sn_al_";
    /// What a SAML provider said, on its way to the browser that brought it.
    SamlAnswer = "sn_sa_";
    /// The one-time link that makes the first operator.
    BootstrapToken = "sn_bo_";
}

impl<K: SecretKind> Secret<K> {
    /// A new secret that nobody else can know.
    pub fn mint(entropy: &dyn Entropy) -> Self {
        Self { bytes: draw_bytes(entropy), kind: PhantomData }
    }

    /// A secret somebody presented. Only the exact text we once showed is accepted: right prefix, right
    /// length, one spelling, right checksum.
    pub fn parse(text: &str) -> Result<Self, InvalidSecret> {
        Ok(Self { bytes: encoding::decode_secret(K::PREFIX, text)?, kind: PhantomData })
    }

    /// What to store, and what to look the secret up by.
    pub fn digest(&self) -> Digest<K> {
        use sha2::Digest as _;
        // The prefix is hashed too: equal bits of two kinds have different digests.
        let hash = sha2::Sha256::new().chain_update(K::PREFIX).chain_update(self.bytes).finalize();
        Digest { bytes: hash.into(), kind: PhantomData }
    }

    /// The text to show, this once.
    pub fn reveal(self) -> String {
        encoding::encode_secret(K::PREFIX, &self.bytes)
    }
}

/// The text is not a secret of the expected kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a secret of the expected kind")]
pub struct InvalidSecret;

impl<K> Digest<K> {
    /// The SHA-256 of these parts, each with its length before it, so that no other parts have the same. Not
    /// for secrets: those know their own digest.
    pub fn from_parts(parts: &[&[u8]]) -> Self {
        use sha2::Digest as _;
        let hash = parts.iter().fold(sha2::Sha256::new(), |hash, part| {
            hash.chain_update((part.len() as u64).to_be_bytes()).chain_update(part)
        });
        Self { bytes: hash.finalize().into(), kind: PhantomData }
    }

    /// The digest the database gave back.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self { bytes, kind: PhantomData }
    }

    /// The bytes to store.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.bytes
    }
}

impl<K> PartialEq for Digest<K> {
    /// In constant time, whatever differs.
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
        // Swapping the prefix does not help: the checksum covers it.
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
