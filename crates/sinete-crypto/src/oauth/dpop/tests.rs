use super::*;
use crate::platform::signing_keys::SigningKey;
use proptest::prelude::*;
use serde_json::json;

fn encoded(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

fn signed(key: &SigningKey, header: &Value, claims: &Value) -> String {
    let text = format!("{}.{}", encoded(header), encoded(claims));
    let signature = key.sign(text.as_bytes()).unwrap();
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
}

fn header(key: &SigningKey) -> Value {
    let mut jwk = key.public_jwk();
    for member in ["alg", "kid", "use"] {
        jwk.as_object_mut().unwrap().remove(member);
    }
    json!({"typ": "dpop+jwt", "alg": key.public_key().algorithm().as_str(), "jwk": jwk})
}

fn claims() -> Value {
    json!({"htm": "POST", "htu": "https://id.example/connect/token", "iat": 1_000, "jti": "one"})
}

fn changed(mut value: Value, name: &str, to: Value) -> Value {
    match to {
        Value::Null => drop(value.as_object_mut().unwrap().remove(name)),
        to => value[name] = to,
    }
    value
}

#[test]
fn dpop_proof_of_every_algorithm_yields_its_key_and_claims() {
    for algorithm in SigningAlgorithm::ALL {
        let key = SigningKey::generate(algorithm).unwrap();
        let body = changed(changed(claims(), "ath", json!("hash")), "nonce", json!("nonce"));
        let proof = DpopProof::parse(&signed(&key, &header(&key), &body)).unwrap();
        assert_eq!(proof.key.to_string(), key.public_key().thumbprint());
        assert_eq!(proof.algorithm, algorithm);
        let claims = proof.claims();
        assert_eq!((claims.method, claims.address), ("POST", "https://id.example/connect/token"));
        assert_eq!((claims.id, claims.issued_at), ("one", Timestamp::from_seconds(1_000)));
        assert_eq!((claims.token_hash, claims.nonce), (Some("hash"), Some("nonce")));
    }
}

#[test]
fn dpop_proof_with_a_forbidden_header_is_refused() {
    let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let read = |header: &Value| DpopProof::parse(&signed(&key, header, &claims())).map(drop);
    let with = |name, to| read(&changed(header(&key), name, to));
    assert_eq!(read(&header(&key)), Ok(()));
    for wrong in [json!("JWT"), json!("at+jwt"), json!("dpop"), json!(7), Value::Null] {
        assert_eq!(with("typ", wrong.clone()), Err(JwtRejection::WrongType.into()), "{wrong}");
    }
    for wrong in [json!("none"), json!("HS256"), json!("ES384"), json!("es256"), json!(1), Value::Null] {
        assert_eq!(with("alg", wrong.clone()), Err(JwtRejection::WrongAlgorithm.into()), "{wrong}");
    }
    assert_eq!(with("alg", json!("RS256")).map_err(|why| matches!(why, InvalidDpopProof::Key(_))), Err(true));
    assert_eq!(with("crit", json!(["b64"])), Err(JwtRejection::Critical.into()));
    for member in ["jku", "x5u", "x5c"] {
        assert_eq!(
            with(member, json!("https://keys.example")),
            Err(JwtRejection::EmbeddedKey.into()),
            "{member}"
        );
    }
    for wrong in [Value::Null, json!("text"), json!([])] {
        assert_eq!(with("jwk", wrong.clone()), Err(JwtRejection::UnknownKey.into()), "{wrong}");
    }
    for member in PRIVATE_JWK_MEMBERS {
        let mut header = header(&key);
        header["jwk"][member] = json!("AQ");
        assert_eq!(read(&header), Err(InvalidDpopProof::PrivateKey), "{member}");
    }
    let shared = json!({"kty": "oct"});
    assert!(matches!(with("jwk", shared), Err(InvalidDpopProof::Key(_))));
}

#[test]
fn dpop_proof_must_be_signed_by_its_own_jwk() {
    let (key, other) = (
        SigningKey::generate(SigningAlgorithm::Es256).unwrap(),
        SigningKey::generate(SigningAlgorithm::Es256).unwrap(),
    );
    let foreign = signed(&other, &header(&key), &claims());
    assert_eq!(DpopProof::parse(&foreign).map(drop), Err(JwtRejection::WrongSignature.into()));
    let good = signed(&key, &header(&key), &claims());
    let (rest, _) = good.rsplit_once('.').unwrap();
    assert_eq!(DpopProof::parse(&format!("{rest}.")).map(drop), Err(JwtRejection::WrongSignature.into()));
    for text in ["", ".", "..", "a.b", rest, &format!("{good}.x")] {
        assert!(DpopProof::parse(text).is_err(), "{text}");
    }
    let long =
        signed(&key, &header(&key), &changed(claims(), "jti", json!("x".repeat(DPOP_PROOF_BYTES_MAX))));
    assert_eq!(DpopProof::parse(&long).map(drop), Err(JwtRejection::TooLong.into()));
}

#[test]
fn dpop_proof_required_claims_must_be_strings() {
    let key = SigningKey::generate(SigningAlgorithm::EdDsa).unwrap();
    let with =
        |name, to| DpopProof::parse(&signed(&key, &header(&key), &changed(claims(), name, to))).map(drop);
    for name in ["htm", "htu", "jti"] {
        for wrong in [Value::Null, json!(7), json!(["POST"])] {
            assert_eq!(with(name, wrong), Err(JwtRejection::BadClaim(name).into()));
        }
    }
    for wrong in [Value::Null, json!("1000"), json!(-1)] {
        assert_eq!(with("iat", wrong), Err(JwtRejection::BadClaim("iat").into()));
    }
    for name in ["ath", "nonce"] {
        assert_eq!(with(name, json!(7)), Err(JwtRejection::BadClaim(name).into()));
    }
}

proptest! {
    #[test]
    fn dpop_proof_with_any_changed_byte_is_refused(text in ".{0,200}", place: prop::sample::Index, bit in 0..7_u8) {
        prop_assert!(DpopProof::parse(&text).is_err());
        let key = SigningKey::generate(SigningAlgorithm::EdDsa).unwrap();
        let good = signed(&key, &header(&key), &claims());
        let mut bytes = good.clone().into_bytes();
        let place = place.index(bytes.len());
        bytes[place] ^= 1 << bit;
        if let Ok(changed) = String::from_utf8(bytes) && changed != good {
            prop_assert!(DpopProof::parse(&changed).is_err(), "{changed}");
        }
    }
}
