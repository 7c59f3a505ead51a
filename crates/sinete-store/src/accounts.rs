//! User accounts, one row each. An erased account keeps its row: the id is never reused.

pub mod action_links;
pub mod contacts;
pub mod email_changes;
pub mod pictures;

use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::lifecycle_condition;
use crate::row::SqlRow;
use crate::statement::{SqlStatement, like_prefix};
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::id::AccountId;
use sinete_core::limits::ACCOUNT_SEARCH_SCANNED_MAX;
use sinete_core::time::Timestamp;

/// Sorts after every id, which has sixteen bytes.
const AFTER_ALL_IDS: &[u8] = &[0xff; 17];

/// An account as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountRow {
    /// Its id.
    pub id: AccountId,
    /// Whether the user can sign in.
    pub condition: LifecycleCondition,
    /// The user's preferred language, if they chose one.
    pub language: Option<String>,
    /// The user's profile.
    pub profile: JsonDocument,
    /// Sessions and grants of an older epoch have ended.
    pub epoch: i64,
    /// When it was created.
    pub created_at: Timestamp,
    /// Row version.
    pub version: i64,
}

/// Creates an account that can sign in.
pub fn create_account(
    id: AccountId,
    language: Option<&str>,
    profile: &JsonDocument,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(&CREATE, [id.into(), language.into(), profile.into(), now.into()])
}

/// Finds the account of this id, in any condition.
pub async fn find_account(store: &Store, id: AccountId) -> Result<Option<AccountRow>, StoreFailure> {
    store.read_first(&FIND, &[id.into()]).await?.as_ref().map(read).transpose()
}

/// Lists a page of all accounts, oldest first.
pub async fn list_accounts(
    store: &Store,
    after: Option<AccountId>,
    limit: u32,
) -> Result<Vec<AccountRow>, StoreFailure> {
    // Empty bytes sort before every id.
    let after = after.map_or_else(SqlValue::empty_bytes, SqlValue::from);
    store.read_list(&PAGE, &[after, limit.into()]).await?.iter().map(read).collect()
}

/// A page of accounts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountPage {
    /// The accounts, at most as many as requested.
    pub accounts: Vec<AccountRow>,
    /// The account at which a search stopped before it had compared all; `None` if it did not stop early.
    pub stopped_at: Option<AccountId>,
}

impl From<Vec<AccountRow>> for AccountPage {
    fn from(accounts: Vec<AccountRow>) -> Self {
        Self { accounts, stopped_at: None }
    }
}

/// Lists a page of the accounts with an address or name that begins with this text, or whose id or external id in a
/// directory it is, oldest first. At most [`ACCOUNT_SEARCH_SCANNED_MAX`] accounts are compared.
pub async fn search_accounts(
    store: &Store,
    search: &str,
    after: Option<AccountId>,
    limit: u32,
) -> Result<AccountPage, StoreFailure> {
    let after = after.map_or_else(SqlValue::empty_bytes, SqlValue::from);
    let scanned = ACCOUNT_SEARCH_SCANNED_MAX.saturating_sub(1);
    let end = store.read_first(&SEARCH_END, &[after.clone(), scanned.into()]).await?;
    let end: Option<AccountId> = end.map(|row| row.id("id")).transpose()?;
    let last = end.map_or_else(|| SqlValue::from(AFTER_ALL_IDS), SqlValue::from);
    let id = search.parse::<AccountId>().map_or_else(|_| SqlValue::empty_bytes(), SqlValue::from);
    let prefix = like_prefix(search);
    // A name in the profile: `"name":"`, `"given_name":"` or `"family_name":"`, then the text.
    let name = format!("%name\":\"{prefix}");
    let parameters = [after, id, prefix.into(), name.into(), search.into(), limit.into(), last];
    let sql_rows = store.read_list(&SEARCH, &parameters).await?;
    Ok(AccountPage { accounts: sql_rows.iter().map(read).collect::<Result<_, _>>()?, stopped_at: end })
}

fn read(row: &SqlRow) -> Result<AccountRow, StoreFailure> {
    Ok(AccountRow {
        id: row.id("id")?,
        condition: lifecycle_condition::read_condition(row, "condition")?,
        language: row.optional_text("language")?.map(str::to_owned),
        profile: JsonDocument::from_row(row, "profile")?,
        epoch: row.integer("epoch")?,
        created_at: row.timestamp("created_at")?,
        version: row.integer("version")?,
    })
}

/// Locks the account until the transaction ends, if it is enabled and at this epoch. Transactions that start
/// with this run one after another for each account.
pub fn lock_account_row(id: AccountId, epoch: i64) -> GuardedStatement {
    GuardedStatement::exactly_one(&LOCK, [id.into(), epoch.into()])
}

/// Suspends, restores or ends the account, if it has not changed since it was read. Ending is final.
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

/// Increments the account's version, if it is enabled and has not changed since it was read. Rules that span
/// an account's rows, such as keeping a sign-in method, rely on this.
pub fn advance_account_version(account: &AccountRow) -> GuardedStatement {
    GuardedStatement::exactly_one(&ADVANCE, [account.id.into(), account.version.into()])
}

/// Changes the user's profile and language, if the account has not changed since it was read.
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

/// Ends the account permanently and erases its profile, if it has not changed since it was read. The id is
/// never reused.
pub fn erase_account(account: &AccountRow, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&ERASE, [account.id.into(), account.version.into(), now.into()])
}

/// Ends every session and revokes every grant of the account at once, on every node.
pub fn advance_account_epoch(id: AccountId) -> GuardedStatement {
    GuardedStatement::exactly_one(&ADVANCE_EPOCH, [id.into()])
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
// Addresses and external ids are read once for the whole range, and not once for each account.
static SEARCH: SqlStatement = SqlStatement::new(
    "accounts.search",
    "SELECT id, condition, language, profile, epoch, created_at, version FROM accounts \
     WHERE id > ?1 AND id <= ?7 AND (id = ?2 OR lower(profile) LIKE ?4 ESCAPE '!' \
     OR id IN (SELECT c.account_id FROM contacts c \
     WHERE c.account_id > ?1 AND c.account_id <= ?7 AND c.lookup LIKE ?3 ESCAPE '!') \
     OR id IN (SELECT m.account_id FROM memberships m \
     WHERE m.account_id > ?1 AND m.account_id <= ?7 AND m.external_id = ?5)) \
     ORDER BY id LIMIT ?6",
);
// The account at which a search stops: only the index of ids is read.
static SEARCH_END: SqlStatement = SqlStatement::new(
    "accounts.search_end",
    "SELECT id FROM accounts WHERE id > ?1 ORDER BY id LIMIT 1 OFFSET ?2",
);
static LOCK: SqlStatement = SqlStatement::new(
    "accounts.hold",
    "UPDATE accounts SET epoch = epoch WHERE id = ?1 AND epoch = ?2 AND condition = 'enabled'",
);
static CHANGE_CONDITION: SqlStatement = SqlStatement::new(
    "accounts.change_condition",
    "UPDATE accounts SET condition = ?3, condition_at = ?4, version = version + 1 \
     WHERE id = ?1 AND version = ?2 AND condition <> 'ended'",
);
static ADVANCE_EPOCH: SqlStatement =
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

pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &CREATE,
    &FIND,
    &PAGE,
    &SEARCH,
    &SEARCH_END,
    &LOCK,
    &CHANGE_CONDITION,
    &ADVANCE,
    &CHANGE_PROFILE,
    &ERASE,
    &ADVANCE_EPOCH,
];
