//! The routes of the hosted screens, available only while they are enabled.

use crate::route_table::page_route;
use crate::screens::branding::{COLORS_PATH, LOGO_PATH, STYLE_PATH};
use crate::screens::{self, organization_branding};
use crate::sign_in::flow_pages::{self, start};
use crate::sign_in::flows::routes::{BROWSER_FLOW_ACTION_LIMITS, FLOW_START_LIMITS};
use crate::state::{HandlerFn, RouteEntry};
use sinete_screens::assets::{SCRIPT, SEAL, STYLE};
use sinete_server::route::{RequestBodyKind, RouteMethod, RouteWeight};

pub(crate) const ROUTES: &[RouteEntry] = &[
    page_route("/", "Shows the landing page.", |state, request| {
        Box::pin(screens::show_landing_page(state, request))
    }),
    flow_start_page_route(
        "/sign-in",
        "Shows the sign-in page, or the current stage of a sign-in.",
        |state, request| Box::pin(start::start_sign_in(state, request)),
    ),
    form_route("/sign-in", "Submits an input of a sign-in.", |state, request| {
        Box::pin(flow_pages::submit_flow_form(state, request))
    }),
    flow_start_page_route("/sign-up", "Shows the sign-up page.", |state, request| {
        Box::pin(start::start_sign_up(state, request))
    }),
    form_route("/sign-up", "Submits an input of a sign-up.", |state, request| {
        Box::pin(flow_pages::submit_flow_form(state, request))
    }),
    flow_start_page_route(
        "/accept-invitation",
        "Shows the page to accept an invitation, or to create the first operator.",
        |state, request| Box::pin(start::start_invitation(state, request)),
    ),
    form_route("/accept-invitation", "Submits an input of an invited user.", |state, request| {
        Box::pin(flow_pages::submit_flow_form(state, request))
    }),
    page_route("/verify-email", "Shows the page to verify an e-mail address.", |state, request| {
        Box::pin(start::show_email_verification(state, request))
    }),
    form_route("/verify-email", "Submits the code that was sent to an e-mail address.", |state, request| {
        Box::pin(flow_pages::submit_flow_form(state, request))
    }),
    flow_start_page_route("/reset-password", "Shows the password reset page.", |state, request| {
        Box::pin(start::start_password_reset(state, request))
    }),
    form_route("/reset-password", "Submits an input of a password reset.", |state, request| {
        Box::pin(flow_pages::submit_flow_form(state, request))
    }),
    page_route(
        "/link",
        "Shows the confirmation page of a link from a message. Opening it changes nothing.",
        |state, request| Box::pin(crate::sign_in::flow_pages::magic_link::show_link_page(state, request)),
    ),
    RouteEntry {
        rate_limits: FLOW_START_LIMITS,
        ..form_route("/link", "Uses a link from a message.", |state, request| {
            Box::pin(crate::sign_in::flow_pages::magic_link::follow_link(state, request))
        })
    },
    page_route("/consent", "Shows the consent page.", |state, request| {
        Box::pin(start::show_consent(state, request))
    }),
    form_route("/consent", "Submits the consent decision.", |state, request| {
        Box::pin(flow_pages::submit_flow_form(state, request))
    }),
    flow_start_page_route("/device", "Shows the pages of a device authorization.", |state, request| {
        Box::pin(start::start_device_confirmation(state, request))
    }),
    form_route(
        "/device",
        "Submits a user code, or the decision about a device authorization.",
        |state, request| Box::pin(flow_pages::submit_flow_form(state, request)),
    ),
    flow_start_page_route("/approve", "Shows a CIBA request.", |state, request| {
        Box::pin(start::start_ciba_approval(state, request))
    }),
    form_route("/approve", "Submits the decision about a CIBA request.", |state, request| {
        Box::pin(flow_pages::submit_flow_form(state, request))
    }),
    page_route("/set-up", "Shows the page to enroll a credential.", |state, request| {
        Box::pin(start::show_enrollment(state, request))
    }),
    form_route("/set-up", "Submits the enrollment of a credential.", |state, request| {
        Box::pin(flow_pages::submit_flow_form(state, request))
    }),
    page_route("/signed-out", "Shows that the user is signed out.", |state, request| {
        Box::pin(screens::show_signed_out_page(state, request))
    }),
    asset_route(STYLE.path, "Returns the style sheet of the hosted screens.", |_, request| {
        Box::pin(screens::serve_asset(STYLE, request))
    }),
    asset_route(SEAL.path, "Returns the Sinete seal.", |_, request| {
        Box::pin(screens::serve_asset(SEAL, request))
    }),
    asset_route(SCRIPT.path, "Returns the script of the hosted screens.", |_, request| {
        Box::pin(screens::serve_asset(SCRIPT, request))
    }),
    asset_route(LOGO_PATH, "Returns the logo of the instance.", |state, request| {
        Box::pin(screens::serve_logo(state, request))
    }),
    asset_route(COLORS_PATH, "Returns the colors of the instance.", |state, request| {
        Box::pin(screens::serve_colors(state, request))
    }),
    asset_route(STYLE_PATH, "Returns the additional style sheet of the instance.", |state, request| {
        Box::pin(screens::serve_stylesheet(state, request))
    }),
    asset_route(
        organization_branding::PREVIEW_COLORS_PATH,
        "Returns unsaved colors for samples of pages on the console.",
        |state, request| Box::pin(organization_branding::serve_preview_colors(state, request)),
    ),
    RouteEntry {
        weight: RouteWeight::Full,
        ..asset_route(
            organization_branding::LOGO_PATH,
            "Returns the logo of an organization.",
            |state, request| Box::pin(organization_branding::serve_organization_logo(state, request)),
        )
    },
    RouteEntry {
        weight: RouteWeight::Full,
        ..asset_route(
            organization_branding::COLORS_PATH,
            "Returns the colors of an organization.",
            |state, request| Box::pin(organization_branding::serve_organization_colors(state, request)),
        )
    },
];

/// The route of a page that starts a flow.
const fn flow_start_page_route(
    path: &'static str,
    description: &'static str,
    handler: HandlerFn,
) -> RouteEntry {
    RouteEntry { rate_limits: FLOW_START_LIMITS, ..page_route(path, description, handler) }
}

/// The route of a flow form.
const fn form_route(path: &'static str, description: &'static str, handler: HandlerFn) -> RouteEntry {
    RouteEntry {
        method: RouteMethod::Post,
        request_body: RequestBodyKind::Form,
        rate_limits: BROWSER_FLOW_ACTION_LIMITS,
        ..page_route(path, description, handler)
    }
}

/// The route of an asset.
const fn asset_route(path: &'static str, description: &'static str, handler: HandlerFn) -> RouteEntry {
    RouteEntry { weight: RouteWeight::Light, ..page_route(path, description, handler) }
}
