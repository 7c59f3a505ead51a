//! Connections of organizations to their identity providers, and the domains assigned to them.

mod domains;

pub use domains::{
    RoutedDomain, assign_domain, is_missing_domain_conflict, is_moved_domain_conflict,
    list_connection_domains, list_domain_assignments, list_routed_domains, reassign_domain,
    release_connection_domains, release_domain,
};

use crate::active_conditions::{organization_counts, organization_is_enabled};
use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;
use sinete_core::id::{ConnectionId, OrganizationId};
use sinete_core::identity_providers::connections::{ConnectionSettings, IdentityProviderIssuer};
use sinete_core::identity_providers::owner_confirmation::OwnerConfirmation;
use sinete_core::limits::CONNECTIONS_PER_ORGANIZATION_MAX;
use sinete_core::time::Timestamp;

/// A connection as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionRow {
    /// Its id.
    pub id: ConnectionId,
    /// The organization.
    pub organization: OrganizationId,
    /// The provider's issuer or entity id.
    pub issuer: IdentityProviderIssuer,
    /// The settings.
    pub settings: ConnectionSettings,
    /// Whether a client secret is stored.
    pub has_secret: bool,
    /// Whether users can sign in through it.
    pub is_enabled: bool,
    /// Whether an owner confirmed it.
    pub confirmation: OwnerConfirmation,
    /// When it was created.
    pub created_at: Timestamp,
    /// Row version.
    pub version: i64,
}

impl ConnectionRow {
    /// The key under which identities of the provider are stored, which includes the organization.
    pub fn provider_key(&self) -> String {
        self.settings.provider_key(&self.issuer)
    }
}

/// A connection to create.
#[derive(Debug)]
pub struct NewConnection<'a> {
    /// Its id.
    pub id: ConnectionId,
    /// The organization.
    pub organization: OrganizationId,
    /// The provider's issuer or entity id.
    pub issuer: &'a IdentityProviderIssuer,
    /// The settings.
    pub settings: &'a ConnectionSettings,
    /// The client secret, encrypted, if there is one.
    pub sealed_secret: Option<&'a [u8]>,
    /// Whether users can sign in through it.
    pub is_enabled: bool,
    /// Whether an owner confirmed it.
    pub confirmation: OwnerConfirmation,
    /// When it is created.
    pub created_at: Timestamp,
}

/// Creates a connection, if the limit is not reached.
pub fn create_connection(connection: &NewConnection<'_>) -> Result<GuardedStatement, StoreFailure> {
    Ok(GuardedStatement::exactly_one(
        &ADD,
        [
            connection.id.into(),
            connection.organization.into(),
            connection.issuer.as_str().into(),
            (&JsonDocument::from_value(connection.settings)?).into(),
            connection.sealed_secret.map_or(SqlValue::Null, SqlValue::from),
            i64::from(connection.is_enabled).into(),
            connection.created_at.into(),
            CONNECTIONS_PER_ORGANIZATION_MAX.into(),
            is_confirmed(connection.confirmation),
        ],
    ))
}

/// Lists a page of an organization's connections, oldest first.
pub async fn list_connections(
    store: &Store,
    organization: OrganizationId,
    after: Option<ConnectionId>,
    limit: u32,
) -> Result<Vec<ConnectionRow>, StoreFailure> {
    // Empty bytes sort before every id.
    let after = after.map_or_else(SqlValue::empty_bytes, SqlValue::from);
    store.read_list(&PAGE, &[organization.into(), after, limit.into()]).await?.iter().map(read).collect()
}

/// Finds a connection of this organization.
pub async fn find_connection(
    store: &Store,
    organization: OrganizationId,
    id: ConnectionId,
) -> Result<Option<ConnectionRow>, StoreFailure> {
    store.read_first(&FIND, &[organization.into(), id.into()]).await?.as_ref().map(read).transpose()
}

/// Finds a connection of any organization, enabled or not.
pub async fn find_connection_by_id(
    store: &Store,
    id: ConnectionId,
) -> Result<Option<ConnectionRow>, StoreFailure> {
    store.read_first(&FIND_BY_ID, &[id.into()]).await?.as_ref().map(read).transpose()
}

/// Whether a connection ever had this id, also if it was removed.
pub async fn is_used_id(store: &Store, id: ConnectionId) -> Result<bool, StoreFailure> {
    Ok(store.read_first(&ID_EXISTS, &[id.into()]).await?.is_some())
}

/// Finds a connection that is enabled, in an enabled organization.
pub async fn find_usable_connection(
    store: &Store,
    id: ConnectionId,
    now: Timestamp,
) -> Result<Option<ConnectionRow>, StoreFailure> {
    store.read_first(&FIND_USABLE, &[id.into(), now.into()]).await?.as_ref().map(read).transpose()
}

/// Finds the usable connection that a verified domain is assigned to.
pub async fn find_connection_by_domain(
    store: &Store,
    domain: &str,
    now: Timestamp,
) -> Result<Option<ConnectionRow>, StoreFailure> {
    store.read_first(&FIND_BY_DOMAIN, &[domain.into(), now.into()]).await?.as_ref().map(read).transpose()
}

