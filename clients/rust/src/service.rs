//! What the instance says about itself, and asking it anything over HTTP.

use crate::encoding::{Members, text_in};
use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Url};
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::Mutex;

const TIMEOUT: Duration = Duration::from_secs(5);
const ANSWER_BYTES_MAX: usize = 1024 * 1024;
const METADATA_SECONDS: i64 = 3600;

/// The instance could not be asked, or did not answer as it should.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unanswered(pub String);

/// Where the time comes from, in seconds since 1970.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// The clock of this machine.
#[expect(
    clippy::disallowed_methods,
    reason = "a library's user has a clock of their own, unless they hand one in"
)]
pub fn system_clock() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

/// The address of an instance: https, or http on this machine, without anything behind it.
pub fn is_issuer(text: &str) -> bool {
    let Ok(url) = Url::parse(text) else { return false };
    let is_loopback = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    let is_safe = url.scheme() == "https" || (url.scheme() == "http" && is_loopback);
    is_safe && url.query().is_none() && url.fragment().is_none() && !text.ends_with('/')
}

/// What was answered.
pub struct Answered {
    pub status: u16,
    pub headers: HeaderMap,
    pub json: Option<Members>,
}

/// One instance.
pub struct Service {
    pub issuer: String,
    web: Client,
    clock: Clock,
    metadata: Mutex<Option<(i64, Arc<Members>)>>,
}

impl Service {
    /// Nothing is asked yet.
    pub fn new(issuer: &str, web: Option<Client>, clock: Clock) -> Result<Self, Unanswered> {
        let usual = || Client::builder().redirect(Policy::none()).build();
        let web = web.map_or_else(usual, Ok).map_err(|error| Unanswered(error.to_string()))?;
        Ok(Self { issuer: issuer.to_owned(), web, clock, metadata: Mutex::default() })
    }

    pub fn now(&self) -> i64 {
        (self.clock)()
    }

    pub const fn web(&self) -> &Client {
        &self.web
    }

    /// Sends a request, and reads the answer up to a limit. Nothing is followed anywhere else.
    pub async fn ask(&self, request: RequestBuilder) -> Result<Answered, Unanswered> {
        let lost = |error: reqwest::Error| Unanswered(format!("the instance did not answer: {error}"));
        let mut answer = request.timeout(TIMEOUT).send().await.map_err(lost)?;
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(lost)? {
            if body.len() + chunk.len() > ANSWER_BYTES_MAX {
                return Err(Unanswered("the answer is too long".to_owned()));
            }
            body.extend_from_slice(&chunk);
        }
        let json = match serde_json::from_slice(&body) {
            Ok(Value::Object(members)) => Some(members),
            _ => None,
        };
        Ok(Answered { status, headers, json })
    }

    /// A JSON object that is published somewhere.
    pub async fn published(&self, address: &str) -> Result<Members, Unanswered> {
        match self.ask(self.web.get(address)).await? {
            Answered { status: 200, json: Some(members), .. } => Ok(members),
            Answered { status, .. } => Err(Unanswered(format!("{address} answered {status}"))),
        }
    }

    /// The metadata of the instance, which must be that of the issuer (RFC 8414 §3.3). One request is under way at a time.
    pub async fn metadata(&self) -> Result<Arc<Members>, Unanswered> {
        let mut known = self.metadata.lock().await;
        if let Some((until, metadata)) = known.as_ref()
            && self.now() < *until
        {
            return Ok(Arc::clone(metadata));
        }
        let metadata = self.published(&format!("{}/.well-known/openid-configuration", self.issuer)).await?;
        if text_in(&metadata, "issuer") != Some(&self.issuer) {
            return Err(Unanswered("the instance calls itself something else".to_owned()));
        }
        let metadata = Arc::new(metadata);
        *known = Some((self.now().saturating_add(METADATA_SECONDS), Arc::clone(&metadata)));
        Ok(metadata)
    }

    /// The address of something that the metadata names.
    pub async fn endpoint(&self, name: &str) -> Result<String, Unanswered> {
        let metadata = self.metadata().await?;
        let address = text_in(&metadata, name).map(str::to_owned);
        address.ok_or_else(|| Unanswered(format!("the instance names no {name}")))
    }
}
