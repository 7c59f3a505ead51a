//! Which authorization server guards an API, for a client that was turned away from it.

use crate::both_engines;
use crate::harness::world::World;
use serde_json::{Value, json};

async fn document(world: &World, path: &str) -> Value {
    let answer = world.get(path).await;
    assert_eq!(answer.status(), 200, "{path}");
    assert_eq!(answer.headers()["cache-control"], "public, max-age=300");
    assert_eq!(answer.headers()["access-control-allow-origin"], "*");
    answer.json().await.unwrap()
}

both_engines!(
    a_client_that_is_turned_away_from_this_service_is_told_where_to_go,
    an_api_at_our_own_address_is_told_and_one_that_is_gone_is_not,
    whoever_runs_an_api_elsewhere_copies_the_document_and_the_exact_challenge
);

async fn a_client_that_is_turned_away_from_this_service_is_told_where_to_go(world: &World) {
    let refused = world.get("/manage/organizations").await;
    assert_eq!(refused.status(), 401);
    let challenge = refused.headers()["www-authenticate"].to_str().unwrap().to_owned();
    let place = challenge.split("resource_metadata=\"").nth(1).unwrap().trim_end_matches('"');
    let issuer = world.server.issuer.as_str();
    let path = place.strip_prefix(issuer).unwrap();
    let told = document(world, path).await;
    assert_eq!((&told["resource"], &told["authorization_servers"]), (&json!(issuer), &json!([issuer])));
    assert_eq!(told["bearer_methods_supported"], json!(["header"]));
    let scopes = told["scopes_supported"].as_array().unwrap();
    assert!(scopes.contains(&json!("members:read")) && !scopes.contains(&json!("organizations:administer")));
}

async fn an_api_at_our_own_address_is_told_and_one_that_is_gone_is_not(world: &World) {
    // What is on the issuer's host is the operators' to add.
    let operator = world.operator().await;
    let issuer = world.server.issuer.as_str();
    let api = json!({
        "identifier": format!("{issuer}/apis/invoices"), "name": "Invoices", "default_scope": "invoices:read",
        "permissions": [{"permission": "invoices:read", "english": "Read"}, {"permission": "invoices:send", "english": "Send"}],
        "detail_types": {"payment": {"type": "object"}},
    });
    let path = "/.well-known/oauth-protected-resource/apis/invoices";
    assert_eq!(world.get(path).await.status(), 404);
    let made = operator.post("/manage/apis", api).await.is(201);
    let told = document(world, path).await;
    let expected = json!({
        "resource": format!("{issuer}/apis/invoices"), "resource_name": "Invoices",
        "authorization_servers": [issuer], "bearer_methods_supported": ["header"],
        "scopes_supported": ["invoices:read"], "authorization_details_types_supported": ["payment"],
    });
    assert_eq!(told, expected);
    let at = format!("/manage/apis/{}", made.text_of("id"));
    operator.delete(&at, Some(made.version())).await.is(204);
    assert_eq!(world.get(path).await.status(), 404);
}

async fn whoever_runs_an_api_elsewhere_copies_the_document_and_the_exact_challenge(world: &World) {
    let tenant = world.tenant("acme").await;
    let owner = world.owner(&tenant).await;
    let api = json!({
        "identifier": "https://api.example/v1", "name": "Invoices", "default_scope": "invoices:read",
        "permissions": [{"permission": "invoices:read", "english": "Read"}],
    });
    let id = owner.adds_api(api).await.is(201).text_of("id");
    let told = owner.get(&tenant.path(&format!("/apis/{id}/protected-resource"))).await.is(200);
    let place = "https://api.example/.well-known/oauth-protected-resource/v1";
    assert_eq!(told.body["address"], place);
    let challenge = format!("Bearer resource_metadata=\"{place}\", scope=\"invoices:read\"");
    assert_eq!(told.body["challenge"], challenge);
    assert_eq!(told.body["document"]["resource"], "https://api.example/v1");
    let operator = world.operator().await;
    let same = operator.get(&format!("/manage/apis/{id}/protected-resource")).await.is(200);
    assert_eq!(same.body, told.body);
    let stranger = world.owner(&world.tenant("globex").await).await;
    stranger.get(&tenant.path(&format!("/apis/{id}/protected-resource"))).await.is(404);
    stranger.get(&format!("/manage/apis/{id}/protected-resource")).await.is(403);
}
