//! The rows by which APIs ask who may do what with their objects.

use crate::access;
use crate::route::{
    CallerKind, CorsPolicy, ErrorFormat, HandlerFn, RateLimitKind, RequestBodyKind, RouteAvailability,
    RouteEntry, RouteHandler, RouteListener, RouteMethod, RouteRateLimits, RouteWeight,
};

/// The rows.
pub(super) const ROUTES: &[RouteEntry] = &[
    row(
        EVALUATION,
        "Says whether somebody may do something with an object of an API (AuthZEN Authorization API 1.0).",
        |state, call| Box::pin(access::evaluation(state, call)),
    ),
    row(EVALUATIONS, "Answers several such questions together.", |state, call| {
        Box::pin(access::evaluations(state, call))
    }),
    row(SUBJECTS, "Finds who may do something with an object of an API.", |state, call| {
        Box::pin(access::subject(state, call))
    }),
    row(RESOURCES, "Finds with which objects of an API somebody may do something.", |state, call| {
        Box::pin(access::resource(state, call))
    }),
    row(ACTIONS, "Finds what somebody may do with an object of an API.", |state, call| {
        Box::pin(access::action(state, call))
    }),
];

/// Where one question is asked.
const EVALUATION: &str = "/access/v1/evaluation";
/// Where several are asked together.
const EVALUATIONS: &str = "/access/v1/evaluations";

/// Where those are looked for who may do something.
const SUBJECTS: &str = "/access/v1/search/subject";
/// Where objects are looked for.
const RESOURCES: &str = "/access/v1/search/resource";
/// Where it is looked for what somebody may do.
const ACTIONS: &str = "/access/v1/search/action";
/// Under which name each of them is published.
pub(crate) const ENDPOINTS: [(&str, &str); 5] = [
    ("access_evaluation_endpoint", EVALUATION),
    ("access_evaluations_endpoint", EVALUATIONS),
    ("search_subject_endpoint", SUBJECTS),
    ("search_resource_endpoint", RESOURCES),
    ("search_action_endpoint", ACTIONS),
];

/// Whether the row is one of these.
pub(crate) fn is_asked(route: &RouteEntry) -> bool {
    ENDPOINTS.iter().any(|(_, path)| *path == route.path)
}

const fn row(path: &'static str, description: &'static str, handler: HandlerFn) -> RouteEntry {
    RouteEntry {
        verb: RouteMethod::Post,
        path,
        listener: RouteListener::Public,
        served: RouteAvailability::Always,
        caller: CallerKind::Client,
        takes: RequestBodyKind::Json,
        refuses: ErrorFormat::Problem,
        origins: CorsPolicy::Own,
        weight: RouteWeight::Full,
        rate_limits: RouteRateLimits::Limited {
            by: &[RateLimitKind::FailedCredentialsByAddress],
            log_rows: 1,
        },
        description,
        operation: None,
        answers: RouteHandler::Works(handler),
    }
}
