//! Requests access tokens: for the client itself, by token exchange for a user, and for the owner of an API key.

mod cache;
mod token_endpoint;
mod token_request;

pub use token_request::{TokenRequest, TokenRequestError, TokenResponse, TokenSubject};

use crate::access_token_verifier::ConfigurationError;
use crate::client_authentication::{ClientAuthentication, DpopKey, DpopProofRequest};
use crate::issuer_client::{ClockFn, HttpClient, IssuerClient, is_valid_issuer, system_clock};
use crate::single_flight::SingleFlight;
use cache::TokenCache;
use reqwest::header::HeaderMap;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use token_endpoint::TokenEndpoint;

/// The settings of a [`TokenClient`]. [`TokenClientSettings::new`] sets the defaults.
#[derive(Clone)]
pub struct TokenClientSettings {
    /// The issuer: https, or http on loopback, without a trailing slash.
    pub issuer: String,
    /// The client.
    pub client: ClientAuthentication,
    /// Binds every token to a key that is generated in the process (DPoP). Default: false.
    pub use_dpop: bool,
    /// Your own HTTP client, for a proxy or private certificate authorities.
    pub http_client: Option<HttpClient>,
    /// Returns the time in seconds since 1970. Default: the clock of this machine.
    pub clock: ClockFn,
}

impl TokenClientSettings {
    /// The default settings for this client.
    pub fn new(issuer: &str, client: ClientAuthentication) -> Self {
        let issuer = issuer.to_owned();
        Self { issuer, client, use_dpop: false, http_client: None, clock: Arc::new(system_clock) }
    }
}

/// Requests tokens for one client and caches them until shortly before they expire. Create one and share it.
pub struct TokenClient {
    endpoint: Arc<TokenEndpoint>,
    cache: TokenCache,
    /// Refresh requests in flight, by refresh token.
    refreshes_in_flight: Arc<Mutex<HashMap<String, Arc<RefreshFlight>>>>,
}

type RefreshFlight = SingleFlight<Result<TokenResponse, TokenRequestError>>;

type FormFields = Vec<(&'static str, String)>;

impl TokenClient {
    /// Creates a client. It sends no request yet.
    pub fn new(settings: TokenClientSettings) -> Result<Self, ConfigurationError> {
        if !is_valid_issuer(&settings.issuer) {
            return Err(ConfigurationError::Issuer(settings.issuer));
        }
        let dpop_key =
            settings.use_dpop.then(DpopKey::new).transpose().map_err(|_| ConfigurationError::Key)?;
        let issuer = IssuerClient::new(&settings.issuer, settings.http_client, settings.clock)?;
        let endpoint = Arc::new(TokenEndpoint::new(issuer, settings.client, dpop_key));
        Ok(Self { endpoint, cache: TokenCache::default(), refreshes_in_flight: Arc::default() })
    }

    /// Returns a token: the client's own, or an exchanged one. The same token is returned until shortly before it expires,
    /// and concurrent calls share one request.
    pub async fn get_token(&self, request: &TokenRequest<'_>) -> Result<TokenResponse, TokenRequestError> {
        let form = request.to_form();
        let now = || self.endpoint.issuer.now();
        self.cache.get(&form, &now, || self.endpoint.request_token(form.clone())).await
    }

    /// Uses a refresh token. Store the new one before you use anything else of the response: the old one is invalid.
    /// Concurrent calls with the same refresh token share one request, because a second use would revoke the grant.
    pub async fn refresh(
        &self,
        refresh_token: &str,
        scope: Option<&str>,
    ) -> Result<TokenResponse, TokenRequestError> {
        let mut form =
            vec![("grant_type", "refresh_token".to_owned()), ("refresh_token", refresh_token.to_owned())];
        form.extend(scope.map(|scope| ("scope", scope.to_owned())));
        let (endpoint, all, name) =
            (Arc::clone(&self.endpoint), Arc::clone(&self.refreshes_in_flight), refresh_token.to_owned());
        let begin = move || {
            Some(async move {
                let outcome = endpoint.request_token(form).await;
                all.lock().unwrap_or_else(PoisonError::into_inner).remove(&name);
                outcome
            })
        };
        let refreshing = self.refresh_in_flight(refresh_token);
        refreshing.join(begin).await.unwrap_or_else(|| Err(TokenRequestError::refresh_outcome_unknown()))
    }

    fn refresh_in_flight(&self, refresh_token: &str) -> Arc<RefreshFlight> {
        let mut all = self.refreshes_in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(all.entry(refresh_token.to_owned()).or_default())
    }

    /// Removes a token from the cache, because an API rejected it.
    pub fn invalidate_token(&self, request: &TokenRequest<'_>) {
        self.cache.invalidate(&request.to_form());
    }

    /// The `Authorization` and `DPoP` headers for one request to an API. `None` where the token is bound to a key of another
    /// client, or the URL is not one.
    pub fn authorization_headers(
        &self,
        token: &TokenResponse,
        method: &str,
        url: &str,
    ) -> Option<Vec<(&'static str, String)>> {
        let text = token.access_token.as_str();
        if !token.is_dpop_bound {
            return Some(vec![("authorization", format!("Bearer {text}"))]);
        }
        let request = DpopProofRequest { method, url, token: Some(text), now: self.endpoint.issuer.now() };
        let proof = self.endpoint.dpop_key.as_ref()?.create_proof(&request).ok()?;
        Some(vec![("authorization", format!("DPoP {text}")), ("dpop", proof)])
    }

    /// Stores the `DPoP-Nonce` of an API's response; returns whether there was one.
    pub fn update_dpop_nonce(&self, url: &str, headers: &HeaderMap) -> bool {
        self.endpoint.update_dpop_nonce(url, headers)
    }
}
