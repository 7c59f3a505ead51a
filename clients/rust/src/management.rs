//! Typed calls of the management API. What they are and which types they use is made of the server's own description.

mod asked;
mod generated;
mod pages;
mod problem;

pub use generated::*;
pub use pages::Pages;
pub use problem::{Fault, Problem};

pub(crate) use asked::{Asked, segment};

use crate::guard::Misconfigured;
use crate::service::{Answered, Service, Web, is_issuer, system_clock};
use crate::tokens::{Tokens, Wanted};
use reqwest::{Method, Url};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;

/// What the calls are made with.
#[derive(Clone)]
pub enum Credential {
    /// An API key.
    ApiKey(String),
    /// Access tokens for the instance itself, with this scope.
    Tokens {
        /// Who gets them.
        tokens: Arc<Tokens>,
        /// Permissions, with spaces between.
        scope: Option<String>,
    },
}

/// Who calls where.
#[derive(Clone)]
pub struct ManagementSettings {
    /// The address of the instance: https, or http on this machine, without a slash at the end.
    pub issuer: String,
    /// What the calls are made with.
    pub credential: Credential,
    /// A client for HTTP of your own, where the usual one does not do.
    pub web: Option<Web>,
}

/// The management API of one instance.
#[derive(Clone)]
pub struct Management {
    service: Arc<Service>,
    credential: Credential,
    once: Option<String>,
}

impl Management {
    /// Nothing is asked of the instance yet.
    pub fn new(settings: ManagementSettings) -> Result<Self, Misconfigured> {
        if !is_issuer(&settings.issuer) {
            return Err(Misconfigured::Issuer(settings.issuer));
        }
        let service = Service::new(&settings.issuer, settings.web, Arc::new(system_clock))?;
        Ok(Self { service: Arc::new(service), credential: settings.credential, once: None })
    }

    /// The calls of an API key.
    pub fn with_key(issuer: &str, api_key: &str) -> Result<Self, Misconfigured> {
        let credential = Credential::ApiKey(api_key.to_owned());
        Self::new(ManagementSettings { issuer: issuer.to_owned(), credential, web: None })
    }

    /// The same calls under an `Idempotency-Key`: what is repeated under it within a day makes nothing twice. Only for calls
    /// that make something.
    #[must_use]
    pub fn once(&self, key: &str) -> Self {
        Self { once: Some(key.to_owned()), ..self.clone() }
    }

    pub(crate) fn pages<T: DeserializeOwned>(&self, path: &str, query: &impl Serialize) -> Pages<'_, T> {
        Pages::new(self, path, serde_json::to_value(query).unwrap_or_default())
    }

    pub(crate) async fn done(&self, asked: Asked) -> Result<(), Problem> {
        self.sent(asked).await.map(|_| ())
    }

    pub(crate) async fn answer<T: DeserializeOwned>(&self, asked: Asked) -> Result<T, Problem> {
        let answered = self.sent(asked).await?;
        let body = Value::Object(answered.json.unwrap_or_default());
        serde_json::from_value(body)
            .map_err(|error| Problem::unanswered(format!("not what was described: {error}")))
    }

    /// Sends a request, with a new proof once more where the instance wants its nonce repeated.
    async fn sent(&self, asked: Asked) -> Result<Answered, Problem> {
        let address = self.address(&asked)?;
        let answered = self.send(&asked, &address).await?;
        let answered = match (&self.credential, answered) {
            (Credential::Tokens { tokens, .. }, answered)
                if answered.status == 401 && tokens.learn(&address, &answered.headers) =>
            {
                self.send(&asked, &address).await?
            }
            (_, answered) => answered,
        };
        if (200..300).contains(&answered.status) {
            return Ok(answered);
        }
        if let (401, Credential::Tokens { tokens, scope }) = (answered.status, &self.credential) {
            tokens.forget(&self.wanted(scope.as_deref()));
        }
        Err(Problem::of(answered))
    }

    /// Where a request goes. A name that would lead elsewhere leads nowhere.
    fn address(&self, asked: &Asked) -> Result<String, Problem> {
        let refuse = |why: &str| Problem::unanswered(format!("{why}: {}", asked.path));
        if asked.path.contains("//") || asked.path.ends_with('/') {
            return Err(refuse("a name in the address is empty"));
        }
        let whole = format!("{}{}", self.service.issuer, asked.path);
        let mut url = Url::parse(&whole).map_err(|_| refuse("no address"))?;
        if url.path() != asked.path {
            return Err(refuse("a name would lead elsewhere"));
        }
        for (name, value) in asked.query.as_object().into_iter().flatten() {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            url.query_pairs_mut().append_pair(name, &text);
        }
        Ok(url.into())
    }

    async fn send(&self, asked: &Asked, address: &str) -> Result<Answered, Problem> {
        let method =
            Method::from_bytes(asked.method.as_bytes()).map_err(|_| Problem::unanswered("no method"))?;
        let mut request = self.service.web().request(method, address).header("accept", "application/json");
        for (name, value) in self.credentials(asked.method, address).await? {
            request = request.header(name, value);
        }
        if let Some(version) = asked.version {
            request = request.header("if-match", format!("\"{version}\""));
        }
        if let Some(key) = &self.once {
            if !asked.is_repeatable {
                return Err(Problem::unanswered("this call makes nothing that could be made twice"));
            }
            request = request.header("idempotency-key", key);
        }
        if let Some((media_type, body)) = &asked.body {
            request = request.header("content-type", *media_type).body(body.to_string());
        }
        self.service.ask(request).await.map_err(|error| Problem::unanswered(error.to_string()))
    }

    fn wanted<'a>(&'a self, scope: Option<&'a str>) -> Wanted<'a> {
        Wanted { scope, resource: Some(&self.service.issuer), ..Wanted::default() }
    }

    async fn credentials(&self, method: &str, address: &str) -> Result<Vec<(&'static str, String)>, Problem> {
        match &self.credential {
            Credential::ApiKey(key) => Ok(vec![("authorization", format!("Bearer {key}"))]),
            Credential::Tokens { tokens, scope } => {
                let token = tokens.get(&self.wanted(scope.as_deref())).await.map_err(Problem::from)?;
                let headers = tokens.headers(&token, method, address);
                headers.ok_or_else(|| Problem::unanswered("the token is bound to a key that is not held"))
            }
        }
    }
}
