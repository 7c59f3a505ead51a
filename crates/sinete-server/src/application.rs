//! The trait that the application behind the server implements. `sinete-http` has the only implementation.

mod route_entry;
mod routed_request;

pub use route_entry::{HandlerFn, HandlerFuture, RouteEntry, RouteHandler, StaticDocumentFn};
pub use routed_request::{ForwardedRequest, RoutedRequest};

use crate::context::ServerContext;
use crate::reply::{oauth_error, problem, scim_error};
use crate::request_context::RequestContext;
use crate::route::{ErrorFormat, RouteAvailability};
use axum::http::header::{HeaderValue, RETRY_AFTER};
use axum::response::Response;
use sinete_core::refusal::{Refusal, RefusalCode};
use std::pin::Pin;
use std::sync::Arc;

/// The application whose routes the server serves: the state of its handlers, and its decisions about responses.
pub trait Application: Clone + Send + Sync + 'static {
    /// The settings, limits and counters of the server.
    fn server(&self) -> &Arc<ServerContext>;

    /// Whether routes of this kind are served.
    fn serves(&self, availability: RouteAvailability) -> bool;

    /// Whether browsers get pages rather than JSON on the public listener.
    fn shows_pages(&self) -> bool;

    /// The DPoP nonce that the next proof must contain, where nonces are required (RFC 9449 §8.2).
    fn dpop_nonce(&self) -> Option<String>;

    /// Whether responses of this route repeat the `X-Request-Id` of the caller.
    fn repeats_request_id(&self, route: &RouteEntry<Self>) -> bool;

    /// The error format for a path without a route.
    fn error_format_at(&self, path: &str) -> ErrorFormat;

    /// The page for a refusal, if there is one and the client prefers pages.
    fn refusal_page(&self, code: RefusalCode, context: &RequestContext) -> Option<Response>;

    /// The response to a console form that exceeds the body limit.
    fn oversized_form(&self, request: RoutedRequest<Self>, refusal: Refusal) -> OversizedFormFuture;
}

/// The response to a form that is too large, or the refusal to send instead.
pub type OversizedFormFuture = Pin<Box<dyn Future<Output = Result<Response, Refusal>> + Send>>;

/// The response to a refused request. The reason is only logged.
pub fn refusal_response<A: Application>(
    refusal: &Refusal,
    shape: ErrorFormat,
    context: &RequestContext,
    application: &A,
) -> Response {
    context.record_refusal(refusal);
    let mut response = match shape {
        ErrorFormat::OAuth => oauth_error::oauth_error_response(refusal),
        ErrorFormat::Scim => scim_error::scim_error_response(refusal),
        ErrorFormat::Problem => match application.refusal_page(refusal.code(), context) {
            Some(page) => page,
            None => problem::problem_response(refusal, context.id()),
        },
    };
    if let Some(wait) = refusal.retry_after() {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(wait.seconds_to_wait().max(1)));
    }
    response
}
