//! The routes of the console, available only while it and the screens are enabled.

use crate::state::{HandlerFn, RouteEntry};
use crate::{console, screens};
use sinete_screens::assets::CONSOLE_STYLE;
use sinete_server::application::RouteHandler;
use sinete_server::route::{
    CallerKind, RateLimitKind, RequestBodyKind, RouteAvailability, RouteMethod, RouteRateLimits,
};

pub(crate) const ROUTES: &[RouteEntry] = &[
    page_route("/console", "Shows the organizations that the user can manage.", |state, request| {
        Box::pin(console::show_organization_choice(state, request))
    }),
    organization_page_route("/console/{organization}", "Shows the overview of an organization."),
    form_route("/console/{organization}", "Begins a step-up, if the organization requires one."),
    organization_page_route("/console/{organization}/members", "Shows the members of an organization."),
    organization_page_route("/console/{organization}/members/{member}", "Shows a member."),
    form_route(
        "/console/{organization}/members/{member}",
        "Changes the roles of a member, or disables, enables or removes it.",
    ),
    organization_page_route(
        "/console/{organization}/invitations",
        "Shows the invitations of an organization.",
    ),
    form_route("/console/{organization}/invitations", "Sends or revokes an invitation."),
    organization_page_route("/console/{organization}/roles", "Shows the roles of an organization."),
    form_route("/console/{organization}/roles", "Creates a role."),
    organization_page_route("/console/{organization}/roles/{role}", "Shows a role."),
    form_route("/console/{organization}/roles/{role}", "Changes or deletes a role."),
    organization_page_route(
        "/console/{organization}/applications",
        "Shows the applications of an organization.",
    ),
    form_route(
        "/console/{organization}/applications",
        "Registers an application, and shows its secret once.",
    ),
    organization_page_route("/console/{organization}/applications/{client}", "Shows an application."),
    form_route(
        "/console/{organization}/applications/{client}",
        "Changes, disables, enables or deletes an application, or creates a secret that is shown once.",
    ),
    RouteEntry {
        rate_limits: RouteRateLimits::Limited { kinds: &[RateLimitKind::WritesByAccount], log_rows: 4 },
        ..organization_page_route(
            "/console/{organization}/applications/{client}/test",
            "Redeems the code of a test sign-in, shows its tokens decoded and removes the test client.",
        )
    },
    organization_page_route(
        "/console/{organization}/applications/{client}/settings",
        "Shows all settings of an application.",
    ),
    form_route(
        "/console/{organization}/applications/{client}/settings",
        "Changes settings of an application, and shows a new secret once.",
    ),
    organization_page_route("/console/{organization}/keys", "Shows the API keys of an organization."),
    form_route("/console/{organization}/keys", "Creates an API key, which is shown once, or revokes one."),
    organization_page_route(
        "/console/{organization}/domains",
        "Shows the domains of an organization, with the TXT records that verify them.",
    ),
    form_route("/console/{organization}/domains", "Adds, verifies or removes a domain."),
    organization_page_route(
        "/console/{organization}/connections",
        "Shows the identity provider connections of an organization.",
    ),
    form_route("/console/{organization}/connections", "Creates a connection to an identity provider."),
    organization_page_route(
        "/console/{organization}/connections/new/{provider}",
        "Shows how to connect an identity provider, step by step.",
    ),
    form_route(
        "/console/{organization}/connections/new/{provider}",
        "Creates a connection to an identity provider with the values of the guide.",
    ),
    RouteEntry {
        rate_limits: RouteRateLimits::Limited { kinds: &[RateLimitKind::WritesByAccount], log_rows: 4 },
        ..organization_page_route(
            "/console/{organization}/connections/{connection}/test",
            "Redeems the code of a test sign-in at an identity provider, and shows what a sign-in would do.",
        )
    },
    organization_page_route(
        "/console/{organization}/connections/{connection}",
        "Shows a connection, with the values to register at the provider.",
    ),
    form_route(
        "/console/{organization}/connections/{connection}",
        "Changes, tests, enables, disables or deletes a connection.",
    ),
    organization_page_route("/console/{organization}/webhooks", "Shows the webhooks of an organization."),
    form_route("/console/{organization}/webhooks", "Creates a webhook, and shows its secret once."),
    organization_page_route(
        "/console/{organization}/webhooks/{webhook}",
        "Shows a webhook with its deliveries.",
    ),
    form_route(
        "/console/{organization}/webhooks/{webhook}",
        "Changes, tests, pauses, replays or deletes a webhook, or rotates its secret.",
    ),
    organization_page_route("/console/{organization}/audit-log", "Shows the audit log of an organization."),
    organization_page_route("/console/{organization}/audit-log/{event}", "Shows an entry of the audit log."),
    organization_page_route("/console/{organization}/usage", "Shows the usage of an organization."),
    organization_page_route("/instance", "Shows the overview of the instance, for operators."),
    form_route("/instance", "Begins a step-up."),
    organization_page_route("/instance/organizations", "Shows the organizations of the instance."),
    form_route("/instance/organizations", "Creates an organization."),
    organization_page_route("/instance/organizations/{organization}", "Shows an organization to operators."),
    form_route(
        "/instance/organizations/{organization}",
        "Suspends, restores or deletes an organization, by assignment.",
    ),
    organization_page_route("/instance/users", "Shows the users of the instance."),
    form_route("/instance/users", "Ends every session of the instance."),
    organization_page_route("/instance/users/{account}", "Shows a user to operators."),
    form_route(
        "/instance/users/{account}",
        "Disables or enables a user, ends their sessions, or starts a password reset.",
    ),
    organization_page_route("/instance/applications", "Shows the applications of the instance."),
    form_route(
        "/instance/applications",
        "Registers an application of the instance, and shows its secret once.",
    ),
    organization_page_route("/instance/applications/{client}", "Shows an application of the instance."),
    form_route(
        "/instance/applications/{client}",
        "Changes, verifies, disables or deletes an application of the instance, or rotates its secret.",
    ),
    organization_page_route(
        "/instance/applications/{client}/settings",
        "Shows all settings of an application of the instance.",
    ),
    form_route(
        "/instance/applications/{client}/settings",
        "Changes settings of an application of the instance, and shows a new secret once.",
    ),
    organization_page_route("/instance/apis", "Shows the APIs of the instance."),
    form_route("/instance/apis", "Creates an API of the instance."),
    organization_page_route("/instance/apis/{api}", "Shows an API of the instance."),
    form_route("/instance/apis/{api}", "Changes, offers or deletes an API of the instance."),
    organization_page_route(
        "/instance/apis/{api}/relationships",
        "Lists the organizations with relationships at an API of the instance.",
    ),
    form_route("/instance/apis/{api}/relationships", "Begins a step-up."),
    organization_page_route(
        "/instance/apis/{api}/organizations/{organization}/relationships",
        "Shows the relationships of an organization at an API of the instance, and tests access.",
    ),
    form_route(
        "/instance/apis/{api}/organizations/{organization}/relationships",
        "Adds or removes a relationship of an organization at an API of the instance.",
    ),
    organization_page_route("/instance/keys", "Shows the signing keys."),
    form_route("/instance/keys", "Rotates a signing key."),
    organization_page_route("/instance/messages", "Shows the delivery state of messages."),
    form_route("/instance/messages", "Sends a message again."),
    organization_page_route("/instance/webhooks", "Shows the webhooks of the instance."),
    form_route("/instance/webhooks", "Creates a webhook of the instance, and shows its secret once."),
    organization_page_route(
        "/instance/webhooks/{webhook}",
        "Shows a webhook of the instance with its deliveries.",
    ),
    form_route(
        "/instance/webhooks/{webhook}",
        "Changes, tests, pauses, replays or deletes a webhook of the instance, or rotates its secret.",
    ),
    organization_page_route("/instance/usage", "Shows the usage of the instance."),
    organization_page_route("/instance/events", "Shows the security log."),
    form_route("/instance/events", "Begins a step-up."),
    organization_page_route("/instance/events/{event}", "Shows an event of the security log."),
    form_route("/instance/events/{event}", "Begins a step-up."),
    organization_page_route("/instance/assignments", "Shows the assignments of operators."),
    form_route("/instance/assignments", "Creates or ends an assignment."),
    organization_page_route("/instance/settings", "Shows the settings of the instance."),
    form_route("/instance/settings", "Begins a step-up."),
    organization_page_route(
        "/instance/health",
        "Shows the nodes, the database, and the limits that refused requests.",
    ),
    form_route("/instance/health", "Begins a step-up."),
    organization_page_route("/instance/doctor", "Shows the checks of the instance."),
    form_route("/instance/doctor", "Begins a step-up."),
    organization_page_route("/instance/search", "Searches the instance."),
    form_route("/instance/search", "Begins a step-up."),
    organization_page_route("/console/{organization}/search", "Searches an organization."),
    form_route("/console/{organization}/search", "Begins a step-up."),
    organization_page_route("/console/{organization}/apis", "Shows the APIs that an organization may use."),
    form_route("/console/{organization}/apis", "Creates an API of an organization."),
    organization_page_route(
        "/console/{organization}/apis/{api}",
        "Shows an API that an organization may use.",
    ),
    form_route("/console/{organization}/apis/{api}", "Changes or deletes an API of an organization."),
    organization_page_route(
        "/console/{organization}/apis/{api}/relationships",
        "Shows the relationships at an API, and tests access.",
    ),
    form_route(
        "/console/{organization}/apis/{api}/relationships",
        "Adds or removes a relationship at an API of an organization.",
    ),
    organization_page_route("/console/{organization}/grants", "Shows the access that members granted."),
    form_route("/console/{organization}/grants", "Revokes granted access."),
    organization_page_route(
        "/console/{organization}/approvals",
        "Shows the requests for approval to an organization's members.",
    ),
    form_route("/console/{organization}/approvals", "Denies a request for approval."),
    organization_page_route(
        "/console/{organization}/members/{member}/profile",
        "Shows the profile that an organization has of a member.",
    ),
    form_route("/console/{organization}/members/{member}/profile", "Changes the profile of a member."),
    organization_page_route(
        "/console/{organization}/scim",
        "Shows how a directory connects to an organization by SCIM.",
    ),
    form_route(
        "/console/{organization}/scim",
        "Changes the SCIM settings of an organization, or creates a token.",
    ),
    organization_page_route(
        "/console/{organization}/setup-links",
        "Shows the set-up links of an organization, to its owners.",
    ),
    form_route("/console/{organization}/setup-links", "Issues or revokes a set-up link."),
    organization_page_route(
        "/console/{organization}/setup-links/{setup_link}",
        "Shows what was prepared with a set-up link.",
    ),
    form_route(
        "/console/{organization}/setup-links/{setup_link}",
        "Confirms what was prepared with a set-up link.",
    ),
    organization_page_route("/console/{organization}/settings", "Shows the settings of an organization."),
    form_route(
        "/console/{organization}/settings",
        "Changes the settings of an organization, or requests its deletion.",
    ),
    organization_page_route(
        "/console/{organization}/emails/{message}",
        "Shows a sample of an e-mail about an organization.",
    ),
    organization_page_route(
        "/console/{organization}/emails/{message}/style",
        "Returns the styles of a sample e-mail of an organization on the branding page.",
    ),
    organization_page_route(
        "/instance/emails/style",
        "Returns the styles of a sample e-mail of the instance on the branding page.",
    ),
    organization_page_route(
        "/console/{organization}/branding",
        "Shows the branding of an organization with samples of pages.",
    ),
    form_route("/console/{organization}/branding", "Previews or changes the branding of an organization."),
    organization_page_route("/instance/branding", "Shows samples of pages of the instance."),
    form_route("/instance/branding", "Previews a branding of the instance."),
    RouteEntry {
        caller: CallerKind::Anyone,
        weight: sinete_server::route::RouteWeight::Light,
        ..page_route(CONSOLE_STYLE.path, "Returns the style sheet of the console.", |_, request| {
            Box::pin(screens::serve_asset(CONSOLE_STYLE, request))
        })
    },
];

/// The route of a page.
const fn page_route(path: &'static str, description: &'static str, handler: HandlerFn) -> RouteEntry {
    RouteEntry {
        availability: RouteAvailability::WithConsole,
        caller: CallerKind::SignedInUser,
        ..crate::route_table::browser_page_route(path, description, handler)
    }
}

/// The route of a page of one organization.
const fn organization_page_route(path: &'static str, description: &'static str) -> RouteEntry {
    page_route(path, description, |state, request| Box::pin(console::show_page(state, request)))
}

/// The route of such a page's form.
const fn form_route(path: &'static str, description: &'static str) -> RouteEntry {
    let handler: HandlerFn = |state, request| Box::pin(console::submit_form(state, request));
    RouteEntry {
        method: RouteMethod::Post,
        request_body: RequestBodyKind::Form,
        rate_limits: RouteRateLimits::Limited {
            kinds: &[
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
