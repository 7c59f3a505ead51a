//! Requests for approval that their client signed (OpenID CIBA §7.1.1).

use super::{ANA, scene};
use crate::harness::application::Application;
use crate::stories;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sinete_core::signing::Algorithm;
use sinete_crypto::key::SigningKey;
use sinete_store::clients::Origin;

/// A request as a signed token, with changes: what is null is left out.
fn object(app: &Application<'_>, key: &SigningKey, changes: &Value) -> String {
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

async fn sends(app: &Application<'_>, request: &str, beside: &[(&str, &str)]) -> (u16, Value) {
    let form = [("request", request)]
        .iter()
        .chain(beside)
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect::<Vec<_>>();
    app.post("/connect/backchannel", &form).await
}

stories! {
    async fn what_a_client_signed_counts_whole_and_nothing_beside_it(world: &World) {
        let scene = scene(world).await;
        let key = SigningKey::generate(Algorithm::Es256).unwrap();
        let signing = json!({"jwks": {"keys": [key.public_jwk()]}, "backchannel_authentication_request_signing_alg": "ES256"});
        let app = world.agent(Origin::Operator, signing).await;
        for expiry in [json!(120), json!("120")] {
            let (status, told) = sends(&app, &object(&app, &key, &json!({"requested_expiry": expiry})), &[]).await;
            assert_eq!((status, &told["expires_in"]), (200, &json!(120)), "{told}");
        }
        assert_eq!(scene.ana.requests().await[0]["binding_message"], "4711");
        let (status, told) = app.asks_approval(&[("login_hint", ANA)]).await;
        assert_eq!((status, &told["error"]), (400, &json!("invalid_request")), "it signs all of them");
        let (status, told) = sends(&app, &object(&app, &key, &json!({})), &[("binding_message", "other")]).await;
        assert_eq!((status, &told["error"]), (400, &json!("invalid_request")));
        let now = world.server.engine().now().seconds();
        let other = SigningKey::generate(Algorithm::Es256).unwrap();
        for (wrong, why) in [
            (object(&app, &other, &json!({})), "another key"),
            (object(&app, &key, &json!({"iss": "somebody"})), "another issuer"),
            (object(&app, &key, &json!({"aud": "https://elsewhere.example"})), "another audience"),
            (object(&app, &key, &json!({"exp": now - 120})), "expired"),
            (object(&app, &key, &json!({"nbf": now + 600})), "not yet"),
            (object(&app, &key, &json!({"exp": now + 7_200})), "for too long"),
            (object(&app, &key, &json!({"jti": null})), "without jti"),
            (object(&app, &key, &json!({"exp": null})), "without exp"),
            (object(&app, &key, &json!({"nbf": null})), "without nbf"),
            (object(&app, &key, &json!({"iat": null})), "without iat"),
            (object(&app, &key, &json!({"iss": null})), "without iss"),
            (object(&app, &key, &json!({"aud": null})), "without aud"),
        ] {
            let (status, told) = sends(&app, &wrong, &[]).await;
            assert_eq!((status, &told["error"]), (400, &json!("invalid_request_object")), "{why}");
        }
    }
}
