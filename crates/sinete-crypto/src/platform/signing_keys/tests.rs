use super::*;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sinete_core::entropy::DangerouslySeededEntropy;

const RSA_PKCS1: &str = include_str!("fixtures/rsa-2048-pkcs1.pem");
const RSA_PKCS8: &str = include_str!("fixtures/rsa-2048-pkcs8.pem");
const RSA_JWK: &str = include_str!("fixtures/rsa-2048.jwk.json");
const P256_SEC1: &str = include_str!("fixtures/p256-sec1.pem");
const P256_PKCS8: &str = include_str!("fixtures/p256-pkcs8.pem");
const ED25519: &str = include_str!("fixtures/ed25519-pkcs8.pem");

/// RFC 7515 appendix A.3.1.
const RFC_7515_P256: &str = r#"{"kty":"EC","crv":"P-256",
    "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    "d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}"#;
/// RFC 8037 appendix A.1.
const RFC_8037_ED25519: &str = r#"{"kty":"OKP","crv":"Ed25519",
    "d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;

fn refusal(text: &str, algorithm: Option<SigningAlgorithm>) -> InvalidSigningKey {
    SigningKey::parse(text, algorithm).err().unwrap()
}

fn decoded(text: &str) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(text).unwrap()
}

/// A JWK with one member changed or removed.
fn altered(jwk: &str, member: &str, value: Option<&str>) -> String {
    let mut jwk: serde_json::Value = serde_json::from_str(jwk).unwrap();
    let members = jwk.as_object_mut().unwrap();
    match value {
        Some(value) => members.insert(member.to_owned(), value.into()),
        None => members.remove(member),
    };
    jwk.to_string()
}

#[test]
fn signing_key_of_every_algorithm_verifies_only_its_own_signatures() {
    for algorithm in SigningAlgorithm::ALL {
        let key = SigningKey::generate(algorithm).unwrap();
        assert_eq!((key.algorithm(), key.marking()), (algorithm, SigningKeyMarking::Real));
        let signature = key.sign(b"message").unwrap();
        assert_eq!(key.public_key().verify_signature(b"message", &signature), Ok(()));
        assert_eq!(key.public_key().verify_signature(b"massage", &signature), Err(InvalidSignature));
        let other = SigningKey::generate(algorithm).unwrap();
        assert_eq!(other.public_key().verify_signature(b"message", &signature), Err(InvalidSignature));
        let mut cut = signature.clone();
        cut.pop();
        assert_eq!(key.public_key().verify_signature(b"message", &cut), Err(InvalidSignature));
        assert_eq!(key.public_key().verify_signature(b"message", &[]), Err(InvalidSignature));
    }
}

