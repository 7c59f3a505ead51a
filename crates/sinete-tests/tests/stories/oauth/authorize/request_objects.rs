//! Signed authorization requests (RFC 9101).

use super::{create_fixture, create_trusted_application};
use crate::both_engines;
use crate::harness::oauth_application::OAuthApplication;
use crate::harness::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value, json};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::signing_keys::SigningKey;

/// A signed request object of the client, with changes.
fn object(app: &OAuthApplication<'_>, key: &SigningKey, changes: &[(&str, Option<&str>)]) -> String {
    let mut claims: Map<String, Value> =
        app.authorization_params(changes).into_iter().map(|(name, value)| (name, json!(value))).collect();
    for (name, value) in [("iss", app.id.as_str()), ("aud", app.world.issuer())] {
        if changes.iter().all(|(changed, _)| *changed != name) {
            claims.insert(name.to_owned(), value.into());
        }
    }
    let header = json!({"alg": key.algorithm().as_str(), "kid": key.kid(), "typ": "oauth-authz-req+jwt"});
    let encoded = |value: String| URL_SAFE_NO_PAD.encode(value);
    let text = format!("{}.{}", encoded(header.to_string()), encoded(Value::Object(claims).to_string()));
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(key.sign(text.as_bytes()).unwrap()))
}

