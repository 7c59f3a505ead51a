//! The management API. Methods and types are generated from the OpenAPI description of the server.

mod error;
mod generated;
mod paged_list;
mod request;

pub use error::{FieldError, ManagementApiError};
pub use generated::*;
pub use paged_list::PagedList;

pub(crate) use request::{ManagementRequest, encode_segment};

use crate::access_token_verifier::ConfigurationError;
use crate::issuer_client::{HttpClient, IssuerClient, IssuerResponse, is_valid_issuer, system_clock};
use crate::token_client::{TokenClient, TokenRequest};
use reqwest::{Method, Url};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;

/// How requests are authorized.
#[derive(Clone)]
pub enum ManagementCredential {
    /// An API key.
    ApiKey(String),
    /// Access tokens for the issuer itself, with this scope.
    TokenClient {
        /// Requests the tokens.
        token_client: Arc<TokenClient>,
        /// Permissions, separated by spaces.
        scope: Option<String>,
    },
}

/// The settings of a [`ManagementClient`].
#[derive(Clone)]
pub struct ManagementClientSettings {
    /// The issuer: https, or http on loopback, without a trailing slash.
    pub issuer: String,
    /// How requests are authorized.
    pub credential: ManagementCredential,
    /// Your own HTTP client, for a proxy or private certificate authorities.
    pub http_client: Option<HttpClient>,
}

/// Calls the management API of one issuer.
#[derive(Clone)]
pub struct ManagementClient {
    issuer: Arc<IssuerClient>,
    credential: ManagementCredential,
    idempotency_key: Option<String>,
}

impl ManagementClient {
    /// Creates a client. It sends no request yet.
    pub fn new(settings: ManagementClientSettings) -> Result<Self, ConfigurationError> {
        if !is_valid_issuer(&settings.issuer) {
            return Err(ConfigurationError::Issuer(settings.issuer));
        }
        let issuer = IssuerClient::new(&settings.issuer, settings.http_client, Arc::new(system_clock))?;
        Ok(Self { issuer: Arc::new(issuer), credential: settings.credential, idempotency_key: None })
    }

    /// Creates a client that uses an API key.
    pub fn with_api_key(issuer: &str, api_key: &str) -> Result<Self, ConfigurationError> {
        let credential = ManagementCredential::ApiKey(api_key.to_owned());
        Self::new(ManagementClientSettings { issuer: issuer.to_owned(), credential, http_client: None })
    }

    /// The same methods with an `Idempotency-Key`: repeated within a day, a call creates nothing twice.
    #[must_use]
    pub fn with_idempotency_key(&self, key: &str) -> Self {
        Self { idempotency_key: Some(key.to_owned()), ..self.clone() }
    }

    pub(crate) fn paged_list<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &impl Serialize,
    ) -> PagedList<'_, T> {
        PagedList::new(self, path, serde_json::to_value(query).unwrap_or_default())
    }

    pub(crate) async fn execute(&self, request: ManagementRequest) -> Result<(), ManagementApiError> {
        self.send_with_retry(request).await.map(|_| ())
    }

    pub(crate) async fn fetch<T: DeserializeOwned>(
        &self,
        request: ManagementRequest,
    ) -> Result<T, ManagementApiError> {
        let response = self.send_with_retry(request).await?;
        let body = Value::Object(response.json.unwrap_or_default());
        serde_json::from_value(body).map_err(|error| {
            ManagementApiError::no_response(format!("the response does not match its schema: {error}"))
        })
    }

    /// Sends a request, and once more where the server asks for its DPoP nonce.
    async fn send_with_retry(
        &self,
        request: ManagementRequest,
    ) -> Result<IssuerResponse, ManagementApiError> {
        let url = self.url(&request)?;
        let response = self.send(&request, &url).await?;
        let response = match (&self.credential, response) {
            (ManagementCredential::TokenClient { token_client, .. }, response)
                if response.status == 401 && token_client.update_dpop_nonce(&url, &response.headers) =>
            {
                self.send(&request, &url).await?
            }
            (_, response) => response,
        };
        if (200..300).contains(&response.status) {
            return Ok(response);
        }
        if let (401, ManagementCredential::TokenClient { token_client, scope }) =
            (response.status, &self.credential)
        {
            token_client.invalidate_token(&self.token_request(scope.as_deref()));
        }
        Err(ManagementApiError::from_response(response))
    }

    /// Fails where a name, such as `..`, would change the path.
    fn url(&self, request: &ManagementRequest) -> Result<String, ManagementApiError> {
        let invalid = |reason: &str| ManagementApiError::no_response(format!("{reason}: {}", request.path));
        if request.path.contains("//") || request.path.ends_with('/') {
            return Err(invalid("a name in the path is empty"));
        }
        let full_url = format!("{}{}", self.issuer.issuer, request.path);
        let mut url = Url::parse(&full_url).map_err(|_| invalid("not a URL"))?;
        if url.path() != request.path {
            return Err(invalid("a name changes the path"));
        }
        for (name, value) in request.query.as_object().into_iter().flatten() {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            url.query_pairs_mut().append_pair(name, &text);
        }
        Ok(url.into())
    }

    async fn send(
        &self,
        request: &ManagementRequest,
        url: &str,
    ) -> Result<IssuerResponse, ManagementApiError> {
        let method = Method::from_bytes(request.method.as_bytes())
            .map_err(|_| ManagementApiError::no_response("not a method"))?;
        let mut outgoing = self.issuer.http().request(method, url).header("accept", "application/json");
        for (name, value) in self.credentials(request.method, url).await? {
            outgoing = outgoing.header(name, value);
        }
        if let Some(version) = request.version {
            outgoing = outgoing.header("if-match", format!("\"{version}\""));
        }
        if let Some(key) = &self.idempotency_key {
            if !request.accepts_idempotency_key {
                return Err(ManagementApiError::no_response("this call does not take an Idempotency-Key"));
            }
            outgoing = outgoing.header("idempotency-key", key);
        }
        if let Some((media_type, body)) = &request.body {
            outgoing = outgoing.header("content-type", *media_type).body(body.to_string());
        }
        self.issuer.send(outgoing).await.map_err(|error| ManagementApiError::no_response(error.to_string()))
    }

    fn token_request<'a>(&'a self, scope: Option<&'a str>) -> TokenRequest<'a> {
        TokenRequest { scope, resource: Some(&self.issuer.issuer), ..TokenRequest::default() }
    }

    async fn credentials(
        &self,
        method: &str,
        url: &str,
    ) -> Result<Vec<(&'static str, String)>, ManagementApiError> {
        match &self.credential {
            ManagementCredential::ApiKey(key) => Ok(vec![("authorization", format!("Bearer {key}"))]),
            ManagementCredential::TokenClient { token_client, scope } => {
                let token = token_client
                    .get_token(&self.token_request(scope.as_deref()))
                    .await
                    .map_err(ManagementApiError::from)?;
                let headers = token_client.authorization_headers(&token, method, url);
                headers.ok_or_else(|| {
                    ManagementApiError::no_response("the token is bound to a key of another TokenClient")
                })
            }
        }
    }
}
