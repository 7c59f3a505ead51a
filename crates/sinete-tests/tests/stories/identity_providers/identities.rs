//! Linking an identity at a provider to an account, and unlinking it.

use super::oidc_sign_in::{fetched, oneself, signs_in};
use crate::both_engines;
use crate::harness::api_caller::{ApiRequest, ApiResponse};
use crate::harness::flow_client::PASSWORD;
use crate::harness::oidc_provider::provider_user;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};

/// Sends an account API request with this session.
pub(in crate::stories) async fn own(world: &World, session: &str, method: Method, path: &str) -> ApiResponse {
    let headers = vec![("authorization", format!("Session {session}"))];
    world.send_request(method, path, ApiRequest { headers, ..ApiRequest::default() }).await
}

both_engines!(
    identity_is_linked_used_to_sign_in_and_unlinked,
    identity_is_linked_and_unlinked_on_the_account_page,
    identity_provider_cannot_manage_an_account_with_its_own_verified_address,
    identity_that_is_the_last_sign_in_method_cannot_be_unlinked_and_addresses_never_link
);

async fn identity_is_linked_used_to_sign_in_and_unlinked(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let created = provider.create_connection(&owner, "acme.example").await;
    let ana = world.sign_up_user("ana@home.example").await;
    let start = json!({"kind": "link_identity", "connection": created["id"], "return_to": "http://127.0.0.1:49152/back"});
    let build_request = |session: Option<&str>| ApiRequest {
        body: Some({
            let mut body = start.clone();
            body["session"] = json!("token");
            body
        }),
        headers: session.map(|it| ("authorization", format!("Session {it}"))).into_iter().collect(),
        ..ApiRequest::default()
    };
    world.send_request(Method::POST, "/flows", build_request(None)).await.assert_status(401);
    world.send_request(Method::POST, "/flows", build_request(Some(&ana.session))).await.assert_status(409);
    world.add_member(&acme, ana.account).await;
    assert_eq!(
        own(world, &ana.session, Method::GET, "/account/providers").await.assert_status(200).body["items"][0]
            ["connection"],
        created["id"]
    );
    // An identity that is linked to another account stays there.
    provider.set_user(provider_user("bia-1", "bia@acme.example"));
    signs_in(world, &provider, "b@acme.example").await.1.assert_status(200);
    let mut walk = world.start_flow_in_session(start.clone(), Some(&ana.session)).await;
    let body = fetched(world, &provider, &walk).await;
    walk.submit("provider_answer", body).await.assert_status(409);
    provider.set_user(json!({"sub": "ana-7", "email": "ana.souza@unproven.example"}));
    let body = fetched(world, &provider, &walk).await;
    walk.submit("provider_answer", body).await.assert_status(200);
    assert_eq!(walk.stage(), "identity_linked");
    assert!(world.newest_email_text("ana@home.example").await.contains("127.0.0.1"), "the user is notified");
    let session =
        signs_in(world, &provider, "a@acme.example").await.1.assert_status(200).text_member("session_token");
    let account = oneself(world, &session).await;
    assert_eq!(account["id"], oneself(world, &ana.session).await["id"]);
    let identities =
        own(world, &ana.session, Method::GET, "/account/identities").await.assert_status(200).body;
    assert_eq!(
        (&identities["items"][0]["subject"], &identities["items"][0]["works"]),
        (&json!("ana-7"), &json!(true))
    );
    let path = format!("/account/identities/{}", identities["items"][0]["id"].as_str().unwrap());
    // A provider does not decide about an account that has a password.
    own(world, &session, Method::DELETE, &path).await.assert_status(401);
    own(world, &ana.session, Method::DELETE, &path).await.assert_status(204);
    own(world, &ana.session, Method::DELETE, &path).await.assert_status(404);
    assert_eq!(world.count_events("identity.unlinked").await, 1);
    provider.set_user(json!({"sub": "ana-7"}));
    signs_in(world, &provider, "a@acme.example").await.1.assert_status(422);
}

