//! Validation of client metadata; reports all problems at once.

use super::{CibaDeliveryMode, ClientAuthMethod, ClientMetadata, GrantType, ResponseType};
use crate::limits::{
    API_DETAIL_TYPES_MAX, CLIENT_ACR_VALUES_MAX, CLIENT_CONTACTS_MAX, CLIENT_JWKS_BYTES_MAX,
    CLIENT_LOCALIZED_MAX, REDIRECT_URIS_MAX,
};
use crate::oauth::redirect_uri::{REDIRECT_URI_BYTES_MAX, quote_uri};
use crate::platform::signing_keys::ed25519::is_weak_public_key;
use crate::validation::ValidationErrors;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use url::Url;

impl ClientMetadata {
    /// Validates the redirect URIs.
    pub fn validate_redirect_uris(&self) -> ValidationErrors {
        let mut errors = ValidationErrors::default();
        if self.effective_grant_types().contains(&GrantType::AuthorizationCode)
            && self.redirect_uris.is_empty()
        {
            errors.add("/redirect_uris", "is required for the grant type authorization_code");
        }
        for (pointer, uris) in [
            ("/redirect_uris", &self.redirect_uris),
            ("/post_logout_redirect_uris", &self.post_logout_redirect_uris),
        ] {
            if uris.len() > REDIRECT_URIS_MAX {
                errors.add(pointer, format!("must have at most {REDIRECT_URIS_MAX} URIs"));
            }
            for (index, uri) in uris.iter().enumerate() {
                if let Some(name) = uri.reserved_query_parameter() {
                    let quoted = quote_uri(uri.as_str());
                    let text = format!("{quoted} cannot be used: `{name}` is a parameter of the response");
                    errors.add(format!("{pointer}/{index}"), text);
                }
            }
        }
        errors
    }

    /// Validates everything else and reports all problems at once.
    pub fn validate(&self) -> ValidationErrors {
        let mut errors = ValidationErrors::default();
        errors.check_display_text("/client_name", &self.client_name);
        self.grant_faults(&mut errors);
        self.approval_faults(&mut errors);
        self.key_faults(&mut errors);
        self.validate_mtls(&mut errors);
        self.validate_security_profile(&mut errors);
        for (pointer, address) in [
            ("/client_uri", &self.client_uri),
            ("/logo_uri", &self.logo_uri),
            ("/tos_uri", &self.tos_uri),
            ("/policy_uri", &self.policy_uri),
            ("/initiate_login_uri", &self.initiate_login_uri),
            ("/backchannel_logout_uri", &self.backchannel_logout_uri),
            ("/backchannel_client_notification_endpoint", &self.backchannel_client_notification_endpoint),
            ("/jwks_uri", &self.jwks_uri),
            ("/sector_identifier_uri", &self.sector_identifier_uri),
            ("/interaction_url", &self.interaction_url),
        ] {
            if address.as_deref().is_some_and(|text| !is_web_address(text)) {
                errors.add(pointer, "must be an https URL, or http on loopback, without credentials");
            }
        }
        for (pointer, text) in
            [("/software_id", &self.software_id), ("/software_version", &self.software_version)]
        {
            if let Some(text) = text {
                errors.check_display_text(pointer, text);
            }
        }
        self.localized_faults(&mut errors);
        if self.contacts.len() > CLIENT_CONTACTS_MAX {
            errors.add("/contacts", format!("must have at most {CLIENT_CONTACTS_MAX} contacts"));
        }
        if self.default_acr_values.len() > CLIENT_ACR_VALUES_MAX {
            errors.add("/default_acr_values", format!("must have at most {CLIENT_ACR_VALUES_MAX} values"));
        }
        if self.authorization_details_types.len() > API_DETAIL_TYPES_MAX {
            errors.add(
                "/authorization_details_types",
                format!("must have at most {API_DETAIL_TYPES_MAX} types"),
            );
        }
        for (index, contact) in self.contacts.iter().enumerate() {
            errors.check_display_text(&format!("/contacts/{index}"), contact);
        }
        errors
    }

    fn localized_faults(&self, errors: &mut ValidationErrors) {
        if self.localized.len() > CLIENT_LOCALIZED_MAX {
            errors.add(
                "/localized",
                format!("must have at most {CLIENT_LOCALIZED_MAX} texts in other languages"),
            );
        }
        for (name, text) in &self.localized {
            // A language tag after a known member name reveals nothing, so the error may repeat it.
            match name.split_once('#').filter(|(_, language)| is_language(language)) {
                Some(("client_name", _)) => errors.check_display_text("/client_name", text),
                Some(("client_uri" | "logo_uri" | "tos_uri" | "policy_uri", _)) if is_web_address(text) => {}
                Some(("client_uri" | "logo_uri" | "tos_uri" | "policy_uri", _)) => {
                    errors.add("/localized", "must be an https URL, or http on loopback, without credentials")
                }
                Some(_) | None => errors.add(
                    "/localized",
                    "only client_name, client_uri, logo_uri, tos_uri and policy_uri can have a language tag",
                ),
            }
        }
    }

