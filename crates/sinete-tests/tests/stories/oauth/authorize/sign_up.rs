//! Users without an account who come from an application: they create one and return to it with tokens.

use super::create_trusted_application;
use super::flows::{EMAIL, browser, enters, goes_on};
use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::flow_client::{FlowClient, PASSWORD};
use crate::harness::oauth_application::{AuthorizationResponse, OAuthApplication};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_store::oauth::clients::ClientOrigin;
use sinete_store::organizations::memberships;

both_engines!(
    sign_up_from_an_application_returns_with_tokens,
    prompt_create_opens_sign_up_even_for_a_signed_in_user,
    sign_up_is_not_offered_by_applications_that_serve_no_new_account,
    sign_up_from_an_application_with_an_existing_address_creates_nothing,
    sign_up_from_an_application_is_confirmed_only_where_it_began,
    change_password_url_leads_to_the_password_form_after_sign_in
);

fn actions(walk: &FlowClient<'_>) -> Vec<String> {
    let all = walk.last.body["actions"].as_array().unwrap();
    all.iter().map(|action| action["name"].as_str().unwrap().to_owned()).collect()
}

/// The `prompt` values of the discovery document.
async fn prompts(world: &World) -> Vec<Value> {
    let document: Value = world.get("/.well-known/openid-configuration").await.json().await.unwrap();
    document["prompt_values_supported"].as_array().unwrap().clone()
}

/// Enters the details and the code; returns the session token.
async fn creates_account(world: &World, walk: &mut FlowClient<'_>, email: &str) -> String {
    let details = json!({"email": email, "password": PASSWORD, "name": "Ana"});
    walk.submit("details", details).await.assert_status(200);
    assert_eq!(walk.stage(), "mailed_proof");
    let code = world.emailed_code(email).await;
    walk.submit("code", json!({"code": code})).await.assert_status(200).text_member("session_token")
}

async fn claims(app: &OAuthApplication<'_>, response: &AuthorizationResponse) -> Value {
    let (status, tokens) = app.redeem_code(&response.code()).await;
    assert_eq!(status, 200, "{tokens}");
    let token = tokens["access_token"].as_str().unwrap().to_owned();
    app.post_form("/connect/introspect", &[("token".to_owned(), token)]).await.1
}

async fn sign_up_from_an_application_returns_with_tokens(world: &World) {
    let app = create_trusted_application(world, json!({})).await;
    let mut walk = enters(&app, None, &[("login_hint", Some(EMAIL)), ("state", Some("mine"))]).await;
    assert_eq!((walk.stage(), &walk.last.body["login_hint"]), ("sign_in", &json!(EMAIL)));
    assert!(actions(&walk).contains(&"sign_up".to_owned()));
    walk.submit("sign_up", json!({})).await.assert_status(200);
    assert_eq!((walk.stage(), actions(&walk)), ("details", vec!["details".to_owned(), "restart".to_owned()]));
    assert_eq!(walk.last.body["login_hint"], EMAIL);
    // Back to sign-in and forth, and another address than the first one.
    walk.submit("restart", json!({})).await.assert_status(200);
    assert_eq!(walk.stage(), "sign_in");
    walk.submit("sign_up", json!({})).await.assert_status(200);
    let details = json!({"email": "typo@example.com", "password": PASSWORD});
    walk.submit("details", details).await.assert_status(200);
    walk.submit("restart", json!({})).await.assert_status(200);
    assert_eq!(walk.stage(), "details");
    let session = creates_account(world, &mut walk, EMAIL).await;
    assert_eq!(walk.stage(), "resume", "{}", walk.last.text);
    let response = goes_on(world, &walk, &session).await;
    assert_eq!(response.redirect_params()["state"], "mine");
    let ana = world.user_with_session(&session).await;
    let token_claims = claims(&app, &response).await;
    assert_eq!(token_claims["active"], true, "{token_claims}");
    let (home, store) = (world.find_organization("home").await, world.server.engine().store());
    let member = memberships::list_account_memberships(store, ana.account).await.unwrap();
    assert_eq!(member.iter().map(|it| it.organization).collect::<Vec<_>>(), [home.id]);
    world.sign_in_with_password(EMAIL, PASSWORD).await.assert_status(200);
}

async fn prompt_create_opens_sign_up_even_for_a_signed_in_user(world: &World) {
    let app = create_trusted_application(world, json!({})).await;
    let bia = world.sign_up_user("bia@example.com").await;
    assert!(prompts(world).await.contains(&json!("create")));
    let create = [("prompt", Some("create"))];
    let mut walk = enters(&app, Some(&browser(&bia)), &create).await;
    assert_eq!(walk.stage(), "details");
    let session = creates_account(world, &mut walk, EMAIL).await;
    let response = goes_on(world, &walk, &session).await;
    let (token_claims, ana) = (claims(&app, &response).await, world.user_with_session(&session).await);
    assert_eq!(token_claims["active"], true);
    assert_ne!(ana.account, bia.account, "the new account continues, not the previous one");
    // A user who has an account signs in instead, which counts for the request.
    let mut walk = enters(&app, None, &create).await;
    walk.submit("restart", json!({})).await.assert_status(200);
    let credentials = json!({"email": EMAIL, "password": PASSWORD});
    let session = walk.submit("password", credentials).await.assert_status(200).text_member("session_token");
    goes_on(world, &walk, &session).await.code();
    let none = [("prompt", Some("none create"))];
    app.authorize(Some(&browser(&bia)), &none).await.assert_error_redirect("invalid_request");
}

