//! The schemas of clients.

use sinete_server::schema::NamedSchema;

pub(crate) const SCHEMAS: &[&NamedSchema] =
    &[&CLIENT, &SETTLED_CLIENT, &NEW_CLIENT, &CLIENT_PATCH, &METADATA, &METADATA_PATCH, &CARRIED_ROLE];

/// The schema of the resource.
pub(crate) const CLIENT: NamedSchema = NamedSchema::from_json(
    "Client",
    r##"{
        "type": "object", "additionalProperties": false,
        "required": ["id", "kind", "origin", "purpose", "owner", "condition", "verified_at", "metadata", "created_at", "version"],
        "properties": {
            "id": {"type": "string", "description": "Its client_id."},
            "kind": {"type": "string", "enum": ["application", "service", "agent"]},
            "origin": {"type": "string", "enum": ["operator", "organization", "self"], "description": "Who added it: an operator, an organization for itself, or it registered itself."},
            "purpose": {"type": "string"},
            "owner": {"type": ["string", "null"], "format": "uuid", "description": "The member who answers for an agent."},
            "condition": {"type": "string", "enum": ["enabled", "suspended", "ended"]},
            "verified_at": {"type": ["string", "null"], "format": "date-time", "description": "When an operator vouched for it."},
            "membership": {"type": "string", "format": "uuid", "description": "Its own membership, where it acts for itself."},
            "roles": {"type": "array", "items": {"$ref": "#/components/schemas/CarriedRole"}},
            "metadata": {"$ref": "#/components/schemas/ClientMetadata"},
            "created_at": {"type": "string", "format": "date-time"},
            "version": {"type": "integer", "description": "How often it has changed; also its ETag."}
        },
        "examples": [{
            "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6080", "kind": "application", "origin": "organization", "purpose": "",
            "owner": null, "condition": "enabled", "verified_at": null,
            "metadata": {"client_name": "Portal", "redirect_uris": ["https://portal.example.com/callback"], "token_endpoint_auth_method": "none"},
            "created_at": "2026-11-15T02:52:03.000042Z", "version": 1
        }]
    }"##,
);

/// The schema of a client after a change.
pub(crate) const SETTLED_CLIENT: NamedSchema = NamedSchema::from_json(
    "SettledClient",
    r##"{
        "type": "object", "additionalProperties": false,
        "required": ["id", "kind", "origin", "purpose", "owner", "condition", "verified_at", "metadata", "created_at", "version"],
        "properties": {
            "id": {"type": "string", "description": "Its client_id."},
            "kind": {"type": "string", "enum": ["application", "service", "agent"]},
            "origin": {"type": "string", "enum": ["operator", "organization", "self"], "description": "Who added it: an operator, an organization for itself, or it registered itself."},
            "purpose": {"type": "string"},
            "owner": {"type": ["string", "null"], "format": "uuid", "description": "The member who answers for an agent."},
            "condition": {"type": "string", "enum": ["enabled", "suspended", "ended"]},
            "verified_at": {"type": ["string", "null"], "format": "date-time", "description": "When an operator vouched for it."},
            "membership": {"type": "string", "format": "uuid", "description": "Its own membership, where it acts for itself."},
            "roles": {"type": "array", "items": {"$ref": "#/components/schemas/CarriedRole"}},
            "metadata": {"$ref": "#/components/schemas/ClientMetadata"},
            "created_at": {"type": "string", "format": "date-time"},
            "version": {"type": "integer", "description": "How often it has changed; also its ETag."},
            "client_secret": {"type": "string", "description": "Its new secret, if it was given one. It is shown this once and never again."}
        },
        "examples": [{
            "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6080", "kind": "application", "origin": "organization", "purpose": "",
            "owner": null, "condition": "enabled", "verified_at": null,
            "metadata": {"client_name": "Portal", "redirect_uris": ["https://portal.example.com/callback"], "token_endpoint_auth_method": "none"},
            "created_at": "2026-11-15T02:52:03.000042Z", "version": 1
        }]
    }"##,
);

