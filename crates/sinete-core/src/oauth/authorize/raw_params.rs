//! The parameters as received, not yet validated.

use super::redirectable_request::{RedirectableRequest, RegisteredRedirectUris};
use super::response::{AuthorizationErrorCode, AuthorizationRefusal};
use crate::client_id::ClientId;
use crate::limits::AUTHORIZATION_REQUEST_BYTES_MAX;
use crate::oauth::redirect_uri::MatchedRedirectUri;
use compact_str::CompactString;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

/// Parameters by name.
pub type ParameterMap = BTreeMap<CompactString, CompactString>;

/// The parameters stored with a pending request: all that are read after it was received. Client credentials,
/// `request` and `request_uri` are no longer needed by then.
const STORED_PARAMS: [&str; 20] = [
    "acr_values",
    "authorization_details",
    "claims",
    "client_id",
    "code_challenge",
    "code_challenge_method",
    "dpop_jkt",
    "id_token_hint",
    "login_hint",
    "max_age",
    "nonce",
    "organization",
    "prompt",
    "redirect_uri",
    "resource",
    "response_mode",
    "response_type",
    "scope",
    "state",
    "ui_locales",
];

fn is_stored(name: &str) -> bool {
    STORED_PARAMS.contains(&name)
}

/// The parameters of an authorization request, each at most once.
#[derive(Clone, Debug, Default)]
pub struct RawAuthorizationParams {
    parameters: Arc<ParameterMap>,
    repeated: Vec<String>,
}

/// Errors shown on a page of ours instead of redirecting, because the redirect URI is not verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnredirectableError {
    /// `client_id` is missing.
    #[error("the parameter client_id is missing")]
    ClientMissing,
    /// The client does not exist, was deleted or is disabled.
    #[error("the client is not registered, or no longer")]
    ClientUnknown,
    /// `redirect_uri` is missing.
    #[error("the parameter redirect_uri is missing")]
    RedirectMissing,
    /// The client did not register this redirect URI.
    #[error("the redirect_uri is not registered for this client")]
    RedirectUnknown,
    /// `client_id`, `redirect_uri`, `request` or `request_uri` occurs more than once.
    #[error("client_id, redirect_uri, request or request_uri is repeated")]
    Repeated,
    /// The `request_uri` is unknown, already used or belongs to another client.
    #[error("the request_uri is unknown, was used before, or has expired")]
    RequestUnknown,
    /// The request object is invalid and the request has no redirect URI for the error.
    #[error(
        "The request object is not valid: its signature, issuer, audience or lifetime is wrong. Sign it \
             with a registered key, iss as the client_id and aud as the issuer."
    )]
    RequestObjectInvalid,
}

impl RawAuthorizationParams {
    /// Collects the parameters. An empty value counts as absent (OAuth 2.1 §3.1); a repeated name is recorded
    /// even if the values are equal.
    pub fn new<Text: Into<CompactString>>(pairs: impl IntoIterator<Item = (Text, Text)>) -> Self {
        let (mut parameters, mut repeated) = (ParameterMap::new(), Vec::new());
        for (name, value) in pairs {
            match parameters.entry(name.into()) {
                Entry::Occupied(occupied_entry) => repeated.push(occupied_entry.key().to_string()),
                Entry::Vacant(free) => drop(free.insert(value.into())),
            }
        }
        parameters.retain(|_, value| !value.is_empty());
        Self { parameters: Arc::new(parameters), repeated }
    }

    /// Restores parameters that were stored.
    pub(in crate::oauth) const fn from_stored(parameters: Arc<ParameterMap>, repeated: Vec<String>) -> Self {
        Self { parameters, repeated }
    }

    /// Returns the parameters to store with the request. Unknown parameters are dropped.
    pub(in crate::oauth) fn parameters_to_store(&self) -> Arc<ParameterMap> {
        let mut stored = self.parameters.clone();
        if stored.keys().any(|name| !is_stored(name)) {
            Arc::make_mut(&mut stored).retain(|name, _| is_stored(name));
        }
        stored
    }

