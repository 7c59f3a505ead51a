//! Addresses that people were reached at before. Whoever reads the old one may have it back for a while, once.

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::id::AccountId;
use sinete_core::secret::{AccountLink, Digest};
use sinete_core::time::Timestamp;

/// A change to be remembered.
#[derive(Debug)]
pub struct NewEmailChange<'a> {
    /// Of what the link in the message to the old address carries.
    pub digest: &'a Digest<AccountLink>,
    /// Whose address it was.
    pub account: AccountId,
    /// The old address, as the person wrote it.
    pub former: &'a str,
    /// When it was changed.
    pub created_at: Timestamp,
    /// When it can no longer be taken back.
    pub expires_at: Timestamp,
}

/// A change as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmailChangeRow {
    /// Whose address it was.
    pub account: AccountId,
    /// The old address, as the person wrote it.
    pub former: String,
    /// When it was changed.
    pub created_at: Timestamp,
    /// When it can no longer be taken back.
    pub expires_at: Timestamp,
    /// When it was taken back, or overtaken, if it was.
    pub spent_at: Option<Timestamp>,
}

/// Remembers a change.
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

/// The change with this digest, taken back or not, expired or not.
pub async fn find_email_change(
    store: &Store,
    digest: &Digest<AccountLink>,
) -> Result<Option<EmailChangeRow>, StoreFailure> {
    let row = store.read_first(&FIND, &[digest.into()]).await?;
    row.as_ref().map(read).transpose()
}

fn read(row: &SqlRow) -> Result<EmailChangeRow, StoreFailure> {
    Ok(EmailChangeRow {
        account: row.id(0)?,
        former: row.text(1)?.to_owned(),
        created_at: row.timestamp(2)?,
        expires_at: row.timestamp(3)?,
        spent_at: row.optional_timestamp(4)?,
    })
}

/// The addresses the account was reached at before and may be again, oldest first.
pub async fn list_account_email_changes(
    store: &Store,
    account: AccountId,
) -> Result<Vec<EmailChangeRow>, StoreFailure> {
    store.read_all(&OF_ACCOUNT, &[account.into()]).await?.iter().map(read).collect()
}

/// Takes the change back, if nobody has and it is in time.
pub fn spend_email_change(digest: &Digest<AccountLink>, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&SPEND, [digest.into(), now.into()])
}

/// Whatever was changed after this one cannot be taken back any more: it went to addresses that came after it.
pub fn delete_later_email_changes(account: AccountId, created_at: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(&FORGET_LATER, [account.into(), created_at.into()])
}

/// Forgets every change of the account.
pub fn delete_account_email_changes(account: AccountId) -> GuardedStatement {
    GuardedStatement::any_number(&FORGET_ALL, [account.into()])
}

static ISSUE: SqlStatement = SqlStatement::new(
    "address_changes.issue",
    "INSERT INTO address_changes (digest, account_id, former, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)",
);
static FIND: SqlStatement = SqlStatement::new(
    "address_changes.find",
    "SELECT account_id, former, created_at, expires_at, spent_at FROM address_changes WHERE digest = ?1",
);
static OF_ACCOUNT: SqlStatement = SqlStatement::new(
    "address_changes.of_account",
    "SELECT account_id, former, created_at, expires_at, spent_at FROM address_changes WHERE account_id = ?1 \
     ORDER BY created_at",
);
static SPEND: SqlStatement = SqlStatement::single_use(
    "address_changes.spend",
    "UPDATE address_changes SET spent_at = ?2 WHERE digest = ?1 AND spent_at IS NULL AND expires_at > ?2",
);
static FORGET_LATER: SqlStatement = SqlStatement::new(
    "address_changes.forget_later",
    "DELETE FROM address_changes WHERE account_id = ?1 AND created_at > ?2",
);
static FORGET_ALL: SqlStatement =
    SqlStatement::new("address_changes.forget_all", "DELETE FROM address_changes WHERE account_id = ?1");

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&ISSUE, &FIND, &OF_ACCOUNT, &SPEND, &FORGET_LATER, &FORGET_ALL];
