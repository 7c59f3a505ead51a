//! DPoP proofs (RFC 9449): signed for one request and useless for any other.

mod target_uri;

pub use target_uri::DpopTargetUri;

use crate::limits::{DPOP_PROOF_AGE_MAX, DPOP_PROOF_FUTURE_MAX, DPOP_PROOF_JTI_BYTES_MAX};
use crate::time::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// The claims of a proof, whose signature was already verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DpopProofClaims<'a> {
    /// `htm`: the HTTP method.
    pub method: &'a str,
    /// `htu`: the request's URI.
    pub address: &'a str,
    /// `iat`: when it was created.
    pub issued_at: Timestamp,
    /// `exp`, if present. It can only shorten the usual validity.
    pub expires_at: Option<Timestamp>,
    /// `nbf`, if present.
    pub not_before: Option<Timestamp>,
    /// `jti`: the proof's id.
    pub id: &'a str,
    /// `ath`: the hash of the access token, if present.
    pub token_hash: Option<&'a str>,
    /// `nonce`: a nonce of ours, if present.
    pub nonce: Option<&'a str>,
}

/// The request that carries the proof.
#[derive(Clone, Copy, Debug)]
pub struct DpopRequestContext<'a> {
    /// The HTTP method.
    pub method: &'a str,
    /// The URIs under which the request may have been made; we may have two addresses.
    pub addresses: &'a [DpopTargetUri],
    /// The access token presented, if any.
    pub token: Option<&'a str>,
    /// The status of the proof's nonce.
    pub nonce: DpopNonceStatus,
    /// The current time.
    pub now: Timestamp,
}

/// The status of a proof's nonce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DpopNonceStatus {
    /// No nonce is required.
    NotRequired,
    /// A nonce is required, and the proof contains one that we issued recently.
    Valid,
    /// A nonce is required, and the proof contains no valid one.
    Missing,
}

/// Why a proof is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DpopProofRejection {
    /// `htm` does not match.
    #[error("the proof is for another method")]
    WrongMethod,
    /// `htu` does not match.
    #[error("the proof is for another URI")]
    WrongUri,
    /// The proof is too old.
    #[error("the proof is too old")]
    TooOld,
    /// The proof is from the future.
    #[error("the proof is from the future")]
    FromTheFuture,
    /// `jti` is empty or too long.
    #[error("the proof has no id, or one that is too long")]
    BadJti,
    /// `ath` is missing or belongs to another token.
    #[error("the proof is for another token")]
    WrongToken,
    /// A valid nonce is required.
    #[error("the proof contains no valid nonce")]
    NonceRequired,
}

/// Verifies the proof and returns until when its `jti` must be remembered.
///
/// The nonce is checked last: a client that is asked to retry with one has everything else right.
pub fn verify_dpop_proof(
    claims: &DpopProofClaims<'_>,
    context: &DpopRequestContext<'_>,
) -> Result<Timestamp, DpopProofRejection> {
    if claims.method != context.method {
        return Err(DpopProofRejection::WrongMethod);
    }
    let address = claims.address.parse::<DpopTargetUri>().map_err(|_| DpopProofRejection::WrongUri)?;
    if !context.addresses.contains(&address) {
        return Err(DpopProofRejection::WrongUri);
    }
    if !(1..=DPOP_PROOF_JTI_BYTES_MAX).contains(&claims.id.len()) {
        return Err(DpopProofRejection::BadJti);
    }
    if context.token.is_some_and(|token| claims.token_hash != Some(compute_ath(token).as_str())) {
        return Err(DpopProofRejection::WrongToken);
    }
    let refused_from = claims.issued_at.plus(DPOP_PROOF_AGE_MAX);
    if refused_from < context.now || claims.expires_at.is_some_and(|at| at <= context.now) {
        return Err(DpopProofRejection::TooOld);
    }
    let latest = context.now.plus(DPOP_PROOF_FUTURE_MAX);
    if claims.issued_at > latest || claims.not_before.is_some_and(|at| at > latest) {
        return Err(DpopProofRejection::FromTheFuture);
    }
    match context.nonce {
        DpopNonceStatus::NotRequired | DpopNonceStatus::Valid => Ok(refused_from),
        DpopNonceStatus::Missing => Err(DpopProofRejection::NonceRequired),
    }
}

/// Computes `ath`: the token's SHA-256 in base64url.
pub fn compute_ath(token: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(token.as_bytes()))
}

#[cfg(test)]
mod tests;
