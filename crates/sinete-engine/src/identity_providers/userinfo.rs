//! The userinfo request to an OpenID Connect provider, if its ID token lacks claims.

use super::call_metrics::{ProviderCallKind, observe_call};
use super::{ProviderError, provider_target};
use crate::Engine;
use serde_json::{Map, Value};
use sinete_core::identity_providers::oidc::metadata::OidcProviderMetadata;
use sinete_core::identity_providers::oidc::userinfo::{lacks_user_claims, merge_userinfo};
use sinete_core::platform::outbound::OutboundPurpose;
use sinete_store::identity_providers::connections::ConnectionRow;

/// The claims of a verified ID token, and those of the userinfo endpoint that it lacks; `None` if there are none to add.
///
/// An endpoint that does not answer adds nothing: users whom the ID token identifies still sign in. An answer about
/// another user is rejected.
pub(super) async fn complete_claims(
    engine: &Engine,
    connection: &ConnectionRow,
    provider: &OidcProviderMetadata,
    id_token: &Map<String, Value>,
    access_token: Option<&str>,
) -> Result<Option<Map<String, Value>>, ProviderError> {
    let external = connection.settings.external_id_claim.as_deref();
    let (Some(endpoint), Some(access_token)) = (&provider.userinfo_endpoint, access_token) else {
        return Ok(None);
    };
    if !lacks_user_claims(id_token, external) {
        return Ok(None);
    }
    let target = provider_target(connection, OutboundPurpose::IdentityProvider, endpoint.as_str());
    let call = engine.outbound_http().get_with_token(&target, access_token);
    let Ok(body) = observe_call(engine, ProviderCallKind::Userinfo, call).await else { return Ok(None) };
    // A signed response (application/jwt) is no JSON object.
    let Ok(userinfo) = serde_json::from_slice::<Map<String, Value>>(&body) else { return Ok(None) };
    Ok(Some(merge_userinfo(id_token, &userinfo, external)?))
}
