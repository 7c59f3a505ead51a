//! The rows of registration and of its management by clients themselves.

use crate::oauth::register;
use crate::route::{
    CallerKind, CorsPolicy, ErrorFormat, HandlerFn, RateLimitKind, RequestBodyKind, RouteAvailability,
    RouteEntry, RouteHandler, RouteListener, RouteMethod, RouteRateLimits, RouteWeight,
};

pub(super) const ROUTES: &[RouteEntry] = &[
    row(
        RouteMethod::Post,
        "/connect/register",
        CallerKind::Applicant,
        "Registers a client (RFC 7591).",
        |state, call| Box::pin(register::register(state, call)),
    ),
    row(
        RouteMethod::Get,
        ITS_OWN,
        CallerKind::Registration,
        "Shows a client its registration (RFC 7592).",
        |state, call| Box::pin(register::read(state, call)),
    ),
    row(
        RouteMethod::Put,
        ITS_OWN,
        CallerKind::Registration,
        "Puts another registration in the place of a client's own (RFC 7592).",
        |state, call| Box::pin(register::replace(state, call)),
    ),
    row(
        RouteMethod::Delete,
        ITS_OWN,
        CallerKind::Registration,
        "Ends a client, by itself (RFC 7592).",
        |state, call| Box::pin(register::remove(state, call)),
    ),
];

/// The address that a client is given with its registration token.
const ITS_OWN: &str = "/connect/register/{client_id}";

const fn row(
    verb: RouteMethod,
    path: &'static str,
    caller: CallerKind,
    description: &'static str,
    handler: HandlerFn,
) -> RouteEntry {
    RouteEntry {
        verb,
        path,
        listener: RouteListener::Public,
        served: RouteAvailability::Always,
        caller,
        takes: match verb {
            RouteMethod::Post | RouteMethod::Put => RequestBodyKind::Json,
            RouteMethod::Get | RouteMethod::Patch | RouteMethod::Delete => RequestBodyKind::Nothing,
        },
        refuses: ErrorFormat::OAuth,
        origins: CorsPolicy::Any,
        weight: RouteWeight::Full,
        rate_limits: match verb {
            RouteMethod::Get => RouteRateLimits::ReadOnly,
            RouteMethod::Post => RouteRateLimits::Limited {
                by: &[RateLimitKind::RegistrationsByAddress, RateLimitKind::FailedCredentialsByAddress],
                log_rows: 1,
            },
            RouteMethod::Put | RouteMethod::Patch | RouteMethod::Delete => RouteRateLimits::Limited {
                by: &[RateLimitKind::RegistrationChangesByClient, RateLimitKind::FailedCredentialsByAddress],
                log_rows: 1,
            },
        },
        description,
        operation: None,
        answers: RouteHandler::Works(handler),
    }
}
