//! The trait that the application behind the server implements. `sinete-http` has the only implementation.

use crate::context::ServerContext;
use crate::request_context::RequestContext;
use crate::route::{ErrorFormat, RouteAvailability, RouteEntry};
use crate::routed_request::RoutedRequest;
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
