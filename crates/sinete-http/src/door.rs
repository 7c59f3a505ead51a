//! The door of one listener: every request comes in and every answer goes out here, with an id, within
//! limits, with the headers none may lack, counted and logged.

use crate::extract::certificate::{self, ConnectedPeer};
use crate::guard::RouteService;
use crate::interaction_id::{self, X_FAPI_INTERACTION_ID};
use crate::reply::content::ResponseContent;
use crate::reply::refuse;
use crate::request_ids;
use crate::route::{ErrorFormat, RouteEntry, RouteListener, RouteMethod, RouteWeight};
use crate::router::access;
use crate::security_headers;
use crate::state::HttpState;
use crate::telemetry::{GaugeGuard, RouteMetrics};
use crate::visit::{PageMode, RequestContext};
use axum::Router;
use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONNECTION, CONTENT_ENCODING, HOST, HeaderName, HeaderValue};
use axum::http::{Method, Request, Response, Version};
use hyper::body::{Body as _, Incoming};
use sinete_core::entropy::EntropyBuffer;
use sinete_core::id::RequestId;
use sinete_core::refusal::{Refusal, RefusalCode};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tower::Service as _;

/// The header a request's id is returned in. One that a client sends is not looked at, except by an API that asks
/// (AuthZEN Authorization API 1.0 §10.1.3).
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

pub(crate) struct Dispatcher {
    router: Router,
    /// Rows whose paths have no part to fill in. They are asked for most, so they are found without the router; in
    /// every other way they are served the same.
    direct: HashMap<&'static str, Vec<(RouteMethod, RouteService)>>,
    routes: Vec<RouteEntry>,
    figures: Vec<RouteMetrics>,
    unmatched: RouteMetrics,
    pages: PageMode,
    /// Ids of requests are unique and no secret.
    stock: EntropyBuffer,
    state: HttpState,
}

/// A request that came in, until its answer goes out.
struct RequestInFlight<'door> {
    started: Instant,
    visit: Arc<RequestContext>,
    method: &'static str,
    version: Version,
    interaction: Option<HeaderValue>,
    /// What the caller calls it.
    called: Option<HeaderValue>,
    _in_progress: GaugeGuard<'door>,
}

/// What becomes of a connection after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionFate {
    /// It may bring another request.
    Stay,
    /// It is closed.
    Close,
}

impl Dispatcher {
    pub(crate) fn new(
        router: Router,
        routes: Vec<RouteEntry>,
        listener: RouteListener,
        state: HttpState,
    ) -> Self {
        let figures = routes.iter().map(RouteMetrics::of).collect();
        let mut direct: HashMap<_, Vec<_>> = HashMap::new();
        for (index, route) in routes.iter().enumerate().filter(|(_, route)| !route.path.contains('{')) {
            let guarded = RouteService::new(index, *route, &state);
            direct.entry(route.path).or_default().push((route.verb, guarded));
        }
        let pages = match listener {
            RouteListener::Public | RouteListener::Both if state.serves_screens() => PageMode::Shown,
            RouteListener::Public | RouteListener::Both | RouteListener::Admin => PageMode::NotShown,
        };
        Self {
            router,
            direct,
            routes,
            figures,
            unmatched: RouteMetrics::unmatched(),
            pages,
            stock: EntropyBuffer::new(),
            state,
        }
    }

    pub(crate) fn state(&self) -> &HttpState {
        &self.state
    }

    /// Answers one request for which there is a document ready; nothing, where there is something to do.
    pub(crate) fn show(
        &self,
        request: &Request<Incoming>,
        connected: &ConnectedPeer,
        wish: ConnectionFate,
    ) -> Option<(Response<ResponseContent>, ConnectionFate)> {
        let guarded = self.direct(request.uri().path(), request.method())?;
        let document = guarded.document()?;
        let entered = self.enter(request, connected);
        Some(match self.admit(request, connected, &entered.visit) {
            Ok(()) => {
                let shown = guarded.show(&document, request.headers(), &entered.visit);
                self.leave(&entered, shown.map(ResponseContent::Ready), wish)
            }
            Err(refusal) => self.dress_and_leave(&entered, self.turned_away(&refusal, &entered.visit), wish),
        })
    }

