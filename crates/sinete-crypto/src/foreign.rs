//! Hashes of passwords that other programs made: read within bounds, checked, and never made.
//!
//! They come with people who are brought over from somewhere else. Each names its own cost, and that cost is held
//! against a limit when it is read: whoever writes an export cannot make a sign-in take minutes or gigabytes. The
//! first right password replaces the hash by one of [ours](crate::argon).

mod argon;
mod bcrypt;
mod encodings;
mod firebase;
mod pbkdf2;
mod scrypt;
mod sha_crypt;

pub use firebase::Project as FirebaseProject;

use aws_lc_rs::constant_time::verify_slices_are_equal;

/// The longest text that is read as a hash.
pub const TEXT_BYTES_MAX: usize = 1_024;

/// A hash that another program made, within our limits. It is never printed.
pub struct ForeignHash {
    method: Method,
}

/// How a hash was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// bcrypt, under any of its three prefixes.
    Bcrypt,
    /// scrypt.
    Scrypt,
    /// PBKDF2 with SHA-1, SHA-256 or SHA-512.
    Pbkdf2,
    /// Any kind of Argon2.
    Argon2,
    /// The SHA-256 and SHA-512 crypt of Unix.
    ShaCrypt,
    /// What Firebase makes of scrypt.
    FirebaseScrypt,
}

impl Form {
    /// Its name, as events and reports know it.
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

/// Why a text is not taken as a hash. Each says so in one sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotTaken {
    /// It is in no form we know.
    #[error(
        "the password hash is in no known form: bcrypt, scrypt, PBKDF2, Argon2, sha-crypt or Firebase scrypt"
    )]
    UnknownForm,
    /// It is nearly in a form we know.
    #[error("the password hash is not well formed")]
    Malformed,
    /// Checking it would cost too much.
    #[error("the password hash costs too much to check: {0}")]
    TooCostly(&'static str),
}

/// The library did not answer, most likely for want of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the password could not be hashed")]
pub struct NotChecked;

enum Method {
    Bcrypt(bcrypt::Stored),
    Scrypt(scrypt::Stored),
    Pbkdf2(pbkdf2::Stored),
    Argon(argon::Stored),
    ShaCrypt(sha_crypt::Stored),
    Firebase(firebase::Stored),
}

impl ForeignHash {
    /// Reads a hash in the form its program writes it in.
    pub fn parse(text: &str) -> Result<Self, NotTaken> {
        if text.len() > TEXT_BYTES_MAX {
            return Err(NotTaken::Malformed);
        }
        let starts = |beginnings: &[&str]| beginnings.iter().any(|it| text.starts_with(it));
        let method = if starts(&["$2a$", "$2b$", "$2y$", "bcrypt$$2", "bcrypt_sha256$$2"]) {
            bcrypt::Stored::parse(text).map(Method::Bcrypt)
        } else if starts(&["$scrypt$", "scrypt$"]) {
            scrypt::Stored::parse(text).map(Method::Scrypt)
        } else if starts(&["$pbkdf2$", "$pbkdf2-", "pbkdf2_"]) {
            pbkdf2::Stored::parse(text).map(Method::Pbkdf2)
        } else if starts(&["$argon2", "argon2$argon2"]) {
            argon::Stored::parse(text).map(Method::Argon)
        } else if starts(&["$5$", "$6$"]) {
            sha_crypt::Stored::parse(text).map(Method::ShaCrypt)
        } else if starts(&["$firebase-scrypt$"]) {
            firebase::Stored::parse(text).map(Method::Firebase)
        } else {
            Err(NotTaken::UnknownForm)
        };
        method.map(|method| Self { method })
    }

    /// How it was made.
    pub const fn form(&self) -> Form {
        match self.method {
            Method::Bcrypt(_) => Form::Bcrypt,
            Method::Scrypt(_) => Form::Scrypt,
            Method::Pbkdf2(_) => Form::Pbkdf2,
            Method::Argon(_) => Form::Argon2,
            Method::ShaCrypt(_) => Form::ShaCrypt,
            Method::Firebase(_) => Form::FirebaseScrypt,
        }
    }

    /// Whether it is the hash of this password.
    pub fn verify(&self, password: &[u8]) -> Result<bool, NotChecked> {
        match &self.method {
            Method::Bcrypt(stored) => stored.verify(password),
            Method::Scrypt(stored) => stored.verify(password),
            Method::Pbkdf2(stored) => stored.verify(password),
            Method::Argon(stored) => stored.verify(password),
            Method::ShaCrypt(stored) => stored.verify(password),
            Method::Firebase(stored) => stored.verify(password),
        }
    }
}

impl std::fmt::Debug for ForeignHash {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "a hash by {}", self.form().name())
    }
}

/// Whether two tags are the same, found out in a time that does not say where they differ.
fn are_equal(one: &[u8], other: &[u8]) -> bool {
    verify_slices_are_equal(one, other).is_ok()
}

#[cfg(test)]
mod tests;
