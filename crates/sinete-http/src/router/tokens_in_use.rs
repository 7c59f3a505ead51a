//! The rows by which tokens are asked about, used and given up.

use crate::oauth::{introspect, logout, revoke, userinfo};
use crate::route::{
    Answers, Caller, Listener, Origins, RateLimit, RateLimits, RefusalShape, Route, Served, Takes, Verb,
    Weight,
};

/// The rows.
pub(super) const ROUTES: &[Route] = &[
    INTROSPECT,
    Route {
        path: "/connect/revoke",
        origins: Origins::Any,
        description: "Revokes a token that was issued to the client that shows it (RFC 7009).",
        answers: Answers::Works(|state, call| Box::pin(revoke::post(state, call))),
        ..INTROSPECT
    },
    USERINFO,
    Route {
        verb: Verb::Post,
        takes: Takes::FormOrNothing,
        description: "Tells who the person behind a token is, which may stand in the form (OpenID Connect Core §5.3).",
        answers: Answers::Works(|state, call| Box::pin(userinfo::post(state, call))),
        ..USERINFO
    },
    LOGOUT,
    Route {
        verb: Verb::Post,
        takes: Takes::FormOrNothing,
        description: "Signs a person out, in a form.",
        answers: Answers::Works(|state, call| Box::pin(logout::post(state, call))),
        ..LOGOUT
    },
];

const LOGOUT: Route = Route {
    verb: Verb::Get,
    path: logout::PATH,
    caller: Caller::Anyone,
    takes: Takes::Nothing,
    refuses: RefusalShape::Problem,
    rate_limits: RateLimits::Unlimited("whoever shows a session, which ends once"),
    description: "Signs a person out, and asks them first unless the application shows who is meant.",
    answers: Answers::Works(|state, call| Box::pin(logout::get(state, call))),
    ..INTROSPECT
};

const USERINFO: Route = Route {
    verb: Verb::Get,
    path: "/connect/userinfo",
    caller: Caller::Token("openid"),
    takes: Takes::Nothing,
    origins: Origins::Any,
    rate_limits: RateLimits::ReadOnly,
    description: "Tells who the person behind a token is (OpenID Connect Core §5.3).",
    answers: Answers::Works(|state, call| Box::pin(userinfo::get(state, call))),
    ..INTROSPECT
};

const INTROSPECT: Route = Route {
    verb: Verb::Post,
    path: "/connect/introspect",
    listener: Listener::Public,
    served: Served::Always,
    caller: Caller::Client,
    takes: Takes::Form,
    refuses: RefusalShape::OAuth,
    origins: Origins::Own,
    weight: Weight::Full,
    rate_limits: RateLimits::Limited { by: &[RateLimit::FailedCredentialsByAddress], log_rows: 1 },
    description: "Tells the client a token was issued to, or the API it is for, what it is good for now (RFC 7662).",
    operation: None,
    answers: Answers::Works(|state, call| Box::pin(introspect::post(state, call))),
};
