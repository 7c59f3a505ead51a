//! Token requests: one of a closed set of grants, parsed from unambiguous parameters. The password grant is
//! not supported and cannot be added.

pub mod authorization_code;
pub mod client_credentials;
pub mod deferred;
pub mod refresh_token;
pub mod token_exchange;

use crate::access_control::scope::ScopeSet;
use crate::oauth::authorization_details::AuthorizationDetails;
use crate::oauth::authorize::response::{AuthorizationErrorCode, AuthorizationRefusal};
use crate::oauth::client_metadata::GrantType;
use crate::oauth::scope_ceiling::describe_invalid_scope;
use crate::organizations::api_catalog::ApiIdentifier;
use crate::refusal::Refusal;
use crate::refusal::oauth::OAuthRefusal;
use std::collections::BTreeMap;
use token_exchange::TokenExchangeRequest;

/// Request parameters, each at most once and with a value.
#[derive(Clone, Default)]
pub struct TokenRequestParams<'a>(BTreeMap<&'a str, &'a str>);

/// A complete, well-formed token request. It may still be rejected.
#[derive(Clone, PartialEq)]
pub struct TokenRequest {
    /// The authorization grant.
    pub grant: AuthorizationGrant,
    /// The requested scope; `None` means the grant's scope.
    pub scope: Option<ScopeSet>,
    /// The requested resource; `None` means that of the grant or the scope.
    pub resource: Option<ApiIdentifier>,
    /// The requested authorization details; `None` means all that were granted.
    pub details: Option<AuthorizationDetails>,
    /// The requested organization by id or slug; `None` means the grant's.
    pub organization: Option<String>,
}

/// The authorization grant of a token request.
#[derive(Clone, PartialEq)]
pub enum AuthorizationGrant {
    /// An authorization code.
    AuthorizationCode {
        /// The code.
        code: String,
        /// The redirect URI, if the client repeats it.
        redirect_uri: Option<String>,
        /// The PKCE code verifier.
        verifier: Option<String>,
    },
    /// A refresh token.
    RefreshToken {
        /// The token.
        token: String,
    },
    /// The client's own roles.
    ClientCredentials,
    /// Another subject's token or API key.
    TokenExchange(TokenExchangeRequest),
    /// A device code.
    DeviceCode {
        /// The device code.
        code: String,
    },
    /// A CIBA request.
    Ciba {
        /// The `auth_req_id`.
        request: String,
    },
}

impl<'a> TokenRequestParams<'a> {
    /// Collects the parameters. One without a value counts as absent (RFC 6749 §3.2).
    pub fn new(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self(pairs.into_iter().filter(|(_, value)| !value.is_empty()).collect())
    }

    /// Returns a parameter, if present.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        self.0.get(name).copied()
    }

    /// Iterates over the parameters in a stable order.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0.iter().map(|(name, value)| (*name, *value))
    }

    /// Returns a required parameter.
    fn require_parameter(&self, name: &'static str) -> Result<&'a str, Refusal> {
        self.get(name).ok_or_else(|| Refusal::because(OAuthRefusal::ParameterMissing(name), ""))
    }
}

impl TokenRequest {
    /// Parses a token request.
    pub fn parse(parameters: &TokenRequestParams<'_>) -> Result<Self, Refusal> {
        let grant = match grant_type(parameters)? {
            GrantType::AuthorizationCode => AuthorizationGrant::AuthorizationCode {
                code: parameters.require_parameter("code")?.to_owned(),
                redirect_uri: parameters.get("redirect_uri").map(str::to_owned),
                verifier: parameters.get("code_verifier").map(str::to_owned),
            },
            GrantType::RefreshToken => AuthorizationGrant::RefreshToken {
                token: parameters.require_parameter("refresh_token")?.to_owned(),
            },
            GrantType::ClientCredentials => AuthorizationGrant::ClientCredentials,
            GrantType::TokenExchange => {
                AuthorizationGrant::TokenExchange(TokenExchangeRequest::parse(parameters)?)
            }
            GrantType::DeviceCode => AuthorizationGrant::DeviceCode {
                code: parameters.require_parameter("device_code")?.to_owned(),
            },
            GrantType::Ciba => {
                AuthorizationGrant::Ciba { request: parameters.require_parameter("auth_req_id")?.to_owned() }
            }
        };
        Ok(Self {
            grant,
            scope: parse_scope(parameters)?,
            resource: parse_resource(parameters)?,
            details: parse_details(parameters)?,
            organization: parameters.get("organization").map(str::to_owned),
        })
    }
}

