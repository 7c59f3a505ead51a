//! Metadata requirements of the stricter security profile.

use super::{ApplicationType, ClientAuthMethod, ClientMetadata};
use crate::oauth::security_profile::SecurityProfile;
use crate::platform::signing_keys::SigningAlgorithm;
use crate::validation::ValidationErrors;

impl ClientMetadata {
    /// Whether requests must be pushed, because of the metadata or the profile.
    pub const fn requires_par(&self) -> bool {
        match self.security_profile {
            SecurityProfile::Standard => self.require_pushed_authorization_requests,
            SecurityProfile::Fapi2 => true,
        }
    }

    /// Reports violations of the client's profile (FAPI 2.0 §5.3.2, §5.4).
    pub(super) fn validate_security_profile(&self, errors: &mut ValidationErrors) {
        if self.security_profile == SecurityProfile::Standard {
            return;
        }
        let proves = match self.token_endpoint_auth_method {
            ClientAuthMethod::PrivateKeyJwt
            | ClientAuthMethod::TlsClientAuth
            | ClientAuthMethod::SelfSignedTlsClientAuth => true,
            ClientAuthMethod::None
            | ClientAuthMethod::ClientSecretBasic
            | ClientAuthMethod::ClientSecretPost => false,
        };
        if !proves {
            let text =
                "the profile fapi2 needs private_key_jwt, tls_client_auth or self_signed_tls_client_auth";
            errors.add("/token_endpoint_auth_method", text);
        }
        if !self.binds_tokens() {
            let text = "the profile fapi2 needs bound tokens; set this member or dpop_bound_access_tokens";
            errors.add("/tls_client_certificate_bound_access_tokens", text);
        }
        let is_plain = |uri: &str| !uri.starts_with("https://");
        let is_native = self.application_type == ApplicationType::Native;
        if !is_native && self.redirect_uris.iter().any(|uri| is_plain(uri.as_str())) {
            errors.add("/redirect_uris", "the profile fapi2 allows https redirect URIs only");
        }
        for (pointer, algorithm) in self.signing_algorithms() {
            if algorithm.is_some_and(|algorithm| !self.security_profile.allows_algorithm(algorithm)) {
                errors.add(pointer, "the profile fapi2 allows PS256, ES256 and EdDSA only");
            }
        }
    }

    const fn signing_algorithms(&self) -> [(&'static str, Option<SigningAlgorithm>); 5] {
        [
            ("/token_endpoint_auth_signing_alg", self.token_endpoint_auth_signing_alg),
            ("/id_token_signed_response_alg", self.id_token_signed_response_alg),
            ("/userinfo_signed_response_alg", self.userinfo_signed_response_alg),
            ("/request_object_signing_alg", self.request_object_signing_alg),
            (
                "/backchannel_authentication_request_signing_alg",
                self.backchannel_authentication_request_signing_alg,
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn places(extra_fields: Value) -> Vec<String> {
        let mut document = json!({
            "client_name": "Bank", "redirect_uris": ["https://bank.example/callback"], "security_profile": "fapi2",
            "token_endpoint_auth_method": "private_key_jwt", "jwks_uri": "https://bank.example/keys",
            "tls_client_certificate_bound_access_tokens": true,
        });
        for (name, value) in extra_fields.as_object().unwrap() {
            document[name] = value.clone();
        }
        let metadata: ClientMetadata = serde_json::from_value(document).unwrap();
        metadata.validate().iter().map(|fault| fault.pointer.clone()).collect()
    }

    #[test]
    fn fapi2_client_with_weak_metadata_is_refused_with_locations() {
        assert!(places(json!({})).is_empty());
        for method in ["none", "client_secret_basic", "client_secret_post"] {
            let pointers = places(json!({"token_endpoint_auth_method": method}));
            assert_eq!(pointers, ["/token_endpoint_auth_method"], "{method}");
        }
        let free = places(json!({"tls_client_certificate_bound_access_tokens": false}));
        assert_eq!(free, ["/tls_client_certificate_bound_access_tokens"]);
        let by_key =
            json!({"tls_client_certificate_bound_access_tokens": false, "dpop_bound_access_tokens": true});
        assert!(places(by_key).is_empty());
        for member in [
            "token_endpoint_auth_signing_alg",
            "id_token_signed_response_alg",
            "userinfo_signed_response_alg",
            "request_object_signing_alg",
        ] {
            assert_eq!(places(json!({member: "RS256"})), [format!("/{member}")]);
            for allowed in ["PS256", "ES256", "EdDSA"] {
                assert!(places(json!({member: allowed})).is_empty());
            }
        }
        let local = json!({"redirect_uris": ["http://127.0.0.1/callback"]});
        assert_eq!(places(local), ["/redirect_uris"]);
    }

    #[test]
    fn fapi2_requirements_are_not_loosened_by_other_metadata() {
        let text = r#"{"security_profile":"fapi2","require_pushed_authorization_requests":false}"#;
        let metadata: ClientMetadata = serde_json::from_str(text).unwrap();
        assert!(metadata.requires_par());
        assert_eq!(metadata.id_token_algorithm(), SigningAlgorithm::Es256);
        let default_metadata = ClientMetadata::default();
        assert!(
            !default_metadata.requires_par()
                && default_metadata.id_token_algorithm() == SigningAlgorithm::Rs256
        );
    }
}
