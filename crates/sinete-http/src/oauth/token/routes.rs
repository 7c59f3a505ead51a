//! The routes of the token endpoint.

use crate::oauth::token::handlers;
use crate::state::RouteEntry;
use sinete_engine::oauth::client_authentication::TOKEN_ENDPOINT;
use sinete_server::application::RouteHandler;
use sinete_server::route::{
    CallerKind, CorsPolicy, ErrorFormat, RateLimitKind, RequestBodyKind, RouteAvailability, RouteListener,
    RouteMethod, RouteRateLimits, RouteWeight,
};

pub(crate) const ROUTES: &[RouteEntry] = &[RouteEntry {
    method: RouteMethod::Post,
    path: TOKEN_ENDPOINT,
    listener: RouteListener::Public,
    availability: RouteAvailability::Always,
    caller: CallerKind::Client,
    request_body: RequestBodyKind::Form,
    error_format: ErrorFormat::OAuth,
    cors: CorsPolicy::Any,
    weight: RouteWeight::Full,
    // An accountable client gets tokens as often as it needs: each requires a code, a token or a key that was
    // issued, or the client's own authentication. Other clients are limited per grant and not per address,
    // because one backend serves many users.
    rate_limits: RouteRateLimits::Limited {
        kinds: &[RateLimitKind::FailedCredentialsByAddress, RateLimitKind::TokensByGrant],
        log_rows: 1,
    },
    description: "Issues tokens for an authorization code, refresh token, client credentials, token exchange, device code or CIBA request.",
    operation: None,
    handler: RouteHandler::Handler(|state, request| Box::pin(handlers::post_token(state, request))),
}];
