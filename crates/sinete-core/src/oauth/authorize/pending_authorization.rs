//! A pending authorization request and the user's answers during sign-in and consent. Both are stored on the
//! server: the browser can answer questions but cannot change the request.

use super::raw_params::{ParameterMap, RawAuthorizationParams};
use crate::access_control::scope::ScopeSet;
use crate::client_id::ClientId;
use crate::id::OrganizationId;
use crate::oauth::authorization_details::AuthorizationDetails;
use crate::oauth::claims::IndividualClaims;
use crate::oauth::grants::deferred::DeferredGrantDigest;
use crate::organizations::api_catalog::ApiIdentifier;
use crate::secret::Digest;
use compact_str::CompactString;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// The received request, after resolving a pushed request (PAR) or a signed request object.
///
/// It is parsed and verified again at every step, so that a deleted client or a removed redirect URI gets no
/// response.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingAuthorization {
    /// The requesting client.
    pub client: ClientId,
    parameters: Arc<ParameterMap>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    repeated: Vec<String>,
    /// How the request was received.
    pub arrival: AuthorizationChannel,
}

/// How a request was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthorizationChannel {
    /// From the user's browser.
    Browser,
    /// Pushed by the client (RFC 9126); holds the digest of the `request_uri`.
    Pushed([u8; 32]),
    /// From a device (RFC 8628); holds the digest of the device code.
    Device([u8; 32]),
    /// From a CIBA client; holds the digest of the `auth_req_id`.
    Backchannel([u8; 32]),
}

impl AuthorizationChannel {
    /// The deferred grant that waits for the response, if the request came from a polling client.
    pub const fn deferred_grant(self) -> Option<DeferredGrantDigest> {
        match self {
            Self::Browser | Self::Pushed(_) => None,
            Self::Device(digest) => Some(DeferredGrantDigest::DeviceCode(Digest::from_bytes(digest))),
            Self::Backchannel(digest) => Some(DeferredGrantDigest::AuthReqId(Digest::from_bytes(digest))),
        }
    }
}

/// The user's answers so far. They grant nothing: each counts only for the question it answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct InteractionAnswers {
    /// When the user signed in, relative to the request.
    pub sign_in: SignInRelativeToRequest,
    /// The organization the user chose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub organization: Option<OrganizationId>,
    /// The user's consent decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consent: Option<ConsentDecision>,
}

/// When the user signed in, relative to the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignInRelativeToRequest {
    /// Before the request.
    #[default]
    Before,
    /// Because of the request.
    Because,
}

/// A user's consent decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsentDecision {
    /// The user denied the request.
    Denied,
    /// The user consented to exactly this.
    Agreed(ConsentRequest),
}

/// The subject of a consent decision. A decision counts only for an equal request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConsentRequest {
    /// The organization.
    pub organization: OrganizationId,
    /// The API.
    pub audience: ApiIdentifier,
    /// The requested scopes.
    pub scopes: ScopeSet,
    /// The requested authorization details (RFC 9396).
    #[serde(default, skip_serializing_if = "AuthorizationDetails::is_empty")]
    pub details: AuthorizationDetails,
    /// The requested claims that no scope releases.
    #[serde(default, skip_serializing_if = "IndividualClaims::is_empty")]
    pub claims: IndividualClaims,
}

impl PendingAuthorization {
    /// Creates the pending request. Stores only parameters that are read later: no client credentials, no
    /// `request` or `request_uri`, no unknown parameters.
    pub fn new(client: ClientId, parameters: &RawAuthorizationParams, arrival: AuthorizationChannel) -> Self {
        Self {
            client,
            parameters: parameters.parameters_to_store(),
            repeated: parameters.repeated_names().to_vec(),
            arrival,
        }
    }

    /// The parameters, to be parsed again.
    pub fn raw_params(&self) -> RawAuthorizationParams {
        RawAuthorizationParams::from_stored(self.parameters.clone(), self.repeated.clone())
    }

    /// The parameters to store.
    pub fn stored_params(&self) -> &ParameterMap {
        &self.parameters
    }

    /// Returns an unvalidated parameter.
    pub fn find_parameter(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).map(CompactString::as_str)
    }
}

impl fmt::Debug for PendingAuthorization {
    /// Omits the values, since some are personal data.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.parameters.keys().collect();
        write!(out, "Asked by {} with {names:?}", self.client)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> PendingAuthorization {
        let pairs = [
            ("client_id", "notes"),
            ("scope", "openid"),
            ("scope", "email"),
            ("client_secret", "hush"),
            ("request", "eyJ"),
            ("login_hint", "ana@example.com"),
            ("padding", "of no use to anybody"),
        ];
        let parameters = RawAuthorizationParams::new(pairs);
        PendingAuthorization::new(
            "notes".parse().unwrap(),
            &parameters,
            AuthorizationChannel::Pushed([7; 32]),
        )
    }

    #[test]
    fn pending_authorization_is_stored_without_client_credentials_and_unknown_parameters() {
        let text = serde_json::to_string(&asked()).unwrap();
        assert!(!text.contains("hush") && !text.contains("eyJ"));
        assert!(!text.contains("padding"), "an unknown parameter is not stored: {text}");
        let stored_authorization: PendingAuthorization = serde_json::from_str(&text).unwrap();
        assert_eq!(stored_authorization, asked());
        let parameters = stored_authorization.raw_params();
        assert_eq!(
            (parameters.get("scope"), parameters.repeated_names()),
            (Some("openid"), &["scope".to_owned()][..])
        );
        assert!(!format!("{stored_authorization:?}").contains("ana@example.com"));
    }

    #[test]
    fn pending_authorization_answers_default_to_none() {
        assert_eq!(serde_json::from_str::<InteractionAnswers>("{}").unwrap(), InteractionAnswers::default());
        let answers =
            InteractionAnswers { consent: Some(ConsentDecision::Denied), ..InteractionAnswers::default() };
        let text = serde_json::to_string(&answers).unwrap();
        assert_eq!(serde_json::from_str::<InteractionAnswers>(&text).unwrap(), answers);
    }
}
