//! The rows for whoever got a message from us: what a link in it does, and the mailbox of a development instance.

use crate::route::{
    CallerKind, CorsPolicy, ErrorFormat, HandlerFn, RequestBodyKind, RouteAvailability, RouteEntry,
    RouteHandler, RouteListener, RouteMethod, RouteRateLimits, RouteWeight,
};
use crate::{dev_mail, not_me, undo_email};

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        served: RouteAvailability::Always,
        ..shown(
            not_me::SPEND_PATH,
            "Lists what acts for an account and ends with the link of a message about it, for whoever holds the link.",
            |state, call| Box::pin(not_me::access(state, call)),
        )
    },
    RouteEntry {
        verb: RouteMethod::Post,
        served: RouteAvailability::Always,
        takes: RequestBodyKind::Form,
        rate_limits: LINKED,
        ..shown(
            not_me::SPEND_PATH,
            "Ends every session of an account and everything that acts for it, but for what is kept, and begins to set a new password, for whoever holds the link of a message about it.",
            |state, call| Box::pin(not_me::spend(state, call)),
        )
    },
    RouteEntry {
        verb: RouteMethod::Post,
        served: RouteAvailability::Always,
        takes: RequestBodyKind::Form,
        rate_limits: LINKED,
        ..shown(
            undo_email::SPEND_PATH,
            "Brings an old address back, for whoever holds the link of the message to it.",
            |state, call| Box::pin(undo_email::spend(state, call)),
        )
    },
    shown(
        "/dev/mail",
        "Shows what a development instance would have sent, to whoever sits at its machine.",
        |state, call| Box::pin(dev_mail::list(state, call)),
    ),
    shown(
        "/dev/mail/{message}",
        "Shows one message that a development instance would have sent.",
        |state, call| Box::pin(dev_mail::show(state, call)),
    ),
];

/// A link of a message works once, and without one nothing is written.
const LINKED: RouteRateLimits =
    RouteRateLimits::Unlimited("whoever holds an unused link that we sent, once for each");

/// A row for something that is read in a browser, while an instance is there to try things on.
pub(super) const fn shown(path: &'static str, description: &'static str, handler: HandlerFn) -> RouteEntry {
    RouteEntry {
        verb: RouteMethod::Get,
        path,
        listener: RouteListener::Public,
        served: RouteAvailability::InDevelopment,
        caller: CallerKind::Anyone,
        takes: RequestBodyKind::Nothing,
        refuses: ErrorFormat::Problem,
        origins: CorsPolicy::Own,
        weight: RouteWeight::Full,
        rate_limits: RouteRateLimits::ReadOnly,
        description,
        operation: None,
        answers: RouteHandler::Works(handler),
    }
}
