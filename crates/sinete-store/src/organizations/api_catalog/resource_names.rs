//! A resource name must identify one API for every organization: finds APIs that already define a name, and
//! guards against a second one.

use super::ApiOwnership;
use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::{GuardConflict, GuardedStatement};
use sinete_core::id::ApiId;
use std::collections::BTreeSet;

/// The APIs that define one of these resource names for an organization that may also use this API.
pub async fn find_conflicting_apis(
    store: &Store,
    api: ApiId,
    belonging: ApiOwnership,
    resources: &BTreeSet<&str>,
) -> Result<Vec<String>, StoreFailure> {
    let mut taken_resources = Vec::new();
    for resource in resources {
        if store
            .read_first(&FIND_CONFLICTING, &resource_name_parameters(resource, api, belonging))
            .await?
            .is_some()
        {
            taken_resources.push((*resource).to_owned());
        }
    }
    Ok(taken_resources)
}

/// Guards that no other API defines one of these resource names for an organization that may also use this
/// API. Place them after [`crate::platform::instance::lock_instance_row`], or two concurrent transactions would
/// not see each other.
pub fn guard_resource_names<'a>(
    api: ApiId,
    belonging: ApiOwnership,
    resources: impl IntoIterator<Item = &'a str>,
) -> Vec<GuardedStatement> {
    let guard = |resource| {
        GuardedStatement::exactly_one(
            &REQUIRE_NO_CONFLICT,
            resource_name_parameters(resource, api, belonging),
        )
    };
    resources.into_iter().map(guard).collect()
}

/// Whether the batch was rejected because another API defines one of its resource names;
/// [`find_conflicting_apis`] tells which.
pub fn is_resource_name_conflict(conflict: &GuardConflict) -> bool {
    conflict.statement() == REQUIRE_NO_CONFLICT.name()
}

fn resource_name_parameters(resource: &str, api: ApiId, belonging: ApiOwnership) -> [SqlValue; 4] {
    [
        resource.into(),
        api.into(),
        belonging.organization.map_or_else(SqlValue::empty_bytes, SqlValue::from),
        belonging.organization.is_none().into(),
    ]
}

/// An API of the instance can conflict with every other one; an organization's API with its own and the
/// instance's.
macro_rules! select_other_defining {
    () => {
        "SELECT 1 FROM apis a JOIN api_permissions p ON p.api_id = a.id \
         WHERE p.resource = ?1 AND a.id <> ?2 AND a.condition <> 'ended' \
         AND (CAST(?4 AS BIGINT) = 1 OR a.organization_id IS NULL OR a.organization_id = ?3)"
    };
}
static FIND_CONFLICTING: SqlStatement =
    SqlStatement::new("apis.other_defining", concat!(select_other_defining!(), " LIMIT 1"));
static REQUIRE_NO_CONFLICT: SqlStatement = SqlStatement::new(
    "apis.only_defining",
    concat!(
        "UPDATE instance SET version = version WHERE id = 1 AND NOT EXISTS (",
        select_other_defining!(),
        ")"
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&FIND_CONFLICTING, &REQUIRE_NO_CONFLICT];
