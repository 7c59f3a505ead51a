//! The rows of the flow engine.

use super::manage::{makes, shows};
use crate::flows;
use crate::route::Verb::{Get, Post};
use crate::route::{
    Answers, Caller, Handler, Listener, Operation, Origins, RateLimit, RateLimits, RefusalShape, Route,
    Served, Tag, Takes, Verb, Weight,
};
use sinete_core::refusal::RefusalCode;
use sinete_engine::single_sign_on::CALLBACK_PATH;
use sinete_engine::single_sign_on::saml::METADATA_PATH;

pub(super) const ROUTES: &[Route] = &[
    Route {
        rate_limits: STARTED_OR_SENT,
        description: "Starts a flow: signing in, signing up and everything of that kind.",
        ..row(
            Post,
            "/flows",
            Caller::Anyone,
            Operation {
                refuses: &[
                    RefusalCode::Unauthenticated,
                    RefusalCode::Forbidden,
                    RefusalCode::NotFound,
                    RefusalCode::Conflict,
                    RefusalCode::TooManyRequests,
                ],
                ..makes("startFlow", Tag::Flows, &flows::START, &flows::FLOW)
            },
            |state, call| Box::pin(flows::start(state, call)),
        )
    },
    Route {
        description: "Shows where a flow stands, and what can be said there.",
        ..row(
            Get,
            "/flows/{flow}",
            Caller::Flow,
            Operation {
                refuses: &[RefusalCode::Gone, RefusalCode::Conflict],
                ..shows("getFlow", Tag::Flows, &flows::FLOW)
            },
            |state, call| Box::pin(flows::show(state, call)),
        )
    },
    Route {
        description: "Tells what the link of a message is for. It spends nothing.",
        ..row(
            Get,
            "/flows/links/{link}",
            Caller::Anyone,
            Operation { refuses: &[RefusalCode::NotFound], ..shows("getLink", Tag::Flows, &flows::LINK) },
            |state, call| Box::pin(flows::link::look(state, call)),
        )
    },
    Route {
        rate_limits: RateLimits::Limited { by: &[RateLimit::FlowsByAddress], log_rows: 1 },
        description: "Follows the link of a message: its flow goes on with whoever holds the link.",
        ..row(
            Post,
            "/flows/links",
            Caller::Anyone,
            Operation {
                request: Some(&flows::FOLLOWED),
                refuses: &[
                    RefusalCode::Forbidden,
                    RefusalCode::NotFound,
                    RefusalCode::Conflict,
                    RefusalCode::TooManyRequests,
                ],
                ..shows("followLink", Tag::Flows, &flows::FLOW)
            },
            |state, call| Box::pin(flows::link::follow(state, call)),
        )
    },
    Route {
        rate_limits: SAID,
        description: "Says something in a flow. What is refused leaves it as it was.",
        ..row(
            Post,
            "/flows/{flow}/{action}",
            Caller::Flow,
            Operation {
                request: Some(&flows::ANSWER),
                refuses: &[RefusalCode::Gone, RefusalCode::Conflict, RefusalCode::TooManyRequests],
                ..shows("answerFlow", Tag::Flows, &flows::FLOW)
            },
            |state, call| Box::pin(flows::act(state, call)),
        )
    },
    Route {
        verb: Get,
        path: CALLBACK_PATH,
        listener: Listener::Public,
        served: Served::Always,
        caller: Caller::Browser,
        takes: Takes::Nothing,
        refuses: RefusalShape::Problem,
        origins: Origins::Own,
        weight: Weight::Full,
        rate_limits: SAID_IN_BROWSER,
        description: "Takes what a provider of an organization answers, from the browser that was sent there.",
        operation: None,
        answers: Answers::Works(|state, call| Box::pin(flows::callback::get(state, call))),
    },
    Route {
        verb: Post,
        path: CALLBACK_PATH,
        listener: Listener::Public,
        served: Served::Always,
        caller: Caller::Browser,
        takes: Takes::Form,
        refuses: RefusalShape::Problem,
        origins: Origins::Own,
        weight: Weight::Full,
        rate_limits: SAID_IN_BROWSER,
        description: "Takes what a provider that speaks SAML has a browser bring, and sends it on to where it is recognised.",
        operation: None,
        answers: Answers::Works(|state, call| Box::pin(flows::callback::post(state, call))),
    },
    Route {
        verb: Get,
        path: METADATA_PATH,
        listener: Listener::Public,
        served: Served::Always,
        caller: Caller::Anyone,
        takes: Takes::Nothing,
        refuses: RefusalShape::Problem,
        origins: Origins::Own,
        weight: Weight::Full,
        rate_limits: RateLimits::ReadOnly,
        description: "Says to whoever sets up a provider that speaks SAML what this service is there.",
        operation: None,
        answers: Answers::Works(|state, call| Box::pin(flows::callback::metadata(state, call))),
    },
];

/// Whoever starts a flow.
pub(super) const STARTED: RateLimits =
    RateLimits::Limited { by: &[RateLimit::FlowsByAddress, RateLimit::FlowsByAccount], log_rows: 1 };

/// The same for flows of every kind, some of which begin with a message.
const STARTED_OR_SENT: RateLimits = RateLimits::Limited {
    by: &[RateLimit::FlowsByAddress, RateLimit::FlowsByAccount, RateLimit::MessagesByAddress],
    log_rows: 1,
};

/// Whatever is said in a flow: it leads to its end, which it reaches once, or is wrong, or has a message sent.
const SAID: RateLimits = RateLimits::Limited {
    by: &[RateLimit::FailedProofsByAddress, RateLimit::MessagesByAddress],
    log_rows: 2,
};

/// The same in a browser, where a proof may complete what somebody asked for on a page of theirs, and a passkey is offered
/// to whoever signed in, which is a flow of its own.
pub(super) const SAID_IN_BROWSER: RateLimits = RateLimits::Limited {
    by: &[
        RateLimit::FailedProofsByAddress,
        RateLimit::MessagesByAddress,
        RateLimit::FlowsByAccount,
        RateLimit::WritesByAccount,
        RateLimit::InvitationsByOrganization,
    ],
    log_rows: 2,
};

const fn row(
    verb: Verb,
    path: &'static str,
    caller: Caller,
    operation: Operation,
    handler: Handler,
) -> Route {
    Route {
        verb,
        path,
        listener: Listener::Public,
        served: Served::Always,
        caller,
        takes: match operation.request {
            None => Takes::Nothing,
            Some(_) => Takes::Json,
        },
        refuses: RefusalShape::Problem,
        origins: Origins::Listed,
        weight: Weight::Full,
        rate_limits: RateLimits::ReadOnly,
        description: "",
        operation: Some(operation),
        answers: Answers::Works(handler),
    }
}
