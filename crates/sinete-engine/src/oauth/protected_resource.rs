//! Protected resource metadata of this server and of APIs (RFC 9728).

use crate::access_control::admin_scope::AdminScope;
use crate::organizations::api_catalog;
use crate::{Engine, Error, Failure};
use serde_json::{Map, Value, json};
use sinete_core::access_control::permission_catalog::{PERMISSION_CATALOG, PermissionReach};
use sinete_core::access_control::scope::{Scope, ScopeSet};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::id::ApiId;
use sinete_core::oauth::protected_resource::ProtectedResource;
use sinete_core::organizations::api_catalog::ApiDefinition;
use sinete_core::platform::signing_keys::SigningAlgorithm;

/// The metadata of an API and how to publish it.
#[derive(Clone, Debug)]
pub struct ApiMetadata {
    /// The metadata document.
    pub document: Map<String, Value>,
    /// The well-known URL, if the identifier is a URL.
    pub address: Option<String>,
    /// The value of `WWW-Authenticate` for requests without a token.
    pub challenge: String,
}

/// The metadata of this server's own APIs.
pub fn built_in_api_metadata(engine: &Engine) -> Map<String, Value> {
    let issuer = &engine.settings().issuer;
    let ours = PERMISSION_CATALOG.iter().filter(|it| it.reach != PermissionReach::Assignment);
    let scope: ScopeSet = ours.filter_map(|it| it.permission.parse().ok()).map(Scope::Permission).collect();
    let resource = ProtectedResource {
        identifier: issuer,
        name: "Sinete",
        issuer,
        scope: &scope,
        detail_types: Vec::new(),
    };
    let mut document = resource.build_metadata();
    let algorithms = SigningAlgorithm::ALL.map(SigningAlgorithm::as_str);
    document.insert("dpop_signing_alg_values_supported".to_owned(), json!(algorithms));
    document.insert("dpop_bound_access_tokens_required".to_owned(), false.into());
    if engine.settings().accepted_certificates().accepts_any() {
        document.insert("tls_client_certificate_bound_access_tokens".to_owned(), true.into());
    }
    document
}

/// Finds the metadata of an active API by identifier.
pub async fn find_api_metadata(
    engine: &Engine,
    identifier: &str,
) -> Result<Option<Map<String, Value>>, Failure> {
    let api_row =
        sinete_store::organizations::api_catalog::find_api_by_identifier(engine.store(), identifier).await?;
    let counts = api_row.filter(|api| api.condition == LifecycleCondition::Enabled);
    Ok(counts.map(|api| protected_resource(engine, &api.definition).build_metadata()))
}

/// Loads the metadata of an API for a caller who may see it.
pub async fn load_api_metadata(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: ApiId,
) -> Result<ApiMetadata, Error> {
    api_catalog::show(engine, admin_scope, id).await.map(|api| {
        let resource = protected_resource(engine, &api.definition);
        ApiMetadata {
            document: resource.build_metadata(),
            address: resource.metadata_url(),
            challenge: resource.www_authenticate_challenge(),
        }
    })
}

fn protected_resource<'a>(engine: &'a Engine, api: &'a ApiDefinition) -> ProtectedResource<'a> {
    ProtectedResource {
        identifier: api.identifier.as_str(),
        name: &api.name,
        issuer: &engine.settings().issuer,
        scope: &api.default_scope,
        detail_types: api.detail_types.keys().map(String::as_str).collect(),
    }
}
