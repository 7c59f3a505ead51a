//! What a client that asks for something must be held against: one statement at every use, whatever is kept of
//! the client in memory.

use crate::active_conditions::client_condition;
use crate::failure::StoreFailure;
use crate::lifecycle_condition;
use crate::statement::SqlStatement;
use crate::store::Store;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::client_id::ClientId;
use sinete_core::secret::{ClientSecret, Digest};
use sinete_core::time::Timestamp;

/// How a client stands at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientAuthState {
    /// Which description of it counts; what is kept in memory of another one does not.
    pub version: i64,
    /// Whether it counts, its owner included.
    pub condition: LifecycleCondition,
    /// Whether the secret it was asked about is one of its own that works now.
    pub has_secret: bool,
    /// The version of everything that APIs define.
    pub catalogue: i64,
}

/// A state of everything that a service's own token hangs on, but for the time. The proof of any client is a part of it, and
/// so is what people hold who gave somebody something before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DependencySnapshot {
    /// Changes whenever any of it does, whoever changes it.
    pub version: i64,
    /// When its organization or the secret that was shown ends by itself, whichever is first.
    pub until: Option<Timestamp>,
}

/// How the client stands now, and whether this is a secret of its own, with what that was read from. There is none for a
/// client nobody knows.
pub async fn find_client_auth_state(
    store: &Store,
    client: &ClientId,
    secret: Option<&Digest<ClientSecret>>,
    now: Timestamp,
) -> Result<Option<(ClientAuthState, DependencySnapshot)>, StoreFailure> {
    let row = store.read_first(&FIND, &[client.into(), secret.into(), now.into()]).await?;
    row.map(|row| {
        let standing = ClientAuthState {
            version: row.integer(0)?,
            condition: lifecycle_condition::read_condition(&row, 1)?,
            has_secret: row.flag(2)?,
            catalogue: row.integer(3)?,
        };
        Ok((standing, DependencySnapshot { version: row.integer(4)?, until: row.optional_timestamp(5)? }))
    })
    .transpose()
}

/// The shown secret of the client `c`, as `z`, where it counts.
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
        ", CASE WHEN z.digest IS NOT NULL THEN 1 ELSE 0 END, k.version, f.version, z.expires_at \
         FROM clients c JOIN api_catalogue k ON k.id = 1 JOIN service_facts f ON f.id = 1 ",
        join_secret!("?2", "?3"),
        " WHERE c.id = ?1"
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&FIND];
