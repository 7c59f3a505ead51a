use super::*;
use crate::platform::signing_keys::SigningKey;
use aws_lc_rs::hmac;
use serde_json::json;
use std::sync::LazyLock;

const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);

static ES256: LazyLock<SigningKey> = LazyLock::new(|| SigningKey::generate(SigningAlgorithm::Es256).unwrap());
static RSA: LazyLock<SigningKey> = LazyLock::new(|| SigningKey::generate(SigningAlgorithm::Ps256).unwrap());

fn keys(keys: &[&SigningKey]) -> VerificationKeySet {
    let keys: Vec<Value> = keys.iter().map(|key| key.public_jwk()).collect();
    VerificationKeySet::from_jwks(&json!({ "keys": keys }), None)
}

fn header() -> Value {
    json!({"alg": "ES256", "kid": ES256.kid(), "typ": "JWT"})
}

fn claims() -> Value {
    let now = NOW.seconds();
    json!({"iss": "robot", "sub": "robot", "aud": "https://id.example", "jti": "one", "iat": now, "exp": now + 60})
}

fn signed(key: &SigningKey, header: &Value, claims: &str) -> String {
    let text = format!("{}.{}", URL_SAFE_NO_PAD.encode(header.to_string()), URL_SAFE_NO_PAD.encode(claims));
    let signature = URL_SAFE_NO_PAD.encode(key.sign(text.as_bytes()).unwrap());
    format!("{text}.{signature}")
}

fn judged_by(
    assertion: &str,
    keys: &VerificationKeySet,
    algorithm: Option<SigningAlgorithm>,
) -> Result<VerifiedClientAssertion, ClientAssertionRejection> {
    let audiences = ["https://id.example".to_owned(), "https://id.example/connect/token".to_owned()];
    verify_client_assertion(
        assertion,
        keys,
        &ClientAssertionExpectations {
            client: "robot",
            audiences: &audiences,
            audience_form: AssertionAudienceForm::OneOrList,
            algorithm,
            now: NOW,
        },
    )
}

/// Validates a typical assertion with some claims changed, or removed with `null`.
fn judged_with(changes: Value) -> Result<VerifiedClientAssertion, ClientAssertionRejection> {
    let mut claims = claims();
    for (name, value) in changes.as_object().unwrap() {
        claims[name] = value.clone();
    }
    claims.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    judged_by(&signed(&ES256, &header(), &claims.to_string()), &keys(&[&ES256]), None)
}

#[test]
fn client_assertion_of_every_algorithm_is_accepted() {
    for algorithm in SigningAlgorithm::ALL {
        let key = SigningKey::generate(algorithm).unwrap();
        let header = json!({"alg": algorithm.as_str(), "kid": key.kid()});
        let assertion = signed(&key, &header, &claims().to_string());
        let accepted = judged_by(&assertion, &keys(&[&key]), Some(algorithm)).unwrap();
        assert_eq!(accepted.id, "one");
        assert_eq!(accepted.replay_expires_at, NOW.plus(sinete_core::time::Lifetime::from_seconds(70)));
        assert_eq!(read_claimed_client(&assertion).as_deref(), Some("robot"));
    }
}

#[test]
fn client_assertion_aud_must_be_the_issuer_or_the_token_endpoint() {
    let token = "https://id.example/connect/token";
    for aud in [json!("https://id.example"), json!(token), json!(["https://id.example", token])] {
        assert!(judged_with(json!({"aud": aud})).is_ok(), "{aud}");
    }
    for aud in [
        json!(null),
        json!(""),
        json!([]),
        json!("https://id.example/"),
        json!("https://other.example"),
        json!(["https://id.example", "https://other.example"]),
        json!([["https://id.example"]]),
        json!({"https://id.example": 1}),
    ] {
        let refused = judged_with(json!({"aud": aud}));
        assert_eq!(refused, Err(JwtRejection::WrongAudience.into()), "{aud}");
    }
}

