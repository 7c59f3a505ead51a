//! The client state that every request of a client is checked against: read in one statement on every use,
//! regardless of what is cached about the client.

use crate::active_conditions::client_condition;
use crate::dependency_snapshot::DependencySnapshot;
use crate::failure::StoreFailure;
use crate::lifecycle_condition;
use crate::statement::SqlStatement;
use crate::store::Store;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::client_id::ClientId;
use sinete_core::secret::{ClientSecret, Digest};
use sinete_core::time::Timestamp;

/// The current state of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientAuthState {
    /// The client's row version; a cache entry of another version is stale.
    pub version: i64,
    /// Whether it is enabled, taking its owner into account.
    pub condition: LifecycleCondition,
    /// Whether the presented secret is one of the client's active secrets.
    pub has_secret: bool,
    /// Version of all API definitions.
    pub api_catalog_version: i64,
}

/// The client's current state, whether this is one of its secrets, and the dependencies of that answer.
/// `None` if the client does not exist.
pub async fn find_client_auth_state(
    store: &Store,
    client: &ClientId,
    secret: Option<&Digest<ClientSecret>>,
    now: Timestamp,
) -> Result<Option<(ClientAuthState, DependencySnapshot)>, StoreFailure> {
    let row = store.read_first(&FIND, &[client.into(), secret.into(), now.into()]).await?;
    row.map(|row| {
        let auth_state = ClientAuthState {
            version: row.integer("c.version")?,
            condition: lifecycle_condition::read_condition(&row, "client_condition")?,
            has_secret: row.flag("has_secret")?,
            api_catalog_version: row.integer("k.version")?,
        };
        Ok((
            auth_state,
            DependencySnapshot {
                version: row.integer("f.version")?,
                until: row.optional_timestamp("z.expires_at")?,
            },
        ))
    })
    .transpose()
}

/// Joins the presented secret of the client `c` as `z`, if it is active.
macro_rules! join_secret {
    ($secret:literal, $now:literal) => {
        concat!(
            "LEFT JOIN client_secrets z ON z.digest = ",
            $secret,
            " AND z.client_id = c.id AND ",
            $crate::oauth::client_secrets::secret_counts!("z", $now)
        )
    };
}
pub(crate) use join_secret;

static FIND: SqlStatement = SqlStatement::batched_read(
    "client_proofs.find",
    concat!(
        "SELECT c.version, ",
        client_condition!("c"),
        " AS client_condition, CASE WHEN z.digest IS NOT NULL THEN 1 ELSE 0 END AS has_secret, k.version, f.version, z.expires_at \
         FROM clients c JOIN api_catalogue k ON k.id = 1 JOIN service_facts f ON f.id = 1 ",
        join_secret!("?2", "?3"),
        " WHERE c.id = ?1"
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&FIND];
