//! Passwords, hashed on a few dedicated threads so that other requests are not delayed. Known, unknown, disabled and
//! passwordless accounts cause the same queries in the same order, and the same hashing work.

mod hashing_pool;
mod hashing_queue;

use crate::sign_in::flows;
use crate::sign_in::flows::failed_attempts::with_failed_attempt;
use crate::sign_in::flows::verify::NO_ACCOUNT;
use crate::sign_in::flows::{FlowActor, invalid_proof};
use crate::sign_in::lockout::{AttemptCounter, factor};
use crate::{Engine, Error, Failure};
use hashing_pool::HashingPool;
pub use hashing_queue::HashingRequester;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::entropy::{Entropy, draw_bytes};
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::id::AccountId;
use sinete_core::limits::{PASSWORD_CHARACTERS_MIN, RETRY_AFTER};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::sign_in::SignInRefusal;
use sinete_core::sign_in::credentials::password::{Password, PasswordHash};
use sinete_core::sign_in::flows::account::FlowAccount;
use sinete_core::sign_in::lockout::LockoutOutcome;
use sinete_crypto::sign_in::credentials::foreign_password::ForeignPasswordHash;
use sinete_crypto::sign_in::credentials::password;
pub use sinete_crypto::sign_in::credentials::password::Argon2Parameters;
use sinete_store::sign_in::credentials;
use sinete_store::sign_in::credentials::{CredentialRow, StoredCredentialKind};
use sinete_store::{WriteBatch, accounts};
use std::sync::atomic::{AtomicU64, Ordering};

/// The password settings.
#[derive(Clone, Debug)]
pub struct PasswordSettings {
    /// The cost of a hash.
    pub parameters: Argon2Parameters,
    /// Minimum characters in a new password.
    pub characters_min: usize,
    /// The number of concurrent hashes.
    pub slots: usize,
    /// The name of the service, which is rejected as a password like the name of its host.
    pub service_name: String,
}

impl Default for PasswordSettings {
    fn default() -> Self {
        Self {
            parameters: Argon2Parameters::default(),
            characters_min: PASSWORD_CHARACTERS_MIN,
            slots: 2,
            service_name: String::new(),
        }
    }
}

/// The password hasher.
pub(crate) struct PasswordHasher {
    pool: HashingPool,
    parameters: Argon2Parameters,
    hash_count: AtomicU64,
}

impl PasswordHasher {
    pub(crate) fn new(settings: &PasswordSettings) -> Self {
        Self {
            pool: HashingPool::new(settings.slots),
            parameters: settings.parameters,
            hash_count: AtomicU64::new(0),
        }
    }

    /// The maximum number of hashes that ran concurrently.
    pub(crate) fn max_concurrent(&self) -> usize {
        self.pool.max_concurrent()
    }

    /// The number of hashes since the start.
    pub(crate) fn hash_count(&self) -> u64 {
        self.hash_count.load(Ordering::Relaxed)
    }
}

/// The result of a verification.
#[derive(Debug, PartialEq, Eq)]
pub struct PasswordCheck {
    /// Whether the password is correct.
    pub is_correct: bool,
    /// The new hash to store, if the stored one has another cost.
    pub rehashed: Option<PasswordHash>,
}

/// A slot for one hash.
pub struct HashingSlot(hashing_queue::PoolSlot);

/// Acquires a slot, or returns a refusal if none became free in time. Attempts are counted after this, so
/// that a refused request is not counted.
pub async fn acquire_slot(engine: &Engine, requester: HashingRequester) -> Result<HashingSlot, Refusal> {
    let slot = engine.password_hasher().pool.acquire_slot(requester).await;
    slot.map(HashingSlot).ok_or_else(hashing_overloaded)
}

/// Hashes a new password.
pub async fn hash_password(engine: &Engine, password: &Password) -> Result<PasswordHash, Error> {
    let HashingSlot(slot) = acquire_slot(engine, HashingRequester::UnknownDevice(None)).await?;
    let (hashing, salt) = (engine.password_hasher(), draw_bytes(engine.entropy()));
    let (password, parameters) = (password.clone(), hashing.parameters);
    let task = move || password::hash_password(password.as_bytes(), &salt, &parameters, None);
    let hashed = hashing.pool.run(slot, task).await?;
    hashing.hash_count.fetch_add(1, Ordering::Relaxed);
    let hashed = hashed.map_err(|failed| Failure::PasswordHashingFailed(failed.to_string()))?;
    Ok(PasswordHash(hashed))
}

