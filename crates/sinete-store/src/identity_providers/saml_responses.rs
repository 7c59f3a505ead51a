//! What SAML providers said, between the request that brought it and the browser that comes for it. An assertion is kept
//! once, on whichever node it arrives, and what it says is used once.

use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::id::{ConnectionId, FlowId};
use sinete_core::limits::SAML_RESPONSE_LIFETIME;
use sinete_core::secret::{Digest, SamlAnswer};
use sinete_core::time::Timestamp;

/// What the id of an assertion is remembered by: its SHA-256.
#[derive(Debug)]
pub enum SamlAssertionId {}

/// What a provider said, to keep.
#[derive(Debug)]
pub struct NewSamlResponse<'a> {
    /// Of the handle by which it is come for.
    pub digest: &'a Digest<SamlAnswer>,
    /// How the organization is connected to the provider.
    pub connection: ConnectionId,
    /// The flow that it answers.
    pub flow: FlowId,
    /// Of the id of the assertion.
    pub assertion: &'a Digest<SamlAssertionId>,
    /// What it says.
    pub answer: &'a JsonDocument,
    /// When it came.
    pub created_at: Timestamp,
    /// When the assertion would be refused for its age.
    pub expires_at: Timestamp,
}

/// Keeps what a provider said, if the assertion was not seen before.
pub fn store_saml_response(answer: &NewSamlResponse<'_>) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &FIRST_SEEN,
        [
            answer.digest.into(),
            answer.connection.into(),
            answer.flow.into(),
            answer.assertion.into(),
            answer.answer.into(),
            answer.created_at.into(),
            answer.expires_at.into(),
        ],
    )
}

/// What waits behind a handle for this flow, that came from this connection, while it waits.
pub async fn find_saml_response(
    store: &Store,
    digest: &Digest<SamlAnswer>,
    (connection, flow): (ConnectionId, FlowId),
    now: Timestamp,
) -> Result<Option<JsonDocument>, StoreFailure> {
    let since = now.minus(SAML_RESPONSE_LIFETIME);
    let row =
        store.read_first(&WAITING, &[digest.into(), connection.into(), flow.into(), since.into()]).await?;
    row.map(|row| JsonDocument::from_row(&row, 0)).transpose()
}

/// Uses what waits behind a handle, which then says nothing any more.
pub fn spend_saml_response(digest: &Digest<SamlAnswer>, flow: FlowId, now: Timestamp) -> GuardedStatement {
    let since = now.minus(SAML_RESPONSE_LIFETIME);
    GuardedStatement::exactly_one(&SPEND, [digest.into(), flow.into(), now.into(), since.into()])
}

static FIRST_SEEN: SqlStatement = SqlStatement::single_use(
    "saml_answers.first_seen",
    "INSERT INTO saml_answers (digest, connection_id, flow_id, assertion, answer, created_at, expires_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (connection_id, assertion) DO NOTHING",
);
static WAITING: SqlStatement = SqlStatement::new(
    "saml_answers.waiting",
    "SELECT answer FROM saml_answers \
     WHERE digest = ?1 AND connection_id = ?2 AND flow_id = ?3 AND spent_at IS NULL AND created_at > ?4",
);
static SPEND: SqlStatement = SqlStatement::single_use(
    "saml_answers.spend",
    "UPDATE saml_answers SET spent_at = ?3, answer = '{}' \
     WHERE digest = ?1 AND flow_id = ?2 AND spent_at IS NULL AND created_at > ?4 AND expires_at > ?3",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&FIRST_SEEN, &WAITING, &SPEND];
