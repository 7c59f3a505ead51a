//! Every operation of the management API is offered on a page of the console, or is listed here with the reason why
//! not. The test prints the list: `./scripts/test console_coverage -- --nocapture`.

use sinete_http::console_operations;
use sinete_http::router::ROUTES;
use std::collections::BTreeMap;

/// The operations without a page, with the reason.
const WITHOUT_PAGE: &[(&str, &str)] = &[
    ("followEvents", "a stream for programs; the security log shows the same events"),
    ("impersonate", "returns an access token for a program, not for a browser"),
    ("getInvitation", "the list of invitations shows everything"),
    ("getApiKey", "the list of API keys shows everything"),
    ("getDomain", "the list of domains shows everything"),
    ("getMessage", "the list of messages shows everything"),
    ("getAssignment", "the list of assignments shows everything"),
    ("getGrant", "the list of granted access shows everything"),
];

#[test]
fn console_coverage_has_a_page_or_a_reason_for_every_operation() {
    let mut pages: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (operation, page) in console_operations() {
        pages.entry(operation).or_default().push(page);
    }
    let operations: Vec<&str> = ROUTES
        .iter()
        .filter(|route| route.path.starts_with("/manage"))
        .filter_map(|route| route.operation.as_ref())
        .map(|operation| operation.id)
        .collect();
    let (mut missing, mut reachable) = (Vec::new(), 0);
    for operation in &operations {
        let reason = WITHOUT_PAGE.iter().find(|(name, _)| name == operation);
        match (pages.get(operation), reason) {
            (Some(page_names), None) => {
                reachable += 1;
                println!("{operation}: {}", page_names.join(", "));
            }
            (None, Some((_, reason))) => println!("{operation}: none, {reason}"),
            (Some(_), Some(_)) => missing.push(format!("{operation} has a page: remove its reason")),
            (None, None) => missing.push(format!("{operation} has neither a page nor a reason")),
        }
    }
    println!("{reachable} of {} operations are reachable on the console", operations.len());
    for (operation, _) in WITHOUT_PAGE {
        assert!(operations.contains(operation), "{operation} is no operation");
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
