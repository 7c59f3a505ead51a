//! Secrets that were published as samples. They are easily copied for a test and forgotten there.

use crate::config::keys;
use sinete_crypto::platform::encryption::{InstanceKey, InstanceKeyId};

/// Thumbprints of private keys published in standards and on jwt.io.
const SIGNING_KEYS: [&str; 7] = [
    "IsUn6_e04MaShXFIISMp4kG62LWzMIPy_MvSA5pJgX8", // RFC 7515 A.2, RSA
    "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U", // RFC 7515 A.3, P-256
    "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs", // RFC 7517 A.2, RSA
    "cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s", // RFC 7517 A.2, P-256
    "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k", // RFC 8037 A.1, Ed25519
    "oGDmHqCJ7yzMkWEkrlZVHkvrHIyQwtlDmeq5ForUHeY", // jwt.io, RSA
    "19J8y7Zprt2-QKLjF2I5pVk0OELX6cY2AfaAv1LC_w8", // jwt.io, P-256
];

/// Whether the signing key with this thumbprint was published.
pub fn is_sample_signing_key(thumbprint: &str) -> bool {
    SIGNING_KEYS.contains(&thumbprint)
}

/// Whether the instance key is the example in our reference.
pub fn is_sample_instance_key(id: InstanceKeyId) -> bool {
    let example = keys::INSTANCE_KEY.entry.example.trim_matches('"');
    InstanceKey::parse(example).is_ok_and(|key| key.id() == id)
}

/// Whether the proxy secret is the example in our reference.
pub fn is_sample_proxy_secret(secret: &str) -> bool {
    keys::MUTUAL_TLS_PROXY_SECRET.entry.example.trim_matches('"') == secret
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_crypto::platform::signing_keys::SigningKey;

    #[test]
    fn sample_key_published_in_a_standard_is_recognized_and_a_new_key_is_not() {
        for jwk in [
            r#"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
                "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}"#,
            r#"{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
                "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM","d":"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE"}"#,
            r#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
                "d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"}"#,
        ] {
            let key = SigningKey::parse(jwk, None).unwrap();
            assert!(is_sample_signing_key(key.kid()), "{jwk}");
        }
        let key = SigningKey::generate(sinete_core::platform::signing_keys::SigningAlgorithm::Es256).unwrap();
        assert!(!is_sample_signing_key(key.kid()));
    }

    #[test]
    fn sample_keys_of_the_configuration_reference_are_recognized() {
        let example = keys::INSTANCE_KEY.entry.example.trim_matches('"');
        assert!(is_sample_instance_key(InstanceKey::parse(example).unwrap().id()));
        assert!(is_sample_proxy_secret(keys::MUTUAL_TLS_PROXY_SECRET.entry.example.trim_matches('"')));
        assert!(!is_sample_proxy_secret("a-secret-that-nobody-else-has-ever-seen"));
        let previous = keys::PREVIOUS_INSTANCE_KEYS.entry.example;
        assert!(previous.contains(example), "one example for both, so that one is looked for");
    }
}
