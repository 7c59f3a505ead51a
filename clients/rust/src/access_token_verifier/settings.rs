//! The settings of the access token verifier.

use crate::client_authentication::ClientAuthentication;
use crate::dpop::normalize_htu;
use crate::issuer_client::{
    ClockFn, HttpClient, IssuerClient, IssuerRequestError, is_valid_issuer, system_clock,
};
use crate::replay_cache::{MemoryReplayCache, ReplayCache};
use crate::signatures::SigningAlgorithm;
use reqwest::Url;
use std::sync::Arc;
use std::time::Duration;

/// The largest leeway.
const LEEWAY_MAX: Duration = Duration::from_secs(60);

/// The settings of an access token verifier. [`AccessTokenVerifierSettings::new`] sets the defaults.
#[derive(Clone)]
pub struct AccessTokenVerifierSettings {
    /// The issuer, exactly as in `iss`: https, or http on loopback, without a trailing slash.
    pub issuer: String,
    /// The URI that the API is registered under (`aud`).
    pub audience: String,
    /// The URL at which clients reach the API, before the path of a request: DPoP proofs contain it. Default: the origin of
    /// the audience.
    pub base_url: Option<String>,
    /// The URL of the protected resource metadata (RFC 9728). Default: the well-known URL of the audience.
    pub resource_metadata: Option<String>,
    /// The accepted signature algorithms. Default: ES256.
    pub algorithms: Vec<SigningAlgorithm>,
    /// How far `iat` and `nbf` may be in the future, at most a minute. Default: five seconds. `exp` has no leeway.
    pub clock_leeway: Duration,
    /// Where used DPoP proofs are recorded. Default: in this process.
    pub replay_cache: Arc<dyn ReplayCache>,
    /// Introspects every token as this client, so that a revoked token is rejected at once. Default: no introspection.
    pub introspection: Option<ClientAuthentication>,
    /// Your own HTTP client, for a proxy or private certificate authorities.
    pub http_client: Option<HttpClient>,
    /// Returns the time in seconds since 1970. Default: the clock of this machine.
    pub clock: ClockFn,
}

/// An invalid setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigurationError {
    /// The issuer.
    #[error("not an issuer: {0}")]
    Issuer(String),
    /// The audience.
    #[error("the audience must be the URI of the API")]
    Audience,
    /// The base URL.
    #[error("the base URL must be the URL at which clients reach the API: DPoP proofs contain it")]
    BaseUrl,
    /// The algorithms.
    #[error("at least one algorithm must be accepted")]
    Algorithms,
    /// The leeway.
    #[error("the leeway must be at most a minute")]
    Leeway,
    /// The DPoP key.
    #[error("generating the DPoP key failed")]
    Key,
    /// The HTTP client.
    #[error(transparent)]
    HttpClient(#[from] IssuerRequestError),
}

/// Settings after validation.
pub struct ValidatedSettings {
    pub audience: String,
    pub base_url: String,
    pub resource_metadata: Option<String>,
    pub algorithms: Vec<SigningAlgorithm>,
    pub clock_leeway: i64,
    pub replay_cache: Arc<dyn ReplayCache>,
    pub introspection: Option<ClientAuthentication>,
}

impl AccessTokenVerifierSettings {
    /// The default settings for this API.
    pub fn new(issuer: &str, audience: &str) -> Self {
        Self {
            issuer: issuer.to_owned(),
            audience: audience.to_owned(),
            base_url: None,
            resource_metadata: None,
            algorithms: vec![SigningAlgorithm::Es256],
            clock_leeway: Duration::from_secs(5),
            replay_cache: Arc::new(MemoryReplayCache::default()),
            introspection: None,
            http_client: None,
            clock: Arc::new(system_clock),
        }
    }

    pub(super) fn validate(self) -> Result<(IssuerClient, ValidatedSettings), ConfigurationError> {
        if !is_valid_issuer(&self.issuer) {
            return Err(ConfigurationError::Issuer(self.issuer));
        }
        let url = Url::parse(&self.audience).map_err(|_| ConfigurationError::Audience)?;
        let origin = matches!(url.scheme(), "http" | "https").then(|| url.origin().ascii_serialization());
        let base_url = self.base_url.or_else(|| origin.clone()).ok_or(ConfigurationError::BaseUrl)?;
        // After a query or a fragment the path of a request would not be compared.
        normalize_htu(&base_url)
            .filter(|_| !base_url.contains(['?', '#']))
            .ok_or(ConfigurationError::BaseUrl)?;
        if self.algorithms.is_empty() {
            return Err(ConfigurationError::Algorithms);
        }
        if self.clock_leeway > LEEWAY_MAX {
            return Err(ConfigurationError::Leeway);
        }
        let path = Some(url.path()).filter(|path| *path != "/").unwrap_or_default();
        let query = url.query().filter(|query| !query.is_empty()).map(|query| format!("?{query}"));
        let suffix = format!("{path}{}", query.unwrap_or_default());
        let default_metadata_url =
            origin.map(|origin| format!("{origin}/.well-known/oauth-protected-resource{suffix}"));
        let issuer = IssuerClient::new(&self.issuer, self.http_client, self.clock)?;
        let validated = ValidatedSettings {
            base_url: base_url.strip_suffix('/').unwrap_or(&base_url).to_owned(),
            audience: self.audience,
            resource_metadata: self.resource_metadata.or(default_metadata_url),
            algorithms: self.algorithms,
            clock_leeway: i64::try_from(self.clock_leeway.as_secs())
                .map_err(|_| ConfigurationError::Leeway)?,
            replay_cache: self.replay_cache,
            introspection: self.introspection,
        };
        Ok((issuer, validated))
    }
}
