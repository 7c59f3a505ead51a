//! Proofs that whoever asks holds a key (RFC 9449 §4): a text that is signed with the very key it brings along. What it
//! brings proves nothing but that it is held; whether that is the right one is asked elsewhere.

use crate::platform::jwt::{BRINGS_KEY, JwtRejection, VerifiedJwtClaims, parse_object};
use crate::platform::signing_keys::{InvalidSigningKey, PublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};
use sinete_core::limits::DPOP_PROOF_BYTES_MAX;
use sinete_core::oauth::confirmation::JwkThumbprint;
use sinete_core::oauth::dpop::DpopProofClaims;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::Timestamp;

/// A proof whose signature is that of the key in it.
#[derive(Clone, Debug)]
pub struct DpopProof {
    /// The key.
    pub key: JwkThumbprint,
    /// What it was signed with.
    pub algorithm: SigningAlgorithm,
    claims: VerifiedJwtClaims,
    issued_at: Timestamp,
    expires_at: Option<Timestamp>,
    counts_from: Option<Timestamp>,
}

/// Why a text is no such proof. The difference is for our log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDpopProof {
    /// It is no signed text, or one whose signature is wrong.
    #[error(transparent)]
    Token(#[from] JwtRejection),
    /// It brings no public key that we could use.
    #[error("the proof brings no usable public key: {0}")]
    Key(#[from] InvalidSigningKey),
    /// It brings a key that is public no longer.
    #[error("the proof brings a private or shared key")]
    PrivateKey,
}

/// What the header of a proof says that it is.
const TYPE: &str = "dpop+jwt";

/// The members of a key that nobody shows to others.
const PRIVATE: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

impl DpopProof {
    /// Reads a proof and holds its signature against the key that it brings. For which request it is, is not looked at.
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
        Ok(Self { key, algorithm, claims, issued_at, expires_at, counts_from })
    }

    /// What it says.
    pub fn claims(&self) -> DpopProofClaims<'_> {
        let text = |name| self.claims.text_claim(name).unwrap_or_default();
        DpopProofClaims {
            method: text("htm"),
            address: text("htu"),
            issued_at: self.issued_at,
            expires_at: self.expires_at,
            counts_from: self.counts_from,
            id: text("jti"),
            token_hash: self.claims.text_claim("ath"),
            nonce: self.claims.text_claim("nonce"),
        }
    }
}

/// The key in the header, if everything else that the header says fits it.
fn parse_header_key(header: &Map<String, Value>) -> Result<(PublicKey, SigningAlgorithm), InvalidDpopProof> {
    if header.contains_key("crit") {
        return Err(JwtRejection::Critical.into());
    }
    if BRINGS_KEY.iter().any(|member| *member != "jwk" && header.contains_key(*member)) {
        return Err(JwtRejection::BringsKey.into());
    }
    if header.get("typ").and_then(Value::as_str) != Some(TYPE) {
        return Err(JwtRejection::WrongType.into());
    }
    let algorithm = header.get("alg").and_then(Value::as_str).and_then(|name| name.parse().ok());
    let algorithm: SigningAlgorithm = algorithm.ok_or(JwtRejection::WrongAlgorithm)?;
    let jwk = header.get("jwk").and_then(Value::as_object).ok_or(JwtRejection::UnknownKey)?;
    if PRIVATE.iter().any(|member| jwk.contains_key(*member)) {
        return Err(InvalidDpopProof::PrivateKey);
    }
    let text = Value::Object(jwk.clone()).to_string();
    Ok((PublicKey::from_jwk(&text, Some(algorithm))?, algorithm))
}

#[cfg(test)]
mod tests;
