//! Cache of the API definitions that each organization may use.
//!
//! A definition grants nothing: permissions are read on every use, together with the version at which a cache
//! entry is valid. Changing an API or an offer, on any node, increments that version in the same transaction.

use crate::active_conditions::is_offered;
use crate::failure::StoreFailure;
use crate::organizations::api_catalog;
use crate::organizations::api_catalog::{ApiCatalogVersion, ApiRow, api_columns};
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use sinete_core::access_control::permission::PermissionSet;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::id::{ApiId, OrganizationId};
use sinete_core::limits::API_CATALOGS_CACHED_MAX;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The APIs that one organization may use.
#[derive(Debug)]
pub struct ApiCatalog {
    version: i64,
    apis: Vec<Arc<ApiRow>>,
    resources: Vec<(String, ApiId)>,
    permissions: PermissionSet,
}

impl ApiCatalog {
    /// The API of this id, if it is active.
    pub fn find_api(&self, id: ApiId) -> Option<&Arc<ApiRow>> {
        self.active_apis().find(|api| api.id == id)
    }

    /// The API with this identifier, if it is active.
    pub fn find_by_identifier(&self, identifier: &str) -> Option<&Arc<ApiRow>> {
        self.active_apis().find(|api| api.definition.identifier.as_str() == identifier)
    }

    /// The owner of the API with this identifier, suspended or not: an organization, or `None` for the
    /// instance.
    pub fn find_owner(&self, identifier: &str) -> Option<Option<OrganizationId>> {
        let has_identifier = |api: &&Arc<ApiRow>| api.definition.identifier.as_str() == identifier;
        self.apis.iter().find(has_identifier).map(|api| api.organization)
    }

    /// All resource names, each with the API that defines it.
    pub fn resources(&self) -> &[(String, ApiId)] {
        &self.resources
    }

    /// All defined permissions.
    pub const fn permissions(&self) -> &PermissionSet {
        &self.permissions
    }

    fn active_apis(&self) -> impl Iterator<Item = &Arc<ApiRow>> {
        self.apis.iter().filter(|api| api.condition == LifecycleCondition::Enabled)
    }

    fn from_apis(version: i64, apis: Vec<Arc<ApiRow>>) -> Self {
        let mut catalog =
            Self { version, apis, resources: Vec::new(), permissions: PermissionSet::default() };
        let mut resources = Vec::new();
        for api in catalog.active_apis() {
            for text in &api.definition.permissions {
                let resource = (text.permission.resource().to_owned(), api.id);
                if !resources.contains(&resource) {
                    resources.push(resource);
                }
            }
        }
        let permission_descriptions = catalog.active_apis().flat_map(|api| &api.definition.permissions);
        let permissions = permission_descriptions.map(|text| text.permission.clone()).collect();
        (catalog.resources, catalog.permissions) = (resources, permissions);
        catalog
    }
}

impl ApiCatalogVersion {
    /// The catalog as of this version or later: from the cache at exactly this version, otherwise from the
    /// database.
    pub async fn load_catalog(self, store: &Store) -> Result<Arc<ApiCatalog>, StoreFailure> {
        if let Some(catalog) = store.cache::<ApiCatalogCache>().get(self) {
            return Ok(catalog);
        }
        let rows = store.read_all(&LIST_OFFERED, &[self.organization.into()]).await?;
        let Some(first) = rows.first() else {
            return Err(StoreFailure::Damaged("the API catalog has no version".to_owned()));
        };
        let version = first.integer("k.version")?;
        let apis = read(&rows)?;
        Ok(store.cache::<ApiCatalogCache>().insert_catalog(self.organization, version, apis))
    }
}

/// Loads the API with this identifier, unless it has ended: from the cache at exactly this catalog version,
/// otherwise from the database.
pub async fn load_api_by_identifier(
    store: &Store,
    identifier: &str,
    catalogue: Option<i64>,
) -> Result<Option<Arc<ApiRow>>, StoreFailure> {
    if let Some(api) =
        catalogue.and_then(|version| store.cache::<ApiCatalogCache>().get_by_identifier(identifier, version))
    {
        return Ok(Some(api));
    }
    let rows = store.read_all(&FIND_BY_IDENTIFIER, &[identifier.into()]).await?;
    let Some((first, api)) = rows.first().zip(read(&rows)?.pop()) else { return Ok(None) };
    Ok(Some(store.cache::<ApiCatalogCache>().insert_api(identifier, first.integer("k.version")?, api)))
}

