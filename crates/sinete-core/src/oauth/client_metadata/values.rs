//! The words a client chooses from. Each set is closed: what is not here cannot be registered.

use crate::oauth::mtls::ClientCertificatePolicy;
use serde::{Deserialize, Serialize};

/// How a client proves who it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientAuthMethod {
    /// It cannot keep a secret, and does not.
    None,
    /// A secret in the Authorization header: what RFC 7591 says when nothing is said.
    #[default]
    ClientSecretBasic,
    /// A secret in the body.
    ClientSecretPost,
    /// A signed assertion.
    PrivateKeyJwt,
    /// A certificate that an authority vouches for, with a name that is the client's (RFC 8705 §2.1).
    TlsClientAuth,
    /// A certificate of its own making, which it registered (RFC 8705 §2.2).
    SelfSignedTlsClientAuth,
}

impl ClientAuthMethod {
    /// Every way there is.
    pub const ALL: [Self; 6] = [
        Self::None,
        Self::ClientSecretBasic,
        Self::ClientSecretPost,
        Self::PrivateKeyJwt,
        Self::TlsClientAuth,
        Self::SelfSignedTlsClientAuth,
    ];

    /// The name, as metadata writes it.
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

    /// Whether it takes a secret that we issue.
    pub const fn needs_secret(self) -> bool {
        match self {
            Self::ClientSecretBasic | Self::ClientSecretPost => true,
            Self::None | Self::PrivateKeyJwt | Self::TlsClientAuth | Self::SelfSignedTlsClientAuth => false,
        }
    }

    /// Whether an instance that takes certificates so far offers it.
    pub const fn is_available(self, taken: ClientCertificatePolicy) -> bool {
        match self {
            Self::None | Self::ClientSecretBasic | Self::ClientSecretPost | Self::PrivateKeyJwt => true,
            Self::SelfSignedTlsClientAuth => taken.accepts_any(),
            Self::TlsClientAuth => matches!(taken, ClientCertificatePolicy::Vouched),
        }
    }

    /// Whether the certificate of the connection is itself the proof.
    pub const fn uses_certificate(self) -> bool {
        match self {
            Self::TlsClientAuth | Self::SelfSignedTlsClientAuth => true,
            Self::None | Self::ClientSecretBasic | Self::ClientSecretPost | Self::PrivateKeyJwt => false,
        }
    }
}

/// The ways of getting a token that exist. There is no other, and no option adds one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum GrantType {
    /// A person signs in and agrees.
    #[serde(rename = "authorization_code")]
    AuthorizationCode,
    /// A token is renewed.
    #[serde(rename = "refresh_token")]
    RefreshToken,
    /// A service or agent asks for itself.
    #[serde(rename = "client_credentials")]
    ClientCredentials,
    /// A client acts for somebody.
    #[serde(rename = "urn:ietf:params:oauth:grant-type:token-exchange", alias = "token-exchange")]
    TokenExchange,
    /// A device shows a code, and somebody answers for it elsewhere.
    #[serde(rename = "urn:ietf:params:oauth:grant-type:device_code")]
    DeviceCode,
    /// A client asks a person who is elsewhere (OpenID CIBA).
    #[serde(rename = "urn:openid:params:grant-type:ciba")]
    Ciba,
}

impl GrantType {
    /// Every way there is.
    pub const ALL: [Self; 6] = [
        Self::AuthorizationCode,
        Self::RefreshToken,
        Self::ClientCredentials,
        Self::TokenExchange,
        Self::DeviceCode,
        Self::Ciba,
    ];

    /// What an application that names none is given.
    pub const USUAL: [Self; 3] = [Self::AuthorizationCode, Self::RefreshToken, Self::TokenExchange];

    /// The name, as metadata and requests write it.
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

/// How a client that asked for somebody's approval learns of the answer. Tokens are never sent to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CibaDeliveryMode {
    /// It asks.
    #[default]
    Poll,
    /// It is told to ask.
    Ping,
}

impl CibaDeliveryMode {
    /// Every way there is.
    pub const ALL: [Self; 2] = [Self::Poll, Self::Ping];

    /// The name, as metadata writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Poll => "poll",
            Self::Ping => "ping",
        }
    }
}

/// The one answer the authorization endpoint gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseType {
    /// A code.
    Code,
}

impl ResponseType {
    /// Every answer there is.
    pub const ALL: [Self; 1] = [Self::Code];

    /// The name, as metadata and requests write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
        }
    }
}

/// Whether other clients know a person by the same id. A person has one id in each organization, whoever asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubjectType {
    /// They do.
    Public,
}

impl SubjectType {
    /// Every kind there is.
    pub const ALL: [Self; 1] = [Self::Public];

    /// The name, as metadata writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
        }
    }
}

/// Where a client runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApplicationType {
    /// On a server or in a browser.
    #[default]
    Web,
    /// On a person's device.
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
