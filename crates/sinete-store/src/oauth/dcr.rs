//! The tokens by which clients manage their own registration, and the end of registrations nobody uses.

use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::client_id::ClientId;
use sinete_core::secret::{Digest, RegistrationToken};
use sinete_core::time::{Lifetime, Timestamp};

/// What a registration token is to its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegistrationTokenStatus {
    /// It is the one in force.
    Current,
    /// It replaces the one in force when it is first used.
    Next,
}

/// Gives a client that has none its first token.
pub fn issue_registration_token(client: &ClientId, digest: &Digest<RegistrationToken>) -> GuardedStatement {
    GuardedStatement::exactly_one(&ISSUE, [client.into(), digest.into()])
}

/// What the token is to this client, if it is its token and the client counts.
pub async fn find_registration_token_status(
    store: &Store,
    client: &ClientId,
    digest: &Digest<RegistrationToken>,
) -> Result<Option<RegistrationTokenStatus>, StoreFailure> {
    let row = store.read_first(&STANDING, &[client.into(), digest.into()]).await?;
    row.map(|row| {
        Ok(if row.flag(0)? { RegistrationTokenStatus::Current } else { RegistrationTokenStatus::Next })
    })
    .transpose()
}

/// Lets the token take the place of the one before it, which ends with that. If it did already, nothing changes.
pub fn adopt_registration_token(client: &ClientId, digest: &Digest<RegistrationToken>) -> GuardedStatement {
    GuardedStatement::any_number(&ADOPT, [client.into(), digest.into()])
}

/// Prepares a token to replace the one in force when it is first used. One that was prepared before is forgotten.
pub fn prepare_registration_token(client: &ClientId, next: &Digest<RegistrationToken>) -> GuardedStatement {
    GuardedStatement::exactly_one(&PREPARE, [client.into(), next.into()])
}

/// How long a use that was written down stands for those after it.
const USE_WRITTEN_EVERY: Lifetime = Lifetime::from_hours(1);

/// Remembers that somebody gave the client something, so that it is not taken for one that nobody uses. It is
/// written down once in a while, however often that is.
pub fn record_client_use(client: &ClientId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(&NOTE_USE, [client.into(), now.into(), now.minus(USE_WRITTEN_EVERY).into()])
}

/// When a registration counts as one that nobody uses.
#[derive(Clone, Copy, Debug)]
pub struct UnusedClientCutoff {
    /// Never used, and registered before this moment.
    pub never_since: Timestamp,
    /// Neither used nor with a grant since this moment.
    pub idle_since: Timestamp,
}

/// Some of the clients that registered themselves, that nobody vouched for and that nobody uses, oldest first.
pub async fn list_unused_clients(
    store: &Store,
    unused: UnusedClientCutoff,
    most: u32,
) -> Result<Vec<ClientId>, StoreFailure> {
    let since = [unused.never_since.into(), unused.idle_since.into(), most.into()];
    store.read_all(&UNUSED, &since).await?.iter().map(|row| row.client_id(0)).collect()
}

/// Ends such a client, if it still is one.
pub fn end_unused_client(client: &ClientId, unused: UnusedClientCutoff, now: Timestamp) -> GuardedStatement {
    let since = [client.into(), unused.never_since.into(), unused.idle_since.into(), now.into()];
    GuardedStatement::exactly_one(&END_UNUSED, since)
}

/// Deletes some self-registered clients that have ended and that nothing refers to, with their secrets.
pub fn delete_ended_clients(most: u32) -> [GuardedStatement; 2] {
    [
        GuardedStatement::any_number(&FORGET_SECRETS, [most.into()]),
        GuardedStatement::any_number(&FORGET_CLIENTS, [most.into()]),
    ]
}

