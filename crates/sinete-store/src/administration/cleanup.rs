//! Cleanup: deletes rows that expired long ago. Nothing depends on it: an expired row is invalid from the
//! moment it expires, deleted or not. Logs are never deleted, and rows of a grant only after the grant has
//! ended.
//!
//! [`crate::administration::retention`] lists when each table is cleaned up, and why others are not.

use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::{GuardedStatement, WriteBatch};
use sinete_core::limits::{
    ACTIVE_USER_RETENTION, ANONYMOUS_ROW_RETENTION, CLEANUP_AFTER, CLEANUP_ROWS_MAX, ENDED_RECORD_RETENTION,
    FLOW_ROW_RETENTION, KNOWN_DEVICE_RETENTION, REPLAY_CLEANUP_AFTER, SCIM_REQUEST_RETENTION,
    SESSION_AGE_MAX,
};
use sinete_core::time::{Lifetime, Timestamp};

/// Most rows that one transaction deletes.
pub const ROWS_MAX: u32 = CLEANUP_ROWS_MAX;

/// Rows of one table that are deleted some time after they expired.
#[derive(Debug)]
pub struct ExpiringRows {
    /// The table.
    pub table: &'static str,
    /// How long rows are kept after they expired.
    pub retention: Lifetime,
    find: &'static SqlStatement,
    delete: &'static SqlStatement,
}

impl ExpiringRows {
    /// Whether any expired before this moment.
    pub async fn has_expired_rows(&self, store: &Store, before: Timestamp) -> Result<bool, StoreFailure> {
        Ok(store.read_first(self.find, &[before.into()]).await?.is_some())
    }

    /// Deletes rows that expired before this moment, at most [`ROWS_MAX`].
    pub fn delete_expired(&self, before: Timestamp) -> WriteBatch {
        WriteBatch::new()
            .with_statement(GuardedStatement::any_number(self.delete, [before.into(), ROWS_MAX.into()]))
    }
}

/// The batches of one cleanup run, one for each kind of row, each deleting at most [`ROWS_MAX`] rows that
/// expired before `long_ago`. Commit them one by one; the rest is left to the next run.
pub fn cleanup_batches(long_ago: Timestamp) -> impl Iterator<Item = WriteBatch> {
    EXPIRING.iter().map(move |rows| rows.delete_expired(long_ago))
}

/// A table, its key, and which of its rows have expired, oldest first; `?1` is the time before which they
/// did.
macro_rules! define_expiring_rows {
    ($($find:ident, $delete:ident: $name:literal, $table:literal by $key:literal, $select:literal $rows:literal;)*) => {
        $(
            static $find: SqlStatement =
                SqlStatement::new(concat!("sweep.any_", $name), concat!("SELECT 1 ", $rows, " LIMIT 1"));
            static $delete: SqlStatement = SqlStatement::new(
                concat!("sweep.", $name),
                concat!("DELETE FROM ", $table, " WHERE ", $key, " IN (SELECT ", $select, " ", $rows, " LIMIT ?2)"),
            );
        )*

        pub(crate) static STATEMENTS: &[&SqlStatement] = &[$(&$find, &$delete),*];
    };
}