/// The schema for adding a client.
pub(crate) const NEW_CLIENT: NamedSchema = NamedSchema::from_json(
    "CreateClientRequest",
    r##"{
        "type": "object", "additionalProperties": false, "required": ["metadata"],
        "properties": {
            "id": {
                "type": "string", "minLength": 1, "maxLength": 100, "pattern": "^[A-Za-z0-9._-]+$",
                "description": "A name an operator chooses, which does not look like a UUID; left out, one is made."
            },
            "type": {
                "type": "string", "enum": ["web", "spa", "native", "service", "agent"],
                "description": "What it is. It decides the kind, and the members of the metadata that are left out."
            },
            "kind": {"type": "string", "enum": ["application", "service", "agent"], "description": "Required without type."},
            "purpose": {"type": "string", "maxLength": 200, "description": "What it is for; an agent says so."},
            "owner": {"type": "string", "format": "uuid", "description": "The member who answers for an agent."},
            "roles": {
                "type": "array", "maxItems": 50, "uniqueItems": true,
                "description": "The ids of the roles it carries in its organization, where it acts for itself.",
                "items": {"type": "string", "format": "uuid"}
            },
            "verified": {"type": "boolean", "default": false, "description": "Whether an operator vouches for it."},
            "metadata": {"$ref": "#/components/schemas/ClientMetadata"}
        },
        "examples": [{
            "type": "web",
            "metadata": {"client_name": "Shop", "redirect_uris": ["https://shop.example.com/callback"], "serves": "everyone"}
        }, {
            "kind": "application",
            "metadata": {"client_name": "Portal", "redirect_uris": ["https://portal.example.com/callback"], "token_endpoint_auth_method": "none"}
        }]
    }"##,
);

/// The schema for changing a client.
pub(crate) const CLIENT_PATCH: NamedSchema = NamedSchema::from_json(
    "ClientPatch",
    r##"{
        "type": "object", "additionalProperties": false,
        "properties": {
            "purpose": {"type": ["string", "null"], "maxLength": 200},
            "owner": {"type": ["string", "null"], "format": "uuid"},
            "roles": {
                "type": ["array", "null"], "maxItems": 50, "uniqueItems": true,
                "items": {"type": "string", "format": "uuid"}
            },
            "metadata": {"$ref": "#/components/schemas/ClientMetadataPatch"}
        },
        "examples": [{"metadata": {"client_name": "Customer portal"}}]
    }"##,
);

