//! A row of the table of routes, with its handler.

use super::routed_request::RoutedRequest;
use crate::rate_limits::RateLimitedRoute;
use crate::reply::document::StaticDocument;
use crate::reply::{HandlerError, HandlerResult};
use crate::route::{
    ApiOperation, CallerKind, CorsPolicy, ErrorFormat, RequestBodyKind, RouteAvailability, RouteListener,
    RouteMethod, RouteRateLimits, RouteWeight, convention_refusals, credential_refusals,
};
use sinete_core::refusal::RefusalCode;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

/// A route.
pub struct RouteEntry<A> {
    /// The method. GET routes also respond to HEAD.
    pub method: RouteMethod,
    /// The path below the base URL; `{name}` is a parameter for one segment.
    pub path: &'static str,
    /// The listener.
    pub listener: RouteListener,
    /// When it is available.
    pub availability: RouteAvailability,
    /// Who may call it.
    pub caller: CallerKind,
    /// The accepted body.
    pub request_body: RequestBodyKind,
    /// The format of its errors.
    pub error_format: ErrorFormat,
    /// The CORS policy.
    pub cors: CorsPolicy,
    /// The cost of a request.
    pub weight: RouteWeight,
    /// The rate limits.
    pub rate_limits: RouteRateLimits,
    /// A one-line description.
    pub description: &'static str,
    /// The OpenAPI operation; `None` if it is not part of the API.
    pub operation: Option<ApiOperation>,
    /// The handler.
    pub handler: RouteHandler<A>,
}

/// The handler of a route: plain function pointers, so that the table is a constant.
pub enum RouteHandler<A> {
    /// A function for each request.
    Handler(HandlerFn<A>),
    /// A ready document, the same for all callers.
    Document(StaticDocumentFn<A>),
}

/// A handler function.
pub type HandlerFn<A> = fn(A, RoutedRequest<A>) -> HandlerFuture;
/// The future of a handler.
pub type HandlerFuture = Pin<Box<dyn Future<Output = HandlerResult> + Send>>;
/// A function that returns a document without waiting.
pub type StaticDocumentFn<A> = fn(&A) -> Result<Arc<StaticDocument>, HandlerError>;

impl<A> Clone for RouteEntry<A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for RouteEntry<A> {}

impl<A> Clone for RouteHandler<A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for RouteHandler<A> {}

impl<A: Send + Sync + 'static> RouteHandler<A> {
    /// Calls the handler.
    pub fn call(self, state: A, request: RoutedRequest<A>) -> HandlerFuture {
        match self {
            Self::Handler(handler) => handler(state, request),
            Self::Document(shelf) => {
                Box::pin(async move { Ok(shelf(&state)?.to_response(request.headers())) })
            }
        }
    }
}

impl<A> RouteEntry<A> {
    /// What its rate limits need to know of it.
    pub const fn limited_route(&self) -> RateLimitedRoute {
        RateLimitedRoute {
            method: self.method.name(),
            path: self.path,
            caller: self.caller,
            rate_limits: self.rate_limits,
        }
    }
}

impl<A> fmt::Debug for RouteEntry<A> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {} for {:?}", self.method.name(), self.path, self.caller)
    }
}

impl<A> RouteEntry<A> {
    /// All possible refusals of the route, including failures, by status and name.
    pub fn possible_refusals(&self) -> Vec<RefusalCode> {
        let mut codes = vec![
            RefusalCode::InvalidRequest,
            RefusalCode::UriTooLong,
            RefusalCode::HeadersTooLarge,
            RefusalCode::ServerError,
        ];
        if self.weight == RouteWeight::Full {
            codes.extend([RefusalCode::TemporarilyUnavailable, RefusalCode::OutcomeUnknown]);
        }
        if self.request_body != RequestBodyKind::Nothing {
            codes.extend([
                RefusalCode::RequestTimeout,
                RefusalCode::TooLarge,
                RefusalCode::UnsupportedMediaType,
            ]);
            // SCIM has its own errors for invalid values.
            match self.error_format {
                ErrorFormat::Problem | ErrorFormat::OAuth => codes.push(RefusalCode::Unprocessable),
                ErrorFormat::Scim => codes.extend([RefusalCode::InvalidSyntax, RefusalCode::InvalidValue]),
            }
        }
        match self.caller {
            CallerKind::Anyone | CallerKind::Browser | CallerKind::Registrant | CallerKind::SignedInUser => {}
            CallerKind::Registration => {
                codes.extend([RefusalCode::InvalidToken, RefusalCode::TooManyRequests])
            }
            CallerKind::Token(_) => codes.extend([
                RefusalCode::InvalidToken,
                RefusalCode::InvalidKeyProof,
                RefusalCode::KeyProofNonceNeeded,
                RefusalCode::InsufficientScope,
                RefusalCode::TooManyRequests,
            ]),
            CallerKind::Client => codes.extend([RefusalCode::InvalidClient, RefusalCode::TooManyRequests]),
            CallerKind::Bearer(needs) => codes.extend(credential_refusals(needs)),
            CallerKind::Session | CallerKind::Flow => codes.extend([
                RefusalCode::Unauthenticated,
                RefusalCode::Forbidden,
                RefusalCode::TooManyRequests,
            ]),
        }
        if self.path.contains('{') {
            codes.push(RefusalCode::NotFound);
        }
        if let Some(operation) = &self.operation {
            codes
                .extend(operation.conventions.iter().flat_map(|convention| convention_refusals(*convention)));
            codes.extend(operation.extra_refusals);
        }
        codes.sort_unstable_by_key(|code| (code.status(), code.name()));
        codes.dedup();
        codes
    }
}
