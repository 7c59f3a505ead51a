//! The rows of the hosted screens. They are there while the screens are switched on, and only then; the mailbox of a
//! development instance is there with it.

use crate::route::{Caller, Handler, Listener, Origins, RefusalShape, Route, Served, Takes, Verb, Weight};
use crate::screens::branding::{COLOURS_PATH, LOGO_PATH, STYLE_PATH};
use crate::{dev_mail, not_me, screens};
use sinete_screens::assets::{SCRIPT, SEAL, STYLE};

pub(super) const ROUTES: &[Route] = &[
    shown("/", "Shows what this service is and where to go.", |state, call| {
        Box::pin(screens::landing(state, call))
    }),
    file(STYLE.path, "Gives the screens their look.", |_, call| Box::pin(screens::asset(STYLE, call))),
    file(SEAL.path, "Shows the mark of the house.", |_, call| Box::pin(screens::asset(SEAL, call))),
    file(SCRIPT.path, "Makes passkeys work on the screens.", |_, call| {
        Box::pin(screens::asset(SCRIPT, call))
    }),
    file(LOGO_PATH, "Shows the mark of this instance.", |state, call| Box::pin(screens::logo(state, call))),
    file(COLOURS_PATH, "Gives the screens the colours of this instance.", |state, call| {
        Box::pin(screens::colours(state, call))
    }),
    file(STYLE_PATH, "Changes the look of the screens as this instance likes.", |state, call| {
        Box::pin(screens::style(state, call))
    }),
    shown(
        "/not-me",
        "Asks whether it was somebody else who signed in. Opening it does nothing.",
        |state, call| Box::pin(not_me::show(state, call)),
    ),
    Route {
        verb: Verb::Post,
        served: Served::Always,
        takes: Takes::Form,
        ..shown(
            "/links/not-me",
            "Ends every session of an account, for whoever holds the link of a message about it.",
            |state, call| Box::pin(not_me::spend(state, call)),
        )
    },
    Route {
        served: Served::InDevelopment,
        ..shown(
            "/dev/mail",
            "Shows what a development instance would have sent, to whoever sits at its machine.",
            |state, call| Box::pin(dev_mail::list(state, call)),
        )
    },
    Route {
        served: Served::InDevelopment,
        ..shown(
            "/dev/mail/{message}",
            "Shows one message that a development instance would have sent.",
            |state, call| Box::pin(dev_mail::show(state, call)),
        )
    },
];

/// A row for something people look at.
const fn shown(path: &'static str, description: &'static str, handler: Handler) -> Route {
    Route {
        verb: Verb::Get,
        path,
        listener: Listener::Public,
        served: Served::WithScreens,
        caller: Caller::Anyone,
        takes: Takes::Nothing,
        refuses: RefusalShape::Problem,
        origins: Origins::Own,
        weight: Weight::Full,
        description,
        operation: None,
        handler,
    }
}

/// A row for a file that a page refers to.
const fn file(path: &'static str, description: &'static str, handler: Handler) -> Route {
    Route { weight: Weight::Light, ..shown(path, description, handler) }
}
