//! APIs (resource servers): their definitions, and which organizations may use them.

pub(crate) mod resource_names;

use crate::active_conditions::is_offered;
use crate::authzen::model;
use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::lifecycle_condition;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::authzen::model::AuthorizationModel;
use sinete_core::id::{ApiId, OrganizationId};
use sinete_core::organizations::api_catalog::{ApiClientPolicy, ApiDefinition, PermissionDescription};
use sinete_core::time::Timestamp;

pub use resource_names::{find_conflicting_apis, guard_resource_names, is_resource_name_conflict};

/// An API as stored.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiRow {
    /// Its id.
    pub id: ApiId,
    /// The organization that owns it; `None` for an API of the instance.
    pub organization: Option<OrganizationId>,
    /// Whether every organization may use it.
    pub is_offered_to_all: bool,
    /// Whether it is enabled, suspended or ended.
    pub condition: LifecycleCondition,
    /// Its definition.
    pub definition: ApiDefinition,
    /// Row version.
    pub version: i64,
}

/// The owner of an API, and who may use it.
#[derive(Clone, Copy, Debug)]
pub struct ApiOwnership {
    /// The organization that owns it; `None` for an API of the instance.
    pub organization: Option<OrganizationId>,
    /// Whether every organization may use it.
    pub is_offered_to_all: bool,
}

/// The catalog version that applied to an organization when other facts about it were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApiCatalogVersion {
    /// The organization.
    pub organization: OrganizationId,
    /// Version of all API definitions.
    pub version: i64,
}

/// Adds an API with its permissions, unless its identifier or, within one organization, one of its resource
/// names is taken.
pub fn create_api(
    id: ApiId,
    belonging: ApiOwnership,
    api: &ApiDefinition,
    now: Timestamp,
) -> Result<Vec<GuardedStatement>, StoreFailure> {
    let mut parameters: Vec<SqlValue> =
        vec![id.into(), belonging.organization.into(), belonging.is_offered_to_all.into(), now.into()];
    parameters.extend(columns_of(api)?);
    let mut steps = vec![GuardedStatement::exactly_one(&CREATE, parameters)];
    steps.extend(permission_steps(id, api));
    steps.extend(model::replace_model(id, &AuthorizationModel::default(), &api.object_types));
    Ok(steps)
}

/// Replaces the definition of an API, if it has not changed since it was read.
pub fn change_api(
    before: &ApiRow,
    is_offered_to_all: bool,
    api: &ApiDefinition,
) -> Result<Vec<GuardedStatement>, StoreFailure> {
    let mut parameters: Vec<SqlValue> =
        vec![before.id.into(), before.version.into(), is_offered_to_all.into()];
    parameters.extend(columns_of(api)?);
    let mut steps = vec![
        GuardedStatement::exactly_one(&CHANGE, parameters),
        GuardedStatement::any_number(&DELETE_PERMISSIONS, [before.id.into()]),
    ];
    steps.extend(permission_steps(before.id, api));
    steps.extend(model::replace_model(before.id, &before.definition.object_types, &api.object_types));
    Ok(steps)
}

/// Suspends, restores or ends the API, if it has not changed since it was read.
pub fn change_api_condition(api: &ApiRow, condition: LifecycleCondition) -> GuardedStatement {
    let parameters =
        [api.id.into(), api.version.into(), lifecycle_condition::condition_text(condition).into()];
    GuardedStatement::exactly_one(&CHANGE_CONDITION, parameters)
}

/// Offers an API of the instance to one organization. Idempotent.
pub fn offer_api(api: ApiId, organization: OrganizationId) -> GuardedStatement {
    GuardedStatement::any_number(&OFFER, [api.into(), organization.into()])
}

/// Withdraws an API from one organization.
pub fn withdraw_api_offer(api: ApiId, organization: OrganizationId) -> GuardedStatement {
    GuardedStatement::any_number(&WITHDRAW_OFFER, [api.into(), organization.into()])
}

/// Finds the API of this id, unless it has ended.
pub async fn find_api(store: &Store, id: ApiId) -> Result<Option<ApiRow>, StoreFailure> {
    with_permissions(store, store.read_first(&FIND, &[id.into()]).await?.into_iter().collect())
        .await
        .map(pop_single)
}

