//! Fetching what somebody else named: keys, lists of addresses, and telling an application that a session ended.
//!
//! Whoever registers an application chooses these addresses, so none of them may lead us where they could not
//! go themselves. A name is resolved once, every address it has is judged, and the connection goes to exactly
//! those; nothing redirects us, nothing is unpacked, and what is slow or large is cut off.

use crate::outbound::limiter::OutboundLimiter;
use crate::outbound::public_address::is_public;
use ipnet::IpNet;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Certificate, Client, Method, Request, Response};
use sinete_core::limits::{OUTBOUND_RESPONSE_BYTES_MAX, OUTBOUND_RESPONSE_TIME_MAX, WEBHOOK_RESPONSE_MAX};
use sinete_core::platform::outbound::OutboundTarget;
use sinete_engine::ports::{OutboundError, OutboundHttp, OutboundPost, OutboundResponse};
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use url::{Host, Url};

/// The web, seen from behind the guard.
pub struct GuardedHttpClient {
    /// For https: to the open internet and to networks of our own that were named.
    secure: Client,
    /// For plain http: only to networks of our own that were named.
    plain: Client,
    own_networks: Arc<[IpNet]>,
    gate: Arc<OutboundLimiter>,
}

/// How names become addresses.
pub trait NameResolver: Send + Sync {
    /// Every address of this name.
    fn addresses(&self, name: String) -> Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send>>;
}

/// What the operating system says.
pub struct SystemResolver;

impl NameResolver for SystemResolver {
    fn addresses(&self, name: String) -> Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// What a guard is made of.
pub struct OutboundRules {
    /// Networks that may be reached although they are not public, also over plain http.
    pub own_networks: Vec<IpNet>,
    /// Authorities that are believed besides the operating system's.
    pub authorities: Vec<Certificate>,
    /// How names become addresses.
    pub resolver: Arc<dyn NameResolver>,
    /// Where each request finds its place.
    pub gate: Arc<OutboundLimiter>,
}

impl GuardedHttpClient {
    /// A guard with these rules.
    pub fn new(rules: OutboundRules) -> Result<Self, reqwest::Error> {
        let own: Arc<[IpNet]> = rules.own_networks.into();
        let client = |reach: OutboundReach| {
            let judge =
                AddressGuard { resolver: Arc::clone(&rules.resolver), own_networks: Arc::clone(&own), reach };
            let builder = match reach {
                OutboundReach::PublicAndOwnNetworks => {
                    Client::builder().tls_certs_merge(rules.authorities.clone())
                }
                // It speaks plain http only: reading the system's certificates again would cost time and memory.
                OutboundReach::OwnNetworks => Client::builder().tls_certs_only([]),
            };
            builder
                .dns_resolver(Arc::new(judge))
                .redirect(reqwest::redirect::Policy::none())
                .no_proxy()
                .no_gzip()
                .no_brotli()
                .no_zstd()
                .no_deflate()
                .referer(false)
                .retry(reqwest::retry::never())
                // Each fetch is judged anew: a connection that was right once is not kept.
                .pool_max_idle_per_host(0)
                .user_agent(concat!("sinete/", env!("CARGO_PKG_VERSION")))
                .build()
        };
        let (secure, plain) =
            (client(OutboundReach::PublicAndOwnNetworks)?, client(OutboundReach::OwnNetworks)?);
        Ok(Self { secure, plain, own_networks: own, gate: rules.gate })
    }

    async fn send(
        &self,
        method: Method,
        target: &OutboundTarget<'_>,
        form: Option<&str>,
    ) -> Result<OutboundResponse, OutboundError> {
        let asked = async {
            let (client, url) = self.select_client(target.url)?;
            let answer = client.execute(build_request(method, url, form)).await.map_err(to_outbound_error)?;
            read_response(answer).await
        };
        self.gate.run_request(target, OUTBOUND_RESPONSE_TIME_MAX, asked).await
    }

    /// Posts an event.
    async fn post_event(&self, posted: &OutboundPost<'_>) -> Result<u16, OutboundError> {
        let asked = async {
            let (client, url) = self.select_client(posted.target.url)?;
            let mut request = Request::new(Method::POST, url);
            let headers = request.headers_mut();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            for (name, value) in posted.headers {
                let value = HeaderValue::from_str(value).map_err(|_| OutboundError::new("a bad header"))?;
                headers.insert(HeaderName::from_static(name), value);
            }
            *request.body_mut() = Some(posted.body.to_vec().into());
            // The status says it all: the rest of the answer is left unread, however long it is.
            Ok(client.execute(request).await.map_err(to_outbound_error)?.status().as_u16())
        };
        self.gate.run_request(&posted.target, WEBHOOK_RESPONSE_MAX, asked).await
    }

