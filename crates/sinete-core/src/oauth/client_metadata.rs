//! What a client says about itself when it is registered (RFC 7591 and its OpenID companions).

pub mod localized;
mod mtls;
mod security_profile;
mod validation;
mod values;

pub use values::{ApplicationType, CibaDeliveryMode, ClientAuthMethod, GrantType, ResponseType, SubjectType};

use super::redirect_uri::RedirectUri;
use super::security_profile::SecurityProfile;
use crate::access_control::scope::{IdentityScope, Scope, ScopeSet};
use crate::oauth::authorize::consent::ClientConsentMode;
use crate::platform::signing_keys::SigningAlgorithm;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The metadata of a client, as it was registered and is echoed back.
///
/// Members we do not know are ignored, as RFC 7591 §2 asks; a value we do not support is refused.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClientMetadata {
    /// The name shown to people.
    pub client_name: String,
    /// Where answers may be sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redirect_uris: Vec<RedirectUri>,
    /// How it proves who it is.
    pub token_endpoint_auth_method: ClientAuthMethod,
    /// The ways it may get tokens; left out, what an application needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant_types: Option<BTreeSet<GrantType>>,
    /// The answers it expects from the authorization endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_types: Option<BTreeSet<ResponseType>>,
    /// The ceiling of what it may ask for. It confers nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<ScopeSet>,
    /// Whether it runs in a browser's reach or on a person's device.
    pub application_type: ApplicationType,
    /// Its own public keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwks: Option<serde_json::Value>,
    /// Where its public keys are published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwks_uri: Option<String>,
    /// How its assertions are signed; left out, any algorithm we know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_endpoint_auth_signing_alg: Option<SigningAlgorithm>,
    /// The subject of its certificate, where that is how it is known (RFC 4514).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_client_auth_subject_dn: Option<String>,
    /// A name of the DNS in its certificate, where that is how it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_client_auth_san_dns: Option<String>,
    /// An address in its certificate, where that is how it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_client_auth_san_uri: Option<String>,
    /// A network address in its certificate, where that is how it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_client_auth_san_ip: Option<String>,
    /// A mail address in its certificate, where that is how it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_client_auth_san_email: Option<String>,
    /// Whether its tokens are bound to the certificate of the connection that asked for them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tls_client_certificate_bound_access_tokens: bool,
    /// Whether its tokens are bound to a key that it signs its requests with (RFC 9449 §5.2).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dpop_bound_access_tokens: bool,
    /// How its ID tokens are signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id_token_signed_response_alg: Option<SigningAlgorithm>,
    /// How its userinfo answers are signed; left out, they are plain JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub userinfo_signed_response_alg: Option<SigningAlgorithm>,
    /// How its request objects are signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_object_signing_alg: Option<SigningAlgorithm>,
    /// Its home page, shown to people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_uri: Option<String>,
    /// Its logo. Never fetched by a person's browser from there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logo_uri: Option<String>,
    /// Its terms, shown to people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tos_uri: Option<String>,
    /// Its privacy policy, shown to people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_uri: Option<String>,
    /// Who to write to about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contacts: Vec<String>,
    /// A name for the software, the same for every copy of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub software_id: Option<String>,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub software_version: Option<String>,
    /// A document that lists every redirect address of those who share one idea of who a person is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sector_identifier_uri: Option<String>,
    /// Whether other clients know a person by the same id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject_type: Option<SubjectType>,
    /// What people read, in other languages: the member and the language, as in `client_name#pt-BR`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub localized: BTreeMap<String, String>,
    /// Where a sign-in can be started from outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initiate_login_uri: Option<String>,
    /// Where people may be sent after signing out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub post_logout_redirect_uris: Vec<RedirectUri>,
    /// Where it is told that a session ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backchannel_logout_uri: Option<String>,
    /// Whether it needs to be told which session.
    pub backchannel_logout_session_required: bool,
    /// How it learns of the answer to a request for approval; left out, it asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backchannel_token_delivery_mode: Option<CibaDeliveryMode>,
    /// Where it is told that somebody answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backchannel_client_notification_endpoint: Option<String>,
    /// How its requests for approval are signed; once registered, all of them are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backchannel_authentication_request_signing_alg: Option<SigningAlgorithm>,
    /// Whether it sends a code that the person chose. There are none here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backchannel_user_code_parameter: Option<bool>,
    /// How old a sign-in may be, in seconds, when a request does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_max_age: Option<u32>,
    /// Whether its ID tokens always say when the person signed in.
    pub require_auth_time: bool,
    /// The assurance it asks for when a request does not say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub default_acr_values: Vec<String>,
    /// Whether its requests must be pushed first.
    pub require_pushed_authorization_requests: bool,
    /// How strictly it is held to.
    #[serde(skip_serializing_if = "SecurityProfile::is_default")]
    pub security_profile: SecurityProfile,
    /// The types of RFC 9396 details it uses.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub authorization_details_types: BTreeSet<String>,
    /// Where its people are led when they have to be asked something and there are no hosted screens. Only whoever
    /// vouches for a client decides that: whoever answers there sees people sign in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interaction_url: Option<String>,
    /// Whether people are asked before it gets something. Only whoever vouches for a client decides that.
    #[serde(skip_serializing_if = "ClientConsentMode::is_default")]
    pub consent: ClientConsentMode,
}