/// A new account is a member of the home organization only.
async fn sign_up_is_not_offered_by_applications_that_serve_no_new_account(world: &World) {
    let (acme, home) = (world.create_organization("acme").await, world.find_organization("home").await);
    let consent = json!({"consent": "implied"});
    let of_acme = world.create_application(ClientOrigin::Organization(acme.id), consent.clone()).await;
    let of_customers = create_trusted_application(world, json!({"serves": "organizations"})).await;
    for app in [&of_acme, &of_customers] {
        for changes in [&[][..], &[("prompt", Some("create"))]] {
            let mut walk = enters(app, None, changes).await;
            assert_eq!(walk.stage(), "sign_in");
            assert!(!actions(&walk).contains(&"sign_up".to_owned()), "{}", walk.last.text);
            walk.submit("sign_up", json!({})).await.assert_problem(409, "conflict");
        }
    }
    let of_home = world.create_application(ClientOrigin::Organization(home.id), consent).await;
    let for_everyone = create_trusted_application(world, json!({"serves": "everyone"})).await;
    for app in [&of_home, &for_everyone] {
        assert!(actions(&enters(app, None, &[]).await).contains(&"sign_up".to_owned()));
    }
}

async fn sign_up_from_an_application_with_an_existing_address_creates_nothing(world: &World) {
    let app = create_trusted_application(world, json!({})).await;
    let ana = world.create_user(EMAIL).await;
    let create = [("prompt", Some("create"))];
    let (mut client, mut free) = (enters(&app, None, &create).await, enters(&app, None, &create).await);
    let details = |email: &str| json!({"email": email, "password": "another password entirely"});
    let of_taken = client.submit("details", details(EMAIL)).await.assert_status(200);
    let of_free = free.submit("details", details("bia@example.com")).await.assert_status(200);
    assert_eq!((of_taken.text.len(), client.stage()), (of_free.text.len(), free.stage()));
    assert!(world.newest_email_text(EMAIL).await.contains("already"));
    client.submit("code", json!({"code": "12345678"})).await.assert_problem(422, "unprocessable");
    assert!(ana.is_signed_in().await);
    world
        .sign_in_with_password(EMAIL, "another password entirely")
        .await
        .assert_problem(422, "unprocessable");
}

async fn sign_up_from_an_application_is_confirmed_only_where_it_began(world: &World) {
    let app = create_trusted_application(world, json!({})).await;
    let mut client = enters(&app, None, &[("prompt", Some("create"))]).await;
    client
        .submit("details", json!({"email": EMAIL, "password": "the stranger's password"}))
        .await
        .assert_status(200);
    let link = world.emailed_link(EMAIL).await;
    let read = world.read_link(&link).await.assert_status(200);
    assert_eq!(read.body["works_anywhere"], false);
    world.follow_link(&link).await.assert_problem(409, "conflict");
    world.follow_link_in_flow(&client, &link).await.assert_status(200);
}

async fn change_password_url_leads_to_the_password_form_after_sign_in(world: &World) {
    let ana = world.create_user(EMAIL).await;
    let path = "/.well-known/change-password";
    let page = world.create_page_browser("en").with_session(&ana.session).open_page(path).await;
    assert!(page.contains("id=\"current_password\"") || page.contains("current-password"), "{page}");
    // Without a session the user signs in first and then comes to the form.
    let mut reader = world.create_page_browser("en");
    let page = reader.open_page(path).await;
    assert!(page.contains("id=\"sign-in-submit\""), "{page}");
    let fields = [("identifier", EMAIL), ("password", PASSWORD), ("action", "password")];
    let (status, _) = reader.submit_form(&page, "sign-in-submit", &fields).await;
    assert!(status < 400, "{status}");
    let page = reader.open_page("/my-account").await;
    assert!(page.contains("value=\"choose_password\""), "{page}");
    let page = reader.open_page("/my-account").await;
    assert!(!page.contains("value=\"choose_password\""), "the form is displayed once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn prompt_create_is_refused_where_accounts_are_created_by_invitation() {
    let settings = [("SINETE_ACCOUNTS_SIGN_UP", "invited")];
    let world = World::start_with_config(TestEngine::Sqlite, &settings).await;
    let app = create_trusted_application(&world, json!({})).await;
    let walk = enters(&app, None, &[]).await;
    assert!(!actions(&walk).contains(&"sign_up".to_owned()));
    walk.try_submit("sign_up", json!({})).await.assert_problem(409, "conflict");
    assert!(!prompts(&world).await.contains(&json!("create")));
    let refused = app.authorize_as_json(None, &[("prompt", Some("create"))]).await;
    assert_ne!(refused.status, 401, "{}", refused.text);
    assert!(
        format!("{:?} {}", refused.headers, refused.text).contains("invalid_request"),
        "{}",
        refused.text
    );
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn change_password_url_is_not_found_without_screens() {
    let world = World::start_with_config(TestEngine::Sqlite, &[("SINETE_SCREENS_ENABLED", "false")]).await;
    assert_eq!(world.get("/.well-known/change-password").await.status(), 404);
    world.stop().await;
}