    /// The client that may go there, and the address without what is not sent.
    fn select_client(&self, address: &str) -> Result<(&Client, Url), OutboundError> {
        let mut url = Url::parse(address).map_err(|_| OutboundError::new("it is no address"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(OutboundError::new("it holds credentials"));
        }
        let (client, reach) = match url.scheme() {
            "https" => (&self.secure, OutboundReach::PublicAndOwnNetworks),
            "http" => (&self.plain, OutboundReach::OwnNetworks),
            _ => return Err(OutboundError::new("neither https nor http")),
        };
        // A name is judged when it is resolved; an address never is, so it is judged here.
        let literal = match url.host() {
            Some(Host::Ipv4(address)) => Some(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => Some(IpAddr::V6(address)),
            Some(Host::Domain(_)) => None,
            None => return Err(OutboundError::new("it names no host")),
        };
        if literal.is_some_and(|literal| !reach.includes(literal, &self.own_networks)) {
            return Err(OutboundError::new("its address may not be reached"));
        }
        url.set_fragment(None);
        Ok((client, url))
    }
}

impl OutboundHttp for GuardedHttpClient {
    fn get<'a>(
        &'a self,
        target: &'a OutboundTarget<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<u8>, OutboundError>> + Send + 'a>> {
        Box::pin(async move {
            let answered = self.send(Method::GET, target, None).await?;
            if answered.status == 200 {
                return Ok(answered.body);
            }
            Err(OutboundError::new(format!("it answered {}", answered.status)))
        })
    }

    fn post_form<'a>(
        &'a self,
        target: &'a OutboundTarget<'a>,
        form: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<OutboundResponse, OutboundError>> + Send + 'a>> {
        Box::pin(self.send(Method::POST, target, Some(form)))
    }

    fn post<'a>(
        &'a self,
        posted: &'a OutboundPost<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<u16, OutboundError>> + Send + 'a>> {
        Box::pin(self.post_event(posted))
    }
}

fn build_request(method: Method, url: Url, form: Option<&str>) -> Request {
    let mut request = Request::new(method, url);
    let headers: &mut HeaderMap = request.headers_mut();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, */*;q=0.1"));
    if let Some(form) = form {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        *request.body_mut() = Some(form.to_owned().into());
    }
    request
}

/// What came back, as far as we are willing to read.
async fn read_response(mut answer: Response) -> Result<OutboundResponse, OutboundError> {
    let packed = |coding: &HeaderValue| !coding.as_bytes().eq_ignore_ascii_case(b"identity");
    if answer.headers().get_all(CONTENT_ENCODING).iter().any(packed) {
        return Err(OutboundError::new("the answer is packed"));
    }
    let status = answer.status().as_u16();
    if (300..400).contains(&status) {
        return Err(OutboundError::new("it leads elsewhere"));
    }
    let mut body = Vec::new();
    while let Some(piece) = answer.chunk().await.map_err(to_outbound_error)? {
        if body.len() + piece.len() > OUTBOUND_RESPONSE_BYTES_MAX {
            return Err(OutboundError::new("the answer is too large"));
        }
        body.extend_from_slice(&piece);
    }
    Ok(OutboundResponse { status, body })
}

fn to_outbound_error(error: reqwest::Error) -> OutboundError {
    // The address is the caller's business and may hold what nobody should read in a log.
    OutboundError::no_answer(error.without_url().to_string())
}

/// How far a connection may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OutboundReach {
    PublicAndOwnNetworks,
    OwnNetworks,
}

impl OutboundReach {
    fn includes(self, address: IpAddr, own: &[IpNet]) -> bool {
        let is_own = own.iter().any(|network| network.contains(&address));
        match self {
            Self::PublicAndOwnNetworks => is_own || is_public(address),
            Self::OwnNetworks => is_own,
        }
    }
}

/// Resolves a name and judges what it found: one address too many, and none of them is used.
struct AddressGuard {
    resolver: Arc<dyn NameResolver>,
    own_networks: Arc<[IpNet]>,
    reach: OutboundReach,
}

impl Resolve for AddressGuard {
    fn resolve(&self, name: Name) -> Resolving {
        let found = self.resolver.addresses(name.as_str().to_owned());
        let (own, reach) = (Arc::clone(&self.own_networks), self.reach);
        Box::pin(async move {
            let addresses = found.await?;
            if addresses.is_empty() || !addresses.iter().all(|address| reach.includes(*address, &own)) {
                return Err("an address of this name may not be reached".into());
            }
            let addresses: Addrs = Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}
