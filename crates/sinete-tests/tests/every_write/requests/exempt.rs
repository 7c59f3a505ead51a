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
            Some("what waited for a proof is done once it is given")
        }
        RateLimitKind::MessagesByAddress if is_callback => {
            Some("the same: a message that waited for a proof is sent once it is given")
        }
        RateLimitKind::FlowsByAccount if route.path == "/link" => {
            Some("a passkey is offered once, to whoever came in by the link, or is not")
        }
        RateLimitKind::InvitationsByOrganization if is_console(route) && !sends_invitations(route) => {
            Some("only the page of invitations sends any")
        }
        RateLimitKind::FlowsByAccount if route.path == "/console/{organization}" => {
            Some("it begins a proof only where the organization asks for more than the session holds")
        }
        RateLimitKind::FlowsByAccount if route.path.starts_with("/instance") => {
            Some("only operators get there, by the same handler as on the pages of organizations")
        }
        RateLimitKind::FlowsByAccount if route.path == "/sign-in" => {
            Some("whoever is signed in is led to their page")
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
    let more = ["/consent", "/device", "/approve", "/set-up"];
    pages.contains(&path) || more.contains(&path)
}
