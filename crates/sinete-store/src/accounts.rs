//! People, one row each. What an account was or is never leaves by deletion: its id stays taken.

pub mod action_links;
pub mod contacts;
pub mod email_changes;

use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::lifecycle_condition;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::id::AccountId;
use sinete_core::time::Timestamp;

/// An account as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountRow {
    /// Its id.
    pub id: AccountId,
    /// Whether the person can sign in.
    pub condition: LifecycleCondition,
    /// The language the person reads, as they chose it.
    pub language: Option<String>,
    /// What the person says about themselves.
    pub profile: JsonDocument,
    /// Sessions and grants of an older epoch have ended.
    pub epoch: i64,
    /// When it was made.
    pub created_at: Timestamp,
    /// How often it has changed.
    pub version: i64,
}

/// A new account that can sign in.
pub fn create_account(
    id: AccountId,
    language: Option<&str>,
    profile: &JsonDocument,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(&CREATE, [id.into(), language.into(), profile.into(), now.into()])
}

/// The account of this id, whatever its condition.
pub async fn find_account(store: &Store, id: AccountId) -> Result<Option<AccountRow>, StoreFailure> {
    store.read_first(&FIND, &[id.into()]).await?.as_ref().map(read).transpose()
}

/// A page of all accounts, oldest first.
pub async fn list_accounts(
    store: &Store,
    after: Option<AccountId>,
    most: u32,
) -> Result<Vec<AccountRow>, StoreFailure> {
    // No id is smaller than no bytes at all.
    let after = after.map_or_else(SqlValue::empty_bytes, SqlValue::from);
    store.read_list(&PAGE, &[after, most.into()]).await?.iter().map(read).collect()
}

fn read(row: &SqlRow) -> Result<AccountRow, StoreFailure> {
    Ok(AccountRow {
        id: row.id(0)?,
        condition: lifecycle_condition::read_condition(row, 1)?,
        language: row.optional_text(2)?.map(str::to_owned),
        profile: JsonDocument::from_row(row, 3)?,
        epoch: row.integer(4)?,
        created_at: row.timestamp(5)?,
        version: row.integer(6)?,
    })
}

/// Finds the account enabled and at the epoch it was read at, and keeps it so until the act is done. Acts that
/// begin with this on one account happen one after the other.
pub fn lock_account(id: AccountId, epoch: i64) -> GuardedStatement {
    GuardedStatement::exactly_one(&HOLD, [id.into(), epoch.into()])
}

/// Suspends, restores or ends the account, if nobody has changed it since it was read. An ended one stays so.
pub fn change_account_condition(
    id: AccountId,
    version: i64,
    condition: LifecycleCondition,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &CHANGE_CONDITION,
        [id.into(), version.into(), lifecycle_condition::condition_text(condition).into(), now.into()],
    )
}

/// Counts a change that concerns the account as a whole, if it is enabled and nobody has counted one since it was
/// read. Rules that span what hangs from an account, such as keeping a way to sign in, stand on this.
pub fn advance_account_version(account: &AccountRow) -> GuardedStatement {
    GuardedStatement::exactly_one(&ADVANCE, [account.id.into(), account.version.into()])
}

/// Changes what the person says about themselves and the language they read, if nobody has changed the account
/// since it was read.
pub fn change_account_profile(
    account: &AccountRow,
    profile: &JsonDocument,
    language: Option<&str>,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &CHANGE_PROFILE,
        [account.id.into(), account.version.into(), profile.into(), language.into()],
    )
}

/// Ends the account for good and forgets what the person said about themselves, if nobody has changed it since
/// it was read. Its id stays taken.
pub fn erase_account(account: &AccountRow, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&ERASE, [account.id.into(), account.version.into(), now.into()])
}

/// Ends every session and every grant of the account at once, on every node.
pub fn advance_account_epoch(id: AccountId) -> GuardedStatement {
    GuardedStatement::exactly_one(&END_EVERYTHING, [id.into()])
}

static CREATE: SqlStatement = SqlStatement::new(
    "accounts.create",
    "INSERT INTO accounts (id, condition, language, profile, created_at, condition_at) \
     VALUES (?1, 'enabled', ?2, ?3, ?4, ?4)",
);
static FIND: SqlStatement = SqlStatement::new(
    "accounts.find",
    "SELECT id, condition, language, profile, epoch, created_at, version FROM accounts WHERE id = ?1",
);
static PAGE: SqlStatement = SqlStatement::new(
    "accounts.page",
    "SELECT id, condition, language, profile, epoch, created_at, version FROM accounts WHERE id > ?1 \
     ORDER BY id LIMIT ?2",
);
static HOLD: SqlStatement = SqlStatement::new(
    "accounts.hold",
    "UPDATE accounts SET epoch = epoch WHERE id = ?1 AND epoch = ?2 AND condition = 'enabled'",
);
static CHANGE_CONDITION: SqlStatement = SqlStatement::new(
    "accounts.change_condition",
    "UPDATE accounts SET condition = ?3, condition_at = ?4, version = version + 1 \
     WHERE id = ?1 AND version = ?2 AND condition <> 'ended'",
);
static END_EVERYTHING: SqlStatement =
    SqlStatement::new("accounts.end_everything", "UPDATE accounts SET epoch = epoch + 1 WHERE id = ?1");

static ADVANCE: SqlStatement = SqlStatement::new(
    "accounts.advance",
    "UPDATE accounts SET version = version + 1 WHERE id = ?1 AND version = ?2 AND condition = 'enabled'",
);
static CHANGE_PROFILE: SqlStatement = SqlStatement::new(
    "accounts.change_profile",
    "UPDATE accounts SET profile = ?3, language = ?4, version = version + 1 \
     WHERE id = ?1 AND version = ?2 AND condition = 'enabled'",
);
static ERASE: SqlStatement = SqlStatement::new(
    "accounts.erase",
    "UPDATE accounts SET condition = 'ended', condition_at = ?3, profile = '{}', language = NULL, \
     epoch = epoch + 1, version = version + 1 WHERE id = ?1 AND version = ?2 AND condition <> 'ended'",
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&CREATE, &FIND, &PAGE, &HOLD, &CHANGE_CONDITION, &ADVANCE, &CHANGE_PROFILE, &ERASE, &END_EVERYTHING];