/// Verifies a password against the stored hash. If there is none, the same work is done, so that the time
/// reveals nothing. While imported hashes are stored, every verification computes one imported hash in
/// addition to one of ours, so that accounts with imported hashes cannot be distinguished either.
pub async fn verify_password(
    engine: &Engine,
    HashingSlot(slot): HashingSlot,
    password: &Password,
    stored: Option<&[u8]>,
) -> Result<PasswordCheck, Failure> {
    let hashing = engine.password_hasher();
    let parameters = hashing.parameters;
    let stored = match stored.map(std::str::from_utf8) {
        Some(Ok(stored)) => stored.to_owned(),
        Some(Err(_)) | None => dummy_hash(parameters, engine.entropy()),
    };
    let imported = credentials::find_imported_password(engine.store()).await?;
    let like_theirs = imported.and_then(|imported| String::from_utf8(imported).ok());
    let (password, salt) = (password.clone(), draw_bytes(engine.entropy()));
    let task = move || {
        PasswordComparison { password: &password, parameters, salt, foreign_sample: like_theirs }
            .compare_with(&stored)
    };
    let checked = hashing.pool.run(slot, task).await?;
    hashing.hash_count.fetch_add(1, Ordering::Relaxed);
    checked.map_err(Failure::PasswordHashingFailed)
}

/// The comparison with a stored hash.
struct PasswordComparison<'a> {
    password: &'a Password,
    parameters: Argon2Parameters,
    salt: [u8; password::SALT_BYTES],
    /// A sample of an imported hash, if there are any.
    foreign_sample: Option<String>,
}

impl PasswordComparison<'_> {
    fn compare_with(&self, stored: &str) -> Result<PasswordCheck, String> {
        if password::needs_rehash(stored, &self.parameters, None) {
            self.compare_foreign_hash(stored)
        } else {
            self.compare_current_hash(stored)
        }
    }

    /// Compares with one of our hashes at the current cost, and does the work of an imported one.
    fn compare_current_hash(&self, stored: &str) -> Result<PasswordCheck, String> {
        let like_theirs =
            self.foreign_sample.as_deref().and_then(|theirs| ForeignPasswordHash::parse(theirs).ok());
        if let Some(theirs) = like_theirs {
            let _ = std::hint::black_box(theirs.verify_password(self.password.as_bytes()));
        }
        let is_right = password::verify_password(self.password.as_bytes(), stored, &[])
            .map_err(|error| error.to_string())?;
        Ok(PasswordCheck { is_correct: is_right, rehashed: None })
    }

    /// Compares with an imported hash or one of another cost, and computes a replacement whether needed or
    /// not.
    fn compare_foreign_hash(&self, stored: &str) -> Result<PasswordCheck, String> {
        let password = self.password.as_bytes();
        let is_right = match password::verify_password(password, stored, &[]) {
            Err(password::PasswordVerificationError::UnknownFormat) => ForeignPasswordHash::parse(stored)
                .map_err(|foreign_hash| foreign_hash.to_string())?
                .verify_password(password)
                .map_err(|computation_failed| computation_failed.to_string())?,
            ours => ours.map_err(|error| error.to_string())?,
        };
        let hashed = password::hash_password(password, &self.salt, &self.parameters, None)
            .map_err(|error| error.to_string())?;
        Ok(PasswordCheck { is_correct: is_right, rehashed: is_right.then_some(PasswordHash(hashed)) })
    }
}

/// A hash at the current cost that no password matches.
fn dummy_hash(parameters: Argon2Parameters, entropy: &dyn Entropy) -> String {
    let text = |bytes: &[u8]| {
        use base64::Engine as _;
        base64::engine::general_purpose::STANDARD_NO_PAD.encode(bytes)
    };
    let salt = text(&draw_bytes::<{ password::SALT_BYTES }>(entropy));
    let tag = text(&draw_bytes::<{ password::TAG_BYTES }>(entropy));
    let Argon2Parameters { memory_kib, passes, lanes } = parameters;
    format!("$argon2id$v=19$m={memory_kib},t={passes},p={lanes}${salt}${tag}")
}

fn hashing_overloaded() -> Refusal {
    let reason = "no slot for hashing became free in time";
    Refusal::because(SignInRefusal::PasswordCheckBusy, reason).with_retry_after(RETRY_AFTER)
}

