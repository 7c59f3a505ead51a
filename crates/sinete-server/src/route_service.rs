//! Wraps every handler: reads the body, acquires a request slot, enforces the response timeout, and isolates
//! panics. Also responds where there is no handler.

mod panic_guard;

use crate::application::{Application, RouteEntry, RouteHandler, RoutedRequest, refusal_response};
use crate::context::TracePolicy;
use crate::cors;
use crate::extract::bearer::{DPOP, DPOP_NONCE};
use crate::extract::params::FormParams;
use crate::extract::trace_parent::TraceParent;
use crate::extract::{bearer, body, client_authentication, session};
use crate::log_context::{self, CurrentRequest};
use crate::reply::document::{DressedDocumentCache, StaticDocument};
use crate::reply::{HandlerError, outcome_unknown, temporarily_unavailable};
use crate::request_context::RequestContext;
use crate::request_ids::X_REQUEST_ID;
use crate::route::{CallerKind, CorsPolicy, RequestBodyKind, RouteAvailability, RouteMethod, RouteWeight};
use crate::route_service::panic_guard::{HandlerInterruption, run_with_timeout};
use crate::security_headers;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{HeaderMap, HeaderName, HeaderValue, ORIGIN, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{self, StatusCode};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use sinete_core::refusal::limit_kind::LimitKind;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::refusal::{Refusal, RefusalCode};
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use tower::Service;
use tracing::{Instrument as _, Span};

type ServiceFuture = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

/// A route with its wrapper.
pub(crate) struct RouteService<A>(Arc<RouteServiceInner<A>>);

struct RouteServiceInner<A> {
    route_index: usize,
    route: RouteEntry<A>,
    span_name: String,
    document_cache: DressedDocumentCache,
    application: A,
}

impl<A> Clone for RouteService<A> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<A: Application> RouteService<A> {
    pub(crate) fn new(index: usize, route: RouteEntry<A>, application: &A) -> Self {
        let span_name = format!("{} {}", route.method.name(), route.path);
        Self(Arc::new(RouteServiceInner {
            route_index: index,
            route,
            span_name,
            document_cache: DressedDocumentCache::default(),
            application: application.clone(),
        }))
    }

    /// Handles a request for this route.
    pub(crate) async fn handle(&self, parts: Parts, body: Body, context: &Arc<RequestContext>) -> Response {
        self.0.handle(parts, body, context).await
    }

    /// The document of this route with all its headers, if it can be served without a handler. `None` if
    /// loading it fails, traces are exported, the response depends on the caller, or a credential or request
    /// slot is needed.
    pub(crate) fn ready_document(&self) -> Option<Arc<StaticDocument>> {
        let RouteServiceInner { route, application, .. } = &*self.0;
        let server = application.server();
        let properties = (route.handler, route.caller, route.weight, route.cors, server.settings().traces);
        let (
            RouteHandler::Document(shelf),
            CallerKind::Anyone,
            RouteWeight::Light,
            CorsPolicy::Any | CorsPolicy::SameOrigin,
            TracePolicy::StartNew,
        ) = properties
        else {
            return None;
        };
        let document = catch_unwind(AssertUnwindSafe(|| shelf(application))).ok()?.ok()?;
        Some(self.0.document_cache.get_or_build(&document, |headers| {
            self.0.apply_cors(headers, None);
            security_headers::apply_security_headers(headers, server.scheme());
            // Each request has its own id, which replaces this value.
            headers.insert(X_REQUEST_ID, HeaderValue::from_static("none"));
        }))
    }

    /// Serves that document.
    pub(crate) fn serve_document(
        &self,
        document: &StaticDocument,
        headers: &HeaderMap,
        context: &RequestContext,
    ) -> http::Response<Bytes> {
        context.set_route(self.0.route_index);
        document.to_byte_response(headers)
    }
}

impl<A: Application> Service<Request> for RouteService<A> {
    type Response = Response;
    type Error = Infallible;
    type Future = ServiceFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> ServiceFuture {
        let guarded = self.clone();
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let Some(context) = parts.extensions.get::<Arc<RequestContext>>().cloned() else {
                return Ok(StatusCode::INTERNAL_SERVER_ERROR.into_response());
            };
            Ok(guarded.handle(parts, body, &context).await)
        })
    }
}

