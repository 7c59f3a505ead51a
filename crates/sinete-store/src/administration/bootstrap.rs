//! The one-time links that create the first operator. A link stops working as soon as there are more
//! operators than when it was issued.

use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::secret::{BootstrapToken, Digest};
use sinete_core::time::Timestamp;

/// A bootstrap link as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BootstrapLinkRow {
    /// When it was issued.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
    /// When it was used, if it was.
    pub spent_at: Option<Timestamp>,
    /// Whether an operator was added since it was issued.
    pub is_superseded: bool,
}

impl BootstrapLinkRow {
    /// Whether it can create an operator now.
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.spent_at.is_none() && self.expires_at > now && !self.is_superseded
    }
}

/// Issues a link.
pub fn issue_bootstrap_link(
    digest: &Digest<BootstrapToken>,
    now: Timestamp,
    expires_at: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(&ISSUE, [digest.into(), now.into(), expires_at.into()])
}

/// Finds the link with this digest.
pub async fn find_bootstrap_link(
    store: &Store,
    digest: &Digest<BootstrapToken>,
) -> Result<Option<BootstrapLinkRow>, StoreFailure> {
    let row = store.read_first(&FIND, &[digest.into()]).await?;
    row.map(|row| {
        Ok(BootstrapLinkRow {
            created_at: row.timestamp("created_at")?,
            expires_at: row.timestamp("expires_at")?,
            spent_at: row.optional_timestamp("spent_at")?,
            is_superseded: row.integer("is_superseded")? != 0,
        })
    })
    .transpose()
}

/// Uses the link, if it is unused, unexpired and no operator was added since it was issued.
pub fn consume_bootstrap_link(digest: &Digest<BootstrapToken>, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&CONSUME, [digest.into(), now.into()])
}

/// Invalidates every other link, so that one used at the same moment fails.
pub fn end_other_bootstrap_links(digest: &Digest<BootstrapToken>) -> GuardedStatement {
    GuardedStatement::any_number(&END_OTHERS, [digest.into()])
}

/// The number of operators.
macro_rules! operators {
    () => {
        "(SELECT COUNT(*) FROM organizations o CROSS JOIN roles r CROSS JOIN membership_roles x CROSS JOIN memberships m \
         CROSS JOIN accounts a WHERE o.kind = 'operator' AND o.kind <> 'customer' AND r.organization_id = o.id \
         AND r.removed_at IS NULL AND r.is_built_in = 1 AND r.name = 'operator' AND x.role_id = r.id AND m.id = x.membership_id \
         AND a.id = m.account_id AND m.condition = 'enabled' AND a.condition = 'enabled')"
    };
}

static ISSUE: SqlStatement = SqlStatement::new(
    "bootstrap_links.issue",
    concat!(
        "INSERT INTO bootstrap_links (digest, created_at, expires_at, operators) VALUES (?1, ?2, ?3, ",
        operators!(),
        ")"
    ),
);
static FIND: SqlStatement = SqlStatement::new(
    "bootstrap_links.find",
    concat!(
        "SELECT created_at, expires_at, spent_at, CAST(CASE WHEN ",
        operators!(),
        " > operators THEN 1 ELSE 0 END AS BIGINT) AS is_superseded FROM bootstrap_links WHERE digest = ?1"
    ),
);
static CONSUME: SqlStatement = SqlStatement::single_use(
    "bootstrap_links.spend",
    concat!(
        "UPDATE bootstrap_links SET spent_at = ?2 WHERE digest = ?1 AND spent_at IS NULL AND expires_at > ?2 AND ",
        operators!(),
        " <= operators"
    ),
);
static END_OTHERS: SqlStatement = SqlStatement::new(
    "bootstrap_links.end_others",
    "UPDATE bootstrap_links SET expires_at = created_at WHERE digest <> ?1 AND spent_at IS NULL",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&ISSUE, &FIND, &CONSUME, &END_OTHERS];
