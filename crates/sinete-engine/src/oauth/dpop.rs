//! DPoP (RFC 9449): verification of proofs against their request, and replay detection across nodes. A bound
//! token is useless without such a proof.

use crate::oauth::client_authentication;
use crate::oauth::client_authentication::{AuthenticatedClient, ClientAuthRequest};
use crate::{Engine, Error, EventCause, Failure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sinete_core::client_id::ClientId;
use sinete_core::limits::{CLOCK_OFFSET_MAX, DPOP_NONCE_LIFETIME};
use sinete_core::oauth::confirmation::{ConfirmationClaim, JwkThumbprint};
use sinete_core::oauth::dpop::{
    DpopNonceStatus, DpopProofRejection, DpopRequestContext, DpopTargetUri, verify_dpop_proof,
};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::access::AccessRefusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::secret::Digest;
use sinete_core::time::Timestamp;
use sinete_crypto::oauth::dpop::DpopProof;
use sinete_crypto::platform::mac::{MAC_BYTES, MacPurpose};
use sinete_store::oauth::assertion_replays;
use sinete_store::oauth::assertion_replays::AssertionJti;
use sinete_store::{GuardConflict, GuardedStatement, WriteBatch};

/// Whether proofs must contain a nonce, so that they cannot be created in advance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DpopNoncePolicy {
    /// Never.
    #[default]
    Never,
    /// Always.
    Always,
}

/// The DPoP header of a request, with the request it must match.
#[derive(Clone, Debug)]
pub struct DpopHeader {
    /// The proof; `None` if there were several headers.
    pub text: Option<String>,
    /// The request method.
    pub method: String,
    /// The request path, below the base URL.
    pub path: String,
}

/// A valid proof, apart from the replay check.
#[derive(Debug)]
pub(crate) struct VerifiedDpopProof {
    /// The key thumbprint.
    pub(crate) key: JwkThumbprint,
    algorithm: SigningAlgorithm,
    replay_digest: Digest<AssertionJti>,
    replay_expires_at: Timestamp,
}

/// Why a proof is rejected.
#[derive(Debug)]
pub(crate) enum DpopProofError {
    /// A nonce is required.
    NonceRequired,
    /// It is invalid; the reason is for our log.
    Invalid(String),
}

impl DpopProofError {
    /// The refusal at endpoints for clients (RFC 9449 §5, §8).
    fn into_client_refusal(self) -> Refusal {
        match self {
            Self::NonceRequired => {
                Refusal::because(OAuthRefusal::DpopNonceNeeded, "the proof contains no valid nonce")
            }
            Self::Invalid(reason) => Refusal::because(OAuthRefusal::DpopProofInvalid, reason),
        }
    }

    /// The refusal at protected resources (RFC 9449 §7.1, §9).
    pub(crate) fn into_token_refusal(self) -> Refusal {
        match self {
            Self::NonceRequired => {
                Refusal::because(OAuthRefusal::ResourceDpopNonceNeeded, "the proof contains no valid nonce")
            }
            Self::Invalid(reason) => Refusal::because(OAuthRefusal::ResourceDpopProofInvalid, reason),
        }
    }
}

const REPLAYED_PROOF: &str = "the proof was used before";

/// Verifies a proof for its request, and for this access token if given.
pub(crate) fn verify_proof(
    engine: &Engine,
    header: &DpopHeader,
    token: Option<&str>,
) -> Result<VerifiedDpopProof, DpopProofError> {
    let wrong = |reason: &str| DpopProofError::Invalid(reason.to_owned());
    let text = header
        .text
        .as_deref()
        .ok_or_else(|| wrong("the request has several DPoP headers, or one that is not text"))?;
    let proof = DpopProof::parse(text).map_err(|proof| DpopProofError::Invalid(proof.to_string()))?;
    let (claims, now, settings) = (proof.claims(), engine.now(), engine.settings());
    let nonce = match settings.dpop_nonces {
        DpopNoncePolicy::Never => DpopNonceStatus::NotRequired,
        DpopNoncePolicy::Always if claims.nonce.is_some_and(|nonce| is_nonce_valid(engine, nonce, now)) => {
            DpopNonceStatus::Valid
        }
        DpopNoncePolicy::Always => DpopNonceStatus::Missing,
    };
    // A request to the mTLS endpoints uses their URLs.
    let known_by = [Some(&settings.issuer), settings.mtls.as_ref().map(|it| &it.address)];
    let addresses = known_by.into_iter().flatten().map(|base| format!("{base}{}", header.path).parse());
    let addresses: Vec<DpopTargetUri> = addresses.filter_map(Result::ok).collect();
    let context = DpopRequestContext { method: &header.method, addresses: &addresses, token, nonce, now };
    let forgotten_at = verify_dpop_proof(&claims, &context).map_err(|rejection| match rejection {
        DpopProofRejection::NonceRequired => DpopProofError::NonceRequired,
        rejection => DpopProofError::Invalid(rejection.to_string()),
    })?;
    let key = proof.key.to_string();
    let parts = ["a proof of a key", &key, claims.address, claims.id].map(str::as_bytes);
    let seen_as = Digest::from_parts(&parts);
    Ok(VerifiedDpopProof {
        key: proof.key,
        algorithm: proof.algorithm,
        replay_digest: seen_as,
        replay_expires_at: forgotten_at,
    })
}

impl VerifiedDpopProof {
    /// The statement that uses up the proof, guarded against replay on any node.
    pub(crate) fn replay_guard(&self, client: &ClientId) -> GuardedStatement {
        assertion_replays::record_assertion(client, &self.replay_digest, self.replay_expires_at)
    }
}

