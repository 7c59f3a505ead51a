//! bcrypt as defined by OpenBSD. Only the first 72 bytes of a password count, because only they were hashed.

use super::{HashComputationFailed, InvalidForeignHash, encoding};
use aws_lc_rs::digest::{SHA256, digest};

/// Maximum cost: each step doubles the work.
const COST_MAX: u32 = 14;
const COST_MIN: u32 = 4;

pub(super) struct ForeignBcryptHash {
    text: Box<str>,
    /// Whether the password is hashed with SHA-256 first, as Django does, so that all its bytes count.
    is_digested: bool,
}

impl ForeignBcryptHash {
    /// Parses `$2b$12$` and 53 characters, optionally after Django's algorithm prefix.
    pub(super) fn parse(text: &str) -> Result<Self, InvalidForeignHash> {
        let (text, is_digested) = match text.strip_prefix("bcrypt_sha256$") {
            Some(text) => (text, true),
            None => (text.strip_prefix("bcrypt$").unwrap_or(text), false),
        };
        let [nothing, version, cost, rest] = encoding::split_parts(text, '$')?;
        let is_crypt = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'/';
        let well_formed = nothing.is_empty()
            && ["2a", "2b", "2y"].contains(&version)
            && cost.len() == 2
            && rest.len() == 53
            && rest.bytes().all(is_crypt);
        if !well_formed {
            return Err(InvalidForeignHash::Malformed);
        }
        let cost = encoding::parse_number(cost.trim_start_matches('0'))?;
        if cost < COST_MIN {
            return Err(InvalidForeignHash::Malformed);
        }
        if cost > COST_MAX {
            return Err(InvalidForeignHash::TooCostly("a bcrypt cost above 14"));
        }
        Ok(Self { text: text.into(), is_digested })
    }

    pub(super) fn verify(&self, password: &[u8]) -> Result<bool, HashComputationFailed> {
        let checked = if self.is_digested {
            let hexadecimal: String =
                digest(&SHA256, password).as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
            ::bcrypt::verify(hexadecimal, &self.text)
        } else {
            ::bcrypt::verify(password, &self.text)
        };
        checked.map_err(|_| HashComputationFailed)
    }
}
