//! Protected resource metadata (RFC 9728): how a client finds the authorization server of an API.

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
    protected_resource_metadata_is_named_by_the_challenge_of_this_service,
    protected_resource_metadata_is_served_for_own_apis_and_not_for_removed_ones,
    protected_resource_metadata_and_challenge_are_provided_for_remote_apis
);

async fn protected_resource_metadata_is_named_by_the_challenge_of_this_service(world: &World) {
    let refused = world.get("/manage/organizations").await;
    assert_eq!(refused.status(), 401);
    let challenge = refused.headers()["www-authenticate"].to_str().unwrap().to_owned();
    let metadata_url = challenge.split("resource_metadata=\"").nth(1).unwrap().trim_end_matches('"');
    let issuer = world.server.issuer.as_str();
    let path = metadata_url.strip_prefix(issuer).unwrap();
    let body = document(world, path).await;
    assert_eq!((&body["resource"], &body["authorization_servers"]), (&json!(issuer), &json!([issuer])));
    assert_eq!(body["bearer_methods_supported"], json!(["header"]));
    let scopes = body["scopes_supported"].as_array().unwrap();
    assert!(scopes.contains(&json!("members:read")) && !scopes.contains(&json!("organizations:administer")));
}

async fn protected_resource_metadata_is_served_for_own_apis_and_not_for_removed_ones(world: &World) {
    // Only operators may add an API on the issuer's host.
    let operator = world.create_operator().await;
    let issuer = world.server.issuer.as_str();
    let api = json!({
        "identifier": format!("{issuer}/apis/invoices"), "name": "Invoices", "default_scope": "invoices:read",
        "permissions": [{"permission": "invoices:read", "english": "Read"}, {"permission": "invoices:send", "english": "Send"}],
        "detail_types": {"payment": {"type": "object"}},
    });
    let path = "/.well-known/oauth-protected-resource/apis/invoices";
    assert_eq!(world.get(path).await.status(), 404);
    let response = operator.post("/manage/apis", api).await.assert_status(201);
    let body = document(world, path).await;
    let expected = json!({
        "resource": format!("{issuer}/apis/invoices"), "resource_name": "Invoices",
        "authorization_servers": [issuer], "bearer_methods_supported": ["header"],
        "scopes_supported": ["invoices:read"], "authorization_details_types_supported": ["payment"],
    });
    assert_eq!(body, expected);
    let at = format!("/manage/apis/{}", response.text_member("id"));
    operator.delete(&at, Some(response.version())).await.assert_status(204);
    assert_eq!(world.get(path).await.status(), 404);
}

async fn protected_resource_metadata_and_challenge_are_provided_for_remote_apis(world: &World) {
    let tenant = world.create_organization("acme").await;
    let owner = world.create_owner(&tenant).await;
    let api = json!({
        "identifier": "https://api.example/v1", "name": "Invoices", "default_scope": "invoices:read",
        "permissions": [{"permission": "invoices:read", "english": "Read"}],
    });
    let id = owner.create_api(api).await.assert_status(201).text_member("id");
    let response =
        owner.get(&tenant.path(&format!("/apis/{id}/protected-resource"))).await.assert_status(200);
    let metadata_url = "https://api.example/.well-known/oauth-protected-resource/v1";
    assert_eq!(response.body["address"], metadata_url);
    let challenge = format!("Bearer resource_metadata=\"{metadata_url}\", scope=\"invoices:read\"");
    assert_eq!(response.body["challenge"], challenge);
    assert_eq!(response.body["document"]["resource"], "https://api.example/v1");
    let operator = world.create_operator().await;
    let same = operator.get(&format!("/manage/apis/{id}/protected-resource")).await.assert_status(200);
    assert_eq!(same.body, response.body);
    let api_caller = world.create_owner(&world.create_organization("globex").await).await;
    api_caller.get(&tenant.path(&format!("/apis/{id}/protected-resource"))).await.assert_status(404);
    api_caller.get(&format!("/manage/apis/{id}/protected-resource")).await.assert_status(403);
}