/// The refusal if the commit failed because the proof was replayed; `None` for other conflicts.
pub(crate) fn replayed_proof(conflict: &GuardConflict) -> Option<Refusal> {
    assertion_replays::is_replay(conflict)
        .then(|| DpopProofError::Invalid(REPLAYED_PROOF.to_owned()).into_client_refusal())
}

/// Uses up the proof, and returns whether it was its first use on any node.
pub(crate) async fn try_consume_proof(
    engine: &Engine,
    client: &ClientId,
    dpop_proof: &VerifiedDpopProof,
) -> Result<bool, Failure> {
    Ok(engine
        .store()
        .commit(WriteBatch::new().with_statement(dpop_proof.replay_guard(client)))
        .await?
        .is_committed())
}

/// Verifies the proof of a client's request, if present, without using it up: a client that must add a nonce
/// repeats the request unchanged otherwise.
pub(crate) fn verify_client_proof(
    engine: &Engine,
    auth_request: &ClientAuthRequest,
) -> Result<Option<VerifiedDpopProof>, Refusal> {
    let header = auth_request.dpop.as_ref();
    header
        .map(|header| verify_proof(engine, header, None))
        .transpose()
        .map_err(DpopProofError::into_client_refusal)
}

/// Binds the client to the key of its proof, if present. Does not use up the proof.
pub(crate) fn bind_client(
    client: AuthenticatedClient,
    dpop_proof: Option<&VerifiedDpopProof>,
) -> Result<AuthenticatedClient, Refusal> {
    let Some(dpop_proof) = dpop_proof else { return Ok(client) };
    if !client.client.metadata.security_profile.allows_algorithm(dpop_proof.algorithm) {
        let reason = "the client's profile does not allow the algorithm of the proof";
        return Err(DpopProofError::Invalid(reason.to_owned()).into_client_refusal());
    }
    let key = ConfirmationClaim::from_key(dpop_proof.key);
    Ok(AuthenticatedClient {
        confirmation: Some(key.clone().merge(client.confirmation.as_ref())),
        presented_confirmation: Some(key.merge(client.presented_confirmation.as_ref())),
        ..client
    })
}

/// Uses up the proof of a client's request, if present and not replayed.
pub(crate) async fn consume_proof(
    engine: &Engine,
    client: &ClientId,
    dpop_proof: Option<&VerifiedDpopProof>,
) -> Result<(), Error> {
    match dpop_proof {
        Some(dpop_proof) if !try_consume_proof(engine, client, dpop_proof).await? => {
            Err(DpopProofError::Invalid(REPLAYED_PROOF.to_owned()).into_client_refusal().into())
        }
        Some(_) | None => Ok(()),
    }
}

/// Authenticates the client of a request, with the key of its DPoP proof.
pub async fn authenticate_client_with_dpop(
    engine: &Engine,
    auth_request: &ClientAuthRequest,
    cause: &EventCause,
) -> Result<AuthenticatedClient, Error> {
    let dpop_proof = verify_client_proof(engine, auth_request)?;
    let client = client_authentication::authenticate_client(engine, auth_request, cause).await?;
    let client = bind_client(client, dpop_proof.as_ref())?;
    consume_proof(engine, client.id(), dpop_proof.as_ref()).await?;
    Ok(client)
}

/// Verifies the DPoP proof sent with an access token that is bound to a key.
pub(crate) async fn verify_token_proof(
    engine: &Engine,
    header: &DpopHeader,
    token: &str,
    client: &ClientId,
    bound: JwkThumbprint,
) -> Result<(), Error> {
    let dpop_proof = verify_proof(engine, header, Some(token)).map_err(|error| error.into_token_refusal())?;
    if dpop_proof.key != bound {
        let reason = "the token is bound to another key";
        return Err(Refusal::because(AccessRefusal::CredentialInvalid, reason).into());
    }
    if try_consume_proof(engine, client, &dpop_proof).await? {
        return Ok(());
    }
    Err(DpopProofError::Invalid(REPLAYED_PROOF.to_owned()).into_token_refusal().into())
}

/// Issues a nonce for the next proof, if required. It is valid on every node: a timestamp with a MAC.
pub fn issue_nonce(engine: &Engine) -> Option<String> {
    match engine.settings().dpop_nonces {
        DpopNoncePolicy::Never => None,
        DpopNoncePolicy::Always => {
            let issued_at = engine.now().seconds().to_be_bytes();
            let stamp = engine.instance_keys().compute_mac(MacPurpose::DpopNonce, &[&issued_at]);
            Some(URL_SAFE_NO_PAD.encode([&issued_at[..], &stamp].concat()))
        }
    }
}

fn is_nonce_valid(engine: &Engine, nonce: &str, now: Timestamp) -> bool {
    let Ok(bytes) = URL_SAFE_NO_PAD.decode(nonce) else { return false };
    let Some((issued_at, stamp)) = bytes.split_first_chunk::<8>() else { return false };
    let Ok(stamp) = <&[u8; MAC_BYTES]>::try_from(stamp) else { return false };
    if !engine.instance_keys().verify_mac(MacPurpose::DpopNonce, &[issued_at], stamp) {
        return false;
    }
    let at = Timestamp::from_seconds(i64::from_be_bytes(*issued_at));
    at <= now.plus(CLOCK_OFFSET_MAX).plus(CLOCK_OFFSET_MAX) && now <= at.plus(DPOP_NONCE_LIFETIME)
}
