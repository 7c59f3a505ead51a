//! The published JWKS (RFC 7517 §5).

use crate::platform::signing_keys::PublicKey;
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Builds the JWKS as JSON text. The result does not depend on the order of the keys or on duplicates.
pub fn build_jwks_document<'a>(keys: impl IntoIterator<Item = &'a PublicKey>) -> String {
    let ordered: BTreeMap<_, _> =
        keys.into_iter().map(|key| ((key.algorithm(), key.kid()), key.to_jwk())).collect();
    let keys: Vec<Value> = ordered.into_values().collect();
    json!({ "keys": keys }).to_string()
}

/// Computes an entity tag, which changes when the document does.
pub fn compute_etag(document: &str) -> String {
    URL_SAFE_NO_PAD.encode(&digest(&SHA256, document.as_bytes()).as_ref()[..12])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::signing_keys::SigningKey;
    use sinete_core::entropy::DangerouslySeededEntropy;
    use sinete_core::platform::signing_keys::SigningAlgorithm;

    #[test]
    fn jwks_does_not_reveal_the_order_of_keys() {
        let keys: Vec<_> = [
            SigningAlgorithm::Es256,
            SigningAlgorithm::EdDsa,
            SigningAlgorithm::Es256,
            SigningAlgorithm::Rs256,
        ]
        .map(|algorithm| SigningKey::generate(algorithm).unwrap())
        .into();
        let forwards = build_jwks_document(keys.iter().map(|key| &**key.public_key()));
        let backwards = build_jwks_document(keys.iter().rev().chain(&keys).map(|key| &**key.public_key()));
        assert_eq!(forwards, backwards);
        assert_eq!(compute_etag(&forwards), compute_etag(&backwards));
        assert_ne!(compute_etag(&forwards), compute_etag(&build_jwks_document([])));
        let parsed: Value = serde_json::from_str(&forwards).unwrap();
        let jwks_keys = parsed["keys"].as_array().unwrap();
        assert_eq!(jwks_keys.len(), 4);
        assert!(
            jwks_keys
                .iter()
                .all(|key| key["use"] == "sig" && key["alg"].is_string() && key["kid"].is_string())
        );
    }

    #[test]
    fn jwks_contains_no_private_member() {
        for algorithm in SigningAlgorithm::ALL {
            let key = SigningKey::generate(algorithm).unwrap();
            let jwk = key.public_jwk();
            for private in ["d", "p", "q", "dp", "dq", "qi", "k", "oth"] {
                assert!(jwk.get(private).is_none(), "{algorithm} {private}");
            }
            assert!(jwk.get("sinete_development").is_none());
        }
    }

    #[test]
    fn jwks_marks_development_keys() {
        for algorithm in SigningAlgorithm::ALL {
            let key = SigningKey::generate_development(algorithm, &DangerouslySeededEntropy::new(1)).unwrap();
            assert_eq!(key.public_jwk()["sinete_development"], true, "{algorithm}");
        }
    }

    #[test]
    fn jwks_without_keys_is_an_empty_set() {
        assert_eq!(build_jwks_document([]), r#"{"keys":[]}"#);
    }
}
