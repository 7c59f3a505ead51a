//! The routes of the hosted screens, available only while they are enabled.

use crate::route_table::page_route;
use crate::screens::branding::{COLOURS_PATH, LOGO_PATH, STYLE_PATH};
use crate::screens::{self, organization_branding};
use crate::sign_in::flow_pages::{self, start};
use crate::sign_in::flows::routes::{BROWSER_FLOW_ACTION_LIMITS, FLOW_START_LIMITS};
use crate::state::{HandlerFn, RouteEntry};
use sinete_screens::assets::{SCRIPT, SEAL, STYLE};
use sinete_server::route::{RequestBodyKind, RouteMethod, RouteWeight};

pub(crate) const ROUTES: &[RouteEntry] = &[
    page_route("/", "Shows what this service is and where to go.", |state, call| {
        Box::pin(screens::show_landing_page(state, call))
    }),
    flow_start_page_route(
        "/sign-in",
        "Signs people in, and leads them through whatever that takes.",
        |state, call| Box::pin(start::start_sign_in(state, call)),
    ),
    form_route("/sign-in", "Takes what people say while they sign in.", |state, call| {
        Box::pin(flow_pages::submit_flow_form(state, call))
    }),
    flow_start_page_route("/sign-up", "Makes an account.", |state, call| {
        Box::pin(start::start_sign_up(state, call))
    }),
    form_route("/sign-up", "Takes what a new account will be.", |state, call| {
        Box::pin(flow_pages::submit_flow_form(state, call))
    }),
    flow_start_page_route(
        "/accept-invitation",
        "Accepts an invitation, or makes the first operator.",
        |state, call| Box::pin(start::start_invitation(state, call)),
    ),
    form_route("/accept-invitation", "Takes what whoever was invited says.", |state, call| {
        Box::pin(flow_pages::submit_flow_form(state, call))
    }),
    page_route("/verify-email", "Confirms an address.", |state, call| {
        Box::pin(start::show_email_verification(state, call))
    }),
    form_route("/verify-email", "Takes the code that was sent to an address.", |state, call| {
        Box::pin(flow_pages::submit_flow_form(state, call))
    }),
    flow_start_page_route("/reset-password", "Sets a password without the old one.", |state, call| {
        Box::pin(start::start_password_reset(state, call))
    }),
    form_route("/reset-password", "Takes the address, the code and the new password.", |state, call| {
        Box::pin(flow_pages::submit_flow_form(state, call))
    }),
    page_route(
        "/link",
        "Asks whether to go on with the link of a message. Opening it does nothing.",
        |state, call| Box::pin(crate::sign_in::flow_pages::magic_link::show_link_page(state, call)),
    ),
    RouteEntry {
        rate_limits: FLOW_START_LIMITS,
        ..form_route("/link", "Follows the link of a message.", |state, call| {
            Box::pin(crate::sign_in::flow_pages::magic_link::follow_link(state, call))
        })
    },
    page_route("/consent", "Shows what an application asks for.", |state, call| {
        Box::pin(start::show_consent(state, call))
    }),
    form_route("/consent", "Takes the answer to what an application asks for.", |state, call| {
        Box::pin(flow_pages::submit_flow_form(state, call))
    }),
    flow_start_page_route(
        "/device",
        "Takes the code that a device shows, and shows what the device asks for.",
        |state, call| Box::pin(start::start_device_confirmation(state, call)),
    ),
    form_route(
        "/device",
        "Takes the code of a device, and the answer to what it asks for.",
        |state, call| Box::pin(flow_pages::submit_flow_form(state, call)),
    ),
    flow_start_page_route(
        "/approve",
        "Shows what an application asks somebody to approve.",
        |state, call| Box::pin(start::start_ciba_approval(state, call)),
    ),
    form_route(
        "/approve",
        "Takes the answer to what an application asks somebody to approve.",
        |state, call| Box::pin(flow_pages::submit_flow_form(state, call)),
    ),
    page_route("/set-up", "Sets up something to sign in with.", |state, call| {
        Box::pin(start::show_enrollment(state, call))
    }),
    form_route("/set-up", "Takes what was set up to sign in with.", |state, call| {
        Box::pin(flow_pages::submit_flow_form(state, call))
    }),
    page_route("/signed-out", "Says that somebody is signed out.", |state, call| {
        Box::pin(screens::show_signed_out_page(state, call))
    }),
    asset_route(STYLE.path, "Gives the screens their look.", |_, call| {
        Box::pin(screens::serve_asset(STYLE, call))
    }),
    asset_route(SEAL.path, "Shows the mark of the house.", |_, call| {
        Box::pin(screens::serve_asset(SEAL, call))
    }),
    asset_route(SCRIPT.path, "Makes passkeys work on the screens.", |_, call| {
        Box::pin(screens::serve_asset(SCRIPT, call))
    }),
    asset_route(LOGO_PATH, "Shows the mark of this instance.", |state, call| {
        Box::pin(screens::serve_logo(state, call))
    }),
    asset_route(COLOURS_PATH, "Gives the screens the colours of this instance.", |state, call| {
        Box::pin(screens::serve_colours(state, call))
    }),
    asset_route(STYLE_PATH, "Changes the look of the screens as this instance likes.", |state, call| {
        Box::pin(screens::serve_stylesheet(state, call))
    }),
    asset_route(
        organization_branding::PREVIEW_COLOURS_PATH,
        "Gives samples of pages on the console colours that are not saved.",
        |state, call| Box::pin(organization_branding::serve_preview_colours(state, call)),
    ),
    RouteEntry {
        weight: RouteWeight::Full,
        ..asset_route(
            organization_branding::LOGO_PATH,
            "Shows the mark of an organization.",
            |state, call| Box::pin(organization_branding::serve_organization_logo(state, call)),
        )
    },
    RouteEntry {
        weight: RouteWeight::Full,
        ..asset_route(
            organization_branding::COLOURS_PATH,
            "Gives the screens the colours of an organization.",
            |state, call| Box::pin(organization_branding::serve_organization_colours(state, call)),
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
