//! The dispatcher of one listener: every request and response passes here, with a request id, limits,
//! security headers, metrics and a log line.

use crate::application::{Application, RouteEntry, refusal_response};
use crate::context::ServerContext;
use crate::cors::PreflightResponder;
use crate::extract::certificate::{self, ConnectedPeer};
use crate::fapi_interaction_id as interaction_id;
use crate::fapi_interaction_id::X_FAPI_INTERACTION_ID;
use crate::reply::content::ResponseContent;
use crate::request_context::{PageMode, RequestContext};
use crate::request_ids::{self, X_REQUEST_ID};
use crate::route::CorsPolicy;
use crate::route::{ErrorFormat, RouteListener, RouteMethod, RouteWeight};
use crate::route_service::RouteService;
use crate::route_service::UnroutedService;
use crate::security_headers;
use crate::telemetry::{GaugeGuard, RouteMetrics};
use axum::Router;
use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONNECTION, CONTENT_ENCODING, HOST, HeaderValue};
use axum::http::{Method, Request, Response, Version};
use axum::routing::{MethodFilter, MethodRouter};
use hyper::body::{Body as _, Incoming};
use sinete_core::entropy::EntropyBuffer;
use sinete_core::id::RequestId;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::refusal::{Refusal, RefusalCode};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tower::Service as _;

pub(crate) struct Dispatcher<A> {
    router: Router,
    /// Routes without path parameters. They are requested most, so they are found without the router;
    /// otherwise they are served the same.
    direct_routes: HashMap<&'static str, Vec<(RouteMethod, RouteService<A>)>>,
    routes: Vec<RouteEntry<A>>,
    route_metrics: Vec<RouteMetrics>,
    unmatched_metrics: RouteMetrics,
    page_mode: PageMode,
    /// Request ids are unique but not secret.
    request_id_entropy: EntropyBuffer,
    application: A,
}

/// A request until its response is sent.
struct RequestInFlight<'door> {
    started: Instant,
    context: Arc<RequestContext>,
    method: &'static str,
    version: Version,
    fapi_interaction_id: Option<HeaderValue>,
    /// The caller's own request id.
    caller_request_id: Option<HeaderValue>,
    _in_progress: GaugeGuard<'door>,
}

/// What happens to a connection after a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionPersistence {
    /// It stays open.
    KeepAlive,
    /// It is closed.
    Close,
}

/// Builds the dispatcher of one listener: its routes, and refusals for everything else.
pub(crate) fn build_dispatcher<A: Application>(
    routes: &[RouteEntry<A>],
    listener: RouteListener,
    application: &A,
) -> Dispatcher<A> {
    let served: Vec<RouteEntry<A>> = routes
        .iter()
        .filter(|route| route.listener.includes(listener))
        .filter(|route| application.serves(route.availability))
        .copied()
        .collect();
    let mut router = Router::new();
    for (index, route) in served.iter().enumerate() {
        if served[..index].iter().any(|earlier| earlier.path == route.path) {
            continue;
        }
        router = router.route(route.path, method_router(&served, route.path, application));
    }
    let router = router
        .fallback_service(UnroutedService::new(RefusalCode::NotFound, application))
        .method_not_allowed_fallback({
            let refuse = UnroutedService::new(RefusalCode::MethodNotAllowed, application);
            move |request| refuse.clone().handle(request)
        });
    Dispatcher::new(router, served, listener, application.clone())
}

/// All methods of one path.
fn method_router<A: Application>(served: &[RouteEntry<A>], path: &str, application: &A) -> MethodRouter {
    let rows = || served.iter().enumerate().filter(|(_, route)| route.path == path);
    let mut methods = MethodRouter::new();
    for (index, route) in rows() {
        methods =
            methods.on_service(route.method.method_filter(), RouteService::new(index, *route, application));
    }
    let open = || rows().filter(|(_, route)| route.cors != CorsPolicy::SameOrigin);
    if let Some((index, first)) = open().next() {
        let verbs: Vec<RouteMethod> = open().map(|(_, route)| route.method).collect();
        methods = methods.on_service(
            MethodFilter::OPTIONS,
            PreflightResponder::new(index, first.cors, &verbs, application.server()),
        );
    }
    methods
}

impl<A: Application> Dispatcher<A> {
    pub(crate) fn new(
        router: Router,
        routes: Vec<RouteEntry<A>>,
        listener: RouteListener,
        application: A,
    ) -> Self {
        let figures =
            routes.iter().map(|route| RouteMetrics::with_labels(route.path, route.method.name())).collect();
        let mut direct: HashMap<_, Vec<_>> = HashMap::new();
        for (index, route) in routes.iter().enumerate().filter(|(_, route)| !route.path.contains('{')) {
            let guarded = RouteService::new(index, *route, &application);
            direct.entry(route.path).or_default().push((route.method, guarded));
        }
        let pages = match listener {
            RouteListener::Public | RouteListener::Both if application.shows_pages() => PageMode::Html,
            RouteListener::Public | RouteListener::Both | RouteListener::Admin => PageMode::JsonOnly,
        };
        Self {
            router,
            direct_routes: direct,
            routes,
            route_metrics: figures,
            unmatched_metrics: RouteMetrics::unmatched(),
            page_mode: pages,
            request_id_entropy: EntropyBuffer::new(),
            application,
        }
    }

