//! Identity providers of organizations: requests to them, and verification of their responses.
//!
//! Organization administrators configure their URLs, so they are requested through the HTTP client with SSRF
//! protection.

mod call_metrics;
pub mod connection_check;
pub mod connections;
mod metadata_cache;
pub mod saml;
pub mod setup_links;
mod userinfo;

pub(crate) use call_metrics::ProviderCallObserver;
pub use call_metrics::{ProviderCall, ProviderCallKind, set_call_observer};
use metadata_cache::OrganizationProvider;
pub(crate) use metadata_cache::{ProviderMetadataCache, load_provider, refetch_provider};
use sinete_core::refusal::sign_in::SignInRefusal;

use crate::platform::{jwks_uri_cache, signing_keys};
use crate::{Engine, Failure, InstanceMode};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sinete_core::entropy::draw_bytes;
use sinete_core::id::ConnectionId;
use sinete_core::identity_providers::connections::{
    ConnectionProtocol, InsecureProviderPolicy, OidcConnectionSettings, ProviderAuthMethod,
};
use sinete_core::identity_providers::oidc::authorization_request::{
    OidcAuthorizationRequest, OidcRelyingParty, build_token_request,
};
use sinete_core::identity_providers::oidc::id_token;
use sinete_core::identity_providers::oidc::id_token::{
    IdTokenExpectations, IdTokenRejection, IdentityProviderClaims,
};
use sinete_core::identity_providers::oidc::metadata::{InvalidOidcMetadata, OidcProviderMetadata};
use sinete_core::identity_providers::oidc::userinfo::UserinfoSubjectMismatch;
use sinete_core::limits::{PROVIDER_ASSERTION_LIFETIME, RETRY_AFTER};
use sinete_core::oauth::id_token::compute_half_hash;
use sinete_core::platform::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use sinete_core::refusal::Refusal;
use sinete_crypto::identity_providers::oidc::id_token as crypto_id_token;
use sinete_crypto::platform::encryption::{EncryptionContext, EncryptionPurpose};
use sinete_crypto::platform::jwt::{JwtRejection, JwtType};
use sinete_store::identity_providers::connections as store_connections;
use sinete_store::identity_providers::connections::ConnectionRow;

/// The path of the redirect URI, below the issuer. Each connection has its own, so that a response of one
/// provider cannot be used for another (RFC 9700 §4.4.2).
pub const CALLBACK_PATH: &str = "/sign-in/provider/{connection}";

