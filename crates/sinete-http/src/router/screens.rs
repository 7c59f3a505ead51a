//! The rows of the hosted screens. They are there while the screens are switched on, and only then.

use super::account::SESSIONS_ENDED;
use super::flows::{SAID_IN_BROWSER, STARTED};
use crate::route::{
    HandlerFn, RateLimitKind, RequestBodyKind, RouteAvailability, RouteEntry, RouteMethod, RouteRateLimits,
    RouteWeight,
};
use crate::screens::branding::{COLOURS_PATH, LOGO_PATH, STYLE_PATH};
use crate::screens::{self, entrance, my_account, organization_looks, walk};
use sinete_screens::assets::{SCRIPT, SEAL, STYLE};

pub(super) const ROUTES: &[RouteEntry] = &[
    shown("/", "Shows what this service is and where to go.", |state, call| {
        Box::pin(screens::landing(state, call))
    }),
    starts("/sign-in", "Signs people in, and leads them through whatever that takes.", |state, call| {
        Box::pin(entrance::sign_in(state, call))
    }),
    sent("/sign-in", "Takes what people say while they sign in.", |state, call| {
        Box::pin(walk::post(state, call))
    }),
    starts("/sign-up", "Makes an account.", |state, call| Box::pin(entrance::sign_up(state, call))),
    sent("/sign-up", "Takes what a new account will be.", |state, call| Box::pin(walk::post(state, call))),
    starts("/accept-invitation", "Accepts an invitation, or makes the first operator.", |state, call| {
        Box::pin(entrance::accept_invitation(state, call))
    }),
    sent("/accept-invitation", "Takes what whoever was invited says.", |state, call| {
        Box::pin(walk::post(state, call))
    }),
    shown("/verify-email", "Confirms an address.", |state, call| {
        Box::pin(entrance::verify_email(state, call))
    }),
    sent("/verify-email", "Takes the code that was sent to an address.", |state, call| {
        Box::pin(walk::post(state, call))
    }),
    starts("/reset-password", "Sets a password without the old one.", |state, call| {
        Box::pin(entrance::reset_password(state, call))
    }),
    sent("/reset-password", "Takes the address, the code and the new password.", |state, call| {
        Box::pin(walk::post(state, call))
    }),
    shown(
        "/link",
        "Asks whether to go on with the link of a message. Opening it does nothing.",
        |state, call| Box::pin(walk::link::show(state, call)),
    ),
    RouteEntry {
        rate_limits: STARTED,
        ..sent("/link", "Follows the link of a message.", |state, call| {
            Box::pin(walk::link::follow(state, call))
        })
    },
    shown("/consent", "Shows what an application asks for.", |state, call| {
        Box::pin(entrance::consent(state, call))
    }),
    sent("/consent", "Takes the answer to what an application asks for.", |state, call| {
        Box::pin(walk::post(state, call))
    }),
    starts(
        "/device",
        "Takes the code that a device shows, and shows what the device asks for.",
        |state, call| Box::pin(entrance::device(state, call)),
    ),
    sent("/device", "Takes the code of a device, and the answer to what it asks for.", |state, call| {
        Box::pin(walk::post(state, call))
    }),
    starts("/approve", "Shows what an application asks somebody to approve.", |state, call| {
        Box::pin(entrance::approve(state, call))
    }),
    sent("/approve", "Takes the answer to what an application asks somebody to approve.", |state, call| {
        Box::pin(walk::post(state, call))
    }),
    shown("/set-up", "Sets up something to sign in with.", |state, call| {
        Box::pin(entrance::set_up(state, call))
    }),
    sent("/set-up", "Takes what was set up to sign in with.", |state, call| {
        Box::pin(walk::post(state, call))
    }),
    shown("/my-account", "Shows people their own account.", |state, call| {
        Box::pin(my_account::get(state, call))
    }),
    RouteEntry {
        rate_limits: ON_OWN_PAGE,
        ..sent("/my-account", "Changes people's own account.", |state, call| {
            Box::pin(my_account::post(state, call))
        })
    },
    shown("/signed-out", "Says that somebody is signed out.", |state, call| {
        Box::pin(screens::signed_out(state, call))
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
    RouteEntry {
        weight: RouteWeight::Full,
        ..file(organization_looks::LOGO_PATH, "Shows the mark of an organization.", |state, call| {
            Box::pin(organization_looks::logo(state, call))
        })
    },
    RouteEntry {
        weight: RouteWeight::Full,
        ..file(
            organization_looks::COLOURS_PATH,
            "Gives the screens the colours of an organization.",
            |state, call| Box::pin(organization_looks::colours(state, call)),
        )
    },
    shown(
        "/undo-email",
        "Asks whether to bring an old address back. Opening it does nothing.",
        |state, call| Box::pin(screens::undo_email(state, call)),
    ),
    shown(
        "/not-me",
        "Asks whether it was somebody else who signed in. Opening it does nothing.",
        |state, call| Box::pin(screens::not_me(state, call)),
    ),
];

/// A row for something people look at.
const fn shown(path: &'static str, description: &'static str, handler: HandlerFn) -> RouteEntry {
    RouteEntry {
        served: RouteAvailability::WithScreens,
        ..super::messages::shown(path, description, handler)
    }
}

/// A row for a page that starts a flow.
const fn starts(path: &'static str, description: &'static str, handler: HandlerFn) -> RouteEntry {
    RouteEntry { rate_limits: STARTED, ..shown(path, description, handler) }
}

/// A row for a form that a page of a flow sends.
const fn sent(path: &'static str, description: &'static str, handler: HandlerFn) -> RouteEntry {
    RouteEntry {
        verb: RouteMethod::Post,
        takes: RequestBodyKind::Form,
        rate_limits: SAID_IN_BROWSER,
        ..shown(path, description, handler)
    }
}

/// What people change on their own page, and the proofs and flows that it takes.
const ON_OWN_PAGE: RouteRateLimits = RouteRateLimits::Limited {
    by: &[RateLimitKind::WritesByAccount, RateLimitKind::FlowsByAccount, RateLimitKind::MessagesByAddress],
    log_rows: SESSIONS_ENDED + 2,
};

/// A row for a file that a page refers to.
const fn file(path: &'static str, description: &'static str, handler: HandlerFn) -> RouteEntry {
    RouteEntry { weight: RouteWeight::Light, ..shown(path, description, handler) }
}
