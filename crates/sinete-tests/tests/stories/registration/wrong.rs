//! What cannot be registered, and that nothing is left of the attempt.

use super::{asked, four_fields, four_fields_and, register};
use crate::both_engines;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};

both_engines!(
    addresses_that_lead_astray_are_refused_in_their_own_words,
    what_nobody_is_given_cannot_be_registered,
    what_is_no_registration_at_all_is_told_so,
    an_attempt_that_was_refused_leaves_nothing_behind
);

async fn addresses_that_lead_astray_are_refused_in_their_own_words(world: &World) {
    for address in [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "http://notes.example/cb",
        "http://127.0.0.1.evil.example/cb",
        "http://localhost.evil.example/cb",
        "https://notes.example/cb#fragment",
        "https://me@notes.example/cb",
        "https://*.notes.example/cb",
        "https://notes.example/cb?code=x",
        "https://notes.example/cb?a=b&state=x",
        "https://notes.example/cb?%69ss=x",
        "com.example.notes:/cb?error=x",
        "https://notes.example/cb\n",
        "notes:/cb",
        "",
        "/cb",
        "https://",
        "http://127.0.0.1@evil.example/cb",
    ] {
        let document = four_fields_and(json!({"redirect_uris": ["https://notes.example/ok", address]}));
        let answer = register(world, &document).await.refused(400, "invalid_redirect_uri");
        let told = answer.text_of("error_description");
        assert!(told.starts_with("redirect_uris/1: "), "{told}");
        assert!(address.is_empty() || address == "/cb" || !answer.text.contains(address), "{}", answer.text);
    }
    let many: Vec<_> = (0..1_000).map(|place| format!("https://notes.example/{place}")).collect();
    let document = four_fields_and(json!({"redirect_uris": many}));
    register(world, &document).await.refused(400, "invalid_redirect_uri");
}

async fn what_nobody_is_given_cannot_be_registered(world: &World) {
    for more in [
        json!({"grant_types": ["password"]}),
        json!({"grant_types": ["implicit"]}),
        json!({"grant_types": ["client_credentials"]}),
        json!({"response_types": ["token"]}),
        json!({"response_types": ["code id_token"]}),
        json!({"scope": "openid members:manage"}),
        json!({"scope": "organizations:administer"}),
        json!({"scope": "instance:*"}),
        json!({"scope": "anything goes"}),
        json!({"scope": "*:*"}),
        json!({"client_name": "x".repeat(10_000)}),
        json!({"client_name": "Notes\u{202e}"}),
        json!({"client_name": "\u{2800}"}),
        json!({"client_name": "\u{fe0f}\u{301}"}),
        json!({"jwks": {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]}}),
        json!({"client_id": "me"}),
        json!({"client_secret": "mine"}),
        json!({"jwks": {"keys": [{"kty": "EC"}]}, "jwks_uri": "https://notes.example/jwks"}),
        json!({"token_endpoint_auth_method": "private_key_jwt"}),
        json!({"id_token_signed_response_alg": "none"}),
        json!({"logo_uri": "javascript:alert(1)"}),
        json!({"subject_type": "pairwise"}),
        // Certificates prove nothing here, and nobody is told that they do.
        json!({"token_endpoint_auth_method": "tls_client_auth"}),
        json!({"token_endpoint_auth_method": "self_signed_tls_client_auth"}),
        json!({"tls_client_certificate_bound_access_tokens": true}),
        json!({"dpop_bound_access_tokens": "yes"}),
    ] {
        let answer = register(world, &four_fields_and(more.clone())).await;
        let answer = answer.refused(400, "invalid_client_metadata");
        let told = answer.text_of("error_description");
        let member = more.as_object().unwrap().keys().next().unwrap();
        assert!(told.contains(member.as_str()) || told.starts_with("jwks"), "{told}");
    }
}

async fn what_is_no_registration_at_all_is_told_so(world: &World) {
    for body in ["", "{", "[]", "\"x\"", "7", r#"{"client_name":"a","client_name":"b"}"#] {
        let answer = world
            .http
            .post(world.public("/connect/register"))
            .header("content-type", "application/json")
            .body(body)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 400, "{body}");
        let told: Value = answer.json().await.unwrap();
        assert_eq!(told["error"], "invalid_request", "{body}");
    }
    let form = world.http.post(world.public("/connect/register")).form(&[("client_name", "x")]);
    assert_eq!(form.send().await.unwrap().status(), 415);
    let large = four_fields_and(json!({"software_id": "x".repeat(1024 * 1024)}));
    assert_eq!(register(world, &large).await.status, 413);
    let answer =
        asked(world, Method::POST, "/connect/register?access_token=x", None, Some(&four_fields())).await;
    answer.refused(400, "invalid_request");
}

async fn an_attempt_that_was_refused_leaves_nothing_behind(world: &World) {
    register(world, &four_fields_and(json!({"scope": "instance:read"}))).await.is(400);
    register(world, &json!({"redirect_uris": ["javascript:x"]})).await.is(400);
    let operator = world.operator().await;
    let registered = operator.get("/manage/clients?origin=self").await;
    let listed = registered.is(200).body["items"].as_array().unwrap().len();
    assert_eq!(listed, 0);
}
