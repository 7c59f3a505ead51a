//! The routes of links in messages, and of the development mailbox.

use crate::accounts::restore_email::handlers as undo_email;
use crate::platform::dev_mailbox::handlers;
use crate::sign_in::report_sign_in::handlers as not_me;
use crate::state::{HandlerFn, RouteEntry};
use sinete_server::application::RouteHandler;
use sinete_server::route::{
    CallerKind, CorsPolicy, ErrorFormat, RequestBodyKind, RouteAvailability, RouteListener, RouteMethod,
    RouteRateLimits, RouteWeight,
};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        availability: RouteAvailability::Always,
        ..browser_page_route(
            not_me::REPORT_SIGN_IN_PATH,
            "Lists what acts for an account and ends with the link of a message about it, for whoever holds the link.",
            |state, call| Box::pin(not_me::list_access_ended_by_link(state, call)),
        )
    },
    RouteEntry {
        method: RouteMethod::Post,
        availability: RouteAvailability::Always,
        request_body: RequestBodyKind::Form,
        rate_limits: EMAIL_LINK_LIMITS,
        ..browser_page_route(
            not_me::REPORT_SIGN_IN_PATH,
            "Ends every session of an account and everything that acts for it, but for what is kept, and begins to set a new password, for whoever holds the link of a message about it.",
            |state, call| Box::pin(not_me::post_sign_in_report(state, call)),
        )
    },
    RouteEntry {
        method: RouteMethod::Post,
        availability: RouteAvailability::Always,
        request_body: RequestBodyKind::Form,
        rate_limits: EMAIL_LINK_LIMITS,
        ..browser_page_route(
            undo_email::UNDO_EMAIL_PATH,
            "Brings an old address back, for whoever holds the link of the message to it.",
            |state, call| Box::pin(undo_email::undo_email_change(state, call)),
        )
    },
    browser_page_route(
        "/dev/mail",
        "Shows what a development instance would have sent, to whoever sits at its machine.",
        |state, call| Box::pin(handlers::list_messages(state, call)),
    ),
    browser_page_route(
        "/dev/mail/{message}",
        "Shows one message that a development instance would have sent.",
        |state, call| Box::pin(handlers::show_message(state, call)),
    ),
];

/// A link can be used once, and without a valid one nothing is written.
const EMAIL_LINK_LIMITS: RouteRateLimits =
    RouteRateLimits::Unlimited("whoever holds an unused link that we sent, once for each");

/// The route of a browser page in development.
pub(crate) const fn browser_page_route(
    path: &'static str,
    description: &'static str,
    handler: HandlerFn,
) -> RouteEntry {
    RouteEntry {
        method: RouteMethod::Get,
        path,
        listener: RouteListener::Public,
        availability: RouteAvailability::InDevelopment,
        caller: CallerKind::Anyone,
        request_body: RequestBodyKind::Nothing,
        error_format: ErrorFormat::Problem,
        cors: CorsPolicy::Own,
        weight: RouteWeight::Full,
        rate_limits: RouteRateLimits::ReadOnly,
        description,
        operation: None,
        handler: RouteHandler::Handler(handler),
    }
}