define_expiring_rows! {
    ANY_REVOKED_JTIS, REVOKED_JTIS: "revoked_jtis", "revoked_jtis" by "jti",
        "x.jti" "FROM revoked_jtis x WHERE x.expires_at < ?1 ORDER BY x.expires_at";
    ANY_PUSHED_REQUESTS, PUSHED_REQUESTS: "pushed_requests", "pushed_requests" by "digest",
        "x.digest" "FROM pushed_requests x WHERE x.expires_at < ?1 ORDER BY x.expires_at";
    ANY_DEVICE_REQUESTS, DEVICE_REQUESTS: "device_requests", "device_requests" by "digest",
        "x.digest" "FROM device_requests x WHERE x.expires_at < ?1 AND x.grant_id IS NULL ORDER BY x.expires_at";
    // Redeemed requests are kept as long as redeemed authorization codes, so that reuse is detected whenever
    // it happens.
    ANY_GRANTED_DEVICE_REQUESTS, GRANTED_DEVICE_REQUESTS: "granted_device_requests", "device_requests" by "digest",
        "q.digest" "FROM grants g JOIN device_requests q ON q.grant_id = g.id WHERE g.expires_at < ?1 \
                    ORDER BY g.expires_at";
    ANY_APPROVAL_REQUESTS, APPROVAL_REQUESTS: "approval_requests", "approval_requests" by "digest",
        "x.digest" "FROM approval_requests x WHERE x.expires_at < ?1 AND x.grant_id IS NULL ORDER BY x.expires_at";
    ANY_GRANTED_APPROVAL_REQUESTS, GRANTED_APPROVAL_REQUESTS: "granted_approval_requests",
        "approval_requests" by "digest",
        "q.digest" "FROM grants g JOIN approval_requests q ON q.grant_id = g.id WHERE g.expires_at < ?1 \
                    ORDER BY g.expires_at";
    ANY_BOOTSTRAP_LINKS, BOOTSTRAP_LINKS: "bootstrap_links", "bootstrap_links" by "digest",
        "x.digest" "FROM bootstrap_links x WHERE x.expires_at < ?1 ORDER BY x.expires_at";
    ANY_ACCOUNT_LINKS, ACCOUNT_LINKS: "account_links", "account_links" by "digest",
        "x.digest" "FROM account_links x WHERE x.expires_at < ?1 ORDER BY x.expires_at";
    ANY_ADDRESS_CHANGES, ADDRESS_CHANGES: "address_changes", "address_changes" by "digest",
        "x.digest" "FROM address_changes x WHERE x.expires_at < ?1 ORDER BY x.expires_at";
    ANY_OUTBOX, OUTBOX: "outbox", "outbox" by "id",
        "x.id" "FROM outbox x WHERE x.expires_at < ?1 ORDER BY x.expires_at";
    ANY_WEBHOOK_ATTEMPTS, WEBHOOK_ATTEMPTS: "webhook_attempts", "webhook_attempts" by "id",
        "x.id" "FROM webhook_attempts x WHERE x.expires_at < ?1 ORDER BY x.expires_at";
    ANY_ASSERTION_REPLAYS, ASSERTION_REPLAYS: "assertion_replays", "assertion_replays" by "(client_id, assertion)",
        "x.client_id, x.assertion" "FROM assertion_replays x WHERE x.expires_at < ?1 ORDER BY x.expires_at";
    ANY_LOGOUT_DELIVERIES, LOGOUT_DELIVERIES: "logout_deliveries",
        "logout_deliveries" by "(session_id, client_id, membership_id)", "x.session_id, x.client_id, x.membership_id"
        "FROM logout_deliveries x WHERE x.expires_at < ?1 ORDER BY x.expires_at";
    ANY_SAML_ANSWERS, SAML_ANSWERS: "saml_answers", "saml_answers" by "digest",
        "x.digest" "FROM saml_answers x WHERE x.expires_at < ?1 ORDER BY x.expires_at";
    ANY_IDEMPOTENCY_KEYS, IDEMPOTENCY_KEYS: "idempotency_keys", "idempotency_keys" by "(caller, key_digest)",
        "x.caller, x.key_digest" "FROM idempotency_keys x WHERE x.expires_at < ?1 ORDER BY x.expires_at";
    // Counters of accounts stay: consecutive failures count however far apart they are, and the number of
    // accounts is limited. That of unknown addresses is not.
    ANY_ATTEMPT_COUNTERS, ATTEMPT_COUNTERS: "attempt_counters", "attempt_counters" by "(subject, factor)",
        "x.subject, x.factor" "FROM attempt_counters x WHERE x.since < ?1 AND x.blocked_until < ?1 \
                               AND x.subject NOT LIKE 'account %' ORDER BY x.since";
    // Counters of a device are deleted once no cookie of that age is recognised.
    ANY_DEVICE_COUNTERS, DEVICE_COUNTERS: "device_counters", "attempt_counters" by "(subject, factor)",
        "x.subject, x.factor" "FROM attempt_counters x WHERE x.since < ?1 AND x.blocked_until < ?1 \
                               AND x.subject LIKE 'account % device %' ORDER BY x.since";
    // Counters of a session are deleted once no session can be that old.
    ANY_SESSION_COUNTERS, SESSION_COUNTERS: "session_counters", "attempt_counters" by "(subject, factor)",
        "x.subject, x.factor" "FROM attempt_counters x WHERE x.since < ?1 AND x.blocked_until < ?1 \
                               AND x.subject LIKE 'account % session %' ORDER BY x.since";
    // The last device of an account stays: an account with a known device is alerted to a sign-in elsewhere,
    // however long ago that was.
    ANY_DEVICES, DEVICES: "devices", "devices" by "(account_id, digest)",
        "x.account_id, x.digest" "FROM devices x WHERE x.last_seen_at < ?1 AND EXISTS (SELECT 1 FROM devices n \
                                  WHERE n.account_id = x.account_id AND (n.last_seen_at > x.last_seen_at \
                                  OR (n.last_seen_at = x.last_seen_at AND n.digest > x.digest))) ORDER BY x.last_seen_at";
    ANY_CLIENT_SECRETS, CLIENT_SECRETS: "client_secrets", "client_secrets" by "digest",
        "x.digest" "FROM client_secrets x WHERE COALESCE(x.revoked_at, x.expires_at) < ?1 \
                    ORDER BY COALESCE(x.revoked_at, x.expires_at)";
    // An accepted invitation stays with its membership, as it holds the address, and so does one whose
    // membership is still unclaimed.
    ANY_INVITATIONS, INVITATIONS: "invitations", "invitations" by "id",
        "x.id" "FROM invitations x WHERE COALESCE(x.revoked_at, x.expires_at) < ?1 AND x.accepted_at IS NULL \
                AND EXISTS (SELECT 1 FROM memberships m WHERE m.id = x.membership_id \
                AND (m.condition = 'ended' OR m.account_id IS NOT NULL)) ORDER BY COALESCE(x.revoked_at, x.expires_at)";
    ANY_SETUP_LINKS, SETUP_LINKS: "setup_links", "setup_links" by "id",
        "x.id" "FROM setup_links x WHERE x.expires_at < ?1 ORDER BY x.expires_at";
    ANY_ASSIGNMENTS, ASSIGNMENTS: "assignments", "assignments" by "id",
        "x.id" "FROM assignments x WHERE COALESCE(x.ended_at, x.ends_at) < ?1 ORDER BY COALESCE(x.ended_at, x.ends_at)";
    ANY_ONE_TIME_CODES, ONE_TIME_CODES: "one_time_codes", "one_time_codes" by "(flow_id, purpose)",
        "k.flow_id, k.purpose" "FROM flows f JOIN one_time_codes k ON k.flow_id = f.id WHERE f.expires_at < ?1 \
                                ORDER BY f.expires_at";
    ANY_MAGIC_LINKS, MAGIC_LINKS: "magic_links", "magic_links" by "digest",
        "k.digest" "FROM flows f JOIN magic_links k ON k.flow_id = f.id WHERE f.expires_at < ?1 ORDER BY f.expires_at";
    ANY_FLOWS, FLOWS: "flows", "flows" by "id",
        "f.id" "FROM flows f WHERE f.expires_at < ?1 \
                AND NOT EXISTS (SELECT 1 FROM one_time_codes k WHERE k.flow_id = f.id) \
                AND NOT EXISTS (SELECT 1 FROM magic_links k WHERE k.flow_id = f.id) ORDER BY f.expires_at";
    // The last of a chain goes first, because each references the previous one.
    ANY_DELEGATIONS, DELEGATIONS: "delegations", "delegations" by "id",
        "d.id" "FROM delegations d WHERE d.expires_at < ?1 \
                AND NOT EXISTS (SELECT 1 FROM delegations n WHERE n.parent_id = d.id) ORDER BY d.expires_at";
    ANY_ACTIVE_USERS, ACTIVE_USERS: "active_users", "active_users" by "user_id",
        "x.user_id" "FROM active_users x WHERE x.active_on < ?1 ORDER BY x.active_on";
    ANY_USAGE_COUNTS, USAGE_COUNTS: "usage_counts", "usage_counts" by "(organization_id, starts_at, counter)",
        "x.organization_id, x.starts_at, x.counter" "FROM usage_counts x WHERE x.starts_at < ?1 ORDER BY x.starts_at";
    ANY_ENDED_USAGE_COUNTS, ENDED_USAGE_COUNTS: "ended_usage_counts",
        "usage_counts" by "(organization_id, starts_at, counter)", "x.organization_id, x.starts_at, x.counter"
        "FROM organizations o JOIN usage_counts x ON x.organization_id = o.id WHERE o.ends_at < ?1 ORDER BY o.ends_at";
    ANY_SCIM_REQUESTS, SCIM_REQUESTS: "scim_requests", "scim_requests" by "id",
        "x.id" "FROM scim_requests x WHERE x.at < ?1 ORDER BY x.at";
    ANY_API_KEYS, API_KEYS: "api_keys", "api_keys" by "id",
        "x.id" "FROM api_keys x WHERE COALESCE(x.revoked_at, x.expires_at) < ?1 \
                AND NOT EXISTS (SELECT 1 FROM delegations d WHERE d.api_key_id = x.id) \
                ORDER BY COALESCE(x.revoked_at, x.expires_at)";
    ANY_GRANTS, GRANTS: "grants", "grants" by "id",
        "g.id" "FROM grants g WHERE g.expires_at < ?1 \
                AND NOT EXISTS (SELECT 1 FROM delegations d WHERE d.grant_id = g.id) \
                AND NOT EXISTS (SELECT 1 FROM device_requests q WHERE q.grant_id = g.id) \
                AND NOT EXISTS (SELECT 1 FROM approval_requests q WHERE q.grant_id = g.id) ORDER BY g.expires_at";
    ANY_SESSIONS, SESSIONS: "sessions", "sessions" by "id",
        "s.id" "FROM sessions s WHERE s.expires_at < ?1 \
                AND NOT EXISTS (SELECT 1 FROM grants g WHERE g.given_in = s.id AND g.session_id IS NOT NULL) \
                ORDER BY s.expires_at";
}

