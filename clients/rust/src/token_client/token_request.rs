//! Token requests, responses and errors.

use super::FormFields;

/// The subject of the requested token.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum TokenSubject<'a> {
    /// The client itself.
    #[default]
    Client,
    /// The subject of this access token, with the client as the actor (token exchange).
    AccessToken(&'a str),
    /// The owner of this API key.
    ApiKey(&'a str),
}

/// Hides the token and the key, so that they are not logged.
impl std::fmt::Debug for TokenSubject<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Client => "Client",
            Self::AccessToken(_) => "AccessToken(..)",
            Self::ApiKey(_) => "ApiKey(..)",
        })
    }
}

/// Which token to request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenRequest<'a> {
    /// Its subject.
    pub subject: TokenSubject<'a>,
    /// Permissions, separated by spaces.
    pub scope: Option<&'a str>,
    /// The URI of the API that the token is for.
    pub resource: Option<&'a str>,
}

/// An access token.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenResponse {
    /// The token itself.
    pub access_token: String,
    /// Whether it is bound to the client's key (`token_type` is `DPoP`).
    pub is_dpop_bound: bool,
    /// When it expires, in seconds since 1970.
    pub expires_at: i64,
    /// The granted scope, if the response contains it.
    pub scope: Option<String>,
    /// The refresh token, if there is one.
    pub refresh_token: Option<String>,
}

/// The issuer rejected a token request, or could not be reached.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.summary())]
pub struct TokenRequestError {
    /// The status of the response, if there was one.
    pub status: Option<u16>,
    /// The OAuth error code. `None` where the issuer is unavailable.
    pub error: Option<String>,
    /// The `error_description`.
    pub description: Option<String>,
    /// In how many seconds to retry. Where it is missing, a retry does not help.
    pub retry_after: Option<i64>,
    /// A refresh token was sent and no usable response arrived: it may have been used.
    pub refresh_token_may_be_used: bool,
}

impl std::fmt::Debug for TokenResponse {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("TokenResponse").field("expires_at", &self.expires_at).finish_non_exhaustive()
    }
}

impl TokenRequestError {
    pub(super) const fn unavailable(seconds: i64) -> Self {
        let retry_after = Some(seconds);
        Self { status: None, error: None, description: None, retry_after, refresh_token_may_be_used: false }
    }

    pub(super) fn refresh_outcome_unknown() -> Self {
        Self { retry_after: None, refresh_token_may_be_used: true, ..Self::unavailable(0) }
    }

    fn summary(&self) -> &str {
        let nothing = match self.refresh_token_may_be_used {
            true => "the refresh token may have been used",
            false => "the issuer is unavailable",
        };
        self.error.as_deref().unwrap_or(nothing)
    }

    pub(super) fn from_response(status: u16, error: &str, description: Option<String>) -> Self {
        let error = Some(error.to_owned());
        Self { status: Some(status), error, description, retry_after: None, refresh_token_may_be_used: false }
    }
}

const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN: &str = "urn:ietf:params:oauth:token-type:access_token";
const API_KEY: &str = "urn:sinete:params:oauth:token-type:api-key";

impl TokenRequest<'_> {
    /// The form of the token request.
    pub(super) fn to_form(self) -> FormFields {
        let exchange = |subject: &str, of_type: &str| {
            vec![
                ("grant_type", TOKEN_EXCHANGE.to_owned()),
                ("subject_token", subject.to_owned()),
                ("subject_token_type", of_type.to_owned()),
            ]
        };
        let mut form = match self.subject {
            TokenSubject::Client => vec![("grant_type", "client_credentials".to_owned())],
            TokenSubject::AccessToken(token) => exchange(token, ACCESS_TOKEN),
            TokenSubject::ApiKey(key) => exchange(key, API_KEY),
        };
        form.extend(self.scope.map(|scope| ("scope", scope.to_owned())));
        form.extend(self.resource.map(|resource| ("resource", resource.to_owned())));
        form
    }
}
