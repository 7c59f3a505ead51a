//! An HTTP client with SSRF protection, for URLs that others supply: keys, sector identifiers, logout tokens,
//! webhooks.
//!
//! Clients choose these URLs, so they must not reach hosts that the clients could not reach themselves. A
//! name is resolved once, all its addresses are checked, and the connection uses exactly those. Redirects and
//! compression are disabled, and slow or large responses are cut off.

use crate::outbound::limiter::OutboundLimiter;
use crate::outbound::public_address::is_public;
use ipnet::IpNet;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{
    ACCEPT, AGE, AUTHORIZATION, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName,
    HeaderValue,
};
use reqwest::{Certificate, Client, Method, Request, Response};
use sinete_core::limits::{OUTBOUND_RESPONSE_BYTES_MAX, OUTBOUND_RESPONSE_TIME_MAX, WEBHOOK_RESPONSE_MAX};
use sinete_core::platform::outbound::OutboundTarget;
use sinete_engine::ports::{
    OutboundDocument, OutboundError, OutboundFailureKind, OutboundHttp, OutboundPost, OutboundResponse,
};
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use url::{Host, Url};

/// An HTTP client with SSRF protection.
pub struct GuardedHttpClient {
    /// For https: public addresses and the configured private networks.
    secure: Client,
    /// For plain http: only the configured private networks.
    plain: Client,
    own_networks: Arc<[IpNet]>,
    limiter: Arc<OutboundLimiter>,
}

/// A name resolver.
pub trait NameResolver: Send + Sync {
    /// Resolves a name to all its addresses.
    fn addresses(&self, name: String) -> Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send>>;
}

/// The operating system's resolver.
pub struct SystemResolver;

impl NameResolver for SystemResolver {
    fn addresses(&self, name: String) -> Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send>> {
        Box::pin(async move {
            let addresses = tokio::net::lookup_host((name, 0)).await?;
            Ok(addresses.map(|address| address.ip()).collect())
        })
    }
}

/// The settings of the client.
pub struct OutboundRules {
    /// Private networks that may be reached, also over plain http.
    pub own_networks: Vec<IpNet>,
    /// Additional trusted CAs.
    pub authorities: Vec<Certificate>,
    /// The name resolver.
    pub resolver: Arc<dyn NameResolver>,
    /// The limiter of concurrent requests.
    pub limiter: Arc<OutboundLimiter>,
}