impl ClientMetadata {
    /// The names of everything a client can say about itself, for those who must not misspell one.
    pub const MEMBERS: &[&str] = &[
        "client_name",
        "redirect_uris",
        "token_endpoint_auth_method",
        "grant_types",
        "response_types",
        "scope",
        "application_type",
        "jwks",
        "jwks_uri",
        "token_endpoint_auth_signing_alg",
        "tls_client_auth_subject_dn",
        "tls_client_auth_san_dns",
        "tls_client_auth_san_uri",
        "tls_client_auth_san_ip",
        "tls_client_auth_san_email",
        "tls_client_certificate_bound_access_tokens",
        "dpop_bound_access_tokens",
        "id_token_signed_response_alg",
        "userinfo_signed_response_alg",
        "request_object_signing_alg",
        "client_uri",
        "logo_uri",
        "tos_uri",
        "policy_uri",
        "contacts",
        "software_id",
        "software_version",
        "sector_identifier_uri",
        "subject_type",
        "localized",
        "initiate_login_uri",
        "post_logout_redirect_uris",
        "backchannel_logout_uri",
        "backchannel_logout_session_required",
        "backchannel_token_delivery_mode",
        "backchannel_client_notification_endpoint",
        "backchannel_authentication_request_signing_alg",
        "backchannel_user_code_parameter",
        "default_max_age",
        "require_auth_time",
        "default_acr_values",
        "require_pushed_authorization_requests",
        "security_profile",
        "authorization_details_types",
        "interaction_url",
        "consent",
    ];

    /// The ways it may get tokens: what it named, or what an application needs.
    pub fn effective_grant_types(&self) -> BTreeSet<GrantType> {
        let usual = GrantType::USUAL;
        self.grant_types.clone().unwrap_or_else(|| usual.into())
    }

    /// The most it may ask for: what it named, or everything about who somebody is.
    pub fn allowed_scopes(&self) -> ScopeSet {
        let everything = || IdentityScope::ALL.into_iter().map(Scope::Identity).collect();
        self.scope.clone().unwrap_or_else(everything)
    }

    /// Whether its tokens are bound to anything: a certificate, a key, or both.
    pub const fn binds_tokens(&self) -> bool {
        self.tls_client_certificate_bound_access_tokens || self.dpop_bound_access_tokens
    }

    /// How its ID tokens are signed: as it chose, or as its profile has it.
    pub fn id_token_algorithm(&self) -> SigningAlgorithm {
        self.id_token_signed_response_alg.unwrap_or(self.security_profile.default_algorithm())
    }
}

#[cfg(test)]
mod tests;