#[test]
fn jwk_thumbprint_matches_rfc_7638() {
    // RFC 7638 §3.1.
    let key = r#"{"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw","e":"AQAB","alg":"RS256","kid":"2011-04-29"}"#;
    let key = PublicKey::from_jwk(key, None).unwrap();
    assert_eq!(key.thumbprint(), "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
    // A third party's key keeps its own `kid`.
    assert_eq!(key.kid(), "2011-04-29");
    // RFC 8037 appendix A.3.
    let key = SigningKey::from_jwk(RFC_8037_ED25519, None).unwrap();
    assert_eq!(key.kid(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
}

#[test]
fn signatures_match_the_vectors_of_the_standards() {
    // RFC 8037 appendix A.4: Ed25519 is deterministic, so the signature must be equal.
    let key = SigningKey::from_jwk(RFC_8037_ED25519, None).unwrap();
    let message = b"eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
    let signature = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
    assert_eq!(URL_SAFE_NO_PAD.encode(key.sign(message).unwrap()), signature);

    // RFC 7515 appendix A.3: ECDSA is randomized, so the published signature must verify.
    let key = SigningKey::from_jwk(RFC_7515_P256, None).unwrap();
    let payload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
    let signature = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
    let message = format!("eyJhbGciOiJFUzI1NiJ9.{payload}");
    assert_eq!(key.public_key().verify_signature(message.as_bytes(), &decoded(signature)), Ok(()));

    // RFC 7515 appendix A.2: PKCS#1 v1.5 is deterministic as well.
    let key =
        SigningKey::from_jwk(include_str!("fixtures/rfc-7515-rsa.jwk.json"), Some(SigningAlgorithm::Rs256))
            .unwrap();
    let signature = "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";
    let message = format!("eyJhbGciOiJSUzI1NiJ9.{payload}");
    assert_eq!(URL_SAFE_NO_PAD.encode(key.sign(message.as_bytes()).unwrap()), signature);
}

#[test]
fn pss_signature_of_openssl_verifies() {
    // Made by: openssl dgst -sha256 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:32.
    let signature = decoded(
        "M9IgfHpue3II11CNPlZhLicSfmWYuVF2Cmvjrm46Ko3wwl4qKY33-tXPPM1V5uOWgVnpEQ4ZX0kE9cpGKl-OPLX8ijELvTuM2lhwl6UMIyR5neej2VzsVlYuG9GXAGgjp8LTS88xywZReevo3etgqnlnjhnF-mNRtBpj2em1jyuHdPF-6bMIiVDbOH2749N5b-YQDnM6tJ4lRDQ60U9kYrw_9KfOG1MqamSo5cqZUMXOKzRkhdtUNNJ1gPyzLIsFq9cXwrVvGcyc19aEuoPoy0ZJVHYLuxw5z_UfCl8bzCcuBQDqIQeo0zLymoYROId-JsUyylTnjhm4L_kHjfMiUg",
    );
    let pss = SigningKey::from_pem(RSA_PKCS1, Some(SigningAlgorithm::Ps256)).unwrap();
    assert_eq!(pss.public_key().verify_signature(b"signed by another program", &signature), Ok(()));
    let pkcs1 = SigningKey::from_pem(RSA_PKCS1, Some(SigningAlgorithm::Rs256)).unwrap();
    assert_eq!(
        pkcs1.public_key().verify_signature(b"signed by another program", &signature),
        Err(InvalidSignature)
    );
}

#[test]
fn signing_key_has_one_kid_in_every_format() {
    let kid = |text: &str, algorithm| SigningKey::parse(text, algorithm).unwrap().kid().to_owned();
    let rsa = kid(RSA_PKCS1, Some(SigningAlgorithm::Rs256));
    assert_eq!(kid(RSA_PKCS8, Some(SigningAlgorithm::Rs256)), rsa);
    assert_eq!(kid(RSA_JWK, Some(SigningAlgorithm::Rs256)), rsa);
    assert_eq!(kid(&altered(RSA_JWK, "alg", Some("RS256")), None), rsa);
    // The `kid` depends on the key alone: under the other algorithm it is a duplicate and must be rejected.
    assert_eq!(kid(RSA_PKCS8, Some(SigningAlgorithm::Ps256)), rsa);
    assert_eq!(kid(P256_SEC1, None), kid(P256_PKCS8, Some(SigningAlgorithm::Es256)));
    assert_eq!(kid(ED25519, None), kid(ED25519, Some(SigningAlgorithm::EdDsa)));
}

#[test]
fn signing_key_pem_export_round_trips() {
    for algorithm in SigningAlgorithm::ALL {
        let key = SigningKey::generate(algorithm).unwrap();
        let pem = key.to_pem().unwrap();
        assert!(pem.starts_with("-----BEGIN PRIVATE KEY-----\n"));
        let parsed_key = SigningKey::parse(&pem, Some(algorithm)).unwrap();
        assert_eq!((parsed_key.kid(), parsed_key.marking()), (key.kid(), SigningKeyMarking::Real));
        let stored =
            SigningKey::from_pkcs8(&key.to_pkcs8().unwrap(), algorithm, SigningKeyMarking::Real).unwrap();
        assert_eq!(stored.kid(), key.kid());
        let public = PublicKey::from_jwk(&key.public_jwk().to_string(), None).unwrap();
        assert_eq!((public.kid(), public.algorithm()), (key.kid(), algorithm));
        assert_eq!(public.verify_signature(b"message", &parsed_key.sign(b"message").unwrap()), Ok(()));
    }
}

#[test]
fn development_signing_key_is_recognized_as_bare_pkcs8() {
    for algorithm in SigningAlgorithm::ALL {
        let key = SigningKey::generate_development(algorithm, &DangerouslySeededEntropy::new(9)).unwrap();
        assert_eq!(key.marking(), SigningKeyMarking::Development, "{algorithm}");
        let pem = key.to_pem().unwrap();
        assert!(pem.starts_with("Sinete development key"));
        // The key is copied without the marking line above it.
        let bare = &pem[pem.find("-----BEGIN").unwrap()..];
        let copied = SigningKey::parse(bare, Some(algorithm)).unwrap();
        assert_eq!(
            (copied.kid(), copied.marking()),
            (key.kid(), SigningKeyMarking::Development),
            "{algorithm}"
        );
        let stored =
            SigningKey::from_pkcs8(&key.to_pkcs8().unwrap(), algorithm, SigningKeyMarking::Real).unwrap();
        assert_eq!(stored.marking(), SigningKeyMarking::Development, "{algorithm}");
    }
}

#[test]
fn signing_key_marked_in_its_file_is_a_development_key() {
    let pem = format!("Sinete development key\n{ED25519}");
    assert_eq!(SigningKey::parse(&pem, None).unwrap().marking(), SigningKeyMarking::Development);
    let jwk = RFC_7515_P256.replacen('{', r#"{"sinete_development":true,"#, 1);
    assert_eq!(SigningKey::parse(&jwk, None).unwrap().marking(), SigningKeyMarking::Development);
    let pkcs8 = SigningKey::parse(ED25519, None).unwrap().to_pkcs8().unwrap();
    let stored =
        SigningKey::from_pkcs8(&pkcs8, SigningAlgorithm::EdDsa, SigningKeyMarking::Development).unwrap();
    assert_eq!(stored.marking(), SigningKeyMarking::Development);
}

#[test]
fn signing_key_that_is_weak_or_unsupported_is_refused_with_its_reason() {
    let rs256 = Some(SigningAlgorithm::Rs256);
    assert_eq!(refusal(include_str!("fixtures/rsa-1024.pem"), rs256), InvalidSigningKey::TooFewBits(1024));
    assert_eq!(refusal(include_str!("fixtures/rsa-exponent-3.pem"), rs256), InvalidSigningKey::WrongExponent);
    assert_eq!(refusal(include_str!("fixtures/rsa-three-primes.pem"), rs256), InvalidSigningKey::MultiPrime);
    assert_eq!(refusal(include_str!("fixtures/rsa-pss-only.pem"), rs256), InvalidSigningKey::UnknownKind);
    for other_curve in [
        include_str!("fixtures/p384-sec1.pem"),
        include_str!("fixtures/p384-pkcs8.pem"),
        include_str!("fixtures/secp256k1-sec1.pem"),
        include_str!("fixtures/ed448-pkcs8.pem"),
        include_str!("fixtures/x25519-pkcs8.pem"),
    ] {
        assert_eq!(refusal(other_curve, None), InvalidSigningKey::WrongCurve);
    }
    assert_eq!(refusal(include_str!("fixtures/encrypted.pem"), None), InvalidSigningKey::Encrypted);
    assert_eq!(refusal(&"x".repeat(KEY_TEXT_BYTES_MAX + 1), None), InvalidSigningKey::TooLong);
    assert_eq!(refusal("", None), InvalidSigningKey::NotAKeyFile);
}

#[test]
fn rsa_public_key_out_of_bounds_is_refused() {
    let jwk = |bytes: usize, e: &str| {
        let n = URL_SAFE_NO_PAD.encode(vec![0xff; bytes]);
        PublicKey::from_jwk(&format!(r#"{{"kty":"RSA","alg":"RS256","n":"{n}","e":"{e}"}}"#), None).err()
    };
    assert_eq!(jwk(255, "AQAB"), Some(InvalidSigningKey::TooFewBits(2040)));
    assert_eq!(jwk(513, "AQAB"), Some(InvalidSigningKey::TooManyBits(4104)));
    for e in ["AQ", "Aw", "AQAA", "AQAD", "_____w"] {
        assert_eq!(jwk(256, e), Some(InvalidSigningKey::WrongExponent), "{e}");
    }
    assert_eq!(jwk(256, "AAEAAQ"), Some(InvalidSigningKey::BadMember("e")));
    assert_eq!(jwk(0, "AQAB"), Some(InvalidSigningKey::BadMember("n")));
}

#[test]
fn rsa_key_serves_one_named_algorithm() {
    assert_eq!(refusal(RSA_PKCS1, None), InvalidSigningKey::AlgorithmMissing);
    assert_eq!(refusal(RSA_JWK, None), InvalidSigningKey::AlgorithmMissing);
    assert_eq!(
        refusal(RSA_PKCS8, Some(SigningAlgorithm::Es256)),
        InvalidSigningKey::WrongAlgorithm(SigningAlgorithm::Es256)
    );
    assert_eq!(
        refusal(P256_SEC1, Some(SigningAlgorithm::Rs256)),
        InvalidSigningKey::WrongAlgorithm(SigningAlgorithm::Rs256)
    );
    assert_eq!(
        refusal(ED25519, Some(SigningAlgorithm::Es256)),
        InvalidSigningKey::WrongAlgorithm(SigningAlgorithm::Es256)
    );
    let ps256_jwk = altered(RSA_JWK, "alg", Some("PS256"));
    assert_eq!(
        refusal(&ps256_jwk, Some(SigningAlgorithm::Rs256)),
        InvalidSigningKey::WrongAlgorithm(SigningAlgorithm::Rs256)
    );
}

#[test]
fn private_jwk_with_missing_members_is_refused() {
    let rs256 = Some(SigningAlgorithm::Rs256);
    for factor in ["p", "q", "dp", "dq", "qi"] {
        assert_eq!(
            refusal(&altered(RSA_JWK, factor, None), rs256),
            InvalidSigningKey::MissingFactors,
            "{factor}"
        );
    }
    assert_eq!(refusal(&altered(RSA_JWK, "d", None), rs256), InvalidSigningKey::NotPrivate);
    assert_eq!(refusal(&altered(RSA_JWK, "n", None), rs256), InvalidSigningKey::BadMember("n"));
    assert_eq!(refusal(&altered(RFC_7515_P256, "y", None), None), InvalidSigningKey::BadMember("y"));
    assert_eq!(refusal(&altered(RFC_7515_P256, "d", Some("AQID")), None), InvalidSigningKey::BadMember("d"));
    assert_eq!(refusal(&altered(RFC_7515_P256, "crv", Some("P-384")), None), InvalidSigningKey::WrongCurve);
    assert_eq!(refusal(&altered(RFC_7515_P256, "crv", None), None), InvalidSigningKey::BadMember("crv"));
    assert_eq!(refusal(&altered(RFC_7515_P256, "kty", Some("oct")), None), InvalidSigningKey::UnknownKind);
    assert_eq!(refusal(&altered(RFC_7515_P256, "use", Some("enc")), None), InvalidSigningKey::NotForSigning);
    let oth = RSA_JWK.replacen('{', r#"{"oth":[],"#, 1);
    assert_eq!(refusal(&oth, rs256), InvalidSigningKey::MultiPrime);
    let verify_only = RFC_7515_P256.replacen('{', r#"{"key_ops":["verify"],"#, 1);
    assert_eq!(refusal(&verify_only, None), InvalidSigningKey::NotForSigning);
}

#[test]
fn signing_key_with_mismatched_halves_is_refused() {
    let other = SigningKey::generate(SigningAlgorithm::EdDsa).unwrap().public_jwk();
    let mixed = altered(RFC_8037_ED25519, "x", other["x"].as_str());
    assert_eq!(refusal(&mixed, None), InvalidSigningKey::Inconsistent);
    let other = SigningKey::generate(SigningAlgorithm::Es256).unwrap().public_jwk();
    let mixed = altered(&altered(RFC_7515_P256, "x", other["x"].as_str()), "y", other["y"].as_str());
    assert_eq!(refusal(&mixed, None), InvalidSigningKey::Inconsistent);
    let off_the_curve = altered(RFC_7515_P256, "x", other["x"].as_str());
    assert_eq!(refusal(&off_the_curve, None), InvalidSigningKey::BadMember("x or y"));
    let other = SigningKey::generate(SigningAlgorithm::Rs256).unwrap().public_jwk();
    let mixed = altered(RSA_JWK, "n", other["n"].as_str());
    assert_eq!(refusal(&mixed, Some(SigningAlgorithm::Rs256)), InvalidSigningKey::Inconsistent);
    let zero = altered(RFC_7515_P256, "d", Some(&"A".repeat(43)));
    assert_eq!(refusal(&zero, None), InvalidSigningKey::Inconsistent);
}

#[test]
fn public_key_import_refuses_private_and_symmetric_jwks() {
    for private in [RFC_7515_P256, RFC_8037_ED25519] {
        assert_eq!(PublicKey::from_jwk(private, None).err(), Some(InvalidSigningKey::NotPublic));
    }
    let symmetric = r#"{"kty":"oct","k":"c2VjcmV0"}"#;
    assert_eq!(PublicKey::from_jwk(symmetric, None).err(), Some(InvalidSigningKey::UnknownKind));
}

#[test]
fn ed25519_small_order_key_is_refused_although_the_library_verifies_with_it() {
    let neutral = [&[1][..], &[0; 31]].concat();
    let forged = [&neutral[..], &[0; 32]].concat();
    let parsed = aws_lc_rs::signature::ParsedPublicKey::new(&aws_lc_rs::signature::ED25519, &neutral);
    assert!(
        parsed.is_ok_and(|key| key.verify_sig(b"anything", &forged).is_ok()),
        "it need not be refused here"
    );
    for point in [&neutral[..], &[0; 32]] {
        let jwk = format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{}"}}"#, URL_SAFE_NO_PAD.encode(point));
        assert_eq!(PublicKey::from_jwk(&jwk, None).err(), Some(InvalidSigningKey::SmallOrder));
    }
    let public = SigningKey::generate(SigningAlgorithm::EdDsa).unwrap().public_jwk();
    assert!(PublicKey::from_jwk(&public.to_string(), None).is_ok());
}

#[test]
fn signing_key_truncated_anywhere_is_refused() {
    let pkcs8_bytes = SigningKey::parse(P256_PKCS8, None).unwrap().to_pkcs8().unwrap();
    for length in 0..pkcs8_bytes.len() {
        assert!(
            SigningKey::from_pkcs8(&pkcs8_bytes[..length], SigningAlgorithm::Es256, SigningKeyMarking::Real)
                .is_err()
        );
    }
    let pkcs8_bytes =
        SigningKey::parse(RSA_PKCS8, Some(SigningAlgorithm::Rs256)).unwrap().to_pkcs8().unwrap();
    for length in (0..pkcs8_bytes.len()).step_by(37) {
        assert!(
            SigningKey::from_pkcs8(&pkcs8_bytes[..length], SigningAlgorithm::Rs256, SigningKeyMarking::Real)
                .is_err()
        );
    }
}

#[test]
fn signing_key_debug_output_hides_its_private_half() {
    let key = SigningKey::from_jwk(RFC_8037_ED25519, None).unwrap();
    let printed = format!("{key:?}");
    assert_eq!(printed, "EdDSA key kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k with its private half");
}
