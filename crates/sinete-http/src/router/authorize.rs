//! The routes by which clients ask for somebody's authorization.

use crate::oauth::{authorize, backchannel, device, push};
use crate::route::{
    Answers, Caller, Listener, Origins, RateLimit, RateLimits, RefusalShape, Route, Served, Takes, Verb,
    Weight,
};

/// The routes.
pub const ROUTES: &[Route] = &[
    Route {
        description: "Asks for somebody's authorization, in the address.",
        answers: Answers::Works(|state, call| Box::pin(authorize::get(state, call))),
        ..AUTHORIZE
    },
    Route {
        verb: Verb::Post,
        takes: Takes::Form,
        description: "Asks for somebody's authorization, in a form.",
        answers: Answers::Works(|state, call| Box::pin(authorize::post(state, call))),
        ..AUTHORIZE
    },
    Route {
        verb: Verb::Post,
        path: "/connect/par",
        caller: Caller::Client,
        takes: Takes::Form,
        refuses: RefusalShape::OAuth,
        rate_limits: STORED_FOR_A_CLIENT,
        origins: Origins::Any,
        description: "Keeps a request for somebody's authorization and answers with a handle for it.",
        answers: Answers::Works(|state, call| Box::pin(push::post(state, call))),
        ..AUTHORIZE
    },
    Route {
        verb: Verb::Post,
        path: "/connect/device",
        served: Served::WithInteraction,
        caller: Caller::Client,
        takes: Takes::Form,
        refuses: RefusalShape::OAuth,
        rate_limits: STORED_FOR_A_CLIENT,
        origins: Origins::Any,
        description: "Keeps what a device asks for, and answers with a code that somebody types elsewhere.",
        answers: Answers::Works(|state, call| Box::pin(device::post(state, call))),
        ..AUTHORIZE
    },
    Route {
        verb: Verb::Post,
        path: "/connect/backchannel",
        caller: Caller::Client,
        takes: Takes::Form,
        refuses: RefusalShape::OAuth,
        rate_limits: STORED_FOR_A_CLIENT,
        description: "Asks somebody for their approval, and answers with what the client waits with.",
        answers: Answers::Works(|state, call| Box::pin(backchannel::post(state, call))),
        ..AUTHORIZE
    },
];

/// What is stored for a client that proved who it is, or for one that anybody can be.
const STORED_FOR_A_CLIENT: RateLimits = RateLimits::Limited {
    by: &[RateLimit::StoredRequestsByAddress, RateLimit::FailedCredentialsByAddress],
    log_rows: 1,
};

/// What they have in common. No script of another origin reads what the authorization endpoint answers.
const AUTHORIZE: Route = Route {
    verb: Verb::Get,
    path: "/connect/authorize",
    listener: Listener::Public,
    served: Served::Always,
    caller: Caller::Browser,
    takes: Takes::Nothing,
    refuses: RefusalShape::Problem,
    origins: Origins::Own,
    weight: Weight::Full,
    rate_limits: RateLimits::Limited {
        by: &[RateLimit::FlowsByAddress, RateLimit::FlowsByAccount, RateLimit::WritesByAccount],
        log_rows: 2,
    },
    description: "",
    operation: None,
    answers: Answers::Works(|state, call| Box::pin(authorize::get(state, call))),
};
