//! The routes of discovery documents.

use crate::oauth::discovery::handlers;
use crate::state::{HttpState, RouteEntry};
use sinete_server::application::RouteHandler;
use sinete_server::route::{
    CallerKind, CorsPolicy, ErrorFormat, RequestBodyKind, RouteAvailability, RouteListener, RouteMethod,
    RouteRateLimits, RouteWeight,
};

pub(crate) const ROUTES: &[RouteEntry] = &[
    metadata_route(
        "/.well-known/openid-configuration",
        "Returns the OpenID Provider metadata (OpenID Connect Discovery).",
        RouteWeight::Light,
        RouteHandler::Document(handlers::discovery_document),
    ),
    metadata_route(
        "/.well-known/openid-configuration/{*path}",
        "Returns the same document, with the issuer's path after the well-known name.",
        RouteWeight::Light,
        RouteHandler::Handler(|state, request| Box::pin(handlers::discovery_with_path(state, request))),
    ),
    metadata_route(
        "/.well-known/oauth-authorization-server",
        "Returns the authorization server metadata (RFC 8414).",
        RouteWeight::Light,
        RouteHandler::Document(handlers::discovery_document),
    ),
    metadata_route(
        "/.well-known/oauth-authorization-server/{*path}",
        "Returns the same document, with the issuer's path after the well-known name.",
        RouteWeight::Light,
        RouteHandler::Handler(|state, request| Box::pin(handlers::discovery_with_path(state, request))),
    ),
    metadata_route(
        "/.well-known/oauth-protected-resource",
        "Returns the protected resource metadata of Sinete's own APIs (RFC 9728).",
        RouteWeight::Light,
        RouteHandler::Handler(|state, request| Box::pin(handlers::show_protected_resource(state, request))),
    ),
    metadata_route(
        "/.well-known/oauth-protected-resource/{*path}",
        "Returns the protected resource metadata of an API below this URL (RFC 9728).",
        RouteWeight::Full,
        RouteHandler::Handler(|state, request| {
            Box::pin(handlers::show_protected_resource_with_path(state, request))
        }),
    ),
    metadata_route(
        "/.well-known/authzen-configuration",
        "Returns the policy decision point metadata (AuthZEN Authorization API 1.0).",
        RouteWeight::Light,
        RouteHandler::Handler(|state, request| Box::pin(handlers::show_pdp_metadata(state, request))),
    ),
    metadata_route(
        "/.well-known/authzen-configuration/{*path}",
        "Returns the same document, with the issuer's path after the well-known name.",
        RouteWeight::Light,
        RouteHandler::Handler(|state, request| {
            Box::pin(handlers::show_pdp_metadata_with_path(state, request))
        }),
    ),
];

const fn metadata_route(
    path: &'static str,
    description: &'static str,
    weight: RouteWeight,
    answers: RouteHandler<HttpState>,
) -> RouteEntry {
    RouteEntry {
        method: RouteMethod::Get,
        path,
        listener: RouteListener::Public,
        availability: RouteAvailability::Always,
        caller: CallerKind::Anyone,
        request_body: RequestBodyKind::Nothing,
        error_format: ErrorFormat::Problem,
        cors: CorsPolicy::Any,
        weight,
        rate_limits: RouteRateLimits::ReadOnly,
        description,
        operation: None,
        handler: answers,
    }
}