/// Finds the API with this identifier, unless it has ended.
pub async fn find_api_by_identifier(store: &Store, identifier: &str) -> Result<Option<ApiRow>, StoreFailure> {
    let sql = store.read_first(&FIND_BY_IDENTIFIER, &[identifier.into()]).await?;
    with_permissions(store, sql.into_iter().collect()).await.map(pop_single)
}

/// The owner of the API with this identifier, unless it has ended: an organization, or `None` for the
/// instance.
pub async fn find_api_owner(
    store: &Store,
    identifier: &str,
) -> Result<Option<Option<OrganizationId>>, StoreFailure> {
    store
        .read_first(&FIND_OWNER, &[identifier.into()])
        .await?
        .map(|row| row.optional_id("organization_id"))
        .transpose()
}

/// The identifiers of up to two APIs that define object types and belong to this organization or to the
/// instance.
pub async fn list_apis_with_objects(
    store: &Store,
    organization: Option<OrganizationId>,
) -> Result<Vec<String>, StoreFailure> {
    let rows = match organization {
        Some(organization) => {
            store.read_all(&LIST_WITH_OBJECTS_OF_ORGANIZATION, &[organization.into()]).await?
        }
        None => store.read_all(&LIST_WITH_OBJECTS_OF_INSTANCE, &[]).await?,
    };
    rows.iter().map(|row| Ok(row.text("identifier")?.to_owned())).collect()
}

/// Lists a page of all APIs that have not ended, oldest first.
pub async fn list_apis(store: &Store, after: Option<ApiId>, limit: u32) -> Result<Vec<ApiRow>, StoreFailure> {
    let rows = store.read_list(&PAGE, &[page_start(after), limit.into()]).await?;
    with_permissions(store, rows).await
}

/// Lists a page of the APIs an organization may use: its own and those offered to it.
pub async fn list_offered_apis(
    store: &Store,
    organization: OrganizationId,
    after: Option<ApiId>,
    limit: u32,
) -> Result<Vec<ApiRow>, StoreFailure> {
    let rows =
        store.read_list(&PAGE_OFFERED_TO, &[organization.into(), page_start(after), limit.into()]).await?;
    with_permissions(store, rows).await
}

/// The organizations that an API of the instance is offered to individually.
pub async fn list_api_offers(store: &Store, api: ApiId) -> Result<Vec<OrganizationId>, StoreFailure> {
    store.read_all(&OFFERS, &[api.into()]).await?.iter().map(|row| row.id("organization_id")).collect()
}

/// The resource names of all APIs an organization may use, each with the API that defines it.
pub async fn list_offered_resources(
    store: &Store,
    organization: OrganizationId,
) -> Result<Vec<(String, ApiId)>, StoreFailure> {
    let rows = store.read_all(&RESOURCES_OFFERED_TO, &[organization.into()]).await?;
    rows.iter().map(|row| Ok((row.text("p.resource")?.to_owned(), row.id("a.id")?))).collect()
}

/// Empty bytes sort before every id.
fn page_start(after: Option<ApiId>) -> SqlValue {
    after.map_or_else(SqlValue::empty_bytes, SqlValue::from)
}

fn pop_single(mut apis: Vec<ApiRow>) -> Option<ApiRow> {
    apis.pop()
}

fn columns_of(api: &ApiDefinition) -> Result<[SqlValue; 8], StoreFailure> {
    Ok([
        api.identifier.as_str().into(),
        api.name.as_str().into(),
        api.default_scope.to_string().into(),
        api.token_lifetime_seconds.map(i64::from).into(),
        api.algorithm.map(|algorithm| algorithm.as_str()).into(),
        api.unverified_clients.as_str().into(),
        (&JsonDocument::from_value(&api.detail_types)?).into(),
        (&JsonDocument::from_value(&api.object_types)?).into(),
    ])
}

fn permission_steps(id: ApiId, api: &ApiDefinition) -> impl Iterator<Item = GuardedStatement> {
    api.permissions.iter().enumerate().map(move |(index, text)| {
        let permission_text = text.permission.to_string();
        let (resource, action) = permission_text.split_once(':').unwrap_or((&permission_text, ""));
        let parameters: [SqlValue; 7] = [
            id.into(),
            resource.into(),
            action.into(),
            text.english.as_str().into(),
            text.portuguese.as_deref().into(),
            text.irreversible.into(),
            i64::try_from(index).unwrap_or(i64::MAX).into(),
        ];
        GuardedStatement::exactly_one(&ADD_PERMISSION, parameters)
    })
}

