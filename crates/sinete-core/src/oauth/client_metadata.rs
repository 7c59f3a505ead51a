//! Client metadata (RFC 7591 and the OpenID Connect registration specifications).

pub mod localized;
mod mtls;
mod security_profile;
mod served_users;
pub mod template;
mod validation;
mod values;

pub use served_users::ServedUsers;
pub use values::{
    ApplicationType, CibaDeliveryMode, ClientAuthMethod, GrantType, ResponseType, RoleClaim, SubjectType,
};

use super::redirect_uri::{REDIRECT_URI_BYTES_MAX, RedirectUri};
use super::scope_ceiling::ScopeCeiling;
use super::security_profile::SecurityProfile;
use crate::access_control::scope::{IdentityScope, Scope, ScopeSet};
use crate::limits::{
    API_DETAIL_TYPES_MAX, CERTIFICATE_NAME_BYTES_MAX, CLIENT_ACR_VALUES_MAX, CLIENT_CONTACTS_MAX,
    CLIENT_LOCALIZED_MAX, DISPLAY_TEXT_CHARACTERS_MAX, REDIRECT_URIS_MAX, SCOPE_BYTES_MAX,
};
use crate::oauth::authorize::consent::ClientConsentMode;
use crate::organizations::settings::ScopeCeilingPolicy;
use crate::platform::signing_keys::SigningAlgorithm;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The metadata of a client, as registered and as returned.
///
/// Unknown members are ignored (RFC 7591 §2); unsupported values are rejected.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["client_name"]))]
pub struct ClientMetadata {
    /// The name shown to users.
    #[schemars(description = "The name shown to users.")]
    #[schemars(length(min = 1, max = DISPLAY_TEXT_CHARACTERS_MAX))]
    pub client_name: String,
    /// The registered redirect URIs.
    #[schemars(description = "The redirect URIs, compared byte for byte.")]
    #[schemars(length(max = REDIRECT_URIS_MAX), extend("uniqueItems" = true))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redirect_uris: Vec<RedirectUri>,
    /// How the client authenticates.
    #[schemars(description = "The client authentication method.")]
    #[schemars(extend("default" = "client_secret_basic"))]
    pub token_endpoint_auth_method: ClientAuthMethod,
    /// The grant types; `None` means [`GrantType::DEFAULTS`].
    #[schemars(description = "The grant types it may use.")]
    #[schemars(length(max = 6))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant_types: Option<BTreeSet<GrantType>>,
    /// The response types of the authorization endpoint.
    #[schemars(length(max = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_types: Option<BTreeSet<ResponseType>>,
    /// The maximum scope the client may request. It grants nothing by itself.
    #[schemars(description = "The maximum scope it may request. It grants nothing by itself.")]
    #[schemars(with = "Option<String>", length(max = SCOPE_BYTES_MAX))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<ScopeSet>,
    /// Whether it is a web or native application.
    #[schemars(extend("default" = "web"))]
    pub application_type: ApplicationType,
    /// The client's public keys (JWK Set).
    #[schemars(description = "The client's public keys (RFC 7517).")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwks: Option<serde_json::Value>,
    /// The URL of the client's JWK Set.
    #[schemars(description = "The URL of its JSON Web Key Set.")]
    #[schemars(length(max = REDIRECT_URI_BYTES_MAX), extend("format" = "uri"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwks_uri: Option<String>,
    /// The signing algorithm of client assertions; if it is missing, every supported one is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_endpoint_auth_signing_alg: Option<SigningAlgorithm>,
    /// The certificate's subject DN (RFC 4514), for `tls_client_auth`.
    #[schemars(
        description = "The subject DN of its certificate (RFC 4514), for the method tls_client_auth."
    )]
    #[schemars(length(min = 1, max = CERTIFICATE_NAME_BYTES_MAX))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_client_auth_subject_dn: Option<String>,
    /// The certificate's DNS name, for `tls_client_auth`.
    #[schemars(description = "A DNS name in its certificate, for the method tls_client_auth.")]
    #[schemars(length(min = 1, max = CERTIFICATE_NAME_BYTES_MAX))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_client_auth_san_dns: Option<String>,
    /// The certificate's URI, for `tls_client_auth`.
    #[schemars(length(min = 1, max = CERTIFICATE_NAME_BYTES_MAX))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_client_auth_san_uri: Option<String>,
    /// The certificate's IP address, for `tls_client_auth`.
    #[schemars(length(min = 1, max = CERTIFICATE_NAME_BYTES_MAX))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_client_auth_san_ip: Option<String>,
    /// The certificate's e-mail address, for `tls_client_auth`.
    #[schemars(length(min = 1, max = CERTIFICATE_NAME_BYTES_MAX))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_client_auth_san_email: Option<String>,
    /// Whether access tokens are bound to the client's certificate (RFC 8705 §3).
    #[schemars(
        description = "Whether its tokens are bound to the client certificate of the token request (RFC 8705)."
    )]
    #[schemars(extend("default" = false))]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tls_client_certificate_bound_access_tokens: bool,
    /// Whether access tokens are bound to a DPoP key (RFC 9449 §5.2).
    #[schemars(description = "Whether its tokens are bound to the key of its DPoP proofs (RFC 9449).")]
    #[schemars(extend("default" = false))]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dpop_bound_access_tokens: bool,
    /// The signing algorithm of ID tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id_token_signed_response_alg: Option<SigningAlgorithm>,
    /// The signing algorithm of userinfo responses; if it is missing, they are plain JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub userinfo_signed_response_alg: Option<SigningAlgorithm>,
    /// The signing algorithm of request objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_object_signing_alg: Option<SigningAlgorithm>,
    /// The client's home page, shown to users.
    #[schemars(length(max = REDIRECT_URI_BYTES_MAX), extend("format" = "uri"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_uri: Option<String>,
    /// The client's logo. Users' browsers never fetch it from this URL.
    #[schemars(length(max = REDIRECT_URI_BYTES_MAX), extend("format" = "uri"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logo_uri: Option<String>,
    /// The terms of service, shown to users.
    #[schemars(length(max = REDIRECT_URI_BYTES_MAX), extend("format" = "uri"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tos_uri: Option<String>,
    /// The privacy policy, shown to users.
    #[schemars(length(max = REDIRECT_URI_BYTES_MAX), extend("format" = "uri"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_uri: Option<String>,
    /// Contact addresses.
    #[schemars(length(max = CLIENT_CONTACTS_MAX), inner(length(min = 1, max = DISPLAY_TEXT_CHARACTERS_MAX)))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contacts: Vec<String>,
    /// The software's id, the same for all of its installations.
    #[schemars(length(min = 1, max = DISPLAY_TEXT_CHARACTERS_MAX))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub software_id: Option<String>,
    /// The software's version.
    #[schemars(length(min = 1, max = DISPLAY_TEXT_CHARACTERS_MAX))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub software_version: Option<String>,
    /// The URL of a document that lists the redirect URIs of all clients in the sector.
    #[schemars(length(max = REDIRECT_URI_BYTES_MAX), extend("format" = "uri"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sector_identifier_uri: Option<String>,
    /// The subject type; only `public` is supported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject_type: Option<SubjectType>,
    /// Localized members, keyed like `client_name#pt-BR`.
    #[schemars(
        description = "Localized texts shown to users: the member and the language, as in client_name#pt-BR."
    )]
    #[schemars(extend("maxProperties" = CLIENT_LOCALIZED_MAX, "additionalProperties" = {"type": "string", "maxLength": REDIRECT_URI_BYTES_MAX}))]
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub localized: BTreeMap<String, String>,
    /// The URL for third-party initiated login.
    #[schemars(length(max = REDIRECT_URI_BYTES_MAX), extend("format" = "uri"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initiate_login_uri: Option<String>,
    /// Where users may be redirected after logout.
    #[schemars(length(max = REDIRECT_URIS_MAX), extend("uniqueItems" = true))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub post_logout_redirect_uris: Vec<RedirectUri>,
    /// The URL that receives logout tokens.
    #[schemars(length(max = REDIRECT_URI_BYTES_MAX), extend("format" = "uri"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backchannel_logout_uri: Option<String>,
    /// Whether logout tokens must contain `sid`.
    pub backchannel_logout_session_required: bool,
    /// The CIBA delivery mode; `None` means poll.
    #[schemars(description = "How the client is notified of the user's decision about a CIBA request.")]
    #[schemars(extend("default" = "poll"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backchannel_token_delivery_mode: Option<CibaDeliveryMode>,
    /// The URL that receives CIBA ping notifications.
    #[schemars(description = "The URL that receives CIBA ping notifications.")]
    #[schemars(length(max = REDIRECT_URI_BYTES_MAX), extend("format" = "uri"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backchannel_client_notification_endpoint: Option<String>,
    /// The signing algorithm of CIBA requests; if set, all of them must be signed.
    #[schemars(
        description = "The signing algorithm of its CIBA requests. If it is set, all of them must be signed."
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backchannel_authentication_request_signing_alg: Option<SigningAlgorithm>,
    /// Whether CIBA requests contain a user code. User codes are not supported.
    #[schemars(extend("const" = false))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backchannel_user_code_parameter: Option<bool>,
    /// The default `max_age`, in seconds.
    #[schemars(range(max = u32::MAX))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_max_age: Option<u32>,
    /// Whether ID tokens always contain `auth_time`.
    pub require_auth_time: bool,
    /// The default `acr_values`.
    #[schemars(length(max = CLIENT_ACR_VALUES_MAX), inner(length(max = DISPLAY_TEXT_CHARACTERS_MAX)))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub default_acr_values: Vec<String>,
    /// Whether requests must be pushed (RFC 9126).
    pub require_pushed_authorization_requests: bool,
    /// The security profile.
    #[schemars(description = "The security profile. fapi2 is the FAPI 2.0 Security Profile.")]
    #[schemars(extend("default" = "standard"))]
    #[serde(skip_serializing_if = "SecurityProfile::is_default")]
    pub security_profile: SecurityProfile,
    /// The authorization details types the client uses (RFC 9396).
    #[schemars(length(max = API_DETAIL_TYPES_MAX), inner(length(max = DISPLAY_TEXT_CHARACTERS_MAX)), extend("uniqueItems" = true))]
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub authorization_details_types: BTreeSet<String>,
    /// Whether ID tokens contain the claims that the granted scopes release at the userinfo endpoint.
    #[schemars(
        description = "Whether ID tokens contain the claims of the granted scopes (profile, email, address, phone)."
    )]
    #[schemars(extend("default" = false))]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub include_claims_in_id_token: bool,
    /// The arrays of role names that every token contains, without their scopes.
    #[schemars(description = "The arrays of role names that every token contains, without their scopes.")]
    #[schemars(length(max = 2))]
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub role_claims: BTreeSet<RoleClaim>,
    /// The client's own sign-in page, used if there are no hosted pages. Only an administrator who trusts the
    /// client may set it, because that page sees users sign in.
    #[schemars(description = "Where its users are sent for interaction if the hosted pages are disabled.")]
    #[schemars(length(max = REDIRECT_URI_BYTES_MAX), extend("format" = "uri"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interaction_url: Option<String>,
    /// Whether users are asked for consent. Only an administrator who trusts the client may set it.
    #[schemars(
        description = "Whether users are asked for consent: to everything, to permissions and offline_access only, or to no scope."
    )]
    #[schemars(extend("default" = "ask"))]
    #[serde(skip_serializing_if = "ClientConsentMode::is_default")]
    pub consent: ClientConsentMode,
    /// In which organizations its users act. Only an administrator who trusts the client may set it.
    #[schemars(
        description = "In which organizations its users act, for a client of the instance: any of their own, the home organization where they are members of it, or any but the home organization."
    )]
    #[schemars(extend("default" = "any"))]
    #[serde(skip_serializing_if = "ServedUsers::is_default")]
    pub serves: ServedUsers,
}