#[test]
fn client_assertion_must_be_short_lived_and_current() {
    let now = NOW.seconds();
    for fine in [
        json!({"iat": null}),
        json!({"iat": now + 8}),
        json!({"exp": now + 300}),
        json!({"exp": now - 5, "iat": now - 60}),
        json!({"nbf": now + 8}),
    ] {
        assert!(judged_with(fine.clone()).is_ok(), "{fine}");
    }
    let too_long = ClientAssertionRejection::TooLongLived;
    for (wrong, rejection) in [
        (json!({"exp": null}), JwtRejection::BadClaim("exp").into()),
        (json!({"exp": "soon"}), JwtRejection::BadClaim("exp").into()),
        (json!({"exp": now - 10}), JwtRejection::Expired.into()),
        (json!({"exp": now + 3_600}), too_long),
        (json!({"exp": now + 320, "iat": null}), too_long),
        (json!({"exp": now + 1, "iat": now - 300}), too_long),
        (json!({"iat": now + 61, "exp": now + 100}), JwtRejection::NotYetValid.into()),
        (json!({"nbf": now + 61}), JwtRejection::NotYetValid.into()),
    ] {
        assert_eq!(judged_with(wrong.clone()), Err(rejection), "{wrong}");
    }
}

#[test]
fn client_assertion_needs_iss_and_sub_of_the_client_and_a_jti() {
    for wrong in
        [json!({"iss": "other"}), json!({"sub": "other"}), json!({"iss": null}), json!({"sub": null})]
    {
        assert_eq!(judged_with(wrong.clone()), Err(ClientAssertionRejection::WrongClient), "{wrong}");
    }
    for jti in [json!(null), json!(""), json!(7), json!("x".repeat(257))] {
        assert_eq!(judged_with(json!({"jti": jti})), Err(JwtRejection::BadClaim("jti").into()), "{jti}");
    }
}

#[test]
fn client_assertion_header_selects_neither_key_nor_algorithm() {
    let key_set = keys(&[&ES256, &RSA]);
    let with = |change: &dyn Fn(&mut Value)| {
        let mut header = header();
        change(&mut header);
        judged_by(&signed(&ES256, &header, &claims().to_string()), &key_set, None)
    };
    assert!(with(&|_| {}).is_ok());
    assert!(with(&|it| drop(it.as_object_mut().unwrap().remove("kid"))).is_ok());
    for member in ["jwk", "jku", "x5u", "x5c"] {
        assert_eq!(with(&|it| it[member] = json!("x")), Err(JwtRejection::EmbeddedKey.into()), "{member}");
    }
    assert_eq!(with(&|it| it["crit"] = json!(["exp"])), Err(JwtRejection::Critical.into()));
    for kid in ["../../etc/passwd", "' OR 1=1 --", ""] {
        assert_eq!(with(&|it| it["kid"] = json!(kid)), Err(JwtRejection::UnknownKey.into()), "{kid}");
    }
    for alg in ["none", "None", "HS256", "RS256", "PS256", "ES384", ""] {
        assert_eq!(with(&|it| it["alg"] = json!(alg)), Err(JwtRejection::WrongAlgorithm.into()), "{alg}");
    }
    let unsigned = signed(&ES256, &json!({"alg": "none"}), &claims().to_string());
    let unsigned = format!("{}.", unsigned.rsplit_once('.').unwrap().0);
    assert!(judged_by(&unsigned, &key_set, None).is_err());
}

#[test]
fn client_assertion_signed_with_the_public_key_as_hmac_secret_is_refused() {
    let key_set = keys(&[&ES256]);
    let text = format!(
        "{}.{}",
        URL_SAFE_NO_PAD.encode(json!({"alg": "HS256", "kid": ES256.kid()}).to_string()),
        URL_SAFE_NO_PAD.encode(claims().to_string())
    );
    let key = hmac::Key::new(hmac::HMAC_SHA256, ES256.public_jwk().to_string().as_bytes());
    let tag = hmac::sign(&key, text.as_bytes());
    let forged = format!("{text}.{}", URL_SAFE_NO_PAD.encode(tag));
    assert_eq!(judged_by(&forged, &key_set, None), Err(JwtRejection::WrongAlgorithm.into()));
}

