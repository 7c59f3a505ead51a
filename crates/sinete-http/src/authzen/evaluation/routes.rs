//! The routes of the AuthZEN API.

use crate::authzen::evaluation::handlers;
use crate::state::{HandlerFn, RouteEntry};
use sinete_server::application::RouteHandler;
use sinete_server::route::{
    CallerKind, CorsPolicy, ErrorFormat, RateLimitKind, RequestBodyKind, RouteAvailability, RouteListener,
    RouteMethod, RouteRateLimits, RouteWeight,
};

/// The routes.
pub(crate) const ROUTES: &[RouteEntry] = &[
    authzen_route(
        EVALUATION_PATH,
        "Evaluates whether a subject may perform an action on a resource (AuthZEN Authorization API 1.0).",
        |state, request| Box::pin(handlers::post_evaluation(state, request)),
    ),
    authzen_route(EVALUATIONS_PATH, "Evaluates several access requests at once.", |state, request| {
        Box::pin(handlers::post_evaluations(state, request))
    }),
    authzen_route(
        SUBJECT_SEARCH_PATH,
        "Searches the subjects that may perform an action on a resource.",
        |state, request| Box::pin(handlers::search_subjects(state, request)),
    ),
    authzen_route(
        RESOURCE_SEARCH_PATH,
        "Searches the resources on which a subject may perform an action.",
        |state, request| Box::pin(handlers::search_resources(state, request)),
    ),
    authzen_route(
        ACTION_SEARCH_PATH,
        "Searches the actions that a subject may perform on a resource.",
        |state, request| Box::pin(handlers::search_actions(state, request)),
    ),
];

/// The path of a single evaluation.
const EVALUATION_PATH: &str = "/access/v1/evaluation";
/// The path of a batch.
const EVALUATIONS_PATH: &str = "/access/v1/evaluations";

/// The path of the subject search.
const SUBJECT_SEARCH_PATH: &str = "/access/v1/search/subject";
/// The path of the resource search.
const RESOURCE_SEARCH_PATH: &str = "/access/v1/search/resource";
/// The path of the action search.
const ACTION_SEARCH_PATH: &str = "/access/v1/search/action";
/// The metadata names of the endpoints.
pub(crate) const ENDPOINTS: [(&str, &str); 5] = [
    ("access_evaluation_endpoint", EVALUATION_PATH),
    ("access_evaluations_endpoint", EVALUATIONS_PATH),
    ("search_subject_endpoint", SUBJECT_SEARCH_PATH),
    ("search_resource_endpoint", RESOURCE_SEARCH_PATH),
    ("search_action_endpoint", ACTION_SEARCH_PATH),
];

/// Whether the route belongs to the AuthZEN API.
pub(crate) fn is_authzen_route(route: &RouteEntry) -> bool {
    ENDPOINTS.iter().any(|(_, path)| *path == route.path)
}

const fn authzen_route(path: &'static str, description: &'static str, handler: HandlerFn) -> RouteEntry {
    RouteEntry {
        method: RouteMethod::Post,
        path,
        listener: RouteListener::Public,
        availability: RouteAvailability::Always,
        caller: CallerKind::Client,
        request_body: RequestBodyKind::Json,
        error_format: ErrorFormat::Problem,
        cors: CorsPolicy::SameOrigin,
        weight: RouteWeight::Full,
        rate_limits: RouteRateLimits::Limited {
            kinds: &[RateLimitKind::FailedCredentialsByAddress],
            log_rows: 1,
        },
        description,
        operation: None,
        handler: RouteHandler::Handler(handler),
    }
}
