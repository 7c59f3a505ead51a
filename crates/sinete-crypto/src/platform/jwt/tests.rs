use super::*;
use aws_lc_rs::hmac;
use proptest::prelude::*;
use serde_json::Value;
use sinete_core::limits::{CLOCK_TOLERANCE, TOKEN_BYTES_MAX};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::{Lifetime, Timestamp};
use std::sync::LazyLock;

const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);

static ES256: LazyLock<SigningKey> = LazyLock::new(|| SigningKey::generate(SigningAlgorithm::Es256).unwrap());

fn expected() -> JwtExpectations<'static> {
    JwtExpectations {
        typ: JwtType::Access,
        algorithms: &SigningAlgorithm::ALL,
        issuer: "https://id.example",
        audience: Some("https://api.example"),
        now: NOW,
        tolerance: CLOCK_TOLERANCE,
    }
}

fn claims() -> Value {
    json!({
        "iss": "https://id.example", "aud": "https://api.example", "sub": "somebody",
        "iat": NOW.seconds(), "exp": NOW.seconds() + 600,
    })
}

/// Typical claims with one of them changed, or removed with `null`.
fn claims_with(name: &str, value: Value) -> Value {
    let mut claims = claims();
    if value.is_null() {
        claims.as_object_mut().unwrap().remove(name);
    } else {
        claims[name] = value;
    }
    claims
}

fn judged(claims: &Value) -> Result<VerifiedJwtClaims, JwtRejection> {
    let token = sign_jwt(&ES256, JwtType::Access, claims).unwrap();
    verify_jwt(&token, [&**ES256.public_key()], &expected())
}

/// A correctly signed token with an arbitrary header and payload.
fn signed_anyhow(key: &SigningKey, header: &str, payload: &str) -> String {
    let signed = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(payload));
    let signature = URL_SAFE_NO_PAD.encode(key.sign(signed.as_bytes()).unwrap());
    format!("{signed}.{signature}")
}

/// Verifies a correctly signed token with these header members in addition to the right ones.
fn judged_with_header(change: impl Fn(&mut Value)) -> Result<VerifiedJwtClaims, JwtRejection> {
    let mut header = json!({"alg": "ES256", "kid": ES256.kid(), "typ": "at+jwt"});
    change(&mut header);
    let token = signed_anyhow(&ES256, &header.to_string(), &claims().to_string());
    verify_jwt(&token, [&**ES256.public_key()], &expected())
}

#[test]
fn jwt_of_every_algorithm_and_type_verifies() {
    for algorithm in SigningAlgorithm::ALL {
        let key = SigningKey::generate(algorithm).unwrap();
        for of_type in JwtType::ALL {
            let token = sign_jwt(&key, of_type, &claims()).unwrap();
            assert_eq!(token.split('.').count(), 3);
            let verified =
                verify_jwt(&token, [&**key.public_key()], &JwtExpectations { typ: of_type, ..expected() })
                    .unwrap();
            assert_eq!(Value::Object(verified.members().clone()), claims());
            for other in JwtType::ALL.into_iter().filter(|other| *other != of_type) {
                let wrong =
                    verify_jwt(&token, [&**key.public_key()], &JwtExpectations { typ: other, ..expected() });
                assert_eq!(wrong, Err(JwtRejection::WrongType));
            }
        }
    }
}

#[test]
fn jwt_key_is_found_by_kid_among_others() {
    let others: Vec<_> =
        SigningAlgorithm::ALL.map(|algorithm| SigningKey::generate(algorithm).unwrap()).into();
    let token = sign_jwt(&others[2], JwtType::Access, &claims()).unwrap();
    assert!(verify_jwt(&token, others.iter().map(|key| &**key.public_key()), &expected()).is_ok());
    assert_eq!(verify_jwt(&token, [&**ES256.public_key()], &expected()), Err(JwtRejection::UnknownKey));
    assert_eq!(verify_jwt(&token, [], &expected()), Err(JwtRejection::UnknownKey));
}

