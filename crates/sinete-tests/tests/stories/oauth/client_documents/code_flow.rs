//! A client with a metadata document signs users in, refreshes, revokes and is disabled like any other client.

use super::{CLIENT, NOTES_CALLBACK, application, client_path, document, signed_in, stored_clients};
use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::document_web::DocumentWeb;
use crate::harness::oauth_application::VERIFIER;
use crate::harness::token_endpoint::sign_jws;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::jwt::JwtType;
use sinete_crypto::platform::signing_keys::SigningKey;

both_engines!(
    engine,
    [
        client_document_serves_the_whole_code_flow,
        client_document_with_private_key_jwt_needs_its_key,
        client_document_disabled_by_an_operator_stops_at_once,
        client_document_removed_by_an_operator_is_registered_again_without_grants
    ]
);

async fn client_document_serves_the_whole_code_flow(on: TestEngine) {
    let web = DocumentWeb::create();
    web.publish(CLIENT, &document(json!({})), None);
    let world = World::start_with_web(on, web.clone()).await;
    {
        let (_, browser) = signed_in(&world).await;
        let app = application(&world, CLIENT);
        // The host is the identity; the claimed name is only behind it. The client is not verified.
        let response = app.authorize_as_json(Some(&browser), &[]).await;
        let body: Value = serde_json::from_str(&response.text).unwrap();
        let text = |name: &str| body["flow"][name].as_str().unwrap().to_owned();
        let flow = world.continue_flow(&text("id"), &text("token")).await;
        assert_eq!(flow.stage(), "consent", "{}", flow.last.text);
        assert!(flow.last.text.contains(r#""name":"notes.example (Notes)""#), "{}", flow.last.text);
        app.authorize(Some(&browser), &[("prompt", Some("none"))])
            .await
            .assert_error_redirect("consent_required");

        let offline = [("scope", Some("openid offline_access"))];
        let code = app.obtain_code_with_consent(&browser, &offline).await;
        let (status, tokens) = app.redeem_code(&code).await;
        assert_eq!(status, 200, "{tokens}");
        let id_token = world.token_claims(tokens["id_token"].as_str().unwrap(), JwtType::Id);
        assert_eq!(id_token["aud"], CLIENT);
        let access = world.token_claims(tokens["access_token"].as_str().unwrap(), JwtType::Access);
        assert_eq!(access["client_id"], CLIENT);
        let (status, renewed) = app.refresh_tokens(tokens["refresh_token"].as_str().unwrap()).await;
        assert_eq!(status, 200, "{renewed}");
        let userinfo = async |token: &Value| {
            let request = world.http.get(world.public_url("/connect/userinfo"));
            request.bearer_auth(token.as_str().unwrap()).send().await.unwrap().status().as_u16()
        };
        assert_eq!(userinfo(&renewed["access_token"]).await, 200);
        let form = [("token", renewed["refresh_token"].as_str().unwrap()), ("client_id", CLIENT)];
        let form = form.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(app.post_form("/connect/revoke", &form).await.0, 200);
        assert_eq!(userinfo(&renewed["access_token"]).await, 401);

        // One row, one document, one event.
        assert_eq!((web.fetch_count(CLIENT), stored_clients(&world).await), (1, 1));
        assert_eq!(world.count_events("client.created").await, 1);
        // Another redirect URI than those of the document gets no response.
        let elsewhere = [("redirect_uri", Some("https://evil.example/callback"))];
        app.authorize(Some(&browser), &elsewhere).await.assert_page();
        // The URL cannot be registered.
        let registered = json!({"client_id": CLIENT, "redirect_uris": [NOTES_CALLBACK]});
        let request = world.http.post(world.public_url("/connect/register")).json(&registered);
        assert_eq!(request.send().await.unwrap().status(), 400);
    }
    world.stop().await;
}

async fn client_document_with_private_key_jwt_needs_its_key(on: TestEngine) {
    let (web, key) = (DocumentWeb::create(), SigningKey::generate(SigningAlgorithm::Es256).unwrap());
    let keyed =
        json!({"token_endpoint_auth_method": "private_key_jwt", "jwks": {"keys": [key.public_jwk()]}});
    web.publish(CLIENT, &document(keyed), None);
    let world = World::start_with_web(on, web.clone()).await;
    {
        let (_, browser) = signed_in(&world).await;
        let app = application(&world, CLIENT);
        let now = world.server.engine().now().seconds();
        let form = |key: &SigningKey, id: &str, extra_params: &[(&str, &str)]| -> Vec<(String, String)> {
            let claims = json!({"iss": CLIENT, "sub": CLIENT, "aud": world.issuer(), "jti": id, "iat": now, "exp": now + 60});
            let assertion = sign_jws(key, &json!({"alg": "ES256", "kid": key.kid()}), &claims);
            let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
            let assertion_params =
                [("client_assertion", assertion.as_str()), ("client_assertion_type", kind)];
            assertion_params
                .iter()
                .chain(extra_params)
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect()
        };
        // A pushed request may be the first one of a client.
        let mut pushed = app.authorization_params(&[]);
        pushed.extend(form(&key, "push", &[]));
        let (status, body) = app.post_form("/connect/par", &pushed).await;
        assert_eq!(status, 201, "{body}");
        let code = app.obtain_code_with_consent(&browser, &[]).await;
        let redeem = [
            ("grant_type", "authorization_code"),
            ("code", code.as_str()),
            ("code_verifier", VERIFIER),
            ("redirect_uri", NOTES_CALLBACK),
        ];
        let (status, body) = app.redeem_code(&code).await;
        assert_eq!((status, &body["error"]), (401, &json!("invalid_client")));
        let signing_key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
        let (status, _) = app.post_form("/connect/token", &form(&signing_key, "a", &redeem)).await;
        assert_eq!(status, 401);
        let (status, tokens) = app.post_form("/connect/token", &form(&key, "b", &redeem)).await;
        assert_eq!(status, 200, "{tokens}");
        assert_eq!(web.fetch_count(CLIENT), 1);
        // The document of an unknown client is not fetched at the token endpoint.
        let other = application(&world, "https://other.example/client");
        assert_eq!(other.refresh_tokens("sn_rt_x").await.0, 401);
        assert_eq!(web.fetch_count("https://other.example/client"), 0);
    }
    world.stop().await;
}

async fn client_document_disabled_by_an_operator_stops_at_once(on: TestEngine) {
    let web = DocumentWeb::create();
    web.publish(CLIENT, &document(json!({})), None);
    let world = World::start_with_web(on, web.clone()).await;
    {
        let (_, browser) = signed_in(&world).await;
        let app = application(&world, CLIENT);
        let code = app.obtain_code_with_consent(&browser, &[]).await;
        let (_, tokens) = app.redeem_code(&code).await;
        let operator = world.create_operator().await;
        operator.post(&client_path("/disable"), Value::Null).await.assert_status(200);
        let userinfo = async || {
            let request = world.http.get(world.public_url("/connect/userinfo"));
            let token = tokens["access_token"].as_str().unwrap();
            request.bearer_auth(token).send().await.unwrap().status().as_u16()
        };
        assert_eq!(userinfo().await, 401);
        app.authorize(Some(&browser), &[]).await.assert_page();
        let (status, _) = app.refresh_tokens(tokens["refresh_token"].as_str().unwrap()).await;
        assert!(status == 400 || status == 401, "{status}");
        // The document cannot enable it again.
        world.clock.advance(sinete_core::time::Lifetime::from_hours(2));
        web.publish(CLIENT, &document(json!({"client_name": "Notes 2"})), None);
        app.authorize(Some(&browser), &[]).await.assert_page();
        assert_eq!(web.fetch_count(CLIENT), 1);
        operator.post(&client_path("/enable"), Value::Null).await.assert_status(200);
        app.obtain_code_with_consent(&browser, &[]).await;
    }
    world.stop().await;
}

async fn client_document_removed_by_an_operator_is_registered_again_without_grants(on: TestEngine) {
    let web = DocumentWeb::create();
    web.publish(CLIENT, &document(json!({})), None);
    let world = World::start_with_web(on, web.clone()).await;
    {
        let (_, browser) = signed_in(&world).await;
        let app = application(&world, CLIENT);
        let code = app.obtain_code_with_consent(&browser, &[]).await;
        let (_, tokens) = app.redeem_code(&code).await;
        let operator = world.create_operator().await;
        let version = operator.get(&client_path("")).await.assert_status(200).version();
        operator.delete(&client_path(""), Some(version)).await.assert_status(204);
        assert_eq!(app.refresh_tokens(tokens["refresh_token"].as_str().unwrap()).await.0, 401);
        // Consent is needed again, and earlier grants stay revoked.
        app.authorize(Some(&browser), &[("prompt", Some("none"))])
            .await
            .assert_error_redirect("consent_required");
        let code = app.obtain_code_with_consent(&browser, &[]).await;
        assert_eq!(app.redeem_code(&code).await.0, 200);
        assert_eq!(app.refresh_tokens(tokens["refresh_token"].as_str().unwrap()).await.0, 400);
        assert_eq!(stored_clients(&world).await, 1);
    }
    world.stop().await;
}