const METADATA: NamedSchema = NamedSchema::from_json(
    "ClientMetadata",
    r##"{
        "type": "object", "additionalProperties": false, "required": ["client_name"],
        "description": "What a client says about itself (RFC 7591).",
        "properties": {
            "client_name": {"type": "string", "minLength": 1, "maxLength": 200, "description": "The name shown to people."},
            "redirect_uris": {"type": "array", "maxItems": 20, "uniqueItems": true, "description": "Where answers may be sent, compared byte for byte.", "items": {"type": "string", "minLength": 1, "maxLength": 2048}},
            "token_endpoint_auth_method": {"type": "string", "enum": ["none", "client_secret_basic", "client_secret_post", "private_key_jwt", "tls_client_auth", "self_signed_tls_client_auth"], "default": "client_secret_basic", "description": "How it proves who it is."},
            "grant_types": {"type": "array", "maxItems": 6, "uniqueItems": true, "description": "The ways it may get tokens.", "items": {"type": "string", "enum": ["authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange", "urn:ietf:params:oauth:grant-type:device_code", "urn:openid:params:grant-type:ciba"]}},
            "response_types": {"type": "array", "maxItems": 1, "items": {"type": "string", "enum": ["code"]}},
            "scope": {"type": "string", "maxLength": 4096, "description": "The most it may ask for. It confers nothing."},
            "application_type": {"type": "string", "enum": ["web", "native"], "default": "web"},
            "jwks": {"type": "object", "description": "Its own public keys (RFC 7517)."},
            "jwks_uri": {"type": "string", "maxLength": 2048, "format": "uri", "description": "Where its public keys are published."},
            "token_endpoint_auth_signing_alg": {"type": "string", "enum": ["RS256", "PS256", "ES256", "EdDSA"]},
            "tls_client_auth_subject_dn": {"type": "string", "minLength": 1, "maxLength": 1024, "description": "The subject of its certificate (RFC 4514), where that is how it is known."},
            "tls_client_auth_san_dns": {"type": "string", "minLength": 1, "maxLength": 1024, "description": "A name of the DNS in its certificate, where that is how it is known."},
            "tls_client_auth_san_uri": {"type": "string", "minLength": 1, "maxLength": 1024},
            "tls_client_auth_san_ip": {"type": "string", "minLength": 1, "maxLength": 1024},
            "tls_client_auth_san_email": {"type": "string", "minLength": 1, "maxLength": 1024},
            "tls_client_certificate_bound_access_tokens": {"type": "boolean", "default": false, "description": "Whether its tokens are bound to the certificate of the connection that asked for them."},
            "dpop_bound_access_tokens": {"type": "boolean", "default": false, "description": "Whether its tokens are bound to a key that it signs its requests with (RFC 9449)."},
            "id_token_signed_response_alg": {"type": "string", "enum": ["RS256", "PS256", "ES256", "EdDSA"]},
            "userinfo_signed_response_alg": {"type": "string", "enum": ["RS256", "PS256", "ES256", "EdDSA"]},
            "request_object_signing_alg": {"type": "string", "enum": ["RS256", "PS256", "ES256", "EdDSA"]},
            "client_uri": {"type": "string", "maxLength": 2048, "format": "uri"},
            "logo_uri": {"type": "string", "maxLength": 2048, "format": "uri"},
            "tos_uri": {"type": "string", "maxLength": 2048, "format": "uri"},
            "policy_uri": {"type": "string", "maxLength": 2048, "format": "uri"},
            "contacts": {"type": "array", "maxItems": 10, "items": {"type": "string", "minLength": 1, "maxLength": 200}},
            "software_id": {"type": "string", "minLength": 1, "maxLength": 200},
            "software_version": {"type": "string", "minLength": 1, "maxLength": 200},
            "sector_identifier_uri": {"type": "string", "maxLength": 2048, "format": "uri"},
            "subject_type": {"type": "string", "enum": ["public"]},
            "localized": {"type": "object", "maxProperties": 20, "description": "What people read, in other languages: the member and the language, as in client_name#pt-BR.", "additionalProperties": {"type": "string", "maxLength": 2048}},
            "initiate_login_uri": {"type": "string", "maxLength": 2048, "format": "uri"},
            "include_claims_in_id_token": {"type": "boolean", "default": false, "description": "Whether ID tokens contain the claims of the granted scopes (profile, email, address, phone)."},
            "role_claims": {"type": "array", "maxItems": 2, "uniqueItems": true, "description": "The arrays of role names that every token contains, without their scopes.", "items": {"type": "string", "enum": ["groups", "roles"]}},
            "interaction_url": {"type": "string", "maxLength": 2048, "format": "uri", "description": "Where its people are led when something has to be asked and the hosted screens are off."},
            "post_logout_redirect_uris": {"type": "array", "maxItems": 20, "uniqueItems": true, "items": {"type": "string", "minLength": 1, "maxLength": 2048}},
            "backchannel_logout_uri": {"type": "string", "maxLength": 2048, "format": "uri"},
            "backchannel_logout_session_required": {"type": "boolean"},
            "backchannel_token_delivery_mode": {"type": "string", "enum": ["poll", "ping"], "default": "poll", "description": "How it learns that somebody answered a request for approval."},
            "backchannel_client_notification_endpoint": {"type": "string", "maxLength": 2048, "format": "uri", "description": "Where it is told, in the mode ping."},
            "backchannel_authentication_request_signing_alg": {"type": "string", "enum": ["RS256", "PS256", "ES256", "EdDSA"], "description": "How its requests for approval are signed; once it is set, all of them are."},
            "backchannel_user_code_parameter": {"type": "boolean", "const": false},
            "default_max_age": {"type": "integer", "minimum": 0, "maximum": 4294967295},
            "require_auth_time": {"type": "boolean"},
            "default_acr_values": {"type": "array", "maxItems": 10, "items": {"type": "string", "maxLength": 200}},
            "require_pushed_authorization_requests": {"type": "boolean"},
            "security_profile": {"type": "string", "enum": ["standard", "fapi2"], "default": "standard", "description": "How strictly it is held to: fapi2 is the FAPI 2.0 Security Profile."},
            "authorization_details_types": {"type": "array", "maxItems": 20, "uniqueItems": true, "items": {"type": "string", "maxLength": 200}},
            "consent": {"type": "string", "enum": ["ask", "ask_for_permissions", "implied"], "default": "ask", "description": "Whether users are asked for consent: to everything, to permissions and offline_access only, or to no scope."},
            "serves": {"type": "string", "enum": ["any", "everyone", "organizations"], "default": "any", "description": "In which organizations its users act, for a client of the instance: any of their own, the home organization where they are members of it, or any but the home organization."}
        }
    }"##,
);

