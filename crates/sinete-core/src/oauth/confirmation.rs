//! Sender-constrained tokens: bound to a certificate (RFC 8705 §3) or a DPoP key (RFC 9449 §6), and useless
//! without it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The `cnf` claim: a certificate, a key, or both; never empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "ConfirmationMembers", into = "ConfirmationMembers")]
pub struct ConfirmationClaim {
    certificate: Option<Box<str>>,
    key: Option<JwkThumbprint>,
}

/// The serialized form of the `cnf` claim.
#[derive(Serialize, Deserialize)]
struct ConfirmationMembers {
    /// `x5t#S256`: the SHA-256 of the client's certificate, in base64url.
    #[serde(rename = "x5t#S256", default, skip_serializing_if = "Option::is_none")]
    certificate: Option<Box<str>>,
    /// `jkt`: the thumbprint of the key.
    #[serde(rename = "jkt", default, skip_serializing_if = "Option::is_none")]
    key: Option<JwkThumbprint>,
}

/// The SHA-256 thumbprint of a public key (RFC 7638).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct JwkThumbprint([u8; 32]);

/// The text is not a thumbprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a thumbprint is 43 characters of base64url")]
pub struct InvalidJwkThumbprint;

/// The `cnf` claim binds to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the binding names neither a certificate nor a key")]
struct EmptyConfirmation;

/// The presenter did not prove possession of the token's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfirmationMismatch {
    /// No certificate was presented.
    #[error("the token is bound to a certificate, and none was presented")]
    NoCertificate,
    /// Another certificate was presented.
    #[error("the token is bound to another certificate")]
    OtherCertificate,
    /// No key was proven.
    #[error("the token is bound to a key, and possession of none was proven")]
    NoKeyProof,
    /// Another key was proven.
    #[error("the token is bound to another key")]
    OtherKey,
}

/// Who presents a token for exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenPresenter {
    /// The holder: the client it was issued to, or anyone who obtained it.
    Holder,
    /// The API it is for, which received it, cannot hold its key and authenticates with its own.
    Audience,
}

impl ConfirmationClaim {
    /// Binds to the certificate with this digest.
    pub fn from_certificate(digest: &[u8; 32]) -> Self {
        Self { certificate: Some(URL_SAFE_NO_PAD.encode(digest).into()), key: None }
    }

    /// Binds to this key.
    pub const fn from_key(key: JwkThumbprint) -> Self {
        Self { certificate: None, key: Some(key) }
    }

    /// The certificate's digest in base64url, if bound to one.
    pub fn certificate(&self) -> Option<&str> {
        self.certificate.as_deref()
    }

    /// The key's thumbprint, if bound to one.
    pub const fn key(&self) -> Option<JwkThumbprint> {
        self.key
    }

    /// Only the certificate binding.
    pub fn certificate_only(&self) -> Option<Self> {
        self.certificate.clone().map(|certificate| Self { certificate: Some(certificate), key: None })
    }

    /// Only the key binding.
    pub fn key_only(&self) -> Option<Self> {
        self.key.map(Self::from_key)
    }

    /// Combines both bindings; if both name a certificate or a key, `self` wins.
    #[must_use]
    pub fn merge(self, other: Option<&Self>) -> Self {
        Self {
            certificate: self
                .certificate
                .or_else(|| other.and_then(|confirmation| confirmation.certificate.clone())),
            key: self.key.or_else(|| other.and_then(Self::key)),
        }
    }

    /// Combines both bindings; `None` if both are `None`.
    pub fn merge_optional(one: Option<Self>, other: Option<&Self>) -> Option<Self> {
        match one {
            Some(one) => Some(one.merge(other)),
            None => other.cloned(),
        }
    }
}

impl JwkThumbprint {
    /// Wraps a computed thumbprint.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for JwkThumbprint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl FromStr for JwkThumbprint {
    type Err = InvalidJwkThumbprint;

    fn from_str(text: &str) -> Result<Self, InvalidJwkThumbprint> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| InvalidJwkThumbprint)?;
        bytes.try_into().map(Self).map_err(|_| InvalidJwkThumbprint)
    }
}

impl TryFrom<String> for JwkThumbprint {
    type Error = InvalidJwkThumbprint;
    fn try_from(text: String) -> Result<Self, InvalidJwkThumbprint> {
        text.parse()
    }
}

impl From<JwkThumbprint> for String {
    fn from(key: JwkThumbprint) -> Self {
        key.to_string()
    }
}

impl TryFrom<ConfirmationMembers> for ConfirmationClaim {
    type Error = EmptyConfirmation;
    fn try_from(
        ConfirmationMembers { certificate, key }: ConfirmationMembers,
    ) -> Result<Self, EmptyConfirmation> {
        let names_something = certificate.is_some() || key.is_some();
        if names_something { Ok(Self { certificate, key }) } else { Err(EmptyConfirmation) }
    }
}

impl From<ConfirmationClaim> for ConfirmationMembers {
    fn from(ConfirmationClaim { certificate, key }: ConfirmationClaim) -> Self {
        Self { certificate, key }
    }
}

/// Checks that the presented proof covers the whole binding. It may contain more.
pub fn check_possession(
    bound: Option<&ConfirmationClaim>,
    confirmation: Option<&ConfirmationClaim>,
) -> Result<(), ConfirmationMismatch> {
    let Some(bound) = bound else { return Ok(()) };
    match (bound.certificate(), confirmation.and_then(ConfirmationClaim::certificate)) {
        (None, _) => {}
        (Some(_), None) => return Err(ConfirmationMismatch::NoCertificate),
        (Some(bound), Some(presented_certificate)) if bound == presented_certificate => {}
        (Some(_), Some(_)) => return Err(ConfirmationMismatch::OtherCertificate),
    }
    match (bound.key, confirmation.and_then(ConfirmationClaim::key)) {
        (None, _) => Ok(()),
        (Some(_), None) => Err(ConfirmationMismatch::NoKeyProof),
        (Some(bound), Some(jwk_thumbprint)) if bound == jwk_thumbprint => Ok(()),
        (Some(_), Some(_)) => Err(ConfirmationMismatch::OtherKey),
    }
}

/// Checks whether the presenter may exchange a token with this binding. The new token is bound to the
/// presented proof: exchange never drops a binding.
pub fn check_exchange_possession(
    bound: Option<&ConfirmationClaim>,
    confirmation: Option<&ConfirmationClaim>,
    by: TokenPresenter,
) -> Result<(), ConfirmationMismatch> {
    match (by, confirmation) {
        (TokenPresenter::Audience, Some(_)) => Ok(()),
        (TokenPresenter::Holder | TokenPresenter::Audience, _) => check_possession(bound, confirmation),
    }
}

#[cfg(test)]
mod tests;
