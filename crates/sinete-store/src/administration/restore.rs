//! Invalidates everything in a restored database that may have been used, rotated or revoked since the backup
//! was made.

use crate::statement::SqlStatement;
use crate::write_batch::GuardedStatement;
use sinete_core::time::Timestamp;

/// The reason recorded for revoked grants.
const REVOCATION_REASON: &str = "restored";

/// Ends every session, revokes every grant with its codes and refresh tokens, and ends everything that was in
/// progress. Users sign in again and clients request authorization again; accounts, credentials, memberships
/// and keys stay.
pub fn invalidate_restored_state(now: Timestamp) -> Vec<GuardedStatement> {
    vec![
        GuardedStatement::any_number(&END_SESSIONS, [now.into()]),
        GuardedStatement::any_number(&REVOKE_GRANTS, [now.into(), REVOCATION_REASON.into()]),
        GuardedStatement::any_number(&FINISH_FLOWS, [now.into()]),
        GuardedStatement::any_number(&CONSUME_ACCOUNT_LINKS, [now.into()]),
        GuardedStatement::any_number(&CONSUME_BOOTSTRAP_LINKS, [now.into()]),
        GuardedStatement::any_number(&CONSUME_PUSHED_REQUESTS, [now.into()]),
    ]
}

static END_SESSIONS: SqlStatement =
    SqlStatement::new("restored.end_sessions", "UPDATE sessions SET ended_at = ?1 WHERE ended_at IS NULL");
static REVOKE_GRANTS: SqlStatement = SqlStatement::new(
    "restored.revoke_grants",
    "UPDATE grants SET revoked_at = ?1, revoked_because = ?2, version = version + 1 WHERE revoked_at IS NULL",
);
static FINISH_FLOWS: SqlStatement = SqlStatement::new(
    "restored.finish_flows",
    "UPDATE flows SET finished_at = ?1, version = version + 1 WHERE finished_at IS NULL",
);
static CONSUME_ACCOUNT_LINKS: SqlStatement = SqlStatement::new(
    "restored.spend_account_links",
    "UPDATE account_links SET spent_at = ?1 WHERE spent_at IS NULL",
);
static CONSUME_BOOTSTRAP_LINKS: SqlStatement = SqlStatement::new(
    "restored.spend_bootstrap_links",
    "UPDATE bootstrap_links SET spent_at = ?1 WHERE spent_at IS NULL",
);
static CONSUME_PUSHED_REQUESTS: SqlStatement = SqlStatement::new(
    "restored.take_pushed_requests",
    "UPDATE pushed_requests SET taken_at = ?1 WHERE taken_at IS NULL",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &END_SESSIONS,
    &REVOKE_GRANTS,
    &FINISH_FLOWS,
    &CONSUME_ACCOUNT_LINKS,
    &CONSUME_BOOTSTRAP_LINKS,
    &CONSUME_PUSHED_REQUESTS,
];
