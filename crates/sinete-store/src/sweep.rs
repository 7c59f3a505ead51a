//! Deleting what expired long ago. Nothing depends on it: what has expired counts for nothing from the moment
//! it expires, swept or not. Logs are never swept, and what belongs to a grant goes only after the grant's end.

use crate::act::{Act, Step};
use crate::statement::Statement;
use sinete_core::time::Timestamp;

/// Most rows that one act deletes.
pub const ROWS_MAX: u32 = 500;

/// The acts of one sweep, one for each table, each deleting at most [`ROWS_MAX`] rows that expired before
/// `long_ago`. Commit them one by one; what is left waits for the next sweep.
pub fn acts(long_ago: Timestamp) -> impl Iterator<Item = Act> {
    STATEMENTS
        .iter()
        .map(move |statement| Act::new().with(Step::any(statement, [long_ago.into(), ROWS_MAX.into()])))
}

/// Forgets assertions and proofs that would have been refused for their age before this moment, as many as one act
/// deletes. There may be one for every request, so that they do not wait for the others.
pub fn of_replays(before: Timestamp) -> Act {
    Act::new().with(Step::any(&ASSERTION_REPLAYS, [before.into(), ROWS_MAX.into()]))
}

/// Deletes the oldest expired rows of a table that nothing refers to.
macro_rules! expired {
    ($table:literal, $key:literal) => {
        concat!(
            "DELETE FROM ",
            $table,
            " WHERE ",
            $key,
            " IN (SELECT ",
            $key,
            " FROM ",
            $table,
            " WHERE expires_at < ?1 ORDER BY expires_at LIMIT ?2)"
        )
    };
}

static REVOKED_JTIS: Statement = Statement::new("sweep.revoked_jtis", expired!("revoked_jtis", "jti"));
static PUSHED_REQUESTS: Statement =
    Statement::new("sweep.pushed_requests", expired!("pushed_requests", "digest"));
static DEVICE_REQUESTS: Statement = Statement::new(
    "sweep.device_requests",
    "DELETE FROM device_requests WHERE digest IN (SELECT digest FROM device_requests \
     WHERE expires_at < ?1 AND grant_id IS NULL ORDER BY expires_at LIMIT ?2)",
);
// What was handed over is kept as long as a code that was redeemed, so that a second hand is noticed whenever it comes.
static GRANTED_DEVICE_REQUESTS: Statement = Statement::new(
    "sweep.granted_device_requests",
    "DELETE FROM device_requests WHERE digest IN (SELECT q.digest FROM grants g \
     JOIN device_requests q ON q.grant_id = g.id WHERE g.expires_at < ?1 ORDER BY g.expires_at LIMIT ?2)",
);
static APPROVAL_REQUESTS: Statement = Statement::new(
    "sweep.approval_requests",
    "DELETE FROM approval_requests WHERE digest IN (SELECT digest FROM approval_requests \
     WHERE expires_at < ?1 AND grant_id IS NULL ORDER BY expires_at LIMIT ?2)",
);
static GRANTED_APPROVAL_REQUESTS: Statement = Statement::new(
    "sweep.granted_approval_requests",
    "DELETE FROM approval_requests WHERE digest IN (SELECT q.digest FROM grants g \
     JOIN approval_requests q ON q.grant_id = g.id WHERE g.expires_at < ?1 ORDER BY g.expires_at LIMIT ?2)",
);
static BOOTSTRAP_LINKS: Statement =
    Statement::new("sweep.bootstrap_links", expired!("bootstrap_links", "digest"));
static ACCOUNT_LINKS: Statement = Statement::new("sweep.account_links", expired!("account_links", "digest"));
static ADDRESS_CHANGES: Statement =
    Statement::new("sweep.address_changes", expired!("address_changes", "digest"));
static OUTBOX: Statement = Statement::new("sweep.outbox", expired!("outbox", "id"));
static WEBHOOK_ATTEMPTS: Statement =
    Statement::new("sweep.webhook_attempts", expired!("webhook_attempts", "id"));
