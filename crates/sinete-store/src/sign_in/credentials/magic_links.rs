//! Magic links sent by e-mail. Opening one shows a button; only pressing it uses the link.

use crate::active_conditions::flow_is_open;
use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::id::FlowId;
use sinete_core::secret;
use sinete_core::secret::Digest;
use sinete_core::time::Timestamp;

/// A magic link to send.
#[derive(Debug)]
pub struct NewMagicLink<'a> {
    /// Digest of the token in the link.
    pub digest: &'a Digest<secret::MagicLink>,
    /// The flow it belongs to.
    pub flow: FlowId,
    /// What it proves in the flow.
    pub purpose: &'a str,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// A magic link as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MagicLinkRow {
    /// The flow it belongs to.
    pub flow: FlowId,
    /// What it proves in the flow.
    pub purpose: String,
    /// When it expires.
    pub expires_at: Timestamp,
    /// When it was used, if it was.
    pub spent_at: Option<Timestamp>,
}

/// Stores a link for a flow.
pub fn issue_magic_link(link: &NewMagicLink<'_>) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &ISSUE,
        [
            link.digest.into(),
            link.flow.into(),
            link.purpose.into(),
            link.created_at.into(),
            link.expires_at.into(),
        ],
    )
}

/// Finds the link with this digest, used or not, expired or not.
pub async fn find_magic_link(
    store: &Store,
    digest: &Digest<secret::MagicLink>,
) -> Result<Option<MagicLinkRow>, StoreFailure> {
    let row = store.read_first(&FIND, &[digest.into()]).await?;
    row.map(|row| {
        Ok(MagicLinkRow {
            flow: row.id("flow_id")?,
            purpose: row.text("purpose")?.to_owned(),
            expires_at: row.timestamp("expires_at")?,
            spent_at: row.optional_timestamp("spent_at")?,
        })
    })
    .transpose()
}

/// Uses the link for its purpose, if it is unused and unexpired and its flow is open.
pub fn consume_magic_link(
    digest: &Digest<secret::MagicLink>,
    purpose: &str,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(&CONSUME, [digest.into(), purpose.into(), now.into()])
}

static ISSUE: SqlStatement = SqlStatement::new(
    "magic_links.issue",
    "INSERT INTO magic_links (digest, flow_id, purpose, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)",
);
static FIND: SqlStatement = SqlStatement::new(
    "magic_links.find",
    "SELECT flow_id, purpose, expires_at, spent_at FROM magic_links WHERE digest = ?1",
);
static CONSUME: SqlStatement = SqlStatement::single_use(
    "magic_links.spend",
    concat!(
        "UPDATE magic_links SET spent_at = ?3 \
         WHERE digest = ?1 AND purpose = ?2 AND spent_at IS NULL AND expires_at > ?3 AND ",
        flow_is_open!("magic_links.flow_id", "?3")
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&ISSUE, &FIND, &CONSUME];
