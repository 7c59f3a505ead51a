//! Signing keys in the database: the public key in plain, the private key encrypted. Also the thumbprints of
//! development keys, so that such a key is recognised wherever it is used.

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::platform::signing_keys::{SigningAlgorithm, SigningKeyLifecycle, SigningKeyPurpose};
use sinete_core::time::Timestamp;

/// The schema version that introduced the tables of this module. A database that another node is migrating
/// may have an earlier one.
pub const SCHEMA_VERSION_MIN: u32 = 5;

/// A signing key to store.
#[derive(Debug)]
pub struct NewSigningKey<'a> {
    /// The key id: the thumbprint of the public key.
    pub kid: &'a str,
    /// The purpose.
    pub purpose: SigningKeyPurpose,
    /// The signing algorithm.
    pub algorithm: SigningAlgorithm,
    /// The public key, as JWK text.
    pub public_jwk: &'a str,
    /// The private key, encrypted.
    pub sealed_private: &'a [u8],
    /// Whether it is a development key.
    pub is_development: bool,
    /// When it was stored.
    pub created_at: Timestamp,
    /// When it is published, signs and is withdrawn.
    pub lifecycle: SigningKeyLifecycle,
}

/// A signing key as stored.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningKeyRow {
    /// The key id.
    pub kid: String,
    /// The purpose.
    pub purpose: SigningKeyPurpose,
    /// The signing algorithm.
    pub algorithm: SigningAlgorithm,
    /// The public key, as JWK text.
    pub public_jwk: String,
    /// The private key, encrypted.
    pub sealed_private: Vec<u8>,
    /// Whether it is a development key.
    pub is_development: bool,
    /// When it was stored.
    pub created_at: Timestamp,
    /// When it is published, signs and is withdrawn.
    pub lifecycle: SigningKeyLifecycle,
    /// Row version.
    pub version: i64,
}

impl std::fmt::Debug for SigningKeyRow {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "signing key {}", self.kid)
    }
}

/// Stores a key. Conflicts with a key of the same id, or with another open-ended key of the same purpose and
/// algorithm.
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
            key.lifecycle.published_at.into(),
            key.lifecycle.signs_from.into(),
            key.lifecycle.signs_until.into(),
            key.lifecycle.withdrawn_at.into(),
        ],
    )
}

/// Changes the lifecycle of a key, if it has not changed since it was read.
pub fn change_key_lifecycle(key: &SigningKeyRow, key_lifecycle: &SigningKeyLifecycle) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &CHANGE_LIFECYCLE,
        [
            key.kid.as_str().into(),
            key.version.into(),
            key_lifecycle.signs_from.into(),
            key_lifecycle.signs_until.into(),
            key_lifecycle.withdrawn_at.into(),
        ],
    )
}

/// Lists the keys that are not withdrawn.
pub async fn list_published_keys(store: &Store, now: Timestamp) -> Result<Vec<SigningKeyRow>, StoreFailure> {
    store.read_all(&LIST_PUBLISHED, &[now.into()]).await?.iter().map(read).collect()
}

/// Lists all keys, newest first, at most `limit`.
pub async fn list_key_history(store: &Store, limit: u32) -> Result<Vec<SigningKeyRow>, StoreFailure> {
    store.read_list(&HISTORY, &[limit.into()]).await?.iter().map(read).collect()
}

/// Finds the key of this id, withdrawn or not.
pub async fn find_signing_key(store: &Store, kid: &str) -> Result<Option<SigningKeyRow>, StoreFailure> {
    store.read_first(&FIND, &[kid.into()]).await?.as_ref().map(read).transpose()
}

/// Records the thumbprint of a development key permanently.
pub fn record_development_key(thumbprint: &str, now: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(&RECORD_DEVELOPMENT_KEY, [thumbprint.into(), now.into()])
}

/// Whether a development key with this thumbprint was ever created here.
pub async fn is_development_key(store: &Store, thumbprint: &str) -> Result<bool, StoreFailure> {
    Ok(store.read_first(&IS_DEVELOPMENT_KEY, &[thumbprint.into()]).await?.is_some())
}

fn read(row: &SqlRow) -> Result<SigningKeyRow, StoreFailure> {
    let purpose = row.text("purpose")?;
    let purpose = SigningKeyPurpose::ALL.into_iter().find(|it| it.as_str() == purpose);
    Ok(SigningKeyRow {
        kid: row.text("kid")?.to_owned(),
        purpose: purpose.ok_or_else(|| row.damaged_column("purpose", "a purpose of keys"))?,
        algorithm: row
            .text("algorithm")?
            .parse()
            .map_err(|_| row.damaged_column("algorithm", "an algorithm"))?,
        public_jwk: row.text("public_jwk")?.to_owned(),
        sealed_private: row.blob("sealed_private")?.to_vec(),
        is_development: row.flag("is_development")?,
        created_at: row.timestamp("created_at")?,
        lifecycle: SigningKeyLifecycle {
            published_at: row.timestamp("published_at")?,
            signs_from: row.timestamp("signs_from")?,
            signs_until: row.optional_timestamp("signs_until")?,
            withdrawn_at: row.optional_timestamp("withdrawn_at")?,
        },
        version: row.integer("version")?,
    })
}

/// The columns that [`read`] expects.
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
static CHANGE_LIFECYCLE: SqlStatement = SqlStatement::new(
    "signing_keys.relive",
    "UPDATE signing_keys SET signs_from = ?3, signs_until = ?4, withdrawn_at = ?5, version = version + 1 \
     WHERE kid = ?1 AND version = ?2",
);
static LIST_PUBLISHED: SqlStatement = SqlStatement::new(
    "signing_keys.standing",
    concat!(columns!(), "WHERE withdrawn_at IS NULL OR withdrawn_at > ?1 ORDER BY created_at, kid"),
);
static HISTORY: SqlStatement =
    SqlStatement::new("signing_keys.history", concat!(columns!(), "ORDER BY created_at DESC, kid LIMIT ?1"));
static FIND: SqlStatement = SqlStatement::new("signing_keys.find", concat!(columns!(), "WHERE kid = ?1"));
static RECORD_DEVELOPMENT_KEY: SqlStatement = SqlStatement::new(
    "development_keys.remember",
    "INSERT INTO development_keys (thumbprint, created_at) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
);
static IS_DEVELOPMENT_KEY: SqlStatement = SqlStatement::new(
    "development_keys.is_known",
    "SELECT created_at FROM development_keys WHERE thumbprint = ?1",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &ADD,
    &CHANGE_LIFECYCLE,
    &LIST_PUBLISHED,
    &HISTORY,
    &FIND,
    &RECORD_DEVELOPMENT_KEY,
    &IS_DEVELOPMENT_KEY,
];
