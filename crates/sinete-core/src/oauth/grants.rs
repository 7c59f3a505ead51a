//! What the token endpoint is asked: one of a closed set of grants, read from parameters in which nothing is
//! ambiguous. There is no password grant and no way to add one.

pub mod authorization_code;
pub mod ciba;
pub mod client_credentials;
pub mod device_authorization;
pub mod refresh_token;
pub mod token_exchange;

use crate::access_control::scope::ScopeSet;
use crate::oauth::authorization_details::AuthorizationDetails;
use crate::oauth::authorize::response::{AuthorizationErrorCode, AuthorizationRefusal};
use crate::oauth::client_metadata::GrantType;
use crate::organizations::api_catalog::ApiIdentifier;
use crate::refusal::{Refusal, RefusalCode};
use std::collections::BTreeMap;
use token_exchange::TokenExchangeRequest;

/// The parameters of a request, each there once and none without a value.
#[derive(Clone, Default)]
pub struct TokenRequestParams<'a>(BTreeMap<&'a str, &'a str>);

/// A request to the token endpoint that is whole and well-formed. What it asks for may still be refused.
#[derive(Clone, PartialEq)]
pub struct TokenRequest {
    /// By which right a token is asked for.
    pub grant: AuthorizationGrant,
    /// What the token is to be for; left out, what the right is for.
    pub scope: Option<ScopeSet>,
    /// Where it is to be used; left out, where the right or the scope says.
    pub resource: Option<ApiIdentifier>,
    /// The fine-grained part of what it is to be for; left out, all that was granted.
    pub details: Option<AuthorizationDetails>,
    /// The organization the token is to be for, by id or slug; left out, the one that the right is for.
    pub organization: Option<String>,
}

/// By which right a token is asked for.
#[derive(Clone, PartialEq)]
pub enum AuthorizationGrant {
    /// A code that a person's agreement was answered with.
    AuthorizationCode {
        /// The code.
        code: String,
        /// Where it was sent, where the client repeats that.
        redirect_uri: Option<String>,
        /// What only the client that asked for it knows.
        verifier: Option<String>,
    },
    /// A token that renews itself.
    RefreshToken {
        /// The token.
        token: String,
    },
    /// The client's own roles.
    ClientCredentials,
    /// A token or key of somebody the client acts for.
    TokenExchange(TokenExchangeRequest),
    /// A code that a device waits with until somebody answers.
    DeviceCode {
        /// The code.
        code: String,
    },
    /// What a client waits with until whom it asked has answered.
    Ciba {
        /// What it was told when it asked.
        request: String,
    },
}

impl<'a> TokenRequestParams<'a> {
    /// These parameters. One without a value counts as left out (RFC 6749 §3.2).
    pub fn new(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self(pairs.into_iter().filter(|(_, value)| !value.is_empty()).collect())
    }

    /// A parameter, if it is there.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        self.0.get(name).copied()
    }

    /// All of them with their names, always in the same order.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0.iter().map(|(name, value)| (*name, *value))
    }

    /// A parameter that must be there.
    fn required(&self, name: &str, missing: &'static str) -> Result<&'a str, Refusal> {
        self.get(name).ok_or_else(|| Refusal::new(RefusalCode::InvalidRequest, missing, missing))
    }
}

impl TokenRequest {
    /// What is asked, or why it cannot be understood.
    pub fn parse(parameters: &TokenRequestParams<'_>) -> Result<Self, Refusal> {
        let grant = match grant_type(parameters)? {
            GrantType::AuthorizationCode => AuthorizationGrant::AuthorizationCode {
                code: parameters.required("code", "code is missing")?.to_owned(),
                redirect_uri: parameters.get("redirect_uri").map(str::to_owned),
                verifier: parameters.get("code_verifier").map(str::to_owned),
            },
            GrantType::RefreshToken => AuthorizationGrant::RefreshToken {
                token: parameters.required("refresh_token", "refresh_token is missing")?.to_owned(),
            },
            GrantType::ClientCredentials => AuthorizationGrant::ClientCredentials,
            GrantType::TokenExchange => {
                AuthorizationGrant::TokenExchange(TokenExchangeRequest::parse(parameters)?)
            }
            GrantType::DeviceCode => AuthorizationGrant::DeviceCode {
                code: parameters.required("device_code", "device_code is missing")?.to_owned(),
            },
            GrantType::Ciba => AuthorizationGrant::Ciba {
                request: parameters.required("auth_req_id", "auth_req_id is missing")?.to_owned(),
            },
        };
        Ok(Self {
            grant,
            scope: scope(parameters)?,
            resource: resource(parameters)?,
            details: details(parameters)?,
            organization: parameters.get("organization").map(str::to_owned),
        })
    }
}