static ASSERTION_REPLAYS: Statement = Statement::new(
    "sweep.assertion_replays",
    "DELETE FROM assertion_replays WHERE (client_id, assertion) IN (SELECT client_id, assertion \
     FROM assertion_replays WHERE expires_at < ?1 ORDER BY expires_at LIMIT ?2)",
);
static SAML_ANSWERS: Statement = Statement::new("sweep.saml_answers", expired!("saml_answers", "digest"));
static IDEMPOTENCY_KEYS: Statement = Statement::new(
    "sweep.idempotency_keys",
    "DELETE FROM idempotency_keys WHERE (caller, key_digest) IN (SELECT caller, key_digest \
     FROM idempotency_keys WHERE expires_at < ?1 ORDER BY expires_at LIMIT ?2)",
);
// What was counted of an account stays: failures in a row are no fewer for being far apart, and there are only so many
// accounts. Addresses that are nobody's have no end.
static ATTEMPT_COUNTERS: Statement = Statement::new(
    "sweep.attempt_counters",
    "DELETE FROM attempt_counters WHERE (subject, factor) IN (SELECT subject, factor FROM attempt_counters \
     WHERE since < ?1 AND blocked_until < ?1 AND subject NOT LIKE 'account %' ORDER BY since LIMIT ?2)",
);

static ONE_TIME_CODES: Statement = Statement::new(
    "sweep.one_time_codes",
    "DELETE FROM one_time_codes WHERE (flow_id, purpose) IN (SELECT k.flow_id, k.purpose FROM flows f \
     JOIN one_time_codes k ON k.flow_id = f.id WHERE f.expires_at < ?1 ORDER BY f.expires_at LIMIT ?2)",
);
static MAGIC_LINKS: Statement = Statement::new(
    "sweep.magic_links",
    "DELETE FROM magic_links WHERE digest IN (SELECT k.digest FROM flows f \
     JOIN magic_links k ON k.flow_id = f.id WHERE f.expires_at < ?1 ORDER BY f.expires_at LIMIT ?2)",
);
static FLOWS: Statement = Statement::new(
    "sweep.flows",
    "DELETE FROM flows WHERE id IN (SELECT f.id FROM flows f WHERE f.expires_at < ?1 \
     AND NOT EXISTS (SELECT 1 FROM one_time_codes k WHERE k.flow_id = f.id) \
     AND NOT EXISTS (SELECT 1 FROM magic_links k WHERE k.flow_id = f.id) ORDER BY f.expires_at LIMIT ?2)",
);

// The last of a chain goes first, because each refers to the one before it.
static DELEGATIONS: Statement = Statement::new(
    "sweep.delegations",
    "DELETE FROM delegations WHERE id IN (SELECT d.id FROM delegations d WHERE d.expires_at < ?1 \
     AND NOT EXISTS (SELECT 1 FROM delegations n WHERE n.parent_id = d.id) ORDER BY d.expires_at LIMIT ?2)",
);
static GRANTS: Statement = Statement::new(
    "sweep.grants",
    "DELETE FROM grants WHERE id IN (SELECT g.id FROM grants g WHERE g.expires_at < ?1 \
     AND NOT EXISTS (SELECT 1 FROM delegations d WHERE d.grant_id = g.id) \
     AND NOT EXISTS (SELECT 1 FROM device_requests q WHERE q.grant_id = g.id) \
     AND NOT EXISTS (SELECT 1 FROM approval_requests q WHERE q.grant_id = g.id) \
     ORDER BY g.expires_at LIMIT ?2)",
);
static SESSIONS: Statement = Statement::new(
    "sweep.sessions",
    "DELETE FROM sessions WHERE id IN (SELECT s.id FROM sessions s WHERE s.expires_at < ?1 \
     AND NOT EXISTS (SELECT 1 FROM grants g WHERE g.given_in = s.id AND g.session_id IS NOT NULL) \
     ORDER BY s.expires_at LIMIT ?2)",
);

/// In the order they are swept: what refers to others goes before them.
pub(crate) static STATEMENTS: &[&Statement] = &[
    &REVOKED_JTIS,
    &PUSHED_REQUESTS,
    &DEVICE_REQUESTS,
    &GRANTED_DEVICE_REQUESTS,
    &APPROVAL_REQUESTS,
    &GRANTED_APPROVAL_REQUESTS,
    &ACCOUNT_LINKS,
    &ADDRESS_CHANGES,
    &BOOTSTRAP_LINKS,
    &OUTBOX,
    &WEBHOOK_ATTEMPTS,
    &ASSERTION_REPLAYS,
    &SAML_ANSWERS,
    &IDEMPOTENCY_KEYS,
    &ATTEMPT_COUNTERS,
    &ONE_TIME_CODES,
    &MAGIC_LINKS,
    &FLOWS,
    &DELEGATIONS,
    &GRANTS,
    &SESSIONS,
];