#[test]
fn client_assertion_with_duplicate_members_or_another_signature_is_refused() {
    let twice = claims().to_string().replacen('{', r#"{"sub":"other","#, 1);
    let assertion = signed(&ES256, &header(), &twice);
    assert_eq!(judged_by(&assertion, &keys(&[&ES256]), None), Err(JwtRejection::Malformed.into()));
    let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let forged = signed(&key, &header(), &claims().to_string());
    assert_eq!(judged_by(&forged, &keys(&[&ES256]), None), Err(JwtRejection::WrongSignature.into()));
    for text in ["", ".", "..", "a.b", "a.b.c.d", &"x".repeat(TOKEN_BYTES_MAX + 1)] {
        assert!(judged_by(text, &keys(&[&ES256]), None).is_err());
        assert_eq!(read_claimed_client(text), None);
    }
}

#[test]
fn client_assertion_rsa_key_without_alg_uses_the_registered_algorithm() {
    let mut jwk = RSA.public_jwk();
    jwk.as_object_mut().unwrap().remove("alg");
    let set = json!({"keys": [{"kty": "oct", "k": "AAAA"}, {"use": "enc", "kty": "RSA"}, jwk]});
    let assertion = signed(&RSA, &json!({"alg": "PS256", "kid": RSA.kid()}), &claims().to_string());
    assert!(judged_by(&assertion, &VerificationKeySet::from_jwks(&set, None), None).is_ok());
    let registered = Some(SigningAlgorithm::Ps256);
    assert!(judged_by(&assertion, &VerificationKeySet::from_jwks(&set, registered), registered).is_ok());
    let other = Some(SigningAlgorithm::Rs256);
    let refused = judged_by(&assertion, &VerificationKeySet::from_jwks(&set, other), other);
    assert_eq!(refused, Err(JwtRejection::WrongAlgorithm.into()));
}

#[test]
fn client_assertion_with_an_unknown_key_is_distinguished_from_a_wrong_signature() {
    let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let assertion = signed(&key, &json!({"alg": "ES256", "kid": key.kid()}), &claims().to_string());
    assert!(!keys(&[&ES256]).can_verify(&assertion) && keys(&[&key]).can_verify(&assertion));
}

#[test]
fn client_assertion_for_a_small_order_ed25519_key_is_refused() {
    let x = URL_SAFE_NO_PAD.encode([&[1][..], &[0; 31]].concat());
    let published =
        VerificationKeySet::from_jwks(&json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": x}]}), None);
    let header = URL_SAFE_NO_PAD.encode(json!({"alg": "EdDSA"}).to_string());
    let signature = URL_SAFE_NO_PAD.encode([&[1][..], &[0; 63]].concat());
    let forged = format!("{header}.{}.{signature}", URL_SAFE_NO_PAD.encode(claims().to_string()));
    assert!(!published.can_verify(&forged));
    assert!(judged_by(&forged, &published, None).is_err());
}

#[test]
fn client_assertion_verifies_one_signature_whatever_keys_are_registered() {
    let others = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    for algorithm in SigningAlgorithm::ALL {
        let key = SigningKey::generate(algorithm).unwrap();
        let text = |header: Value| signed(&key, &header, &claims().to_string());
        let assertion = text(json!({"alg": algorithm.as_str(), "kid": key.kid()}));
        let unnamed = text(json!({"alg": algorithm.as_str()}));
        let collect_algorithms =
            |assertion: &str, keys: &VerificationKeySet, registered: Option<SigningAlgorithm>| {
                let mut verified = Vec::new();
                let mut count = |key: &PublicKey, signed: &[u8], signature: &[u8]| {
                    verified.push(key.algorithm());
                    verify_signature(key, signed, signature)
                };
                let is_right = check_signature(assertion, keys, registered, &mut count).is_ok();
                (verified, is_right)
            };
        let other_algorithm = SigningAlgorithm::ALL.into_iter().find(|it| *it != algorithm);
        let none = VerificationKeySet::default();
        for (assertion, keys, registered, is_right) in [
            (&assertion, &keys(&[&key]), None, true),
            (&unnamed, &keys(&[&key]), Some(algorithm), true),
            // The client does not exist, or has no keys.
            (&assertion, &none, None, false),
            (&unnamed, &none, None, false),
            // The key is a different one, or for another algorithm.
            (&assertion, &keys(&[&others]), None, false),
            (&assertion, &keys(&[&key]), other_algorithm, false),
        ] {
            assert_eq!(
                collect_algorithms(assertion, keys, registered),
                (vec![algorithm], is_right),
                "{registered:?}"
            );
        }
    }
}
