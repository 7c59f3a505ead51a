//! Which trust in a client ends when its metadata changes. Every path that changes a client calls
//! [`RevokedClientTrust::from_change`]; the store requires its result.

use super::client_metadata::ClientMetadata;
use crate::oauth::authorize::consent::ClientConsentMode;

/// Who changes a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientEditor {
    /// The client itself, with its registration access token (RFC 7592).
    RegistrationToken,
    /// An administrator of the organization that the client belongs to, or an operator who may not verify clients.
    Administrator,
    /// An operator who may verify clients.
    Verifier,
}

/// The trust that ends with a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RevokedClientTrust {
    verification: bool,
    implied_consent: bool,
    remembered_consents: bool,
}

impl RevokedClientTrust {
    /// Computes the trust that ends when this editor replaces `before` with `after`.
    ///
    /// Users and administrators trusted a client with certain names, URLs, credentials and grant types. A
    /// registration access token may leak, so a client that changes its identity with it loses all trust
    /// until it is given again (RFC 7592 §5). An administrator may decide which consents of their
    /// organization's client remain valid, but not extend an operator's verification: it covers the same
    /// client with the same or a narrower scope.
    pub fn from_change(editor: ClientEditor, before: &ClientMetadata, after: &ClientMetadata) -> Self {
        let is_another = is_another_client(before, after);
        // The verification covers no more than the scope at that time.
        let verification = is_another || !after.allowed_scopes().is_within(&before.allowed_scopes());
        match editor {
            // Remembered consents name their scopes. Implied consent covers all scopes at once.
            ClientEditor::RegistrationToken => {
                Self { verification, implied_consent: verification, remembered_consents: is_another }
            }
            ClientEditor::Administrator => {
                Self { verification, implied_consent: false, remembered_consents: false }
            }
            ClientEditor::Verifier => {
                Self { verification: false, implied_consent: false, remembered_consents: false }
            }
        }
    }

    /// Whether an operator's verification of the client ends.
    pub const fn ends_verification(self) -> bool {
        self.verification
    }

    /// Whether remembered user consents end.
    pub const fn ends_remembered_consents(self) -> bool {
        self.remembered_consents
    }

    /// The consent mode from now on, given the administrator's earlier choice.
    pub const fn consent_mode(self, decided: ClientConsentMode) -> ClientConsentMode {
        if self.implied_consent { ClientConsentMode::Ask } else { decided }
    }
}

/// Whether the change replaces the client's credentials or weakens its authentication.
pub fn changes_authentication(before: &ClientMetadata, after: &ClientMetadata) -> bool {
    before.token_endpoint_auth_method != after.token_endpoint_auth_method
        || before.jwks != after.jwks
        || before.jwks_uri != after.jwks_uri
        || before.certificate_name() != after.certificate_name()
        || !before.security_profile.is_default() && after.security_profile.is_default()
        || before.tls_client_certificate_bound_access_tokens
            && !after.tls_client_certificate_bound_access_tokens
        || before.dpop_bound_access_tokens && !after.dpop_bound_access_tokens
}

fn is_another_client(before: &ClientMetadata, after: &ClientMetadata) -> bool {
    !has_same_identity(before, after)
        || before.effective_grant_types() != after.effective_grant_types()
        || changes_authentication(before, after)
        || drops_request_protection(before, after)
}

