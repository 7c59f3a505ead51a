//! Verifies the signatures of identity providers' ID tokens: by a key that the provider publishes, with an
//! algorithm that its metadata lists. The claims are validated elsewhere.

use crate::oauth::client_assertion::{VerificationKeySet, parse_header, split_jws};
use crate::platform::jwt::{EMBEDDED_KEY_HEADERS, JwtRejection, parse_object};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};
use sinete_core::platform::signing_keys::SigningAlgorithm;

/// A token with a verified signature.
#[derive(Clone, Debug, PartialEq)]
pub struct VerifiedProviderToken {
    /// Its claims.
    pub claims: Map<String, Value>,
    /// The algorithm.
    pub algorithm: SigningAlgorithm,
}

/// Verifies that one of the keys signed the token with one of the algorithms.
pub fn verify_provider_token(
    token: &str,
    keys: &VerificationKeySet,
    algorithms: &[SigningAlgorithm],
) -> Result<VerifiedProviderToken, JwtRejection> {
    let (signed, payload, signature) = split_jws(token)?;
    let header = parse_header(token)?;
    if header.contains_key("crit") {
        return Err(JwtRejection::Critical);
    }
    if EMBEDDED_KEY_HEADERS.iter().any(|member| header.contains_key(*member)) {
        return Err(JwtRejection::EmbeddedKey);
    }
    // A token of another type signed with the same key is not an ID token (RFC 8725 §3.11).
    let is_of_the_type = match header.get("typ") {
        None => true,
        Some(typ) => typ.as_str().is_some_and(|typ| typ.eq_ignore_ascii_case("jwt")),
    };
    if !is_of_the_type {
        return Err(JwtRejection::WrongType);
    }
    let key = keys.find_key(&header, None)?;
    if !algorithms.contains(&key.algorithm()) {
        return Err(JwtRejection::WrongAlgorithm);
    }
    let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| JwtRejection::Malformed)?;
    key.verify_signature(signed.as_bytes(), &signature).map_err(|_| JwtRejection::WrongSignature)?;
    Ok(VerifiedProviderToken { claims: parse_object(payload)?, algorithm: key.algorithm() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::jwt::{JwtType, sign_jwt};
    use crate::platform::signing_keys::SigningKey;
    use serde_json::json;

    fn keys(key: &SigningKey) -> VerificationKeySet {
        VerificationKeySet::from_jwks(&json!({"keys": [key.public_jwk()]}), None)
    }

    #[test]
    fn upstream_id_token_needs_a_published_key_and_an_advertised_algorithm() {
        let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
        let token = sign_jwt(&key, JwtType::Id, &json!({"sub": "7"})).unwrap();
        let signed =
            verify_provider_token(&token, &keys(&key), &[SigningAlgorithm::Rs256, SigningAlgorithm::Es256])
                .unwrap();
        assert_eq!((signed.claims["sub"].as_str(), signed.algorithm), (Some("7"), SigningAlgorithm::Es256));
        assert_eq!(
            verify_provider_token(&token, &keys(&key), &[SigningAlgorithm::Rs256]),
            Err(JwtRejection::WrongAlgorithm)
        );
        let other = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
        assert_eq!(
            verify_provider_token(&token, &keys(&other), &[SigningAlgorithm::Es256]),
            Err(JwtRejection::UnknownKey)
        );
        let access = sign_jwt(&key, JwtType::Access, &json!({"sub": "7"})).unwrap();
        assert_eq!(
            verify_provider_token(&access, &keys(&key), &[SigningAlgorithm::Es256]),
            Err(JwtRejection::WrongType)
        );
    }

    #[test]
    fn upstream_id_token_unsigned_or_with_an_embedded_key_is_rejected() {
        let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
        let token = sign_jwt(&key, JwtType::Id, &json!({"sub": "7"})).unwrap();
        let payload = token.split('.').nth(1).unwrap();
        let with = |header: Value, signature: &str| {
            let header = URL_SAFE_NO_PAD.encode(header.to_string());
            verify_provider_token(
                &format!("{header}.{payload}.{signature}"),
                &keys(&key),
                &SigningAlgorithm::ALL,
            )
        };
        let kid = key.kid();
        assert_eq!(with(json!({"alg": "none"}), ""), Err(JwtRejection::WrongAlgorithm));
        assert_eq!(with(json!({"alg": "HS256", "kid": kid}), "AAAA"), Err(JwtRejection::WrongAlgorithm));
        assert_eq!(with(json!({"alg": "ES256", "kid": kid}), "AAAA"), Err(JwtRejection::WrongSignature));
        let jwk_header = json!({"alg": "ES256", "kid": kid, "jwk": key.public_jwk()});
        assert_eq!(with(jwk_header, "AAAA"), Err(JwtRejection::EmbeddedKey));
        assert_eq!(with(json!({"alg": "ES256", "crit": ["x"]}), "AAAA"), Err(JwtRejection::Critical));
        for text in ["", "a.b", "a.b.c.d", "..", &"x".repeat(20_000)] {
            assert!(verify_provider_token(text, &keys(&key), &SigningAlgorithm::ALL).is_err());
        }
    }
}