    /// Answers one request. The connection is closed after it if it must be, or if the request's body was
    /// left unread.
    pub(crate) async fn answer(
        &self,
        request: Request<Incoming>,
        connected: &ConnectedPeer,
        wish: ConnectionFate,
    ) -> (Response<ResponseContent>, ConnectionFate) {
        let entered = self.enter(&request, connected);
        let response = match self.admit(&request, connected, &entered.visit) {
            Ok(()) => self.route(request, &entered.visit).await.map(ResponseContent::Made),
            Err(refusal) => self.turned_away(&refusal, &entered.visit),
        };
        self.dress_and_leave(&entered, response, wish)
    }

    /// Takes note of a request that comes in.
    fn enter(&self, request: &Request<Incoming>, connected: &ConnectedPeer) -> RequestInFlight<'_> {
        let started = now();
        let in_progress = GaugeGuard::new(&self.state.telemetry().in_progress);
        let house = self.state.house();
        let id = RequestId::mint(house.now(), &self.stock.of(house.entropy()));
        let headers = request.headers();
        let client = self.state.settings().proxies.client(connected.address, headers);
        let visit = RequestContext::new(id, client, headers, self.pages);
        visit.set_unread(!request.body().is_end_stream());
        RequestInFlight {
            started,
            visit: Arc::new(visit),
            method: method_name(request.method()),
            version: request.version(),
            interaction: interaction_id::of(headers),
            called: request_ids::called(headers),
            _in_progress: in_progress,
        }
    }

    /// Lets in what is within limits, with the certificate that it shows.
    fn admit(
        &self,
        request: &Request<Incoming>,
        connected: &ConnectedPeer,
        visit: &RequestContext,
    ) -> Result<(), Refusal> {
        self.check(request)?;
        let settings = self.state.settings();
        let told = &settings.told_by_proxies;
        let shown = certificate::shown(connected, request.headers(), &settings.proxies, told)?;
        shown.into_iter().for_each(|certificate| visit.shows(certificate));
        Ok(())
    }

    fn turned_away(&self, refusal: &Refusal, visit: &RequestContext) -> Response<ResponseContent> {
        refuse(refusal, ErrorFormat::Problem, visit, &self.state).map(ResponseContent::Made)
    }

    /// Lets an answer out, with the headers that none may lack.
    fn dress_and_leave(
        &self,
        entered: &RequestInFlight<'_>,
        mut response: Response<ResponseContent>,
        wish: ConnectionFate,
    ) -> (Response<ResponseContent>, ConnectionFate) {
        security_headers::apply(response.headers_mut(), self.state.scheme());
        self.leave(entered, response, wish)
    }

    /// Lets an answer out that has them, named, counted and logged.
    fn leave(
        &self,
        entered: &RequestInFlight<'_>,
        mut response: Response<ResponseContent>,
        wish: ConnectionFate,
    ) -> (Response<ResponseContent>, ConnectionFate) {
        let RequestInFlight { visit, interaction, called, .. } = entered;
        let unread = visit.is_unread();
        let afterwards = if unread { ConnectionFate::Close } else { wish };
        let headers = response.headers_mut();
        let asks = visit.route().and_then(|index| self.routes.get(index)).is_some_and(access::is_asked);
        let called = called.clone().filter(|_| asks);
        headers.insert(X_REQUEST_ID, called.unwrap_or_else(|| visit.id_header()));
        // What a cache hands to others is nobody's own exchange.
        let is_shared = headers.get(CACHE_CONTROL).is_some_and(|it| it.as_bytes().starts_with(b"public"));
        if let Some(id) = interaction.clone().filter(|_| !is_shared) {
            headers.insert(X_FAPI_INTERACTION_ID, id);
        }
        if afterwards == ConnectionFate::Close && entered.version < Version::HTTP_2 {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        let took = now().duration_since(entered.started);
        self.note(visit, entered.method, response.status().as_u16(), took);
        (response, if unread { ConnectionFate::Close } else { ConnectionFate::Stay })
    }

    /// The row of a path that has no part to fill in.
    fn direct(&self, path: &str, method: &Method) -> Option<&RouteService> {
        let rows = self.direct.get(path)?;
        rows.iter().find(|(verb, _)| verb.name() == method.as_str()).map(|(_, guarded)| guarded)
    }

    async fn route(&self, request: Request<Incoming>, visit: &Arc<RequestContext>) -> Response<Body> {
        let (parts, body) = request.into_parts();
        let body = if body.is_end_stream() { Body::empty() } else { Body::new(body) };
        if let Some(guarded) = self.direct(parts.uri.path(), &parts.method) {
            return guarded.answer(parts, body, visit).await;
        }
        let mut request = Request::from_parts(parts, body);
        request.extensions_mut().insert(Arc::clone(visit));
        let mut router = self.router.clone();
        match router.call(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }

    /// What holds for every request, whatever route it is for.
    fn check(&self, request: &Request<Incoming>) -> Result<(), Refusal> {
        let limits = &self.state.settings().limits;
        let headers = request.headers();
        let refuse = |code, public| Err(Refusal::new(code, public, public));
        let target = request.uri();
        let target_bytes = target.path_and_query().map_or(0, |target| target.as_str().len());
        if target_bytes > limits.uri_bytes {
            return refuse(RefusalCode::UriTooLong, "the address is too long");
        }
        // Nothing of ours is called by a name that no database of ours can hold.
        if target.path().contains("%00") {
            return refuse(RefusalCode::NotFound, "there is nothing at this address");
        }
        let header_bytes: usize =
            headers.iter().map(|(name, value)| name.as_str().len() + value.len() + HEADER_OVERHEAD).sum();
        if headers.len() > limits.headers || header_bytes > limits.header_bytes {
            return refuse(RefusalCode::HeadersTooLarge, "the headers are too large or too many");
        }
        // RFC 9112 §3.2: exactly one. Nothing is made of its value; a request without it is not HTTP/1.1.
        if request.version() == Version::HTTP_11 && headers.get_all(HOST).iter().count() != 1 {
            return refuse(RefusalCode::InvalidRequest, "the request has no host, or more than one");
        }
        if headers.contains_key(CONTENT_ENCODING) {
            return refuse(RefusalCode::UnsupportedMediaType, "compressed bodies are not read");
        }
        Ok(())
    }

    /// One log line and one count per request: never a query, a body, a cookie or a credential.
    fn note(&self, visit: &RequestContext, method: &'static str, status: u16, took: Duration) {
        let route = visit.route().and_then(|index| self.routes.get(index));
        let figures = visit.route().and_then(|index| self.figures.get(index));
        figures.unwrap_or(&self.unmatched).count(status, took);
        let path = route.map_or("unmatched", |route| route.path);
        let (refusal, reason) =
            visit.refused().map_or((None, None), |(code, reason)| (Some(code.name()), Some(reason)));
        macro_rules! line {
            ($level:ident) => {
                tracing::$level!(
                    request_id = %visit.id(),
                    method,
                    route = path,
                    status,
                    duration_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
                    client = %visit.client(),
                    refusal,
                    reason,
                    "answered"
                )
            };
        }
        match (status, route.map(|route| route.weight)) {
            (503, _) => line!(warn),
            (500.., _) => line!(error),
            (..400, Some(RouteWeight::Light)) => line!(debug),
            _ => line!(info),
        }
    }
}

/// What a header takes besides its name and value: a colon, a space and the end of the line.
const HEADER_OVERHEAD: usize = 4;

#[expect(
    clippy::disallowed_methods,
    reason = "measures how long an answer took, for its log line and metric"
)]
fn now() -> Instant {
    Instant::now()
}

/// A method as logs name it. One that is not in the standard is a word of the caller's and stays out.
fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        Method::TRACE => "TRACE",
        Method::CONNECT => "CONNECT",
        _ => "other",
    }
}