/// Verifies the password of an account, and returns the statements that follow: the counter is reset, and a
/// hash of another cost is replaced.
pub(crate) async fn check_password(
    engine: &Engine,
    account: Option<AccountId>,
    lookup: &str,
    password: &str,
    actor: &FlowActor,
) -> Result<(FlowAccount, WriteBatch), Error> {
    let id = account.unwrap_or(NO_ACCOUNT);
    let account_row = accounts::find_account(engine.store(), id).await?;
    let is_enabled = account_row.is_some_and(|account| account.condition == LifecycleCondition::Enabled);
    let credentials = credentials::list_account_credentials(engine.store(), id).await?;
    let credential =
        credentials.iter().find(|it| it.kind == StoredCredentialKind::Password && it.disabled_at.is_none());
    let bucket = AttemptCounter::new(engine, account, lookup, factor::PASSWORD, actor).await?;
    bucket.require_attempt_allowed(engine).await?;
    // An attempt without a hashing slot is not checked, reveals nothing and is not counted; one with a slot
    // is counted before it is checked.
    let slot = acquire_slot(engine, bucket.hashing_requester(actor)).await?;
    let follows = bucket.count_attempt(engine).await?;
    // A password that is too long never matches, with the same work.
    let submitted_password = Password::from_submitted(password);
    let material =
        credential.filter(|_| submitted_password.is_some()).map(|credential| &credential.material[..]);
    let guess = submitted_password.or_else(|| Password::from_submitted(""));
    let Some(guess) = guess else { return Err(invalid_proof("no password").into()) };
    let checked = verify_password(engine, slot, &guess, material).await?;
    let (true, true, Some(credential)) = (checked.is_correct, is_enabled, credential) else {
        record_wrong_password(engine, account, credential, follows, actor).await?;
        return Err(invalid_proof("the password is wrong, or there is none").into());
    };
    let renewed =
        checked.rehashed.map(|hash| credentials::replace_credential_material(credential, hash.0.as_bytes()));
    let batch = WriteBatch::new().with_statements(bucket.reset_statements()).with_statements(renewed);
    Ok((flows::build_flow_account(engine, id, &credentials).await?, batch))
}

/// Records a wrong password, and disables it after too many failures on known devices.
async fn record_wrong_password(
    engine: &Engine,
    account: Option<AccountId>,
    credential: Option<&CredentialRow>,
    follows: LockoutOutcome,
    actor: &FlowActor,
) -> Result<(), Failure> {
    let event = |kind| {
        let event = SecurityEvent::new(kind, SecurityEventActor::Anonymous, engine.now(), engine.entropy());
        let event = event.with_origin(&actor.origin).with_detail("factor", factor::PASSWORD);
        match account {
            Some(account) => event.with_subject("account", account),
            None => event,
        }
    };
    let failed = event(EventKind::CredentialFailed);
    let mut batch = with_failed_attempt(engine, WriteBatch::new(), failed, account, actor).await?;
    match (follows, credential) {
        (LockoutOutcome::Disabled, Some(credential)) => {
            let disabled = event(EventKind::CredentialDisabled);
            batch = batch
                .with_statement(credentials::disable_credential(credential, engine.now()))
                .with_event(&disabled);
        }
        (LockoutOutcome::LockedForUnknownDevices, _) => {
            batch = batch.with_event(&event(EventKind::CredentialDisabled).with_detail("for", "strangers"));
        }
        (LockoutOutcome::Disabled, None) | (LockoutOutcome::NotLocked, _) => {}
    }
    // A conflict means that the credential changed or was removed meanwhile, so there is nothing to disable.
    let _ = engine.store().commit(batch).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::entropy::DangerouslySeededEntropy;

    #[test]
    fn decoy_password_hash_costs_the_same_and_never_matches() {
        let parameters = Argon2Parameters { memory_kib: 64, passes: 1, lanes: 1 };
        let stored = dummy_hash(parameters, &DangerouslySeededEntropy::new(1));
        assert_eq!(password::verify_password(b"anything", &stored, &[]), Ok(false));
        assert!(!password::needs_rehash(&stored, &parameters, None));
    }

    #[test]
    fn imported_password_hash_is_replaced_after_a_successful_sign_in() {
        let parameters = Argon2Parameters { memory_kib: 64, passes: 1, lanes: 1 };
        let stored = "$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5";
        let checked = |password: &str| {
            let password = Password::from_submitted(password).unwrap();
            PasswordComparison { password: &password, parameters, salt: [1; 16], foreign_sample: None }
                .compare_with(stored)
        };
        let password_check = checked("Hello world!").unwrap();
        assert!(password_check.is_correct);
        assert_eq!(
            password::verify_password(b"Hello world!", &password_check.rehashed.unwrap().0, &[]),
            Ok(true)
        );
        assert_eq!(checked("hello world!"), Ok(PasswordCheck { is_correct: false, rehashed: None }));
    }
}
