//! What there is to be permitted, and that the table of routes says the truth about who needs what.

use crate::both_engines;
use crate::harness::api::ApiRequest;
use crate::harness::tenants::{OPERATORS_SCOPE, OWNERS_SCOPE};
use crate::harness::world::World;
use serde_json::json;
use sinete_http::route::{CallerKind, ErrorFormat, OperationOutcome, RequiredPermission, RouteEntry};
use sinete_http::router::ROUTES;

/// The words of a scope, without one.
fn without(scope: &str, permission: &str) -> String {
    scope.split_whitespace().filter(|word| *word != permission).collect::<Vec<_>>().join(" ")
}

fn path_of(route: &RouteEntry, organization: &str) -> String {
    let path = route.path.replace("{organization}", organization);
    let mut parts: Vec<_> = path.split('/').map(str::to_owned).collect();
    for part in parts.iter_mut().filter(|part| part.starts_with('{')) {
        *part = "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071".to_owned();
    }
    parts.join("/")
}

both_engines!(
    the_catalogue_speaks_both_languages,
    a_credential_without_the_permission_a_route_names_is_refused_and_one_with_nothing_else_is_not
);

async fn the_catalogue_speaks_both_languages(world: &World) {
    let owner = world.owner(&world.tenant("acme").await).await;
    let listed = owner.get("/manage/permissions").await.is(200);
    let items = listed.body["items"].as_array().unwrap();
    let one = items.iter().find(|it| it["permission"] == "members:read").unwrap();
    assert_eq!((&one["english"], &one["portuguese"]), (&json!("See the members"), &json!("Ver os membros")));
    let nobody = items.iter().find(|it| it["permission"] == "organizations:administer").unwrap();
    assert_eq!(nobody["reach"], "assignment");
}

async fn a_credential_without_the_permission_a_route_names_is_refused_and_one_with_nothing_else_is_not(
    world: &World,
) {
    let house = world.tenant_of("operator").await;
    let member = world.member(&house, &["owner", "operator"]).await;
    let all = format!("{OWNERS_SCOPE} {OPERATORS_SCOPE}");
    let mut tried = 0;
    for route in ROUTES {
        let CallerKind::Bearer(needs) = route.caller else { continue };
        let permissions = needs.permissions();
        if permissions.is_empty() || matches!(needs, RequiredPermission::InOrganizationOrOwn(_)) {
            continue;
        }
        let method = reqwest::Method::from_bytes(route.verb.name().as_bytes()).unwrap();
        let path = path_of(route, "operator");
        let asked = || ApiRequest { body: Some(json!({})), seen: Some(1), ..ApiRequest::default() };
        let rest = permissions.iter().fold(all.clone(), |scope, permission| without(&scope, permission));
        let lacking = [world.key(&house, member, &rest).await, world.bearer(&house, member, &rest).await];
        for lacking in lacking {
            let refused = lacking.ask(method.clone(), &path, asked()).await.is(403);
            match route.refuses {
                ErrorFormat::Scim => assert_eq!(refused.body["status"], "403"),
                _ => assert_eq!(refused.body["type"], "urn:sinete:problem:insufficient_scope"),
            }
            let challenge = refused.headers["www-authenticate"].to_str().unwrap();
            assert!(challenge.starts_with("Bearer error=\"insufficient_scope\""), "{challenge}");
            if let [permission] = permissions[..] {
                assert!(challenge.contains(&format!("scope=\"{permission}\"")), "{challenge}");
            }
        }
        tried += 1;
        // An answer without an end is not waited for.
        if route.operation.is_some_and(|it| matches!(it.outcome, OperationOutcome::Streamed(_))) {
            continue;
        }
        for permission in permissions {
            let only =
                [world.key(&house, member, permission).await, world.bearer(&house, member, permission).await];
            for only in only {
                let let_in = only.ask(method.clone(), &path, asked()).await;
                assert_ne!(let_in.status, 403, "{route:?} needs more than it says: {}", let_in.text);
            }
        }
    }
    assert!(tried > 40);
}
