//! The catalog of built-in permissions.

use crate::management_api::request::ManagementRequest;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use sinete_core::access_control::permission_catalog::{
    BuiltInPermission, PERMISSION_CATALOG, PermissionReach,
};
use sinete_server::reply::HandlerResult;
use sinete_server::reply::json::{json_response, serialize_json};
use sinete_server::schema::NamedSchema;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Permission")]
struct PermissionView {
    /// The name in roles, scopes and tokens.
    permission: &'static str,
    /// What it allows, in English.
    english: &'static str,
    /// What it allows, in Portuguese.
    portuguese: &'static str,
    /// Where it applies: within one organization, for the whole instance, or only by assignment.
    #[schemars(extend("enum" = ["organization", "instance", "assignment"]))]
    reach: &'static str,
    /// Whether what it allows cannot be undone.
    irreversible: bool,
}

#[derive(Serialize, JsonSchema)]
struct PermissionListView {
    items: Vec<PermissionView>,
}

/// Lists all built-in permissions.
pub(crate) async fn list_permissions(state: HttpState, request: RoutedRequest) -> HandlerResult {
    ManagementRequest::authenticate(state, request).await?;
    let items = PERMISSION_CATALOG.iter().map(permission_view).collect();
    Ok(json_response(StatusCode::OK, serialize_json(&PermissionListView { items })?))
}

fn permission_view(built_in: &BuiltInPermission) -> PermissionView {
    PermissionView {
        permission: built_in.permission,
        english: built_in.english,
        portuguese: built_in.portuguese,
        reach: match built_in.reach {
            PermissionReach::Organization => "organization",
            PermissionReach::Instance => "instance",
            PermissionReach::Assignment => "assignment",
        },
        irreversible: built_in.is_irreversible,
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&PERMISSION, &CATALOG_SCHEMA];

const PERMISSION: NamedSchema = NamedSchema::response::<PermissionView>("Permission").with_example(
    r#"{
        "permission": "members:read", "english": "See the members", "portuguese": "Ver os membros",
        "reach": "organization", "irreversible": false
    }"#,
);

/// The schema of the catalog.
pub(crate) const CATALOG_SCHEMA: NamedSchema =
    NamedSchema::response::<PermissionListView>("PermissionCatalogue");
