//! The one-time links that make the first operator.

use crate::act::Step;
use crate::failed::Failed;
use crate::statement::Statement;
use crate::store::Store;
use sinete_core::secret::{BootstrapToken, Digest};
use sinete_core::time::Timestamp;

/// What is known of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BootstrapLink {
    /// When it was made.
    pub created_at: Timestamp,
    /// When it stops working.
    pub expires_at: Timestamp,
    /// When it was spent, if it was.
    pub spent_at: Option<Timestamp>,
}

/// A new link.
pub fn issue(digest: &Digest<BootstrapToken>, now: Timestamp, expires_at: Timestamp) -> Step {
    Step::one(&ISSUE, [digest.into(), now.into(), expires_at.into()])
}

/// The link with this digest.
pub async fn find(store: &Store, digest: &Digest<BootstrapToken>) -> Result<Option<BootstrapLink>, Failed> {
    let row = store.first(&FIND, &[digest.into()]).await?;
    row.map(|row| {
        Ok(BootstrapLink {
            created_at: row.timestamp(0)?,
            expires_at: row.timestamp(1)?,
            spent_at: row.optional_timestamp(2)?,
        })
    })
    .transpose()
}

/// Spends the link, if it is unspent and has not expired.
pub fn spend(digest: &Digest<BootstrapToken>, now: Timestamp) -> Step {
    Step::one(&SPEND, [digest.into(), now.into()])
}

static ISSUE: Statement = Statement::new(
    "bootstrap_links.issue",
    "INSERT INTO bootstrap_links (digest, created_at, expires_at) VALUES (?1, ?2, ?3)",
);
static FIND: Statement = Statement::new(
    "bootstrap_links.find",
    "SELECT created_at, expires_at, spent_at FROM bootstrap_links WHERE digest = ?1",
);
static SPEND: Statement = Statement::single_use(
    "bootstrap_links.spend",
    "UPDATE bootstrap_links SET spent_at = ?2 WHERE digest = ?1 AND spent_at IS NULL AND expires_at > ?2",
);

pub(crate) static STATEMENTS: &[&Statement] = &[&ISSUE, &FIND, &SPEND];