    /// Rejects a request that exceeds the size limit.
    pub(in crate::oauth) fn check_size(&self) -> Result<(), AuthorizationRefusal> {
        let stored = self.iter().filter(|(name, _)| is_stored(name));
        let bytes: usize = stored.map(|(name, value)| name.len() + value.len()).sum();
        if bytes > AUTHORIZATION_REQUEST_BYTES_MAX {
            return Err((
                AuthorizationErrorCode::InvalidRequest,
                "The request is too long. Use pushed \
                authorization requests (RFC 9126)."
                    .into(),
            ));
        }
        Ok(())
    }

    /// Iterates over the parameters that have a value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parameters.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns the parameter if it has a value.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).map(CompactString::as_str)
    }

    /// The names that occurred more than once.
    pub fn repeated_names(&self) -> &[String] {
        &self.repeated
    }

    /// Sets the parameter if it has no value.
    #[must_use]
    pub fn with_default(mut self, name: &str, value: &str) -> Self {
        Arc::make_mut(&mut self.parameters).entry(name.into()).or_insert_with(|| value.into());
        self
    }

    /// Adds names that occurred more than once.
    #[must_use]
    pub fn with_repeated(mut self, names: &[String]) -> Self {
        self.repeated.extend_from_slice(names);
        self
    }

    /// Whether the name occurred more than once.
    pub fn is_repeated(&self, name: &str) -> bool {
        self.repeated.iter().any(|repeated| repeated == name)
    }

    /// Parses `client_id`, which the caller then looks up.
    pub fn client_id(&self) -> Result<ClientId, UnredirectableError> {
        if self.is_repeated("client_id") {
            return Err(UnredirectableError::Repeated);
        }
        let id = self.get("client_id").ok_or(UnredirectableError::ClientMissing)?;
        id.parse().map_err(|_| UnredirectableError::ClientUnknown)
    }

    /// Verifies that the request names this client and one of its registered redirect URIs.
    pub fn verify_redirect_uri(
        self,
        client: &RegisteredRedirectUris<'_>,
    ) -> Result<RedirectableRequest, UnredirectableError> {
        if self.client_id()? != *client.id {
            return Err(UnredirectableError::ClientUnknown);
        }
        if self.is_repeated("redirect_uri") {
            return Err(UnredirectableError::Repeated);
        }
        let redirect_uri = self.get("redirect_uri").ok_or(UnredirectableError::RedirectMissing)?;
        let callback = MatchedRedirectUri::match_registered(client.redirect_uris, redirect_uri)
            .ok_or(UnredirectableError::RedirectUnknown)?;
        Ok(RedirectableRequest::new(client.id.clone(), callback, self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addressed(pairs: &[(&str, &str)]) -> Result<RedirectableRequest, UnredirectableError> {
        let (id, uris) = ("notes".parse().unwrap(), ["https://notes.example/cb".parse().unwrap()]);
        RawAuthorizationParams::new(pairs.iter().copied())
            .verify_redirect_uri(&RegisteredRedirectUris { id: &id, redirect_uris: &uris })
    }

    #[test]
    fn authorization_request_without_a_valid_redirect_uri_is_answered_locally() {
        let valid_redirect = ("redirect_uri", "https://notes.example/cb");
        let id = ("client_id", "notes");
        for (pairs, error) in [
            (vec![valid_redirect], UnredirectableError::ClientMissing),
            (vec![("client_id", ""), valid_redirect], UnredirectableError::ClientMissing),
            (vec![("client_id", "other"), valid_redirect], UnredirectableError::ClientUnknown),
            (vec![("client_id", "no such/id"), valid_redirect], UnredirectableError::ClientUnknown),
            (vec![id, id, valid_redirect], UnredirectableError::Repeated),
            (vec![id], UnredirectableError::RedirectMissing),
            (vec![id, ("redirect_uri", "https://notes.example/cb/")], UnredirectableError::RedirectUnknown),
            (vec![id, valid_redirect, valid_redirect], UnredirectableError::Repeated),
            (
                vec![id, valid_redirect, ("redirect_uri", "https://evil.example")],
                UnredirectableError::Repeated,
            ),
        ] {
            assert_eq!(addressed(&pairs).unwrap_err(), error, "{pairs:?}");
        }
        assert!(addressed(&[id, valid_redirect]).is_ok());
    }
}