impl AuthorizationGrant {
    /// Which of the ways of getting a token it is.
    pub const fn grant_type(&self) -> GrantType {
        match self {
            Self::AuthorizationCode { .. } => GrantType::AuthorizationCode,
            Self::RefreshToken { .. } => GrantType::RefreshToken,
            Self::ClientCredentials => GrantType::ClientCredentials,
            Self::TokenExchange(_) => GrantType::TokenExchange,
            Self::DeviceCode { .. } => GrantType::DeviceCode,
            Self::Ciba { .. } => GrantType::Ciba,
        }
    }

    /// How a request of this kind is refused because something it hangs on is suspended, disabled or gone.
    pub fn refuse_inactive_subject(&self, reason: impl Into<String>) -> Refusal {
        match self {
            Self::ClientCredentials => unauthorized_client(reason),
            Self::AuthorizationCode { .. }
            | Self::RefreshToken { .. }
            | Self::TokenExchange(_)
            | Self::DeviceCode { .. }
            | Self::Ciba { .. } => invalid_grant(reason),
        }
    }
}

impl GrantType {
    /// The grant of this name. An exchange also answers to its short one.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "authorization_code" => Some(Self::AuthorizationCode),
            "refresh_token" => Some(Self::RefreshToken),
            "client_credentials" => Some(Self::ClientCredentials),
            "urn:ietf:params:oauth:grant-type:token-exchange" | "token-exchange" => Some(Self::TokenExchange),
            "urn:ietf:params:oauth:grant-type:device_code" => Some(Self::DeviceCode),
            "urn:openid:params:grant-type:ciba" => Some(Self::Ciba),
            _ => None,
        }
    }

    /// What the security log calls it.
    pub const fn log_name(self) -> &'static str {
        match self {
            Self::AuthorizationCode => "authorization_code",
            Self::RefreshToken => "refresh_token",
            Self::ClientCredentials => "client_credentials",
            Self::TokenExchange => "token_exchange",
            Self::DeviceCode => "device_code",
            Self::Ciba => "ciba",
        }
    }
}

fn grant_type(parameters: &TokenRequestParams<'_>) -> Result<GrantType, Refusal> {
    let named = parameters.required("grant_type", "grant_type is missing")?;
    GrantType::from_name(named).ok_or_else(|| unsupported_grant_type("an unknown grant_type"))
}

/// There is no such grant, or not here.
pub fn unsupported_grant_type(reason: impl Into<String>) -> Refusal {
    Refusal::new(RefusalCode::UnsupportedGrantType, "there is no such grant", reason)
}

fn scope(parameters: &TokenRequestParams<'_>) -> Result<Option<ScopeSet>, Refusal> {
    parameters.get("scope").map(str::parse).transpose().map_err(|_| {
        let public = "scope holds something unknown, or too much";
        Refusal::new(RefusalCode::InvalidScope, public, "scope cannot be read")
    })
}

/// The resource, which an exchange may also call the audience (RFC 8693 §2.1).
fn resource(parameters: &TokenRequestParams<'_>) -> Result<Option<ApiIdentifier>, Refusal> {
    let read = |name| {
        parameters.get(name).map(str::parse::<ApiIdentifier>).transpose().map_err(|_| invalid_target())
    };
    match (read("resource")?, read("audience")?) {
        (Some(resource), Some(audience)) if resource != audience => Err(invalid_target()),
        (resource, audience) => Ok(resource.or(audience)),
    }
}

fn details(parameters: &TokenRequestParams<'_>) -> Result<Option<AuthorizationDetails>, Refusal> {
    parameters
        .get("authorization_details")
        .map(str::parse)
        .transpose()
        .map_err(|_| invalid_authorization_details())
}

/// One answer for every code, token or key that does not count: nobody learns why.
pub fn invalid_grant(reason: impl Into<String>) -> Refusal {
    let public = "the grant is unknown, used, expired, revoked or another client's";
    Refusal::new(RefusalCode::InvalidGrant, public, reason)
}

/// The client may not get a token this way.
pub fn unauthorized_client(reason: impl Into<String>) -> Refusal {
    Refusal::new(RefusalCode::UnauthorizedClient, "the client may not use this grant", reason)
}

