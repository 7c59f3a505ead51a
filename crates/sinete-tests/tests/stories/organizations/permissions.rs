//! Permissions, and that each route requires exactly what the route table declares.

use crate::both_engines;
use crate::harness::api_caller::ApiRequest;
use crate::harness::organizations::{OPERATOR_SCOPE, OWNER_SCOPE};
use crate::harness::world::World;
use serde_json::json;
use sinete_http::router::ROUTES;
use sinete_http::state::RouteEntry;
use sinete_server::route::{CallerKind, ErrorFormat, OperationOutcome, RequiredPermission};

/// A scope without one of its permissions.
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

both_engines!(permission_catalog_is_localized, management_routes_need_exactly_their_declared_permission);

async fn permission_catalog_is_localized(world: &World) {
    let owner = world.create_owner(&world.create_organization("acme").await).await;
    let response = owner.get("/manage/permissions").await.assert_status(200);
    let items = response.body["items"].as_array().unwrap();
    let one = items.iter().find(|it| it["permission"] == "members:read").unwrap();
    assert_eq!((&one["english"], &one["portuguese"]), (&json!("See the members"), &json!("Ver os membros")));
    let admin_permission = items.iter().find(|it| it["permission"] == "organizations:administer").unwrap();
    assert_eq!(admin_permission["reach"], "assignment");
}

async fn management_routes_need_exactly_their_declared_permission(world: &World) {
    let house = world.find_organization("operator").await;
    let member = world.create_member(&house, &["owner", "operator"]).await;
    let all = format!("{OWNER_SCOPE} {OPERATOR_SCOPE}");
    let mut tried = 0;
    for route in ROUTES {
        let CallerKind::Bearer(needs) = route.caller else { continue };
        let permissions = needs.permissions();
        if permissions.is_empty() || matches!(needs, RequiredPermission::InOrganizationOrOwner(_)) {
            continue;
        }
        let method = reqwest::Method::from_bytes(route.method.name().as_bytes()).unwrap();
        let path = path_of(route, "operator");
        let build_request =
            || ApiRequest { body: Some(json!({})), if_match: Some(1), ..ApiRequest::default() };
        let rest = permissions.iter().fold(all.clone(), |scope, permission| without(&scope, permission));
        let api_callers = [
            world.create_api_key_caller(&house, member, &rest).await,
            world.create_token_caller(&house, member, &rest).await,
        ];
        for api_caller in api_callers {
            let refused =
                api_caller.send_request(method.clone(), &path, build_request()).await.assert_status(403);
            match route.error_format {
                ErrorFormat::Scim => assert_eq!(refused.body["status"], "403"),
                _ => assert_eq!(refused.body["code"], "insufficient_scope"),
            }
            let challenge = refused.headers["www-authenticate"].to_str().unwrap();
            assert!(challenge.starts_with("Bearer error=\"insufficient_scope\""), "{challenge}");
            if let [permission] = permissions[..] {
                assert!(challenge.contains(&format!("scope=\"{permission}\"")), "{challenge}");
            }
        }
        tried += 1;
        // A stream never ends, so it is skipped.
        if route.operation.is_some_and(|it| matches!(it.outcome, OperationOutcome::Stream(_))) {
            continue;
        }
        for permission in permissions {
            let only = [
                world.create_api_key_caller(&house, member, permission).await,
                world.create_token_caller(&house, member, permission).await,
            ];
            for only in only {
                let let_in = only.send_request(method.clone(), &path, build_request()).await;
                assert_ne!(let_in.status, 403, "{route:?} needs more than it declares: {}", let_in.text);
            }
        }
    }
    assert!(tried > 40);
}