/// Lists the connections through which members of an organization can sign in now, oldest first.
pub async fn list_usable_connections(
    store: &Store,
    organization: OrganizationId,
    now: Timestamp,
) -> Result<Vec<ConnectionRow>, StoreFailure> {
    store.read_all(&LIST_USABLE, &[organization.into(), now.into()]).await?.iter().map(read).collect()
}

/// The schema version that introduced all columns read here.
pub const SCHEMA_VERSION_MIN: u32 = 39;

/// Lists the enabled connections of all organizations, by provider.
pub async fn list_enabled_connections(store: &Store, limit: u32) -> Result<Vec<ConnectionRow>, StoreFailure> {
    store.read_list(&LIST_ENABLED, &[limit.into()]).await?.iter().map(read).collect()
}

/// Whether any connection is enabled.
pub async fn has_enabled_connection(store: &Store) -> Result<bool, StoreFailure> {
    Ok(store.read_first(&FIND_ANY_ENABLED, &[]).await?.is_some())
}

/// The client secret of a connection, encrypted.
pub async fn find_encrypted_secret(store: &Store, id: ConnectionId) -> Result<Option<Vec<u8>>, StoreFailure> {
    let row = store.read_first(&SECRET, &[id.into()]).await?;
    Ok(row
        .map(|row| row.optional_blob("sealed_secret").map(|it| it.map(<[u8]>::to_vec)))
        .transpose()?
        .flatten())
}

/// Changes the settings, if the connection has not changed since it was read.
pub fn change_connection(
    before: &ConnectionRow,
    settings: &ConnectionSettings,
    is_enabled: bool,
    confirmation: OwnerConfirmation,
) -> Result<GuardedStatement, StoreFailure> {
    let (document, is_enabled) = (JsonDocument::from_value(settings)?, i64::from(is_enabled));
    Ok(GuardedStatement::exactly_one(
        &CHANGE,
        [
            before.id.into(),
            before.version.into(),
            (&document).into(),
            is_enabled.into(),
            is_confirmed(confirmation),
        ],
    ))
}

fn is_confirmed(confirmation: OwnerConfirmation) -> SqlValue {
    match confirmation {
        OwnerConfirmation::Confirmed => 1_i64.into(),
        OwnerConfirmation::Missing => 0_i64.into(),
    }
}

/// Replaces everything of a connection that was prepared with a set-up link and that no owner has saved.
pub fn replace_prepared_connection(connection: &NewConnection<'_>) -> Result<GuardedStatement, StoreFailure> {
    Ok(GuardedStatement::exactly_one(
        &REPLACE_PREPARED,
        [
            connection.id.into(),
            connection.organization.into(),
            connection.issuer.as_str().into(),
            (&JsonDocument::from_value(connection.settings)?).into(),
            connection.sealed_secret.map_or(SqlValue::Null, SqlValue::from),
        ],
    ))
}

/// Replaces the client secret, in a batch that changes the connection.
pub fn replace_connection_secret(id: ConnectionId, encrypted_secret: Option<&[u8]>) -> GuardedStatement {
    let sql_value = encrypted_secret.map_or(SqlValue::Null, SqlValue::from);
    GuardedStatement::exactly_one(&REPLACE_SECRET, [id.into(), sql_value])
}

/// Removes the connection permanently.
pub fn remove_connection(before: &ConnectionRow, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&REMOVE, [before.id.into(), before.version.into(), now.into()])
}

/// Locks the connection until the transaction ends, if it and its organization are enabled.
pub fn lock_connection_row(id: ConnectionId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&LOCK, [id.into(), now.into()])
}

fn read(row: &SqlRow) -> Result<ConnectionRow, StoreFailure> {
    Ok(ConnectionRow {
        id: row.id("c.id")?,
        organization: row.id("c.organization_id")?,
        issuer: IdentityProviderIssuer::try_from(row.text("c.issuer")?.to_owned())
            .map_err(|_| row.damaged_column("c.issuer", "an issuer"))?,
        settings: JsonDocument::from_row(row, "c.chosen")?.parse()?,
        has_secret: row.flag("has_secret")?,
        is_enabled: row.flag("c.is_enabled")?,
        created_at: row.timestamp("c.created_at")?,
        version: row.integer("c.version")?,
        confirmation: if row.flag("c.is_confirmed")? {
            OwnerConfirmation::Confirmed
        } else {
            OwnerConfirmation::Missing
        },
    })
}

/// The columns that a connection is read from.
macro_rules! columns {
    () => {
        "SELECT c.id, c.organization_id, c.issuer, c.chosen, \
         CASE WHEN c.sealed_secret IS NULL THEN 0 ELSE 1 END AS has_secret, c.is_enabled, c.created_at, c.version, \
         c.is_confirmed "
    };
}

/// Holds while the connection `c` of the organization `o` is usable.
macro_rules! counts {
    ($now:literal) => {
        concat!("c.removed_at IS NULL AND c.is_enabled = 1 AND ", organization_counts!("o", $now))
    };
}

