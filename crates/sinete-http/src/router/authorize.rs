//! The routes by which clients ask for somebody's authorization.

use crate::oauth::{authorize, backchannel, device, push};
use crate::route::{
    CallerKind, CorsPolicy, ErrorFormat, RateLimitKind, RequestBodyKind, RouteAvailability, RouteEntry,
    RouteHandler, RouteListener, RouteMethod, RouteRateLimits, RouteWeight,
};

/// The routes.
pub const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Asks for somebody's authorization, in the address.",
        answers: RouteHandler::Works(|state, call| Box::pin(authorize::get(state, call))),
        ..AUTHORIZE
    },
    RouteEntry {
        verb: RouteMethod::Post,
        takes: RequestBodyKind::Form,
        description: "Asks for somebody's authorization, in a form.",
        answers: RouteHandler::Works(|state, call| Box::pin(authorize::post(state, call))),
        ..AUTHORIZE
    },
    RouteEntry {
        verb: RouteMethod::Post,
        path: "/connect/par",
        caller: CallerKind::Client,
        takes: RequestBodyKind::Form,
        refuses: ErrorFormat::OAuth,
        rate_limits: STORED_FOR_A_CLIENT,
        origins: CorsPolicy::Any,
        description: "Keeps a request for somebody's authorization and answers with a handle for it.",
        answers: RouteHandler::Works(|state, call| Box::pin(push::post(state, call))),
        ..AUTHORIZE
    },
    RouteEntry {
        verb: RouteMethod::Post,
        path: "/connect/device",
        served: RouteAvailability::WithInteraction,
        caller: CallerKind::Client,
        takes: RequestBodyKind::Form,
        refuses: ErrorFormat::OAuth,
        rate_limits: STORED_FOR_A_CLIENT,
        origins: CorsPolicy::Any,
        description: "Keeps what a device asks for, and answers with a code that somebody types elsewhere.",
        answers: RouteHandler::Works(|state, call| Box::pin(device::post(state, call))),
        ..AUTHORIZE
    },
    RouteEntry {
        verb: RouteMethod::Post,
        path: "/connect/backchannel",
        caller: CallerKind::Client,
        takes: RequestBodyKind::Form,
        refuses: ErrorFormat::OAuth,
        rate_limits: STORED_FOR_A_CLIENT,
        description: "Asks somebody for their approval, and answers with what the client waits with.",
        answers: RouteHandler::Works(|state, call| Box::pin(backchannel::post(state, call))),
        ..AUTHORIZE
    },
];

/// What is stored for a client that proved who it is, or for one that anybody can be.
const STORED_FOR_A_CLIENT: RouteRateLimits = RouteRateLimits::Limited {
    by: &[RateLimitKind::StoredRequestsByAddress, RateLimitKind::FailedCredentialsByAddress],
    log_rows: 1,
};

/// What they have in common. No script of another origin reads what the authorization endpoint answers.
const AUTHORIZE: RouteEntry = RouteEntry {
    verb: RouteMethod::Get,
    path: "/connect/authorize",
    listener: RouteListener::Public,
    served: RouteAvailability::Always,
    caller: CallerKind::Browser,
    takes: RequestBodyKind::Nothing,
    refuses: ErrorFormat::Problem,
    origins: CorsPolicy::Own,
    weight: RouteWeight::Full,
    rate_limits: RouteRateLimits::Limited {
        by: &[RateLimitKind::FlowsByAddress, RateLimitKind::FlowsByAccount, RateLimitKind::WritesByAccount],
        log_rows: 2,
    },
    description: "",
    operation: None,
    answers: RouteHandler::Works(|state, call| Box::pin(authorize::get(state, call))),
};
