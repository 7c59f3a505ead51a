//! A request on its way through sign-in and consent, and what was answered on that way. Both are kept on the
//! server: whoever walks through a flow can answer its questions and change nothing else.

use super::raw_params::{ParameterMap, RawAuthorizationParams};
use crate::access_control::scope::ScopeSet;
use crate::client_id::ClientId;
use crate::id::OrganizationId;
use crate::oauth::authorization_details::AuthorizationDetails;
use crate::oauth::claims::IndividualClaims;
use crate::organizations::api_catalog::ApiIdentifier;
use compact_str::CompactString;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A request as it was received, after everything it brought along was opened: a pushed request is the one that
/// was pushed, a signed one is what was signed.
///
/// It is parsed and proven again at every step, so that a client which is gone, or an address it withdrew, gets
/// no answer however far the request had come.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingAuthorization {
    /// Who asks.
    pub client: ClientId,
    parameters: Arc<ParameterMap>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    repeated: Vec<String>,
    /// How the request reached us.
    pub arrival: AuthorizationChannel,
}

/// How a request reached us.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthorizationChannel {
    /// Through the person's browser.
    Browser,
    /// Pushed by its client beforehand (RFC 9126); the digest of its handle.
    Pushed([u8; 32]),
    /// From a device that waits for an answer (RFC 8628); the digest of what it waits with.
    Device([u8; 32]),
    /// From a client that asks for somebody's approval (OpenID CIBA); the digest of what it waits with.
    Backchannel([u8; 32]),
}

/// What was answered so far. It confers nothing: each answer counts only for the question it answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct InteractionAnswers {
    /// When the person signed in, seen from the request.
    pub sign_in: SignInTiming,
    /// The organization they chose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub organization: Option<OrganizationId>,
    /// What they said to the question of consent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consent: Option<ConsentDecision>,
}

/// When the person signed in, seen from the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignInTiming {
    /// Before it came.
    #[default]
    Before,
    /// Because of it.
    Because,
}

/// What somebody said to the question of consent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsentDecision {
    /// No.
    Denied,
    /// Yes, to exactly this.
    Agreed(ConsentRequest),
}

/// What a question of consent is about. An agreement counts for a question that is about the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConsentRequest {
    /// In which organization.
    pub organization: OrganizationId,
    /// At which API.
    pub audience: ApiIdentifier,
    /// What is asked for.
    pub scopes: ScopeSet,
    /// What is asked for in detail (RFC 9396).
    #[serde(default, skip_serializing_if = "AuthorizationDetails::is_empty")]
    pub details: AuthorizationDetails,
    /// What is to be told although no scope releases it.
    #[serde(default, skip_serializing_if = "IndividualClaims::is_empty")]
    pub claims: IndividualClaims,
}

impl PendingAuthorization {
    /// The request with these parameters. Only those are kept that are read later: neither what proves who the client is,
    /// nor what brought the request along, nor what nobody knows.
    pub fn new(client: ClientId, parameters: &RawAuthorizationParams, arrival: AuthorizationChannel) -> Self {
        Self {
            client,
            parameters: parameters.parameters_to_store(),
            repeated: parameters.repeated_names().to_vec(),
            arrival,
        }
    }

    /// The parameters, to be parsed as if they had just come.
    pub fn raw_params(&self) -> RawAuthorizationParams {
        RawAuthorizationParams::from_stored(self.parameters.clone(), self.repeated.clone())
    }

    /// The parameters, to be kept.
    pub fn stored_params(&self) -> &ParameterMap {
        &self.parameters
    }

    /// A parameter, as it came. Nothing about it is believed yet.
    pub fn find_parameter(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).map(CompactString::as_str)
    }
}

impl fmt::Debug for PendingAuthorization {
    /// Without values: some of them are about the person.
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
        let again: PendingAuthorization = serde_json::from_str(&text).unwrap();
        assert_eq!(again, asked());
        let parameters = again.raw_params();
        assert_eq!(
            (parameters.get("scope"), parameters.repeated_names()),
            (Some("openid"), &["scope".to_owned()][..])
        );
        assert!(!format!("{again:?}").contains("ana@example.com"));
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
