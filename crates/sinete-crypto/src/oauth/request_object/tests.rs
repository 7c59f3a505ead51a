use super::*;
use crate::platform::signing_keys::SigningKey;
use serde_json::json;
use std::sync::LazyLock;

const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);

static ES256: LazyLock<SigningKey> = LazyLock::new(|| SigningKey::generate(SigningAlgorithm::Es256).unwrap());

fn keys(key: &SigningKey) -> VerificationKeySet {
    VerificationKeySet::from_jwks(&json!({"keys": [key.public_jwk()]}), None)
}

fn signed(key: &SigningKey, header: &Value, claims: &Value) -> String {
    let encoded = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let text = format!("{}.{}", encoded(header), encoded(claims));
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(key.sign(text.as_bytes()).unwrap()))
}

fn judged(
    text: &str,
    key: &SigningKey,
    algorithm: Option<SigningAlgorithm>,
) -> Result<Vec<(String, String)>, JwtRejection> {
    judged_as(SecurityProfile::Standard, text, key, algorithm)
}

fn judged_as(
    profile: SecurityProfile,
    text: &str,
    key: &SigningKey,
    algorithm: Option<SigningAlgorithm>,
) -> Result<Vec<(String, String)>, JwtRejection> {
    let issuer = "https://id.example";
    verify_request_object(
        text,
        &keys(key),
        &RequestObjectExpectations { client: "app", issuer, profile, algorithm, now: NOW },
    )
}

/// Verifies a request with these claims added to the typical ones.
fn judged_with(claims: Value) -> Result<Vec<(String, String)>, JwtRejection> {
    let mut all_claims =
        json!({"iss": "app", "aud": "https://id.example", "client_id": "app", "scope": "openid"});
    all_claims.as_object_mut().unwrap().extend(claims.as_object().unwrap().clone());
    judged(&signed(&ES256, &json!({"alg": "ES256", "kid": ES256.kid()}), &all_claims), &ES256, None)
}

