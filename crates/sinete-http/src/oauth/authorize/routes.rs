//! The routes of authorization requests.

use crate::oauth::authorize::handlers;
use crate::oauth::ciba::handlers as backchannel;
use crate::oauth::device_authorization::handlers as device;
use crate::oauth::par::handlers as push;
use crate::state::RouteEntry;
use sinete_server::application::RouteHandler;
use sinete_server::route::{
    CallerKind, CorsPolicy, ErrorFormat, RateLimitKind, RequestBodyKind, RouteAvailability, RouteListener,
    RouteMethod, RouteRateLimits, RouteWeight,
};

/// The routes.
pub const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Processes an authorization request with its parameters in the query (RFC 6749 §3.1).",
        handler: RouteHandler::Handler(|state, request| {
            Box::pin(handlers::get_authorization(state, request))
        }),
        ..AUTHORIZE_ROUTE
    },
    RouteEntry {
        method: RouteMethod::Post,
        request_body: RequestBodyKind::Form,
        description: "Processes an authorization request with its parameters in a form (OpenID Connect Core §3.1.2.1).",
        handler: RouteHandler::Handler(|state, request| {
            Box::pin(handlers::post_authorization(state, request))
        }),
        ..AUTHORIZE_ROUTE
    },
    RouteEntry {
        method: RouteMethod::Post,
        path: "/connect/par",
        caller: CallerKind::Client,
        request_body: RequestBodyKind::Form,
        error_format: ErrorFormat::OAuth,
        rate_limits: STORED_REQUEST_LIMITS,
        cors: CorsPolicy::Any,
        description: "Stores a pushed authorization request (RFC 9126).",
        handler: RouteHandler::Handler(|state, request| Box::pin(push::post_par(state, request))),
        ..AUTHORIZE_ROUTE
    },
    RouteEntry {
        method: RouteMethod::Post,
        path: "/connect/device",
        availability: RouteAvailability::WithInteraction,
        caller: CallerKind::Client,
        request_body: RequestBodyKind::Form,
        error_format: ErrorFormat::OAuth,
        rate_limits: STORED_REQUEST_LIMITS,
        cors: CorsPolicy::Any,
        description: "Starts a device authorization (RFC 8628).",
        handler: RouteHandler::Handler(|state, request| {
            Box::pin(device::post_device_authorization(state, request))
        }),
        ..AUTHORIZE_ROUTE
    },
    RouteEntry {
        method: RouteMethod::Post,
        path: "/connect/backchannel",
        caller: CallerKind::Client,
        request_body: RequestBodyKind::Form,
        error_format: ErrorFormat::OAuth,
        rate_limits: STORED_REQUEST_LIMITS,
        description: "Starts a CIBA request for the approval of a user (OpenID CIBA Core).",
        handler: RouteHandler::Handler(|state, request| {
            Box::pin(backchannel::post_backchannel_authentication(state, request))
        }),
        ..AUTHORIZE_ROUTE
    },
];

/// Limits of stored requests, of authenticated and of public clients.
const STORED_REQUEST_LIMITS: RouteRateLimits = RouteRateLimits::Limited {
    kinds: &[RateLimitKind::StoredRequestsByAddress, RateLimitKind::FailedCredentialsByAddress],
    log_rows: 1,
};

/// The common properties. Scripts of other origins cannot read the authorization endpoint's responses.
const AUTHORIZE_ROUTE: RouteEntry = RouteEntry {
    method: RouteMethod::Get,
    path: "/connect/authorize",
    listener: RouteListener::Public,
    availability: RouteAvailability::Always,
    caller: CallerKind::Browser,
    request_body: RequestBodyKind::Nothing,
    error_format: ErrorFormat::Problem,
    cors: CorsPolicy::SameOrigin,
    weight: RouteWeight::Full,
    rate_limits: RouteRateLimits::Limited {
        kinds: &[
            RateLimitKind::FlowsByAddress,
            RateLimitKind::FlowsByAccount,
            RateLimitKind::WritesByAccount,
        ],
        log_rows: 2,
    },
    description: "",
    operation: None,
    handler: RouteHandler::Handler(|state, request| Box::pin(handlers::get_authorization(state, request))),
};