fn only(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

both_engines!(
    request_object_takes_precedence_over_parameters,
    duplicate_parameter_beside_a_request_object_is_refused,
    request_object_signed_by_another_key_is_refused,
    request_uri_is_never_fetched,
    request_object_can_be_pushed
);

async fn request_object_takes_precedence_over_parameters(world: &World) {
    let scene = create_fixture(world).await;
    let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let app = create_trusted_application(
        world,
        json!({"jwks": {"keys": [key.public_jwk()]}, "scope": "openid email"}),
    )
    .await;
    let signed = object(&app, &key, &[("state", Some("signed"))]);
    let params = [
        ("request", Some(signed.as_str())),
        ("state", Some("beside")),
        ("redirect_uri", Some("https://evil.example/")),
    ];
    let response = app.authorize(Some(&scene.browser), &params).await;
    assert!(response.location().unwrap().starts_with(&app.callback));
    assert_eq!(response.redirect_params()["state"], "signed");
    // Other parameters may be in the query, unless the client must sign everything.
    let part = object(&app, &key, &[("scope", None)]);
    app.authorize(Some(&scene.browser), &[("request", Some(&part)), ("scope", Some("openid"))]).await.code();
    let strict = create_trusted_application(
        world,
        json!({"jwks": {"keys": [key.public_jwk()]}, "request_object_signing_alg": "ES256"}),
    )
    .await;
    let part = object(&strict, &key, &[("scope", None)]);
    strict
        .authorize(Some(&scene.browser), &[("request", Some(&part)), ("scope", Some("openid"))])
        .await
        .assert_error_redirect("invalid_scope");
    let request_object = object(&strict, &key, &[]);
    world
        .open_authorization_endpoint(
            Some(&scene.browser),
            &only(&[("client_id", strict.id.as_str()), ("request", &request_object)]),
        )
        .await
        .code();
    // The signature cannot be removed: such a client must send a request object.
    strict.authorize(Some(&scene.browser), &[]).await.assert_error_redirect("invalid_request");
    let (status, refused) = strict.push_request(&[]).await;
    assert_eq!((status, &refused["error"]), (400, &json!("invalid_request")));
}

async fn duplicate_parameter_beside_a_request_object_is_refused(world: &World) {
    let scene = create_fixture(world).await;
    let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let app = create_trusted_application(
        world,
        json!({"jwks": {"keys": [key.public_jwk()]}, "scope": "openid email"}),
    )
    .await;
    let part = object(&app, &key, &[("scope", None), ("state", None)]);
    let once =
        [("client_id", app.id.as_str()), ("request", part.as_str()), ("scope", "openid"), ("state", "one")];
    world.open_authorization_endpoint(Some(&scene.browser), &only(&once)).await.code();
    for twice in [("scope", "openid email"), ("state", "two"), ("nonce", "n")] {
        let params = [&once[..], &[twice, ("nonce", "m")]].concat();
        if twice.0 != "nonce" {
            world
                .open_authorization_endpoint(Some(&scene.browser), &only(&params))
                .await
                .assert_error_redirect("invalid_request");
        }
        world
            .post_authorization_endpoint(Some(&scene.browser), &only(&[&params[..], &[twice]].concat()))
            .await
            .assert_error_redirect("invalid_request");
    }
    let request_object = object(&app, &key, &[]);
    let address = [
        ("client_id", app.id.as_str()),
        ("request", &request_object),
        ("redirect_uri", "https://evil.example/"),
        ("redirect_uri", "https://evil.example/"),
    ];
    world.open_authorization_endpoint(Some(&scene.browser), &only(&address)).await.assert_page();
}

async fn request_object_signed_by_another_key_is_refused(world: &World) {
    let scene = create_fixture(world).await;
    let (key, other) = (
        SigningKey::generate(SigningAlgorithm::Es256).unwrap(),
        SigningKey::generate(SigningAlgorithm::Es256).unwrap(),
    );
    let app = create_trusted_application(world, json!({"jwks": {"keys": [key.public_jwk()]}})).await;
    let request_object = object(&app, &key, &[]);
    let unsigned = format!("{}.", request_object.rsplit_once('.').unwrap().0);
    let none = format!(
        "{}.{}.",
        URL_SAFE_NO_PAD.encode(r#"{"alg":"none"}"#),
        request_object.split('.').nth(1).unwrap()
    );
    for wrong in [object(&app, &other, &[]), unsigned, none, "x".to_owned()] {
        app.authorize(Some(&scene.browser), &[("request", Some(&wrong))])
            .await
            .assert_error_redirect("invalid_request_object");
        // Without a valid redirect URI, the error is shown on a page.
        world
            .open_authorization_endpoint(
                Some(&scene.browser),
                &only(&[("client_id", app.id.as_str()), ("request", &wrong)]),
            )
            .await
            .assert_page();
    }
    let anothers = object(&app, &key, &[("client_id", Some("somebody-else"))]);
    app.authorize(Some(&scene.browser), &[("request", Some(&anothers))])
        .await
        .assert_error_redirect("invalid_request_object");
    // A request object without `iss` or `aud` is refused.
    for lacks in ["iss", "aud"] {
        let incomplete_object = object(&app, &key, &[(lacks, None)]);
        app.authorize(Some(&scene.browser), &[("request", Some(&incomplete_object))])
            .await
            .assert_error_redirect("invalid_request_object");
        let elsewhere = object(&app, &key, &[(lacks, Some("https://other.example"))]);
        app.authorize(Some(&scene.browser), &[("request", Some(&elsewhere))])
            .await
            .assert_error_redirect("invalid_request_object");
    }
    let keyless = object(&scene.app, &key, &[]);
    scene
        .app
        .authorize(Some(&scene.browser), &[("request", Some(&keyless))])
        .await
        .assert_error_redirect("invalid_request_object");
    app.authorize(
        Some(&scene.browser),
        &[("request", Some(&request_object)), ("request_uri", Some("https://a.example/r"))],
    )
    .await
    .assert_error_redirect("invalid_request");
    app.authorize(Some(&scene.browser), &[("request", Some(&request_object))]).await.code();
}

async fn request_uri_is_never_fetched(world: &World) {
    let scene = create_fixture(world).await;
    for address in [
        "https://a.example/request.jwt",
        "http://169.254.169.254/latest",
        "http://127.0.0.1:1/r#f",
        "file:///etc/passwd",
        "urn:other:x",
    ] {
        scene
            .app
            .authorize(Some(&scene.browser), &[("request_uri", Some(address))])
            .await
            .assert_error_redirect("request_uri_not_supported");
        // Without a valid redirect URI, the error is shown on a page.
        world
            .open_authorization_endpoint(
                Some(&scene.browser),
                &only(&[("client_id", scene.app.id.as_str()), ("request_uri", address)]),
            )
            .await
            .assert_page();
        let (status, refused) = scene.app.push_request(&[("request_uri", Some(address))]).await;
        assert_eq!((status, &refused["error"]), (400, &json!("invalid_request")), "RFC 9126 §2.1: {refused}");
    }
    // `request_uris` in a registration is ignored.
    let registered = json!({"client_name": "x", "redirect_uris": ["https://a.example/cb"], "request_uris": ["https://a.example/request.jwt"]});
    let answer =
        world.http.post(world.public_url("/connect/register")).json(&registered).send().await.unwrap();
    assert_eq!(answer.status(), 201);
    assert!(!answer.text().await.unwrap().contains("request_uris"));
}

async fn request_object_can_be_pushed(world: &World) {
    let scene = create_fixture(world).await;
    let key = SigningKey::generate(SigningAlgorithm::EdDsa).unwrap();
    let app = create_trusted_application(
        world,
        json!({"jwks": {"keys": [key.public_jwk()]}, "request_object_signing_alg": "EdDSA"}),
    )
    .await;
    let push = async |object: &str| {
        app.post_form("/connect/par", &only(&[("client_id", app.id.as_str()), ("request", object)])).await
    };
    let (status, pushed) = push(&object(&app, &key, &[("state", Some("pushed"))])).await;
    assert_eq!(status, 201, "{pushed}");
    let handle = pushed["request_uri"].as_str().unwrap();
    let response = world
        .open_authorization_endpoint(
            Some(&scene.browser),
            &only(&[("client_id", app.id.as_str()), ("request_uri", handle)]),
        )
        .await;
    response.code();
    assert_eq!(response.redirect_params()["state"], "pushed");
    let other = SigningKey::generate(SigningAlgorithm::EdDsa).unwrap();
    assert_eq!(push(&object(&app, &other, &[])).await.1["error"], "invalid_request_object");
}
