//! Authentication flows. Each step moves a flow once, from the version it was read at to the next.

use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::id::{AccountId, FlowId};
use sinete_core::secret::{Digest, FlowToken};
use sinete_core::time::Timestamp;

/// The version of a flow that has not moved yet.
pub const FIRST_VERSION: i64 = 1;

/// A flow to start.
#[derive(Debug)]
pub struct NewFlow<'a> {
    /// Its id.
    pub id: FlowId,
    /// Digest of the flow token that the user's browser or program holds.
    pub digest: &'a Digest<FlowToken>,
    /// The kind of flow.
    pub kind: &'a str,
    /// Its state.
    pub state: StoredFlowState<'a>,
    /// When it starts.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// The state of a flow, serialized by the state machine.
#[derive(Clone, Copy, Debug)]
pub struct StoredFlowState<'a> {
    /// The serialized state.
    pub document: &'a JsonDocument,
    /// The version of the serialization format.
    pub form: u32,
    /// The account, once it is identified.
    pub account: Option<AccountId>,
}

/// A flow as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowRow {
    /// Its id.
    pub id: FlowId,
    /// Digest of the flow token that the user's browser or program holds.
    pub digest: Digest<FlowToken>,
    /// The kind of flow.
    pub kind: String,
    /// The serialized state.
    pub state: JsonDocument,
    /// The version of the serialization format.
    pub form: u32,
    /// The account, once it is identified.
    pub account: Option<AccountId>,
    /// When it expires.
    pub expires_at: Timestamp,
    /// When it was finished, if it was.
    pub finished_at: Option<Timestamp>,
    /// Row version.
    pub version: i64,
}

/// Starts a flow.
pub fn create_flow(flow: &NewFlow<'_>) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &START,
        [
            flow.id.into(),
            flow.digest.into(),
            flow.kind.into(),
            flow.state.document.into(),
            flow.state.form.into(),
            flow.state.account.into(),
            flow.created_at.into(),
            flow.expires_at.into(),
        ],
    )
}

/// Finds the flow of this id, finished or not, expired or not.
pub async fn find_flow(store: &Store, id: FlowId) -> Result<Option<FlowRow>, StoreFailure> {
    let row = store.read_first(&FIND, &[id.into()]).await?;
    row.map(|row| {
        Ok(FlowRow {
            id: row.id("id")?,
            digest: row.digest("digest")?,
            kind: row.text("kind")?.to_owned(),
            state: JsonDocument::from_row(&row, "state")?,
            form: row
                .integer("state_form")?
                .try_into()
                .map_err(|_| row.damaged_column("state_form", "the version of a storage format"))?,
            account: row.optional_id("account_id")?,
            expires_at: row.timestamp("expires_at")?,
            finished_at: row.optional_timestamp("finished_at")?,
            version: row.integer("version")?,
        })
    })
    .transpose()
}

/// Moves the flow on under a new flow token, if it is neither finished nor expired and has not moved since it
/// was read.
pub fn advance_flow(
    id: FlowId,
    version: i64,
    state: StoredFlowState<'_>,
    token: &Digest<FlowToken>,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &ADVANCE,
        [
            id.into(),
            version.into(),
            state.document.into(),
            state.form.into(),
            state.account.into(),
            token.into(),
            now.into(),
        ],
    )
}

/// Finishes the flow under the same conditions.
pub fn finish_flow(id: FlowId, version: i64, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&FINISH, [id.into(), version.into(), now.into()])
}

static START: SqlStatement = SqlStatement::new(
    "flows.start",
    "INSERT INTO flows (id, digest, kind, state, state_form, account_id, created_at, expires_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
);
static FIND: SqlStatement = SqlStatement::new(
    "flows.find",
    "SELECT id, digest, kind, state, state_form, account_id, expires_at, finished_at, version FROM flows \
     WHERE id = ?1",
);
static ADVANCE: SqlStatement = SqlStatement::single_use(
    "flows.advance",
    "UPDATE flows SET state = ?3, state_form = ?4, account_id = ?5, digest = ?6, version = version + 1 \
     WHERE id = ?1 AND version = ?2 AND finished_at IS NULL AND expires_at > ?7",
);
static FINISH: SqlStatement = SqlStatement::single_use(
    "flows.finish",
    "UPDATE flows SET finished_at = ?3, version = version + 1 \
     WHERE id = ?1 AND version = ?2 AND finished_at IS NULL AND expires_at > ?3",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&START, &FIND, &ADVANCE, &FINISH];