    pub(crate) fn server(&self) -> &Arc<ServerContext> {
        self.application.server()
    }

    /// Serves a ready document; `None` if the request needs a handler.
    pub(crate) fn serve_document(
        &self,
        request: &Request<Incoming>,
        connected: &ConnectedPeer,
        connection_persistence: ConnectionPersistence,
    ) -> Option<(Response<ResponseContent>, ConnectionPersistence)> {
        let guarded = self.find_direct_route(request.uri().path(), request.method())?;
        let document = guarded.ready_document()?;
        let entered = self.accept_request(request, connected);
        Some(match self.check_limits_and_certificate(request, connected, &entered.context) {
            Ok(()) => {
                let response = guarded.serve_document(&document, request.headers(), &entered.context);
                self.finish_response(&entered, response.map(ResponseContent::Ready), connection_persistence)
            }
            Err(refusal) => self.finish_with_security_headers(
                &entered,
                self.refusal_response(&refusal, &entered.context),
                connection_persistence,
            ),
        })
    }

    /// Handles one request. The connection is closed afterwards if requested, or if the request body was not
    /// read.
    pub(crate) async fn dispatch(
        &self,
        request: Request<Incoming>,
        connected: &ConnectedPeer,
        connection_persistence: ConnectionPersistence,
    ) -> (Response<ResponseContent>, ConnectionPersistence) {
        let entered = self.accept_request(&request, connected);
        let response = match self.check_limits_and_certificate(&request, connected, &entered.context) {
            Ok(()) => self.call_route(request, &entered.context).await.map(ResponseContent::Body),
            Err(refusal) => self.refusal_response(&refusal, &entered.context),
        };
        self.finish_with_security_headers(&entered, response, connection_persistence)
    }

