//! Device authorization requests, and what is refused before a user is involved.

use super::scene;
use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::device_authorization::DEVICE_GRANT;
use crate::harness::token_endpoint::INVOICES;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;
use sinete_store::oauth::clients::ClientOrigin;

async fn document(world: &World) -> Value {
    world.get("/.well-known/openid-configuration").await.json().await.unwrap()
}

both_engines!(
    device_authorization_response_has_user_code_and_verification_uri,
    device_authorization_needs_client_authentication_and_the_registered_grant,
    device_authorization_of_an_impossible_scope_is_refused_at_once,
    device_authorization_of_an_untrusted_client_gets_no_offline_access,
    device_authorization_is_in_discovery_and_dynamic_client_registration
);

async fn device_authorization_response_has_user_code_and_verification_uri(world: &World) {
    let scene = scene(world).await;
    let issuer = world.issuer();
    let reply = scene.tv.start_device_authorization(&[("scope", "openid")]).await;
    let (code, body) = (&reply.user_code, &reply.response);
    assert!(reply.device_code.starts_with("sn_dc_"));
    let code_letters = code.replace('-', "");
    assert_eq!((code.len(), code_letters.len(), code.find('-')), (9, 8, Some(4)));
    assert!(code_letters.chars().all(|c| "BCDFGHJKLMNPQRSTVWXZ".contains(c)), "{code}");
    assert_eq!(body["verification_uri"], format!("{issuer}/device"));
    assert_eq!(body["verification_uri_complete"], format!("{issuer}/device?user_code={code}"));
    assert_eq!((&body["expires_in"], &body["interval"]), (&json!(600), &json!(5)));
    assert_eq!(body.as_object().unwrap().len(), 6);
    let other = scene.tv.start_device_authorization(&[("scope", "openid")]).await;
    assert!(other.user_code != reply.user_code && other.device_code != reply.device_code);
    assert_eq!(world.count_events("device.requested").await, 2);
}

async fn device_authorization_needs_client_authentication_and_the_registered_grant(world: &World) {
    let scene = scene(world).await;
    let public = world
        .create_device_client(ClientOrigin::Operator, json!({"token_endpoint_auth_method": "none"}))
        .await;
    public.start_device_authorization(&[("scope", "openid")]).await;
    let auth_application =
        crate::harness::oauth_application::OAuthApplication { secret: None, ..scene.tv.clone() };
    assert_eq!(auth_application.request_device_authorization(&[]).await.0, 401);
    let wrong = crate::harness::oauth_application::OAuthApplication {
        secret: Some("sn_cs_x".to_owned()),
        ..scene.tv.clone()
    };
    let (status, body) = wrong.request_device_authorization(&[]).await;
    assert_eq!((status, &body["error"]), (401, &json!("invalid_client")));
    let browser_only = world.create_application(ClientOrigin::Operator, json!({})).await;
    let (status, body) = browser_only.request_device_authorization(&[("scope", "openid")]).await;
    assert_eq!((status, &body["error"]), (400, &json!("unauthorized_client")));
    let (status, body) = browser_only.poll_device_code("sn_dc_x").await;
    assert_eq!((status, &body["error"]), (400, &json!("unauthorized_client")));
    let path = scene.books.tenant.path("/clients");
    let response = scene.books.owner.post(&path, json!({"kind": "application", "metadata": {"client_name": "Box", "redirect_uris": [], "grant_types": [DEVICE_GRANT], "token_endpoint_auth_method": "none", "scope": "openid"}})).await.assert_status(201);
    assert_eq!(response.body["metadata"]["grant_types"], json!([DEVICE_GRANT]));
}

