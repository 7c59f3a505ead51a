//! The parts of an identity provider's metadata that we use (OpenID Connect Discovery §3).

use crate::identity_providers::connections::{
    IdentityProviderIssuer, InsecureProviderPolicy, ProviderAuthMethod, is_loopback,
};
use crate::platform::signing_keys::SigningAlgorithm;
use serde::Deserialize;
use url::Url;

/// The metadata of an identity provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OidcProviderMetadata {
    /// The authorization endpoint.
    pub authorization_endpoint: Url,
    /// The token endpoint.
    pub token_endpoint: Url,
    /// The JWKS URL.
    pub jwks_uri: Url,
    /// The userinfo endpoint, if the provider has one.
    pub userinfo_endpoint: Option<Url>,
    /// Whether authorization responses carry `iss` (RFC 9207), so that a response without it is rejected.
    pub sends_iss: bool,
    /// Whether the `claims` parameter is supported (OpenID Connect Core §5.5), so that claims can be
    /// requested in the ID token.
    pub supports_claims_parameter: bool,
    /// The signing algorithms of the provider that we support.
    pub algorithms: Vec<SigningAlgorithm>,
    /// The supported client authentication methods, if listed.
    methods: Option<Vec<String>>,
    assertion_algorithms: Option<Vec<String>>,
}