async fn with_permissions(store: &Store, rows: Vec<SqlRow>) -> Result<Vec<ApiRow>, StoreFailure> {
    let mut apis = Vec::with_capacity(rows.len());
    for row in &rows {
        let id: ApiId = row.id("a.id")?;
        let permissions = store.read_all(&PERMISSIONS, &[id.into()]).await?;
        apis.push(read_api_row(row, permissions.iter().map(read_permission).collect::<Result<_, _>>()?)?);
    }
    Ok(apis)
}

/// Reads the permission of a row.
pub(crate) fn read_permission(row: &SqlRow) -> Result<PermissionDescription, StoreFailure> {
    let permission_text = format!("{}:{}", row.text("resource")?, row.text("action")?);
    Ok(PermissionDescription {
        permission: permission_text.parse().map_err(|_| row.damaged_column("resource", "a permission"))?,
        english: row.text("english")?.to_owned(),
        portuguese: row.optional_text("portuguese")?.map(str::to_owned),
        irreversible: row.flag("is_irreversible")?,
    })
}

/// Reads an API from the columns of [`api_columns`], with these permissions.
pub(crate) fn read_api_row(
    row: &SqlRow,
    permissions: Vec<PermissionDescription>,
) -> Result<ApiRow, StoreFailure> {
    let unverified_clients = match row.text("a.unverified_clients")? {
        "allow" => ApiClientPolicy::Allow,
        "irreversible_refused" => ApiClientPolicy::IrreversibleRefused,
        "refuse" => ApiClientPolicy::Refuse,
        _ => return Err(row.damaged_column("a.unverified_clients", "a policy for unverified clients")),
    };
    let lifetime = row.optional_integer("a.token_lifetime")?.map(u32::try_from).transpose();
    let algorithm = row.optional_text("a.algorithm")?.map(str::parse).transpose();
    Ok(ApiRow {
        id: row.id("a.id")?,
        organization: row.optional_id("a.organization_id")?,
        is_offered_to_all: row.flag("a.is_offered_to_all")?,
        condition: lifecycle_condition::read_condition(row, "a.condition")?,
        version: row.integer("a.version")?,
        definition: ApiDefinition {
            identifier: row
                .text("a.identifier")?
                .parse()
                .map_err(|_| row.damaged_column("a.identifier", "the identifier of an API"))?,
            name: row.text("a.name")?.to_owned(),
            permissions,
            default_scope: row
                .text("a.default_scope")?
                .parse()
                .map_err(|_| row.damaged_column("a.default_scope", "a set of scopes"))?,
            token_lifetime_seconds: lifetime
                .map_err(|_| row.damaged_column("a.token_lifetime", "a lifetime"))?,
            algorithm: algorithm.map_err(|_| row.damaged_column("a.algorithm", "an algorithm"))?,
            unverified_clients,
            detail_types: JsonDocument::from_row(row, "a.detail_types")?.parse()?,
            object_types: JsonDocument::from_row(row, "a.object_types")?.parse()?,
        },
    })
}

/// The columns that [`read_api_row`] expects.
macro_rules! api_columns {
    () => {
        "a.id, a.organization_id, a.is_offered_to_all, a.condition, a.version, a.identifier, a.name, \
         a.default_scope, a.token_lifetime, a.algorithm, a.unverified_clients, a.detail_types, a.object_types"
    };
}
/// Selects the APIs that have not ended; a further condition follows.
macro_rules! columns {
    () => {
        concat!("SELECT ", api_columns!(), " FROM apis a WHERE a.condition <> 'ended' AND ")
    };
}

pub(crate) use api_columns;