async fn identity_is_linked_and_unlinked_on_the_account_page(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let created = provider.create_connection(&owner, "acme.example").await;
    let connection = created["id"].as_str().unwrap();
    let ana = world.sign_up_user("ana@home.example").await;
    let mut reader = world.create_page_browser("en").with_session(&ana.session);
    let page = reader.open_page("/my-account").await;
    assert!(!page.contains("Single sign-on"), "a user who is not a member is offered nothing: {page}");
    world.add_member(&acme, ana.account).await;
    let page = reader.open_page("/my-account").await;
    assert!(page.contains("Single sign-on") && page.contains("not linked"), "{page}");
    provider.set_user(json!({"sub": "ana-7"}));
    let (_, page) = reader.submit_first_form(&page, &[("link_identity", connection)]).await;
    let address =
        page.split("id=\"onward\" href=\"").nth(1).unwrap().split('"').next().unwrap().replace("&#38;", "&");
    let back = provider.follow_authorization(world, &address).await;
    let page = reader.open_page(&back).await;
    let unlink =
        page.split("name=\"unlink_identity\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert!(page.contains("Linked on") && !page.contains("name=\"link_identity\""), "{page}");
    // Unlinking an identity needs a step-up.
    world.clock.advance(sinete_core::time::Lifetime::from_minutes(6));
    let page = reader.open_page("/my-account").await;
    let (_, page) = reader.submit_first_form(&page, &[("unlink_identity", &unlink)]).await;
    assert!(
        page.contains("name=\"password\"") && world.count_events("identity.unlinked").await == 0,
        "{page}"
    );
    let (_, page) = reader.submit_first_form(&page, &[("action", "password"), ("password", PASSWORD)]).await;
    assert!(page.contains("name=\"link_identity\"") && !page.contains("name=\"unlink_identity\""), "{page}");
    assert_eq!(world.count_events("identity.unlinked").await, 1);
    let (_, page) = reader.submit_first_form(&page, &[("unlink_identity", &unlink)]).await;
    assert!(page.contains("id=\"trouble\""), "the identity is no longer linked: {page}");
}

async fn identity_provider_cannot_manage_an_account_with_its_own_verified_address(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let created = provider.create_connection(&owner, "acme.example").await;
    let ana = world.sign_up_user("ana@home.example").await;
    world.add_member(&acme, ana.account).await;
    let start = json!({"kind": "link_identity", "connection": created["id"], "return_to": "http://127.0.0.1:49152/back"});
    let mut walk = world.start_flow_in_session(start.clone(), Some(&ana.session)).await;
    let mut late = world.start_flow_in_session(start, Some(&ana.session)).await;
    provider.set_user(json!({"sub": "ana-7"}));
    let body = fetched(world, &provider, &walk).await;
    walk.submit("provider_answer", body).await.assert_status(200);
    // Only a verified address is left on the account itself.
    let credentials =
        own(world, &ana.session, Method::GET, "/account/credentials").await.assert_status(200).body;
    let password = format!("/account/credentials/{}", credentials["items"][0]["id"].as_str().unwrap());
    own(world, &ana.session, Method::DELETE, &password).await.assert_status(204);
    let session =
        signs_in(world, &provider, "a@acme.example").await.1.assert_status(200).text_member("session_token");
    let identities = own(world, &session, Method::GET, "/account/identities").await.assert_status(200).body;
    let path = format!("/account/identities/{}", identities["items"][0]["id"].as_str().unwrap());
    own(world, &session, Method::DELETE, &path).await.assert_status(401);
    // A flow that was started in a session ends with it.
    let sessions = own(world, &ana.session, Method::GET, "/account/sessions").await.assert_status(200).body;
    for one in sessions["items"].as_array().unwrap() {
        own(
            world,
            &ana.session,
            Method::DELETE,
            &format!("/account/sessions/{}", one["id"].as_str().unwrap()),
        )
        .await;
    }
    provider.set_user(json!({"sub": "mallory-1"}));
    let body = fetched(world, &provider, &late).await;
    assert_ne!(late.submit("provider_answer", body).await.status, 200);
}

async fn identity_that_is_the_last_sign_in_method_cannot_be_unlinked_and_addresses_never_link(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    provider.create_connection(&owner, "acme.example").await;
    provider.set_user(provider_user("ana-7", "ana@acme.example"));
    let session =
        signs_in(world, &provider, "a@acme.example").await.1.assert_status(200).text_member("session_token");
    let identities = own(world, &session, Method::GET, "/account/identities").await.assert_status(200).body;
    let path = format!("/account/identities/{}", identities["items"][0]["id"].as_str().unwrap());
    let refused = own(world, &session, Method::DELETE, &path).await.assert_status(409);
    assert!(refused.text.contains("the last credential you can sign in with"), "{}", refused.text);
    assert_eq!(
        own(world, &session, Method::GET, "/account/providers").await.assert_status(200).body["items"],
        json!([])
    );
    // A sign-in at the provider that is too old is repeated there.
    world.clock.advance(sinete_core::time::Lifetime::from_minutes(6));
    own(world, &session, Method::DELETE, &path).await.assert_status(401);
    let mut walk = world.start_flow_in_session(json!({"kind": "step_up"}), Some(&session)).await;
    walk.submit("single_sign_on", json!({"return_to": "http://127.0.0.1:49152/back"}))
        .await
        .assert_status(200);
    assert!(walk.last.body["go_to"].as_str().unwrap().contains("prompt=login&max_age=0"));
    let body = fetched(world, &provider, &walk).await;
    let renewed = walk.submit("provider_answer", body).await.assert_status(200).text_member("session_token");
    own(world, &renewed, Method::DELETE, &path).await.assert_status(409);
    let _: Value = oneself(world, &renewed).await;
}
