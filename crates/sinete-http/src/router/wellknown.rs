//! The rows of the documents that applications find us by.

use crate::route::{
    CallerKind, CorsPolicy, ErrorFormat, RequestBodyKind, RouteAvailability, RouteEntry, RouteHandler,
    RouteListener, RouteMethod, RouteRateLimits, RouteWeight,
};
use crate::wellknown;

pub(super) const ROUTES: &[RouteEntry] = &[
    row(
        "/.well-known/openid-configuration",
        "Says what this service does (OpenID Connect Discovery).",
        RouteWeight::Light,
        RouteHandler::Shows(wellknown::discovery),
    ),
    row(
        "/.well-known/openid-configuration/{*path}",
        "Says the same where the issuer's path stands behind the name.",
        RouteWeight::Light,
        RouteHandler::Works(|state, call| Box::pin(wellknown::discovery_of_path(state, call))),
    ),
    row(
        "/.well-known/oauth-authorization-server",
        "Says what this service does (RFC 8414).",
        RouteWeight::Light,
        RouteHandler::Shows(wellknown::discovery),
    ),
    row(
        "/.well-known/oauth-authorization-server/{*path}",
        "Says the same where the issuer's path stands behind the name.",
        RouteWeight::Light,
        RouteHandler::Works(|state, call| Box::pin(wellknown::discovery_of_path(state, call))),
    ),
    row(
        "/.well-known/oauth-protected-resource",
        "Says who guards the APIs of this service itself (RFC 9728).",
        RouteWeight::Light,
        RouteHandler::Works(|state, call| Box::pin(wellknown::protected_resource(state, call))),
    ),
    row(
        "/.well-known/oauth-protected-resource/{*path}",
        "Says who guards an API at this address (RFC 9728).",
        RouteWeight::Full,
        RouteHandler::Works(|state, call| Box::pin(wellknown::protected_resource_of_path(state, call))),
    ),
    row(
        "/.well-known/authzen-configuration",
        "Says where APIs ask who may do what with their objects (AuthZEN Authorization API 1.0).",
        RouteWeight::Light,
        RouteHandler::Works(|state, call| Box::pin(wellknown::policy_decision_point(state, call))),
    ),
    row(
        "/.well-known/authzen-configuration/{*path}",
        "Says the same where the issuer's path stands behind the name.",
        RouteWeight::Light,
        RouteHandler::Works(|state, call| Box::pin(wellknown::policy_decision_point_of_path(state, call))),
    ),
];

const fn row(
    path: &'static str,
    description: &'static str,
    weight: RouteWeight,
    answers: RouteHandler,
) -> RouteEntry {
    RouteEntry {
        verb: RouteMethod::Get,
        path,
        listener: RouteListener::Public,
        served: RouteAvailability::Always,
        caller: CallerKind::Anyone,
        takes: RequestBodyKind::Nothing,
        refuses: ErrorFormat::Problem,
        origins: CorsPolicy::Any,
        weight,
        rate_limits: RouteRateLimits::ReadOnly,
        description,
        operation: None,
        answers,
    }
}