static CREATE: SqlStatement = SqlStatement::new(
    "apis.create",
    "INSERT INTO apis (id, organization_id, is_offered_to_all, condition, created_at, identifier, name, \
     default_scope, token_lifetime, algorithm, unverified_clients, detail_types, object_types) \
     VALUES (?1, ?2, ?3, 'enabled', ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
);
static CHANGE: SqlStatement = SqlStatement::new(
    "apis.change",
    "UPDATE apis SET is_offered_to_all = ?3, identifier = ?4, name = ?5, default_scope = ?6, \
     token_lifetime = ?7, algorithm = ?8, unverified_clients = ?9, detail_types = ?10, object_types = ?11, \
     version = version + 1 \
     WHERE id = ?1 AND version = ?2 AND condition <> 'ended'",
);
static CHANGE_CONDITION: SqlStatement = SqlStatement::new(
    "apis.change_condition",
    "UPDATE apis SET condition = ?3, version = version + 1 WHERE id = ?1 AND version = ?2 AND condition <> 'ended'",
);
static DELETE_PERMISSIONS: SqlStatement =
    SqlStatement::new("apis.forget_permissions", "DELETE FROM api_permissions WHERE api_id = ?1");
static ADD_PERMISSION: SqlStatement = SqlStatement::new(
    "apis.add_permission",
    "INSERT INTO api_permissions (api_id, resource, action, english, portuguese, is_irreversible, place) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
);
static PERMISSIONS: SqlStatement = SqlStatement::new(
    "apis.permissions",
    "SELECT resource, action, english, portuguese, is_irreversible FROM api_permissions \
     WHERE api_id = ?1 ORDER BY place",
);
static OFFER: SqlStatement = SqlStatement::new(
    "apis.offer",
    "INSERT INTO api_offers (api_id, organization_id) VALUES (?1, ?2) ON CONFLICT (api_id, organization_id) DO NOTHING",
);
static WITHDRAW_OFFER: SqlStatement = SqlStatement::new(
    "apis.withdraw_offer",
    "DELETE FROM api_offers WHERE api_id = ?1 AND organization_id = ?2",
);
static FIND: SqlStatement = SqlStatement::new("apis.find", concat!(columns!(), "a.id = ?1"));
static FIND_BY_IDENTIFIER: SqlStatement =
    SqlStatement::new("apis.find_by_identifier", concat!(columns!(), "a.identifier = ?1"));
static FIND_OWNER: SqlStatement = SqlStatement::new(
    "apis.owner_of",
    "SELECT organization_id FROM apis WHERE identifier = ?1 AND condition <> 'ended'",
);
static LIST_WITH_OBJECTS_OF_ORGANIZATION: SqlStatement = SqlStatement::new(
    "apis.with_objects_of",
    "SELECT identifier FROM apis \
     WHERE organization_id = ?1 AND object_types <> '{}' AND condition = 'enabled' LIMIT 2",
);
static LIST_WITH_OBJECTS_OF_INSTANCE: SqlStatement = SqlStatement::new(
    "apis.with_objects",
    "SELECT identifier FROM apis \
     WHERE organization_id IS NULL AND object_types <> '{}' AND condition = 'enabled' LIMIT 2",
);
static PAGE: SqlStatement =
    SqlStatement::new("apis.page", concat!(columns!(), "a.id > ?1 ORDER BY a.id LIMIT ?2"));
static PAGE_OFFERED_TO: SqlStatement = SqlStatement::new(
    "apis.page_offered_to",
    concat!(columns!(), is_offered!("?1"), " AND a.id > ?2 ORDER BY a.id LIMIT ?3"),
);
static OFFERS: SqlStatement = SqlStatement::new(
    "apis.offers",
    "SELECT organization_id FROM api_offers WHERE api_id = ?1 ORDER BY organization_id",
);
static RESOURCES_OFFERED_TO: SqlStatement = SqlStatement::new(
    "apis.resources_offered_to",
    concat!(
        "SELECT DISTINCT p.resource, a.id FROM apis a JOIN api_permissions p ON p.api_id = a.id \
         WHERE a.condition = 'enabled' AND ",
        is_offered!("?1")
    ),
);
pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &CREATE,
    &CHANGE,
    &CHANGE_CONDITION,
    &DELETE_PERMISSIONS,
    &ADD_PERMISSION,
    &PERMISSIONS,
    &OFFER,
    &WITHDRAW_OFFER,
    &FIND,
    &FIND_BY_IDENTIFIER,
    &FIND_OWNER,
    &LIST_WITH_OBJECTS_OF_ORGANIZATION,
    &LIST_WITH_OBJECTS_OF_INSTANCE,
    &PAGE,
    &PAGE_OFFERED_TO,
    &OFFERS,
    &RESOURCES_OFFERED_TO,
];
