//! What a device is told when it asks, and what it is refused before anybody is bothered.

use super::scene;
use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::devices::DEVICE_GRANT;
use crate::harness::token_endpoint::INVOICES;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;
use sinete_store::clients::ClientOrigin;

async fn document(world: &World) -> Value {
    world.get("/.well-known/openid-configuration").await.json().await.unwrap()
}

both_engines!(
    a_device_is_told_a_code_to_show_and_where_it_is_typed,
    who_asks_proves_who_they_are_where_they_can_and_registered_for_it,
    what_cannot_be_granted_to_anybody_is_refused_at_once,
    whom_nobody_vouches_for_gets_little_and_nothing_that_lasts,
    a_client_that_registers_itself_names_the_grant_and_is_advertised_it
);

async fn a_device_is_told_a_code_to_show_and_where_it_is_typed(world: &World) {
    let scene = scene(world).await;
    let issuer = world.issuer();
    let waiting = scene.tv.waits(&[("scope", "openid")]).await;
    let (code, told) = (&waiting.user_code, &waiting.told);
    assert!(waiting.device_code.starts_with("sn_dc_"));
    let letters = code.replace('-', "");
    assert_eq!((code.len(), letters.len(), code.find('-')), (9, 8, Some(4)));
    assert!(letters.chars().all(|c| "BCDFGHJKLMNPQRSTVWXZ".contains(c)), "{code}");
    assert_eq!(told["verification_uri"], format!("{issuer}/device"));
    assert_eq!(told["verification_uri_complete"], format!("{issuer}/device?user_code={code}"));
    assert_eq!((&told["expires_in"], &told["interval"]), (&json!(600), &json!(5)));
    assert_eq!(told.as_object().unwrap().len(), 6);
    let other = scene.tv.waits(&[("scope", "openid")]).await;
    assert!(other.user_code != waiting.user_code && other.device_code != waiting.device_code);
    assert_eq!(world.logged("device.requested").await, 2);
}

async fn who_asks_proves_who_they_are_where_they_can_and_registered_for_it(world: &World) {
    let scene = scene(world).await;
    let public = world.device(ClientOrigin::Operator, json!({"token_endpoint_auth_method": "none"})).await;
    public.waits(&[("scope", "openid")]).await;
    let nobody = crate::harness::application::OAuthApplication { secret: None, ..scene.tv.clone() };
    assert_eq!(nobody.asks_as_device(&[]).await.0, 401);
    let wrong = crate::harness::application::OAuthApplication {
        secret: Some("sn_cs_x".to_owned()),
        ..scene.tv.clone()
    };
    let (status, told) = wrong.asks_as_device(&[]).await;
    assert_eq!((status, &told["error"]), (401, &json!("invalid_client")));
    let browser_only = world.application(ClientOrigin::Operator, json!({})).await;
    let (status, told) = browser_only.asks_as_device(&[("scope", "openid")]).await;
    assert_eq!((status, &told["error"]), (400, &json!("unauthorized_client")));
    let (status, told) = browser_only.polls("sn_dc_x").await;
    assert_eq!((status, &told["error"]), (400, &json!("unauthorized_client")));
    let path = scene.books.tenant.path("/clients");
    let made = scene.books.owner.post(&path, json!({"kind": "application", "metadata": {"client_name": "Box", "redirect_uris": [], "grant_types": [DEVICE_GRANT], "token_endpoint_auth_method": "none", "scope": "openid"}})).await.is(201);
    assert_eq!(made.body["metadata"]["grant_types"], json!([DEVICE_GRANT]));
}

