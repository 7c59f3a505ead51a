//! The routes of introspection, userinfo and revocation.

use crate::oauth::introspection::handlers;
use crate::oauth::logout::handlers as logout;
use crate::oauth::revocation::handlers as revoke;
use crate::oauth::userinfo::handlers as userinfo;
use crate::state::RouteEntry;
use sinete_server::application::RouteHandler;
use sinete_server::route::{
    CallerKind, CorsPolicy, ErrorFormat, RateLimitKind, RequestBodyKind, RouteAvailability, RouteListener,
    RouteMethod, RouteRateLimits, RouteWeight,
};

/// The routes.
pub(crate) const ROUTES: &[RouteEntry] = &[
    INTROSPECT,
    RouteEntry {
        path: "/connect/revoke",
        cors: CorsPolicy::Any,
        description: "Revokes a token (RFC 7009).",
        handler: RouteHandler::Handler(|state, request| Box::pin(revoke::post_revocation(state, request))),
        ..INTROSPECT
    },
    USERINFO,
    RouteEntry {
        method: RouteMethod::Post,
        request_body: RequestBodyKind::FormOrNothing,
        description: "Returns claims about the user, with the access token in the header or the form (OpenID Connect Core §5.3).",
        handler: RouteHandler::Handler(|state, request| Box::pin(userinfo::post_userinfo(state, request))),
        ..USERINFO
    },
    LOGOUT,
    RouteEntry {
        method: RouteMethod::Post,
        request_body: RequestBodyKind::FormOrNothing,
        description: "Signs the user out, with the parameters in a form (OpenID Connect RP-Initiated Logout).",
        handler: RouteHandler::Handler(|state, request| Box::pin(logout::post_logout(state, request))),
        ..LOGOUT
    },
];

const LOGOUT: RouteEntry = RouteEntry {
    method: RouteMethod::Get,
    path: logout::LOGOUT_PATH,
    caller: CallerKind::Anyone,
    request_body: RequestBodyKind::Nothing,
    error_format: ErrorFormat::Problem,
    rate_limits: RouteRateLimits::Unlimited("requires a session, which ends only once"),
    description: "Signs the user out, after confirmation unless id_token_hint matches the session (OpenID Connect RP-Initiated Logout).",
    handler: RouteHandler::Handler(|state, request| Box::pin(logout::get_logout(state, request))),
    ..INTROSPECT
};

const USERINFO: RouteEntry = RouteEntry {
    method: RouteMethod::Get,
    path: "/connect/userinfo",
    caller: CallerKind::Token("openid"),
    request_body: RequestBodyKind::Nothing,
    cors: CorsPolicy::Any,
    rate_limits: RouteRateLimits::ReadOnly,
    description: "Returns claims about the user (OpenID Connect Core §5.3).",
    handler: RouteHandler::Handler(|state, request| Box::pin(userinfo::get_userinfo(state, request))),
    ..INTROSPECT
};

const INTROSPECT: RouteEntry = RouteEntry {
    method: RouteMethod::Post,
    path: "/connect/introspect",
    listener: RouteListener::Public,
    availability: RouteAvailability::Always,
    caller: CallerKind::Client,
    request_body: RequestBodyKind::Form,
    error_format: ErrorFormat::OAuth,
    cors: CorsPolicy::SameOrigin,
    weight: RouteWeight::Full,
    rate_limits: RouteRateLimits::Limited {
        kinds: &[RateLimitKind::FailedCredentialsByAddress],
        log_rows: 1,
    },
    description: "Introspects a token (RFC 7662).",
    operation: None,
    handler: RouteHandler::Handler(|state, request| Box::pin(handlers::post_introspection(state, request))),
};
