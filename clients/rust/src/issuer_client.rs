//! HTTP requests to the issuer, and its metadata (RFC 8414).

use crate::encoding::{Members, get_text};
use crate::single_flight::SingleFlight;
use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, RequestBuilder, Url};
use serde_json::Value;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const TIMEOUT: Duration = Duration::from_secs(5);
const RESPONSE_BYTES_MAX: usize = 1024 * 1024;
const METADATA_SECONDS: i64 = 3600;

/// The issuer could not be reached, or its response was unusable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct IssuerRequestError(pub String);

/// Returns the time in seconds since 1970.
pub type ClockFn = Arc<dyn Fn() -> i64 + Send + Sync>;

/// The clock of this machine.
#[expect(clippy::disallowed_methods, reason = "a client library uses the clock of its platform")]
pub fn system_clock() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

/// Whether this is an https URL, or http on loopback.
fn is_secure_url(text: &str) -> bool {
    let Ok(url) = Url::parse(text) else { return false };
    let is_loopback = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    url.scheme() == "https" || (url.scheme() == "http" && is_loopback)
}

/// Whether this is an issuer identifier: https, or http on loopback, without query, fragment or trailing slash.
pub fn is_valid_issuer(text: &str) -> bool {
    is_secure_url(text) && !text.contains(['?', '#']) && !text.ends_with('/')
}

/// Whether `then` is at most this many seconds ago. False for a future time, as after the clock was set back.
pub fn is_within(seconds: i64, then: i64, now: i64) -> bool {
    (0..seconds).contains(&now.saturating_sub(then))
}

/// An HTTP client that follows no redirects, so that secrets and tokens reach the issuer only.
#[derive(Clone, Debug)]
pub struct HttpClient(Client);

impl HttpClient {
    /// Builds a client, for instance with your proxy or certificate authorities.
    pub fn from_builder(builder: ClientBuilder) -> Result<Self, IssuerRequestError> {
        let client = builder.redirect(Policy::none()).build();
        client.map(Self).map_err(|error| IssuerRequestError(error.to_string()))
    }
}

/// The response to a request.
pub struct IssuerResponse {
    pub status: u16,
    pub headers: HeaderMap,
    pub json: Option<Members>,
}

/// HTTP requests to one issuer.
pub struct IssuerClient {
    pub issuer: String,
    http: Client,
    clock: ClockFn,
    metadata: RwLock<Option<(i64, Arc<Members>)>>,
    discovering: SingleFlight<Result<Arc<Members>, IssuerRequestError>>,
}

impl IssuerClient {
    /// Creates a client. It sends no request yet.
    pub fn new(
        issuer: &str,
        http_client: Option<HttpClient>,
        clock: ClockFn,
    ) -> Result<Self, IssuerRequestError> {
        let HttpClient(http) = http_client.map_or_else(|| HttpClient::from_builder(Client::builder()), Ok)?;
        let (metadata, discovering) = (RwLock::default(), SingleFlight::default());
        Ok(Self { issuer: issuer.to_owned(), http, clock, metadata, discovering })
    }

    pub fn now(&self) -> i64 {
        (self.clock)()
    }

    pub const fn http(&self) -> &Client {
        &self.http
    }

    /// Sends a request and reads the response up to a limit. Redirects are not followed.
    pub async fn send(&self, request: RequestBuilder) -> Result<IssuerResponse, IssuerRequestError> {
        let lost = |error: reqwest::Error| IssuerRequestError(format!("the issuer did not answer: {error}"));
        let mut response = request.timeout(TIMEOUT).send().await.map_err(lost)?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(lost)? {
            if body.len() + chunk.len() > RESPONSE_BYTES_MAX {
                return Err(IssuerRequestError("the response is too long".to_owned()));
            }
            body.extend_from_slice(&chunk);
        }
        let json = match serde_json::from_slice(&body) {
            Ok(Value::Object(members)) => Some(members),
            _ => None,
        };
        Ok(IssuerResponse { status, headers, json })
    }

    /// Fetches a JSON object.
    pub async fn fetch_json(&self, address: &str) -> Result<Members, IssuerRequestError> {
        match self.send(self.http.get(address)).await? {
            IssuerResponse { status: 200, json: Some(members), .. } => Ok(members),
            IssuerResponse { status, .. } => Err(IssuerRequestError(format!("{address} answered {status}"))),
        }
    }

    /// The issuer's metadata, cached. Concurrent callers share one request and its outcome.
    pub async fn metadata(self: &Arc<Self>) -> Result<Arc<Members>, IssuerRequestError> {
        if let Some(metadata) = self.cached_metadata() {
            return Ok(metadata);
        }
        let issuer = Arc::clone(self);
        let begin = move || {
            Some(async move {
                match issuer.cached_metadata() {
                    Some(metadata) => Ok(metadata),
                    None => issuer.discover().await,
                }
            })
        };
        let broke_off = || Err(IssuerRequestError("the metadata request was aborted".to_owned()));
        self.discovering.join(begin).await.unwrap_or_else(broke_off)
    }

    fn cached_metadata(&self) -> Option<Arc<Members>> {
        let cached = self.metadata.read().unwrap_or_else(PoisonError::into_inner);
        let (fetched_at, metadata) = cached.as_ref()?;
        is_within(METADATA_SECONDS, *fetched_at, self.now()).then(|| Arc::clone(metadata))
    }

    /// Fetches the metadata; its `issuer` must be this one (RFC 8414 §3.3).
    async fn discover(&self) -> Result<Arc<Members>, IssuerRequestError> {
        let metadata = self.fetch_json(&format!("{}/.well-known/openid-configuration", self.issuer)).await?;
        if get_text(&metadata, "issuer") != Some(&self.issuer) {
            return Err(IssuerRequestError("the metadata is of another issuer".to_owned()));
        }
        let metadata = Arc::new(metadata);
        let cached = Some((self.now(), Arc::clone(&metadata)));
        *self.metadata.write().unwrap_or_else(PoisonError::into_inner) = cached;
        Ok(metadata)
    }

    /// An endpoint that the metadata names. It must be as secure as the issuer.
    pub async fn endpoint(self: &Arc<Self>, name: &str) -> Result<String, IssuerRequestError> {
        let metadata = self.metadata().await?;
        let address = get_text(&metadata, name);
        let address = address.ok_or_else(|| IssuerRequestError(format!("the metadata has no {name}")))?;
        if !is_secure_url(address) {
            return Err(IssuerRequestError(format!("{name} is not https")));
        }
        Ok(address.to_owned())
    }
}
