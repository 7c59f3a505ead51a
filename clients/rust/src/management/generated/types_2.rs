//! Made by `clients/generate.mjs` of what the server says about itself. Not for editing.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// What a client says about itself (RFC 7591).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClientMetadata {
    /// `application_type`. One of `web`, `native`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application_type: Option<String>,
    /// `authorization_details_types`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorization_details_types: Option<Vec<String>>,
    /// How its requests for approval are signed; once it is set, all of them are. One of `RS256`, `PS256`,
    /// `ES256`, `EdDSA`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backchannel_authentication_request_signing_alg: Option<String>,
    /// Where it is told, in the mode ping.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backchannel_client_notification_endpoint: Option<String>,
    /// `backchannel_logout_session_required`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backchannel_logout_session_required: Option<bool>,
    /// `backchannel_logout_uri`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backchannel_logout_uri: Option<String>,
    /// How it learns that somebody answered a request for approval. One of `poll`, `ping`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backchannel_token_delivery_mode: Option<String>,
    /// `backchannel_user_code_parameter`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backchannel_user_code_parameter: Option<bool>,
    /// The name shown to people.
    pub client_name: String,
    /// `client_uri`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_uri: Option<String>,
    /// Whether people are asked before it gets something. One of `ask`, `implied`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consent: Option<String>,
    /// `contacts`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contacts: Option<Vec<String>>,
    /// `default_acr_values`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_acr_values: Option<Vec<String>>,
    /// `default_max_age`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_max_age: Option<i64>,
    /// Whether its tokens are bound to a key that it signs its requests with (RFC 9449).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dpop_bound_access_tokens: Option<bool>,
    /// The ways it may get tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant_types: Option<Vec<String>>,
    /// `id_token_signed_response_alg`. One of `RS256`, `PS256`, `ES256`, `EdDSA`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_token_signed_response_alg: Option<String>,
    /// `initiate_login_uri`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initiate_login_uri: Option<String>,
    /// Where its people are led when something has to be asked and the hosted screens are off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interaction_url: Option<String>,
    /// Its own public keys (RFC 7517).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwks: Option<serde_json::Map<String, Value>>,
    /// Where its public keys are published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwks_uri: Option<String>,
    /// What people read, in other languages: the member and the language, as in client_name#pt-BR.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub localized: Option<BTreeMap<String, String>>,
    /// `logo_uri`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo_uri: Option<String>,
    /// `policy_uri`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_uri: Option<String>,
    /// `post_logout_redirect_uris`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub post_logout_redirect_uris: Option<Vec<String>>,
    /// Where answers may be sent, compared byte for byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect_uris: Option<Vec<String>>,
    /// `request_object_signing_alg`. One of `RS256`, `PS256`, `ES256`, `EdDSA`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_object_signing_alg: Option<String>,
    /// `require_auth_time`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub require_auth_time: Option<bool>,
    /// `require_pushed_authorization_requests`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub require_pushed_authorization_requests: Option<bool>,
    /// `response_types`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_types: Option<Vec<String>>,
    /// The most it may ask for. It confers nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// `sector_identifier_uri`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sector_identifier_uri: Option<String>,
    /// How strictly it is held to: fapi2 is the FAPI 2.0 Security Profile. One of `standard`, `fapi2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security_profile: Option<String>,
    /// `software_id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub software_id: Option<String>,
    /// `software_version`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub software_version: Option<String>,
    /// `subject_type`. One of `public`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject_type: Option<String>,
    /// A name of the DNS in its certificate, where that is how it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls_client_auth_san_dns: Option<String>,
    /// `tls_client_auth_san_email`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls_client_auth_san_email: Option<String>,
    /// `tls_client_auth_san_ip`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls_client_auth_san_ip: Option<String>,
    /// `tls_client_auth_san_uri`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls_client_auth_san_uri: Option<String>,
    /// The subject of its certificate (RFC 4514), where that is how it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls_client_auth_subject_dn: Option<String>,
    /// Whether its tokens are bound to the certificate of the connection that asked for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls_client_certificate_bound_access_tokens: Option<bool>,
    /// How it proves who it is. One of `none`, `client_secret_basic`, `client_secret_post`,
    /// `private_key_jwt`, `tls_client_auth`, `self_signed_tls_client_auth`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_endpoint_auth_method: Option<String>,
    /// `token_endpoint_auth_signing_alg`. One of `RS256`, `PS256`, `ES256`, `EdDSA`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_endpoint_auth_signing_alg: Option<String>,
    /// `tos_uri`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tos_uri: Option<String>,
    /// `userinfo_signed_response_alg`. One of `RS256`, `PS256`, `ES256`, `EdDSA`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub userinfo_signed_response_alg: Option<String>,
}
