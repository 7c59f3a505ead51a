//! Clients: applications, services and agents.

use crate::FIRST_VERSION;
use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::lifecycle_condition;
use crate::oauth::consents;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::client_id::{ClientId, ClientKind};
use sinete_core::id::{MembershipId, OrganizationId};
use sinete_core::oauth::client_trust::RevokedClientTrust;
use sinete_core::time::Timestamp;

/// Who created a client, which decides whom it may serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientOrigin {
    /// Created by an operator: it serves every organization.
    Operator,
    /// Created by an organization for itself.
    Organization(OrganizationId),
    /// Created by dynamic client registration: not trusted.
    DynamicRegistration,
}

/// A client to create.
#[derive(Debug)]
pub struct NewClient<'a> {
    /// Its id.
    pub id: &'a ClientId,
    /// Application, service or agent.
    pub kind: ClientKind,
    /// Who creates it.
    pub origin: ClientOrigin,
    /// The client name.
    pub name: &'a str,
    /// The purpose of an agent.
    pub purpose: &'a str,
    /// The member responsible for an agent.
    pub owner: Option<MembershipId>,
    /// Allowed scopes. They limit requests and confer nothing.
    pub scope: &'a ScopeSet,
    /// The remaining client metadata.
    pub metadata: &'a JsonDocument,
    /// When it is created.
    pub created_at: Timestamp,
}

/// A client as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientRow {
    /// Its id.
    pub id: ClientId,
    /// Application, service or agent.
    pub kind: ClientKind,
    /// Who created it.
    pub origin: ClientOrigin,
    /// The client name.
    pub name: String,
    /// The purpose of an agent.
    pub purpose: String,
    /// The member responsible for an agent.
    pub owner: Option<MembershipId>,
    /// Its own condition; an agent also stops working without its owner.
    pub condition: LifecycleCondition,
    /// When an operator verified it, if one did.
    pub verified_at: Option<Timestamp>,
    /// Allowed scopes.
    pub scope: ScopeSet,
    /// The remaining client metadata.
    pub metadata: JsonDocument,
    /// Grants of an older epoch are revoked.
    pub epoch: i64,
    /// When it was created.
    pub created_at: Timestamp,
    /// Row version; cache entries are valid only at this version.
    pub version: i64,
}

impl NewClient<'_> {
    /// The row that [`create_client`] writes, so that callers need not read it back.
    pub fn to_row(&self) -> ClientRow {
        ClientRow {
            id: self.id.clone(),
            kind: self.kind,
            origin: self.origin,
            name: self.name.to_owned(),
            purpose: self.purpose.to_owned(),
            owner: self.owner,
            condition: LifecycleCondition::Enabled,
            verified_at: None,
            scope: self.scope.clone(),
            metadata: self.metadata.clone(),
            epoch: 0,
            created_at: self.created_at,
            version: FIRST_VERSION,
        }
    }
}

impl ClientRow {
    /// The row that [`change_client`] leaves.
    #[must_use]
    pub fn with_change(self, changed: &ClientChange<'_>) -> Self {
        Self {
            name: changed.name.to_owned(),
            purpose: changed.purpose.to_owned(),
            owner: changed.owner,
            scope: changed.scope.clone(),
            metadata: changed.metadata.clone(),
            verified_at: self.verified_at.filter(|_| !changed.trust.ends_verification()),
            version: self.version + 1,
            ..self
        }
    }

    /// The row that [`set_client_verified`] leaves.
    #[must_use]
    pub fn with_verification(self, verified_at: Option<Timestamp>) -> Self {
        Self { verified_at, version: self.version + 1, ..self }
    }
}

/// Creates a client.
pub fn create_client(client: &NewClient<'_>) -> GuardedStatement {
    let (organization, is_self_registered) = match client.origin {
        ClientOrigin::Operator => (None, false),
        ClientOrigin::Organization(id) => (Some(id), false),
        ClientOrigin::DynamicRegistration => (None, true),
    };
    GuardedStatement::exactly_one(
        &CREATE,
        [
            client.id.into(),
            client.kind.as_str().into(),
            organization.into(),
            is_self_registered.into(),
            client.name.into(),
            client.purpose.into(),
            client.owner.into(),
            client.scope.to_string().into(),
            client.metadata.into(),
            client.created_at.into(),
        ],
    )
}

