//! Impersonation: assigned, short, named in the token, recorded in the organization's audit log, and without
//! administrative permissions.

use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::organizations::OPERATOR_SCOPE;
use crate::harness::token_endpoint::{INVOICES, TokenClient, TokenFixture};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::id::MembershipId;
use sinete_core::time::Lifetime;
use sinete_crypto::platform::jwt::JwtType;

/// An operator whose key has the permissions that an assignment uses.
async fn operator(world: &World) -> ApiCaller<'_> {
    let house = world.find_organization("operator").await;
    let membership = world.create_member(&house, &["operator"]).await;
    world.create_api_key_caller(&house, membership, &format!("{OPERATOR_SCOPE} accounts:impersonate")).await
}

/// The path for impersonating the member, after another operator made the assignment.
async fn assigned(books: &TokenFixture<'_>, operator: &ApiCaller<'_>, membership: MembershipId) -> String {
    let another = books.world.create_operator().await;
    let ends_at = books.world.server.engine().now().plus(Lifetime::from_hours(1)).to_string();
    let assignment = json!({
        "organization": "books", "holder": operator.membership, "member": membership, "reason": "ticket 7", "ends_at": ends_at,
    });
    let response = another.post("/manage/assignments", assignment).await.assert_status(201);
    format!("/manage/assignments/{}", response.text_member("id"))
}

fn wanted(app: &TokenClient<'_>, scope: &str) -> Value {
    json!({"client": app.id, "scope": scope})
}

async fn list_audit_entries(books: &TokenFixture<'_>) -> Vec<Value> {
    let path = books.tenant.path("/audit?kind=membership.impersonated");
    books.owner.get(&path).await.assert_status(200).body["items"].as_array().unwrap().clone()
}

async fn userinfo(world: &World, token: &str) -> u16 {
    world
        .http
        .get(world.public_url("/connect/userinfo"))
        .bearer_auth(token)
        .send()
        .await
        .unwrap()
        .status()
        .as_u16()
}

both_engines!(
    impersonation_is_short_lived_and_recorded_in_the_audit_log_of_the_organization,
    impersonation_token_is_limited_to_the_users_permissions_without_administration,
    impersonation_ends_with_the_assignment_and_its_operator,
    impersonation_without_an_own_assignment_is_refused
);

async fn impersonation_is_short_lived_and_recorded_in_the_audit_log_of_the_organization(world: &World) {
    let books = world.create_token_fixture().await;
    let (app, member, ana) =
        (books.create_app_client(json!({})).await, books.create_member("clerk").await, operator(world).await);
    let path = assigned(&books, &ana, member).await;
    let issued =
        ana.post(&format!("{path}/impersonate"), wanted(&app, "invoices:read")).await.assert_status(200);
    assert_eq!(issued.body["expires_in"], 300);
    assert!(issued.body.get("refresh_token").is_none());
    let body = world.token_claims(&issued.text_member("access_token"), JwtType::Access);
    assert_eq!((&body["sub"], &body["org"]), (&json!(member), &json!(books.tenant.id)));
    assert_eq!(body["act"], json!({"sub": ana.membership, "sub_profile": "operator"}));
    assert_eq!(
        (&body["aud"], &body["scope"], &body["role"]),
        (&json!(INVOICES), &json!("invoices:read"), &json!("clerk"))
    );
    let entries = list_audit_entries(&books).await;
    assert_eq!((&entries[0]["reason"], &entries[0]["subject"]["id"]), (&json!("ticket 7"), &json!(member)));
    assert_eq!(entries[0]["detail"]["operator"], json!(ana.membership));
    assert_eq!(entries[0]["detail"]["token"], body["jti"]);
    // The organization sees the assignment in its list.
    let response = books.owner.get(&books.tenant.path("/assignments")).await.assert_status(200);
    assert_eq!(
        (&response.body["items"][0]["allows"], &response.body["items"][0]["reason"]),
        (&json!("impersonate"), &json!("ticket 7"))
    );
}