const METADATA_PATCH: NamedSchema = NamedSchema::from_json(
    "ClientMetadataPatch",
    r##"{
        "type": "object", "additionalProperties": false,
        "description": "What is named changes, what is null goes, the rest stays.",
        "properties": {
            "client_name": {"type": "string", "minLength": 1, "maxLength": 200, "description": "The name shown to people."},
            "redirect_uris": {"type": ["array", "null"], "maxItems": 20, "uniqueItems": true, "items": {"type": "string", "minLength": 1, "maxLength": 2048}},
            "token_endpoint_auth_method": {"enum": ["none", "client_secret_basic", "client_secret_post", "private_key_jwt", "tls_client_auth", "self_signed_tls_client_auth", null]},
            "grant_types": {"type": ["array", "null"], "maxItems": 6, "uniqueItems": true, "items": {"type": "string", "enum": ["authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange", "urn:ietf:params:oauth:grant-type:device_code", "urn:openid:params:grant-type:ciba"]}},
            "response_types": {"type": ["array", "null"], "maxItems": 1, "items": {"type": "string", "enum": ["code"]}},
            "scope": {"type": ["string", "null"], "maxLength": 4096},
            "application_type": {"enum": ["web", "native", null]},
            "jwks": {"type": ["object", "null"]},
            "jwks_uri": {"type": ["string", "null"], "maxLength": 2048, "format": "uri"},
            "token_endpoint_auth_signing_alg": {"enum": ["RS256", "PS256", "ES256", "EdDSA", null]},
            "tls_client_auth_subject_dn": {"type": ["string", "null"], "minLength": 1, "maxLength": 1024},
            "tls_client_auth_san_dns": {"type": ["string", "null"], "minLength": 1, "maxLength": 1024},
            "tls_client_auth_san_uri": {"type": ["string", "null"], "minLength": 1, "maxLength": 1024},
            "tls_client_auth_san_ip": {"type": ["string", "null"], "minLength": 1, "maxLength": 1024},
            "tls_client_auth_san_email": {"type": ["string", "null"], "minLength": 1, "maxLength": 1024},
            "tls_client_certificate_bound_access_tokens": {"type": ["boolean", "null"]},
            "dpop_bound_access_tokens": {"type": ["boolean", "null"]},
            "id_token_signed_response_alg": {"enum": ["RS256", "PS256", "ES256", "EdDSA", null]},
            "userinfo_signed_response_alg": {"enum": ["RS256", "PS256", "ES256", "EdDSA", null]},
            "request_object_signing_alg": {"enum": ["RS256", "PS256", "ES256", "EdDSA", null]},
            "client_uri": {"type": ["string", "null"], "maxLength": 2048, "format": "uri"},
            "logo_uri": {"type": ["string", "null"], "maxLength": 2048, "format": "uri"},
            "tos_uri": {"type": ["string", "null"], "maxLength": 2048, "format": "uri"},
            "policy_uri": {"type": ["string", "null"], "maxLength": 2048, "format": "uri"},
            "contacts": {"type": ["array", "null"], "maxItems": 10, "items": {"type": "string", "minLength": 1, "maxLength": 200}},
            "software_id": {"type": ["string", "null"], "minLength": 1, "maxLength": 200},
            "software_version": {"type": ["string", "null"], "minLength": 1, "maxLength": 200},
            "sector_identifier_uri": {"type": ["string", "null"], "maxLength": 2048, "format": "uri"},
            "subject_type": {"enum": ["public", null]},
            "localized": {"type": ["object", "null"], "maxProperties": 20, "additionalProperties": {"type": ["string", "null"], "maxLength": 2048}},
            "initiate_login_uri": {"type": ["string", "null"], "maxLength": 2048, "format": "uri"},
            "include_claims_in_id_token": {"type": ["boolean", "null"]},
            "role_claims": {"type": ["array", "null"], "maxItems": 2, "uniqueItems": true, "items": {"type": "string", "enum": ["groups", "roles"]}},
            "interaction_url": {"type": ["string", "null"], "maxLength": 2048, "format": "uri"},
            "post_logout_redirect_uris": {"type": ["array", "null"], "maxItems": 20, "uniqueItems": true, "items": {"type": "string", "minLength": 1, "maxLength": 2048}},
            "backchannel_logout_uri": {"type": ["string", "null"], "maxLength": 2048, "format": "uri"},
            "backchannel_logout_session_required": {"type": ["boolean", "null"]},
            "backchannel_token_delivery_mode": {"enum": ["poll", "ping", null]},
            "backchannel_client_notification_endpoint": {"type": ["string", "null"], "maxLength": 2048, "format": "uri"},
            "backchannel_authentication_request_signing_alg": {"enum": ["RS256", "PS256", "ES256", "EdDSA", null]},
            "backchannel_user_code_parameter": {"anyOf": [{"type": "boolean", "const": false}, {"type": "null"}]},
            "default_max_age": {"type": ["integer", "null"], "minimum": 0, "maximum": 4294967295},
            "require_auth_time": {"type": ["boolean", "null"]},
            "default_acr_values": {"type": ["array", "null"], "maxItems": 10, "items": {"type": "string", "maxLength": 200}},
            "require_pushed_authorization_requests": {"type": ["boolean", "null"]},
            "security_profile": {"enum": ["standard", "fapi2", null]},
            "authorization_details_types": {"type": ["array", "null"], "maxItems": 20, "uniqueItems": true, "items": {"type": "string", "maxLength": 200}},
            "consent": {"enum": ["ask", "ask_for_permissions", "implied", null]},
            "serves": {"enum": ["any", "everyone", "organizations", null]}
        }
    }"##,
);

const CARRIED_ROLE: NamedSchema = NamedSchema::from_json(
    "CarriedRole",
    r##"{
        "type": "object", "additionalProperties": false, "required": ["id", "name"],
        "properties": {"id": {"type": "string", "format": "uuid"}, "name": {"type": "string"}}
    }"##,
);

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use sinete_core::access_control::scope::ScopeSet;
    use sinete_core::oauth::authorize::consent::ClientConsentMode;
    use sinete_core::oauth::client_metadata::{
        ApplicationType, CibaDeliveryMode, ClientAuthMethod, ClientMetadata, GrantType, ResponseType,
        RoleClaim, ServedUsers, SubjectType,
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
