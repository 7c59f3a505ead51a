//! The schemas of clients.

use super::{ClientPatch, ClientRoleView, ClientView, NewClientInput, SavedClientView};
use sinete_core::oauth::client_metadata::ClientMetadata;
use sinete_server::schema::NamedSchema;

pub(crate) const SCHEMAS: &[&NamedSchema] =
    &[&CLIENT, &SETTLED_CLIENT, &NEW_CLIENT, &CLIENT_PATCH, &METADATA, &METADATA_PATCH, &CARRIED_ROLE];

/// The schema of the resource.
pub(crate) const CLIENT: NamedSchema = NamedSchema::response::<ClientView<'_>>("Client")
    .with_example(r#"{
        "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6080", "kind": "application", "origin": "organization",
        "purpose": "", "owner": null, "condition": "enabled", "verified_at": null,
        "metadata": {"client_name": "Portal", "redirect_uris": ["https://portal.example.com/callback"], "token_endpoint_auth_method": "none"},
        "created_at": "2026-11-15T02:52:03.000042Z", "version": 1
    }"#);

/// The schema of a client after a change.
pub(crate) const SETTLED_CLIENT: NamedSchema = NamedSchema::response::<SavedClientView>("SettledClient")
    .with_example(r#"{
        "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6080", "kind": "application", "origin": "organization",
        "purpose": "", "owner": null, "condition": "enabled", "verified_at": null,
        "metadata": {"client_name": "Portal", "redirect_uris": ["https://portal.example.com/callback"], "token_endpoint_auth_method": "none"},
        "created_at": "2026-11-15T02:52:03.000042Z", "version": 1
    }"#);

/// The schema for adding a client.
pub(crate) const NEW_CLIENT: NamedSchema = NamedSchema::request::<NewClientInput>("CreateClientRequest")
    .with_example(r#"[
        {"type": "web", "metadata": {"client_name": "Shop", "redirect_uris": ["https://shop.example.com/callback"], "serves": "everyone"}},
        {"kind": "application", "metadata": {"client_name": "Portal", "redirect_uris": ["https://portal.example.com/callback"], "token_endpoint_auth_method": "none"}}
    ]"#);

/// The schema for changing a client.
pub(crate) const CLIENT_PATCH: NamedSchema = NamedSchema::merge_patch::<ClientPatch>("ClientPatch")
    .with_example(r#"{"metadata": {"client_name": "Customer portal"}}"#);

const METADATA: NamedSchema = NamedSchema::request::<ClientMetadata>("ClientMetadata")
    .with_description("The metadata of a client (RFC 7591).");

const METADATA_PATCH: NamedSchema = NamedSchema::merge_patch::<ClientMetadata>("ClientMetadataPatch")
    .with_description(
        "A JSON merge patch: members that are present are set, null deletes a member, and absent members keep \
         their values.",
    );

const CARRIED_ROLE: NamedSchema = NamedSchema::response::<ClientRoleView<'_>>("CarriedRole");

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use sinete_core::access_control::scope::ScopeSet;
    use sinete_core::oauth::authorize::consent::ClientConsentMode;
    use sinete_core::oauth::client_metadata::{
        ApplicationType, CibaDeliveryMode, ClientAuthMethod, GrantType, ResponseType, RoleClaim, ServedUsers,
        SubjectType,
    };
    use sinete_core::oauth::security_profile::SecurityProfile;
    use sinete_core::platform::signing_keys::SigningAlgorithm;

    #[test]
    fn client_schemas_cover_every_field() {
        let text = || Some("https://portal.example.com".to_owned());
        let algorithm = Some(SigningAlgorithm::EdDsa);
        // Every field is listed, so that a new one is not forgotten in the schemas.
        let metadata = ClientMetadata {
            client_name: "Portal".to_owned(),
            redirect_uris: vec!["https://portal.example.com/callback".parse().unwrap()],
            token_endpoint_auth_method: ClientAuthMethod::PrivateKeyJwt,
            grant_types: Some([GrantType::AuthorizationCode, GrantType::TokenExchange].into()),
            response_types: Some([ResponseType::Code].into()),
            scope: Some("openid invoices:read".parse::<ScopeSet>().unwrap()),
            application_type: ApplicationType::Native,
            jwks: Some(json!({"keys": []})),
            jwks_uri: text(),
            token_endpoint_auth_signing_alg: algorithm,
            tls_client_auth_subject_dn: text(),
            tls_client_auth_san_dns: text(),
            tls_client_auth_san_uri: text(),
            tls_client_auth_san_ip: text(),
            tls_client_auth_san_email: text(),
            tls_client_certificate_bound_access_tokens: true,
            dpop_bound_access_tokens: true,
            id_token_signed_response_alg: algorithm,
            userinfo_signed_response_alg: algorithm,
            request_object_signing_alg: algorithm,
            client_uri: text(),
            logo_uri: text(),
            tos_uri: text(),
            policy_uri: text(),
            contacts: vec!["ana@example.com".to_owned()],
            software_id: text(),
            software_version: text(),
            sector_identifier_uri: text(),
            subject_type: Some(SubjectType::Public),
            localized: [("client_name#pt".to_owned(), "Portal".to_owned())].into(),
            initiate_login_uri: text(),
            post_logout_redirect_uris: vec!["https://portal.example.com/".parse().unwrap()],
            backchannel_logout_uri: text(),
            backchannel_logout_session_required: true,
            backchannel_token_delivery_mode: Some(CibaDeliveryMode::Ping),
            backchannel_client_notification_endpoint: text(),
            backchannel_authentication_request_signing_alg: algorithm,
            backchannel_user_code_parameter: Some(false),
            default_max_age: Some(60),
            require_auth_time: true,
            default_acr_values: vec!["urn:sinete:aal:2".to_owned()],
            require_pushed_authorization_requests: true,
            security_profile: SecurityProfile::Fapi2,
            authorization_details_types: ["payment".to_owned()].into(),
            include_claims_in_id_token: true,
            role_claims: RoleClaim::ALL.into(),
            interaction_url: text(),
            consent: ClientConsentMode::Implied,
            serves: ServedUsers::Everyone,
        };
        let text = serde_json::to_value(&metadata).unwrap();
        for schema in [&METADATA, &METADATA_PATCH] {
            assert!(
                crate::schema::SCHEMA_REGISTRY.check(schema, &text).is_empty(),
                "{:?}",
                crate::schema::SCHEMA_REGISTRY.check(schema, &text)
            );
        }
        assert_eq!(serde_json::from_value::<ClientMetadata>(text).unwrap(), metadata);
    }
}