/// Why the metadata is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidOidcMetadata {
    /// It is not provider metadata.
    #[error("the document is not OpenID provider metadata")]
    Malformed,
    /// It is the metadata of another issuer.
    #[error("the document names another issuer: {0}")]
    IssuerMismatch(String),
    /// An endpoint URL is not allowed.
    #[error("{0} is missing, or not an https URL")]
    Endpoint(&'static str),
    /// The authorization code flow is not supported.
    #[error("it does not support the authorization code flow")]
    NoCodeFlow,
    /// PKCE with S256, which we always use, is not supported.
    #[error("it does not support PKCE with S256")]
    NoPkce,
    /// No supported signing algorithm.
    #[error("it supports none of the signing algorithms RS256, PS256, ES256 and EdDSA")]
    NoSigningAlgorithm,
    /// The configured client authentication method is not supported.
    #[error("it does not support the client authentication method {0}")]
    NoClientAuthMethod(&'static str),
}

#[derive(Deserialize)]
struct OidcMetadataDocument {
    issuer: String,
    authorization_endpoint: Option<String>,
    token_endpoint: Option<String>,
    jwks_uri: Option<String>,
    userinfo_endpoint: Option<String>,
    response_types_supported: Option<Vec<String>>,
    code_challenge_methods_supported: Option<Vec<String>>,
    id_token_signing_alg_values_supported: Option<Vec<String>>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    token_endpoint_auth_signing_alg_values_supported: Option<Vec<String>>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
    #[serde(default)]
    claims_parameter_supported: bool,
}

impl OidcProviderMetadata {
    /// Parses and checks the metadata of this issuer.
    pub fn parse(
        body: &[u8],
        issuer: &IdentityProviderIssuer,
        plain: InsecureProviderPolicy,
    ) -> Result<Self, InvalidOidcMetadata> {
        let document: OidcMetadataDocument =
            serde_json::from_slice(body).map_err(|_| InvalidOidcMetadata::Malformed)?;
        // Compared byte for byte (RFC 8414 §3.3). Metadata that could pass for another issuer could
        // impersonate its users.
        if document.issuer != issuer.as_str() {
            return Err(InvalidOidcMetadata::IssuerMismatch(document.issuer.chars().take(200).collect()));
        }
        let lacks = |list: &Option<Vec<String>>, value: &str| {
            list.as_ref().is_some_and(|list| !list.iter().any(|it| it == value))
        };
        if lacks(&document.response_types_supported, "code") {
            return Err(InvalidOidcMetadata::NoCodeFlow);
        }
        // Providers that do not list PKCE methods either support or ignore the challenge.
        if lacks(&document.code_challenge_methods_supported, "S256") {
            return Err(InvalidOidcMetadata::NoPkce);
        }
        // RS256 is the default algorithm (Core §15.1).
        let algorithms = document.id_token_signing_alg_values_supported.as_ref().map_or_else(
            || vec![SigningAlgorithm::Rs256],
            |names| names.iter().filter_map(|name| name.parse().ok()).collect(),
        );
        if algorithms.is_empty() {
            return Err(InvalidOidcMetadata::NoSigningAlgorithm);
        }
        let endpoint = |name, text: &Option<String>| {
            parse_endpoint_url(text.as_deref(), plain).ok_or(InvalidOidcMetadata::Endpoint(name))
        };
        Ok(Self {
            authorization_endpoint: endpoint("authorization_endpoint", &document.authorization_endpoint)?,
            token_endpoint: endpoint("token_endpoint", &document.token_endpoint)?,
            jwks_uri: endpoint("jwks_uri", &document.jwks_uri)?,
            userinfo_endpoint: parse_endpoint_url(document.userinfo_endpoint.as_deref(), plain),
            sends_iss: document.authorization_response_iss_parameter_supported,
            supports_claims_parameter: document.claims_parameter_supported,
            algorithms,
            methods: document.token_endpoint_auth_methods_supported,
            assertion_algorithms: document.token_endpoint_auth_signing_alg_values_supported,
        })
    }

    /// Rejects a client authentication method that the provider does not list. A provider that lists none is
    /// assumed to support the configured one.
    pub fn require_auth_method(&self, authentication: ProviderAuthMethod) -> Result<(), InvalidOidcMetadata> {
        let name = match authentication {
            ProviderAuthMethod::ClientSecret => "client_secret_post",
            ProviderAuthMethod::PrivateKey => "private_key_jwt",
        };
        let takes = self.methods.as_ref().is_none_or(|methods| methods.iter().any(|method| method == name));
        if takes { Ok(()) } else { Err(InvalidOidcMetadata::NoClientAuthMethod(name)) }
    }

    /// The algorithm for our client assertions: one that the provider lists, or else the default.
    pub fn assertion_algorithm(&self) -> SigningAlgorithm {
        let supported_algorithms = self.assertion_algorithms.as_deref().unwrap_or_default();
        let signing_algorithms = [SigningAlgorithm::Es256, SigningAlgorithm::Ps256, SigningAlgorithm::EdDsa];
        signing_algorithms
            .into_iter()
            .find(|it| supported_algorithms.iter().any(|name| name == it.as_str()))
            .unwrap_or(SigningAlgorithm::Rs256)
    }
}

/// Parses an endpoint URL: https, or loopback for development.
pub(in crate::identity_providers) fn parse_endpoint_url(
    text: Option<&str>,
    plain: InsecureProviderPolicy,
) -> Option<Url> {
    let url = Url::parse(text?).ok()?;
    let is_safe = match (url.scheme(), plain) {
        ("https", _) => true,
        ("http", InsecureProviderPolicy::OnLoopback) => is_loopback(&url),
        _ => false,
    };
    let is_plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    (is_safe && is_plain && url.has_host()).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn document(changes: Value) -> Vec<u8> {
        let mut metadata = json!({
            "issuer": "https://idp.example",
            "authorization_endpoint": "https://idp.example/authorize?tenant=1",
            "token_endpoint": "https://idp.example/token",
            "jwks_uri": "https://keys.example/jwks",
            "response_types_supported": ["code", "id_token"],
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
        });
        for (name, value) in changes.as_object().unwrap() {
            metadata[name] = value.clone();
        }
        metadata.to_string().into_bytes()
    }

    fn read(changes: Value) -> Result<OidcProviderMetadata, InvalidOidcMetadata> {
        let issuer =
            IdentityProviderIssuer::parse("https://idp.example", InsecureProviderPolicy::Refused).unwrap();
        OidcProviderMetadata::parse(&document(changes), &issuer, InsecureProviderPolicy::Refused)
    }

    #[test]
    fn upstream_metadata_is_read_as_far_as_used() {
        let provider = read(json!({})).unwrap();
        assert_eq!(provider.algorithms, [SigningAlgorithm::Rs256]);
        assert_eq!(provider.token_endpoint.as_str(), "https://idp.example/token");
        assert!(!provider.sends_iss && provider.userinfo_endpoint.is_none());
        let unsafe_url = read(json!({"userinfo_endpoint": "http://idp.example/userinfo"})).unwrap();
        assert_eq!(unsafe_url.userinfo_endpoint, None);
        assert_eq!(provider.assertion_algorithm(), SigningAlgorithm::Rs256);
        assert!(provider.require_auth_method(ProviderAuthMethod::PrivateKey).is_ok());
        let metadata = json!({
            "token_endpoint_auth_methods_supported": ["private_key_jwt", "client_secret_basic"],
            "token_endpoint_auth_signing_alg_values_supported": ["RS256", "ES256"],
            "authorization_response_iss_parameter_supported": true,
        });
        let provider = read(metadata).unwrap();
        assert_eq!(provider.assertion_algorithm(), SigningAlgorithm::Es256);
        assert!(provider.sends_iss && provider.require_auth_method(ProviderAuthMethod::PrivateKey).is_ok());
        assert_eq!(
            provider.require_auth_method(ProviderAuthMethod::ClientSecret),
            Err(InvalidOidcMetadata::NoClientAuthMethod("client_secret_post"))
        );
    }

    #[test]
    fn upstream_metadata_with_an_unsafe_value_is_rejected_by_name() {
        for (changes, oidc_metadata) in [
            (
                json!({"issuer": "https://evil.example"}),
                InvalidOidcMetadata::IssuerMismatch("https://evil.example".into()),
            ),
            (
                json!({"issuer": "https://idp.example/"}),
                InvalidOidcMetadata::IssuerMismatch("https://idp.example/".into()),
            ),
            (
                json!({"token_endpoint": "http://idp.example/token"}),
                InvalidOidcMetadata::Endpoint("token_endpoint"),
            ),
            (json!({"jwks_uri": null}), InvalidOidcMetadata::Endpoint("jwks_uri")),
            (json!({"jwks_uri": "file:///etc/keys"}), InvalidOidcMetadata::Endpoint("jwks_uri")),
            (
                json!({"authorization_endpoint": "javascript:alert(1)"}),
                InvalidOidcMetadata::Endpoint("authorization_endpoint"),
            ),
            (
                json!({"authorization_endpoint": "https://a:b@idp.example/"}),
                InvalidOidcMetadata::Endpoint("authorization_endpoint"),
            ),
            (json!({"response_types_supported": ["id_token"]}), InvalidOidcMetadata::NoCodeFlow),
            (json!({"code_challenge_methods_supported": ["plain"]}), InvalidOidcMetadata::NoPkce),
            (
                json!({"id_token_signing_alg_values_supported": ["HS256", "none"]}),
                InvalidOidcMetadata::NoSigningAlgorithm,
            ),
        ] {
            assert_eq!(read(changes.clone()), Err(oidc_metadata), "{changes}");
        }
        let issuer =
            IdentityProviderIssuer::parse("https://idp.example", InsecureProviderPolicy::Refused).unwrap();
        for body in ["", "[]", "<html>", r#"{"issuer": 1}"#] {
            let read = OidcProviderMetadata::parse(body.as_bytes(), &issuer, InsecureProviderPolicy::Refused);
            assert_eq!(read, Err(InvalidOidcMetadata::Malformed), "{body}");
        }
    }
}
