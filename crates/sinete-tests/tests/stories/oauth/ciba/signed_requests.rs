//! Signed CIBA requests (OpenID CIBA §7.1.1).

use super::{ANA, scene};
use crate::both_engines;
use crate::harness::oauth_application::OAuthApplication;
use crate::harness::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::signing_keys::SigningKey;
use sinete_store::oauth::clients::ClientOrigin;

/// A signed request with changes; null removes a claim.
fn object(app: &OAuthApplication<'_>, key: &SigningKey, changes: &Value) -> String {
    let now = app.world.server.engine().now().seconds();
    let mut claims = json!({
        "iss": app.id, "aud": app.world.issuer(), "iat": now, "nbf": now, "exp": now + 300, "jti": "a-request",
        "scope": "openid", "login_hint": ANA, "binding_message": "4711", "requested_expiry": 120
    });
    let members = claims.as_object_mut().unwrap();
    members.extend(changes.as_object().unwrap().clone());
    members.retain(|_, value| !value.is_null());
    let header = json!({"alg": key.algorithm().as_str(), "kid": key.kid()});
    let encoded = |value: String| URL_SAFE_NO_PAD.encode(value);
    let text = format!("{}.{}", encoded(header.to_string()), encoded(claims.to_string()));
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(key.sign(text.as_bytes()).unwrap()))
}

async fn sends(app: &OAuthApplication<'_>, request: &str, extra_params: &[(&str, &str)]) -> (u16, Value) {
    let form = [("request", request)]
        .iter()
        .chain(extra_params)
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect::<Vec<_>>();
    app.post_form("/connect/backchannel", &form).await
}

both_engines!(
    ciba_signed_request_ignores_parameters_outside_its_object,
    ciba_signed_request_is_used_once_and_a_refused_one_stays_valid
);

async fn ciba_signed_request_ignores_parameters_outside_its_object(world: &World) {
    let scene = scene(world).await;
    let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let signing = json!({"jwks": {"keys": [key.public_jwk()]}, "backchannel_authentication_request_signing_alg": "ES256"});
    let app = world.create_ciba_client(ClientOrigin::Operator, signing).await;
    for (jti, expiry) in [("1", json!(120)), ("2", json!("120"))] {
        let changes = json!({"requested_expiry": expiry, "jti": jti});
        let (status, body) = sends(&app, &object(&app, &key, &changes), &[]).await;
        assert_eq!((status, &body["expires_in"]), (200, &json!(120)), "{body}");
    }
    assert_eq!(scene.ana.pending_ciba_requests().await[0]["binding_message"], "4711");
    let (status, body) = app.request_ciba(&[("login_hint", ANA)]).await;
    assert_eq!((status, &body["error"]), (400, &json!("invalid_request")), "an unsigned request is refused");
    let (status, body) = sends(&app, &object(&app, &key, &json!({})), &[("binding_message", "other")]).await;
    assert_eq!((status, &body["error"]), (400, &json!("invalid_request")));
    let now = world.server.engine().now().seconds();
    let other = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    for (wrong, reason) in [
        (object(&app, &other, &json!({})), "another key"),
        (object(&app, &key, &json!({"iss": "somebody"})), "another issuer"),
        (object(&app, &key, &json!({"aud": "https://elsewhere.example"})), "another audience"),
        (object(&app, &key, &json!({"exp": now - 120})), "expired"),
        (object(&app, &key, &json!({"nbf": now + 600})), "not yet"),
        (object(&app, &key, &json!({"exp": now + 7_200})), "for too long"),
        (object(&app, &key, &json!({"jti": "1"})), "seen before"),
        (object(&app, &key, &json!({"jti": null})), "without jti"),
        (object(&app, &key, &json!({"jti": ""})), "without an id in jti"),
        (object(&app, &key, &json!({"exp": null})), "without exp"),
        (object(&app, &key, &json!({"nbf": null})), "without nbf"),
        (object(&app, &key, &json!({"iat": null})), "without iat"),
        (object(&app, &key, &json!({"iss": null})), "without iss"),
        (object(&app, &key, &json!({"aud": null})), "without aud"),
    ] {
        let (status, body) = sends(&app, &wrong, &[]).await;
        assert_eq!((status, &body["error"]), (400, &json!("invalid_request")), "{reason}");
    }
}

async fn ciba_signed_request_is_used_once_and_a_refused_one_stays_valid(world: &World) {
    let scene = scene(world).await;
    let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let signing = json!({"jwks": {"keys": [key.public_jwk()]}, "backchannel_authentication_request_signing_alg": "ES256"});
    let (app, other) = (
        world.create_ciba_client(ClientOrigin::Operator, signing.clone()).await,
        world.create_ciba_client(ClientOrigin::Operator, signing).await,
    );
    for jti in ["1", "2", "3"] {
        assert_eq!(sends(&app, &object(&app, &key, &json!({"jti": jti})), &[]).await.0, 200);
    }
    let fourth = object(&app, &key, &json!({"jti": "4"}));
    assert_eq!(sends(&app, &fourth, &[]).await.0, 429, "three requests are pending");
    for pending_request in scene.ana.pending_ciba_requests().await {
        let path = format!("/account/requests/{}/deny", pending_request["id"].as_str().unwrap());
        scene.ana.post(&path, Value::Null).await.assert_status(204);
    }
    let (a, b, c, d) = tokio::join!(
        sends(&app, &fourth, &[]),
        sends(&app, &fourth, &[]),
        sends(&app, &fourth, &[]),
        sends(&app, &fourth, &[])
    );
    assert_eq!([a, b, c, d].into_iter().filter(|(status, _)| *status == 200).count(), 1);
    let (status, body) = sends(&app, &fourth, &[]).await;
    assert_eq!((status, &body["error"]), (400, &json!("invalid_request")));
    assert_eq!(scene.ana.pending_ciba_requests().await.len(), 1);
    // A `jti` that one client used is available to another.
    assert_eq!(sends(&other, &object(&other, &key, &json!({"jti": "4"})), &[]).await.0, 200);
}
