//! SAML responses, between the POST that delivered them and the browser that continues the flow. An assertion
//! is stored once, on any node, and used once.

use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::id::{ConnectionId, FlowId};
use sinete_core::limits::SAML_RESPONSE_LIFETIME;
use sinete_core::secret::{Digest, SamlAnswer};
use sinete_core::time::Timestamp;

/// The stored form of an assertion id: its SHA-256.
#[derive(Debug)]
pub enum SamlAssertionId {}

/// A SAML response to store.
#[derive(Debug)]
pub struct NewSamlResponse<'a> {
    /// Digest of the handle that the browser presents.
    pub digest: &'a Digest<SamlAnswer>,
    /// The connection it came through.
    pub connection: ConnectionId,
    /// The flow that it answers.
    pub flow: FlowId,
    /// Digest of the assertion id.
    pub assertion: &'a Digest<SamlAssertionId>,
    /// The content of the assertion.
    pub answer: &'a JsonDocument,
    /// When it arrived.
    pub created_at: Timestamp,
    /// When the assertion would be rejected as too old.
    pub expires_at: Timestamp,
}

/// Stores a response, if the assertion was not stored before.
pub fn store_saml_response(answer: &NewSamlResponse<'_>) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &RECORD_ONCE,
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

/// Finds the unused response with this handle, for this flow and connection.
pub async fn find_saml_response(
    store: &Store,
    digest: &Digest<SamlAnswer>,
    connection: ConnectionId,
    flow: FlowId,
    now: Timestamp,
) -> Result<Option<JsonDocument>, StoreFailure> {
    let since = now.minus(SAML_RESPONSE_LIFETIME);
    let row = store
        .read_first(&FIND_UNCONSUMED, &[digest.into(), connection.into(), flow.into(), since.into()])
        .await?;
    row.map(|row| JsonDocument::from_row(&row, "answer")).transpose()
}

/// Uses the response and erases its content.
pub fn consume_saml_response(digest: &Digest<SamlAnswer>, flow: FlowId, now: Timestamp) -> GuardedStatement {
    let since = now.minus(SAML_RESPONSE_LIFETIME);
    GuardedStatement::exactly_one(&CONSUME, [digest.into(), flow.into(), now.into(), since.into()])
}

static RECORD_ONCE: SqlStatement = SqlStatement::single_use(
    "saml_answers.first_seen",
    "INSERT INTO saml_answers (digest, connection_id, flow_id, assertion, answer, created_at, expires_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (connection_id, assertion) DO NOTHING",
);
static FIND_UNCONSUMED: SqlStatement = SqlStatement::new(
    "saml_answers.waiting",
    "SELECT answer FROM saml_answers \
     WHERE digest = ?1 AND connection_id = ?2 AND flow_id = ?3 AND spent_at IS NULL AND created_at > ?4",
);
static CONSUME: SqlStatement = SqlStatement::single_use(
    "saml_answers.spend",
    "UPDATE saml_answers SET spent_at = ?3, answer = '{}' \
     WHERE digest = ?1 AND flow_id = ?2 AND spent_at IS NULL AND created_at > ?4 AND expires_at > ?3",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&RECORD_ONCE, &FIND_UNCONSUMED, &CONSUME];