impl GuardedHttpClient {
    /// Creates a client with these settings.
    pub fn new(rules: OutboundRules) -> Result<Self, reqwest::Error> {
        let ip_nets: Arc<[IpNet]> = rules.own_networks.into();
        let client = |reach: OutboundReach| {
            let judge = AddressGuard {
                resolver: Arc::clone(&rules.resolver),
                own_networks: Arc::clone(&ip_nets),
                reach,
            };
            let builder = match reach {
                OutboundReach::PublicAndOwnNetworks => {
                    Client::builder().tls_certs_merge(rules.authorities.clone())
                }
                // This client uses plain http only, so loading the system's certificates again would be
                // wasted.
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
                // Connections are not reused, so that the addresses are checked for every request.
                .pool_max_idle_per_host(0)
                .user_agent(concat!("sinete/", env!("CARGO_PKG_VERSION")))
                .build()
        };
        let (secure, plain) =
            (client(OutboundReach::PublicAndOwnNetworks)?, client(OutboundReach::OwnNetworks)?);
        Ok(Self { secure, plain, own_networks: ip_nets, limiter: rules.limiter })
    }

    async fn send(
        &self,
        method: Method,
        target: &OutboundTarget<'_>,
        form: Option<&str>,
    ) -> Result<OutboundResponse, OutboundError> {
        let request_future = async {
            let (client, url) = self.select_client(target.url)?;
            let answer = client.execute(build_request(method, url, form)).await.map_err(to_outbound_error)?;
            read_response(answer, OUTBOUND_RESPONSE_BYTES_MAX).await
        };
        self.limiter.run_request(target, OUTBOUND_RESPONSE_TIME_MAX, request_future).await
    }

    /// Fetches a document of at most this size.
    async fn fetch_document(
        &self,
        target: &OutboundTarget<'_>,
        bytes_max: usize,
    ) -> Result<OutboundDocument, OutboundError> {
        let request_future = async {
            let (client, url) = self.select_client(target.url)?;
            let request = build_request(Method::GET, url, None);
            let answer = client.execute(request).await.map_err(to_outbound_error)?;
            let header = |name| answer.headers().get(name)?.to_str().ok().map(str::to_owned);
            let (cache_control, age) = (header(CACHE_CONTROL), header(AGE));
            let OutboundResponse { status, body } = read_response(answer, bytes_max).await?;
            if status != 200 {
                let reason = format!("it answered {status}");
                return Err(OutboundError::with_kind(OutboundFailureKind::StatusNotOk, reason));
            }
            Ok(OutboundDocument { body, cache_control, age })
        };
        self.limiter.run_request(target, OUTBOUND_RESPONSE_TIME_MAX, request_future).await
    }

    /// Fetches a resource with an access token.
    async fn fetch_with_token(
        &self,
        target: &OutboundTarget<'_>,
        access_token: &str,
    ) -> Result<Vec<u8>, OutboundError> {
        let request_future = async {
            let (client, url) = self.select_client(target.url)?;
            let mut request = build_request(Method::GET, url, None);
            let mut value = HeaderValue::from_str(&format!("Bearer {access_token}"))
                .map_err(|_| OutboundError::new("a bad header"))?;
            value.set_sensitive(true);
            request.headers_mut().insert(AUTHORIZATION, value);
            let answer = client.execute(request).await.map_err(to_outbound_error)?;
            read_response(answer, OUTBOUND_RESPONSE_BYTES_MAX).await
        };
        let response = self.limiter.run_request(target, OUTBOUND_RESPONSE_TIME_MAX, request_future).await?;
        if response.status == 200 {
            return Ok(response.body);
        }
        let reason = format!("it answered {}", response.status);
        Err(OutboundError::with_kind(OutboundFailureKind::StatusNotOk, reason))
    }

    /// Posts an event.
    async fn post_event(&self, posted: &OutboundPost<'_>) -> Result<u16, OutboundError> {
        let request_future = async {
            let (client, url) = self.select_client(posted.target.url)?;
            let mut request = Request::new(Method::POST, url);
            let headers = request.headers_mut();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            for (name, value) in posted.headers {
                let value = HeaderValue::from_str(value).map_err(|_| OutboundError::new("a bad header"))?;
                headers.insert(HeaderName::from_static(name), value);
            }
            *request.body_mut() = Some(posted.body.to_vec().into());
            // Only the status is needed, so the body is not read.
            Ok(client.execute(request).await.map_err(to_outbound_error)?.status().as_u16())
        };
        self.limiter.run_request(&posted.target, WEBHOOK_RESPONSE_MAX, request_future).await
    }

    /// Selects the client for a URL, and removes the parts that are not sent.
    fn select_client(&self, address: &str) -> Result<(&Client, Url), OutboundError> {
        let mut url = Url::parse(address).map_err(|_| OutboundError::new("it is not a URL"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(OutboundError::new("it contains credentials"));
        }
        let (client, reach) = match url.scheme() {
            "https" => (&self.secure, OutboundReach::PublicAndOwnNetworks),
            "http" => (&self.plain, OutboundReach::OwnNetworks),
            _ => return Err(OutboundError::new("neither https nor http")),
        };
        // Names are checked when they are resolved; literal addresses must be checked here.
        let literal = match url.host() {
            Some(Host::Ipv4(address)) => Some(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => Some(IpAddr::V6(address)),
            Some(Host::Domain(_)) => None,
            None => return Err(OutboundError::new("it names no host")),
        };
        if literal.is_some_and(|literal| !reach.includes(literal, &self.own_networks)) {
            let kind = OutboundFailureKind::AddressNotAllowed;
            return Err(OutboundError::with_kind(kind, "its address is not allowed"));
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
            let response = self.send(Method::GET, target, None).await?;
            if response.status == 200 {
                return Ok(response.body);
            }
            Err(OutboundError::new(format!("it answered {}", response.status)))
        })
    }

    fn get_document<'a>(
        &'a self,
        target: &'a OutboundTarget<'a>,
        bytes_max: usize,
    ) -> Pin<Box<dyn Future<Output = Result<OutboundDocument, OutboundError>> + Send + 'a>> {
        Box::pin(self.fetch_document(target, bytes_max))
    }

