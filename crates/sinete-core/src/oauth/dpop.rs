//! Proofs that whoever asks holds a key (RFC 9449): signed for one request, and worth nothing at any other.

mod target_uri;

pub use target_uri::DpopTargetUri;

use crate::limits::{DPOP_PROOF_AGE_MAX, DPOP_PROOF_FUTURE_MAX, DPOP_PROOF_JTI_BYTES_MAX};
use crate::time::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// What a proof says. Its signature is the key's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DpopProofClaims<'a> {
    /// The method of the request it is for.
    pub method: &'a str,
    /// The address of the request it is for.
    pub address: &'a str,
    /// When it was made.
    pub issued_at: Timestamp,
    /// Until when it counts, where it says so itself. It counts no longer than any proof does.
    pub expires_at: Option<Timestamp>,
    /// From when on it counts, where it says so itself.
    pub counts_from: Option<Timestamp>,
    /// Its own id.
    pub id: &'a str,
    /// What it says of the token that it is shown with.
    pub token_hash: Option<&'a str>,
    /// The nonce of ours that it repeats.
    pub nonce: Option<&'a str>,
}

/// The request that a proof came with.
#[derive(Clone, Copy, Debug)]
pub struct DpopRequestContext<'a> {
    /// Its method.
    pub method: &'a str,
    /// The addresses it can have been made to: we may be known by two.
    pub addresses: &'a [DpopTargetUri],
    /// The access token it shows.
    pub token: Option<&'a str>,
    /// What became of the nonce that the proof repeats.
    pub nonce: DpopNonceStatus,
    /// When it is judged.
    pub now: Timestamp,
}

/// What became of the nonce of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DpopNonceStatus {
    /// None is demanded.
    NotDemanded,
    /// One is, and the proof repeats one that we gave out lately.
    Ours,
    /// One is, and the proof repeats none of ours that still counts.
    Missing,
}

/// Why a proof does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DpopProofRejection {
    /// It is for another method.
    #[error("the proof is for another method")]
    WrongMethod,
    /// It is for another address.
    #[error("the proof is for another address")]
    WrongAddress,
    /// It was made too long ago.
    #[error("the proof is too old")]
    TooOld,
    /// It was made in what is the future here.
    #[error("the proof is from the future")]
    FromTheFuture,
    /// Its id is empty or too long to be kept.
    #[error("the proof has no id, or one that is too long")]
    BadId,
    /// It is for another token, or for none.
    #[error("the proof is for another token")]
    WrongToken,
    /// It does not repeat a nonce of ours that counts now.
    #[error("the proof repeats no nonce of ours that counts now")]
    NonceNeeded,
}

/// Until when the proof must be remembered, if it counts for the request.
///
/// That it lacks a nonce is found last: whoever is told to come back with one has everything else right.
pub fn verify_dpop_proof(
    said: &DpopProofClaims<'_>,
    asked: &DpopRequestContext<'_>,
) -> Result<Timestamp, DpopProofRejection> {
    if said.method != asked.method {
        return Err(DpopProofRejection::WrongMethod);
    }
    let address = said.address.parse::<DpopTargetUri>().map_err(|_| DpopProofRejection::WrongAddress)?;
    if !asked.addresses.contains(&address) {
        return Err(DpopProofRejection::WrongAddress);
    }
    if !(1..=DPOP_PROOF_JTI_BYTES_MAX).contains(&said.id.len()) {
        return Err(DpopProofRejection::BadId);
    }
    if asked.token.is_some_and(|token| said.token_hash != Some(compute_ath(token).as_str())) {
        return Err(DpopProofRejection::WrongToken);
    }
    let refused_from = said.issued_at.plus(DPOP_PROOF_AGE_MAX);
    if refused_from < asked.now || said.expires_at.is_some_and(|at| at <= asked.now) {
        return Err(DpopProofRejection::TooOld);
    }
    let latest = asked.now.plus(DPOP_PROOF_FUTURE_MAX);
    if said.issued_at > latest || said.counts_from.is_some_and(|at| at > latest) {
        return Err(DpopProofRejection::FromTheFuture);
    }
    match asked.nonce {
        DpopNonceStatus::NotDemanded | DpopNonceStatus::Ours => Ok(refused_from),
        DpopNonceStatus::Missing => Err(DpopProofRejection::NonceNeeded),
    }
}

/// What a proof says of a token: its SHA-256, in base64url.
pub fn compute_ath(token: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(token.as_bytes()))
}

#[cfg(test)]
mod tests;
