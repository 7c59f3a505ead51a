//! Token issuance: the only place where claims are signed. A token carries exactly the given authority.

use crate::platform::signing_keys;
use crate::{Engine, Error, Failure};
use serde_json::{Map, Value};
use sinete_core::access_control::Authority;
use sinete_core::access_control::permission::PermissionSet;
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::access_control::subject::ActiveSubject;
use sinete_core::client_id::ClientId;
use sinete_core::limits::ACCESS_TOKEN_LIFETIME;
use sinete_core::oauth::access_token::{AccessTokenClaims, AccessTokenIssuance, AuthenticationContext};
use sinete_core::oauth::actor::ActorClaim;
use sinete_core::oauth::authorize::target_resource;
use sinete_core::oauth::authorize::target_resource::TargetResource;
use sinete_core::oauth::client_metadata::ClientMetadata;
use sinete_core::oauth::confirmation::ConfirmationClaim;
use sinete_core::oauth::grants;
use sinete_core::oauth::jti::Jti;
use sinete_core::oauth::organization_policy::PolicyApproval;
use sinete_core::organizations::api_catalog::ApiIdentifier;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::refusal::Refusal;
use sinete_core::secret::RefreshTokenSecret;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_crypto::platform::jwt::JwtType;
use sinete_store::oauth::cache::api_catalog::ApiCatalog;
use sinete_store::organizations::api_catalog::ApiRow;
use std::sync::Arc;

/// A token response.
pub struct IssuedTokens {
    /// The access token.
    pub access_token: String,
    /// The lifetime.
    pub lifetime: Lifetime,
    /// The scope.
    pub scope: ScopeSet,
    /// The refresh token, if any.
    pub refresh_token: Option<RefreshTokenSecret>,
    /// The ID token, if requested.
    pub id_token: Option<String>,
    /// The authorization details.
    pub details: Vec<Map<String, Value>>,
    /// Whether it is from a token exchange.
    pub is_exchanged: bool,
}

/// The audience of a token.
pub(crate) enum Audience {
    /// Our own APIs.
    Instance(ApiIdentifier),
    /// Another API.
    Api(Arc<ApiRow>),
}

impl Audience {
    /// The audience, as the core sees it.
    pub(crate) fn target(&self) -> TargetResource<'_> {
        match self {
            Self::Instance(issuer) => TargetResource::Instance(issuer),
            Self::Api(api) => TargetResource::Api(&api.definition),
        }
    }

    /// The `aud` of the token.
    pub(crate) fn audience(&self) -> &ApiIdentifier {
        match self {
            Self::Instance(issuer) => issuer,
            Self::Api(api) => &api.definition.identifier,
        }
    }

    /// The token lifetime at this audience.
    pub(crate) fn token_lifetime(&self) -> Lifetime {
        let api_lifetime = match self {
            Self::Instance(_) => None,
            Self::Api(api) => api.definition.token_lifetime_seconds,
        };
        api_lifetime.map_or(ACCESS_TOKEN_LIFETIME, Lifetime::from_seconds)
    }

    /// The signing algorithm at this audience.
    pub(crate) fn signing_algorithm(&self) -> SigningAlgorithm {
        match self {
            Self::Instance(_) => SigningAlgorithm::Es256,
            Self::Api(api) => api.definition.algorithm.unwrap_or(SigningAlgorithm::Es256),
        }
    }
}

/// The parameters of an access token apart from its subject and authority.
pub(crate) struct AccessTokenParams<'a> {
    /// The audience.
    pub(crate) audience: &'a Audience,
    /// The client it is issued to.
    pub(crate) client: &'a ClientId,
    /// The identity scopes granted in addition to the permissions.
    pub(crate) scopes: &'a ScopeSet,
    /// The metadata of that client.
    pub(crate) metadata: &'a ClientMetadata,
    /// The token's id.
    pub(crate) jti: Jti,
    /// The time of issue.
    pub(crate) now: Timestamp,
    /// The lifetime.
    pub(crate) lifetime: Lifetime,
    /// The user's authentication.
    pub(crate) authentication: Option<AuthenticationContext>,
    /// The actor chain.
    pub(crate) actor: Option<ActorClaim>,
    /// The binding.
    pub(crate) confirmation: Option<ConfirmationClaim>,
    /// The authorization details.
    pub(crate) details: Vec<Map<String, Value>>,
    /// The approval by the organization's policy.
    pub(crate) policy: PolicyApproval,
}

/// Signs an access token with exactly this authority.
pub(crate) fn sign_access_token(
    engine: &Engine,
    subject: &ActiveSubject,
    authority: &Authority,
    wording: AccessTokenParams<'_>,
) -> Result<String, Failure> {
    let (algorithm, now) = (wording.audience.signing_algorithm(), wording.now);
    signing_keys::sign_claims(
        engine,
        algorithm,
        JwtType::Access,
        &access_token_claims(engine, subject, authority, wording),
        now,
    )
}

/// Builds the claims of an access token with exactly this authority.
pub(crate) fn access_token_claims(
    engine: &Engine,
    subject: &ActiveSubject,
    authority: &Authority,
    wording: AccessTokenParams<'_>,
) -> AccessTokenClaims {
    let issue = AccessTokenIssuance {
        issuer: &engine.settings().issuer,
        audience: wording.audience.audience(),
        client: wording.client,
        scopes: wording.scopes,
        role_claims: wording.metadata.released_role_claims(wording.scopes).collect(),
        jti: wording.jti,
        now: wording.now,
        lifetime: wording.lifetime,
        authentication: wording.authentication,
        actor: wording.actor,
        confirmation: wording.confirmation,
        details: wording.details,
        policy: wording.policy,
    };
    AccessTokenClaims::new(subject, authority, issue)
}

/// Finds the audience with this identifier: our own, or an API offered to the organization. Any other is
/// refused as if it did not exist.
pub(crate) fn find_audience(
    engine: &Engine,
    catalog: &ApiCatalog,
    resource: &ApiIdentifier,
) -> Result<Audience, Refusal> {
    if resource.as_str() == engine.settings().issuer {
        return Ok(Audience::Instance(resource.clone()));
    }
    catalog
        .find_by_identifier(resource.as_str())
        .map(|api| Audience::Api(Arc::clone(api)))
        .ok_or_else(grants::invalid_target)
}

/// Infers the audience of these permissions: the only API that defines them.
pub(crate) fn infer_audience(
    engine: &Engine,
    catalog: &ApiCatalog,
    permissions: &PermissionSet,
) -> Result<Audience, Error> {
    match target_resource::resolve_audience(permissions, catalog.resources()).map_err(grants::to_refusal)? {
        None => Ok(Audience::Instance(built_in_api_identifier(engine)?)),
        Some(id) => Ok(catalog
            .find_api(id)
            .map(|api| Audience::Api(Arc::clone(api)))
            .ok_or_else(grants::invalid_target)?),
    }
}

/// The identifier of our own APIs.
pub(crate) fn built_in_api_identifier(engine: &Engine) -> Result<ApiIdentifier, Failure> {
    let issuer = engine.settings().issuer.parse();
    issuer.map_err(|_| {
        sinete_store::StoreFailure::Other("the issuer is not a valid identifier".to_owned()).into()
    })
}
