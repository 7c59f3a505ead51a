//! How a guard is set up.

use crate::client::Client;
use crate::proofs::address_of;
use crate::replays::{MemoryReplays, Replays};
use crate::service::{Clock, Service, Unanswered, Web, is_issuer, system_clock};
use crate::signatures::Algorithm;
use reqwest::Url;
use std::sync::Arc;
use std::time::Duration;

/// The longest a token may begin ahead of our clock.
const LEEWAY_MAX: Duration = Duration::from_secs(60);

/// Who guards which API. Everything but the first two has a usual value: [`GuardSettings::new`].
#[derive(Clone)]
pub struct GuardSettings {
    /// The address of the instance, as its tokens name it: https, or http on this machine, without a slash at the end.
    pub issuer: String,
    /// The URI that the API is registered under.
    pub audience: String,
    /// Where clients reach the API, before the path that is handed in: proofs of keys name it. The origin of the audience
    /// unless said.
    pub address: Option<String>,
    /// Where the API publishes who guards it (RFC 9728). Made of the audience unless said.
    pub resource_metadata: Option<String>,
    /// What tokens may be signed with. ES256 alone unless said.
    pub algorithms: Vec<Algorithm>,
    /// How far ahead a token may begin, a minute at most. Five seconds unless said. Its end is kept to the second.
    pub leeway: Duration,
    /// Where proofs are remembered. In this process unless said.
    pub replays: Arc<dyn Replays>,
    /// Asks the instance about every token, as this service: what was revoked stops at once. Not done unless said.
    pub introspection: Option<Client>,
    /// A client for HTTP of your own, where the usual one does not do: it knows your proxy, or your authorities.
    pub web: Option<Web>,
    /// The time in seconds since 1970. That of this machine unless said.
    pub clock: Clock,
}

/// What nothing can be set up with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misconfigured {
    /// The issuer.
    #[error("not the address of an instance: {0}")]
    Issuer(String),
    /// The audience.
    #[error("the audience is the URI of the API")]
    Audience,
    /// The address.
    #[error("the address is where clients reach the API: proofs of keys name it")]
    Address,
    /// The algorithms.
    #[error("at least one algorithm is accepted")]
    Algorithms,
    /// The leeway.
    #[error("the leeway is a minute at most")]
    Leeway,
    /// No key could be made.
    #[error("no key could be made to bind tokens to")]
    Key,
    /// The library for HTTP.
    #[error(transparent)]
    Web(#[from] Unanswered),
}

/// Settings that can be worked with.
pub struct Checked {
    pub audience: String,
    pub address: String,
    pub resource_metadata: Option<String>,
    pub algorithms: Vec<Algorithm>,
    pub leeway: i64,
    pub replays: Arc<dyn Replays>,
    pub introspection: Option<Client>,
}

impl GuardSettings {
    /// The usual settings for this API, behind that instance.
    pub fn new(issuer: &str, audience: &str) -> Self {
        Self {
            issuer: issuer.to_owned(),
            audience: audience.to_owned(),
            address: None,
            resource_metadata: None,
            algorithms: vec![Algorithm::Es256],
            leeway: Duration::from_secs(5),
            replays: Arc::new(MemoryReplays::default()),
            introspection: None,
            web: None,
            clock: Arc::new(system_clock),
        }
    }

    pub(super) fn checked(self) -> Result<(Service, Checked), Misconfigured> {
        if !is_issuer(&self.issuer) {
            return Err(Misconfigured::Issuer(self.issuer));
        }
        let url = Url::parse(&self.audience).map_err(|_| Misconfigured::Audience)?;
        let origin = matches!(url.scheme(), "http" | "https").then(|| url.origin().ascii_serialization());
        let address = self.address.or_else(|| origin.clone()).ok_or(Misconfigured::Address)?;
        // Behind a query or a fragment the path of a request would count for nothing.
        address_of(&address).filter(|_| !address.contains(['?', '#'])).ok_or(Misconfigured::Address)?;
        if self.algorithms.is_empty() {
            return Err(Misconfigured::Algorithms);
        }
        if self.leeway > LEEWAY_MAX {
            return Err(Misconfigured::Leeway);
        }
        let path = Some(url.path()).filter(|path| *path != "/").unwrap_or_default();
        let query = url.query().filter(|query| !query.is_empty()).map(|query| format!("?{query}"));
        let behind = format!("{path}{}", query.unwrap_or_default());
        let usual = origin.map(|origin| format!("{origin}/.well-known/oauth-protected-resource{behind}"));
        let service = Service::new(&self.issuer, self.web, self.clock)?;
        let checked = Checked {
            address: address.strip_suffix('/').unwrap_or(&address).to_owned(),
            audience: self.audience,
            resource_metadata: self.resource_metadata.or(usual),
            algorithms: self.algorithms,
            leeway: i64::try_from(self.leeway.as_secs()).map_err(|_| Misconfigured::Leeway)?,
            replays: self.replays,
            introspection: self.introspection,
        };
        Ok((service, checked))
    }
}
