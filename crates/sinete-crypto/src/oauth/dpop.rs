//! DPoP proofs (RFC 9449 §4): verification of the signature with the embedded key. A proof shows only that
//! its sender holds the key; whether it is the expected key is checked elsewhere.

use crate::platform::jwt::{EMBEDDED_KEY_HEADERS, JwtRejection, VerifiedJwtClaims, parse_object};
use crate::platform::signing_keys::{InvalidSigningKey, PublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};
use sinete_core::limits::DPOP_PROOF_BYTES_MAX;
use sinete_core::oauth::confirmation::JwkThumbprint;
use sinete_core::oauth::dpop::DpopProofClaims;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::Timestamp;

/// A DPoP proof whose signature was verified with its embedded key.
#[derive(Clone, Debug)]
pub struct DpopProof {
    /// The thumbprint of the key.
    pub key: JwkThumbprint,
    /// The signing algorithm.
    pub algorithm: SigningAlgorithm,
    claims: VerifiedJwtClaims,
    issued_at: Timestamp,
    expires_at: Option<Timestamp>,
    not_before: Option<Timestamp>,
}

/// Why a proof is rejected. The reason is only for our log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDpopProof {
    /// It is not a JWS, or its signature is wrong.
    #[error(transparent)]
    Token(#[from] JwtRejection),
    /// `jwk` is missing or not a supported public key.
    #[error("the proof contains no usable public key: {0}")]
    Key(#[from] InvalidSigningKey),
    /// `jwk` contains a private key.
    #[error("the proof contains a private or symmetric key")]
    PrivateKey,
}

/// The `typ` of a proof.
const DPOP_JWT_TYPE: &str = "dpop+jwt";

/// The private members of a JWK.
const PRIVATE_JWK_MEMBERS: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

impl DpopProof {
    /// Parses a proof and verifies its signature with the embedded key. The claims are not checked.
    pub fn parse(text: &str) -> Result<Self, InvalidDpopProof> {
        if text.len() > DPOP_PROOF_BYTES_MAX {
            return Err(JwtRejection::TooLong.into());
        }
        let (signed, signature) = text.rsplit_once('.').ok_or(JwtRejection::Malformed)?;
        let (header, payload) = signed.split_once('.').ok_or(JwtRejection::Malformed)?;
        if payload.contains('.') {
            return Err(JwtRejection::Malformed.into());
        }
        let (public, algorithm) = parse_header_key(&parse_object(header)?)?;
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| JwtRejection::Malformed)?;
        public.verify_signature(signed.as_bytes(), &signature).map_err(|_| JwtRejection::WrongSignature)?;
        let claims = VerifiedJwtClaims::from_verified(parse_object(payload)?);
        let issued_at = claims.time_claim("iat")?.ok_or(JwtRejection::BadClaim("iat"))?;
        let (expires_at, counts_from) = (claims.time_claim("exp")?, claims.time_claim("nbf")?);
        for required in ["htm", "htu", "jti"] {
            claims.text_claim(required).ok_or(JwtRejection::BadClaim(required))?;
        }
        for optional in ["ath", "nonce"] {
            let is_text = claims.members().get(optional).is_none_or(Value::is_string);
            is_text.then_some(()).ok_or(JwtRejection::BadClaim(optional))?;
        }
        let key = public.thumbprint().parse().map_err(|_| JwtRejection::Malformed)?;
        Ok(Self { key, algorithm, claims, issued_at, expires_at, not_before: counts_from })
    }

    /// The claims.
    pub fn claims(&self) -> DpopProofClaims<'_> {
        let text = |name| self.claims.text_claim(name).unwrap_or_default();
        DpopProofClaims {
            method: text("htm"),
            address: text("htu"),
            issued_at: self.issued_at,
            expires_at: self.expires_at,
            not_before: self.not_before,
            id: text("jti"),
            token_hash: self.claims.text_claim("ath"),
            nonce: self.claims.text_claim("nonce"),
        }
    }
}

/// Reads the key from the header, if the rest of the header is valid.
fn parse_header_key(header: &Map<String, Value>) -> Result<(PublicKey, SigningAlgorithm), InvalidDpopProof> {
    if header.contains_key("crit") {
        return Err(JwtRejection::Critical.into());
    }
    if EMBEDDED_KEY_HEADERS.iter().any(|member| *member != "jwk" && header.contains_key(*member)) {
        return Err(JwtRejection::EmbeddedKey.into());
    }
    if header.get("typ").and_then(Value::as_str) != Some(DPOP_JWT_TYPE) {
        return Err(JwtRejection::WrongType.into());
    }
    let algorithm = header.get("alg").and_then(Value::as_str).and_then(|name| name.parse().ok());
    let algorithm: SigningAlgorithm = algorithm.ok_or(JwtRejection::WrongAlgorithm)?;
    let jwk = header.get("jwk").and_then(Value::as_object).ok_or(JwtRejection::UnknownKey)?;
    if PRIVATE_JWK_MEMBERS.iter().any(|member| jwk.contains_key(*member)) {
        return Err(InvalidDpopProof::PrivateKey);
    }
    let text = Value::Object(jwk.clone()).to_string();
    Ok((PublicKey::from_jwk(&text, Some(algorithm))?, algorithm))
}

#[cfg(test)]
mod tests;
