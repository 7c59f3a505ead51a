//! Which limits of a route are not tested this way, and why.

use sinete_http::state::RouteEntry;
use sinete_server::route::{RateLimitKind, RouteMethod};

/// Why a limit of a route is not tested this way.
pub fn not_driven(route: &RouteEntry, limit: RateLimitKind) -> Option<&'static str> {
    let is_form_of_flow = route.method == RouteMethod::Post && is_walked(route.path);
    let is_callback = route.path.starts_with("/sign-in/provider");
    match limit {
        RateLimitKind::ProvisioningByCredential => {
            Some("a thousand a minute; stories/scim/limits.rs does it")
        }
        RateLimitKind::FlowsByAccount
        | RateLimitKind::WritesByAccount
        | RateLimitKind::InvitationsByOrganization
            if is_form_of_flow || is_callback =>
        {
            Some("an action that waits for a step-up is done once, after it")
        }
        RateLimitKind::MessagesByAddress if is_callback => {
            Some("a message that waits for a step-up is sent once, after it")
        }
        RateLimitKind::FlowsByAccount if route.path == "/link" => {
            Some("a passkey is offered at most once, to the user of the link")
        }
        RateLimitKind::InvitationsByOrganization if is_console(route) && !sends_invitations(route) => {
            Some("only the page of invitations sends invitations")
        }
        RateLimitKind::FlowsByAccount if route.path == "/console/{organization}" => {
            Some("a step-up starts only if the organization requires a higher level than the session has")
        }
        RateLimitKind::FlowsByAccount if route.path.starts_with("/instance") => {
            Some("for operators only, and with the handler of the pages of organizations")
        }
        RateLimitKind::FlowsByAccount if route.path == "/sign-in" => {
            Some("a signed-in user is redirected to the account page")
        }
        _ => None,
    }
}

pub(super) fn is_console(route: &RouteEntry) -> bool {
    route.path.starts_with("/console") || route.path.starts_with("/instance")
}

pub(super) fn sends_invitations(route: &RouteEntry) -> bool {
    route.path == "/console/{organization}/invitations"
}

/// Whether the path is a page whose form submits an action of a flow.
pub(super) fn is_walked(path: &str) -> bool {
    let pages = ["/sign-in", "/sign-up", "/accept-invitation", "/verify-email", "/reset-password"];
    let other_pages = ["/consent", "/device", "/approve", "/set-up"];
    pages.contains(&path) || other_pages.contains(&path)
}