#[test]
fn request_object_of_every_algorithm_is_accepted() {
    for algorithm in SigningAlgorithm::ALL {
        let key = SigningKey::generate(algorithm).unwrap();
        let header = json!({"alg": algorithm.as_str(), "kid": key.kid(), "typ": "oauth-authz-req+jwt"});
        let claims = json!({"iss": "app", "aud": "https://id.example", "client_id": "app", "max_age": 60, "claims": {"id_token": null}, "state": "x"});
        let parameters = judged(&signed(&key, &header, &claims), &key, Some(algorithm)).unwrap();
        let expected =
            [("claims", r#"{"id_token":null}"#), ("client_id", "app"), ("max_age", "60"), ("state", "x")];
        assert_eq!(parameters, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}

#[test]
fn request_object_not_signed_by_the_client_is_refused() {
    let claims = json!({"client_id": "app"});
    let header = |changes: Value| {
        let mut header = json!({"alg": "ES256", "kid": ES256.kid()});
        header.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        header
    };
    let with = |changes| judged(&signed(&ES256, &header(changes), &claims), &ES256, None).unwrap_err();
    assert_eq!(with(json!({"alg": "none"})), JwtRejection::WrongAlgorithm);
    assert_eq!(with(json!({"alg": "HS256"})), JwtRejection::WrongAlgorithm);
    assert_eq!(with(json!({"alg": "RS256"})), JwtRejection::WrongAlgorithm);
    assert_eq!(with(json!({"kid": "other"})), JwtRejection::UnknownKey);
    assert_eq!(with(json!({"typ": "at+jwt"})), JwtRejection::WrongType);
    assert_eq!(with(json!({"crit": ["x"]})), JwtRejection::Critical);
    assert_eq!(with(json!({"jwk": ES256.public_jwk()})), JwtRejection::EmbeddedKey);
    let other = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let forged = signed(&other, &header(json!({})), &claims);
    assert_eq!(judged(&forged, &ES256, None), Err(JwtRejection::WrongSignature));
    let signed_object = signed(&ES256, &header(json!({})), &claims);
    assert_eq!(
        judged(&signed_object, &ES256, Some(SigningAlgorithm::Ps256)),
        Err(JwtRejection::WrongAlgorithm)
    );
    let unsigned = format!("{}.", signed_object.rsplit_once('.').unwrap().0);
    assert_eq!(judged(&unsigned, &ES256, None), Err(JwtRejection::WrongSignature));
    assert_eq!(judged("x", &ES256, None), Err(JwtRejection::Malformed));
}

#[test]
fn request_object_must_name_its_client_the_issuer_and_current_times() {
    let now = NOW.seconds();
    assert!(
        judged_with(json!({"exp": now + 1, "nbf": now, "iat": now, "aud": ["x", "https://id.example"]}))
            .is_ok()
    );
    for (claims, rejection) in [
        (json!({"iss": "other"}), JwtRejection::WrongIssuer),
        (json!({"iss": null}), JwtRejection::WrongIssuer),
        (json!({"iss": ["app"]}), JwtRejection::WrongIssuer),
        (json!({"aud": null}), JwtRejection::WrongAudience),
        (json!({"aud": []}), JwtRejection::WrongAudience),
        (json!({"client_id": "other"}), JwtRejection::WrongIssuer),
        (json!({"aud": "https://other.example"}), JwtRejection::WrongAudience),
        (json!({"aud": 1}), JwtRejection::WrongAudience),
        (json!({"exp": now - 11}), JwtRejection::Expired),
        (json!({"exp": "soon"}), JwtRejection::BadClaim("exp")),
        (json!({"nbf": now + 11}), JwtRejection::NotYetValid),
        (json!({"iat": now + 3600}), JwtRejection::NotYetValid),
        (json!({"sub": "app"}), JwtRejection::BadClaim("sub")),
        (json!({"request": "x"}), JwtRejection::BadClaim("request")),
        (json!({"request_uri": "x"}), JwtRejection::BadClaim("request")),
    ] {
        assert_eq!(judged_with(claims.clone()), Err(rejection), "{claims}");
    }
}

#[test]
fn request_object_without_iss_or_aud_is_refused() {
    let header = json!({"alg": "ES256", "kid": ES256.kid()});
    let with = |claims: Value| judged(&signed(&ES256, &header, &claims), &ES256, None);
    assert_eq!(
        with(json!({"aud": "https://id.example", "client_id": "app"})),
        Err(JwtRejection::WrongIssuer)
    );
    assert_eq!(with(json!({"iss": "app", "client_id": "app"})), Err(JwtRejection::WrongAudience));
    assert!(with(json!({"iss": "app", "aud": "https://id.example"})).is_ok());
}

#[test]
fn request_object_of_fapi2_needs_nbf_and_exp_within_an_hour() {
    let now = NOW.seconds();
    let header = json!({"alg": "ES256", "kid": ES256.kid()});
    let with = |profile, claims: Value| {
        let mut all_claims = json!({"iss": "app", "aud": "https://id.example", "nbf": now, "exp": now + 60});
        for (name, value) in claims.as_object().unwrap() {
            all_claims[name] = value.clone();
        }
        all_claims.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        judged_as(profile, &signed(&ES256, &header, &all_claims), &ES256, None)
    };
    for claims in [json!({}), json!({"nbf": now - 3_600, "exp": now}), json!({"exp": now + 3_600})] {
        assert!(with(SecurityProfile::Fapi2, claims.clone()).is_ok(), "{claims}");
    }
    for (claims, rejection) in [
        (json!({"nbf": null}), JwtRejection::BadClaim("nbf")),
        (json!({"exp": null}), JwtRejection::BadClaim("exp")),
        (json!({"nbf": now - 3_601, "exp": now}), JwtRejection::BadClaim("nbf")),
        (json!({"exp": now + 3_601}), JwtRejection::BadClaim("exp")),
    ] {
        assert_eq!(with(SecurityProfile::Fapi2, claims.clone()), Err(rejection), "{claims}");
        assert!(with(SecurityProfile::Standard, claims.clone()).is_ok(), "{claims}");
    }
}