async fn device_authorization_of_an_impossible_scope_is_refused_at_once(world: &World) {
    let scene = scene(world).await;
    for (params, error) in [
        (&[("scope", "openid email")][..], "invalid_scope"),
        (&[("scope", "everything")], "invalid_scope"),
        (&[("scope", "invoices:fly"), ("resource", INVOICES)], "invalid_scope"),
        (&[("scope", "openid"), ("resource", "https://nowhere.example")], "invalid_target"),
        (&[("scope", "openid"), ("resource", "nowhere")], "invalid_target"),
        (&[("scope", "openid"), ("authorization_details", "{}")], "invalid_authorization_details"),
    ] {
        let (status, body) = scene.tv.request_device_authorization(params).await;
        assert_eq!((status, &body["error"]), (400, &json!(error)), "{params:?}");
    }
    // The default scope is the registered one.
    let reply = scene.tv.start_device_authorization(&[]).await;
    let mut walk = world.start_device_flow(&scene.browser.token).await;
    walk.submit("user_code", json!({"user_code": reply.user_code})).await.assert_status(200);
    let lines: Vec<_> = walk.last.body["consent"]["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["scope"].as_str().unwrap())
        .collect();
    assert_eq!(lines.join(" "), super::SCOPE);
    assert_eq!(world.count_events("device.requested").await, 1);
}

async fn device_authorization_of_an_untrusted_client_gets_no_offline_access(world: &World) {
    let scene = scene(world).await;
    let everything =
        json!({"scope": "openid offline_access invoices:*", "token_endpoint_auth_method": "none"});
    let auth_application = world.create_device_client(ClientOrigin::DynamicRegistration, everything).await;
    for scope in ["openid offline_access", "invoices:void", "invoices:*"] {
        let (status, body) =
            auth_application.request_device_authorization(&[("scope", scope), ("resource", INVOICES)]).await;
        assert_eq!((status, &body["error"]), (400, &json!("invalid_scope")), "{scope}");
    }
    // An API that the request does not name is found once the organization is known.
    let owner =
        world.create_member_browser(&scene.books.tenant, scene.books.create_member("manager").await).await;
    let reply = auth_application.start_device_authorization(&[("scope", "invoices:void")]).await;
    let mut walk = world.start_device_flow(&owner.token).await;
    walk.submit("user_code", json!({"user_code": reply.user_code})).await.assert_status(200);
    assert_eq!(walk.stage(), "refused");
    auth_application.assert_device_poll_error(&reply, "access_denied").await;
    let allowed = auth_application
        .start_allowed_device_authorization(&scene.browser.token, &[("scope", "openid invoices:read")])
        .await;
    let tokens = auth_application.redeem_device_code(&allowed).await;
    assert_eq!(tokens["scope"], "openid invoices:read");
    assert!(tokens.get("refresh_token").is_none(), "{tokens}");
}

async fn device_authorization_is_in_discovery_and_dynamic_client_registration(world: &World) {
    let document = document(world).await;
    assert_eq!(document["device_authorization_endpoint"], format!("{}/connect/device", world.issuer()));
    assert!(document["grant_types_supported"].as_array().unwrap().contains(&json!(DEVICE_GRANT)));
    let metadata =
        json!({"client_name": "CLI", "grant_types": [DEVICE_GRANT], "token_endpoint_auth_method": "none"});
    let answer = world.http.post(world.public_url("/connect/register")).json(&metadata).send().await.unwrap();
    assert_eq!(answer.status(), 201);
    let body: Value = answer.json().await.unwrap();
    assert_eq!((&body["grant_types"], &body["response_types"]), (&json!([DEVICE_GRANT]), &json!([])));
    let alone =
        json!({"client_name": "CLI", "grant_types": ["refresh_token"], "token_endpoint_auth_method": "none"});
    let answer = world.http.post(world.public_url("/connect/register")).json(&alone).send().await.unwrap();
    assert_eq!(answer.status(), 400);
}

/// Without screens or an interaction URL the grant is not offered; with an interaction URL, codes are entered there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn device_authorization_is_not_served_without_screens_or_interaction_url() {
    let off = ("SINETE_SCREENS_ENABLED", "false");
    let world = World::start_with_config(TestEngine::Sqlite, &[off]).await;
    let response_body = document(&world).await;
    assert!(
        response_body.get("device_authorization_endpoint").is_none()
            && !response_body.to_string().contains("device_code")
    );
    let tv = world.create_device_client(ClientOrigin::Operator, json!({"scope": "openid"})).await;
    assert_eq!(tv.request_device_authorization(&[]).await.0, 404);
    let (status, refused) = tv.poll_device_code("sn_dc_x").await;
    assert_eq!((status, &refused["error"]), (400, &json!("unsupported_grant_type")));
    let metadata =
        json!({"client_name": "CLI", "grant_types": [DEVICE_GRANT], "token_endpoint_auth_method": "none"});
    let answer = world.http.post(world.public_url("/connect/register")).json(&metadata).send().await.unwrap();
    assert_eq!(answer.status(), 400);
    let body = json!({"kind": "confirm_device", "session": "token"});
    let answer = world.http.post(world.public_url("/flows")).json(&body).send().await.unwrap();
    assert_eq!(answer.status(), 409);
    world.stop().await;

    let elsewhere = ("SINETE_FLOWS_INTERACTION_URL", "https://all.example/ask");
    let world = World::start_with_config(TestEngine::Sqlite, &[off, elsewhere]).await;
    let tv = world.create_device_client(ClientOrigin::Operator, json!({"scope": "openid"})).await;
    let reply = tv.start_device_authorization(&[]).await;
    let address = "https://all.example/ask?start=confirm_device";
    assert_eq!(reply.response["verification_uri"], address);
    let complete = format!("{address}&user_code={}", reply.user_code);
    assert_eq!(reply.response["verification_uri_complete"], complete);
    let client_metadata = json!({"scope": "openid", "interaction_url": "https://own.example/ask?look=1"});
    let reply = world
        .create_device_client(ClientOrigin::Operator, client_metadata)
        .await
        .start_device_authorization(&[])
        .await;
    assert_eq!(reply.response["verification_uri"], "https://own.example/ask?look=1&start=confirm_device");
    world.stop().await;
}

/// Any caller can name a public client, so its requests have the limit of flows for each address.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn device_authorization_of_public_clients_is_rate_limited_by_address() {
    let paces = [("SINETE_RATE_LIMITS_ENABLED", "true"), ("SINETE_RATE_LIMITS_STORED_REQUESTS", "3")];
    let world = World::start_with_config(TestEngine::Sqlite, &paces).await;
    let public = world
        .create_device_client(
            ClientOrigin::Operator,
            json!({"scope": "openid", "token_endpoint_auth_method": "none"}),
        )
        .await;
    let secret = world.create_device_client(ClientOrigin::Operator, json!({"scope": "openid"})).await;
    for _ in 0..3 {
        public.start_device_authorization(&[]).await;
    }
    let (status, body) = public.request_device_authorization(&[]).await;
    assert_eq!((status, &body["error"]), (429, &json!("temporarily_unavailable")));
    for _ in 0..5 {
        secret.start_device_authorization(&[]).await;
    }
    world.clock.advance(Lifetime::from_seconds(20));
    public.start_device_authorization(&[]).await;
    world.stop().await;
}
