//! The routes of the pages of a set-up link.

use crate::console::setup_link_pages;
use crate::route_table::browser_page_route;
use crate::state::RouteEntry;
use sinete_engine::identity_providers::setup_links::SETUP_PATH;
use sinete_server::route::{RateLimitKind, RequestBodyKind, RouteAvailability, RouteMethod, RouteRateLimits};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        availability: RouteAvailability::WithConsole,
        ..browser_page_route(
            SETUP_PATH,
            "Shows what the holder of a set-up link can prepare. Opening it changes nothing.",
            |state, request| Box::pin(setup_link_pages::show_setup_page(state, request)),
        )
    },
    RouteEntry {
        method: RouteMethod::Post,
        availability: RouteAvailability::WithConsole,
        request_body: RequestBodyKind::Form,
        rate_limits: RouteRateLimits::Limited { kinds: &[RateLimitKind::FlowsByAddress], log_rows: 2 },
        ..browser_page_route(
            SETUP_PATH,
            "Opens a set-up link in one browser, or prepares something with it.",
            |state, request| Box::pin(setup_link_pages::submit_setup_form(state, request)),
        )
    },
];