#[test]
fn jwt_header_cannot_choose_the_algorithm() {
    for algorithm in ["none", "None", "HS256", "RS256", "PS256", "EdDSA", "es256", "ES384", ""] {
        let judged = judged_with_header(|header| header["alg"] = algorithm.into());
        assert_eq!(judged, Err(JwtRejection::WrongAlgorithm), "{algorithm}");
    }
    assert_eq!(judged_with_header(|header| header["alg"] = Value::Null), Err(JwtRejection::Malformed));
    assert_eq!(judged_with_header(|header| header["alg"] = json!(["ES256"])), Err(JwtRejection::Malformed));
}

#[test]
fn jwt_unsigned_or_signed_with_the_public_key_as_secret_is_refused() {
    let payload = URL_SAFE_NO_PAD.encode(claims().to_string());
    let header = |alg: &str| {
        URL_SAFE_NO_PAD.encode(json!({"alg": alg, "kid": ES256.kid(), "typ": "at+jwt"}).to_string())
    };
    let unsigned = format!("{}.{payload}.", header("none"));
    assert_eq!(
        verify_jwt(&unsigned, [&**ES256.public_key()], &expected()),
        Err(JwtRejection::WrongAlgorithm)
    );
    let unsigned = format!("{}.{payload}.", header("ES256"));
    assert_eq!(
        verify_jwt(&unsigned, [&**ES256.public_key()], &expected()),
        Err(JwtRejection::WrongSignature)
    );
    let public = ES256.public_jwk().to_string();
    for (secret, alg) in [(public.as_bytes(), "HS256"), (ES256.kid().as_bytes(), "HS256"), (b"", "ES256")] {
        let signed = format!("{}.{payload}", header(alg));
        let code = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), signed.as_bytes());
        let token = format!("{signed}.{}", URL_SAFE_NO_PAD.encode(code));
        assert!(verify_jwt(&token, [&**ES256.public_key()], &expected()).is_err());
    }
}

#[test]
fn jwt_rs256_and_ps256_are_not_interchangeable() {
    let pem = SigningKey::generate(SigningAlgorithm::Rs256).unwrap().to_pem().unwrap();
    let [rs256, ps256] = [SigningAlgorithm::Rs256, SigningAlgorithm::Ps256]
        .map(|algorithm| SigningKey::parse(&pem, Some(algorithm)).unwrap());
    for (signer, verifier) in [(&rs256, &ps256), (&ps256, &rs256)] {
        let token = sign_jwt(signer, JwtType::Access, &claims()).unwrap();
        assert_eq!(
            verify_jwt(&token, [&**verifier.public_key()], &expected()),
            Err(JwtRejection::WrongAlgorithm)
        );
        // Even if the header matches the key that verifies.
        let header = json!({"alg": verifier.algorithm().as_str(), "kid": verifier.kid(), "typ": "at+jwt"});
        let token = signed_anyhow(signer, &header.to_string(), &claims().to_string());
        assert_eq!(
            verify_jwt(&token, [&**verifier.public_key()], &expected()),
            Err(JwtRejection::WrongSignature)
        );
    }
}

#[test]
fn jwt_with_an_algorithm_not_accepted_by_the_verifier_is_refused_for_a_known_key() {
    let token = sign_jwt(&ES256, JwtType::Access, &claims()).unwrap();
    let only_ps256 = JwtExpectations { algorithms: &[SigningAlgorithm::Ps256], ..expected() };
    assert_eq!(verify_jwt(&token, [&**ES256.public_key()], &only_ps256), Err(JwtRejection::WrongAlgorithm));
}

#[test]
fn jwt_with_crit_or_embedded_keys_in_the_header_is_refused() {
    for value in [json!(["b64"]), json!([]), json!(["exp"])] {
        assert_eq!(judged_with_header(|header| header["crit"] = value.clone()), Err(JwtRejection::Critical));
    }
    for member in ["jwk", "jku", "x5u", "x5c"] {
        assert_eq!(judged_with_header(|header| header[member] = "x".into()), Err(JwtRejection::EmbeddedKey));
    }
}

