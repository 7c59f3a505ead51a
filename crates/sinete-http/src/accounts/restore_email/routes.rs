//! The route of the link that restores an earlier e-mail address.

use crate::accounts::restore_email::handlers;
#[cfg(feature = "screens")]
use crate::accounts::restore_email::pages;
#[cfg(feature = "screens")]
use crate::route_table::page_route;
use crate::route_table::{EMAIL_LINK_LIMITS, browser_page_route};
use crate::state::RouteEntry;
use sinete_server::route::{RequestBodyKind, RouteAvailability, RouteMethod};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        method: RouteMethod::Post,
        availability: RouteAvailability::Always,
        request_body: RequestBodyKind::Form,
        rate_limits: EMAIL_LINK_LIMITS,
        ..browser_page_route(
            handlers::UNDO_EMAIL_PATH,
            "Restores a replaced e-mail address, with the token of the link in the message to it.",
            |state, request| Box::pin(handlers::undo_email_change(state, request)),
        )
    },
    #[cfg(feature = "screens")]
    page_route(
        "/undo-email",
        "Shows the page that restores a replaced e-mail address. Opening it changes nothing.",
        |state, request| Box::pin(pages::show_email_undo_page(state, request)),
    ),
];