/// API definitions. A definition is stored once, however many organizations share it.
///
/// - Holds: the definitions offered to each organization, by organization and catalog version.
/// - Confirmed by: the catalog version, which is read with the permissions at every use.
/// - Dropped: when another version of the organization's catalog is loaded, and when the cache is full.
#[derive(Default)]
pub(crate) struct ApiCatalogCache(RwLock<ApiCatalogEntries>);

#[derive(Default)]
struct ApiCatalogEntries {
    catalogs: HashMap<OrganizationId, Arc<ApiCatalog>>,
    /// By identifier, with the catalog version of the entry. Unknown identifiers are not cached.
    by_identifier: HashMap<String, (i64, Arc<ApiRow>)>,
    definitions: HashMap<ApiId, Arc<ApiRow>>,
}

impl ApiCatalogCache {
    fn get(&self, offering: ApiCatalogVersion) -> Option<Arc<ApiCatalog>> {
        let catalog_entries = self.0.read().unwrap_or_else(PoisonError::into_inner);
        catalog_entries
            .catalogs
            .get(&offering.organization)
            .filter(|it| it.version == offering.version)
            .cloned()
    }

    fn insert_catalog(
        &self,
        organization: OrganizationId,
        version: i64,
        apis: Vec<ApiRow>,
    ) -> Arc<ApiCatalog> {
        let mut catalog_entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if catalog_entries.catalogs.len() >= API_CATALOGS_CACHED_MAX
            && !catalog_entries.catalogs.contains_key(&organization)
        {
            *catalog_entries = ApiCatalogEntries::default();
        }
        let shared = apis.into_iter().map(|api| catalog_entries.intern_api(api)).collect();
        let catalog = Arc::new(ApiCatalog::from_apis(version, shared));
        catalog_entries.catalogs.insert(organization, Arc::clone(&catalog));
        catalog
    }

    fn get_by_identifier(&self, identifier: &str, version: i64) -> Option<Arc<ApiRow>> {
        let catalog_entries = self.0.read().unwrap_or_else(PoisonError::into_inner);
        catalog_entries
            .by_identifier
            .get(identifier)
            .filter(|(cached_version, _)| *cached_version == version)
            .map(|(_, api)| Arc::clone(api))
    }

    fn insert_api(&self, identifier: &str, version: i64, api: ApiRow) -> Arc<ApiRow> {
        let mut catalog_entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if catalog_entries.by_identifier.len() >= API_CATALOGS_CACHED_MAX {
            *catalog_entries = ApiCatalogEntries::default();
        }
        let api = catalog_entries.intern_api(api);
        catalog_entries.by_identifier.insert(identifier.to_owned(), (version, Arc::clone(&api)));
        api
    }
}

impl ApiCatalogEntries {
    /// Returns the already cached equal definition, if there is one, so that organizations share it.
    fn intern_api(&mut self, api: ApiRow) -> Arc<ApiRow> {
        match self.definitions.get(&api.id) {
            Some(api_row) if **api_row == api => Arc::clone(api_row),
            Some(_) | None => {
                let api = Arc::new(api);
                self.definitions.insert(api.id, Arc::clone(&api));
                api
            }
        }
    }
}

/// Reads APIs from rows that each hold one permission of one API.
fn read(rows: &[SqlRow]) -> Result<Vec<ApiRow>, StoreFailure> {
    let mut apis: Vec<ApiRow> = Vec::new();
    for row in rows {
        let Some(id) = row.optional_id("a.id")? else { continue };
        if apis.last().is_none_or(|api| api.id != id) {
            apis.push(api_catalog::read_api_row(row, Vec::new())?);
        }
        if let (Some(api), Some(_)) = (apis.last_mut(), row.optional_text("p.resource")?) {
            api.definition.permissions.push(api_catalog::read_permission(row)?);
        }
    }
    Ok(apis)
}

// One statement, so that the definitions and their version are consistent.
macro_rules! apis_where {
    ($condition:expr) => {
        concat!(
            "SELECT ",
            api_columns!(),
            ", p.resource, p.action, p.english, p.portuguese, p.is_irreversible, k.version \
             FROM api_catalogue k LEFT JOIN apis a ON a.condition <> 'ended' AND ",
            $condition,
            " LEFT JOIN api_permissions p ON p.api_id = a.id WHERE k.id = 1 ORDER BY a.id, p.place"
        )
    };
}
static LIST_OFFERED: SqlStatement = SqlStatement::new("offered.offered", apis_where!(is_offered!("?1")));
static FIND_BY_IDENTIFIER: SqlStatement =
    SqlStatement::new("offered.named", apis_where!("a.identifier = ?1"));

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&LIST_OFFERED, &FIND_BY_IDENTIFIER];
