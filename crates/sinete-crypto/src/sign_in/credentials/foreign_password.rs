//! Imported password hashes of other systems: parsed within limits and verified, but never created.
//!
//! They come with imported accounts. Each hash names its own cost, which is checked against a limit when it
//! is parsed, so that an export cannot make a sign-in take minutes or gigabytes. The first successful sign-in
//! replaces the hash by one of [ours](crate::sign_in::credentials::password).

mod argon2;
mod bcrypt;
mod encoding;
mod firebase;
mod pbkdf2;
mod scrypt;
mod sha_crypt;

pub use firebase::FirebaseHashParameters as FirebaseProject;

use aws_lc_rs::constant_time::verify_slices_are_equal;

/// The maximum length of a hash in bytes.
pub const TEXT_BYTES_MAX: usize = 1_024;

/// An imported password hash within our limits. It is never printed.
pub struct ForeignPasswordHash {
    method: ParsedForeignHash,
}

/// The algorithm of an imported hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignHashAlgorithm {
    /// bcrypt, under any of its three prefixes.
    Bcrypt,
    /// scrypt.
    Scrypt,
    /// PBKDF2 with SHA-1, SHA-256 or SHA-512.
    Pbkdf2,
    /// Argon2i, Argon2d or Argon2id.
    Argon2,
    /// SHA-256 and SHA-512 crypt of Unix.
    ShaCrypt,
    /// Firebase's variant of scrypt.
    FirebaseScrypt,
}

impl ForeignHashAlgorithm {
    /// The name in events and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bcrypt => "bcrypt",
            Self::Scrypt => "scrypt",
            Self::Pbkdf2 => "pbkdf2",
            Self::Argon2 => "argon2",
            Self::ShaCrypt => "sha-crypt",
            Self::FirebaseScrypt => "firebase-scrypt",
        }
    }
}

/// Why a hash is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidForeignHash {
    /// The format is unknown.
    #[error("unsupported password hash: use bcrypt, scrypt, PBKDF2, Argon2, sha-crypt or Firebase scrypt")]
    UnknownFormat,
    /// The format is known but the hash is malformed.
    #[error("the password hash is not well formed")]
    Malformed,
    /// Verification would exceed a cost limit.
    #[error("the password hash is too expensive to verify: {0}")]
    TooCostly(&'static str),
}

/// The library failed, most likely for lack of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the password could not be hashed")]
pub struct HashComputationFailed;

enum ParsedForeignHash {
    Bcrypt(bcrypt::ForeignBcryptHash),
    Scrypt(scrypt::ForeignScryptHash),
    Pbkdf2(pbkdf2::ForeignPbkdf2Hash),
    Argon(argon2::ForeignArgon2Hash),
    ShaCrypt(sha_crypt::ForeignShaCryptHash),
    Firebase(firebase::FirebaseScryptHash),
}

impl ForeignPasswordHash {
    /// Parses a hash in the format of its system.
    pub fn parse(text: &str) -> Result<Self, InvalidForeignHash> {
        if text.len() > TEXT_BYTES_MAX {
            return Err(InvalidForeignHash::Malformed);
        }
        let starts = |beginnings: &[&str]| beginnings.iter().any(|it| text.starts_with(it));
        let method = if starts(&["$2a$", "$2b$", "$2y$", "bcrypt$$2", "bcrypt_sha256$$2"]) {
            bcrypt::ForeignBcryptHash::parse(text).map(ParsedForeignHash::Bcrypt)
        } else if starts(&["$scrypt$", "scrypt$"]) {
            scrypt::ForeignScryptHash::parse(text).map(ParsedForeignHash::Scrypt)
        } else if starts(&["$pbkdf2$", "$pbkdf2-", "pbkdf2_"]) {
            pbkdf2::ForeignPbkdf2Hash::parse(text).map(ParsedForeignHash::Pbkdf2)
        } else if starts(&["$argon2", "argon2$argon2"]) {
            argon2::ForeignArgon2Hash::parse(text).map(ParsedForeignHash::Argon)
        } else if starts(&["$5$", "$6$"]) {
            sha_crypt::ForeignShaCryptHash::parse(text).map(ParsedForeignHash::ShaCrypt)
        } else if starts(&["$firebase-scrypt$"]) {
            firebase::FirebaseScryptHash::parse(text).map(ParsedForeignHash::Firebase)
        } else {
            Err(InvalidForeignHash::UnknownFormat)
        };
        method.map(|method| Self { method })
    }

    /// The algorithm.
    pub const fn algorithm(&self) -> ForeignHashAlgorithm {
        match self.method {
            ParsedForeignHash::Bcrypt(_) => ForeignHashAlgorithm::Bcrypt,
            ParsedForeignHash::Scrypt(_) => ForeignHashAlgorithm::Scrypt,
            ParsedForeignHash::Pbkdf2(_) => ForeignHashAlgorithm::Pbkdf2,
            ParsedForeignHash::Argon(_) => ForeignHashAlgorithm::Argon2,
            ParsedForeignHash::ShaCrypt(_) => ForeignHashAlgorithm::ShaCrypt,
            ParsedForeignHash::Firebase(_) => ForeignHashAlgorithm::FirebaseScrypt,
        }
    }

    /// Whether it is the hash of this password.
    pub fn verify_password(&self, password: &[u8]) -> Result<bool, HashComputationFailed> {
        match &self.method {
            ParsedForeignHash::Bcrypt(stored) => stored.verify(password),
            ParsedForeignHash::Scrypt(stored) => stored.verify(password),
            ParsedForeignHash::Pbkdf2(stored) => stored.verify(password),
            ParsedForeignHash::Argon(stored) => stored.verify(password),
            ParsedForeignHash::ShaCrypt(stored) => stored.verify(password),
            ParsedForeignHash::Firebase(stored) => stored.verify(password),
        }
    }
}

impl std::fmt::Debug for ForeignPasswordHash {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "a hash by {}", self.algorithm().name())
    }
}

/// Compares two tags in constant time.
fn are_equal(one: &[u8], other: &[u8]) -> bool {
    verify_slices_are_equal(one, other).is_ok()
}

#[cfg(test)]
mod tests;