impl AuthorizationGrant {
    /// The grant type.
    pub const fn parse_grant_type(&self) -> GrantType {
        match self {
            Self::AuthorizationCode { .. } => GrantType::AuthorizationCode,
            Self::RefreshToken { .. } => GrantType::RefreshToken,
            Self::ClientCredentials => GrantType::ClientCredentials,
            Self::TokenExchange(_) => GrantType::TokenExchange,
            Self::DeviceCode { .. } => GrantType::DeviceCode,
            Self::Ciba { .. } => GrantType::Ciba,
        }
    }

    /// Builds the refusal for a subject, client or organization that is suspended, disabled or deleted.
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
    /// Parses a `grant_type`. Token exchange also has a short name.
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

    /// The name used in the security log.
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
    let name = parameters.require_parameter("grant_type")?;
    GrantType::from_name(name).ok_or_else(|| unsupported_grant_type("an unknown grant_type"))
}

/// `unsupported_grant_type`: the grant type is unknown or not available here.
pub fn unsupported_grant_type(reason: impl Into<String>) -> Refusal {
    Refusal::because(OAuthRefusal::GrantTypeUnsupported, reason)
}

fn parse_scope(parameters: &TokenRequestParams<'_>) -> Result<Option<ScopeSet>, Refusal> {
    parameters.get("scope").map(str::parse).transpose().map_err(|_| {
        let text = describe_invalid_scope(parameters.get("scope").unwrap_or_default());
        Refusal::because(OAuthRefusal::ScopeInvalid, "the scope is malformed").with_public_text(text)
    })
}

/// Parses `resource`, which a token exchange may also call `audience` (RFC 8693 §2.1).
fn parse_resource(parameters: &TokenRequestParams<'_>) -> Result<Option<ApiIdentifier>, Refusal> {
    let read = |name| {
        parameters.get(name).map(str::parse::<ApiIdentifier>).transpose().map_err(|_| invalid_target())
    };
    match (read("resource")?, read("audience")?) {
        (Some(resource), Some(audience)) if resource != audience => Err(invalid_target()),
        (resource, audience) => Ok(resource.or(audience)),
    }
}

fn parse_details(parameters: &TokenRequestParams<'_>) -> Result<Option<AuthorizationDetails>, Refusal> {
    parameters
        .get("authorization_details")
        .map(str::parse)
        .transpose()
        .map_err(|_| invalid_authorization_details())
}

/// `invalid_grant`: one answer for every invalid code, token or key, so that nothing is revealed.
pub fn invalid_grant(reason: impl Into<String>) -> Refusal {
    Refusal::because(OAuthRefusal::GrantInvalid, reason)
}

/// `unauthorized_client`: the client may not use this grant.
pub fn unauthorized_client(reason: impl Into<String>) -> Refusal {
    Refusal::because(OAuthRefusal::GrantTypeNotAllowed, reason)
}

/// `invalid_scope`: the request exceeds what is held; it is rejected as a whole.
pub fn invalid_scope(reason: impl Into<String>) -> Refusal {
    Refusal::because(OAuthRefusal::ScopeNotGranted, reason)
}

/// `invalid_target`: the resource is not allowed for this request.
pub fn invalid_target() -> Refusal {
    Refusal::because(OAuthRefusal::ResourceInvalid, "an unknown or unusable resource")
}

/// The organization is not the grant's.
pub fn organization_mismatch() -> Refusal {
    Refusal::because(OAuthRefusal::OrganizationMismatch, "")
}

/// The authorization details were not granted.
pub fn invalid_authorization_details() -> Refusal {
    Refusal::because(OAuthRefusal::AuthorizationDetailsNotGranted, "")
}

/// Converts an authorization endpoint error to a token endpoint error.
pub fn to_refusal(refusal: AuthorizationRefusal) -> Refusal {
    let (error, description) = refusal;
    match error {
        AuthorizationErrorCode::InvalidTarget => invalid_target(),
        AuthorizationErrorCode::InvalidAuthorizationDetails => invalid_authorization_details(),
        _ => invalid_scope(description.clone().into_owned()).with_public_text(description),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::RefusalCode;

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
            assert_eq!(read(&text).map(|request| request.grant.parse_grant_type()), Ok(kind), "{text}");
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
