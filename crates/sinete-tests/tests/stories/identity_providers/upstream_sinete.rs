//! Another Sinete instance as the identity provider: two real servers that use the standards only.

use super::identities::own;
use super::oidc_sign_in::oneself;
use crate::both_engines;
use crate::harness::api_caller::{ApiCaller, ApiResponse};
use crate::harness::database::TestEngine;
use crate::harness::flow_client::FlowClient;
use crate::harness::oauth_application::{BrowserSession, OAuthApplication};
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_store::oauth::clients::ClientOrigin;

const WAITS: &str = "http://127.0.0.1:49152/back";

/// Connects the owner's organization to the other instance, with a verified domain.
async fn connected<'u>(
    owner: &ApiCaller<'_>,
    upstream: &'u World,
    domain: &str,
) -> (Value, OAuthApplication<'u>) {
    let (world, tenant) = (owner.world, &owner.tenant);
    let path = tenant.path("/domains");
    let added = owner.post(&path, json!({"domain": domain})).await.assert_status(201).body;
    let record = |member: &str| added["record"][member].as_str().unwrap();
    world.dns.publish(record("name"), record("value"));
    owner.post(&format!("{path}/{domain}/verify"), Value::Null).await.assert_status(200);
    let connection_body = json!({
        "name": "Corp", "issuer": upstream.issuer(), "client_id": "to-be-said", "client_secret": "to-be-said",
        "domains": [domain], "enabled": true,
    });
    let created = owner.post(&tenant.path("/connections"), connection_body).await.assert_status(201).body;
    let metadata = json!({
        "consent": "implied", "redirect_uris": [created["callback"]], "token_endpoint_auth_method": "client_secret_post",
    });
    let app = upstream.create_application(ClientOrigin::Operator, metadata).await;
    let credentials = json!({"client_id": app.id.as_str(), "client_secret": app.secret});
    let path = tenant.path(&format!("/connections/{}", created["id"].as_str().unwrap()));
    owner.patch(&path, 1, credentials).await.assert_status(200);
    let tried = owner.post(&format!("{path}/test"), Value::Null).await.assert_status(200);
    assert_eq!(tried.body["works"], true, "{}", tried.text);
    (created, app)
}

/// Completes the sign-in at the other instance, and returns the response as the program receives it.
async fn brought(world: &World, upstream: &World, browser: &BrowserSession, walk: &FlowClient<'_>) -> Value {
    let go_to = walk.last.body["go_to"].as_str().unwrap();
    assert!(go_to.starts_with(upstream.issuer()), "{go_to}");
    let session = format!("Session {}", browser.token);
    let request_builder =
        upstream.http.get(go_to).header("authorization", session).header("accept", "text/html");
    let answer = request_builder.send().await.unwrap();
    let (status, headers) = (answer.status(), answer.headers().clone());
    assert!(status.is_redirection(), "{status}: {}", answer.text().await.unwrap());
    let back = url::Url::parse(headers["location"].to_str().unwrap()).unwrap();
    let answer = world.get(&format!("{}?{}", back.path(), back.query().unwrap())).await;
    assert_eq!(answer.status(), 303, "{back}");
    let location = url::Url::parse(answer.headers()["location"].to_str().unwrap()).unwrap();
    let pairs = location.query_pairs().filter(|(name, _)| name != "flow");
    Value::Object(pairs.map(|(name, value)| (name.into_owned(), json!(value))).collect())
}

async fn signs_in(world: &World, upstream: &World, browser: &BrowserSession) -> ApiResponse {
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("single_sign_on", json!({"email": "anybody@acme.example", "return_to": WAITS}))
        .await
        .assert_status(200);
    let body = brought(world, upstream, browser, &walk).await;
    walk.submit("provider_answer", body).await
}

both_engines!(upstream_sinete_instance_signs_users_in);

async fn upstream_sinete_instance_signs_users_in(world: &World) {
    let upstream = World::start(TestEngine::Sqlite).await;
    // Both servers have the same time.
    let (local_time, upstream_time) = (world.server.engine().now(), upstream.server.engine().now());
    world.clock.advance(upstream_time.since(local_time));
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let (created, _) = connected(&owner, &upstream, "acme.example").await;
    let user = upstream.sign_up_user("ana@acme.example").await;
    let ana = upstream.browser_with_session(&user.session).await;
    let session = signs_in(world, &upstream, &ana).await.assert_status(200).text_member("session_token");
    let account = oneself(world, &session).await;
    assert_eq!(account["session"]["amr"], json!(["fed"]), "{account}");
    let second_session =
        signs_in(world, &upstream, &ana).await.assert_status(200).text_member("session_token");
    assert_eq!(
        oneself(world, &second_session).await["id"],
        account["id"],
        "the same upstream user is the same account"
    );
    // A user outside the verified domain is refused, even with an account at the other instance.
    let eve = upstream.sign_up_user("eve@elsewhere.example").await;
    let eve = upstream.browser_with_session(&eve.session).await;
    signs_in(world, &upstream, &eve).await.assert_status(422);
    assert_eq!(world.count_events("account.created").await, 1);
    // Unless they are a member here and link the identity.
    let local_user = world.sign_up_user("eve@home.example").await;
    world.add_member(&acme, local_user.account).await;
    let start = json!({"kind": "link_identity", "connection": created["id"], "return_to": WAITS});
    let mut walk = world.start_flow_in_session(start, Some(&local_user.session)).await;
    let body = brought(world, &upstream, &eve, &walk).await;
    walk.submit("provider_answer", body).await.assert_status(200);
    assert_eq!(walk.stage(), "identity_linked");
    let linked = signs_in(world, &upstream, &eve).await.assert_status(200).text_member("session_token");
    assert_eq!(oneself(world, &linked).await["id"], oneself(world, &local_user.session).await["id"]);
    // Signing out here ends the session here and not the one at the other instance.
    let sessions = own(world, &session, Method::GET, "/account/sessions").await.assert_status(200).body;
    let this = sessions["items"].as_array().unwrap().iter().find(|it| it["is_current"] == true).unwrap();
    own(world, &session, Method::DELETE, &format!("/account/sessions/{}", this["id"].as_str().unwrap()))
        .await
        .assert_status(204);
    assert_eq!(own(world, &session, Method::GET, "/account").await.status, 401);
    assert!(user.is_signed_in().await);
    upstream.stop().await;
}