/// Why an identity provider's response is rejected or missing. The reason is only for the log and the
/// administrator of the connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// The metadata could not be fetched.
    #[error("its discovery document could not be fetched at {0}")]
    NotReached(String),
    /// The metadata is invalid.
    #[error(transparent)]
    NotAProvider(#[from] InvalidOidcMetadata),
    /// The protocol is SAML.
    #[error("it uses SAML, which has neither a token endpoint nor a discovery document")]
    ProtocolIsSaml,
    /// Too many requests are waiting for this provider.
    #[error("too many requests wait for its token endpoint")]
    Busy,
    /// Our client secret is missing.
    #[error("the client secret is missing")]
    NoSecret,
    /// The token endpoint did not respond.
    #[error("its token endpoint did not respond")]
    NoResponse,
    /// The token endpoint rejected the code.
    #[error("its token endpoint returned the error {0}")]
    Refused(String),
    /// The token response is malformed.
    #[error("its token endpoint returned no ID token")]
    NoToken,
    /// No published key could have signed the token.
    #[error("its keys could not be fetched, or none of them signed the ID token")]
    NoKeys,
    /// The token is not a valid JWT.
    #[error("its ID token is not valid: {0}")]
    InvalidToken(#[from] JwtRejection),
    /// The claims are invalid.
    #[error(transparent)]
    InvalidClaims(#[from] IdTokenRejection),
    /// The userinfo response is about another user.
    #[error(transparent)]
    UserMismatch(#[from] UserinfoSubjectMismatch),
}

/// Why a call to a provider has no result.
#[derive(Debug)]
pub(crate) enum ProviderCallError {
    /// The provider is rejected, or could not be reached.
    Provider(ProviderError),
    /// An internal failure.
    Failed(Failure),
}

impl From<ProviderError> for ProviderCallError {
    fn from(error: ProviderError) -> Self {
        Self::Provider(error)
    }
}

impl<E: Into<Failure>> From<E> for ProviderCallError {
    fn from(failure: E) -> Self {
        Self::Failed(failure.into())
    }
}

/// The refusal if too many sign-ins are waiting; the user can retry with the same response.
pub(crate) fn provider_busy() -> Refusal {
    let busy = Refusal::because(SignInRefusal::ProviderBusy, ProviderError::Busy.to_string());
    busy.with_retry_after(RETRY_AFTER)
}

/// The redirect URI of a connection.
pub fn callback_url(engine: &Engine, connection: ConnectionId) -> String {
    let path = CALLBACK_PATH.replace("{connection}", &connection.to_string());
    format!("{}{path}", engine.settings().issuer)
}

/// Whether identity providers without TLS are accepted.
pub(crate) fn insecure_provider_policy(engine: &Engine) -> InsecureProviderPolicy {
    match engine.settings().mode {
        InstanceMode::Development => InsecureProviderPolicy::OnLoopback,
        InstanceMode::Production => InsecureProviderPolicy::Refused,
    }
}

/// The settings of an OpenID Connect connection.
fn openid_settings(connection: &ConnectionRow) -> Result<&OidcConnectionSettings, ProviderError> {
    match &connection.settings.protocol {
        ConnectionProtocol::OpenId(open_id) => Ok(open_id),
        ConnectionProtocol::Saml(_) => Err(ProviderError::ProtocolIsSaml),
    }
}

/// Checks that users can be sent to the provider. A SAML provider is not contacted: its URL is configured.
pub(crate) async fn require_reachable(
    engine: &Engine,
    connection: &ConnectionRow,
) -> Result<(), ProviderError> {
    match &connection.settings.protocol {
        ConnectionProtocol::OpenId(_) => load_provider(engine, connection).await.map(drop),
        ConnectionProtocol::Saml(_) => Ok(()),
    }
}

/// Redeems the code at the provider, and returns the verified claims about the user.
pub(crate) async fn redeem_sign_in_code(
    engine: &Engine,
    connection: &ConnectionRow,
    code: &str,
    request: &OidcAuthorizationRequest<'_>,
) -> Result<IdentityProviderClaims, ProviderCallError> {
    Ok(redeem_for_id_token(engine, connection, code, request).await?.claims)
}

/// A verified ID token: what it and the userinfo endpoint say about the user, and all claims as they were received.
pub(crate) struct VerifiedProviderClaims {
    pub(crate) claims: IdentityProviderClaims,
    pub(crate) payload: Map<String, Value>,
}

/// Redeems the code at the provider, and returns the verified ID token.
pub(crate) async fn redeem_for_id_token(
    engine: &Engine,
    connection: &ConnectionRow,
    code: &str,
    request: &OidcAuthorizationRequest<'_>,
) -> Result<VerifiedProviderClaims, ProviderCallError> {
    let provider = load_provider(engine, connection).await?;
    let purpose = OutboundPurpose::IdentityProvider;
    let response = redeem_code(engine, connection, &provider, purpose, code, request.verifier).await?;
    Ok(verify_id_token(engine, connection, &provider, &response, request.nonce).await?)
}

/// The token response, as far as it is used.
#[derive(Deserialize)]
struct UpstreamTokenResponse {
    id_token: Option<String>,
    access_token: Option<String>,
}

/// The error response of a token endpoint.
#[derive(Deserialize)]
struct UpstreamTokenError {
    error: String,
}

/// The outbound target of a request to a provider, owned by the organization.
fn provider_target<'a>(
    connection: &ConnectionRow,
    purpose: OutboundPurpose,
    url: &'a str,
) -> OutboundTarget<'a> {
    OutboundTarget { purpose, owner: OutboundOwner::Organization(connection.organization), url }
}

/// Redeems a code at the provider.
async fn redeem_code(
    engine: &Engine,
    connection: &ConnectionRow,
    provider: &OidcProviderMetadata,
    purpose: OutboundPurpose,
    code: &str,
    verifier: &str,
) -> Result<UpstreamTokenResponse, ProviderCallError> {
    let proof = client_authentication_params(engine, connection, provider).await?;
    let back = callback_url(engine, connection.id);
    let open_id = openid_settings(connection)?;
    let us = OidcRelyingParty { client_id: &open_id.client_id, callback: &back };
    let form = build_token_request(us, code, verifier, &proof);
    // Held until the response arrives, so that a slow provider leaves slots to others.
    let Some(_place) = engine
        .shared
        .provider_metadata_cache
        .acquire_token_slot(&OrganizationProvider::from_connection(connection))
        .await
    else {
        return Err(ProviderError::Busy.into());
    };
    let target = provider_target(connection, purpose, provider.token_endpoint.as_str());
    let call = engine.outbound_http().post_form(&target, &form);
    let result = call_metrics::observe_call(engine, ProviderCallKind::Token, call).await;
    match result {
        Err(not_reached) if not_reached.is_busy() => Err(ProviderError::Busy.into()),
        Err(_) => Err(ProviderError::NoResponse.into()),
        Ok(response) if response.status == 200 => {
            Ok(serde_json::from_slice(&response.body).map_err(|_| ProviderError::NoToken)?)
        }
        Ok(response) => {
            let refusal = serde_json::from_slice::<UpstreamTokenError>(&response.body);
            let plain = |c: &char| c.is_ascii_graphic();
            let error =
                refusal.map(|refusal| refusal.error.chars().filter(plain).take(100).collect::<String>());
            Err(ProviderError::Refused(error.unwrap_or_else(|_| response.status.to_string())).into())
        }
    }
}

/// Our client authentication parameters.
async fn client_authentication_params(
    engine: &Engine,
    connection: &ConnectionRow,
    provider: &OidcProviderMetadata,
) -> Result<Vec<(&'static str, String)>, ProviderCallError> {
    let open_id = openid_settings(connection)?;
    provider.require_auth_method(open_id.authentication).map_err(ProviderError::from)?;
    match open_id.authentication {
        ProviderAuthMethod::ClientSecret => {
            let encrypted_secret =
                store_connections::find_encrypted_secret(engine.store(), connection.id).await?;
            let secret = encrypted_secret
                .and_then(|encrypted_secret| decrypt_secret(engine, connection.id, &encrypted_secret));
            Ok(secret.map(|secret| vec![("client_secret", secret)]).ok_or(ProviderError::NoSecret)?)
        }
        ProviderAuthMethod::PrivateKey => {
            let (now, client_id) = (engine.now(), &open_id.client_id);
            let claims = json!({
                "iss": client_id, "sub": client_id, "aud": provider.token_endpoint.as_str(),
                "jti": URL_SAFE_NO_PAD.encode(draw_bytes::<16>(engine.entropy())),
                "iat": now.seconds(), "exp": now.plus(PROVIDER_ASSERTION_LIFETIME).seconds(),
            });
            let algorithm = provider.assertion_algorithm();
            let assertion =
                signing_keys::sign_claims(engine, algorithm, JwtType::ClientAssertion, &claims, now)?;
            let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer".to_owned();
            Ok(vec![("client_assertion_type", kind), ("client_assertion", assertion)])
        }
    }
}

/// Verifies the ID token in a response, and returns its claims.
async fn verify_id_token(
    engine: &Engine,
    connection: &ConnectionRow,
    provider: &OidcProviderMetadata,
    response: &UpstreamTokenResponse,
    nonce: &str,
) -> Result<VerifiedProviderClaims, ProviderError> {
    let token = response.id_token.as_deref().ok_or(ProviderError::NoToken)?;
    let target = provider_target(connection, OutboundPurpose::IdentityProvider, provider.jwks_uri.as_str());
    let published =
        jwks_uri_cache::find_published_keys(engine, &target, token).await.map_err(|_| ProviderError::Busy)?;
    let keys = published.ok_or(ProviderError::NoKeys)?;
    let signed = crypto_id_token::verify_provider_token(token, &keys, &provider.algorithms)?;
    let at_hash = response.access_token.as_deref().map(|token| compute_half_hash(token, signed.algorithm));
    let expected = IdTokenExpectations {
        issuer: &connection.issuer,
        client_id: &openid_settings(connection)?.client_id,
        nonce,
        at_hash: at_hash.as_deref(),
        external_id_claim: connection.settings.external_id_claim.as_deref(),
        now: engine.now(),
    };
    let claims = id_token::verify_id_token(&signed.claims, &expected)?;
    let access_token = response.access_token.as_deref();
    match userinfo::complete_claims(engine, connection, provider, &signed.claims, access_token).await? {
        Some(payload) => {
            Ok(VerifiedProviderClaims { claims: id_token::verify_id_token(&payload, &expected)?, payload })
        }
        None => Ok(VerifiedProviderClaims { claims, payload: signed.claims }),
    }
}

/// Encrypts the secret of a connection.
pub(crate) fn encrypt_secret(engine: &Engine, id: ConnectionId, secret: &str) -> Result<Vec<u8>, Failure> {
    let context = EncryptionContext::new(EncryptionPurpose::ConnectionSecret, id.as_bytes());
    Ok(engine.instance_keys().encrypt(&context, secret.as_bytes(), engine.entropy())?)
}

/// Decrypts the secret of a connection; `None` if it cannot be decrypted.
pub(crate) fn decrypt_secret(engine: &Engine, id: ConnectionId, encrypted_secret: &[u8]) -> Option<String> {
    let context = EncryptionContext::new(EncryptionPurpose::ConnectionSecret, id.as_bytes());
    let bytes = engine.instance_keys().decrypt(&context, encrypted_secret).ok()?;
    String::from_utf8(bytes.to_vec()).ok()
}
