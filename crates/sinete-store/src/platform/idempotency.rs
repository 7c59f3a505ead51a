//! Idempotency keys: a key is claimed once per caller, in the transaction that performs the request. The
//! claim therefore proves that the request succeeded, and nothing is done twice.

use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::secret::Digest;
use sinete_core::time::Timestamp;

/// The stored form of an idempotency key: its SHA-256.
#[derive(Debug)]
pub enum IdempotencyKey {}

/// Identifies the content of a request: the SHA-256 of everything relevant in it.
#[derive(Debug)]
pub enum RequestContent {}

/// A claimed key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedIdempotencyKey {
    /// Digest of the request it was claimed for.
    pub request: Digest<RequestContent>,
    /// The id of what that request created.
    pub created_id: String,
    /// The response, if it may be replayed.
    pub reply: Option<StoredIdempotentReply>,
}

/// A response to replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredIdempotentReply {
    /// The HTTP status.
    pub status: u16,
    /// The rest of the response, encrypted: it may contain secrets of the caller.
    pub ciphertext: Vec<u8>,
}

/// A key of one caller.
#[derive(Clone, Copy, Debug)]
pub struct CallerIdempotencyKey<'a> {
    /// The caller, by kind and id.
    pub caller: &'a str,
    /// Digest of the key.
    pub digest: &'a Digest<IdempotencyKey>,
}

/// Claims the key for a request that creates the object of this id, if it is unclaimed or the last claim has
/// expired. Place it in the batch that creates the object.
pub fn claim_idempotency_key(
    key: CallerIdempotencyKey<'_>,
    request: &Digest<RequestContent>,
    created_id: &str,
    now: Timestamp,
    expires_at: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &CLAIM,
        [
            key.caller.into(),
            key.digest.into(),
            request.into(),
            created_id.into(),
            now.into(),
            expires_at.into(),
        ],
    )
}

/// Finds the claim on the key, unless it has expired.
pub async fn find_idempotency_claim(
    store: &Store,
    key: CallerIdempotencyKey<'_>,
    now: Timestamp,
) -> Result<Option<ClaimedIdempotencyKey>, StoreFailure> {
    let Some(row) = store.read_first(&FIND, &[key.caller.into(), key.digest.into(), now.into()]).await?
    else {
        return Ok(None);
    };
    let reply = match (row.optional_integer("status")?, row.optional_blob("sealed_reply")?) {
        (Some(status), Some(encrypted_reply)) => {
            let status = status.try_into().map_err(|_| row.damaged_column("status", "a status"))?;
            Some(StoredIdempotentReply { status, ciphertext: encrypted_reply.to_vec() })
        }
        (None, None) => None,
        (Some(_), None) | (None, Some(_)) => return Err(row.damaged_column("status", "a complete response")),
    };
    Ok(Some(ClaimedIdempotencyKey {
        request: row.digest("request_digest")?,
        created_id: row.text("made")?.to_owned(),
        reply,
    }))
}

/// Stores the response to the request that claimed the key, if there is none yet.
pub fn store_idempotent_reply(
    key: CallerIdempotencyKey<'_>,
    request: &Digest<RequestContent>,
    reply: &StoredIdempotentReply,
) -> GuardedStatement {
    let status = i64::from(reply.status);
    GuardedStatement::exactly_one(
        &COMPLETE,
        [
            key.caller.into(),
            key.digest.into(),
            request.into(),
            status.into(),
            reply.ciphertext.as_slice().into(),
        ],
    )
}

static CLAIM: SqlStatement = SqlStatement::single_use(
    "idempotency_keys.claim",
    "INSERT INTO idempotency_keys (caller, key_digest, request_digest, made, created_at, expires_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
     ON CONFLICT (caller, key_digest) DO UPDATE SET request_digest = excluded.request_digest, \
     made = excluded.made, status = NULL, sealed_reply = NULL, created_at = excluded.created_at, \
     expires_at = excluded.expires_at WHERE idempotency_keys.expires_at <= ?5",
);
static FIND: SqlStatement = SqlStatement::new(
    "idempotency_keys.find",
    "SELECT request_digest, made, status, sealed_reply FROM idempotency_keys \
     WHERE caller = ?1 AND key_digest = ?2 AND expires_at > ?3",
);
static COMPLETE: SqlStatement = SqlStatement::new(
    "idempotency_keys.complete",
    "UPDATE idempotency_keys SET status = ?4, sealed_reply = ?5 \
     WHERE caller = ?1 AND key_digest = ?2 AND request_digest = ?3 AND status IS NULL",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&CLAIM, &FIND, &COMPLETE];
