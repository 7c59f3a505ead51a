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
            "Lists the access that the link of a message about a sign-in revokes, with the token of the link.",
            |state, request| Box::pin(handlers::list_access_ended_by_link(state, request)),
        )
    },
    RouteEntry {
        method: RouteMethod::Post,
        availability: RouteAvailability::Always,
        request_body: RequestBodyKind::Form,
        rate_limits: EMAIL_LINK_LIMITS,
        ..browser_page_route(
            handlers::REPORT_SIGN_IN_PATH,
            "Ends every session of an account, revokes all lasting access except what is kept, and starts a password reset, with the token of the link in a message.",
            |state, request| Box::pin(handlers::post_sign_in_report(state, request)),
        )
    },
    #[cfg(feature = "screens")]
    page_route(
        "/not-me",
        "Shows the page to report a sign-in. Opening it changes nothing.",
        |state, request| Box::pin(pages::show_report_sign_in_page(state, request)),
    ),
];
