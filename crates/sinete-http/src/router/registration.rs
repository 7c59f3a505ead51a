//! The rows of registration and of its management by clients themselves.

use crate::oauth::register;
use crate::route::{
    Answers, Caller, Handler, Listener, Origins, RateLimit, RateLimits, RefusalShape, Route, Served, Takes,
    Verb, Weight,
};

pub(super) const ROUTES: &[Route] = &[
    row(
        Verb::Post,
        "/connect/register",
        Caller::Applicant,
        "Registers a client (RFC 7591).",
        |state, call| Box::pin(register::register(state, call)),
    ),
    row(
        Verb::Get,
        ITS_OWN,
        Caller::Registration,
        "Shows a client its registration (RFC 7592).",
        |state, call| Box::pin(register::read(state, call)),
    ),
    row(
        Verb::Put,
        ITS_OWN,
        Caller::Registration,
        "Puts another registration in the place of a client's own (RFC 7592).",
        |state, call| Box::pin(register::replace(state, call)),
    ),
    row(
        Verb::Delete,
        ITS_OWN,
        Caller::Registration,
        "Ends a client, by itself (RFC 7592).",
        |state, call| Box::pin(register::remove(state, call)),
    ),
];

/// The address that a client is given with its registration token.
const ITS_OWN: &str = "/connect/register/{client_id}";

const fn row(
    verb: Verb,
    path: &'static str,
    caller: Caller,
    description: &'static str,
    handler: Handler,
) -> Route {
    Route {
        verb,
        path,
        listener: Listener::Public,
        served: Served::Always,
        caller,
        takes: match verb {
            Verb::Post | Verb::Put => Takes::Json,
            Verb::Get | Verb::Patch | Verb::Delete => Takes::Nothing,
        },
        refuses: RefusalShape::OAuth,
        origins: Origins::Any,
        weight: Weight::Full,
        rate_limits: match verb {
            Verb::Get => RateLimits::ReadOnly,
            Verb::Post => RateLimits::Limited {
                by: &[RateLimit::RegistrationsByAddress, RateLimit::FailedCredentialsByAddress],
                log_rows: 1,
            },
            Verb::Put | Verb::Patch | Verb::Delete => RateLimits::Limited {
                by: &[RateLimit::RegistrationChangesByClient, RateLimit::FailedCredentialsByAddress],
                log_rows: 1,
            },
        },
        description,
        operation: None,
        answers: Answers::Works(handler),
    }
}