impl ClientMetadata {
    /// The names of all metadata members, to detect misspelt ones.
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
        "include_claims_in_id_token",
        "role_claims",
        "interaction_url",
        "consent",
        "serves",
    ];

    /// The registered grant types, or the default.
    pub fn effective_grant_types(&self) -> BTreeSet<GrantType> {
        let default_grant_types = GrantType::DEFAULTS;
        self.grant_types.clone().unwrap_or_else(|| default_grant_types.into())
    }

    /// The registered scope, or all identity scopes if none was registered.
    pub fn allowed_scopes(&self) -> ScopeSet {
        let everything = || IdentityScope::ALL.into_iter().map(Scope::Identity).collect();
        self.scope.clone().unwrap_or_else(everything)
    }

    /// The maximum that the client may request, given its allowed scopes. Only a client that registered
    /// itself and whose users are asked for consent can have no limit of its own
    /// (docs/contribute/decisions/0269-scope-ceiling-of-self-registered-clients.md).
    pub fn scope_ceiling<'a>(
        &self,
        scope: &'a ScopeSet,
        is_self_registered: bool,
        policy: ScopeCeilingPolicy,
    ) -> ScopeCeiling<'a> {
        let asks_users = self.consent.is_default();
        let is_lifted = self.scope.is_none() || policy == ScopeCeilingPolicy::Consent;
        if is_self_registered && asks_users && is_lifted {
            return ScopeCeiling::Consent;
        }
        let renews = self.effective_grant_types().contains(&GrantType::RefreshToken);
        ScopeCeiling::Registered { scope, offline_access: asks_users && renews }
    }

    /// The arrays of role names in a token with these scopes.
    pub fn released_role_claims(&self, scopes: &ScopeSet) -> impl Iterator<Item = RoleClaim> {
        let is_released =
            |claim: &RoleClaim| self.role_claims.contains(claim) || scopes.contains(claim.scope());
        RoleClaim::ALL.into_iter().filter(is_released)
    }

    /// Whether access tokens are bound to a certificate, a key, or both.
    pub const fn binds_tokens(&self) -> bool {
        self.tls_client_certificate_bound_access_tokens || self.dpop_bound_access_tokens
    }

    /// The signing algorithm of ID tokens: the registered one, or the profile's default.
    pub fn id_token_algorithm(&self) -> SigningAlgorithm {
        self.id_token_signed_response_alg.unwrap_or(self.security_profile.default_algorithm())
    }
}

#[cfg(test)]
mod tests;
