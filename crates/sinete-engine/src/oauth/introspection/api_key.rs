//! Introspection of API keys, for the resource servers that accept them
//! (docs/contribute/decisions/0271-introspection-of-api-keys-and-by-operators-services.md).

use super::{INACTIVE, IntrospectionResponse, introspects_for, resource_server_owner};
use crate::oauth::client_authentication::AuthenticatedClient;
use crate::{Engine, Failure};
use serde::Serialize;
use sinete_core::access_control::Authority;
use sinete_core::access_control::permission::{Permission, PermissionSet};
use sinete_core::access_control::scope::{Scope, ScopeSet};
use sinete_core::access_control::subject::TokenSubject;
use sinete_core::id::{ApiKeyId, OrganizationId};
use sinete_core::oauth::access_token::format_role_claim;
use sinete_core::organizations::settings::{OrganizationSettings, RestrictableGrantType};
use sinete_core::secret::{ApiKey, Secret};
use sinete_store::WriteBatch;
use sinete_store::oauth::cache::api_catalog::ApiCatalog;
use sinete_store::oauth::subject_state;
use sinete_store::oauth::subject_state::ActingClient;
use sinete_store::organizations::api_keys;

/// An active API key: what its holder may do now at the APIs of the resource server.
#[derive(Debug, Serialize)]
pub struct ApiKeyIntrospection {
    active: bool,
    token_type: &'static str,
    iss: String,
    sub: String,
    exp: i64,
    jti: ApiKeyId,
    scope: ScopeSet,
    org: OrganizationId,
    role: String,
}

/// Introspects a key for a resource server, limited to the permissions of its APIs. A key that has none of them,
/// or whose organization does not accept keys in place of tokens, is inactive.
pub(super) async fn introspect_api_key(
    engine: &Engine,
    client: &AuthenticatedClient,
    secret: &Secret<ApiKey>,
) -> Result<IntrospectionResponse, Failure> {
    let (store, now) = (engine.store(), engine.now());
    let Some(caller_owner) = resource_server_owner(client) else { return Ok(INACTIVE) };
    let Some(key) = api_keys::find_active_api_key(store, &secret.digest(), now).await? else {
        return Ok(INACTIVE);
    };
    let snapshot = subject_state::load_subject(store, key.membership, ActingClient::None, now).await?;
    let Some(snapshot) = snapshot else { return Ok(INACTIVE) };
    let settings = snapshot.settings.parse::<OrganizationSettings>()?;
    let catalog = snapshot.api_catalog_version.load_catalog(store).await?;
    let Ok(subject) = snapshot.state.require_active() else { return Ok(INACTIVE) };
    let authority = Authority::derive(&subject).narrow_to_ceiling(&key.scope.permissions());
    let scope = select_scope(engine, caller_owner, &catalog, authority.permissions()).await?;
    if scope.is_empty() || settings.refused_grants.contains(&RestrictableGrantType::ApiKey) {
        return Ok(INACTIVE);
    }
    if let Some(step) = api_keys::touch_api_key(&key, now) {
        // The time of last use is informative; a database that cannot write must not lock the caller out.
        store.commit_best_effort(WriteBatch::new().with_statement(step)).await;
    }
    Ok(IntrospectionResponse::ApiKey(Box::new(ApiKeyIntrospection {
        active: true,
        token_type: "api_key",
        iss: engine.settings().issuer.clone(),
        sub: match subject.subject() {
            TokenSubject::User { membership, .. } => membership.to_string(),
            TokenSubject::Machine { client, .. } => client.to_string(),
        },
        exp: key.expires_at.seconds(),
        jti: key.id,
        scope,
        org: subject.organization(),
        role: format_role_claim(&subject),
    })))
}

/// The permissions at the APIs that a service of this owner introspects for.
async fn select_scope(
    engine: &Engine,
    organization_id: Option<OrganizationId>,
    catalog: &ApiCatalog,
    permissions: &PermissionSet,
) -> Result<ScopeSet, Failure> {
    let serves_instance = introspects_for(engine, organization_id, None).await?;
    let is_served = |permission: &&Permission| {
        let resource = catalog.resources().iter().find(|(name, _)| name == permission.resource());
        let api = resource.and_then(|(_, id)| catalog.find_api(*id));
        api.is_some_and(|api| match api.organization {
            None => serves_instance,
            Some(organization) => organization_id == Some(organization),
        })
    };
    Ok(permissions.iter().filter(is_served).cloned().map(Scope::Permission).collect())
}
