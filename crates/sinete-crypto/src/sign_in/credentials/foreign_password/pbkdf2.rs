//! PBKDF2 (RFC 8018), in the formats of PHC, passlib and Django.

use super::{HashComputationFailed, InvalidForeignHash, are_equal, encoding};
use aws_lc_rs::pbkdf2::{self, Algorithm, PBKDF2_HMAC_SHA1, PBKDF2_HMAC_SHA256, PBKDF2_HMAC_SHA512};
use std::num::NonZeroU32;
use zeroize::Zeroizing;

/// Maximum iterations.
const ITERATIONS_MAX: u32 = 2_000_000;

pub(super) struct ForeignPbkdf2Hash {
    algorithm: Algorithm,
    iterations: NonZeroU32,
    salt: Vec<u8>,
    tag: Vec<u8>,
}

impl ForeignPbkdf2Hash {
    pub(super) fn parse(text: &str) -> Result<Self, InvalidForeignHash> {
        let (name, iterations, salt, tag) = match text.strip_prefix('$') {
            Some(modular) => {
                let [name, costs, salt, tag] = encoding::split_parts(modular, '$')?;
                // PHC strings name their parameters and may include the length of the tag, which is
                // redundant.
                let iterations = costs.strip_prefix("i=").unwrap_or(costs);
                let iterations = iterations.split(",l=").next().unwrap_or_default();
                (name, iterations, encoding::decode_bytes(salt)?, tag)
            }
            None => {
                let [name, iterations, salt, tag] = encoding::split_parts(text, '$')?;
                (name, iterations, salt.as_bytes().to_vec(), tag)
            }
        };
        let (algorithm, digest_bytes) = match name {
            "pbkdf2" | "pbkdf2-sha1" | "pbkdf2_sha1" => (PBKDF2_HMAC_SHA1, 20),
            "pbkdf2-sha256" | "pbkdf2_sha256" => (PBKDF2_HMAC_SHA256, 32),
            "pbkdf2-sha512" | "pbkdf2_sha512" => (PBKDF2_HMAC_SHA512, 64),
            _ => return Err(InvalidForeignHash::UnknownFormat),
        };
        let mut tag = encoding::decode_bytes(tag)?;
        encoding::check_lengths(&salt, &tag)?;
        // Each further block costs as much again without adding security: an attacker needs only the first.
        tag.truncate(digest_bytes);
        let iterations = encoding::parse_number(iterations)?;
        if iterations > ITERATIONS_MAX {
            return Err(InvalidForeignHash::TooCostly("more than 2,000,000 iterations of PBKDF2"));
        }
        let iterations = NonZeroU32::new(iterations).ok_or(InvalidForeignHash::Malformed)?;
        Ok(Self { algorithm, iterations, salt, tag })
    }

    pub(super) fn verify(&self, password: &[u8]) -> Result<bool, HashComputationFailed> {
        let mut tag = Zeroizing::new(vec![0; self.tag.len()]);
        pbkdf2::derive(self.algorithm, self.iterations, &self.salt, password, &mut tag);
        Ok(are_equal(&tag, &self.tag))
    }
}
