//! The routes of the development mailbox.

use crate::platform::dev_mailbox::handlers;
use crate::route_table::browser_page_route;
use crate::state::RouteEntry;

pub(crate) const ROUTES: &[RouteEntry] = &[
    browser_page_route(
        "/dev/mail",
        "Lists the messages that a development instance would have sent, for requests from its own machine.",
        |state, request| Box::pin(handlers::list_messages(state, request)),
    ),
    browser_page_route(
        "/dev/mail/{message}",
        "Shows a message that a development instance would have sent.",
        |state, request| Box::pin(handlers::show_message(state, request)),
    ),
];
