//! The catalog of built-in permissions.

use crate::management_api::request::ManagementRequest;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use serde::Serialize;
use sinete_core::access_control::permission_catalog::{BuiltInPermission, CATALOGUE, PermissionReach};
use sinete_server::reply::HandlerResult;
use sinete_server::reply::json::{json_response, serialize_json};
use sinete_server::schema::NamedSchema;

#[derive(Serialize)]
struct PermissionView {
    permission: &'static str,
    english: &'static str,
    portuguese: &'static str,
    reach: &'static str,
    irreversible: bool,
}

#[derive(Serialize)]
struct PermissionListView {
    items: Vec<PermissionView>,
}

/// Lists all built-in permissions.
pub(crate) async fn list_permissions(state: HttpState, call: RoutedRequest) -> HandlerResult {
    ManagementRequest::authenticate(state, call).await?;
    let items = CATALOGUE.iter().map(permission_view).collect();
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

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&PERMISSION, &CATALOGUE_SCHEMA];

const PERMISSION: NamedSchema = NamedSchema {
    name: "Permission",
    json: r##"{
        "type": "object", "additionalProperties": false,
        "required": ["permission", "english", "portuguese", "reach", "irreversible"],
        "properties": {
            "permission": {"type": "string", "description": "How it is written in roles, scopes and tokens."},
            "english": {"type": "string", "description": "What it allows, in English."},
            "portuguese": {"type": "string", "description": "What it allows, in Portuguese."},
            "reach": {
                "type": "string", "enum": ["organization", "instance", "assignment"],
                "description": "Where it counts: inside one organization, over the instance, or only by an assignment with a reason and an end."
            },
            "irreversible": {"type": "boolean", "description": "Whether what it allows cannot be taken back."}
        },
        "examples": [{
            "permission": "members:read",
            "english": "See the members", "portuguese": "Ver os membros", "reach": "organization", "irreversible": false
        }]
    }"##,
};

/// The schema of the catalog.
pub(crate) const CATALOGUE_SCHEMA: NamedSchema = NamedSchema {
    name: "PermissionCatalogue",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["items"],
        "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/Permission"}}}
    }"##,
};
