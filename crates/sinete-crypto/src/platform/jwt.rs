//! Signed tokens in the compact form of RFC 7515: composing them here, verifying them in [`verify`](self::verify()).

mod verify;

pub(crate) use verify::{BRINGS_KEY, parse_object};
pub use verify::{JwtExpectations, JwtRejection, VerifiedJwtClaims, verify_jwt, verify_jwt_with_key};

use crate::platform::signing_keys::{CryptoLibraryFailure, PublicKey, SigningKey};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde_json::json;

/// What a token is, as its header says (RFC 8725 §3.11): one kind is never taken for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JwtType {
    /// An access token (RFC 9068).
    Access,
    /// An ID token (OpenID Connect).
    Id,
    /// A logout token (OpenID Connect Back-Channel Logout).
    Logout,
    /// What a client is told about a person, signed (OpenID Connect Core §5.3.2).
    UserInfo,
    /// What proves to another provider who we are (RFC 7523).
    ClientAssertion,
}

impl JwtType {
    /// Every type there is, in the order of [`EncodedJwtHeaders`].
    pub const ALL: [Self; 5] = [Self::Access, Self::Id, Self::Logout, Self::UserInfo, Self::ClientAssertion];

    /// The `typ` in the header.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Access => "at+jwt",
            Self::Id => "JWT",
            Self::Logout => "logout+jwt",
            // No registered name exists. One of its own keeps it from being taken for an ID token.
            Self::UserInfo => "userinfo+jwt",
            Self::ClientAssertion => "client-authentication+jwt",
        }
    }
}

/// The beginnings of the tokens a key signs, one per type, encoded once and ending in the dot.
pub(crate) struct EncodedJwtHeaders([Box<str>; JwtType::ALL.len()]);

impl EncodedJwtHeaders {
    /// The headers that name this key and its algorithm.
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

/// The token could not be made. Neither happens with claims that are plain structs and a key we accepted.
#[derive(Debug, thiserror::Error)]
pub enum JwtSigningError {
    /// The claims cannot be written as JSON.
    #[error("the claims cannot be written as JSON: {0}")]
    Claims(#[from] serde_json::Error),
    /// The library refused.
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
    // Room for an RSA signature of 4096 bits, so that the text is never moved.
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
