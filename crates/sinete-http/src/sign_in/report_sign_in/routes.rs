//! The routes of the link that reports a sign-in.

#[cfg(feature = "screens")]
use crate::route_table::page_route;
use crate::route_table::{EMAIL_LINK_LIMITS, browser_page_route};
use crate::sign_in::report_sign_in::handlers;
#[cfg(feature = "screens")]
use crate::sign_in::report_sign_in::pages;
use crate::state::RouteEntry;
use sinete_server::route::{RequestBodyKind, RouteAvailability, RouteMethod};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        availability: RouteAvailability::Always,
        ..browser_page_route(
            handlers::REPORT_SIGN_IN_PATH,
            "Lists what acts for an account and ends with the link of a message about it, for whoever holds the link.",
            |state, call| Box::pin(handlers::list_access_ended_by_link(state, call)),
        )
    },
    RouteEntry {
        method: RouteMethod::Post,
        availability: RouteAvailability::Always,
        request_body: RequestBodyKind::Form,
        rate_limits: EMAIL_LINK_LIMITS,
        ..browser_page_route(
            handlers::REPORT_SIGN_IN_PATH,
            "Ends every session of an account and everything that acts for it, but for what is kept, and begins to set a new password, for whoever holds the link of a message about it.",
            |state, call| Box::pin(handlers::post_sign_in_report(state, call)),
        )
    },
    #[cfg(feature = "screens")]
    page_route(
        "/not-me",
        "Asks whether it was somebody else who signed in. Opening it does nothing.",
        |state, call| Box::pin(pages::show_report_sign_in_page(state, call)),
    ),
];