impl<A: Application> RouteServiceInner<A> {
    async fn handle(&self, parts: Parts, body: Body, context: &Arc<RequestContext>) -> Response {
        context.set_route(self.route_index);
        let origin = parts.headers.get(ORIGIN).cloned();
        let current = CurrentRequest { id: context.id(), route: self.route.path };
        let scheme = client_authentication::client_auth_scheme(
            self.route.caller,
            self.route.request_body,
            &parts.headers,
        );
        let shown_as = bearer::authorization_scheme(&parts.headers);
        let brings_proof = parts.headers.contains_key(DPOP);
        let span = match self.application.server().settings().traces {
            TracePolicy::StartNew => None,
            TracePolicy::Continue(continue_trace) => Some(self.request_span(&parts, context, continue_trace)),
        };
        let future = pin!(self.try_handle(parts, body, context));
        let result = match &span {
            None => log_context::run_in_request(current, future).await,
            Some(span) => future.instrument(span.clone()).await,
        };
        let mut response = match result {
            Ok(response) => response,
            Err(refusal) => {
                let refusal = self
                    .application
                    .server()
                    .rate_limit_for(self.route.limited_route(), context)
                    .count_failed_credential(refusal);
                let mut response =
                    refusal_response(&refusal, self.route.error_format, context, &self.application);
                let (code, base) = (refusal.code(), self.application.server().base_address());
                let otherwise = client_authentication::www_authenticate_challenge(scheme, code)
                    .or_else(|| session::www_authenticate_challenge(self.route.caller, &refusal));
                for challenge in bearer::www_authenticate_challenges(self.route.caller, shown_as, code, base)
                    .into_iter()
                    .chain(otherwise)
                {
                    response.headers_mut().append(WWW_AUTHENTICATE, challenge);
                }
                response
            }
        };
        if brings_proof {
            self.set_dpop_nonce(&mut response);
        }
        if let Some(span) = span {
            span.record("http.response.status_code", response.status().as_u16());
        }
        self.apply_cors(response.headers_mut(), origin.as_ref());
        response
    }

    /// Adds the CORS headers.
    fn apply_cors(&self, headers: &mut HeaderMap, origin: Option<&HeaderValue>) {
        match self.route.cors {
            CorsPolicy::SameOrigin => {}
            CorsPolicy::Any => cors::allow_any_origin(headers),
            CorsPolicy::Listed => cors::allow_listed_origins(headers, origin, self.application.server()),
        }
    }

    async fn try_handle(
        &self,
        parts: Parts,
        body: Body,
        context: &Arc<RequestContext>,
    ) -> Result<Response, Refusal> {
        let settings = self.application.server().settings();
        self.require_credential(&parts)?;
        let takes = self.route.request_body;
        let read = body::read_body(takes, &parts.headers, body, &settings.limits, &settings.deadlines).await;
        let body = match read {
            Err(refusal) if self.is_oversized_console_form(&refusal) => {
                let request = RoutedRequest::new(self.route, parts, Bytes::new(), Arc::clone(context));
                return self.application.oversized_form(request, refusal).await;
            }
            read => read?,
        };
        if takes != RequestBodyKind::Nothing {
            context.set_unread_body(false);
        }
        let telemetry = self.application.server().telemetry();
        let _place = match self.route.weight {
            RouteWeight::Light => None,
            RouteWeight::Full => {
                Some(self.application.server().request_slots().try_acquire().map_err(|_| {
                    telemetry.rejected_full.increment(1);
                    temporarily_unavailable("too many requests are in progress")
                        .with_limit(LimitKind::Requests)
                })?)
            }
        };
        let request = RoutedRequest::new(self.route, parts, body, Arc::clone(context));
        let application = self.application.clone();
        let result = catch_unwind(AssertUnwindSafe(|| self.route.handler.call(application, request)));
        match run_with_timeout(result, settings.deadlines.response).await {
            Ok(answer) => answer.map_err(|error: HandlerError| {
                error.into_refusal(self.route.error_format, self.route.caller)
            }),
            Err(HandlerInterruption::Panicked) => {
                telemetry.panics.increment(1);
                Err(Refusal::because(RequestRefusal::ServerError, "the handler panicked"))
            }
            Err(HandlerInterruption::TimedOut) => {
                telemetry.rejected_slow.increment(1);
                let reason = "the handler did not respond in time";
                // A write that was passed to the database may still complete, although no client waits for it.
                let refusal = if self.route.method == RouteMethod::Get {
                    temporarily_unavailable(reason)
                } else {
                    outcome_unknown(reason)
                };
                Err(refusal.with_limit(LimitKind::ResponseTime))
            }
        }
    }

    /// Whether this is an oversized console form, whose user is redirected back to the page.
    fn is_oversized_console_form(&self, refusal: &Refusal) -> bool {
        refusal.code() == RefusalCode::TooLarge && self.route.availability == RouteAvailability::WithConsole
    }