async fn impersonation_token_is_limited_to_the_users_permissions_without_administration(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    let (member, ana) = (books.owner.membership, operator(world).await);
    let clerk = books.create_member("clerk").await;
    let (path, narrow) = (assigned(&books, &ana, member).await, assigned(&books, &ana, clerk).await);
    let ask =
        async |path: &str, scope: &str| ana.post(&format!("{path}/impersonate"), wanted(&app, scope)).await;
    ask(&narrow, "files:read").await.assert_problem(400, "invalid_scope");
    for scope in
        ["members:read", "openid organization:read", "invoices:read instance:read", "accounts:impersonate"]
    {
        let refused = ask(&path, scope).await.assert_problem(400, "invalid_scope");
        assert_eq!(
            refused.body["detail"],
            "An impersonation token cannot have management permissions. Remove them from the scope.",
            "{scope}"
        );
    }
    ask(&path, "phone").await.assert_problem(400, "invalid_scope");
    let nowhere =
        json!({"client": app.id, "scope": "invoices:read", "resource": "https://elsewhere.example"});
    ana.post(&format!("{path}/impersonate"), nowhere).await.assert_problem(400, "invalid_target");
    assert!(list_audit_entries(&books).await.is_empty(), "no token was issued");

    let token = ask(&path, "openid profile").await.assert_status(200).text_member("access_token");
    let owner = ApiCaller { secret: token.clone(), ..books.owner.clone() };
    owner.get(&books.tenant.path("")).await.assert_problem(401, "invalid_token");
    owner.get("/manage/permissions").await.assert_problem(401, "invalid_token");
    for path in ["/account", "/account/sessions", "/account/credentials"] {
        let response = world.http.get(world.public_url(path)).bearer_auth(&token).send().await.unwrap();
        assert_eq!(response.status(), 401, "{path} is for the account holder only");
    }
    app.exchange_token(&token, &[]).await.assert_oauth_error("unauthorized_client");
    world.clock.advance(Lifetime::from_seconds(1));
    assert_eq!(userinfo(world, &token).await, 200);
    let administered_entries: Vec<_> =
        list_audit_entries(&books).await.iter().map(|it| it["detail"]["looked_at"].clone()).collect();
    assert_eq!(administered_entries, [Value::Null, json!("userinfo")], "the audit log has each use");
}

async fn impersonation_ends_with_the_assignment_and_its_operator(world: &World) {
    let books = world.create_token_fixture().await;
    let (app, user, ana) =
        (books.create_app_client(json!({})).await, books.create_member("clerk").await, operator(world).await);
    let path = assigned(&books, &ana, user).await;
    let ask = async || ana.post(&format!("{path}/impersonate"), wanted(&app, "openid")).await;
    let token = ask().await.assert_status(200).text_member("access_token");
    assert_eq!(userinfo(world, &token).await, 200);
    assert!(app.is_token_active(&token).await);
    // A disabled member cannot be impersonated.
    let member = books.tenant.path(&format!("/members/{user}"));
    books.owner.post(&format!("{member}/disable"), json!(null)).await.assert_status(200);
    assert_eq!(userinfo(world, &token).await, 401);
    ask().await.assert_problem(409, "conflict");
    books.owner.post(&format!("{member}/enable"), json!(null)).await.assert_status(200);
    assert_eq!(userinfo(world, &token).await, 200);
    // Nor can a disabled operator impersonate.
    let holder = format!("/manage/organizations/operator/members/{}", ana.membership);
    let another = world.create_operator().await;
    another.post(&format!("{holder}/disable"), json!(null)).await.assert_status(200);
    assert_eq!(userinfo(world, &token).await, 401);
    another.post(&format!("{holder}/enable"), json!(null)).await.assert_status(200);
    another.delete(&path, None).await.assert_status(204);
    assert_eq!(userinfo(world, &token).await, 401);
    assert!(!app.is_token_active(&token).await);
    ask().await.assert_problem(404, "not_found");

    let path = assigned(&books, &ana, user).await;
    world.clock.advance(Lifetime::from_minutes(58));
    let late = ana.post(&format!("{path}/impersonate"), wanted(&app, "openid")).await.assert_status(200);
    assert_eq!(late.body["expires_in"], 120, "no longer than the assignment");
}

async fn impersonation_without_an_own_assignment_is_refused(world: &World) {
    let books = world.create_token_fixture().await;
    let (app, member) = (books.create_app_client(json!({})).await, books.create_member("clerk").await);
    let (ana, rui) = (operator(world).await, operator(world).await);
    let path = assigned(&books, &ana, member).await;
    rui.post(&format!("{path}/impersonate"), wanted(&app, "openid")).await.assert_problem(404, "not_found");
    // A key without the permission.
    let house = world.find_organization("operator").await;
    let narrow = world.create_api_key_caller(&house, ana.membership, "instance:read").await;
    narrow
        .post(&format!("{path}/impersonate"), wanted(&app, "openid"))
        .await
        .assert_problem(403, "insufficient_scope");
    books
        .owner
        .post(&format!("{path}/impersonate"), wanted(&app, "openid"))
        .await
        .assert_problem(403, "insufficient_scope");
    // An assignment for administration does not allow impersonation.
    world.create_assignment(&ana, &books.tenant, "a look").await;
    let response = rui.get("/manage/assignments?organization=books").await.assert_status(200);
    let administering =
        response.body["items"].as_array().unwrap().iter().find(|it| it["allows"] == "administer").unwrap();
    let other = format!("/manage/assignments/{}/impersonate", administering["id"].as_str().unwrap());
    ana.post(&other, wanted(&app, "openid")).await.assert_problem(404, "not_found");
    let unknown_client = json!({"client": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071", "scope": "openid"});
    ana.post(&format!("{path}/impersonate"), unknown_client).await.assert_problem(400, "invalid_scope");
    let faulty = json!({"client": "a b", "scope": "*:*", "resource": "x"});
    let refused = ana.post(&format!("{path}/impersonate"), faulty).await.assert_problem(422, "unprocessable");
    assert_eq!(refused.fault_pointers(), ["/client", "/resource", "/scope"]);
    assert!(list_audit_entries(&books).await.is_empty());
}