/// Compares everything that users see of a client, and every URL that users, tokens or messages are sent to.
/// The pattern names every member, so that a new member cannot be added without a decision here.
fn has_same_identity(before: &ClientMetadata, after: &ClientMetadata) -> bool {
    let ClientMetadata {
        client_name,
        localized,
        client_uri,
        logo_uri,
        tos_uri,
        policy_uri,
        redirect_uris,
        post_logout_redirect_uris,
        initiate_login_uri,
        backchannel_logout_uri,
        backchannel_token_delivery_mode,
        backchannel_client_notification_endpoint,
        // Compared by `changes_authentication`, `drops_request_protection` or as grant types.
        token_endpoint_auth_method: _,
        jwks: _,
        jwks_uri: _,
        tls_client_auth_subject_dn: _,
        tls_client_auth_san_dns: _,
        tls_client_auth_san_uri: _,
        tls_client_auth_san_ip: _,
        tls_client_auth_san_email: _,
        tls_client_certificate_bound_access_tokens: _,
        dpop_bound_access_tokens: _,
        security_profile: _,
        token_endpoint_auth_signing_alg: _,
        request_object_signing_alg: _,
        backchannel_authentication_request_signing_alg: _,
        require_pushed_authorization_requests: _,
        backchannel_user_code_parameter: _,
        default_max_age: _,
        default_acr_values: _,
        grant_types: _,
        // A wider scope ends verification and implied consent. Remembered consents name their scopes.
        scope: _,
        // These change the format of what the client receives, not its destination or recipient.
        response_types: _,
        application_type: _,
        id_token_signed_response_alg: _,
        userinfo_signed_response_alg: _,
        include_claims_in_id_token: _,
        role_claims: _,
        contacts: _,
        software_id: _,
        software_version: _,
        sector_identifier_uri: _,
        subject_type: _,
        backchannel_logout_session_required: _,
        require_auth_time: _,
        // Each use of authorization details needs its own consent.
        authorization_details_types: _,
        // Only administrators can change these.
        interaction_url: _,
        consent: _,
        serves: _,
    } = before;
    *client_name == after.client_name
        && *localized == after.localized
        && [client_uri, logo_uri, tos_uri, policy_uri]
            == [&after.client_uri, &after.logo_uri, &after.tos_uri, &after.policy_uri]
        && *redirect_uris == after.redirect_uris
        && *post_logout_redirect_uris == after.post_logout_redirect_uris
        && *initiate_login_uri == after.initiate_login_uri
        && *backchannel_logout_uri == after.backchannel_logout_uri
        && *backchannel_token_delivery_mode == after.backchannel_token_delivery_mode
        && *backchannel_client_notification_endpoint == after.backchannel_client_notification_endpoint
}

