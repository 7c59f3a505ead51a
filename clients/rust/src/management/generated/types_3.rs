//! Made by `clients/generate.mjs` of what the server says about itself. Not for editing.

use super::{ConnectionSaml, ConnectionTwoFactors};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// What is named changes, what is null goes, the rest stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ClientMetadataPatch {
    /// `application_type`. One of `web`, `native`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub application_type: Option<Option<String>>,
    /// `authorization_details_types`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authorization_details_types: Option<Option<Vec<String>>>,
    /// `backchannel_authentication_request_signing_alg`. One of `RS256`, `PS256`, `ES256`, `EdDSA`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backchannel_authentication_request_signing_alg: Option<Option<String>>,
    /// `backchannel_client_notification_endpoint`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backchannel_client_notification_endpoint: Option<Option<String>>,
    /// `backchannel_logout_session_required`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backchannel_logout_session_required: Option<Option<bool>>,
    /// `backchannel_logout_uri`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backchannel_logout_uri: Option<Option<String>>,
    /// `backchannel_token_delivery_mode`. One of `poll`, `ping`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backchannel_token_delivery_mode: Option<Option<String>>,
    /// `backchannel_user_code_parameter`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backchannel_user_code_parameter: Option<Option<Value>>,
    /// The name shown to people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_name: Option<String>,
    /// `client_uri`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_uri: Option<Option<String>>,
    /// `consent`. One of `ask`, `implied`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consent: Option<Option<String>>,
    /// `contacts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contacts: Option<Option<Vec<String>>>,
    /// `default_acr_values`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_acr_values: Option<Option<Vec<String>>>,
    /// `default_max_age`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_max_age: Option<Option<i64>>,
    /// `dpop_bound_access_tokens`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dpop_bound_access_tokens: Option<Option<bool>>,
    /// `grant_types`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant_types: Option<Option<Vec<String>>>,
    /// `id_token_signed_response_alg`. One of `RS256`, `PS256`, `ES256`, `EdDSA`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id_token_signed_response_alg: Option<Option<String>>,
    /// `initiate_login_uri`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initiate_login_uri: Option<Option<String>>,
    /// `interaction_url`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interaction_url: Option<Option<String>>,
    /// `jwks`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwks: Option<Option<serde_json::Map<String, Value>>>,
    /// `jwks_uri`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwks_uri: Option<Option<String>>,
    /// `localized`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub localized: Option<Option<BTreeMap<String, String>>>,
    /// `logo_uri`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logo_uri: Option<Option<String>>,
    /// `policy_uri`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_uri: Option<Option<String>>,
    /// `post_logout_redirect_uris`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub post_logout_redirect_uris: Option<Option<Vec<String>>>,
    /// `redirect_uris`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_uris: Option<Option<Vec<String>>>,
    /// `request_object_signing_alg`. One of `RS256`, `PS256`, `ES256`, `EdDSA`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_object_signing_alg: Option<Option<String>>,
    /// `require_auth_time`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub require_auth_time: Option<Option<bool>>,
    /// `require_pushed_authorization_requests`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub require_pushed_authorization_requests: Option<Option<bool>>,
    /// `response_types`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_types: Option<Option<Vec<String>>>,
    /// `scope`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Option<String>>,
    /// `sector_identifier_uri`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sector_identifier_uri: Option<Option<String>>,
    /// `security_profile`. One of `standard`, `fapi2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub security_profile: Option<Option<String>>,
    /// `software_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub software_id: Option<Option<String>>,
    /// `software_version`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub software_version: Option<Option<String>>,
    /// `subject_type`. One of `public`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject_type: Option<Option<String>>,
    /// `tls_client_auth_san_dns`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_client_auth_san_dns: Option<Option<String>>,
    /// `tls_client_auth_san_email`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_client_auth_san_email: Option<Option<String>>,
    /// `tls_client_auth_san_ip`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_client_auth_san_ip: Option<Option<String>>,
    /// `tls_client_auth_san_uri`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_client_auth_san_uri: Option<Option<String>>,
    /// `tls_client_auth_subject_dn`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_client_auth_subject_dn: Option<Option<String>>,
    /// `tls_client_certificate_bound_access_tokens`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_client_certificate_bound_access_tokens: Option<Option<bool>>,
    /// `token_endpoint_auth_method`. One of `none`, `client_secret_basic`, `client_secret_post`,
    /// `private_key_jwt`, `tls_client_auth`, `self_signed_tls_client_auth`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_endpoint_auth_method: Option<Option<String>>,
    /// `token_endpoint_auth_signing_alg`. One of `RS256`, `PS256`, `ES256`, `EdDSA`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_endpoint_auth_signing_alg: Option<Option<String>>,
    /// `tos_uri`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tos_uri: Option<Option<String>>,
    /// `userinfo_signed_response_alg`. One of `RS256`, `PS256`, `ES256`, `EdDSA`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub userinfo_signed_response_alg: Option<Option<String>>,
}

/// What the description calls `ClientPatch`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ClientPatch {
    /// `metadata`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<ClientMetadataPatch>,
    /// `owner`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<Option<String>>,
    /// `purpose`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<Option<String>>,
    /// `roles`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles: Option<Option<Vec<String>>>,
}

/// What the description calls `ClientSecrets`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClientSecrets {
    /// `items`.
    pub items: Vec<ClientSecretsItems>,
}

/// What the description calls `ClientSecretsItems`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClientSecretsItems {
    /// `created_at`.
    pub created_at: String,
    /// `expires_at`.
    pub expires_at: Option<String>,
    /// The name it goes by; the secret cannot be found from it.
    pub id: String,
}

/// What the description calls `Connection`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Connection {
    /// `authentication`. One of `client_secret`, `private_key`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authentication: Option<String>,
    /// The address to register at the provider, to which it sends people back.
    pub callback: String,
    /// The certificates of a provider that speaks SAML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificates: Option<Vec<ConnectionCertificates>>,
    /// `client_id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Whether an owner set the connection up, or has saved it since. Only then are provisioned memberships
    /// claimed through it, and can it be switched on with `sso:manage` alone.
    pub confirmed: bool,
    /// `created_at`.
    pub created_at: String,
    /// `domains`.
    pub domains: Vec<String>,
    /// `enabled`.
    pub enabled: bool,
    /// The name of this service at a provider that speaks SAML, and the address of what it says about
    /// itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity_id: Option<String>,
    /// `external_id_claim`.
    pub external_id_claim: Option<String>,
    /// `has_secret`.
    pub has_secret: bool,
    /// `id`.
    pub id: String,
    /// `issuer`.
    pub issuer: String,
    /// `kind`. One of `oidc`, `saml`.
    pub kind: String,
    /// `name`.
    pub name: String,
    /// `saml`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saml: Option<ConnectionSaml>,
    /// `scopes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// `two_factors`.
    pub two_factors: ConnectionTwoFactors,
    /// `version`.
    pub version: i64,
}

/// What the description calls `ConnectionCertificates`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConnectionCertificates {
    /// `ends_at`.
    pub ends_at: String,
    /// `sha256`.
    pub sha256: String,
}
