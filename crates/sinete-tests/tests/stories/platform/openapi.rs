//! The OpenAPI document: public, cacheable and complete.

use crate::both_engines;
use crate::harness::world::World;
use sinete_core::accounts::language::Language;
use sinete_http::router::ROUTES;
use sinete_server::route::RouteListener;
use std::collections::BTreeSet;

both_engines!(
    openapi_is_public_cacheable_and_cors_enabled,
    openapi_schemas_are_all_referenced,
    openapi_lists_every_language_that_is_accepted,
    openapi_describes_every_management_route
);

async fn openapi_is_public_cacheable_and_cors_enabled(world: &World) {
    let answer = world.get("/openapi.json").await;
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], "application/json");
    assert_eq!(answer.headers()["access-control-allow-origin"], "*");
    assert!(answer.headers()["cache-control"].to_str().unwrap().contains("max-age"));
    let tag = answer.headers()["etag"].clone();
    let cached_response =
        world.http.get(world.public_url("/openapi.json")).header("if-none-match", tag).send().await.unwrap();
    assert_eq!(cached_response.status(), 304);
    let description = world.openapi().await;
    assert_eq!(description["openapi"], "3.1.1");
    assert_eq!(description["servers"][0]["url"], world.server.issuer.as_str());
}

async fn openapi_schemas_are_all_referenced(world: &World) {
    fn references(value: &serde_json::Value, schema_references: &mut BTreeSet<String>) {
        match value {
            serde_json::Value::Object(members) => {
                schema_references.extend(members.get("$ref").and_then(|it| it.as_str()).map(str::to_owned));
                members.values().for_each(|member| references(member, schema_references));
            }
            serde_json::Value::Array(elements) => {
                elements.iter().for_each(|it| references(it, schema_references))
            }
            _ => {}
        }
    }
    let (description, mut schema_references) = (world.openapi().await, BTreeSet::new());
    references(description, &mut schema_references);
    let schemas = description["components"]["schemas"].as_object().unwrap();
    assert!(schemas.len() > 50);
    for name in schemas.keys() {
        assert!(
            schema_references.contains(&format!("#/components/schemas/{name}")),
            "nothing refers to {name}"
        );
    }
}

async fn openapi_lists_every_language_that_is_accepted(world: &World) {
    let schemas = &world.openapi().await["components"]["schemas"];
    let mut expected: Vec<serde_json::Value> = Language::values().into_iter().map(Into::into).collect();
    for name in ["CreateInvitationRequest", "OrganizationSettings"] {
        assert_eq!(schemas[name]["properties"]["language"]["enum"], serde_json::json!(expected), "{name}");
    }
    expected.push(serde_json::Value::Null);
    for name in ["OrganizationSettingsPatch", "Account", "AccountPatch"] {
        assert_eq!(schemas[name]["properties"]["language"]["enum"], serde_json::json!(expected), "{name}");
    }
}

async fn openapi_describes_every_management_route(world: &World) {
    let description = world.openapi().await;
    let mut described = 0;
    for route in ROUTES.iter().filter(|route| route.path.starts_with("/manage")) {
        assert_eq!(route.listener, RouteListener::Public);
        let operation = &description["paths"][route.path][route.method.name().to_ascii_lowercase()];
        assert!(operation["operationId"].is_string(), "{route:?}");
        assert_eq!(operation["security"][0]["bearer"], serde_json::json!([]), "{route:?}");
        for status in ["400", "401", "500", "503"] {
            assert!(operation["responses"][status].is_object(), "{route:?} {status}");
        }
        described += 1;
    }
    assert!(described > 20);
}