static ADD: SqlStatement = SqlStatement::new(
    "connections.add",
    "INSERT INTO connections (id, organization_id, issuer, chosen, sealed_secret, is_enabled, created_at, is_confirmed) \
     SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?9 \
     WHERE (SELECT COUNT(*) FROM connections WHERE organization_id = ?2 AND removed_at IS NULL) < ?8",
);
static PAGE: SqlStatement = SqlStatement::new(
    "connections.page",
    concat!(
        columns!(),
        "FROM connections c WHERE c.organization_id = ?1 AND c.removed_at IS NULL AND c.id > ?2 \
         ORDER BY c.id LIMIT ?3"
    ),
);
static FIND: SqlStatement = SqlStatement::new(
    "connections.find",
    concat!(
        columns!(),
        "FROM connections c WHERE c.organization_id = ?1 AND c.id = ?2 AND c.removed_at IS NULL"
    ),
);
static FIND_BY_ID: SqlStatement = SqlStatement::new(
    "connections.of_id",
    concat!(columns!(), "FROM connections c WHERE c.id = ?1 AND c.removed_at IS NULL"),
);
static ID_EXISTS: SqlStatement =
    SqlStatement::new("connections.known", "SELECT id FROM connections WHERE id = ?1");
static FIND_USABLE: SqlStatement = SqlStatement::new(
    "connections.usable",
    concat!(
        columns!(),
        "FROM connections c JOIN organizations o ON o.id = c.organization_id WHERE c.id = ?1 AND ",
        counts!("?2")
    ),
);
static FIND_BY_DOMAIN: SqlStatement = SqlStatement::new(
    "connections.of_domain",
    concat!(
        columns!(),
        "FROM domains d JOIN connections c ON c.id = d.connection_id \
         JOIN organizations o ON o.id = c.organization_id \
         WHERE d.domain = ?1 AND d.verified_at IS NOT NULL AND d.organization_id = c.organization_id AND ",
        counts!("?2")
    ),
);
static LIST_USABLE: SqlStatement = SqlStatement::new(
    "connections.usable_in",
    concat!(
        columns!(),
        "FROM connections c JOIN organizations o ON o.id = c.organization_id WHERE c.organization_id = ?1 AND ",
        counts!("?2"),
        " ORDER BY c.id"
    ),
);
static FIND_ANY_ENABLED: SqlStatement = SqlStatement::new(
    "connections.any",
    "SELECT id FROM connections WHERE is_enabled = 1 AND removed_at IS NULL LIMIT 1",
);
static LIST_ENABLED: SqlStatement = SqlStatement::new(
    "connections.enabled",
    concat!(
        columns!(),
        "FROM connections c WHERE c.is_enabled = 1 AND c.removed_at IS NULL ORDER BY c.issuer, c.id LIMIT ?1"
    ),
);
static SECRET: SqlStatement = SqlStatement::new(
    "connections.secret",
    "SELECT sealed_secret FROM connections WHERE id = ?1 AND removed_at IS NULL",
);
static CHANGE: SqlStatement = SqlStatement::new(
    "connections.change",
    "UPDATE connections SET chosen = ?3, is_enabled = ?4, is_confirmed = ?5, version = version + 1 \
     WHERE id = ?1 AND version = ?2 AND removed_at IS NULL",
);
static REPLACE_PREPARED: SqlStatement = SqlStatement::new(
    "connections.replace_prepared",
    "UPDATE connections SET issuer = ?3, chosen = ?4, sealed_secret = ?5, version = version + 1 \
     WHERE id = ?1 AND organization_id = ?2 AND removed_at IS NULL AND is_enabled = 0 AND is_confirmed = 0",
);
static REPLACE_SECRET: SqlStatement = SqlStatement::new(
    "connections.replace_secret",
    "UPDATE connections SET sealed_secret = ?2 WHERE id = ?1 AND removed_at IS NULL",
);
static REMOVE: SqlStatement = SqlStatement::new(
    "connections.remove",
    "UPDATE connections SET removed_at = ?3, is_enabled = 0, sealed_secret = NULL, version = version + 1 \
     WHERE id = ?1 AND version = ?2 AND removed_at IS NULL",
);
// A no-op update takes the row lock.
static LOCK: SqlStatement = SqlStatement::new(
    "connections.hold",
    concat!(
        "UPDATE connections SET version = version WHERE id = ?1 AND removed_at IS NULL AND is_enabled = 1 AND ",
        organization_is_enabled!("connections.organization_id", "?2")
    ),
);
pub(crate) static DOMAIN_STATEMENTS: &[&SqlStatement] = domains::STATEMENTS;
pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &ADD,
    &PAGE,
    &FIND,
    &FIND_BY_ID,
    &ID_EXISTS,
    &FIND_USABLE,
    &FIND_BY_DOMAIN,
    &LIST_USABLE,
    &FIND_ANY_ENABLED,
    &LIST_ENABLED,
    &SECRET,
    &CHANGE,
    &REPLACE_PREPARED,
    &REPLACE_SECRET,
    &REMOVE,
    &LOCK,
];
