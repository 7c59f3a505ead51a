//! Former e-mail addresses of accounts. The holder of the old address can restore it for a while, once.

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::id::AccountId;
use sinete_core::secret::{AccountLink, Digest};
use sinete_core::time::Timestamp;

/// An e-mail address change to record.
#[derive(Debug)]
pub struct NewEmailChange<'a> {
    /// Digest of the token in the link sent to the old address.
    pub digest: &'a Digest<AccountLink>,
    /// The account.
    pub account: AccountId,
    /// The old address, as the user entered it.
    pub former: &'a str,
    /// When it was changed.
    pub created_at: Timestamp,
    /// When it can no longer be undone.
    pub expires_at: Timestamp,
}

/// An e-mail address change as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmailChangeRow {
    /// The account.
    pub account: AccountId,
    /// The old address, as the user entered it.
    pub former: String,
    /// When it was changed.
    pub created_at: Timestamp,
    /// When it can no longer be undone.
    pub expires_at: Timestamp,
    /// When it was undone or superseded, if it was.
    pub spent_at: Option<Timestamp>,
}

/// Records a change.
pub fn record_email_change(change: &NewEmailChange<'_>) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &ISSUE,
        [
            change.digest.into(),
            change.account.into(),
            change.former.into(),
            change.created_at.into(),
            change.expires_at.into(),
        ],
    )
}

/// Finds the change with this digest, undone or not, expired or not.
pub async fn find_email_change(
    store: &Store,
    digest: &Digest<AccountLink>,
) -> Result<Option<EmailChangeRow>, StoreFailure> {
    let row = store.read_first(&FIND, &[digest.into()]).await?;
    row.as_ref().map(read).transpose()
}

fn read(row: &SqlRow) -> Result<EmailChangeRow, StoreFailure> {
    Ok(EmailChangeRow {
        account: row.id("account_id")?,
        former: row.text("former")?.to_owned(),
        created_at: row.timestamp("created_at")?,
        expires_at: row.timestamp("expires_at")?,
        spent_at: row.optional_timestamp("spent_at")?,
    })
}

/// Lists the former addresses that the account can restore, oldest first.
pub async fn list_account_email_changes(
    store: &Store,
    account: AccountId,
) -> Result<Vec<EmailChangeRow>, StoreFailure> {
    store.read_all(&LIST_BY_ACCOUNT, &[account.into()]).await?.iter().map(read).collect()
}

/// Undoes the change, if it is not undone and not expired.
pub fn undo_email_change(digest: &Digest<AccountLink>, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&CONSUME, [digest.into(), now.into()])
}

/// Deletes the changes made after this one, which can no longer be undone: undoing this one removed their
/// addresses.
pub fn delete_later_email_changes(account: AccountId, created_at: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(&DELETE_LATER, [account.into(), created_at.into()])
}

/// Deletes every change of the account.
pub fn delete_account_email_changes(account: AccountId) -> GuardedStatement {
    GuardedStatement::any_number(&DELETE_BY_ACCOUNT, [account.into()])
}

static ISSUE: SqlStatement = SqlStatement::new(
    "address_changes.issue",
    "INSERT INTO address_changes (digest, account_id, former, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)",
);
static FIND: SqlStatement = SqlStatement::new(
    "address_changes.find",
    "SELECT account_id, former, created_at, expires_at, spent_at FROM address_changes WHERE digest = ?1",
);
static LIST_BY_ACCOUNT: SqlStatement = SqlStatement::new(
    "address_changes.of_account",
    "SELECT account_id, former, created_at, expires_at, spent_at FROM address_changes WHERE account_id = ?1 \
     ORDER BY created_at",
);
static CONSUME: SqlStatement = SqlStatement::single_use(
    "address_changes.spend",
    "UPDATE address_changes SET spent_at = ?2 WHERE digest = ?1 AND spent_at IS NULL AND expires_at > ?2",
);
static DELETE_LATER: SqlStatement = SqlStatement::new(
    "address_changes.forget_later",
    "DELETE FROM address_changes WHERE account_id = ?1 AND created_at > ?2",
);
static DELETE_BY_ACCOUNT: SqlStatement =
    SqlStatement::new("address_changes.forget_all", "DELETE FROM address_changes WHERE account_id = ?1");

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&ISSUE, &FIND, &LIST_BY_ACCOUNT, &CONSUME, &DELETE_LATER, &DELETE_BY_ACCOUNT];