    /// Adds the next DPoP nonce, if required (RFC 9449 §8.2).
    fn set_dpop_nonce(&self, response: &mut Response) {
        let reads_proofs = match self.route.caller {
            CallerKind::Bearer(_) | CallerKind::Token(_) | CallerKind::Registrant | CallerKind::Client => {
                true
            }
            CallerKind::Anyone
            | CallerKind::Browser
            | CallerKind::Registration
            | CallerKind::Session
            | CallerKind::SignedInUser
            | CallerKind::Flow => false,
        };
        let nonce = self.application.dpop_nonce().filter(|_| reads_proofs);
        if let Some(nonce) = nonce.and_then(|nonce| HeaderValue::try_from(nonce).ok()) {
            response.headers_mut().insert(DPOP_NONCE, nonce);
        }
    }

    /// Rejects a request without a credential before its body is read.
    fn require_credential(&self, parts: &Parts) -> Result<(), Refusal> {
        let kind = match self.route.caller {
            CallerKind::Anyone | CallerKind::Registrant => return Ok(()),
            // A client may authenticate in the body, so that is read first.
            CallerKind::Browser | CallerKind::Client => {
                return client_authentication::reject_credentials_in_query(parts);
            }
            CallerKind::Token(_) if self.route.request_body != RequestBodyKind::Nothing => {
                let query = FormParams::parse(parts.uri.query().unwrap_or_default().as_bytes())?;
                return bearer::reject_token_in_query(&query);
            }
            // A user who is not signed in is redirected to sign-in.
            CallerKind::SignedInUser => {
                let query = FormParams::parse(parts.uri.query().unwrap_or_default().as_bytes())?;
                return bearer::reject_token_in_query(&query);
            }
            CallerKind::Bearer(_) | CallerKind::Token(_) | CallerKind::Registration => None,
            CallerKind::Session => Some(session::SessionTokenKind::Session),
            CallerKind::Flow => Some(session::SessionTokenKind::Flow),
        };
        let query = FormParams::parse(parts.uri.query().unwrap_or_default().as_bytes())?;
        match kind {
            None => bearer::extract_credential(&parts.headers, &query).map(drop),
            Some(kind) => {
                bearer::reject_token_in_query(&query)?;
                let token = session::find_token(kind, &parts.headers, self.application.server().scheme())?;
                let token = token.ok_or_else(|| session::missing_token(kind))?;
                if token.transport == session::TokenTransport::Cookie && self.route.method != RouteMethod::Get
                {
                    self.application.server().check_same_origin(&parts.headers)?;
                }
                Ok(())
            }
        }
    }

    /// The span of the request, for traces and log lines. A light route has none unless debug logging is
    /// enabled.
    fn request_span(
        &self,
        parts: &Parts,
        context: &RequestContext,
        continue_trace: fn(&Span, &TraceParent),
    ) -> Span {
        macro_rules! new_span {
            ($level:ident) => {
                tracing::$level!(
                    "request",
                    request_id = %context.id(),
                    otel.name = self.span_name,
                    otel.kind = "server",
                    http.route = self.route.path,
                    http.request.method = self.route.method.name(),
                    http.response.status_code = tracing::field::Empty,
                )
            };
        }
        let span = match self.route.weight {
            RouteWeight::Light => new_span!(debug_span),
            RouteWeight::Full => new_span!(error_span),
        };
        if !span.is_disabled() {
            let header = parts.headers.get(TRACE_PARENT);
            if let Some(parent) = header.and_then(|header| TraceParent::parse(header.as_bytes())) {
                continue_trace(&span, &parent);
            }
        }
        span
    }
}

const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");

/// Responds where there is no handler: an unknown path or method.
#[derive(Clone)]
pub(crate) struct UnroutedService<A> {
    code: RefusalCode,
    application: A,
}

impl<A: Application> UnroutedService<A> {
    pub(crate) fn new(code: RefusalCode, application: &A) -> Self {
        Self { code, application: application.clone() }
    }

    pub(crate) async fn handle(self, request: Request) -> Response {
        let Some(context) = request.extensions().get::<Arc<RequestContext>>() else {
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        };
        let (refused, detail) = match self.code {
            RefusalCode::MethodNotAllowed => (RequestRefusal::MethodNotAllowed, "no route for the method"),
            _ => (RequestRefusal::PathNotFound, "no route for the path"),
        };
        let refusal = Refusal::because(refused, detail);
        let format = self.application.error_format_at(request.uri().path());
        refusal_response(&refusal, format, context, &self.application)
    }
}

impl<A: Application> Service<Request> for UnroutedService<A> {
    type Response = Response;
    type Error = Infallible;
    type Future = ServiceFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> ServiceFuture {
        let fallback = self.clone();
        Box::pin(async move { Ok(fallback.handle(request).await) })
    }
}