/// Finds the client of this id, in any condition.
pub async fn find_client(store: &Store, id: &ClientId) -> Result<Option<ClientRow>, StoreFailure> {
    store.read_first(&FIND, &[id.into()]).await?.as_ref().map(read).transpose()
}

/// Suspends, restores or ends the client, if it has not changed since it was read. Ending is final.
pub fn change_client_condition(
    id: &ClientId,
    version: i64,
    condition: LifecycleCondition,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &CHANGE_CONDITION,
        [id.into(), version.into(), lifecycle_condition::condition_text(condition).into(), now.into()],
    )
}

/// Revokes every grant of the client at once, on every node.
pub fn advance_client_epoch(id: &ClientId) -> GuardedStatement {
    GuardedStatement::exactly_one(&ADVANCE_EPOCH, [id.into()])
}

/// Lists a page of the clients of one origin that have not ended, by id.
pub async fn list_clients(
    store: &Store,
    origin: ClientOrigin,
    after: Option<&ClientId>,
    limit: u32,
) -> Result<Vec<ClientRow>, StoreFailure> {
    let after = after.map_or("", ClientId::as_str);
    let rows = match origin {
        ClientOrigin::Organization(organization) => {
            store.read_list(&PAGE_OF_ORGANIZATION, &[organization.into(), after.into(), limit.into()]).await?
        }
        ClientOrigin::Operator => {
            store.read_list(&PAGE_OF_INSTANCE, &[after.into(), limit.into(), false.into()]).await?
        }
        ClientOrigin::DynamicRegistration => {
            store.read_list(&PAGE_OF_INSTANCE, &[after.into(), limit.into(), true.into()]).await?
        }
    };
    rows.iter().map(read).collect()
}

/// Locks the client until the transaction ends, if it has this version and has not ended.
pub fn lock_client_row(id: &ClientId, version: i64) -> GuardedStatement {
    GuardedStatement::exactly_one(&LOCK, [id.into(), version.into()])
}

/// A change of a client by its owner or an operator.
#[derive(Debug)]
pub struct ClientChange<'a> {
    /// The client name.
    pub name: &'a str,
    /// Its purpose.
    pub purpose: &'a str,
    /// The member responsible for it.
    pub owner: Option<MembershipId>,
    /// Allowed scopes.
    pub scope: &'a ScopeSet,
    /// The remaining client metadata.
    pub metadata: &'a JsonDocument,
    /// Which trust in the client lapses with the change.
    pub trust: RevokedClientTrust,
}

/// Replaces the client's metadata, if it has not changed since it was read, and withdraws the trust that
/// lapses.
pub fn change_client(
    id: &ClientId,
    version: i64,
    changed: &ClientChange<'_>,
    now: Timestamp,
) -> impl Iterator<Item = GuardedStatement> + use<> {
    let lapsed =
        changed.trust.ends_remembered_consents().then(|| consents::revoke_all_client_consents(id, now));
    let described = GuardedStatement::exactly_one(
        &CHANGE,
        [
            id.into(),
            version.into(),
            changed.name.into(),
            changed.purpose.into(),
            changed.owner.into(),
            changed.scope.to_string().into(),
            changed.metadata.into(),
            changed.trust.ends_verification().into(),
        ],
    );
    std::iter::once(described).chain(lapsed)
}

/// Marks the client as verified or unverified, if it has not changed since it was read.
pub fn set_client_verified(id: &ClientId, version: i64, verified_at: Option<Timestamp>) -> GuardedStatement {
    GuardedStatement::exactly_one(&VERIFY, [id.into(), version.into(), verified_at.into()])
}

/// Reads the kind of a client.
pub(crate) fn read_kind(row: &SqlRow, column: &str) -> Result<ClientKind, StoreFailure> {
    let kind = row.text(column)?;
    let kind = ClientKind::ALL.into_iter().find(|it| it.as_str() == kind);
    kind.ok_or_else(|| row.damaged_column(column, "a kind of client"))
}

