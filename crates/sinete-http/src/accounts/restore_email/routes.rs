//! The route of the link that restores an earlier e-mail address.

use crate::accounts::restore_email::handlers;
use crate::route_table::{EMAIL_LINK_LIMITS, browser_page_route};
use crate::state::RouteEntry;
use sinete_server::route::{RequestBodyKind, RouteAvailability, RouteMethod};

pub(crate) const ROUTES: &[RouteEntry] = &[RouteEntry {
    method: RouteMethod::Post,
    availability: RouteAvailability::Always,
    request_body: RequestBodyKind::Form,
    rate_limits: EMAIL_LINK_LIMITS,
    ..browser_page_route(
        handlers::UNDO_EMAIL_PATH,
        "Brings an old address back, for whoever holds the link of the message to it.",
        |state, call| Box::pin(handlers::undo_email_change(state, call)),
    )
}];
