//! What administrators of an organization see of the requests to its members, and how they deny one.

use super::{ANA, Scene, scene};
use crate::both_engines;
use crate::harness::api_caller::{ApiCaller, ApiResponse};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;
use sinete_http::router::ROUTES;
use sinete_store::oauth::clients::ClientOrigin;

both_engines!(
    ciba_request_is_listed_and_denied_by_an_administrator,
    ciba_request_that_is_decided_cannot_be_denied_by_an_administrator,
    ciba_request_cannot_be_approved_by_an_administrator,
    ciba_requests_are_hidden_without_permission_and_from_other_organizations,
    ciba_request_of_a_user_with_several_organizations_is_listed_where_it_belongs,
    ciba_request_denied_by_an_administrator_and_approved_by_the_user_has_one_winner
);

async fn list(caller: &ApiCaller<'_>, scene: &Scene<'_>) -> Vec<Value> {
    let response = caller.get(&scene.books.tenant.path("/ciba-requests")).await.assert_status(200);
    response.body["items"].as_array().unwrap().clone()
}

/// The only listed request.
async fn listed_one(scene: &Scene<'_>) -> Value {
    let mut all = list(&scene.books.owner, scene).await;
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

async fn deny(caller: &ApiCaller<'_>, scene: &Scene<'_>, request: &Value) -> ApiResponse {
    let path = format!("/ciba-requests/{}/deny", request["id"].as_str().unwrap());
    caller.post(&scene.books.tenant.path(&path), Value::Null).await
}

#[track_caller]
fn assert_not_pending(refused: ApiResponse) {
    let refused = refused.assert_problem(409, "conflict");
    assert_eq!(refused.body["type"], "urn:sinete:problem:ciba_request_not_pending");
}

async fn ciba_request_is_listed_and_denied_by_an_administrator(world: &World) {
    let scene = scene(world).await;
    let (owner, tenant) = (&scene.books.owner, &scene.books.tenant);
    assert!(list(owner, &scene).await.is_empty());
    let request = scene.agent.start_ciba(ANA, &[("scope", "openid invoices:send")]).await;
    let listed_request = listed_one(&scene).await;
    assert_eq!(listed_request["id"], scene.ana.pending_ciba_requests().await[0]["id"]);
    for (member, value) in [
        ("state", json!("pending")),
        ("client", json!(scene.agent.id)),
        ("client_name", json!("Ledger agent")),
        ("membership", json!(scene.clerk)),
        ("scope", json!("openid invoices:send")),
        ("resource", Value::Null),
        ("binding_message", json!("Pay 12.00 EUR to Moinho")),
        ("authorization_details", json!([])),
        ("grant", Value::Null),
        ("decided_at", Value::Null),
    ] {
        assert_eq!(listed_request[member], value, "{member}");
    }
    deny(owner, &scene, &listed_request).await.assert_status(204);
    scene.agent.assert_ciba_poll_error(&request, "access_denied").await;
    assert!(scene.ana.pending_ciba_requests().await.is_empty());
    // What was requested is deleted with the decision; that it was is still listed.
    let denied = listed_one(&scene).await;
    assert_eq!((&denied["state"], &denied["id"]), (&json!("denied"), &listed_request["id"]));
    assert!(denied["decided_at"].is_string(), "{denied}");
    for member in ["scope", "binding_message", "authorization_details", "grant"] {
        assert!(denied[member].is_null(), "{member}: {denied}");
    }
    // It is in the security log and in the organization's audit log, with the administrator.
    assert_eq!(world.count_events("approval.denied").await, 1);
    let log = owner.get(&tenant.path("/audit?kind=approval.denied")).await.assert_status(200);
    let entry = &log.body["items"][0];
    assert_eq!(
        (&entry["actor"]["kind"], &entry["subject"]["kind"], &entry["subject"]["id"]),
        (&json!("api_key"), &json!("membership"), &json!(scene.clerk))
    );
    assert_eq!(
        (&entry["detail"]["client"], &entry["detail"]["request"], &entry["detail"]["because"]),
        (&json!(scene.agent.id), &listed_request["id"], &json!("denied_by_manager"))
    );
    // A day after its time it is no longer listed.
    world.clock.advance(Lifetime::from_hours(25));
    assert!(list(owner, &scene).await.is_empty());
}

async fn ciba_request_that_is_decided_cannot_be_denied_by_an_administrator(world: &World) {
    let scene = scene(world).await;
    let owner = &scene.books.owner;
    let request = scene.agent.start_ciba(ANA, &[("scope", "openid invoices:send")]).await;
    scene.ana.approve_ciba_request().await;
    let approved = listed_one(&scene).await;
    assert!(approved["state"] == "approved" && approved["grant"].is_string(), "{approved}");
    assert_not_pending(deny(owner, &scene, &approved).await);
    scene.agent.redeem_ciba(&request).await;
    let redeemed = listed_one(&scene).await;
    assert_eq!((&redeemed["state"], &redeemed["grant"]), (&json!("approved"), &approved["grant"]));
    assert_not_pending(deny(owner, &scene, &redeemed).await);
    // One that the user denied, and one that expired.
    let denied = scene.agent.start_ciba(ANA, &[]).await;
    let path = scene.ana.newest_ciba_request().await;
    scene.ana.post(&format!("{path}/deny"), Value::Null).await.assert_status(204);
    let id = path.rsplit('/').next().unwrap();
    assert_not_pending(deny(owner, &scene, &json!({"id": id})).await);
    scene.agent.assert_ciba_poll_error(&denied, "access_denied").await;
    let expired = scene.agent.start_ciba(ANA, &[]).await;
    let id = scene.ana.newest_ciba_request().await.rsplit('/').next().unwrap().to_owned();
    world.clock.advance(Lifetime::from_minutes(6));
    let requests = list(owner, &scene).await;
    let listed_request = requests.iter().find(|it| it["id"] == json!(id)).unwrap();
    assert_eq!(listed_request["state"], "expired");
    assert_not_pending(deny(owner, &scene, listed_request).await);
    scene.agent.assert_ciba_poll_error(&expired, "expired_token").await;
    // The user's own denial is the only one in the log, and an unknown request is not found.
    assert_eq!(world.count_events("approval.denied").await, 1);
    let unknown = json!({"id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071"});
    deny(owner, &scene, &unknown).await.assert_problem(404, "not_found");
}

async fn ciba_request_cannot_be_approved_by_an_administrator(world: &World) {
    let scene = scene(world).await;
    let routes: Vec<_> = ROUTES
        .iter()
        .filter(|route| route.path.starts_with("/manage") && route.path.contains("ciba-requests"))
        .map(|route| (route.method.name(), route.path.rsplit('/').next().unwrap()))
        .collect();
    assert_eq!(routes, [("GET", "ciba-requests"), ("POST", "deny")]);
    let request = scene.agent.start_ciba(ANA, &[]).await;
    let id = listed_one(&scene).await["id"].as_str().unwrap().to_owned();
    let path = scene.books.tenant.path(&format!("/ciba-requests/{id}/approve"));
    scene.books.owner.post(&path, json!({})).await.assert_status(404);
    // Nor as a user: the owner of the organization is not the one who is asked.
    let olga = world.create_user("olga@example.com").await;
    crate::stories::oauth::authorize::add_member(world, olga.account, &scene.books.tenant, "owner").await;
    let olga = world.sign_in_at_aal2(olga.account).await;
    let approve = format!("/account/requests/{id}/approve");
    olga.post(&approve, json!({})).await.assert_problem(404, "not_found");
    scene.agent.assert_ciba_poll_error(&request, "authorization_pending").await;
    assert_eq!(world.count_events("approval.given").await, 0);
}

async fn ciba_requests_are_hidden_without_permission_and_from_other_organizations(world: &World) {
    let scene = scene(world).await;
    let (owner, tenant) = (&scene.books.owner, &scene.books.tenant);
    let request = scene.agent.start_ciba(ANA, &[("scope", "openid invoices:send")]).await;
    let listed_request = listed_one(&scene).await;
    // With members:read, the request without what the client says it is about; it is denied with members:manage.
    let role = json!({"name": "reader", "permissions": ["organization:read", "members:read"]});
    owner.post(&tenant.path("/roles"), role).await.assert_status(201);
    let member = world.create_member(tenant, &["reader"]).await;
    let reader = world.create_api_key_caller(tenant, member, "organization:read members:read").await;
    let reader_view = list(&reader, &scene).await.remove(0);
    assert_eq!(
        (&reader_view["id"], &reader_view["scope"]),
        (&listed_request["id"], &json!("openid invoices:send"))
    );
    assert!(
        reader_view["binding_message"].is_null() && reader_view["authorization_details"].is_null(),
        "{reader_view}"
    );
    deny(&reader, &scene, &listed_request).await.assert_problem(403, "insufficient_scope");
    let blind = world.create_api_key_caller(tenant, member, "organization:read").await;
    blind.get(&tenant.path("/ciba-requests")).await.assert_problem(403, "insufficient_scope");
    deny(&blind, &scene, &listed_request).await.assert_problem(403, "insufficient_scope");
    // Another organization has none of it, under its own path or this one.
    let other = world.create_organization("globex").await;
    let api_caller = world.create_owner(&other).await;
    let none = api_caller.get(&other.path("/ciba-requests")).await.assert_status(200);
    assert_eq!(none.body["items"], json!([]));
    let foreign = other.path(&format!("/ciba-requests/{}/deny", listed_request["id"].as_str().unwrap()));
    api_caller.post(&foreign, Value::Null).await.assert_problem(404, "not_found");
    deny(&api_caller, &scene, &listed_request).await.assert_problem(404, "not_found");
    api_caller.get(&tenant.path("/ciba-requests")).await.assert_problem(404, "not_found");
    // The list of one member has only the requests to them.
    let of_member = |member: &str| tenant.path(&format!("/ciba-requests?member={member}"));
    let theirs = owner.get(&of_member(&scene.clerk.to_string())).await.assert_status(200);
    assert_eq!(theirs.body["items"], json!([listed_request]));
    let nobodys = owner.get(&of_member(&member.to_string())).await.assert_status(200);
    assert_eq!(nobodys.body["items"], json!([]));
    scene.agent.assert_ciba_poll_error(&request, "authorization_pending").await;
}

async fn ciba_request_of_a_user_with_several_organizations_is_listed_where_it_belongs(world: &World) {
    let scene = scene(world).await;
    let owner = &scene.books.owner;
    let second = world.create_organization("second").await;
    let other = world.create_owner(&second).await;
    crate::stories::oauth::authorize::add_member(world, scene.ana.account, &second, "member").await;
    let in_second = async || {
        let response = other.get(&second.path("/ciba-requests")).await.assert_status(200);
        response.body["items"].as_array().unwrap().clone()
    };
    // Only the user decides in which organization it is answered.
    let open = scene.agent.start_ciba(ANA, &[("scope", "openid")]).await;
    let path = scene.ana.newest_ciba_request().await;
    assert!(list(owner, &scene).await.is_empty() && in_second().await.is_empty());
    let unlisted = json!({"id": path.rsplit('/').next()});
    deny(owner, &scene, &unlisted).await.assert_problem(404, "not_found");
    let choice = json!({"organization": second.id});
    scene.ana.post(&format!("{path}/approve"), choice).await.assert_status(204);
    scene.agent.redeem_ciba(&open).await;
    assert!(list(owner, &scene).await.is_empty());
    assert_eq!(in_second().await.iter().map(|it| &it["state"]).collect::<Vec<_>>(), ["approved"]);
    // One that names the organization, and one of a client that belongs to it.
    let books_request = scene.agent.start_ciba(ANA, &[("scope", "openid"), ("organization", "books")]).await;
    deny(owner, &scene, &listed_one(&scene).await).await.assert_status(204);
    scene.agent.assert_ciba_poll_error(&books_request, "access_denied").await;
    let auth_application = world
        .create_ciba_client(
            ClientOrigin::Organization(scene.books.tenant.id),
            json!({"client_name": "Own agent", "scope": "openid"}),
        )
        .await;
    auth_application.start_ciba(ANA, &[("scope", "openid")]).await;
    let response = list(owner, &scene).await;
    assert!(
        response.iter().any(|it| it["client_name"] == "Own agent" && it["state"] == "pending"),
        "{response:?}"
    );
    assert_eq!(in_second().await.len(), 1);
    // A request for a user who does not exist is never listed, so that it looks the same to its client.
    auth_application.start_ciba("nobody@example.com", &[("scope", "openid")]).await;
    assert_eq!(list(owner, &scene).await.len(), response.len());
}

async fn ciba_request_denied_by_an_administrator_and_approved_by_the_user_has_one_winner(world: &World) {
    const ROUNDS: usize = 4;
    let scene = scene(world).await;
    let (mut approved, mut denied) = (0, 0);
    for _ in 0..ROUNDS {
        let request = scene.agent.start_ciba(ANA, &[("scope", "openid invoices:send")]).await;
        let path = scene.ana.newest_ciba_request().await;
        let (approve, listed_request) = (format!("{path}/approve"), json!({"id": path.rsplit('/').next()}));
        let (approval, denial) = tokio::join!(
            scene.ana.post(&approve, json!({})),
            deny(&scene.books.owner, &scene, &listed_request)
        );
        match (approval.status, denial.status) {
            (204, 409) => {
                approved += 1;
                scene.agent.redeem_ciba(&request).await;
            }
            (403 | 404, 204) => {
                denied += 1;
                scene.agent.assert_ciba_poll_error(&request, "access_denied").await;
            }
            other => panic!("{other:?}: {} {}", approval.text, denial.text),
        }
        world.clock.advance(Lifetime::from_seconds(1));
    }
    assert_eq!(world.count_events("approval.given").await, approved);
    assert_eq!(world.count_events("approval.denied").await, denied);
    assert_eq!(approved + denied, ROUNDS);
}
