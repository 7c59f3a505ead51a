//! Building blocks of route tables.

use crate::state::{HandlerFn, RouteEntry};
use sinete_server::application::RouteHandler;
use sinete_server::route::{
    CallerKind, CorsPolicy, ErrorFormat, RequestBodyKind, RouteAvailability, RouteListener, RouteMethod,
    RouteRateLimits, RouteWeight,
};

/// The total number of routes.
pub(crate) const fn count_routes(parts: &[&[RouteEntry]]) -> usize {
    let (mut part, mut rows) = (0, 0);
    while part < parts.len() {
        rows += parts[part].len();
        part += 1;
    }
    rows
}

/// Joins the tables of all modules.
pub(crate) const fn join_routes<const COUNT: usize>(parts: &[&[RouteEntry]]) -> [RouteEntry; COUNT] {
    let mut all = [parts[0][0]; COUNT];
    let (mut part, mut next) = (0, 0);
    while part < parts.len() {
        let mut row = 0;
        while row < parts[part].len() {
            all[next] = parts[part][row];
            next += 1;
            row += 1;
        }
        part += 1;
    }
    all
}

/// The route of a browser page in development.
pub(crate) const fn browser_page_route(
    path: &'static str,
    description: &'static str,
    handler: HandlerFn,
) -> RouteEntry {
    RouteEntry {
        method: RouteMethod::Get,
        path,
        listener: RouteListener::Public,
        availability: RouteAvailability::InDevelopment,
        caller: CallerKind::Anyone,
        request_body: RequestBodyKind::Nothing,
        error_format: ErrorFormat::Problem,
        cors: CorsPolicy::SameOrigin,
        weight: RouteWeight::Full,
        rate_limits: RouteRateLimits::ReadOnly,
        description,
        operation: None,
        handler: RouteHandler::Handler(handler),
    }
}

/// The route of a page of the hosted screens.
#[cfg(feature = "screens")]
pub(crate) const fn page_route(
    path: &'static str,
    description: &'static str,
    handler: HandlerFn,
) -> RouteEntry {
    RouteEntry {
        availability: RouteAvailability::WithScreens,
        ..browser_page_route(path, description, handler)
    }
}

/// Limits of links in messages: a link can be used once, and without a valid one nothing is written.
pub(crate) const EMAIL_LINK_LIMITS: RouteRateLimits =
    RouteRateLimits::Unlimited("requires an unused link from a message, which can be used once");