async fn what_cannot_be_granted_to_anybody_is_refused_at_once(world: &World) {
    let scene = scene(world).await;
    for (more, error) in [
        (&[("scope", "openid email")][..], "invalid_scope"),
        (&[("scope", "everything")], "invalid_scope"),
        (&[("scope", "invoices:fly"), ("resource", INVOICES)], "invalid_scope"),
        (&[("scope", "openid"), ("resource", "https://nowhere.example")], "invalid_target"),
        (&[("scope", "openid"), ("resource", "nowhere")], "invalid_target"),
        (&[("scope", "openid"), ("authorization_details", "{}")], "invalid_authorization_details"),
    ] {
        let (status, told) = scene.tv.asks_as_device(more).await;
        assert_eq!((status, &told["error"]), (400, &json!(error)), "{more:?}");
    }
    // What is left out is what the client registered.
    let waiting = scene.tv.waits(&[]).await;
    let mut walk = world.at_a_device(&scene.browser.token).await;
    walk.says("user_code", json!({"user_code": waiting.user_code})).await.is(200);
    let lines: Vec<_> = walk.last.body["consent"]["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["scope"].as_str().unwrap())
        .collect();
    assert_eq!(lines.join(" "), super::SCOPE);
    assert_eq!(world.logged("device.requested").await, 1);
}

async fn whom_nobody_vouches_for_gets_little_and_nothing_that_lasts(world: &World) {
    let scene = scene(world).await;
    let everything =
        json!({"scope": "openid offline_access invoices:*", "token_endpoint_auth_method": "none"});
    let stranger = world.device(ClientOrigin::Itself, everything).await;
    for scope in ["openid offline_access", "invoices:void", "invoices:*"] {
        let (status, told) = stranger.asks_as_device(&[("scope", scope), ("resource", INVOICES)]).await;
        assert_eq!((status, &told["error"]), (400, &json!("invalid_scope")), "{scope}");
    }
    // Where the API is not named it is found once it is known in which organization.
    let owner = world.browser_of(&scene.books.tenant, scene.books.person("manager").await).await;
    let waiting = stranger.waits(&[("scope", "invoices:void")]).await;
    let mut walk = world.at_a_device(&owner.token).await;
    walk.says("user_code", json!({"user_code": waiting.user_code})).await.is(200);
    assert_eq!(walk.stage(), "refused");
    stranger.is_told(&waiting, "access_denied").await;
    let allowed = stranger.allowed_by(&scene.browser.token, &[("scope", "openid invoices:read")]).await;
    let tokens = stranger.is_handed(&allowed).await;
    assert_eq!(tokens["scope"], "openid invoices:read");
    assert!(tokens.get("refresh_token").is_none(), "{tokens}");
}

async fn a_client_that_registers_itself_names_the_grant_and_is_advertised_it(world: &World) {
    let document = document(world).await;
    assert_eq!(document["device_authorization_endpoint"], format!("{}/connect/device", world.issuer()));
    assert!(document["grant_types_supported"].as_array().unwrap().contains(&json!(DEVICE_GRANT)));
    let metadata =
        json!({"client_name": "CLI", "grant_types": [DEVICE_GRANT], "token_endpoint_auth_method": "none"});
    let answer = world.http.post(world.public("/connect/register")).json(&metadata).send().await.unwrap();
    assert_eq!(answer.status(), 201);
    let told: Value = answer.json().await.unwrap();
    assert_eq!((&told["grant_types"], &told["response_types"]), (&json!([DEVICE_GRANT]), &json!([])));
    let alone =
        json!({"client_name": "CLI", "grant_types": ["refresh_token"], "token_endpoint_auth_method": "none"});
    let answer = world.http.post(world.public("/connect/register")).json(&alone).send().await.unwrap();
    assert_eq!(answer.status(), 400);
}

/// Where people are led nowhere there is no such grant; where they are led elsewhere, that is where codes are typed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_nobody_is_led_anywhere_no_device_is_served_or_advertised() {
    let off = ("SINETE_SCREENS_ENABLED", "false");
    let world = World::begin_with(TestEngine::Sqlite, &[off]).await;
    let told = document(&world).await;
    assert!(told.get("device_authorization_endpoint").is_none() && !told.to_string().contains("device_code"));
    let tv = world.device(ClientOrigin::Operator, json!({"scope": "openid"})).await;
    assert_eq!(tv.asks_as_device(&[]).await.0, 404);
    let (status, refused) = tv.polls("sn_dc_x").await;
    assert_eq!((status, &refused["error"]), (400, &json!("unsupported_grant_type")));
    let metadata =
        json!({"client_name": "CLI", "grant_types": [DEVICE_GRANT], "token_endpoint_auth_method": "none"});
    let answer = world.http.post(world.public("/connect/register")).json(&metadata).send().await.unwrap();
    assert_eq!(answer.status(), 400);
    let body = json!({"kind": "confirm_device", "session": "token"});
    let answer = world.http.post(world.public("/flows")).json(&body).send().await.unwrap();
    assert_eq!(answer.status(), 409);
    world.end().await;

    let elsewhere = ("SINETE_FLOWS_INTERACTION_URL", "https://all.example/ask");
    let world = World::begin_with(TestEngine::Sqlite, &[off, elsewhere]).await;
    let tv = world.device(ClientOrigin::Operator, json!({"scope": "openid"})).await;
    let waiting = tv.waits(&[]).await;
    let address = "https://all.example/ask?start=confirm_device";
    assert_eq!(waiting.told["verification_uri"], address);
    let complete = format!("{address}&user_code={}", waiting.user_code);
    assert_eq!(waiting.told["verification_uri_complete"], complete);
    let own = json!({"scope": "openid", "interaction_url": "https://own.example/ask?look=1"});
    let waiting = world.device(ClientOrigin::Operator, own).await.waits(&[]).await;
    assert_eq!(waiting.told["verification_uri"], "https://own.example/ask?look=1&start=confirm_device");
    world.end().await;
}

/// Anybody can name a client that keeps no secret, so that one network address asks no more often than it starts flows.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn devices_that_prove_nothing_are_held_to_a_pace_and_others_are_not() {
    let paces = [("SINETE_RATE_LIMITS_ENABLED", "true"), ("SINETE_RATE_LIMITS_STORED_REQUESTS", "3")];
    let world = World::begin_with(TestEngine::Sqlite, &paces).await;
    let public = world
        .device(ClientOrigin::Operator, json!({"scope": "openid", "token_endpoint_auth_method": "none"}))
        .await;
    let secret = world.device(ClientOrigin::Operator, json!({"scope": "openid"})).await;
    for _ in 0..3 {
        public.waits(&[]).await;
    }
    let (status, told) = public.asks_as_device(&[]).await;
    assert_eq!((status, &told["error"]), (429, &json!("temporarily_unavailable")));
    for _ in 0..5 {
        secret.waits(&[]).await;
    }
    world.clock.pass(Lifetime::from_seconds(20));
    public.waits(&[]).await;
    world.end().await;
}