/// More is asked for than is held. It is refused whole.
pub fn invalid_scope(reason: impl Into<String>) -> Refusal {
    Refusal::new(RefusalCode::InvalidScope, "scope holds something unknown, or more than is held", reason)
}

/// The resource is not one the request may be for.
pub fn invalid_target() -> Refusal {
    let public = "the resource is not one this request may be for";
    Refusal::new(RefusalCode::InvalidTarget, public, "an unknown or unusable resource")
}

/// The organization is not the one that the grant is for.
pub fn organization_mismatch() -> Refusal {
    let public = "organization is not the one that the grant is for";
    Refusal::new(RefusalCode::InvalidTarget, public, public)
}

/// The details are not ones that were granted.
pub fn invalid_authorization_details() -> Refusal {
    let public = "authorization_details holds something that was not granted";
    Refusal::new(RefusalCode::InvalidAuthorizationDetails, public, public)
}

/// The same refusal as the authorization endpoint's, in the words of this one.
pub fn to_refusal((error, description): AuthorizationRefusal) -> Refusal {
    match error {
        AuthorizationErrorCode::InvalidTarget => invalid_target(),
        AuthorizationErrorCode::InvalidAuthorizationDetails => invalid_authorization_details(),
        _ => invalid_scope(description),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<TokenRequest, RefusalCode> {
        let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
        TokenRequest::parse(&TokenRequestParams::new(pairs)).map_err(|refusal| refusal.code())
    }

    #[test]
    fn token_request_accepts_every_supported_grant_type() {
        let exchange = "subject_token=x&subject_token_type=urn:ietf:params:oauth:token-type:access_token";
        for (text, kind) in [
            ("grant_type=authorization_code&code=x".to_owned(), GrantType::AuthorizationCode),
            ("grant_type=refresh_token&refresh_token=x".to_owned(), GrantType::RefreshToken),
            ("grant_type=client_credentials".to_owned(), GrantType::ClientCredentials),
            (format!("grant_type=token-exchange&{exchange}"), GrantType::TokenExchange),
            (
                format!("grant_type=urn:ietf:params:oauth:grant-type:token-exchange&{exchange}"),
                GrantType::TokenExchange,
            ),
            (
                "grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=x".to_owned(),
                GrantType::DeviceCode,
            ),
            ("grant_type=urn:openid:params:grant-type:ciba&auth_req_id=x".to_owned(), GrantType::Ciba),
        ] {
            assert_eq!(read(&text).map(|request| request.grant.grant_type()), Ok(kind), "{text}");
        }
    }

    #[test]
    fn token_request_with_an_unknown_grant_type_is_unsupported_grant_type() {
        for grant in
            ["password", "implicit", "Client_Credentials", "urn:ietf:params:oauth:grant-type:saml2-bearer"]
        {
            let refused = read(&format!("grant_type={grant}&username=a&password=b"));
            assert_eq!(refused.err(), Some(RefusalCode::UnsupportedGrantType), "{grant}");
        }
    }

    #[test]
    fn token_request_errors_carry_the_oauth_error_code() {
        for (text, code) in [
            ("", RefusalCode::InvalidRequest),
            ("grant_type=", RefusalCode::InvalidRequest),
            ("grant_type=authorization_code", RefusalCode::InvalidRequest),
            ("grant_type=authorization_code&code=", RefusalCode::InvalidRequest),
            ("grant_type=refresh_token", RefusalCode::InvalidRequest),
            ("grant_type=token-exchange", RefusalCode::InvalidRequest),
            ("grant_type=urn:ietf:params:oauth:grant-type:device_code", RefusalCode::InvalidRequest),
            ("grant_type=urn:openid:params:grant-type:ciba", RefusalCode::InvalidRequest),
            ("grant_type=client_credentials&scope=*:*", RefusalCode::InvalidScope),
            ("grant_type=client_credentials&resource=nowhere", RefusalCode::InvalidTarget),
            (
                "grant_type=client_credentials&resource=https://a.example&audience=https://b.example",
                RefusalCode::InvalidTarget,
            ),
            (
                "grant_type=client_credentials&authorization_details=[]",
                RefusalCode::InvalidAuthorizationDetails,
            ),
        ] {
            assert_eq!(read(text).err(), Some(code), "{text}");
        }
    }

    #[test]
    fn token_request_ignores_unknown_and_empty_parameters() {
        let request = read("grant_type=client_credentials&scope=&resource=&colour=blue").unwrap();
        assert!(request.scope.is_none() && request.resource.is_none() && request.details.is_none());
    }
}
