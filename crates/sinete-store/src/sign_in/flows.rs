//! Passes through the flow engine. Each step moves a flow from the version it was read at to the next, once.

use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::id::{AccountId, FlowId};
use sinete_core::secret::{Digest, FlowToken};
use sinete_core::time::Timestamp;

/// A flow to start.
#[derive(Debug)]
pub struct NewFlow<'a> {
    /// Its id.
    pub id: FlowId,
    /// Of the token that whoever walks through it holds.
    pub digest: &'a Digest<FlowToken>,
    /// What it is for.
    pub kind: &'a str,
    /// Where it stands.
    pub state: StoredFlowState<'a>,
    /// When it starts.
    pub created_at: Timestamp,
    /// When it can no longer be walked on.
    pub expires_at: Timestamp,
}

/// Where a flow stands, in the state machine's own form.
#[derive(Clone, Copy, Debug)]
pub struct StoredFlowState<'a> {
    /// The form.
    pub document: &'a JsonDocument,
    /// The number of the form it is written in.
    pub form: u32,
    /// The account it is about, once that is known.
    pub account: Option<AccountId>,
}

/// A flow as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowRow {
    /// Its id.
    pub id: FlowId,
    /// Of the token that whoever walks through it holds.
    pub digest: Digest<FlowToken>,
    /// What it is for.
    pub kind: String,
    /// Where it stands, in the state machine's own form.
    pub state: JsonDocument,
    /// The number of the form it is written in.
    pub form: u32,
    /// The account it is about, once that is known.
    pub account: Option<AccountId>,
    /// When it can no longer be walked on.
    pub expires_at: Timestamp,
    /// When it was finished, if it was.
    pub finished_at: Option<Timestamp>,
    /// How often it has moved.
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

/// The flow of this id, finished or not, expired or not.
pub async fn find_flow(store: &Store, id: FlowId) -> Result<Option<FlowRow>, StoreFailure> {
    let row = store.read_first(&FIND, &[id.into()]).await?;
    row.map(|row| {
        Ok(FlowRow {
            id: row.id(0)?,
            digest: row.digest(1)?,
            kind: row.text(2)?.to_owned(),
            state: JsonDocument::from_row(&row, 3)?,
            form: row.integer(4)?.try_into().map_err(|_| row.damaged_column(4, "the number of a form"))?,
            account: row.optional_id(5)?,
            expires_at: row.timestamp(6)?,
            finished_at: row.optional_timestamp(7)?,
            version: row.integer(8)?,
        })
    })
    .transpose()
}

/// Moves the flow on from the version it was read at, under the token it answers to from then on, if it is
/// neither finished nor expired and nobody has moved it meanwhile.
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

/// Finishes the flow at the version it was read at, under the same conditions.
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
