//! Signing keys that live in the database: the public half in the clear, the private half sealed. And the
//! thumbprints of development keys, so that one is known again wherever it comes from.

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::platform::signing_keys::{SigningAlgorithm, SigningKeyLifecycle, SigningKeyPurpose};
use sinete_core::time::Timestamp;

/// The schema version from which on a database has the tables of this module. Whoever looks into a database
/// while another node brings it up to date may find an earlier one.
pub const SINCE_SCHEMA: u32 = 5;

/// A key to keep.
#[derive(Debug)]
pub struct NewSigningKey<'a> {
    /// Its name, the thumbprint of its public half.
    pub kid: &'a str,
    /// What it signs.
    pub purpose: SigningKeyPurpose,
    /// The algorithm it signs with.
    pub algorithm: SigningAlgorithm,
    /// The public half, as JSON text.
    pub public_jwk: &'a str,
    /// The private half, sealed.
    pub sealed_private: &'a [u8],
    /// Whether it is a development key.
    pub is_development: bool,
    /// When it came here.
    pub created_at: Timestamp,
    /// When it is published, signs and is withdrawn.
    pub life: SigningKeyLifecycle,
}

/// A key as it is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningKeyRow {
    /// Its name.
    pub kid: String,
    /// What it signs.
    pub purpose: SigningKeyPurpose,
    /// The algorithm it signs with.
    pub algorithm: SigningAlgorithm,
    /// The public half, as JSON text.
    pub public_jwk: String,
    /// The private half, sealed.
    pub sealed_private: Vec<u8>,
    /// Whether it is a development key.
    pub is_development: bool,
    /// When it came here.
    pub created_at: Timestamp,
    /// When it is published, signs and is withdrawn.
    pub life: SigningKeyLifecycle,
    /// How often it has changed.
    pub version: i64,
}

impl std::fmt::Debug for SigningKeyRow {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "signing key {}", self.kid)
    }
}

/// Keeps a key. Another one of that name, or another open-ended one of its purpose and algorithm, is a
/// conflict.
pub fn add_signing_key(key: &NewSigningKey<'_>) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &ADD,
        [
            key.kid.into(),
            key.purpose.as_str().into(),
            key.algorithm.as_str().into(),
            key.public_jwk.into(),
            key.sealed_private.into(),
            key.is_development.into(),
            key.created_at.into(),
            key.life.published_at.into(),
            key.life.signs_from.into(),
            key.life.signs_until.into(),
            key.life.withdrawn_at.into(),
        ],
    )
}

/// Gives a key another life, if nobody has changed it since it was read.
pub fn change_key_lifecycle(key: &SigningKeyRow, life: &SigningKeyLifecycle) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &RELIVE,
        [
            key.kid.as_str().into(),
            key.version.into(),
            life.signs_from.into(),
            life.signs_until.into(),
            life.withdrawn_at.into(),
        ],
    )
}

/// Every key that is not withdrawn.
pub async fn list_published_keys(store: &Store, now: Timestamp) -> Result<Vec<SigningKeyRow>, StoreFailure> {
    store.read_all(&STANDING, &[now.into()]).await?.iter().map(read).collect()
}

/// Every key there ever was, newest first, `most` of them.
pub async fn list_key_history(store: &Store, most: u32) -> Result<Vec<SigningKeyRow>, StoreFailure> {
    store.read_list(&HISTORY, &[most.into()]).await?.iter().map(read).collect()
}

/// The key of this name, withdrawn or not.
pub async fn find_signing_key(store: &Store, kid: &str) -> Result<Option<SigningKeyRow>, StoreFailure> {
    store.read_first(&FIND, &[kid.into()]).await?.as_ref().map(read).transpose()
}

/// Remembers a development key for ever.
pub fn record_development_key(thumbprint: &str, now: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(&REMEMBER_DEVELOPMENT, [thumbprint.into(), now.into()])
}

/// Whether a development key of this thumbprint was ever made here.
pub async fn is_development_key(store: &Store, thumbprint: &str) -> Result<bool, StoreFailure> {
    Ok(store.read_first(&IS_KNOWN_DEVELOPMENT, &[thumbprint.into()]).await?.is_some())
}

fn read(row: &SqlRow) -> Result<SigningKeyRow, StoreFailure> {
    let purpose = row.text(1)?;
    let purpose = SigningKeyPurpose::ALL.into_iter().find(|it| it.as_str() == purpose);
    Ok(SigningKeyRow {
        kid: row.text(0)?.to_owned(),
        purpose: purpose.ok_or_else(|| row.damaged_column(1, "a purpose of keys"))?,
        algorithm: row.text(2)?.parse().map_err(|_| row.damaged_column(2, "an algorithm"))?,
        public_jwk: row.text(3)?.to_owned(),
        sealed_private: row.blob(4)?.to_vec(),
        is_development: row.flag(5)?,
        created_at: row.timestamp(6)?,
        life: SigningKeyLifecycle {
            published_at: row.timestamp(7)?,
            signs_from: row.timestamp(8)?,
            signs_until: row.optional_timestamp(9)?,
            withdrawn_at: row.optional_timestamp(10)?,
        },
        version: row.integer(11)?,
    })
}

/// The columns [`read`] takes a key from.
macro_rules! columns {
    () => {
        "SELECT kid, purpose, algorithm, public_jwk, sealed_private, is_development, created_at, \
         published_at, signs_from, signs_until, withdrawn_at, version FROM signing_keys "
    };
}

static ADD: SqlStatement = SqlStatement::new(
    "signing_keys.add",
    "INSERT INTO signing_keys (kid, purpose, algorithm, public_jwk, sealed_private, is_development, \
     created_at, published_at, signs_from, signs_until, withdrawn_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
);
static RELIVE: SqlStatement = SqlStatement::new(
    "signing_keys.relive",
    "UPDATE signing_keys SET signs_from = ?3, signs_until = ?4, withdrawn_at = ?5, version = version + 1 \
     WHERE kid = ?1 AND version = ?2",
);
static STANDING: SqlStatement = SqlStatement::new(
    "signing_keys.standing",
    concat!(columns!(), "WHERE withdrawn_at IS NULL OR withdrawn_at > ?1 ORDER BY created_at, kid"),
);
static HISTORY: SqlStatement =
    SqlStatement::new("signing_keys.history", concat!(columns!(), "ORDER BY created_at DESC, kid LIMIT ?1"));
static FIND: SqlStatement = SqlStatement::new("signing_keys.find", concat!(columns!(), "WHERE kid = ?1"));
static REMEMBER_DEVELOPMENT: SqlStatement = SqlStatement::new(
    "development_keys.remember",
    "INSERT INTO development_keys (thumbprint, created_at) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
);
static IS_KNOWN_DEVELOPMENT: SqlStatement = SqlStatement::new(
    "development_keys.is_known",
    "SELECT created_at FROM development_keys WHERE thumbprint = ?1",
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&ADD, &RELIVE, &STANDING, &HISTORY, &FIND, &REMEMBER_DEVELOPMENT, &IS_KNOWN_DEVELOPMENT];
