//! Which operations of the management API the console offers, and on which page. A test compares it with the table of
//! routes.

use super::operation_pages;

/// The operations of the pages that call the engine themselves.
const HANDWRITTEN: &[(&str, &[&str])] = &[
    ("/console/{organization}", &["getOrganizationUsage"]),
    ("/console/{organization}/members", &["listMembers"]),
    (
        "/console/{organization}/members/{member}",
        &[
            "getMember",
            "setMemberRoles",
            "disableMember",
            "enableMember",
            "removeMember",
            "listGrants",
            "revokeGrant",
        ],
    ),
    (
        "/console/{organization}/invitations",
        &["listInvitations", "invite", "resendInvitation", "revokeInvitation"],
    ),
    ("/console/{organization}/roles", &["listRoles", "createRole", "listPermissions"]),
    ("/console/{organization}/roles/{role}", &["getRole", "updateRole", "removeRole"]),
    ("/console/{organization}/applications", &["listClients", "createClient"]),
    (
        "/console/{organization}/applications/{client}",
        &[
            "getClient",
            "updateClient",
            "disableClient",
            "enableClient",
            "removeClient",
            "listClientSecrets",
            "addClientSecret",
            "revokeClientSecret",
        ],
    ),
    ("/console/{organization}/keys", &["listApiKeys", "issueApiKey", "revokeApiKey"]),
    ("/console/{organization}/domains", &["listDomains", "addDomain", "verifyDomain", "removeDomain"]),
    ("/console/{organization}/connections", &["listConnections", "createConnection"]),
    (
        "/console/{organization}/connections/{connection}",
        &["getConnection", "updateConnection", "removeConnection", "testConnection"],
    ),
    ("/console/{organization}/webhooks", &["listWebhooks", "createWebhook"]),
    (
        "/console/{organization}/webhooks/{webhook}",
        &[
            "getWebhook",
            "updateWebhook",
            "removeWebhook",
            "rotateWebhookSecret",
            "pauseWebhook",
            "resumeWebhook",
            "testWebhook",
            "replayWebhook",
            "listWebhookAttempts",
        ],
    ),
    ("/console/{organization}/audit-log", &["listAuditEntries"]),
    ("/console/{organization}/apis/{api}/relationships", &["changeRelationships"]),
    ("/instance/apis/{api}/organizations/{organization}/relationships", &["changeInstanceRelationships"]),
    (
        "/console/{organization}/branding",
        &["updateOrganization", "chooseOrganizationLogo", "removeOrganizationLogo"],
    ),
];

/// Every operation that a page reads or calls: its id, and the path of the page.
pub fn console_operations() -> Vec<(&'static str, &'static str)> {
    let handwritten = HANDWRITTEN.iter().flat_map(|(page, ids)| ids.iter().map(move |id| (*id, *page)));
    let pages = operation_pages().flat_map(|page| {
        let forms = page.forms.iter().map(|form| form.operation);
        page.reads.iter().copied().chain(forms).map(move |id| (id, page.path))
    });
    handwritten.chain(pages).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::management_api::in_process::find_operation;
    use crate::router::ROUTES;

    #[test]
    fn console_pages_name_operations_and_routes_that_exist() {
        for (operation, page) in console_operations() {
            assert!(find_operation(ROUTES, operation).is_some(), "{operation} of {page}");
            assert!(ROUTES.iter().any(|route| route.path == page), "{page}");
        }
    }

    #[test]
    fn console_forms_have_a_route() {
        for page in operation_pages().filter(|page| !page.forms.is_empty()) {
            let takes = |route: &&crate::state::RouteEntry| {
                route.path == page.path && route.method == sinete_server::route::RouteMethod::Post
            };
            assert!(ROUTES.iter().any(|route| takes(&route)), "{}", page.path);
            let mut actions: Vec<&str> = page.forms.iter().map(|form| form.action).collect();
            actions.sort_unstable();
            actions.dedup();
            assert_eq!(actions.len(), page.forms.len(), "{}", page.path);
        }
    }
}