fn read(row: &SqlRow) -> Result<ClientRow, StoreFailure> {
    let origin = match (row.optional_id("organization_id")?, row.flag("is_self_registered")?) {
        (None, false) => ClientOrigin::Operator,
        (Some(organization), false) => ClientOrigin::Organization(organization),
        (None, true) => ClientOrigin::DynamicRegistration,
        (Some(_), true) => return Err(row.damaged_column("is_self_registered", "the origin of a client")),
    };
    Ok(ClientRow {
        id: row.client_id("id")?,
        kind: read_kind(row, "kind")?,
        origin,
        name: row.text("name")?.to_owned(),
        purpose: row.text("purpose")?.to_owned(),
        owner: row.optional_id("owner_id")?,
        condition: lifecycle_condition::read_condition(row, "condition")?,
        verified_at: row.optional_timestamp("verified_at")?,
        scope: row.text("scope")?.parse().map_err(|_| row.damaged_column("scope", "a set of scopes"))?,
        metadata: JsonDocument::from_row(row, "metadata")?,
        epoch: row.integer("epoch")?,
        created_at: row.timestamp("created_at")?,
        version: row.integer("version")?,
    })
}

static CREATE: SqlStatement = SqlStatement::new(
    "clients.create",
    "INSERT INTO clients (id, kind, organization_id, is_self_registered, name, purpose, owner_id, condition, \
     condition_at, scope, metadata, created_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'enabled', ?10, ?8, ?9, ?10)",
);
/// The columns that [`read`] expects.
macro_rules! columns {
    () => {
        "SELECT id, kind, organization_id, is_self_registered, name, purpose, owner_id, condition, verified_at, \
         scope, metadata, epoch, created_at, version FROM clients WHERE "
    };
}

static FIND: SqlStatement = SqlStatement::new("clients.find", concat!(columns!(), "id = ?1"));
static PAGE_OF_ORGANIZATION: SqlStatement = SqlStatement::new(
    "clients.page_of_organization",
    concat!(columns!(), "organization_id = ?1 AND condition <> 'ended' AND id > ?2 ORDER BY id LIMIT ?3"),
);
static PAGE_OF_INSTANCE: SqlStatement = SqlStatement::new(
    "clients.page_of_instance",
    concat!(
        columns!(),
        "organization_id IS NULL AND is_self_registered = ?3 AND condition <> 'ended' AND id > ?1 ORDER BY id LIMIT ?2"
    ),
);
// A no-op update takes the row lock.
static LOCK: SqlStatement = SqlStatement::new(
    "clients.hold",
    "UPDATE clients SET version = version WHERE id = ?1 AND version = ?2 AND condition <> 'ended'",
);
static CHANGE: SqlStatement = SqlStatement::new(
    "clients.change",
    "UPDATE clients SET name = ?3, purpose = ?4, owner_id = ?5, scope = ?6, metadata = ?7, \
     verified_at = CASE WHEN CAST(?8 AS BIGINT) = 1 THEN NULL ELSE verified_at END, version = version + 1 \
     WHERE id = ?1 AND version = ?2 AND condition <> 'ended'",
);
static VERIFY: SqlStatement = SqlStatement::new(
    "clients.verify",
    "UPDATE clients SET verified_at = ?3, version = version + 1 \
     WHERE id = ?1 AND version = ?2 AND condition <> 'ended'",
);
static CHANGE_CONDITION: SqlStatement = SqlStatement::new(
    "clients.change_condition",
    "UPDATE clients SET condition = ?3, condition_at = ?4, version = version + 1 \
     WHERE id = ?1 AND version = ?2 AND condition <> 'ended'",
);
static ADVANCE_EPOCH: SqlStatement =
    SqlStatement::new("clients.end_everything", "UPDATE clients SET epoch = epoch + 1 WHERE id = ?1");

pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &CREATE,
    &FIND,
    &CHANGE_CONDITION,
    &ADVANCE_EPOCH,
    &PAGE_OF_ORGANIZATION,
    &PAGE_OF_INSTANCE,
    &LOCK,
    &CHANGE,
    &VERIFY,
];
