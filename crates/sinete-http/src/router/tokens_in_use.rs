//! The rows by which tokens are asked about, used and given up.

use crate::oauth::{introspect, logout, revoke, userinfo};
use crate::route::{
    CallerKind, CorsPolicy, ErrorFormat, RateLimitKind, RequestBodyKind, RouteAvailability, RouteEntry,
    RouteHandler, RouteListener, RouteMethod, RouteRateLimits, RouteWeight,
};

/// The rows.
pub(super) const ROUTES: &[RouteEntry] = &[
    INTROSPECT,
    RouteEntry {
        path: "/connect/revoke",
        origins: CorsPolicy::Any,
        description: "Revokes a token that was issued to the client that shows it (RFC 7009).",
        answers: RouteHandler::Works(|state, call| Box::pin(revoke::post(state, call))),
        ..INTROSPECT
    },
    USERINFO,
    RouteEntry {
        verb: RouteMethod::Post,
        takes: RequestBodyKind::FormOrNothing,
        description: "Tells who the person behind a token is, which may stand in the form (OpenID Connect Core §5.3).",
        answers: RouteHandler::Works(|state, call| Box::pin(userinfo::post(state, call))),
        ..USERINFO
    },
    LOGOUT,
    RouteEntry {
        verb: RouteMethod::Post,
        takes: RequestBodyKind::FormOrNothing,
        description: "Signs a person out, in a form.",
        answers: RouteHandler::Works(|state, call| Box::pin(logout::post(state, call))),
        ..LOGOUT
    },
];

const LOGOUT: RouteEntry = RouteEntry {
    verb: RouteMethod::Get,
    path: logout::PATH,
    caller: CallerKind::Anyone,
    takes: RequestBodyKind::Nothing,
    refuses: ErrorFormat::Problem,
    rate_limits: RouteRateLimits::Unlimited("whoever shows a session, which ends once"),
    description: "Signs a person out, and asks them first unless the application shows who is meant.",
    answers: RouteHandler::Works(|state, call| Box::pin(logout::get(state, call))),
    ..INTROSPECT
};

const USERINFO: RouteEntry = RouteEntry {
    verb: RouteMethod::Get,
    path: "/connect/userinfo",
    caller: CallerKind::Token("openid"),
    takes: RequestBodyKind::Nothing,
    origins: CorsPolicy::Any,
    rate_limits: RouteRateLimits::ReadOnly,
    description: "Tells who the person behind a token is (OpenID Connect Core §5.3).",
    answers: RouteHandler::Works(|state, call| Box::pin(userinfo::get(state, call))),
    ..INTROSPECT
};

const INTROSPECT: RouteEntry = RouteEntry {
    verb: RouteMethod::Post,
    path: "/connect/introspect",
    listener: RouteListener::Public,
    served: RouteAvailability::Always,
    caller: CallerKind::Client,
    takes: RequestBodyKind::Form,
    refuses: ErrorFormat::OAuth,
    origins: CorsPolicy::Own,
    weight: RouteWeight::Full,
    rate_limits: RouteRateLimits::Limited { by: &[RateLimitKind::FailedCredentialsByAddress], log_rows: 1 },
    description: "Tells the client a token was issued to, or the API it is for, what it is good for now (RFC 7662).",
    operation: None,
    answers: RouteHandler::Works(|state, call| Box::pin(introspect::post(state, call))),
};
