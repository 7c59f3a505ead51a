//! What token is wanted, and what comes of it.

use super::Form;

/// Whom the token shall speak for.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Subject<'a> {
    /// The client itself.
    #[default]
    Itself,
    /// Whoever this access token speaks for; the client is named as the one who acts.
    Token(&'a str),
    /// Whoever holds this API key.
    ApiKey(&'a str),
}

/// Says what it is and never which, so that no token and no key gets into a log.
impl std::fmt::Debug for Subject<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Itself => "Itself",
            Self::Token(_) => "Token(..)",
            Self::ApiKey(_) => "ApiKey(..)",
        })
    }
}

/// What token is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// Whom it shall speak for.
    pub subject: Subject<'a>,
    /// Permissions, with spaces between.
    pub scope: Option<&'a str>,
    /// The URI of the API it is for.
    pub resource: Option<&'a str>,
}

/// An access token.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    /// The token itself.
    pub access_token: String,
    /// Whether it is bound to the key of whoever got it.
    pub is_bound: bool,
    /// Until when it counts, in seconds since 1970.
    pub expires_at: i64,
    /// What it allows, where the answer says so.
    pub scope: Option<String>,
    /// What renews it, where it can be renewed.
    pub refresh_token: Option<String>,
}

/// The instance refused a token, or cannot be asked now.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.word())]
pub struct TokenRefused {
    /// What the instance answered with, if it did.
    pub status: Option<u16>,
    /// The word of OAuth. Nothing where the instance cannot be asked now.
    pub error: Option<String>,
    /// What the instance said about it.
    pub description: Option<String>,
    /// In how many seconds it makes sense to ask again. Where it is missing, asking again changes nothing.
    pub retry_after: Option<i64>,
    /// A refresh token was sent and nobody knows what became of it. It may be spent.
    pub may_be_spent: bool,
}

impl std::fmt::Debug for Token {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Token").field("expires_at", &self.expires_at).finish_non_exhaustive()
    }
}

impl TokenRefused {
    pub(super) const fn away(seconds: i64) -> Self {
        let retry_after = Some(seconds);
        Self { status: None, error: None, description: None, retry_after, may_be_spent: false }
    }

    pub(super) fn uncertain() -> Self {
        Self { retry_after: None, may_be_spent: true, ..Self::away(0) }
    }

    fn word(&self) -> &str {
        let nothing = match self.may_be_spent {
            true => "nobody knows whether the refresh token is spent",
            false => "the instance cannot be asked now",
        };
        self.error.as_deref().unwrap_or(nothing)
    }

    pub(super) fn of(status: u16, error: &str, description: Option<String>) -> Self {
        let error = Some(error.to_owned());
        Self { status: Some(status), error, description, retry_after: None, may_be_spent: false }
    }
}

const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN: &str = "urn:ietf:params:oauth:token-type:access_token";
const API_KEY: &str = "urn:sinete:params:oauth:token-type:api-key";

impl Wanted<'_> {
    /// What is asked for, as the form says it.
    pub(super) fn form(&self) -> Form {
        let exchange = |subject: &str, of_type: &str| {
            vec![
                ("grant_type", EXCHANGE.to_owned()),
                ("subject_token", subject.to_owned()),
                ("subject_token_type", of_type.to_owned()),
            ]
        };
        let mut form = match self.subject {
            Subject::Itself => vec![("grant_type", "client_credentials".to_owned())],
            Subject::Token(token) => exchange(token, ACCESS_TOKEN),
            Subject::ApiKey(key) => exchange(key, API_KEY),
        };
        form.extend(self.scope.map(|scope| ("scope", scope.to_owned())));
        form.extend(self.resource.map(|resource| ("resource", resource.to_owned())));
        form
    }
}
