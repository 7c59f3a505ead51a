//! Token introspection (RFC 7662), for clients that may know the token.

mod api_key;

pub use api_key::ApiKeyIntrospection;

use crate::oauth::access_token::{AccessTokenError, LiveAccessToken};
use crate::oauth::client_authentication::{AuthenticatedClient, UnconfirmedClient};
use crate::oauth::{access_token, token};
use crate::{Engine, Failure};
use compact_str::CompactString;
use serde::Serialize;
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::client_id::{ClientId, ClientKind};
use sinete_core::id::{MembershipId, OrganizationId};
use sinete_core::oauth::access_token::{AccessTokenClaims, format_role_claim, list_role_names};
use sinete_core::oauth::client_metadata::ClientAuthMethod;
use sinete_core::oauth::confirmation::ConfirmationClaim;
use sinete_core::organization_kind::OrganizationKind;
use sinete_core::organizations::api_catalog::ApiIdentifier;
use sinete_core::secret::{ApiKey, RefreshTokenSecret, Secret};
use sinete_store::oauth::clients::ClientOrigin;
use sinete_store::oauth::refresh_tokens;
use sinete_store::oauth::refresh_tokens::RefreshTokenStatus;
use sinete_store::organizations;
use sinete_store::organizations::api_catalog;
use sinete_store::organizations::api_catalog::ApiCatalogVersion;
use std::collections::BTreeMap;

/// An introspection response.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum IntrospectionResponse {
    /// Inactive, or not for this client. Nothing else is returned.
    Inactive {
        /// Always `false`.
        active: bool,
    },
    /// An active access token.
    Access(Box<AccessTokenIntrospection>),
    /// An active refresh token.
    Refresh(Box<RefreshTokenIntrospection>),
    /// An active API key.
    ApiKey(Box<ApiKeyIntrospection>),
}

/// An active access token: its claims, with the scope and roles that are currently held.
#[derive(Debug, Serialize)]
pub struct AccessTokenIntrospection {
    active: bool,
    token_type: &'static str,
    #[serde(flatten)]
    claims: AccessTokenClaims,
}

/// An active refresh token.
#[derive(Debug, Serialize)]
pub struct RefreshTokenIntrospection {
    active: bool,
    iss: String,
    sub: MembershipId,
    aud: String,
    exp: i64,
    client_id: ClientId,
    scope: ScopeSet,
    org: OrganizationId,
    role: String,
    #[serde(flatten)]
    role_names: BTreeMap<&'static str, Vec<CompactString>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cnf: Option<ConfirmationClaim>,
}

const INACTIVE: IntrospectionResponse = IntrospectionResponse::Inactive { active: false };

/// Introspects a token for the client.
pub async fn introspect_token(
    engine: &Engine,
    client: &AuthenticatedClient,
    token: &str,
) -> Result<IntrospectionResponse, Failure> {
    if let Ok(token) = RefreshTokenSecret::parse(token) {
        return introspect_refresh_token(engine, client, &token).await;
    }
    match Secret::<ApiKey>::parse(token) {
        Ok(key) => api_key::introspect_api_key(engine, client, &key).await,
        Err(_) => introspect_access_token(engine, client, token).await,
    }
}

/// The same for an unconfirmed client, if what is read about the token confirms its authentication. `None`
/// otherwise: it must authenticate first.
pub async fn introspect_for_unconfirmed_client(
    engine: &Engine,
    client: &UnconfirmedClient,
    token: &str,
) -> Result<Option<IntrospectionResponse>, Failure> {
    if RefreshTokenSecret::parse(token).is_ok() || Secret::<ApiKey>::parse(token).is_ok() {
        return Ok(None);
    }
    match access_token::load_access_token(engine, token).await {
        Ok(examined) if client.is_confirmed_by(engine, examined.token_subject.dependency_version) => {
            match examined.into_active_token() {
                Ok(live) => build_response(engine, &client.client, live).await.map(Some),
                Err(_) => Ok(Some(INACTIVE)),
            }
        }
        Ok(_) | Err(AccessTokenError::Inactive(_)) => Ok(None),
        Err(AccessTokenError::Failed(failure)) => Err(failure),
    }
}

async fn introspect_access_token(
    engine: &Engine,
    client: &AuthenticatedClient,
    token: &str,
) -> Result<IntrospectionResponse, Failure> {
    match access_token::load_active_token(engine, token).await {
        Ok(live) => build_response(engine, client, live).await,
        Err(AccessTokenError::Inactive(_)) => Ok(INACTIVE),
        Err(AccessTokenError::Failed(failure)) => Err(failure),
    }
}