    fn grant_faults(&self, errors: &mut ValidationErrors) {
        let grants = self.effective_grant_types();
        if grants.is_empty() {
            errors.add("/grant_types", "must have at least one grant type");
        }
        let by_people = [GrantType::AuthorizationCode, GrantType::DeviceCode, GrantType::Ciba];
        if grants.contains(&GrantType::RefreshToken) && !by_people.iter().any(|it| grants.contains(it)) {
            errors.add(
                "/grant_types",
                "refresh_token needs authorization_code, the device grant or CIBA beside it",
            );
        }
        if grants.contains(&GrantType::ClientCredentials)
            && self.token_endpoint_auth_method == ClientAuthMethod::None
        {
            errors.add(
                "/token_endpoint_auth_method",
                "the grant type client_credentials needs client authentication; none is not allowed",
            );
        }
        let expects_code =
            self.response_types.as_ref().is_none_or(|types| types.contains(&ResponseType::Code));
        if grants.contains(&GrantType::AuthorizationCode) && !expects_code {
            errors.add("/response_types", "the grant type authorization_code needs the response type code");
        }
    }

    fn approval_faults(&self, errors: &mut ValidationErrors) {
        let asks = self.effective_grant_types().contains(&GrantType::Ciba);
        if asks && self.token_endpoint_auth_method == ClientAuthMethod::None {
            let text = "CIBA needs client authentication; none is not allowed";
            errors.add("/token_endpoint_auth_method", text);
        }
        let is_told = self.backchannel_token_delivery_mode == Some(CibaDeliveryMode::Ping);
        if is_told && self.backchannel_client_notification_endpoint.is_none() {
            let text = "is required for the delivery mode ping";
            errors.add("/backchannel_client_notification_endpoint", text);
        }
        if self.backchannel_user_code_parameter == Some(true) {
            errors.add(
                "/backchannel_user_code_parameter",
                "user codes are not supported; send false or remove this member",
            );
        }
    }

    fn key_faults(&self, errors: &mut ValidationErrors) {
        if self.jwks.is_some() && self.jwks_uri.is_some() {
            errors.add("/jwks", "jwks and jwks_uri exclude each other; send one of them");
        }
        let signs = self.token_endpoint_auth_method == ClientAuthMethod::PrivateKeyJwt
            || self.request_object_signing_alg.is_some()
            || self.backchannel_authentication_request_signing_alg.is_some();
        if signs && self.jwks.is_none() && self.jwks_uri.is_none() {
            errors.add("/jwks", "jwks or jwks_uri is required for private_key_jwt and for signed requests");
        }
        let shows_own = self.token_endpoint_auth_method == ClientAuthMethod::SelfSignedTlsClientAuth;
        if shows_own && self.jwks.is_none() && self.jwks_uri.is_none() {
            errors.add(
                "/jwks",
                "jwks or jwks_uri with the certificate is required for self_signed_tls_client_auth",
            );
        }
        if let Some(jwks) = &self.jwks {
            let keys = jwks.get("keys").and_then(|keys| keys.as_array());
            let private =
                |key: &serde_json::Value| ["d", "p", "q", "k"].iter().any(|member| key.get(member).is_some());
            match keys {
                Some(keys) if keys.iter().any(private) => {
                    errors.add("/jwks", "contains a private key; send public keys only")
                }
                Some(keys) if keys.iter().any(is_weak_key) => errors.add(
                    "/jwks",
                    "contains an Ed25519 key of small order, with which anyone can forge \
                        signatures; create a new key",
                ),
                Some(keys) if !keys.is_empty() && jwks.to_string().len() <= CLIENT_JWKS_BYTES_MAX => {}
                Some(_) | None => errors.add("/jwks", "must be a JSON Web Key Set with at least one key"),
            }
        }
    }
}

/// Whether a JWK is a weak Ed25519 key, for which anyone can forge signatures.
fn is_weak_key(key: &serde_json::Value) -> bool {
    let x = key.get("x").filter(|_| key.get("crv").is_some_and(|curve| curve == "Ed25519"));
    let x = x.and_then(|x| URL_SAFE_NO_PAD.decode(x.as_str()?).ok());
    x.and_then(|x| x.try_into().ok()).is_some_and(|x| is_weak_public_key(&x))
}

/// Whether the text has the form of a language tag (BCP 47): alphanumeric subtags separated by hyphens.
fn is_language(text: &str) -> bool {
    let word =
        |word: &str| (1..=8).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    text.len() <= 35 && text.split('-').all(word)
}

/// Whether the text is an https URL or a URL on the local machine.
fn is_web_address(text: &str) -> bool {
    let is_safe = |url: &Url| match url.scheme() {
        "https" => url.has_host(),
        "http" => matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]")),
        _ => false,
    };
    text.len() <= REDIRECT_URI_BYTES_MAX
        && text.bytes().all(|b| b.is_ascii_graphic())
        && Url::parse(text)
            .is_ok_and(|url| is_safe(&url) && url.username().is_empty() && url.password().is_none())
}
