//! Passwords, hashed where they hold nothing else up: on threads of their own, few at a time.

mod pool;

use crate::{Engine, Failed};
use pool::Pool;
use sinete_core::entropy::{Entropy, draw};
use sinete_core::flow::credential::password::{Password, PasswordHash};
use sinete_core::limits::{PASSWORD_CHARACTERS_MIN, RETRY_AFTER};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_crypto::argon;
pub use sinete_crypto::argon::Parameters;
use std::sync::atomic::{AtomicU64, Ordering};

/// How passwords are kept.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What a hash costs.
    pub parameters: Parameters,
    /// Fewest characters in a new password.
    pub characters_min: usize,
    /// How many are hashed at a time.
    pub slots: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { parameters: Parameters::default(), characters_min: PASSWORD_CHARACTERS_MIN, slots: 2 }
    }
}

/// Where passwords are hashed.
pub(crate) struct Hashing {
    pool: Pool,
    parameters: Parameters,
    done: AtomicU64,
}

impl Hashing {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self { pool: Pool::new(settings.slots), parameters: settings.parameters, done: AtomicU64::new(0) }
    }

    /// How many hashes were made or checked since the start.
    pub(crate) fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }
}

/// What a check came to.
#[derive(Debug, PartialEq, Eq)]
pub struct Checked {
    /// Whether the password was right.
    pub is_right: bool,
    /// The hash to keep instead, where the stored one was made at another cost.
    pub renewed: Option<PasswordHash>,
}

/// The hash of a new password.
pub async fn hash(engine: &Engine, password: &Password) -> Result<Result<PasswordHash, Refusal>, Failed> {
    let (hashing, salt) = (engine.hashing(), draw(engine.entropy()));
    let (password, parameters) = (password.clone(), hashing.parameters);
    let work = move || argon::hash(password.as_bytes(), &salt, &parameters, None);
    let Some(hashed) = hashing.pool.run(work).await? else { return Ok(Err(overloaded())) };
    hashing.done.fetch_add(1, Ordering::Relaxed);
    let hashed = hashed.map_err(|failed| Failed::NotHashed(failed.to_string()))?;
    Ok(Ok(PasswordHash(hashed)))
}

/// Whether the password is the one whose hash is stored. Where none is, as much work is done and the answer is
/// no: how long it takes tells nothing.
pub async fn check(
    engine: &Engine,
    password: &Password,
    stored: Option<&[u8]>,
) -> Result<Result<Checked, Refusal>, Failed> {
    let hashing = engine.hashing();
    let stored = match stored.map(std::str::from_utf8) {
        Some(Ok(stored)) => stored.to_owned(),
        Some(Err(_)) | None => nobodys(hashing.parameters, engine.entropy()),
    };
    let (password, parameters, salt) = (password.clone(), hashing.parameters, draw(engine.entropy()));
    let work = move || {
        let is_right = argon::verify(password.as_bytes(), &stored, &[]).map_err(|why| why.to_string())?;
        let renewed = if is_right && argon::needs_rehash(&stored, &parameters, None) {
            let hashed = argon::hash(password.as_bytes(), &salt, &parameters, None);
            Some(PasswordHash(hashed.map_err(|why| why.to_string())?))
        } else {
            None
        };
        Ok(Checked { is_right, renewed })
    };
    let Some(checked) = hashing.pool.run(work).await? else { return Ok(Err(overloaded())) };
    hashing.done.fetch_add(1, Ordering::Relaxed);
    checked.map(Ok).map_err(Failed::NotHashed)
}

/// A hash that no password has, at the usual cost.
fn nobodys(parameters: Parameters, entropy: &dyn Entropy) -> String {
    let text = |bytes: &[u8]| {
        use base64::Engine as _;
        base64::engine::general_purpose::STANDARD_NO_PAD.encode(bytes)
    };
    let salt = text(&draw::<{ argon::SALT_BYTES }>(entropy));
    let tag = text(&draw::<{ argon::TAG_BYTES }>(entropy));
    let Parameters { memory_kib, passes, lanes } = parameters;
    format!("$argon2id$v=19$m={memory_kib},t={passes},p={lanes}${salt}${tag}")
}

fn overloaded() -> Refusal {
    let public = "too many passwords are being checked: try again in a moment";
    let reason = "no slot for hashing became free in time";
    Refusal::new(RefusalCode::TemporarilyUnavailable, public, reason).retry_after(RETRY_AFTER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::entropy::DangerouslySeeded;

    #[test]
    fn nobodys_hash_is_checked_like_any_other_and_is_nobodys() {
        let parameters = Parameters { memory_kib: 64, passes: 1, lanes: 1 };
        let stored = nobodys(parameters, &DangerouslySeeded::new(1));
        assert_eq!(argon::verify(b"anything", &stored, &[]), Ok(false));
        assert!(!argon::needs_rehash(&stored, &parameters, None));
    }
}