async fn build_response(
    engine: &Engine,
    client: &AuthenticatedClient,
    live: LiveAccessToken,
) -> Result<IntrospectionResponse, Failure> {
    let concerns = live.claims.client() == client.id()
        || is_resource_server_of(engine, client, live.claims.audience(), live.api_catalog_version).await?;
    let narrowed_claims =
        concerns.then(|| live.claims.narrow_to_authority(&live.subject, &live.authority)).flatten();
    let to_response = |claims: AccessTokenClaims| {
        let is_bound_to_key = claims.confirmation().is_some_and(|bound| bound.key().is_some());
        let token_type = if is_bound_to_key { "DPoP" } else { "Bearer" };
        IntrospectionResponse::Access(Box::new(AccessTokenIntrospection { active: true, token_type, claims }))
    };
    Ok(narrowed_claims.map_or(INACTIVE, to_response))
}

/// Whether the client is a resource server for the API. An API has no credentials of its own: a service of
/// its owner introspects for it, that of an organization for the organization's APIs, and that of an operator
/// or of the operators' organization for those of the instance.
pub async fn is_resource_server_of(
    engine: &Engine,
    client: &AuthenticatedClient,
    api: &ApiIdentifier,
    offering: ApiCatalogVersion,
) -> Result<bool, Failure> {
    let Some(caller_owner) = resource_server_owner(client) else { return Ok(false) };
    // An API that is no longer offered to the token's organization still has an owner.
    let owner = match offering.load_catalog(engine.store()).await?.find_owner(api.as_str()) {
        Some(owner) => Some(owner),
        None => api_catalog::find_api_owner(engine.store(), api.as_str()).await?,
    };
    match owner {
        Some(owner) => introspects_for(engine, caller_owner, owner).await,
        None => Ok(false),
    }
}

/// Whether a service of `organization_id` introspects for the APIs of `owner`; `None` is the instance.
pub(super) async fn introspects_for(
    engine: &Engine,
    organization_id: Option<OrganizationId>,
    owner: Option<OrganizationId>,
) -> Result<bool, Failure> {
    match (organization_id, owner) {
        (Some(organization), None) => {
            let organization_row =
                organizations::find_organization(engine.store(), organization, engine.now()).await?;
            Ok(organization_row.is_some_and(|it| {
                it.kind == OrganizationKind::Operator && it.condition == LifecycleCondition::Enabled
            }))
        }
        (caller_owner, owner) => Ok(caller_owner == owner),
    }
}

/// The owner of the APIs that the client introspects for: an organization, or the instance (`None`).
pub(crate) fn resource_server_owner(client: &AuthenticatedClient) -> Option<Option<OrganizationId>> {
    let (client_row, metadata) = (&client.client.client, &client.client.metadata);
    let has_proof = metadata.token_endpoint_auth_method != ClientAuthMethod::None;
    if client_row.kind != ClientKind::Service || !has_proof {
        return None;
    }
    match client_row.origin {
        ClientOrigin::Operator => Some(None),
        ClientOrigin::Organization(organization) => Some(Some(organization)),
        ClientOrigin::DynamicRegistration => None,
    }
}

/// A refresh token is introspected only for its own client.
async fn introspect_refresh_token(
    engine: &Engine,
    client: &AuthenticatedClient,
    token: &RefreshTokenSecret,
) -> Result<IntrospectionResponse, Failure> {
    let now = engine.now();
    let Some(RefreshTokenStatus::Current(token)) =
        refresh_tokens::find_refresh_token(engine.store(), &token.digests()).await?
    else {
        return Ok(INACTIVE);
    };
    let Some(active) = token::find_active(engine, client, &token, now).await? else { return Ok(INACTIVE) };
    let released = client.client.metadata.released_role_claims(&active.scope);
    let role_names = released.map(|claim| (claim.as_str(), list_role_names(&active.subject))).collect();
    Ok(IntrospectionResponse::Refresh(Box::new(RefreshTokenIntrospection {
        active: true,
        iss: engine.settings().issuer.clone(),
        sub: token.membership,
        aud: token.audience,
        exp: token.idle_expires_at.min(token.expires_at).seconds(),
        client_id: token.client,
        scope: active.scope,
        org: active.subject.organization(),
        role: format_role_claim(&active.subject),
        role_names,
        cnf: token.confirmation.as_ref().map(|it| it.parse()).transpose()?,
    })))
}
