//! Checks of a request before the user is known: whether the client may request this, and whether the API
//! exists and defines it.

use super::error::AuthorizationError;
use super::requesting_client::ActiveClient;
use crate::{Engine, Failure};
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::oauth::authorize::params::AuthorizationParams;
use sinete_core::oauth::authorize::response::AuthorizationErrorCode;
use sinete_core::oauth::authorize::target_resource;
use sinete_core::oauth::authorize::target_resource::TargetResource;
use sinete_core::oauth::client_metadata::GrantType;
use sinete_core::organizations::api_catalog::ApiIdentifier;
use sinete_store::oauth::cache::api_catalog;
use sinete_store::organizations::api_catalog::ApiRow;
use std::sync::Arc;

/// The requested scopes, which the client may request.
pub(crate) struct RequestedScopes {
    pub(crate) scopes: ScopeSet,
    pub(crate) audience: Option<RequestedAudience>,
}

/// The requested audience: our own APIs, or another one.
#[derive(Clone, Debug)]
pub(crate) enum RequestedAudience {
    Instance(ApiIdentifier),
    Api(Arc<ApiRow>),
}

impl RequestedAudience {
    /// Finds the audience with this identifier in any state, using the API catalog cache at this version.
    pub(crate) async fn find(
        engine: &Engine,
        identifier: &ApiIdentifier,
        catalogue: Option<i64>,
    ) -> Result<Option<Self>, Failure> {
        if identifier.as_str() == engine.settings().issuer {
            return Ok(Some(Self::Instance(identifier.clone())));
        }
        let api = api_catalog::load_api_by_identifier(engine.store(), identifier.as_str(), catalogue).await?;
        Ok(api.map(Self::Api))
    }

    fn is_enabled(&self) -> bool {
        match self {
            Self::Instance(_) => true,
            Self::Api(api) => api.condition == LifecycleCondition::Enabled,
        }
    }

    pub(crate) fn target(&self) -> TargetResource<'_> {
        match self {
            Self::Instance(issuer) => TargetResource::Instance(issuer),
            Self::Api(api) => TargetResource::Api(&api.definition),
        }
    }
}

/// Checks everything that does not depend on the user.
pub(crate) async fn check_client_request(
    engine: &Engine,
    client: &ActiveClient,
    params: &AuthorizationParams,
    grant: GrantType,
) -> Result<RequestedScopes, AuthorizationError> {
    let metadata = &client.client.metadata;
    if !metadata.effective_grant_types().contains(&grant) {
        return Err((
            AuthorizationErrorCode::UnauthorizedClient,
            "The client is not registered for this grant type. Add it to grant_types of the client.",
        )
            .into());
    }
    let audience = match &params.resource {
        None => None,
        Some(resource) => {
            let requested_audience =
                RequestedAudience::find(engine, resource, client.api_catalog_version).await?;
            let enabled = requested_audience.filter(RequestedAudience::is_enabled);
            Some(enabled.ok_or((
                AuthorizationErrorCode::InvalidTarget,
                "The resource is not an API that this \
                client may use. Send the identifier of an API that is offered to the organization.",
            ))?)
        }
    };
    let target = audience.as_ref().map(RequestedAudience::target);
    let ceiling = client.client.scope_ceiling(engine, None);
    let scopes = target_resource::resolve_scopes(params, &ceiling, metadata, target)?;
    if let Some(target) = target {
        target.validate_details(&params.details, metadata)?;
    }
    Ok(RequestedScopes { scopes, audience })
}
