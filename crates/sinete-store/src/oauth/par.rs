//! Pushed authorization requests (RFC 9126): each request URI is used once, by the client that pushed it.

use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::client_id::ClientId;
use sinete_core::secret;
use sinete_core::secret::Digest;
use sinete_core::time::Timestamp;

/// A pushed authorization request as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushedRequestRow {
    /// The client that pushed it.
    pub client: ClientId,
    /// The authorization request.
    pub request: JsonDocument,
    /// When it was pushed; the request URI is accepted for a limited time after that.
    pub created_at: Timestamp,
    /// When the authorization it started can no longer be completed.
    pub expires_at: Timestamp,
    /// When its request URI was used, if it was.
    pub used_at: Option<Timestamp>,
}

/// A pushed authorization request to store.
#[derive(Debug)]
pub struct NewPushedRequest<'a> {
    /// Digest of the request URI's handle.
    pub digest: &'a Digest<secret::PushedRequest>,
    /// The client that pushes it.
    pub client: &'a ClientId,
    /// The authorization request.
    pub request: &'a JsonDocument,
    /// When it was pushed; the request URI is accepted for a limited time after that.
    pub created_at: Timestamp,
    /// When the authorization it started can no longer be completed.
    pub expires_at: Timestamp,
}

/// Stores a pushed authorization request.
pub fn store_pushed_request(request: &NewPushedRequest<'_>) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &PUSH,
        [
            request.digest.into(),
            request.client.into(),
            request.request.into(),
            request.created_at.into(),
            request.expires_at.into(),
        ],
    )
}

/// Finds the request behind a request URI, used or not, expired or not.
pub async fn find_pushed_request(
    store: &Store,
    digest: &Digest<secret::PushedRequest>,
) -> Result<Option<PushedRequestRow>, StoreFailure> {
    let row = store.read_first(&FIND, &[digest.into()]).await?;
    row.map(|row| {
        Ok(PushedRequestRow {
            client: row.client_id("client_id")?,
            request: JsonDocument::from_row(&row, "request")?,
            created_at: row.timestamp("created_at")?,
            expires_at: row.timestamp("expires_at")?,
            used_at: row.optional_timestamp("taken_at")?,
        })
    })
    .transpose()
}

/// Uses the request URI for its client, if it is unused and unexpired.
pub fn consume_pushed_request(
    digest: &Digest<secret::PushedRequest>,
    client: &ClientId,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(&CONSUME, [digest.into(), client.into(), now.into()])
}

static PUSH: SqlStatement = SqlStatement::new(
    "pushed_requests.push",
    "INSERT INTO pushed_requests (digest, client_id, request, created_at, expires_at) \
     VALUES (?1, ?2, ?3, ?4, ?5)",
);
static FIND: SqlStatement = SqlStatement::new(
    "pushed_requests.find",
    "SELECT client_id, request, created_at, expires_at, taken_at FROM pushed_requests WHERE digest = ?1",
);
static CONSUME: SqlStatement = SqlStatement::single_use(
    "pushed_requests.take",
    "UPDATE pushed_requests SET taken_at = ?3 \
     WHERE digest = ?1 AND client_id = ?2 AND taken_at IS NULL AND expires_at > ?3",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&PUSH, &FIND, &CONSUME];
