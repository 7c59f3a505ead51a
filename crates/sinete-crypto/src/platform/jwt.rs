//! JWTs in the compact serialization (RFC 7515): signing here, verification by [`verify_jwt`].

mod verify;

pub(crate) use verify::{EMBEDDED_KEY_HEADERS, parse_object};
pub use verify::{JwtExpectations, JwtRejection, VerifiedJwtClaims, verify_jwt, verify_jwt_with_key};

use crate::platform::signing_keys::{CryptoLibraryFailure, PublicKey, SigningKey};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde_json::json;

/// The type of a JWT (`typ`, RFC 8725 §3.11), so that one kind is never accepted as another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JwtType {
    /// An access token (RFC 9068).
    Access,
    /// An ID token (OpenID Connect).
    Id,
    /// A logout token (OpenID Connect Back-Channel Logout).
    Logout,
    /// A signed userinfo response (OpenID Connect Core §5.3.2).
    UserInfo,
    /// A client assertion of ours at an identity provider (RFC 7523).
    ClientAssertion,
}

impl JwtType {
    /// All types, in the order of `EncodedJwtHeaders`.
    pub const ALL: [Self; 5] = [Self::Access, Self::Id, Self::Logout, Self::UserInfo, Self::ClientAssertion];

    /// The `typ` in the header.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Access => "at+jwt",
            Self::Id => "JWT",
            Self::Logout => "logout+jwt",
            // There is no registered value. A value of its own prevents confusion with an ID token.
            Self::UserInfo => "userinfo+jwt",
            Self::ClientAssertion => "client-authentication+jwt",
        }
    }
}

/// The encoded headers of a key, one per type, each ending in the dot.
pub(crate) struct EncodedJwtHeaders([Box<str>; JwtType::ALL.len()]);

impl EncodedJwtHeaders {
    /// Encodes the headers with this key's `kid` and `alg`.
    pub(crate) fn from_key(key: &PublicKey) -> Self {
        Self(JwtType::ALL.map(|of_type| {
            let header = json!({"alg": key.algorithm().as_str(), "kid": key.kid(), "typ": of_type.as_str()});
            let mut encoded = URL_SAFE_NO_PAD.encode(header.to_string());
            encoded.push('.');
            encoded.into()
        }))
    }

    fn for_type(&self, of_type: JwtType) -> &str {
        let [access, id, logout, userinfo, assertion] = &self.0;
        match of_type {
            JwtType::Access => access,
            JwtType::Id => id,
            JwtType::Logout => logout,
            JwtType::UserInfo => userinfo,
            JwtType::ClientAssertion => assertion,
        }
    }
}

/// Why signing failed. Does not happen with claims that are plain structs and an accepted key.
#[derive(Debug, thiserror::Error)]
pub enum JwtSigningError {
    /// The claims cannot be serialized to JSON.
    #[error("the claims cannot be written as JSON: {0}")]
    Claims(#[from] serde_json::Error),
    /// The library failed.
    #[error(transparent)]
    Library(#[from] CryptoLibraryFailure),
}

/// Signs the claims as a token of this type.
pub fn sign_jwt(
    key: &SigningKey,
    of_type: JwtType,
    claims: &impl Serialize,
) -> Result<String, JwtSigningError> {
    let header = key.headers().for_type(of_type);
    let mut payload = Vec::with_capacity(512);
    serde_json::to_writer(&mut payload, claims)?;
    // Capacity for a 4096-bit RSA signature, so that the string is never reallocated.
    let mut token = String::with_capacity(header.len() + payload.len() * 4 / 3 + 700);
    token.push_str(header);
    URL_SAFE_NO_PAD.encode_string(&payload, &mut token);
    let signature = key.sign(token.as_bytes())?;
    token.push('.');
    URL_SAFE_NO_PAD.encode_string(&signature, &mut token);
    Ok(token)
}

#[cfg(test)]
mod tests;