    /// Registers a new request.
    fn accept_request(&self, request: &Request<Incoming>, connected: &ConnectedPeer) -> RequestInFlight<'_> {
        let started = current_instant();
        let in_progress = GaugeGuard::new(&self.server().telemetry().in_progress);
        let server = self.server();
        let id = RequestId::mint(server.now(), &self.request_id_entropy.with_source(server.entropy()));
        let headers = request.headers();
        let client = self.server().settings().proxies.client_address(connected.address, headers);
        let context = RequestContext::new(id, client, headers, self.page_mode);
        context.set_unread_body(!request.body().is_end_stream());
        RequestInFlight {
            started,
            context: Arc::new(context),
            method: method_name(request.method()),
            version: request.version(),
            fapi_interaction_id: interaction_id::find_interaction_id(headers),
            caller_request_id: request_ids::caller_request_id(headers),
            _in_progress: in_progress,
        }
    }

    /// Checks the limits, and reads the client certificate.
    fn check_limits_and_certificate(
        &self,
        request: &Request<Incoming>,
        connected: &ConnectedPeer,
        context: &RequestContext,
    ) -> Result<(), Refusal> {
        self.check_limits(request)?;
        let settings = self.server().settings();
        let proxy_certificates = &settings.proxy_certificates;
        let client_certificate = certificate::client_certificate(
            connected,
            request.headers(),
            &settings.proxies,
            proxy_certificates,
        )?;
        client_certificate.into_iter().for_each(|certificate| context.set_certificate(certificate));
        Ok(())
    }

    fn refusal_response(&self, refusal: &Refusal, context: &RequestContext) -> Response<ResponseContent> {
        refusal_response(refusal, ErrorFormat::Problem, context, &self.application).map(ResponseContent::Body)
    }

    /// Adds the security headers to a response and sends it.
    fn finish_with_security_headers(
        &self,
        entered: &RequestInFlight<'_>,
        mut response: Response<ResponseContent>,
        connection_persistence: ConnectionPersistence,
    ) -> (Response<ResponseContent>, ConnectionPersistence) {
        security_headers::apply_security_headers(response.headers_mut(), self.server().scheme());
        self.finish_response(entered, response, connection_persistence)
    }

    /// Adds request ids to a response that has the security headers, and counts and logs it.
    fn finish_response(
        &self,
        entered: &RequestInFlight<'_>,
        mut response: Response<ResponseContent>,
        connection_persistence: ConnectionPersistence,
    ) -> (Response<ResponseContent>, ConnectionPersistence) {
        let RequestInFlight { context, fapi_interaction_id: interaction, caller_request_id: called, .. } =
            entered;
        let unread = context.has_unread_body();
        let afterwards = if unread { ConnectionPersistence::Close } else { connection_persistence };
        let headers = response.headers_mut();
        let asks = context
            .route_index()
            .and_then(|index| self.routes.get(index))
            .is_some_and(|route| self.application.repeats_request_id(route));
        let called = called.clone().filter(|_| asks);
        headers.insert(X_REQUEST_ID, called.unwrap_or_else(|| context.id_header()));
        // A publicly cacheable response must not contain the ids of one request.
        let is_shared = headers.get(CACHE_CONTROL).is_some_and(|it| it.as_bytes().starts_with(b"public"));
        if let Some(id) = interaction.clone().filter(|_| !is_shared) {
            headers.insert(X_FAPI_INTERACTION_ID, id);
        }
        if afterwards == ConnectionPersistence::Close && entered.version < Version::HTTP_2 {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        let took = current_instant().duration_since(entered.started);
        self.log_request(context, entered.method, response.status().as_u16(), took);
        (response, if unread { ConnectionPersistence::Close } else { ConnectionPersistence::KeepAlive })
    }

    /// The route of a path without parameters.
    fn find_direct_route(&self, path: &str, method: &Method) -> Option<&RouteService<A>> {
        let rows = self.direct_routes.get(path)?;
        rows.iter()
            .find(|(route_method, _)| route_method.name() == method.as_str())
            .map(|(_, guarded)| guarded)
    }

    async fn call_route(&self, request: Request<Incoming>, context: &Arc<RequestContext>) -> Response<Body> {
        let (parts, body) = request.into_parts();
        let body = if body.is_end_stream() { Body::empty() } else { Body::new(body) };
        if let Some(guarded) = self.find_direct_route(parts.uri.path(), &parts.method) {
            return guarded.handle(parts, body, context).await;
        }
        let mut request = Request::from_parts(parts, body);
        request.extensions_mut().insert(Arc::clone(context));
        let mut router = self.router.clone();
        match router.call(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }

    /// Checks the limits that apply to every request.
    fn check_limits(&self, request: &Request<Incoming>) -> Result<(), Refusal> {
        let limits = &self.server().settings().limits;
        let headers = request.headers();
        let refuse = |reason: RequestRefusal| Err(Refusal::because(reason, ""));
        let target = request.uri();
        let target_bytes = target.path_and_query().map_or(0, |target| target.as_str().len());
        if target_bytes > limits.uri_bytes {
            return refuse(RequestRefusal::TargetTooLong);
        }
        // No resource has a NUL character in its name, and databases cannot store it.
        if target.path().contains("%00") {
            return refuse(RequestRefusal::PathNotFound);
        }
        let header_bytes: usize =
            headers.iter().map(|(name, value)| name.as_str().len() + value.len() + HEADER_OVERHEAD).sum();
        if headers.len() > limits.headers || header_bytes > limits.header_bytes {
            return refuse(RequestRefusal::HeadersTooLarge);
        }
        // RFC 9112 §3.2: exactly one is required. Its value is not used.
        if request.version() == Version::HTTP_11 && headers.get_all(HOST).iter().count() != 1 {
            return refuse(RequestRefusal::HostMissing);
        }
        if headers.contains_key(CONTENT_ENCODING) {
            return refuse(RequestRefusal::ContentEncodingNotSupported);
        }
        Ok(())
    }

    /// Writes one log line and counts the request: never a query, body, cookie or credential.
    fn log_request(&self, context: &RequestContext, method: &'static str, status: u16, took: Duration) {
        let route = context.route_index().and_then(|index| self.routes.get(index));
        let figures = context.route_index().and_then(|index| self.route_metrics.get(index));
        figures.unwrap_or(&self.unmatched_metrics).record(status, took);
        let path = route.map_or("unmatched", |route| route.path);
        let recorded = context.recorded_refusal();
        if let Some(limit) = recorded.and_then(|it| it.limit) {
            self.server().limit_counters().count(limit);
        }
        let (refusal, reason) =
            recorded.map_or((None, None), |it| (Some(it.code.name()), Some(it.detail.as_str())));
        macro_rules! line {
            ($level:ident) => {
                tracing::$level!(
                    request_id = %context.id(),
                    method,
                    route = path,
                    status,
                    duration_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
                    client = %context.client_address(),
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

/// The bytes of a header besides name and value: a colon, a space and the line end.
const HEADER_OVERHEAD: usize = 4;

#[expect(
    clippy::disallowed_methods,
    reason = "measures how long an answer took, for its log line and metric"
)]
fn current_instant() -> Instant {
    Instant::now()
}

/// The method name for logs. Unknown methods are not logged, because they are caller input.
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
