//! The routes of the account page.

use crate::accounts::account_pages;
use crate::accounts::routes::SESSIONS_PER_ACCOUNT_MAX;
use crate::route_table::page_route;
use crate::state::RouteEntry;
use sinete_server::route::{RateLimitKind, RequestBodyKind, RouteMethod, RouteRateLimits};

pub(crate) const ROUTES: &[RouteEntry] = &[
    page_route("/my-account", "Shows the account page.", |state, request| {
        Box::pin(account_pages::show_my_account(state, request))
    }),
    RouteEntry {
        method: RouteMethod::Post,
        request_body: RequestBodyKind::Form,
        rate_limits: MY_ACCOUNT_FORM_LIMITS,
        ..page_route("/my-account", "Submits a form of the account page.", |state, request| {
            Box::pin(account_pages::submit_form(state, request))
        })
    },
    page_route(
        "/.well-known/change-password",
        "Redirects password managers to the password form (W3C, A Well-Known URL for Changing Passwords).",
        |state, _| Box::pin(account_pages::redirect_to_password_change(state)),
    ),
];

/// Limits of the account page's forms, and of the proofs and flows they need.
const MY_ACCOUNT_FORM_LIMITS: RouteRateLimits = RouteRateLimits::Limited {
    kinds: &[RateLimitKind::WritesByAccount, RateLimitKind::FlowsByAccount, RateLimitKind::MessagesByAddress],
    log_rows: SESSIONS_PER_ACCOUNT_MAX + 2,
};
