//! The routes of dynamic client registration.

use crate::oauth::dcr::handlers;
use crate::state::{HandlerFn, RouteEntry};
use sinete_server::application::RouteHandler;
use sinete_server::route::{
    CallerKind, CorsPolicy, ErrorFormat, RateLimitKind, RequestBodyKind, RouteAvailability, RouteListener,
    RouteMethod, RouteRateLimits, RouteWeight,
};

pub(crate) const ROUTES: &[RouteEntry] = &[
    registration_route(
        RouteMethod::Post,
        "/connect/register",
        CallerKind::Registrant,
        "Registers a client (RFC 7591).",
        |state, request| Box::pin(handlers::create_registration(state, request)),
    ),
    registration_route(
        RouteMethod::Get,
        CLIENT_CONFIGURATION_PATH,
        CallerKind::Registration,
        "Returns a client's registration (RFC 7592).",
        |state, request| Box::pin(handlers::read_registration(state, request)),
    ),
    registration_route(
        RouteMethod::Put,
        CLIENT_CONFIGURATION_PATH,
        CallerKind::Registration,
        "Replaces a client's registration (RFC 7592).",
        |state, request| Box::pin(handlers::replace_registration(state, request)),
    ),
    registration_route(
        RouteMethod::Delete,
        CLIENT_CONFIGURATION_PATH,
        CallerKind::Registration,
        "Deletes a client's registration (RFC 7592).",
        |state, request| Box::pin(handlers::delete_registration(state, request)),
    ),
];

/// The path of the client configuration endpoint.
const CLIENT_CONFIGURATION_PATH: &str = "/connect/register/{client_id}";

const fn registration_route(
    method: RouteMethod,
    path: &'static str,
    caller: CallerKind,
    description: &'static str,
    handler: HandlerFn,
) -> RouteEntry {
    RouteEntry {
        method,
        path,
        listener: RouteListener::Public,
        availability: RouteAvailability::Always,
        caller,
        request_body: match method {
            RouteMethod::Post | RouteMethod::Put => RequestBodyKind::Json,
            RouteMethod::Get | RouteMethod::Patch | RouteMethod::Delete => RequestBodyKind::Nothing,
        },
        error_format: ErrorFormat::OAuth,
        cors: CorsPolicy::Any,
        weight: RouteWeight::Full,
        rate_limits: match method {
            RouteMethod::Get => RouteRateLimits::ReadOnly,
            RouteMethod::Post => RouteRateLimits::Limited {
                kinds: &[RateLimitKind::RegistrationsByAddress, RateLimitKind::FailedCredentialsByAddress],
                log_rows: 1,
            },
            RouteMethod::Put | RouteMethod::Patch | RouteMethod::Delete => RouteRateLimits::Limited {
                kinds: &[
                    RateLimitKind::RegistrationChangesByClient,
                    RateLimitKind::FailedCredentialsByAddress,
                ],
                log_rows: 1,
            },
        },
        description,
        operation: None,
        handler: RouteHandler::Handler(handler),
    }
}
