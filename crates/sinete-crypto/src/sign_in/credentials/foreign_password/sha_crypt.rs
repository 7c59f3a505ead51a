//! SHA-256 and SHA-512 crypt of Unix, as in `/etc/shadow`.

use super::{HashComputationFailed, InvalidForeignHash, encoding};
use ::sha_crypt::{PasswordVerifier as _, ShaCrypt};

/// Maximum rounds; each hashes the password again.
const ROUNDS_MAX: u32 = 1_000_000;
/// Minimum rounds of the format.
const ROUNDS_MIN: u32 = 1_000;

pub(super) struct ForeignShaCryptHash {
    text: Box<str>,
}

impl ForeignShaCryptHash {
    /// Parses `$6$salt$tag`, optionally with `rounds=…$` before the salt.
    pub(super) fn parse(text: &str) -> Result<Self, InvalidForeignHash> {
        let mut parts = text.split('$').skip(1);
        let tag_characters = if parts.next() == Some("5") { 43 } else { 86 };
        let rest: Vec<&str> = parts.collect();
        let (salt, tag) = match rest[..] {
            [salt, tag] => (salt, tag),
            [rounds, salt, tag] => {
                let rounds = encoding::parse_named_number(rounds, "rounds=")?;
                if rounds > ROUNDS_MAX {
                    return Err(InvalidForeignHash::TooCostly("more than 1,000,000 rounds of sha-crypt"));
                }
                if rounds < ROUNDS_MIN {
                    return Err(InvalidForeignHash::Malformed);
                }
                (salt, tag)
            }
            _ => return Err(InvalidForeignHash::Malformed),
        };
        let is_crypt = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'/';
        let fits = (1..=16).contains(&salt.len())
            && salt.is_ascii()
            && tag.len() == tag_characters
            && tag.bytes().all(is_crypt);
        if fits { Ok(Self { text: text.into() }) } else { Err(InvalidForeignHash::Malformed) }
    }

    pub(super) fn verify(&self, password: &[u8]) -> Result<bool, HashComputationFailed> {
        use ::sha_crypt::password_hash::Error;
        match ShaCrypt::default().verify_password(password, &*self.text) {
            Ok(()) => Ok(true),
            Err(Error::PasswordInvalid) => Ok(false),
            Err(_) => Err(HashComputationFailed),
        }
    }
}
