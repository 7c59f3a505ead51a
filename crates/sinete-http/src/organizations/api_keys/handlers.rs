//! Handlers of API keys.

use crate::management_api::idempotent_create::CreatedResource;
use crate::management_api::pagination::ResourceView;
use crate::management_api::request::ManagementRequest;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::id::{ApiKeyId, MembershipId};
use sinete_core::limits::{API_KEY_LIFETIME_MAX, DISPLAY_TEXT_CHARACTERS_MAX, SCOPE_BYTES_MAX};
use sinete_core::refusal::Refusal;
use sinete_core::time::Lifetime;
use sinete_core::validation::ValidationErrors;
use sinete_engine::organizations::api_keys;
use sinete_engine::organizations::api_keys::{ApiKeyRequest, ApiKeyRow, IssuedApiKey};
use sinete_server::reply::json::{JsonTimestamp, json_response, no_content_response, serialize_json};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::NamedSchema;

pub(crate) async fn list_api_keys(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let page = management_request.page_request(Some(access.organization.id))?;
    let read =
        api_keys::list(management_request.engine(), &access, page.after()?, page.fetch_limit()).await?;
    page.to_response(management_request.engine(), read)
}

pub(crate) async fn issue_api_key(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let key_request = management_request.parse_body::<NewApiKeyInput>()?.into_api_key_request()?;
    management_request
        .create_once(
            async |claim| {
                api_keys::issue(management_request.engine(), &access.with_claim(claim), &key_request).await
            },
            |issued: IssuedApiKey| {
                let location = management_request.child_location(issued.id);
                Ok(CreatedResource::new(&IssuedApiKeyView::from_issued(issued, &key_request), location)?
                    .with_secret())
            },
        )
        .await
}

pub(crate) async fn show_api_key(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let key =
        api_keys::show(management_request.engine(), &access, management_request.path_id("api_key")?).await?;
    Ok(json_response(StatusCode::OK, serialize_json(&key.to_view()?)?))
}

pub(crate) async fn revoke_api_key(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    api_keys::revoke(management_request.engine(), &access, management_request.path_id("api_key")?).await?;
    Ok(no_content_response())
}

/// A key, as returned.
#[derive(Serialize, JsonSchema)]
struct ApiKeyView<'a> {
    id: ApiKeyId,
    /// The membership that holds the key.
    membership: MembershipId,
    name: &'a str,
    /// The maximum scope: permissions, separated by spaces.
    #[schemars(with = "String")]
    scope: &'a ScopeSet,
    created_at: JsonTimestamp,
    expires_at: JsonTimestamp,
    /// When it was last used, to the minute.
    used_at: Option<JsonTimestamp>,
    revoked_at: Option<JsonTimestamp>,
}

impl ResourceView for ApiKeyRow {
    fn cursor(&self) -> String {
        self.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        Ok(ApiKeyView {
            id: self.id,
            membership: self.membership,
            name: &self.name,
            scope: &self.scope,
            created_at: JsonTimestamp(self.created_at),
            expires_at: JsonTimestamp(self.expires_at),
            used_at: self.used_at.map(JsonTimestamp),
            revoked_at: self.revoked_at.map(JsonTimestamp),
        })
    }
}

/// A new key, which is returned once.
#[derive(Serialize, JsonSchema)]
struct IssuedApiKeyView<'a> {
    id: ApiKeyId,
    /// The key itself, which is returned only once.
    secret: String,
    membership: MembershipId,
    name: &'a str,
    #[schemars(with = "String")]
    scope: &'a ScopeSet,
    expires_at: JsonTimestamp,
}

impl<'a> IssuedApiKeyView<'a> {
    fn from_issued(issued: IssuedApiKey, request: &'a ApiKeyRequest) -> Self {
        Self {
            id: issued.id,
            secret: issued.secret.reveal(),
            membership: request.membership,
            name: &request.name,
            scope: &request.scope,
            expires_at: JsonTimestamp(issued.expires_at),
        }
    }
}

/// A key to issue.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewApiKeyInput {
    /// The membership that will hold the key.
    #[schemars(with = "MembershipId")]
    membership: String,
    /// The name that its owner gave it.
    #[schemars(length(min = 1, max = DISPLAY_TEXT_CHARACTERS_MAX))]
    name: String,
    /// The maximum scope: permissions, separated by spaces. The holder and the caller must hold all of them.
    #[schemars(length(min = 3, max = SCOPE_BYTES_MAX), regex(pattern = r"^[a-z][a-z0-9_.-]*:([a-z][a-z0-9_.-]*|\*)( [a-z][a-z0-9_.-]*:([a-z][a-z0-9_.-]*|\*))*$"))]
    scope: String,
    /// The lifetime, at most 365 days; by default 90 days.
    #[schemars(range(min = 1, max = API_KEY_LIFETIME_MAX.seconds()), extend("default" = 7776000))]
    lifetime_seconds: Option<u32>,
}

impl NewApiKeyInput {
    fn into_api_key_request(self) -> Result<ApiKeyRequest, HandlerError> {
        let mut errors = ValidationErrors::default();
        let membership = errors.parse_text("/membership", &self.membership);
        let scope = errors.parse_text("/scope", &self.scope);
        let lifetime = self.lifetime_seconds.map(Lifetime::from_seconds);
        match (membership, scope) {
            (Some(membership), Some(scope)) => {
                Ok(ApiKeyRequest { membership, name: self.name, scope, lifetime })
            }
            _ => Err(Refusal::from_validation_errors(errors).into()),
        }
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&API_KEY, &ISSUED_API_KEY, &NEW_API_KEY];

/// The schema of the resource.
pub(crate) const API_KEY: NamedSchema = NamedSchema::response::<ApiKeyView<'_>>("ApiKey").with_example(
    r#"{
        "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6074", "membership": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6073",
        "name": "nightly report", "scope": "members:read", "created_at": "2026-11-15T02:52:03.000042Z",
        "expires_at": "2027-02-13T02:52:03.000042Z", "used_at": null, "revoked_at": null
    }"#,
);

/// The schema of a new key.
pub(crate) const ISSUED_API_KEY: NamedSchema = NamedSchema::response::<IssuedApiKeyView<'_>>("IssuedApiKey")
    .with_example(
        r#"{
        "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6074",
        "secret": "sn_ak_0000000000000000000000000000000000000000000000AA",
        "membership": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6073", "name": "nightly report",
        "scope": "members:read", "expires_at": "2027-02-13T02:52:03.000042Z"
    }"#,
    );

/// The schema for issuing a key.
pub(crate) const NEW_API_KEY: NamedSchema = NamedSchema::request::<NewApiKeyInput>("CreateApiKeyRequest")
    .with_example(
        r#"{
        "membership": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6073", "name": "nightly report",
        "scope": "members:read"
    }"#,
    );
