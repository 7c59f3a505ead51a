//! Registration access tokens of dynamically registered clients, and the removal of unused registrations.

use crate::failure::StoreFailure;
use crate::oauth::clients::NewClient;
use crate::oauth::consents;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::client_id::ClientId;
use sinete_core::secret::{Digest, RegistrationToken};
use sinete_core::time::{Lifetime, Timestamp};

/// The role of a registration access token for its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegistrationTokenStatus {
    /// The current token.
    Current,
    /// Replaces the current token when it is first used.
    Next,
}

/// Issues the first token of a client that has none.
pub fn issue_registration_token(client: &ClientId, digest: &Digest<RegistrationToken>) -> GuardedStatement {
    GuardedStatement::exactly_one(&ISSUE, [client.into(), digest.into()])
}

/// The status of the token, if it belongs to this client and the client is active.
pub async fn find_registration_token_status(
    store: &Store,
    client: &ClientId,
    digest: &Digest<RegistrationToken>,
) -> Result<Option<RegistrationTokenStatus>, StoreFailure> {
    let row = store.read_first(&FIND_TOKEN_STATUS, &[client.into(), digest.into()]).await?;
    row.map(|row| {
        Ok(if row.flag("is_current")? {
            RegistrationTokenStatus::Current
        } else {
            RegistrationTokenStatus::Next
        })
    })
    .transpose()
}

/// Makes this token the current one and ends its predecessor. Does nothing if it is current already.
pub fn adopt_registration_token(client: &ClientId, digest: &Digest<RegistrationToken>) -> GuardedStatement {
    GuardedStatement::any_number(&ADOPT, [client.into(), digest.into()])
}

/// Prepares a token that replaces the current one when it is first used. A previously prepared one is
/// discarded.
pub fn prepare_registration_token(client: &ClientId, next: &Digest<RegistrationToken>) -> GuardedStatement {
    GuardedStatement::exactly_one(&PREPARE, [client.into(), next.into()])
}

/// Minimum time between two recorded uses.
const LAST_USE_UPDATE_INTERVAL: Lifetime = Lifetime::from_hours(1);

/// Records that the client was used, so that it is not removed as unused. Written at most once an
/// hour.
pub fn record_client_use(client: &ClientId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(
        &RECORD_USE,
        [client.into(), now.into(), now.minus(LAST_USE_UPDATE_INTERVAL).into()],
    )
}

/// When a registration counts as unused.
#[derive(Clone, Copy, Debug)]
pub struct UnusedClientCutoff {
    /// Never used, and registered before this moment.
    pub never_since: Timestamp,
    /// Neither used nor with a grant since this moment.
    pub idle_since: Timestamp,
}

/// Lists some unused clients that registered themselves and are not verified, oldest first.
pub async fn list_unused_clients(
    store: &Store,
    unused: UnusedClientCutoff,
    limit: u32,
) -> Result<Vec<ClientId>, StoreFailure> {
    let since = [unused.never_since.into(), unused.idle_since.into(), limit.into()];
    store.read_all(&LIST_UNUSED, &since).await?.iter().map(|row| row.client_id("c.id")).collect()
}

/// Ends an unused client, if it still is unused.
pub fn end_unused_client(client: &ClientId, unused: UnusedClientCutoff, now: Timestamp) -> GuardedStatement {
    let since = [client.into(), unused.never_since.into(), unused.idle_since.into(), now.into()];
    GuardedStatement::exactly_one(&END_UNUSED, since)
}

/// Starts an ended client anew, with the metadata of its document. Its grants, consents and verification from
/// before stay ended. Only a client whose id is a URL comes back under the same id.
pub fn restart_document_client(client: &NewClient<'_>) -> [GuardedStatement; 2] {
    let restarted = GuardedStatement::exactly_one(
        &RESTART,
        [
            client.id.into(),
            client.name.into(),
            client.scope.to_string().into(),
            client.metadata.into(),
            client.created_at.into(),
        ],
    );
    [restarted, consents::revoke_all_client_consents(client.id, client.created_at)]
}

/// Deletes some self-registered clients that have ended and that nothing references, with their secrets.
pub fn delete_ended_clients(limit: u32) -> [GuardedStatement; 2] {
    [
        GuardedStatement::any_number(&DELETE_SECRETS, [limit.into()]),
        GuardedStatement::any_number(&DELETE_CLIENTS, [limit.into()]),
    ]
}

/// Holds for an unused client `c`, given the two cutoffs.
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

/// The self-registered clients that have ended and that only their secrets reference.
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
static FIND_TOKEN_STATUS: SqlStatement = SqlStatement::new(
    "registrations.standing",
    "SELECT CASE WHEN registration_digest = ?2 THEN 1 ELSE 0 END AS is_current FROM clients \
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
static RECORD_USE: SqlStatement = SqlStatement::new(
    "registrations.note_use",
    "UPDATE clients SET used_at = ?2 WHERE id = ?1 AND is_self_registered = 1 \
     AND (used_at IS NULL OR used_at < ?3)",
);
static LIST_UNUSED: SqlStatement = SqlStatement::new(
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
static RESTART: SqlStatement = SqlStatement::new(
    "registrations.restart",
    "UPDATE clients SET condition = 'enabled', condition_at = ?5, name = ?2, scope = ?3, metadata = ?4, \
     verified_at = NULL, created_at = ?5, used_at = NULL, epoch = epoch + 1, version = version + 1 \
     WHERE id = ?1 AND is_self_registered = 1 AND condition = 'ended'",
);
static DELETE_SECRETS: SqlStatement = SqlStatement::new(
    "registrations.forget_secrets",
    concat!("DELETE FROM client_secrets WHERE client_id IN ", forgettable!()),
);
static DELETE_CLIENTS: SqlStatement = SqlStatement::new(
    "registrations.forget_clients",
    concat!("DELETE FROM clients WHERE id IN ", forgettable!()),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &ISSUE,
    &FIND_TOKEN_STATUS,
    &ADOPT,
    &PREPARE,
    &RECORD_USE,
    &LIST_UNUSED,
    &END_UNUSED,
    &RESTART,
    &DELETE_SECRETS,
    &DELETE_CLIENTS,
];
