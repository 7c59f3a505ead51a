//! Closed sets of metadata values. A value that is not listed cannot be registered.

use crate::access_control::scope::IdentityScope;
use crate::oauth::mtls::ClientCertificatePolicy;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a client authenticates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ClientAuthMethod {
    /// A public client without credentials.
    None,
    /// A secret in the Authorization header, the default of RFC 7591.
    #[default]
    ClientSecretBasic,
    /// A secret in the request body.
    ClientSecretPost,
    /// A signed JWT assertion.
    PrivateKeyJwt,
    /// A certificate issued by a trusted CA with a registered name (RFC 8705 §2.1).
    TlsClientAuth,
    /// A registered self-signed certificate (RFC 8705 §2.2).
    SelfSignedTlsClientAuth,
}

impl ClientAuthMethod {
    /// All methods.
    pub const ALL: [Self; 6] = [
        Self::None,
        Self::ClientSecretBasic,
        Self::ClientSecretPost,
        Self::PrivateKeyJwt,
        Self::TlsClientAuth,
        Self::SelfSignedTlsClientAuth,
    ];

    /// The value in metadata.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ClientSecretBasic => "client_secret_basic",
            Self::ClientSecretPost => "client_secret_post",
            Self::PrivateKeyJwt => "private_key_jwt",
            Self::TlsClientAuth => "tls_client_auth",
            Self::SelfSignedTlsClientAuth => "self_signed_tls_client_auth",
        }
    }

    /// Whether it uses a client secret that we issue.
    pub const fn needs_secret(self) -> bool {
        match self {
            Self::ClientSecretBasic | Self::ClientSecretPost => true,
            Self::None | Self::PrivateKeyJwt | Self::TlsClientAuth | Self::SelfSignedTlsClientAuth => false,
        }
    }

    /// Whether the method is available under this certificate policy.
    pub const fn is_available(self, certificate_policy: ClientCertificatePolicy) -> bool {
        match self {
            Self::None | Self::ClientSecretBasic | Self::ClientSecretPost | Self::PrivateKeyJwt => true,
            Self::SelfSignedTlsClientAuth => certificate_policy.accepts_any(),
            Self::TlsClientAuth => matches!(certificate_policy, ClientCertificatePolicy::CaIssued),
        }
    }

    /// Whether the client authenticates with its TLS certificate.
    pub const fn uses_certificate(self) -> bool {
        match self {
            Self::TlsClientAuth | Self::SelfSignedTlsClientAuth => true,
            Self::None | Self::ClientSecretBasic | Self::ClientSecretPost | Self::PrivateKeyJwt => false,
        }
    }
}

/// A claim that lists the role names of the subject as an array. Groups of a directory are roles, so both
/// list the same names (docs/contribute/decisions/0268-claims-groups-and-roles-list-the-role-names.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum RoleClaim {
    /// `groups`.
    Groups,
    /// `roles`.
    Roles,
}

impl RoleClaim {
    /// Both claims.
    pub const ALL: [Self; 2] = [Self::Groups, Self::Roles];

    /// The name of the claim.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Groups => "groups",
            Self::Roles => "roles",
        }
    }

    /// The scope that releases it.
    pub const fn scope(self) -> IdentityScope {
        match self {
            Self::Groups => IdentityScope::Groups,
            Self::Roles => IdentityScope::Roles,
        }
    }
}

/// The supported grant types. No option adds another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum GrantType {
    /// A user signs in and consents.
    #[serde(rename = "authorization_code")]
    AuthorizationCode,
    /// Renews a token.
    #[serde(rename = "refresh_token")]
    RefreshToken,
    /// A service or agent acts for itself.
    #[serde(rename = "client_credentials")]
    ClientCredentials,
    /// A client acts for another subject (RFC 8693).
    #[serde(rename = "urn:ietf:params:oauth:grant-type:token-exchange", alias = "token-exchange")]
    TokenExchange,
    /// A device shows a code that the user approves elsewhere (RFC 8628).
    #[serde(rename = "urn:ietf:params:oauth:grant-type:device_code")]
    DeviceCode,
    /// A client asks a user on another device (OpenID CIBA).
    #[serde(rename = "urn:openid:params:grant-type:ciba")]
    Ciba,
}

impl GrantType {
    /// All grant types.
    pub const ALL: [Self; 6] = [
        Self::AuthorizationCode,
        Self::RefreshToken,
        Self::ClientCredentials,
        Self::TokenExchange,
        Self::DeviceCode,
        Self::Ciba,
    ];

    /// The default if a client registers none.
    pub const DEFAULTS: [Self; 3] = [Self::AuthorizationCode, Self::RefreshToken, Self::TokenExchange];

    /// The value in metadata and requests.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AuthorizationCode => "authorization_code",
            Self::RefreshToken => "refresh_token",
            Self::ClientCredentials => "client_credentials",
            Self::TokenExchange => "urn:ietf:params:oauth:grant-type:token-exchange",
            Self::DeviceCode => "urn:ietf:params:oauth:grant-type:device_code",
            Self::Ciba => "urn:openid:params:grant-type:ciba",
        }
    }
}

/// How a CIBA client learns that the user answered. Tokens are never pushed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum CibaDeliveryMode {
    /// The client polls the token endpoint.
    #[default]
    Poll,
    /// The client is notified and then requests the tokens.
    Ping,
}

impl CibaDeliveryMode {
    /// All delivery modes.
    pub const ALL: [Self; 2] = [Self::Poll, Self::Ping];

    /// The value in metadata.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Poll => "poll",
            Self::Ping => "ping",
        }
    }
}

/// The only supported response type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ResponseType {
    /// An authorization code.
    Code,
}

impl ResponseType {
    /// All response types.
    pub const ALL: [Self; 1] = [Self::Code];

    /// The value in metadata and requests.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
        }
    }
}

/// The subject type. A user has one subject id per organization, the same for all clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SubjectType {
    /// All clients see the same subject.
    Public,
}

impl SubjectType {
    /// All subject types.
    pub const ALL: [Self; 1] = [Self::Public];

    /// The value in metadata.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
        }
    }
}

/// The kind of application.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ApplicationType {
    /// Runs on a server or in a browser.
    #[default]
    Web,
    /// Runs on the user's device.
    Native,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_metadata_values_round_trip() {
        for method in ClientAuthMethod::ALL {
            assert_eq!(serde_json::to_value(method).unwrap(), method.as_str());
        }
        for grant in GrantType::ALL {
            assert_eq!(serde_json::to_value(grant).unwrap(), grant.as_str());
        }
        for mode in CibaDeliveryMode::ALL {
            assert_eq!(serde_json::to_value(mode).unwrap(), mode.as_str());
        }
        assert!(ResponseType::ALL.iter().all(|it| serde_json::to_value(it).unwrap() == it.as_str()));
        assert!(SubjectType::ALL.iter().all(|it| serde_json::to_value(it).unwrap() == it.as_str()));
    }

    #[test]
    fn client_metadata_values_exclude_deprecated_ones() {
        let words = GrantType::ALL.map(GrantType::as_str);
        assert!(!words.contains(&"password") && !words.contains(&"implicit"));
        assert_eq!(ResponseType::ALL.map(ResponseType::as_str), ["code"]);
        assert!(serde_json::from_value::<CibaDeliveryMode>("push".into()).is_err(), "tokens are never sent");
    }
}
