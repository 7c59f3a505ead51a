//! Links in messages to the owner of an account. Opening one shows a button; only pressing it uses the link.

use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::id::AccountId;
use sinete_core::secret::{AccountLink, Digest};
use sinete_core::time::Timestamp;

/// What a link is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountActionPurpose {
    /// Reporting that someone else did what the message describes.
    ReportSignIn,
}

impl AccountActionPurpose {
    const fn as_str(self) -> &'static str {
        match self {
            Self::ReportSignIn => "not_me",
        }
    }
}

/// A link as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountActionLinkRow {
    /// The account it is about.
    pub account: AccountId,
    /// When it expires.
    pub expires_at: Timestamp,
    /// When it was used, if it was.
    pub spent_at: Option<Timestamp>,
}

/// Creates a link about an account.
pub fn issue_action_link(
    digest: &Digest<AccountLink>,
    account: AccountId,
    purpose: AccountActionPurpose,
    now: Timestamp,
    expires_at: Timestamp,
) -> GuardedStatement {
    let purpose = purpose.as_str();
    GuardedStatement::exactly_one(
        &ISSUE,
        [digest.into(), account.into(), purpose.into(), now.into(), expires_at.into()],
    )
}

/// Finds the link with this digest and purpose, used or not, expired or not.
pub async fn find_action_link(
    store: &Store,
    digest: &Digest<AccountLink>,
    purpose: AccountActionPurpose,
) -> Result<Option<AccountActionLinkRow>, StoreFailure> {
    let row = store.read_first(&FIND, &[digest.into(), purpose.as_str().into()]).await?;
    row.map(|row| {
        Ok(AccountActionLinkRow {
            account: row.id("account_id")?,
            expires_at: row.timestamp("expires_at")?,
            spent_at: row.optional_timestamp("spent_at")?,
        })
    })
    .transpose()
}

/// Uses the link for its purpose, if it is unused and unexpired.
pub fn consume_action_link(
    digest: &Digest<AccountLink>,
    purpose: AccountActionPurpose,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(&CONSUME, [digest.into(), purpose.as_str().into(), now.into()])
}

static ISSUE: SqlStatement = SqlStatement::new(
    "account_links.issue",
    "INSERT INTO account_links (digest, account_id, purpose, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)",
);
static FIND: SqlStatement = SqlStatement::new(
    "account_links.find",
    "SELECT account_id, expires_at, spent_at FROM account_links WHERE digest = ?1 AND purpose = ?2",
);
static CONSUME: SqlStatement = SqlStatement::single_use(
    "account_links.spend",
    "UPDATE account_links SET spent_at = ?3 \
     WHERE digest = ?1 AND purpose = ?2 AND spent_at IS NULL AND expires_at > ?3",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&ISSUE, &FIND, &CONSUME];
