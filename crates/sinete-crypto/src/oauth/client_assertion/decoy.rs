//! Decoy keys that belong to no client. A signature without a fitting key is verified with one of them, and
//! always fails.

use crate::platform::signing_keys::PublicKey;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use std::sync::LazyLock;

/// RFC 7517 appendix A.1: published examples, so no client uses them.
const RSA: &str = r#"{"kty":"RSA","e":"AQAB","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"}"#;
const P256: &str = r#"{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}"#;
/// RFC 8037 appendix A.2, likewise.
const ED25519: &str = r#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;

static KEYS: LazyLock<Vec<PublicKey>> = LazyLock::new(|| {
    let jwks = [
        (SigningAlgorithm::Rs256, RSA),
        (SigningAlgorithm::Ps256, RSA),
        (SigningAlgorithm::Es256, P256),
        (SigningAlgorithm::EdDsa, ED25519),
    ];
    jwks.iter().filter_map(|(algorithm, text)| PublicKey::from_jwk(text, Some(*algorithm)).ok()).collect()
});

/// The decoy key for this algorithm.
pub(super) fn decoy_key(algorithm: Option<SigningAlgorithm>) -> Option<&'static PublicKey> {
    KEYS.iter().find(|key| Some(key.algorithm()) == algorithm)
}
