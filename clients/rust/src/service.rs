//! What the instance says about itself, and asking it anything over HTTP.

use crate::encoding::{Members, text_in};
use crate::flight::Flight;
use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, RequestBuilder, Url};
use serde_json::Value;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

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

/// Whether what is sent there is read by nobody else: https, or http on this machine.
fn is_safe(text: &str) -> bool {
    let Ok(url) = Url::parse(text) else { return false };
    let is_loopback = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    url.scheme() == "https" || (url.scheme() == "http" && is_loopback)
}

/// The address of an instance: https, or http on this machine, without anything behind it.
pub fn is_issuer(text: &str) -> bool {
    is_safe(text) && !text.contains(['?', '#']) && !text.ends_with('/')
}

/// Whether something was read or said so many seconds ago at most. A clock that was set back makes everything old.
pub fn is_within(seconds: i64, then: i64, now: i64) -> bool {
    (0..seconds).contains(&now.saturating_sub(then))
}

/// A client for HTTP that follows no redirects: what is meant for the instance, a secret or a token, goes nowhere else.
#[derive(Clone, Debug)]
pub struct Web(Client);

impl Web {
    /// A client that is built like this: with your proxy, or your authorities.
    pub fn of(builder: ClientBuilder) -> Result<Self, Unanswered> {
        let client = builder.redirect(Policy::none()).build();
        client.map(Self).map_err(|error| Unanswered(error.to_string()))
    }
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
    metadata: RwLock<Option<(i64, Arc<Members>)>>,
    discovering: Flight<Result<Arc<Members>, Unanswered>>,
}

impl Service {
    /// Nothing is asked yet.
    pub fn new(issuer: &str, web: Option<Web>, clock: Clock) -> Result<Self, Unanswered> {
        let Web(web) = web.map_or_else(|| Web::of(Client::builder()), Ok)?;
        let (metadata, discovering) = (RwLock::default(), Flight::default());
        Ok(Self { issuer: issuer.to_owned(), web, clock, metadata, discovering })
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

    /// The metadata of the instance. One request is under way at a time, and whoever waits is told what came of it.
    pub async fn metadata(self: &Arc<Self>) -> Result<Arc<Members>, Unanswered> {
        if let Some(metadata) = self.known() {
            return Ok(metadata);
        }
        let service = Arc::clone(self);
        let begin = move || {
            Some(async move {
                match service.known() {
                    Some(metadata) => Ok(metadata),
                    None => service.discover().await,
                }
            })
        };
        let broke_off = || Err(Unanswered("asking the instance broke off".to_owned()));
        self.discovering.join(begin).await.unwrap_or_else(broke_off)
    }

    fn known(&self) -> Option<Arc<Members>> {
        let known = self.metadata.read().unwrap_or_else(PoisonError::into_inner);
        let (read_at, metadata) = known.as_ref()?;
        is_within(METADATA_SECONDS, *read_at, self.now()).then(|| Arc::clone(metadata))
    }

    /// Reads the metadata, which must be that of the issuer (RFC 8414 §3.3).
    async fn discover(&self) -> Result<Arc<Members>, Unanswered> {
        let metadata = self.published(&format!("{}/.well-known/openid-configuration", self.issuer)).await?;
        if text_in(&metadata, "issuer") != Some(&self.issuer) {
            return Err(Unanswered("the instance calls itself something else".to_owned()));
        }
        let metadata = Arc::new(metadata);
        let known = Some((self.now(), Arc::clone(&metadata)));
        *self.metadata.write().unwrap_or_else(PoisonError::into_inner) = known;
        Ok(metadata)
    }

    /// The address of something that the metadata names. It is held to what the issuer's own is held to.
    pub async fn endpoint(self: &Arc<Self>, name: &str) -> Result<String, Unanswered> {
        let metadata = self.metadata().await?;
        let address = text_in(&metadata, name);
        let address = address.ok_or_else(|| Unanswered(format!("the instance names no {name}")))?;
        if !is_safe(address) {
            return Err(Unanswered(format!("the instance names a {name} that anybody could listen to")));
        }
        Ok(address.to_owned())
    }
}
