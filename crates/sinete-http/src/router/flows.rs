//! The rows of the flow engine.

use super::manage::{makes, shows};
use crate::flows;
use crate::route::RouteMethod::{Get, Post};
use crate::route::{
    ApiOperation, CallerKind, CorsPolicy, ErrorFormat, HandlerFn, OperationTag, RateLimitKind,
    RequestBodyKind, RouteAvailability, RouteEntry, RouteHandler, RouteListener, RouteMethod,
    RouteRateLimits, RouteWeight,
};
use sinete_core::refusal::RefusalCode;
use sinete_engine::single_sign_on::CALLBACK_PATH;
use sinete_engine::single_sign_on::saml::METADATA_PATH;

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        rate_limits: STARTED_OR_SENT,
        description: "Starts a flow: signing in, signing up and everything of that kind.",
        ..row(
            Post,
            "/flows",
            CallerKind::Anyone,
            ApiOperation {
                refuses: &[
                    RefusalCode::Unauthenticated,
                    RefusalCode::Forbidden,
                    RefusalCode::NotFound,
                    RefusalCode::Conflict,
                    RefusalCode::TooManyRequests,
                ],
                ..makes("startFlow", OperationTag::Flows, &flows::START, &flows::FLOW)
            },
            |state, call| Box::pin(flows::start(state, call)),
        )
    },
    RouteEntry {
        description: "Shows where a flow stands, and what can be said there.",
        ..row(
            Get,
            "/flows/{flow}",
            CallerKind::Flow,
            ApiOperation {
                refuses: &[RefusalCode::Gone, RefusalCode::Conflict],
                ..shows("getFlow", OperationTag::Flows, &flows::FLOW)
            },
            |state, call| Box::pin(flows::show(state, call)),
        )
    },
    RouteEntry {
        description: "Tells what the link of a message is for. It spends nothing.",
        ..row(
            Get,
            "/flows/links/{link}",
            CallerKind::Anyone,
            ApiOperation {
                refuses: &[RefusalCode::NotFound],
                ..shows("getLink", OperationTag::Flows, &flows::LINK)
            },
            |state, call| Box::pin(flows::link::look(state, call)),
        )
    },
    RouteEntry {
        rate_limits: RouteRateLimits::Limited { by: &[RateLimitKind::FlowsByAddress], log_rows: 1 },
        description: "Follows the link of a message: its flow goes on with whoever holds the link.",
        ..row(
            Post,
            "/flows/links",
            CallerKind::Anyone,
            ApiOperation {
                request: Some(&flows::FOLLOWED),
                refuses: &[
                    RefusalCode::Forbidden,
                    RefusalCode::NotFound,
                    RefusalCode::Conflict,
                    RefusalCode::TooManyRequests,
                ],
                ..shows("followLink", OperationTag::Flows, &flows::FLOW)
            },
            |state, call| Box::pin(flows::link::follow(state, call)),
        )
    },
    RouteEntry {
        rate_limits: SAID,
        description: "Says something in a flow. What is refused leaves it as it was.",
        ..row(
            Post,
            "/flows/{flow}/{action}",
            CallerKind::Flow,
            ApiOperation {
                request: Some(&flows::ANSWER),
                refuses: &[RefusalCode::Gone, RefusalCode::Conflict, RefusalCode::TooManyRequests],
                ..shows("answerFlow", OperationTag::Flows, &flows::FLOW)
            },
            |state, call| Box::pin(flows::act(state, call)),
        )
    },
    RouteEntry {
        verb: Get,
        path: CALLBACK_PATH,
        listener: RouteListener::Public,
        served: RouteAvailability::Always,
        caller: CallerKind::Browser,
        takes: RequestBodyKind::Nothing,
        refuses: ErrorFormat::Problem,
        origins: CorsPolicy::Own,
        weight: RouteWeight::Full,
        rate_limits: SAID_IN_BROWSER,
        description: "Takes what a provider of an organization answers, from the browser that was sent there.",
        operation: None,
        answers: RouteHandler::Works(|state, call| Box::pin(flows::callback::get(state, call))),
    },
    RouteEntry {
        verb: Post,
        path: CALLBACK_PATH,
        listener: RouteListener::Public,
        served: RouteAvailability::Always,
        caller: CallerKind::Browser,
        takes: RequestBodyKind::Form,
        refuses: ErrorFormat::Problem,
        origins: CorsPolicy::Own,
        weight: RouteWeight::Full,
        rate_limits: SAID_IN_BROWSER,
        description: "Takes what a provider that speaks SAML has a browser bring, and sends it on to where it is recognised.",
        operation: None,
        answers: RouteHandler::Works(|state, call| Box::pin(flows::callback::post(state, call))),
    },
    RouteEntry {
        verb: Get,
        path: METADATA_PATH,
        listener: RouteListener::Public,
        served: RouteAvailability::Always,
        caller: CallerKind::Anyone,
        takes: RequestBodyKind::Nothing,
        refuses: ErrorFormat::Problem,
        origins: CorsPolicy::Own,
        weight: RouteWeight::Full,
        rate_limits: RouteRateLimits::ReadOnly,
        description: "Says to whoever sets up a provider that speaks SAML what this service is there.",
        operation: None,
        answers: RouteHandler::Works(|state, call| Box::pin(flows::callback::metadata(state, call))),
    },
];

/// Starting a flow on a page.
#[cfg(feature = "screens")]
pub(super) const STARTED: RouteRateLimits = RouteRateLimits::Limited {
    by: &[RateLimitKind::FlowsByAddress, RateLimitKind::FlowsByAccount],
    log_rows: 1,
};

/// The same for flows of every kind, some of which begin with a message.
const STARTED_OR_SENT: RouteRateLimits = RouteRateLimits::Limited {
    by: &[RateLimitKind::FlowsByAddress, RateLimitKind::FlowsByAccount, RateLimitKind::MessagesByAddress],
    log_rows: 1,
};

/// Whatever is said in a flow: it leads to its end, which it reaches once, or is wrong, or has a message sent.
const SAID: RouteRateLimits = RouteRateLimits::Limited {
    by: &[RateLimitKind::FailedProofsByAddress, RateLimitKind::MessagesByAddress],
    log_rows: 2,
};

/// The same in a browser, where a proof may complete what somebody asked for on a page of theirs, and a passkey is offered
/// to whoever signed in, which is a flow of its own.
pub(super) const SAID_IN_BROWSER: RouteRateLimits = RouteRateLimits::Limited {
    by: &[
        RateLimitKind::FailedProofsByAddress,
        RateLimitKind::MessagesByAddress,
        RateLimitKind::FlowsByAccount,
        RateLimitKind::WritesByAccount,
        RateLimitKind::InvitationsByOrganization,
    ],
    log_rows: 2,
};

const fn row(
    verb: RouteMethod,
    path: &'static str,
    caller: CallerKind,
    operation: ApiOperation,
    handler: HandlerFn,
) -> RouteEntry {
    RouteEntry {
        verb,
        path,
        listener: RouteListener::Public,
        served: RouteAvailability::Always,
        caller,
        takes: match operation.request {
            None => RequestBodyKind::Nothing,
            Some(_) => RequestBodyKind::Json,
        },
        refuses: ErrorFormat::Problem,
        origins: CorsPolicy::Listed,
        weight: RouteWeight::Full,
        rate_limits: RouteRateLimits::ReadOnly,
        description: "",
        operation: Some(operation),
        answers: RouteHandler::Works(handler),
    }
}