#[test]
fn jwt_with_an_invalid_kid_is_refused() {
    for kid in ["", "../../etc/passwd", "' OR 1=1 --", "x\u{0}y"] {
        assert_eq!(judged_with_header(|header| header["kid"] = kid.into()), Err(JwtRejection::UnknownKey));
    }
    assert_eq!(judged_with_header(|header| header["kid"] = json!(1)), Err(JwtRejection::Malformed));
}

#[test]
fn jwt_typ_must_be_present_and_match() {
    for typ in ["at+jwt", "AT+JWT", "application/at+jwt", "Application/at+jwt"] {
        assert!(judged_with_header(|header| header["typ"] = typ.into()).is_ok(), "{typ}");
    }
    for typ in ["JWT", "", "at+jwt ", "text/at+jwt", "application/", "é".repeat(9).as_str()] {
        assert_eq!(
            judged_with_header(|header| header["typ"] = typ.into()),
            Err(JwtRejection::WrongType),
            "{typ}"
        );
    }
    let absent = judged_with_header(|header| {
        header.as_object_mut().unwrap().remove("typ");
    });
    assert_eq!(absent, Err(JwtRejection::WrongType));
}

#[test]
fn jwt_with_duplicate_members_is_refused() {
    let header = format!(r#"{{"alg":"ES256","alg":"ES256","kid":"{}","typ":"at+jwt"}}"#, ES256.kid());
    let token = signed_anyhow(&ES256, &header, &claims().to_string());
    assert_eq!(verify_jwt(&token, [&**ES256.public_key()], &expected()), Err(JwtRejection::Malformed));
    let header = format!(r#"{{"alg":"ES256","kid":"{}","typ":"at+jwt"}}"#, ES256.kid());
    let payload = claims().to_string().replacen('{', r#"{"sub":"somebody else","#, 1);
    let token = signed_anyhow(&ES256, &header, &payload);
    assert_eq!(verify_jwt(&token, [&**ES256.public_key()], &expected()), Err(JwtRejection::Malformed));
}

#[test]
fn jwt_times_are_checked_with_exact_tolerance() {
    let now = NOW.seconds();
    assert!(judged(&claims_with("exp", json!(now - 9))).is_ok());
    assert_eq!(judged(&claims_with("exp", json!(now - 10))), Err(JwtRejection::Expired));
    assert!(judged(&claims_with("exp", json!(now as f64 - 9.5))).is_ok());
    assert!(judged(&claims_with("nbf", json!(now + 10))).is_ok());
    assert_eq!(judged(&claims_with("nbf", json!(now + 11))), Err(JwtRejection::NotYetValid));
    assert!(judged(&claims_with("iat", json!(now + 10))).is_ok());
    assert_eq!(judged(&claims_with("iat", json!(now + 11))), Err(JwtRejection::NotYetValid));
    let mut ending_now = claims_with("exp", json!(now));
    ending_now["iat"] = json!(now - 600);
    let token = sign_jwt(&ES256, JwtType::Access, &ending_now).unwrap();
    let strict = JwtExpectations { tolerance: Lifetime::ZERO, ..expected() };
    assert_eq!(verify_jwt(&token, [&**ES256.public_key()], &strict), Err(JwtRejection::Expired));
    let a_moment_ago = JwtExpectations { now: NOW.minus(Lifetime::from_micros(1)), ..strict };
    assert!(verify_jwt(&token, [&**ES256.public_key()], &a_moment_ago).is_ok());
}

#[test]
fn jwt_times_of_a_wrong_type_are_refused() {
    for name in ["exp", "nbf", "iat"] {
        for value in [json!("1800000600"), json!(true), json!({}), json!(-1), json!(1e300), json!(u64::MAX)] {
            let expectation = Err(JwtRejection::BadClaim(name));
            assert_eq!(judged(&claims_with(name, value.clone())), expectation, "{name} {value}");
        }
    }
    assert_eq!(judged(&claims_with("exp", Value::Null)), Err(JwtRejection::BadClaim("exp")));
    assert!(judged(&claims_with("iat", Value::Null)).is_ok());
}

#[test]
fn jwt_iss_and_aud_are_compared_exactly() {
    for issuer in [
        json!("https://id.example/"),
        json!("HTTPS://id.example"),
        json!(["https://id.example"]),
        Value::Null,
    ] {
        assert_eq!(judged(&claims_with("iss", issuer)), Err(JwtRejection::WrongIssuer));
    }
    assert!(judged(&claims_with("aud", json!(["https://other.example", "https://api.example"]))).is_ok());
    for audience in
        [json!("https://api.example/x"), json!([]), json!({"https://api.example": 1}), Value::Null]
    {
        assert_eq!(judged(&claims_with("aud", audience)), Err(JwtRejection::WrongAudience));
    }
    let token = sign_jwt(&ES256, JwtType::Access, &claims_with("aud", Value::Null)).unwrap();
    let anyone = JwtExpectations { audience: None, ..expected() };
    assert!(verify_jwt(&token, [&**ES256.public_key()], &anyone).is_ok());
}

#[test]
fn jwt_claims_deserialize_into_a_type() {
    #[derive(serde::Deserialize)]
    struct Mine {
        sub: String,
    }
    assert_eq!(judged(&claims()).unwrap().into_typed::<Mine>().unwrap().sub, "somebody");
    assert!(judged(&claims_with("sub", json!(1))).unwrap().into_typed::<Mine>().is_err());
}

#[test]
fn jwt_has_one_spelling_and_a_size_limit() {
    let token = sign_jwt(&ES256, JwtType::Access, &claims()).unwrap();
    let keys = || [&**ES256.public_key()];
    for wrong in [
        format!("{token}="),
        format!(" {token}"),
        format!("{token}\n"),
        format!("{token}."),
        token.replacen('.', "..", 1),
    ] {
        assert_eq!(verify_jwt(&wrong, keys(), &expected()), Err(JwtRejection::Malformed), "{wrong}");
    }
    let parts: Vec<_> = token.split('.').collect();
    for wrong in [
        "",
        ".",
        "..",
        "...",
        parts[0],
        &format!("{}.{}", parts[0], parts[1]),
        &format!("{token}.{}", parts[0]),
    ] {
        assert_eq!(verify_jwt(wrong, keys(), &expected()), Err(JwtRejection::Malformed), "{wrong}");
    }
    let long = "a".repeat(TOKEN_BYTES_MAX + 1);
    assert_eq!(verify_jwt(&long, keys(), &expected()), Err(JwtRejection::TooLong));
}

#[test]
fn jwt_with_any_changed_character_is_refused() {
    let token = sign_jwt(&ES256, JwtType::Access, &claims()).unwrap();
    for index in 0..token.len() {
        let other = if token.as_bytes()[index] == b'A' { "B" } else { "A" };
        let mut changed = token.clone();
        changed.replace_range(index..=index, other);
        assert!(verify_jwt(&changed, [&**ES256.public_key()], &expected()).is_err(), "at {index}");
    }
}

proptest! {
    #[test]
    fn jwt_verification_of_any_text_never_panics(text in "[A-Za-z0-9_.-]{0,200}|.{0,60}") {
        prop_assert!(verify_jwt(&text, [&**ES256.public_key()], &expected()).is_err());
    }

    #[test]
    fn jwt_verification_of_any_signed_bytes_never_panics(header in any::<Vec<u8>>(), payload in any::<Vec<u8>>()) {
        let signed = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(&payload));
        let signature = URL_SAFE_NO_PAD.encode(ES256.sign(signed.as_bytes()).unwrap());
        let token = format!("{signed}.{signature}");
        prop_assert!(verify_jwt(&token, [&**ES256.public_key()], &expected()).is_err());
        // Also with a valid header, so that the payload is checked.
        let mut token = ES256.headers().for_type(JwtType::Access).to_owned();
        URL_SAFE_NO_PAD.encode_string(&payload, &mut token);
        let signature = URL_SAFE_NO_PAD.encode(ES256.sign(token.as_bytes()).unwrap());
        let token = format!("{token}.{signature}");
        prop_assert_eq!(verify_jwt(&token, [&**ES256.public_key()], &expected()), Err(JwtRejection::Malformed));
    }
}
