//! Ending sessions: one, those of an account, or all.

use crate::active_conditions::filter_only;
use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;
use sinete_core::id::{AccountId, SessionId};
use sinete_core::time::Timestamp;

/// Ends a session of the account. Idempotent.
pub fn end_session(account: AccountId, id: SessionId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(&END, [id.into(), account.into(), now.into()])
}

/// Ends every session of the account but one.
pub fn end_other_sessions(account: AccountId, session_id: SessionId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(&END_OTHERS, [account.into(), session_id.into(), now.into()])
}

/// Ends every session of the account.
pub fn end_account_sessions(account: AccountId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(&END_BY_ACCOUNT, [account.into(), now.into()])
}

/// Ends every session of every account.
pub fn end_all_sessions(now: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(&END_ALL_ACCOUNTS, [now.into()])
}

/// Lists a page of the sessions that were active until they ended at this moment and that opened a grant.
pub async fn list_sessions_ended_at(
    store: &Store,
    ended_at: Timestamp,
    after: Option<SessionId>,
    limit: u32,
) -> Result<Vec<SessionId>, StoreFailure> {
    // Empty bytes sort before every id.
    let after = after.map_or_else(SqlValue::empty_bytes, SqlValue::from);
    let rows = store.read_list(&LIST_ENDED_AT, &[ended_at.into(), after, limit.into()]).await?;
    rows.iter().map(|row| row.id("s.id")).collect()
}

/// Ends every session of the account and erases the descriptions.
pub fn erase_account_sessions(account: AccountId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(&ERASE_ALL, [account.into(), now.into()])
}

static END: SqlStatement = SqlStatement::new(
    "sessions.end",
    concat!(
        "UPDATE sessions SET ended_at = ?3 WHERE id = ?1 AND ",
        filter_only!("account_id = ?2"),
        " AND ended_at IS NULL"
    ),
);
static END_OTHERS: SqlStatement = SqlStatement::new(
    "sessions.end_others",
    "UPDATE sessions SET ended_at = ?3 WHERE account_id = ?1 AND id <> ?2 AND ended_at IS NULL",
);
static END_BY_ACCOUNT: SqlStatement = SqlStatement::new(
    "sessions.end_all",
    "UPDATE sessions SET ended_at = ?2 WHERE account_id = ?1 AND ended_at IS NULL",
);
static END_ALL_ACCOUNTS: SqlStatement =
    SqlStatement::new("sessions.end_everybodys", "UPDATE sessions SET ended_at = ?1 WHERE ended_at IS NULL");
static LIST_ENDED_AT: SqlStatement = SqlStatement::new(
    "sessions.ended_together",
    "SELECT s.id FROM sessions s JOIN accounts a ON a.id = s.account_id \
     WHERE s.id > ?2 AND s.ended_at = ?1 AND s.idle_expires_at > ?1 AND s.expires_at > ?1 \
     AND a.condition = 'enabled' AND s.account_epoch = a.epoch \
     AND EXISTS (SELECT 1 FROM grants l WHERE l.given_in = s.id) ORDER BY s.id LIMIT ?3",
);
static ERASE_ALL: SqlStatement = SqlStatement::new(
    "sessions.erase_all",
    "UPDATE sessions SET ended_at = COALESCE(ended_at, ?2), description = '{}', device_digest = NULL \
     WHERE account_id = ?1",
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&END, &END_OTHERS, &END_BY_ACCOUNT, &END_ALL_ACCOUNTS, &LIST_ENDED_AT, &ERASE_ALL];
