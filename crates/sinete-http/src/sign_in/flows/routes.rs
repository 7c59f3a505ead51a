//! The routes of the flow API.

use crate::management_api::operations::{create_operation, show_operation};
use crate::sign_in::flows::handlers;
use crate::state::{HandlerFn, RouteEntry};
use sinete_core::refusal::RefusalCode;
use sinete_server::application::RouteHandler;
use sinete_server::route::RouteMethod::{Get, Post};
use sinete_server::route::{
    ApiOperation, CallerKind, CorsPolicy, ErrorFormat, OperationTag, RateLimitKind, RequestBodyKind,
    RouteAvailability, RouteListener, RouteMethod, RouteRateLimits, RouteWeight,
};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        rate_limits: FLOW_START_OR_MESSAGE_LIMITS,
        description: "Starts a flow, such as sign-in or sign-up.",
        ..flow_route(
            Post,
            "/flows",
            CallerKind::Anyone,
            ApiOperation {
                extra_refusals: &[
                    RefusalCode::Unauthenticated,
                    RefusalCode::Forbidden,
                    RefusalCode::NotFound,
                    RefusalCode::Conflict,
                    RefusalCode::TooManyRequests,
                ],
                ..create_operation("startFlow", OperationTag::Flows, &handlers::START, &handlers::FLOW)
            },
            |state, request| Box::pin(handlers::start_flow(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves the stage of a flow and its available actions.",
        ..flow_route(
            Get,
            "/flows/{flow}",
            CallerKind::Flow,
            ApiOperation {
                extra_refusals: &[RefusalCode::Gone, RefusalCode::Conflict],
                ..show_operation("getFlow", OperationTag::Flows, &handlers::FLOW)
            },
            |state, request| Box::pin(handlers::show_flow(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves the purpose of a link from a message, without using the link.",
        ..flow_route(
            Get,
            "/flows/links/{link}",
            CallerKind::Anyone,
            ApiOperation {
                extra_refusals: &[RefusalCode::NotFound],
                ..show_operation("getLink", OperationTag::Flows, &handlers::LINK)
            },
            |state, request| Box::pin(crate::sign_in::magic_links::handlers::show_link(state, request)),
        )
    },
    RouteEntry {
        rate_limits: RouteRateLimits::Limited { kinds: &[RateLimitKind::FlowsByAddress], log_rows: 1 },
        description: "Uses a link from a message, whose flow continues for the holder of the link.",
        ..flow_route(
            Post,
            "/flows/links",
            CallerKind::Anyone,
            ApiOperation {
                request: Some(&handlers::FOLLOWED_LINK),
                extra_refusals: &[
                    RefusalCode::Forbidden,
                    RefusalCode::NotFound,
                    RefusalCode::Conflict,
                    RefusalCode::TooManyRequests,
                ],
                ..show_operation("followLink", OperationTag::Flows, &handlers::FLOW)
            },
            |state, request| Box::pin(crate::sign_in::magic_links::handlers::follow_link(state, request)),
        )
    },
    RouteEntry {
        rate_limits: FLOW_ACTION_LIMITS,
        description: "Submits an action of a flow. A refused action leaves the flow unchanged.",
        ..flow_route(
            Post,
            "/flows/{flow}/{action}",
            CallerKind::Flow,
            ApiOperation {
                request: Some(&handlers::FLOW_INPUT),
                extra_refusals: &[RefusalCode::Gone, RefusalCode::Conflict, RefusalCode::TooManyRequests],
                ..show_operation("answerFlow", OperationTag::Flows, &handlers::FLOW)
            },
            |state, request| Box::pin(handlers::submit_action(state, request)),
        )
    },
];

/// Limits of starting a flow on a page.
#[cfg(feature = "screens")]
pub(crate) const FLOW_START_LIMITS: RouteRateLimits = RouteRateLimits::Limited {
    kinds: &[RateLimitKind::FlowsByAddress, RateLimitKind::FlowsByAccount],
    log_rows: 1,
};

/// The same for flows of all kinds, some of which begin with a message.
const FLOW_START_OR_MESSAGE_LIMITS: RouteRateLimits = RouteRateLimits::Limited {
    kinds: &[RateLimitKind::FlowsByAddress, RateLimitKind::FlowsByAccount, RateLimitKind::MessagesByAddress],
    log_rows: 1,
};

/// Limits of flow inputs: each ends the flow, which happens once, fails, or sends a message.
const FLOW_ACTION_LIMITS: RouteRateLimits = RouteRateLimits::Limited {
    kinds: &[RateLimitKind::FailedProofsByAddress, RateLimitKind::MessagesByAddress],
    log_rows: 2,
};

/// The same in a browser, where a step-up may complete a suspended action, and a passkey may be offered in
/// another flow.
pub(crate) const BROWSER_FLOW_ACTION_LIMITS: RouteRateLimits = RouteRateLimits::Limited {
    kinds: &[
        RateLimitKind::FailedProofsByAddress,
        RateLimitKind::MessagesByAddress,
        RateLimitKind::FlowsByAccount,
        RateLimitKind::WritesByAccount,
        RateLimitKind::InvitationsByOrganization,
    ],
    log_rows: 2,
};

const fn flow_route(
    method: RouteMethod,
    path: &'static str,
    caller: CallerKind,
    operation: ApiOperation,
    handler: HandlerFn,
) -> RouteEntry {
    RouteEntry {
        method,
        path,
        listener: RouteListener::Public,
        availability: RouteAvailability::Always,
        caller,
        request_body: match operation.request {
            None => RequestBodyKind::Nothing,
            Some(_) => RequestBodyKind::Json,
        },
        error_format: ErrorFormat::Problem,
        cors: CorsPolicy::Listed,
        weight: RouteWeight::Full,
        rate_limits: RouteRateLimits::ReadOnly,
        description: "",
        operation: Some(operation),
        handler: RouteHandler::Handler(handler),
    }
}
