//! The rows for whoever got a message from us: what a link in it does, and the mailbox of a development instance.

use crate::route::{
    Answers, Caller, Handler, Listener, Origins, RateLimits, RefusalShape, Route, Served, Takes, Verb, Weight,
};
use crate::{dev_mail, not_me, undo_email};

pub(super) const ROUTES: &[Route] = &[
    Route {
        served: Served::Always,
        ..shown(
            not_me::SPEND_PATH,
            "Lists what acts for an account and ends with the link of a message about it, for whoever holds the link.",
            |state, call| Box::pin(not_me::access(state, call)),
        )
    },
    Route {
        verb: Verb::Post,
        served: Served::Always,
        takes: Takes::Form,
        rate_limits: LINKED,
        ..shown(
            not_me::SPEND_PATH,
            "Ends every session of an account and everything that acts for it, but for what is kept, and begins to set a new password, for whoever holds the link of a message about it.",
            |state, call| Box::pin(not_me::spend(state, call)),
        )
    },
    Route {
        verb: Verb::Post,
        served: Served::Always,
        takes: Takes::Form,
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
const LINKED: RateLimits = RateLimits::Unlimited("whoever holds an unused link that we sent, once for each");

/// A row for something that is read in a browser, while an instance is there to try things on.
pub(super) const fn shown(path: &'static str, description: &'static str, handler: Handler) -> Route {
    Route {
        verb: Verb::Get,
        path,
        listener: Listener::Public,
        served: Served::InDevelopment,
        caller: Caller::Anyone,
        takes: Takes::Nothing,
        refuses: RefusalShape::Problem,
        origins: Origins::Own,
        weight: Weight::Full,
        rate_limits: RateLimits::ReadOnly,
        description,
        operation: None,
        answers: Answers::Works(handler),
    }
}