/// Whether requests need less protection than before: no signature, no PAR, an older or weaker authentication
/// (OpenID Connect Registration §2), or no user code (OpenID CIBA §4).
fn drops_request_protection(before: &ClientMetadata, after: &ClientMetadata) -> bool {
    let (asks_before, asks_after) = (
        before.backchannel_authentication_request_signing_alg,
        after.backchannel_authentication_request_signing_alg,
    );
    before.token_endpoint_auth_signing_alg != after.token_endpoint_auth_signing_alg
        || before.request_object_signing_alg.is_some()
            && before.request_object_signing_alg != after.request_object_signing_alg
        || asks_before.is_some() && asks_before != asks_after
        || before.require_pushed_authorization_requests && !after.require_pushed_authorization_requests
        || before.default_max_age.is_some_and(|before| after.default_max_age.is_none_or(|after| after > before))
        // The order expresses preference, so reordering can weaken authentication.
        || !before.default_acr_values.is_empty() && before.default_acr_values != after.default_acr_values
        || before.backchannel_user_code_parameter == Some(true)
            && after.backchannel_user_code_parameter != Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// A client with every member that can be changed or removed.
    fn registered() -> Value {
        json!({
            "client_name": "Notes",
            "redirect_uris": ["https://notes.example/cb"],
            "token_endpoint_auth_method": "private_key_jwt",
            "grant_types": ["authorization_code", "refresh_token"],
            "scope": "openid email",
            "jwks": {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AA"}]},
            "request_object_signing_alg": "ES256",
            "dpop_bound_access_tokens": true,
            "require_pushed_authorization_requests": true,
            "default_max_age": 300,
            "default_acr_values": ["aal2", "aal1"],
            "backchannel_user_code_parameter": true,
            "consent": "implied",
        })
    }

    fn lapse(editor: ClientEditor, member: &str, value: Value) -> RevokedClientTrust {
        let mut after = registered();
        after[member] = value;
        let read = |value| serde_json::from_value::<ClientMetadata>(value).unwrap();
        RevokedClientTrust::from_change(editor, &read(registered()), &read(after))
    }

    fn changes_of_identity() -> Vec<(&'static str, Value)> {
        vec![
            ("client_name", json!("Others")),
            ("localized", json!({"client_name#pt": "Notas"})),
            ("client_uri", json!("https://evil.example")),
            ("logo_uri", json!("https://evil.example")),
            ("tos_uri", json!("https://evil.example")),
            ("policy_uri", json!("https://evil.example")),
            ("redirect_uris", json!(["https://evil.example/cb"])),
            ("redirect_uris", json!(["https://notes.example/cb", "https://evil.example/cb"])),
            ("post_logout_redirect_uris", json!(["https://evil.example/bye"])),
            ("initiate_login_uri", json!("https://evil.example")),
            ("backchannel_logout_uri", json!("https://evil.example")),
            ("backchannel_client_notification_endpoint", json!("https://evil.example")),
            ("token_endpoint_auth_method", json!("client_secret_basic")),
            ("jwks", json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AQ"}]})),
            ("jwks_uri", json!("https://evil.example/jwks")),
            ("tls_client_auth_san_dns", json!("evil.example")),
            ("grant_types", json!(["authorization_code"])),
            ("dpop_bound_access_tokens", json!(false)),
            ("request_object_signing_alg", Value::Null),
            ("require_pushed_authorization_requests", json!(false)),
            ("default_max_age", Value::Null),
            ("default_max_age", json!(301)),
            ("default_acr_values", json!([])),
            ("default_acr_values", json!(["aal1", "aal2"])),
            ("backchannel_user_code_parameter", json!(false)),
            ("backchannel_user_code_parameter", Value::Null),
        ]
    }

    #[test]
    fn registration_token_change_of_client_identity_ends_verification_and_consents() {
        for (member, value) in changes_of_identity() {
            let lapse = lapse(ClientEditor::RegistrationToken, member, value);
            assert!(lapse.ends_verification() && lapse.ends_remembered_consents(), "{member}");
            assert_eq!(lapse.consent_mode(ClientConsentMode::Implied), ClientConsentMode::Ask, "{member}");
        }
    }

    #[test]
    fn registration_token_change_of_other_metadata_keeps_client_trust() {
        for (member, value) in [
            ("client_name", json!("Notes")),
            ("contacts", json!(["me@notes.example"])),
            ("software_version", json!("2")),
            ("scope", json!("openid")),
            ("default_max_age", json!(60)),
        ] {
            let lapse = lapse(ClientEditor::RegistrationToken, member, value);
            assert!(!lapse.ends_verification() && !lapse.ends_remembered_consents(), "{member}");
            assert_eq!(
                lapse.consent_mode(ClientConsentMode::Implied),
                ClientConsentMode::Implied,
                "{member}"
            );
        }
        let wider = lapse(ClientEditor::RegistrationToken, "scope", json!("openid email phone"));
        assert!(wider.ends_verification() && !wider.ends_remembered_consents());
        assert_eq!(wider.consent_mode(ClientConsentMode::Implied), ClientConsentMode::Ask);
    }

    #[test]
    fn client_verification_ends_when_an_administrator_widens_the_scope_but_not_when_a_verifier_does() {
        for (scope, is_wider) in [
            ("openid email phone", true),
            ("openid email members:*", true),
            ("openid email invoices:read", true),
            ("openid email", false),
            ("openid", false),
        ] {
            let by = |editor| lapse(editor, "scope", json!(scope));
            let administrator = by(ClientEditor::Administrator);
            assert_eq!(administrator.ends_verification(), is_wider, "{scope}");
            assert!(!administrator.ends_remembered_consents(), "{scope}");
            assert!(!by(ClientEditor::Verifier).ends_verification(), "{scope}");
        }
        // No scope means all identity scopes, which is more.
        assert!(lapse(ClientEditor::Administrator, "scope", Value::Null).ends_verification());
    }

    #[test]
    fn administrator_change_keeps_consents_and_verifier_change_keeps_verification() {
        for (member, value) in changes_of_identity() {
            let by = |editor| lapse(editor, member, value.clone());
            let (administrator, verifier) = (by(ClientEditor::Administrator), by(ClientEditor::Verifier));
            assert!(administrator.ends_verification() && !administrator.ends_remembered_consents());
            assert!(!verifier.ends_verification() && !verifier.ends_remembered_consents());
            for lapse in [administrator, verifier] {
                assert_eq!(lapse.consent_mode(ClientConsentMode::Implied), ClientConsentMode::Implied);
            }
        }
    }
}
