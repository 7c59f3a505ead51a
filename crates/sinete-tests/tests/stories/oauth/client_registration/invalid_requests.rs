//! Invalid registrations are refused and leave nothing behind.

use super::{minimal_metadata, minimal_metadata_with, register_client, send_request};
use crate::both_engines;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};

both_engines!(
    client_registration_with_unsafe_redirect_uris_is_invalid_redirect_uri,
    client_registration_of_unsupported_values_is_refused,
    client_registration_with_a_malformed_body_is_refused,
    client_registration_that_was_refused_stores_nothing
);

async fn client_registration_with_unsafe_redirect_uris_is_invalid_redirect_uri(world: &World) {
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
        "notes:///cb",
        "javascript://notes/%0aalert(1)",
        "file://notes/cb",
        "intent://notes/cb",
        "notes://*/cb",
        "notes://me@notes/cb",
        "",
        "/cb",
        "https://",
        "http://127.0.0.1@evil.example/cb",
    ] {
        let document = minimal_metadata_with(json!({"redirect_uris": ["https://notes.example/ok", address]}));
        let answer = register_client(world, &document).await.assert_oauth_error(400, "invalid_redirect_uri");
        let error_description = answer.text_member("error_description");
        let encoded_address = address.replace('\n', "%0A");
        assert!(
            error_description.starts_with(&format!("redirect_uris/1: `{encoded_address}` cannot be used: ")),
            "{error_description}"
        );
    }
    let many: Vec<_> = (0..1_000).map(|index| format!("https://notes.example/{index}")).collect();
    let document = minimal_metadata_with(json!({"redirect_uris": many}));
    register_client(world, &document).await.assert_oauth_error(400, "invalid_redirect_uri");
}

async fn client_registration_of_unsupported_values_is_refused(world: &World) {
    for extra_metadata in [
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
        // Without mTLS, these methods are not supported and not advertised.
        json!({"token_endpoint_auth_method": "tls_client_auth"}),
        json!({"token_endpoint_auth_method": "self_signed_tls_client_auth"}),
        json!({"tls_client_certificate_bound_access_tokens": true}),
        json!({"dpop_bound_access_tokens": "yes"}),
    ] {
        let answer = register_client(world, &minimal_metadata_with(extra_metadata.clone())).await;
        let answer = answer.assert_oauth_error(400, "invalid_client_metadata");
        let error_description = answer.text_member("error_description");
        let member = extra_metadata.as_object().unwrap().keys().next().unwrap();
        assert!(
            error_description.contains(member.as_str()) || error_description.starts_with("jwks"),
            "{error_description}"
        );
    }
}

async fn client_registration_with_a_malformed_body_is_refused(world: &World) {
    for body in ["", "{", "[]", "\"x\"", "7", r#"{"client_name":"a","client_name":"b"}"#] {
        let answer = world
            .http
            .post(world.public_url("/connect/register"))
            .header("content-type", "application/json")
            .body(body)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 400, "{body}");
        let response_body: Value = answer.json().await.unwrap();
        assert_eq!(response_body["error"], "invalid_request", "{body}");
    }
    let form = world.http.post(world.public_url("/connect/register")).form(&[("client_name", "x")]);
    assert_eq!(form.send().await.unwrap().status(), 415);
    let large = minimal_metadata_with(json!({"software_id": "x".repeat(1024 * 1024)}));
    assert_eq!(register_client(world, &large).await.status, 413);
    let answer = send_request(
        world,
        Method::POST,
        "/connect/register?access_token=x",
        None,
        Some(&minimal_metadata()),
    )
    .await;
    answer.assert_oauth_error(400, "invalid_request");
}

async fn client_registration_that_was_refused_stores_nothing(world: &World) {
    register_client(world, &minimal_metadata_with(json!({"scope": "instance:read"})))
        .await
        .assert_status(400);
    register_client(world, &json!({"redirect_uris": ["javascript:x"]})).await.assert_status(400);
    let operator = world.create_operator().await;
    let registered = operator.get("/manage/clients?origin=self").await;
    let client_count = registered.assert_status(200).body["items"].as_array().unwrap().len();
    assert_eq!(client_count, 0);
}