    fn get_with_token<'a>(
        &'a self,
        target: &'a OutboundTarget<'a>,
        access_token: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<u8>, OutboundError>> + Send + 'a>> {
        Box::pin(self.fetch_with_token(target, access_token))
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

/// Reads the response up to the size limit.
async fn read_response(mut answer: Response, bytes_max: usize) -> Result<OutboundResponse, OutboundError> {
    let packed = |coding: &HeaderValue| !coding.as_bytes().eq_ignore_ascii_case(b"identity");
    if answer.headers().get_all(CONTENT_ENCODING).iter().any(packed) {
        return Err(OutboundError::new("the response is compressed"));
    }
    let status = answer.status().as_u16();
    if (300..400).contains(&status) {
        return Err(OutboundError::with_kind(OutboundFailureKind::Redirected, "it redirects"));
    }
    let mut body = Vec::new();
    while let Some(piece) = answer.chunk().await.map_err(to_outbound_error)? {
        if body.len() + piece.len() > bytes_max {
            return Err(OutboundError::with_kind(OutboundFailureKind::TooLarge, "the response is too large"));
        }
        body.extend_from_slice(&piece);
    }
    Ok(OutboundResponse { status, body })
}

fn to_outbound_error(error: reqwest::Error) -> OutboundError {
    // The URL may contain secrets and must not be logged.
    let error = error.without_url();
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(inner) = cause {
        if inner.is::<DisallowedName>() {
            return OutboundError::with_kind(OutboundFailureKind::HostNotAllowed, inner.to_string());
        }
        cause = inner.source();
    }
    OutboundError::no_answer(error.to_string())
}

/// A name has an address that is not allowed.
#[derive(Debug, thiserror::Error)]
#[error("an address of this name is not allowed")]
struct DisallowedName;

/// The networks that a connection may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OutboundReach {
    PublicAndOwnNetworks,
    OwnNetworks,
}

impl OutboundReach {
    fn includes(self, address: IpAddr, ip_nets: &[IpNet]) -> bool {
        let is_own = ip_nets.iter().any(|network| network.contains(&address));
        match self {
            Self::PublicAndOwnNetworks => is_own || is_public(address),
            Self::OwnNetworks => is_own,
        }
    }
}

/// Resolves a name and checks its addresses: if one is not allowed, none is used.
struct AddressGuard {
    resolver: Arc<dyn NameResolver>,
    own_networks: Arc<[IpNet]>,
    reach: OutboundReach,
}

impl Resolve for AddressGuard {
    fn resolve(&self, name: Name) -> Resolving {
        let lookup = self.resolver.addresses(name.as_str().to_owned());
        let (ip_nets, reach) = (Arc::clone(&self.own_networks), self.reach);
        Box::pin(async move {
            let addresses = lookup.await?;
            if addresses.is_empty() {
                return Err("this name has no address".into());
            }
            if !addresses.iter().all(|address| reach.includes(*address, &ip_nets)) {
                return Err(DisallowedName.into());
            }
            let addresses: Addrs = Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}
