//! Handlers of roles.

use crate::management_api::idempotent_create::CreatedResource;
use crate::management_api::pagination::ResourceView;
use crate::management_api::request::ManagementRequest;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinete_core::access_control::permission::{Permission, PermissionSet};
use sinete_core::id::RoleId;
use sinete_core::limits::{DISPLAY_TEXT_CHARACTERS_MAX, ROLE_NAME_CHARACTERS_MAX, ROLE_PERMISSIONS_MAX};
use sinete_core::refusal::Refusal;
use sinete_core::validation::ValidationErrors;
use sinete_engine::organizations::roles;
use sinete_engine::organizations::roles::{RoleDraft, RoleRow};
use sinete_server::reply::json::{json_response, no_content_response, serialize_json, with_etag};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::NamedSchema;

pub(crate) async fn list_roles(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let page = management_request.page_request(Some(access.organization.id))?;
    let read = roles::list(management_request.engine(), &access, page.after()?, page.fetch_limit()).await?;
    page.to_response(management_request.engine(), read)
}

pub(crate) async fn create_role(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let draft = management_request.parse_body::<RoleInput>()?.into_role_request()?;
    management_request
        .create_once(
            async |claim| roles::create(management_request.engine(), &access.with_claim(claim), &draft).await,
            |role: RoleRow| {
                Ok(CreatedResource::new(&role.to_view()?, management_request.child_location(role.id))?
                    .with_version(role.version))
            },
        )
        .await
}

pub(crate) async fn show_role(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    role_response(
        &roles::show(management_request.engine(), &access, management_request.path_id("role")?).await?,
    )
}

pub(crate) async fn update_role(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let (id, expected_version) =
        (management_request.path_id("role")?, management_request.if_match_version()?);
    let before = roles::find_changeable(management_request.engine(), &access, id, expected_version).await?;
    let draft = management_request
        .apply_merge_patch::<RoleInput>(&RoleInput::from_role(&before))?
        .into_role_request()?;
    role_response(&roles::change(management_request.engine(), &access, id, expected_version, &draft).await?)
}

pub(crate) async fn delete_role(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    roles::remove(
        management_request.engine(),
        &access,
        management_request.path_id("role")?,
        management_request.if_match_version()?,
    )
    .await?;
    Ok(no_content_response())
}

fn role_response(role: &RoleRow) -> Result<axum::response::Response, HandlerError> {
    Ok(with_etag(json_response(StatusCode::OK, serialize_json(&role.to_view()?)?), role.version))
}

/// A role, as returned.
#[derive(Serialize, JsonSchema)]
struct RoleView<'a> {
    id: RoleId,
    /// The name, as in the role claim of tokens.
    name: &'a str,
    description: &'a str,
    #[schemars(with = "Vec<String>")]
    permissions: &'a PermissionSet,
    /// Whether it is built in, so that its permissions cannot be changed. The built-in owner also has all
    /// permissions that APIs offer to the organization.
    built_in: bool,
    /// The version, which is also the `ETag`.
    version: i64,
}

impl ResourceView for RoleRow {
    fn cursor(&self) -> String {
        self.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        Ok(RoleView {
            id: self.id,
            name: self.role.name(),
            description: &self.description,
            permissions: self.role.permissions(),
            built_in: self.is_built_in,
            version: self.version,
        })
    }
}

/// A role, as submitted.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RoleInput {
    /// Lower-case letters, digits, - and _; unique in the organization.
    #[schemars(length(min = 1, max = ROLE_NAME_CHARACTERS_MAX), regex(pattern = r"^[a-z0-9_-]+$"))]
    pub(crate) name: String,
    #[schemars(length(max = DISPLAY_TEXT_CHARACTERS_MAX))]
    #[serde(default)]
    pub(crate) description: String,
    /// Permissions of Sinete and of APIs that are offered to the organization. The caller must hold all of
    /// them.
    #[schemars(with = "Vec<Permission>", length(max = ROLE_PERMISSIONS_MAX), extend("uniqueItems" = true))]
    #[serde(default)]
    pub(crate) permissions: Vec<String>,
}

impl RoleInput {
    fn from_role(role: &RoleRow) -> Self {
        Self {
            name: role.role.name().to_owned(),
            description: role.description.clone(),
            permissions: role.role.permissions().iter().map(ToString::to_string).collect(),
        }
    }

    pub(crate) fn into_role_request(self) -> Result<RoleDraft, HandlerError> {
        let mut errors = ValidationErrors::default();
        let permissions: PermissionSet = self
            .permissions
            .iter()
            .enumerate()
            .filter_map(|(index, text)| {
                errors.parse_text::<Permission>(format!("/permissions/{index}"), text)
            })
            .collect();
        if !errors.is_empty() {
            return Err(Refusal::from_validation_errors(errors).into());
        }
        Ok(RoleDraft { name: self.name, description: self.description, permissions })
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&ROLE, &NEW_ROLE, &ROLE_PATCH];

/// The schema of the resource.
pub(crate) const ROLE: NamedSchema = NamedSchema::response::<RoleView<'_>>("Role").with_example(
    r#"{
        "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6072", "name": "clerk", "description": "Sees the members",
        "permissions": ["members:read"], "built_in": false, "version": 1
    }"#,
);

/// The schema for creating a role.
pub(crate) const NEW_ROLE: NamedSchema = NamedSchema::request::<RoleInput>("CreateRoleRequest")
    .with_example(r#"{"name": "clerk", "description": "Sees the members", "permissions": ["members:read"]}"#);

/// The schema for changing a role.
pub(crate) const ROLE_PATCH: NamedSchema = NamedSchema::merge_patch::<RoleInput>("RolePatch")
    .with_example(r#"{"permissions": ["members:read", "roles:read"]}"#);
