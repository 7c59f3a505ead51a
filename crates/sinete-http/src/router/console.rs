//! The rows of the console. They are there while it and the screens are switched on, and only then.

use crate::route::{
    CallerKind, HandlerFn, RateLimitKind, RequestBodyKind, RouteAvailability, RouteEntry, RouteHandler,
    RouteMethod, RouteRateLimits,
};
use crate::screens::{self, console};
use sinete_screens::assets::CONSOLE_STYLE;

pub(super) const ROUTES: &[RouteEntry] = &[
    shown("/console", "Shows the organizations in which a person has something to manage.", |state, call| {
        Box::pin(console::choose(state, call))
    }),
    work("/console/{organization}", "Shows what an organization is."),
    sent("/console/{organization}", "Begins a stronger proof, where the organization asks for one."),
    work("/console/{organization}/members", "Shows the members of an organization."),
    work("/console/{organization}/members/{member}", "Shows one member."),
    sent("/console/{organization}/members/{member}", "Changes what a member carries, and whether it counts."),
    work("/console/{organization}/invitations", "Shows the invitations into an organization."),
    sent("/console/{organization}/invitations", "Sends or withdraws an invitation."),
    work("/console/{organization}/roles", "Shows the roles of an organization."),
    sent("/console/{organization}/roles", "Makes a role."),
    work("/console/{organization}/roles/{role}", "Shows what a role confers."),
    sent("/console/{organization}/roles/{role}", "Changes what a role confers, or deletes it."),
    work("/console/{organization}/applications", "Shows the applications of an organization."),
    sent("/console/{organization}/applications", "Registers an application, and shows its secret once."),
    work("/console/{organization}/applications/{application}", "Shows one application."),
    sent(
        "/console/{organization}/applications/{application}",
        "Changes an application, gives it a secret that is shown once, or switches it off.",
    ),
    work("/console/{organization}/keys", "Shows the API keys of an organization."),
    sent("/console/{organization}/keys", "Makes a key and shows it once, or revokes one."),
    work(
        "/console/{organization}/domains",
        "Shows the domains of an organization, with the records that prove them.",
    ),
    sent("/console/{organization}/domains", "Claims, checks or releases a domain."),
    work("/console/{organization}/connections", "Shows the providers that an organization is connected to."),
    sent("/console/{organization}/connections", "Connects an organization to a provider."),
    work(
        "/console/{organization}/connections/{connection}",
        "Shows a connection, with what to register at its provider.",
    ),
    sent(
        "/console/{organization}/connections/{connection}",
        "Changes, tries or deletes a connection, or switches it on or off.",
    ),
    work(
        "/console/{organization}/webhooks",
        "Shows the addresses of an organization that are told of events.",
    ),
    sent("/console/{organization}/webhooks", "Adds such an address, and shows its secret once."),
    work("/console/{organization}/webhooks/{webhook}", "Shows a webhook, and what became of telling it."),
    sent(
        "/console/{organization}/webhooks/{webhook}",
        "Changes, pauses, tries or deletes a webhook, or gives it a secret that is shown once.",
    ),
    work("/console/{organization}/trail", "Shows who did what in an organization."),
    work("/console/{organization}/trail/{event}", "Shows one thing that happened in it."),
    RouteEntry {
        caller: CallerKind::Anyone,
        weight: crate::route::RouteWeight::Light,
        ..shown(CONSOLE_STYLE.path, "Gives the console its look.", |_, call| {
            Box::pin(screens::asset(CONSOLE_STYLE, call))
        })
    },
];

/// A row for a page of the console.
const fn shown(path: &'static str, description: &'static str, handler: HandlerFn) -> RouteEntry {
    RouteEntry {
        served: RouteAvailability::WithConsole,
        caller: CallerKind::Person,
        ..super::messages::shown(path, description, handler)
    }
}

/// A row for a page of one organization.
const fn work(path: &'static str, description: &'static str) -> RouteEntry {
    shown(path, description, |state, call| Box::pin(console::get(state, call)))
}

/// A row for a form of such a page.
const fn sent(path: &'static str, description: &'static str) -> RouteEntry {
    let handler: HandlerFn = |state, call| Box::pin(console::post(state, call));
    RouteEntry {
        verb: RouteMethod::Post,
        takes: RequestBodyKind::Form,
        rate_limits: RouteRateLimits::Limited {
            by: &[
                RateLimitKind::WritesByAccount,
                RateLimitKind::FlowsByAccount,
                RateLimitKind::InvitationsByOrganization,
            ],
            log_rows: 4,
        },
        answers: RouteHandler::Works(handler),
        ..work(path, description)
    }
}