/// Holds for a client `c` that nobody uses, given since when it was never used and since when it is idle.
macro_rules! is_unused {
    ($never_since:literal, $idle_since:literal) => {
        concat!(
            "c.is_self_registered = 1 AND c.condition <> 'ended' AND c.verified_at IS NULL AND c.created_at < ",
            $never_since,
            " AND ((c.used_at IS NULL AND NOT EXISTS (SELECT 1 FROM grants g WHERE g.client_id = c.id))",
            " OR (c.created_at < ",
            $idle_since,
            " AND (c.used_at IS NULL OR c.used_at < ",
            $idle_since,
            ") AND NOT EXISTS (SELECT 1 FROM grants g WHERE g.client_id = c.id",
            " AND COALESCE(g.revoked_at, g.expires_at) >= ",
            $idle_since,
            ")))"
        )
    };
}

/// The self-registered clients that have ended and that nothing refers to but their secrets.
macro_rules! forgettable {
    () => {
        "(SELECT c.id FROM clients c WHERE c.is_self_registered = 1 AND c.condition = 'ended' \
         AND NOT EXISTS (SELECT 1 FROM grants x WHERE x.client_id = c.id) \
         AND NOT EXISTS (SELECT 1 FROM consents x WHERE x.client_id = c.id) \
         AND NOT EXISTS (SELECT 1 FROM memberships x WHERE x.client_id = c.id) \
         AND NOT EXISTS (SELECT 1 FROM pushed_requests x WHERE x.client_id = c.id) \
         AND NOT EXISTS (SELECT 1 FROM delegations x WHERE x.actor_client_id = c.id) \
         AND NOT EXISTS (SELECT 1 FROM device_requests x WHERE x.client_id = c.id) \
         AND NOT EXISTS (SELECT 1 FROM approval_requests x WHERE x.client_id = c.id) \
         ORDER BY c.id LIMIT ?1)"
    };
}

static ISSUE: SqlStatement = SqlStatement::new(
    "registrations.issue",
    "UPDATE clients SET registration_digest = ?2 WHERE id = ?1 AND registration_digest IS NULL",
);
static STANDING: SqlStatement = SqlStatement::new(
    "registrations.standing",
    "SELECT CASE WHEN registration_digest = ?2 THEN 1 ELSE 0 END FROM clients \
     WHERE id = ?1 AND condition = 'enabled' AND (registration_digest = ?2 OR registration_next_digest = ?2)",
);
static ADOPT: SqlStatement = SqlStatement::new(
    "registrations.adopt",
    "UPDATE clients SET registration_digest = registration_next_digest, registration_next_digest = NULL \
     WHERE id = ?1 AND registration_next_digest = ?2",
);
static PREPARE: SqlStatement = SqlStatement::new(
    "registrations.prepare",
    "UPDATE clients SET registration_next_digest = ?2 WHERE id = ?1 AND condition = 'enabled'",
);
static NOTE_USE: SqlStatement = SqlStatement::new(
    "registrations.note_use",
    "UPDATE clients SET used_at = ?2 WHERE id = ?1 AND is_self_registered = 1 \
     AND (used_at IS NULL OR used_at < ?3)",
);
static UNUSED: SqlStatement = SqlStatement::new(
    "registrations.unused",
    concat!(
        "SELECT c.id FROM clients c WHERE ",
        is_unused!("?1", "?2"),
        " ORDER BY c.created_at, c.id LIMIT ?3"
    ),
);
static END_UNUSED: SqlStatement = SqlStatement::new(
    "registrations.end_unused",
    concat!(
        "UPDATE clients SET condition = 'ended', condition_at = ?4, version = version + 1 WHERE id = ?1 \
         AND EXISTS (SELECT 1 FROM clients c WHERE c.id = ?1 AND ",
        is_unused!("?2", "?3"),
        ")"
    ),
);
static FORGET_SECRETS: SqlStatement = SqlStatement::new(
    "registrations.forget_secrets",
    concat!("DELETE FROM client_secrets WHERE client_id IN ", forgettable!()),
);
static FORGET_CLIENTS: SqlStatement = SqlStatement::new(
    "registrations.forget_clients",
    concat!("DELETE FROM clients WHERE id IN ", forgettable!()),
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&ISSUE, &STANDING, &ADOPT, &PREPARE, &NOTE_USE, &UNUSED, &END_UNUSED, &FORGET_SECRETS, &FORGET_CLIENTS];
