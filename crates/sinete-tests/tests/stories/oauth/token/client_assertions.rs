//! Client assertions (RFC 7523): single use, for the right audience, and valid in every claim.

use super::client_authentication::{ASSERTION_TYPE, ask, assert_with, basic, claims, robot, secret, signer};
use crate::both_engines;
use crate::harness::token_endpoint::sign_jws;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::Lifetime;
use sinete_crypto::platform::signing_keys::SigningKey;

both_engines!(
    client_assertion_is_accepted_once_and_only_for_the_issuer_audience,
    client_assertion_with_any_invalid_claim_is_refused,
    client_authentication_by_secret_and_by_assertion_are_not_interchangeable
);

async fn client_assertion_is_accepted_once_and_only_for_the_issuer_audience(world: &World) {
    let books = world.create_token_fixture().await;
    for algorithm in SigningAlgorithm::ALL {
        let (client, key) = signer(&books, algorithm).await;
        let header = json!({"alg": algorithm.as_str(), "kid": key.kid()});
        let assertion = sign_jws(&key, &header, &claims(world, &client.id, "once"));
        assert_with(world, &assertion).await.assert_granted();
        assert_with(world, &assertion).await.assert_oauth_error("invalid_client");
        let other = sign_jws(&key, &header, &claims(world, &client.id, "twice"));
        assert_with(world, &other).await.assert_granted();
    }
}

async fn client_assertion_with_any_invalid_claim_is_refused(world: &World) {
    let books = world.create_token_fixture().await;
    let (client, key) = signer(&books, SigningAlgorithm::Es256).await;
    let (other, _) = signer(&books, SigningAlgorithm::Es256).await;
    let now = world.server.engine().now().seconds();
    let issuer = world.server.engine().settings().issuer.clone();
    let valid_header = json!({"alg": "ES256", "kid": key.kid(), "typ": "JWT"});
    let mut number = 0;
    let mut fresh = || {
        number += 1;
        claims(world, &client.id, &number.to_string())
    };
    for wrong in [
        json!({"iss": other.id}),
        json!({"sub": other.id}),
        json!({"aud": "https://other.example"}),
        json!({"aud": [issuer, "https://other.example"]}),
        json!({"aud": null}),
        json!({"exp": null}),
        json!({"exp": now + 3_601}),
        json!({"exp": now - 11, "iat": null}),
        json!({"iat": now + 61}),
        json!({"nbf": now + 61}),
        json!({"jti": null}),
        json!({"jti": ""}),
    ] {
        let assertion = sign_jws(&key, &valid_header, &with_changes(&fresh(), &wrong));
        let refused = assert_with(world, &assertion).await.assert_oauth_error("invalid_client");
        assert!(!refused.headers.contains_key("www-authenticate"), "{wrong}");
    }
    for wrong in [
        json!({"alg": "none"}),
        json!({"alg": "HS256"}),
        json!({"alg": "RS256"}),
        json!({"crit": ["exp"]}),
        json!({"kid": "../../etc/passwd"}),
        json!({"kid": "' OR 1=1 --"}),
        json!({"kid": 7}),
        json!({"jwk": key.public_jwk()}),
        json!({"jku": "https://evil.example"}),
        json!({"x5u": "https://evil.example"}),
    ] {
        let assertion = sign_jws(&key, &with_changes(&valid_header, &wrong), &fresh());
        assert_with(world, &assertion).await.assert_oauth_error("invalid_client");
    }
    for aud in [issuer.clone(), format!("{issuer}/connect/token")] {
        let assertion = sign_jws(&key, &valid_header, &with_changes(&fresh(), &json!({"aud": aud})));
        assert_with(world, &assertion).await.assert_granted();
    }
    let assertion = sign_jws(&key, &valid_header, &fresh());
    for form in [
        vec![("client_assertion", assertion.as_str())],
        vec![("client_assertion", assertion.as_str()), ("client_assertion_type", "saml")],
        vec![
            ("client_assertion", assertion.as_str()),
            ("client_assertion_type", ASSERTION_TYPE),
            ("client_id", other.id.as_str()),
        ],
    ] {
        ask(world, None, &form).await.assert_oauth_error("invalid_client");
    }
    assert_with(world, &assertion).await.assert_granted();
    world.clock.advance(Lifetime::from_seconds(80));
    assert_with(world, &assertion).await.assert_oauth_error("invalid_client");
}

/// The object with some members replaced; null removes one.
fn with_changes(base: &Value, changes: &Value) -> Value {
    let mut changed = base.clone();
    for (name, value) in changes.as_object().unwrap() {
        changed[name] = value.clone();
    }
    changed.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    changed
}

async fn client_authentication_by_secret_and_by_assertion_are_not_interchangeable(world: &World) {
    let books = world.create_token_fixture().await;
    let (signer, _) = signer(&books, SigningAlgorithm::Es256).await;
    let with_secret = robot(&books, "client_secret_basic").await;
    ask(world, basic(&signer.id, &secret(&with_secret)), &[]).await.assert_oauth_error("invalid_client");
    let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let assertion = sign_jws(&key, &json!({"alg": "ES256"}), &claims(world, &with_secret.id, "1"));
    assert_with(world, &assertion).await.assert_oauth_error("invalid_client");
}