const fn expiring_rows(
    table: &'static str,
    lifetime: Lifetime,
    find: &'static SqlStatement,
    delete: &'static SqlStatement,
) -> ExpiringRows {
    ExpiringRows { table, retention: lifetime, find, delete }
}

/// In the order of deletion: referencing rows go before the referenced ones.
pub static EXPIRING: &[ExpiringRows] = &[
    expiring_rows("revoked_jtis", CLEANUP_AFTER, &ANY_REVOKED_JTIS, &REVOKED_JTIS),
    expiring_rows("pushed_requests", ANONYMOUS_ROW_RETENTION, &ANY_PUSHED_REQUESTS, &PUSHED_REQUESTS),
    expiring_rows("device_requests", FLOW_ROW_RETENTION, &ANY_DEVICE_REQUESTS, &DEVICE_REQUESTS),
    expiring_rows("device_requests", CLEANUP_AFTER, &ANY_GRANTED_DEVICE_REQUESTS, &GRANTED_DEVICE_REQUESTS),
    expiring_rows("approval_requests", CLEANUP_AFTER, &ANY_APPROVAL_REQUESTS, &APPROVAL_REQUESTS),
    expiring_rows(
        "approval_requests",
        CLEANUP_AFTER,
        &ANY_GRANTED_APPROVAL_REQUESTS,
        &GRANTED_APPROVAL_REQUESTS,
    ),
    expiring_rows("account_links", CLEANUP_AFTER, &ANY_ACCOUNT_LINKS, &ACCOUNT_LINKS),
    expiring_rows("address_changes", CLEANUP_AFTER, &ANY_ADDRESS_CHANGES, &ADDRESS_CHANGES),
    expiring_rows("bootstrap_links", CLEANUP_AFTER, &ANY_BOOTSTRAP_LINKS, &BOOTSTRAP_LINKS),
    expiring_rows("outbox", CLEANUP_AFTER, &ANY_OUTBOX, &OUTBOX),
    expiring_rows("webhook_attempts", CLEANUP_AFTER, &ANY_WEBHOOK_ATTEMPTS, &WEBHOOK_ATTEMPTS),
    // DPoP clients leave a row with every request.
    expiring_rows("assertion_replays", REPLAY_CLEANUP_AFTER, &ANY_ASSERTION_REPLAYS, &ASSERTION_REPLAYS),
    expiring_rows("logout_deliveries", CLEANUP_AFTER, &ANY_LOGOUT_DELIVERIES, &LOGOUT_DELIVERIES),
    expiring_rows("saml_answers", CLEANUP_AFTER, &ANY_SAML_ANSWERS, &SAML_ANSWERS),
    expiring_rows("idempotency_keys", CLEANUP_AFTER, &ANY_IDEMPOTENCY_KEYS, &IDEMPOTENCY_KEYS),
    expiring_rows("attempt_counters", CLEANUP_AFTER, &ANY_ATTEMPT_COUNTERS, &ATTEMPT_COUNTERS),
    expiring_rows("attempt_counters", KNOWN_DEVICE_RETENTION, &ANY_DEVICE_COUNTERS, &DEVICE_COUNTERS),
    expiring_rows("attempt_counters", SESSION_AGE_MAX, &ANY_SESSION_COUNTERS, &SESSION_COUNTERS),
    expiring_rows("devices", KNOWN_DEVICE_RETENTION, &ANY_DEVICES, &DEVICES),
    expiring_rows("client_secrets", ENDED_RECORD_RETENTION, &ANY_CLIENT_SECRETS, &CLIENT_SECRETS),
    expiring_rows("invitations", ENDED_RECORD_RETENTION, &ANY_INVITATIONS, &INVITATIONS),
    expiring_rows("setup_links", ENDED_RECORD_RETENTION, &ANY_SETUP_LINKS, &SETUP_LINKS),
    expiring_rows("assignments", ENDED_RECORD_RETENTION, &ANY_ASSIGNMENTS, &ASSIGNMENTS),
    expiring_rows("one_time_codes", FLOW_ROW_RETENTION, &ANY_ONE_TIME_CODES, &ONE_TIME_CODES),
    expiring_rows("magic_links", FLOW_ROW_RETENTION, &ANY_MAGIC_LINKS, &MAGIC_LINKS),
    expiring_rows("flows", FLOW_ROW_RETENTION, &ANY_FLOWS, &FLOWS),
    expiring_rows("delegations", CLEANUP_AFTER, &ANY_DELEGATIONS, &DELEGATIONS),
    expiring_rows("api_keys", ENDED_RECORD_RETENTION, &ANY_API_KEYS, &API_KEYS),
    expiring_rows("grants", CLEANUP_AFTER, &ANY_GRANTS, &GRANTS),
    expiring_rows("sessions", CLEANUP_AFTER, &ANY_SESSIONS, &SESSIONS),
    expiring_rows("active_users", ACTIVE_USER_RETENTION, &ANY_ACTIVE_USERS, &ACTIVE_USERS),
    expiring_rows("scim_requests", SCIM_REQUEST_RETENTION, &ANY_SCIM_REQUESTS, &SCIM_REQUESTS),
    // Those of deleted organizations.
    expiring_rows("usage_counts", CLEANUP_AFTER, &ANY_ENDED_USAGE_COUNTS, &ENDED_USAGE_COUNTS),
];

/// Usage counts, whose retention is a setting.
pub const fn expiring_usage_counts(retention: Lifetime) -> ExpiringRows {
    expiring_rows("usage_counts", retention, &ANY_USAGE_COUNTS, &USAGE_COUNTS)
}
