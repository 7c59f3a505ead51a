//! The rows of the documents that applications find us by.

use crate::route::{
    Answers, Caller, Listener, Origins, RateLimits, RefusalShape, Route, Served, Takes, Verb, Weight,
};
use crate::wellknown;

pub(super) const ROUTES: &[Route] = &[
    row(
        "/.well-known/openid-configuration",
        "Says what this service does (OpenID Connect Discovery).",
        Weight::Light,
        Answers::Shows(wellknown::discovery),
    ),
    row(
        "/.well-known/openid-configuration/{*path}",
        "Says the same where the issuer's path stands behind the name.",
        Weight::Light,
        Answers::Works(|state, call| Box::pin(wellknown::discovery_of_path(state, call))),
    ),
    row(
        "/.well-known/oauth-authorization-server",
        "Says what this service does (RFC 8414).",
        Weight::Light,
        Answers::Shows(wellknown::discovery),
    ),
    row(
        "/.well-known/oauth-authorization-server/{*path}",
        "Says the same where the issuer's path stands behind the name.",
        Weight::Light,
        Answers::Works(|state, call| Box::pin(wellknown::discovery_of_path(state, call))),
    ),
    row(
        "/.well-known/oauth-protected-resource",
        "Says who guards the APIs of this service itself (RFC 9728).",
        Weight::Light,
        Answers::Works(|state, call| Box::pin(wellknown::protected_resource(state, call))),
    ),
    row(
        "/.well-known/oauth-protected-resource/{*path}",
        "Says who guards an API at this address (RFC 9728).",
        Weight::Full,
        Answers::Works(|state, call| Box::pin(wellknown::protected_resource_of_path(state, call))),
    ),
    row(
        "/.well-known/authzen-configuration",
        "Says where APIs ask who may do what with their objects (AuthZEN Authorization API 1.0).",
        Weight::Light,
        Answers::Works(|state, call| Box::pin(wellknown::policy_decision_point(state, call))),
    ),
    row(
        "/.well-known/authzen-configuration/{*path}",
        "Says the same where the issuer's path stands behind the name.",
        Weight::Light,
        Answers::Works(|state, call| Box::pin(wellknown::policy_decision_point_of_path(state, call))),
    ),
];

const fn row(path: &'static str, description: &'static str, weight: Weight, answers: Answers) -> Route {
    Route {
        verb: Verb::Get,
        path,
        listener: Listener::Public,
        served: Served::Always,
        caller: Caller::Anyone,
        takes: Takes::Nothing,
        refuses: RefusalShape::Problem,
        origins: Origins::Any,
        weight,
        rate_limits: RateLimits::ReadOnly,
        description,
        operation: None,
        answers,
    }
}
