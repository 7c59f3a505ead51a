//! The routes of the console, available only while it and the screens are enabled.

use crate::state::{HandlerFn, RouteEntry};
use crate::{console, screens};
use sinete_screens::assets::CONSOLE_STYLE;
use sinete_server::application::RouteHandler;
use sinete_server::route::{
    CallerKind, RateLimitKind, RequestBodyKind, RouteAvailability, RouteMethod, RouteRateLimits,
};

pub(crate) const ROUTES: &[RouteEntry] = &[
    page_route(
        "/console",
        "Shows the organizations in which a person has something to manage.",
        |state, call| Box::pin(console::show_organization_choice(state, call)),
    ),
    organization_page_route("/console/{organization}", "Shows what an organization is."),
    form_route("/console/{organization}", "Begins a stronger proof, where the organization asks for one."),
    organization_page_route("/console/{organization}/members", "Shows the members of an organization."),
    organization_page_route("/console/{organization}/members/{member}", "Shows one member."),
    form_route(
        "/console/{organization}/members/{member}",
        "Changes what a member carries, and whether it counts.",
    ),
    organization_page_route(
        "/console/{organization}/invitations",
        "Shows the invitations into an organization.",
    ),
    form_route("/console/{organization}/invitations", "Sends or withdraws an invitation."),
    organization_page_route("/console/{organization}/roles", "Shows the roles of an organization."),
    form_route("/console/{organization}/roles", "Makes a role."),
    organization_page_route("/console/{organization}/roles/{role}", "Shows what a role confers."),
    form_route("/console/{organization}/roles/{role}", "Changes what a role confers, or deletes it."),
    organization_page_route(
        "/console/{organization}/applications",
        "Shows the applications of an organization.",
    ),
    form_route(
        "/console/{organization}/applications",
        "Registers an application, and shows its secret once.",
    ),
    organization_page_route("/console/{organization}/applications/{application}", "Shows one application."),
    form_route(
        "/console/{organization}/applications/{application}",
        "Changes an application, gives it a secret that is shown once, or switches it off.",
    ),
    organization_page_route("/console/{organization}/keys", "Shows the API keys of an organization."),
    form_route("/console/{organization}/keys", "Makes a key and shows it once, or revokes one."),
    organization_page_route(
        "/console/{organization}/domains",
        "Shows the domains of an organization, with the records that prove them.",
    ),
    form_route("/console/{organization}/domains", "Claims, checks or releases a domain."),
    organization_page_route(
        "/console/{organization}/connections",
        "Shows the providers that an organization is connected to.",
    ),
    form_route("/console/{organization}/connections", "Connects an organization to a provider."),
    organization_page_route(
        "/console/{organization}/connections/{connection}",
        "Shows a connection, with what to register at its provider.",
    ),
    form_route(
        "/console/{organization}/connections/{connection}",
        "Changes, tries or deletes a connection, or switches it on or off.",
    ),
    organization_page_route(
        "/console/{organization}/webhooks",
        "Shows the addresses of an organization that are told of events.",
    ),
    form_route("/console/{organization}/webhooks", "Adds such an address, and shows its secret once."),
    organization_page_route(
        "/console/{organization}/webhooks/{webhook}",
        "Shows a webhook, and what became of telling it.",
    ),
    form_route(
        "/console/{organization}/webhooks/{webhook}",
        "Changes, pauses, tries or deletes a webhook, or gives it a secret that is shown once.",
    ),
    organization_page_route("/console/{organization}/trail", "Shows who did what in an organization."),
    organization_page_route("/console/{organization}/trail/{event}", "Shows one thing that happened in it."),
    RouteEntry {
        caller: CallerKind::Anyone,
        weight: sinete_server::route::RouteWeight::Light,
        ..page_route(CONSOLE_STYLE.path, "Gives the console its look.", |_, call| {
            Box::pin(screens::serve_asset(CONSOLE_STYLE, call))
        })
    },
];

/// The route of a page.
const fn page_route(path: &'static str, description: &'static str, handler: HandlerFn) -> RouteEntry {
    RouteEntry {
        availability: RouteAvailability::WithConsole,
        caller: CallerKind::Person,
        ..crate::route_table::browser_page_route(path, description, handler)
    }
}

/// The route of a page of one organization.
const fn organization_page_route(path: &'static str, description: &'static str) -> RouteEntry {
    page_route(path, description, |state, call| Box::pin(console::show_page(state, call)))
}

/// The route of such a page's form.
const fn form_route(path: &'static str, description: &'static str) -> RouteEntry {
    let handler: HandlerFn = |state, call| Box::pin(console::submit_form(state, call));
    RouteEntry {
        method: RouteMethod::Post,
        request_body: RequestBodyKind::Form,
        rate_limits: RouteRateLimits::Limited {
            by: &[
                RateLimitKind::WritesByAccount,
                RateLimitKind::FlowsByAccount,
                RateLimitKind::InvitationsByOrganization,
            ],
            log_rows: 4,
        },
        handler: RouteHandler::Handler(handler),
        ..organization_page_route(path, description)
    }
}
