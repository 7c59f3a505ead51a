//! Proofs that whoever asks holds a key (RFC 9449): read, held against the request they came with, and counted once on
//! whichever node they arrive. Tokens are bound to the key, and are worth nothing without such a proof.

use crate::client_authentication::{self, AuthenticatedClient, ClientAuthRequest};
use crate::{Engine, EventCause, Failure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sinete_core::client::ClientId;
use sinete_core::limits::{CLOCK_OFFSET_MAX, KEY_PROOF_NONCE_LIFETIME};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::Digest;
use sinete_core::signing::SigningAlgorithm;
use sinete_core::time::Timestamp;
use sinete_core::token::confirmation::{ConfirmationClaim, JwkThumbprint};
use sinete_core::token::key_proof::{
    DpopNonceStatus, DpopProofRejection, DpopRequestContext, DpopTargetUri, judge,
};
use sinete_crypto::key_proof::DpopProof;
use sinete_crypto::stamp::{MacPurpose, STAMP_BYTES};
use sinete_store::assertion_replays::{self, AssertionJti};
use sinete_store::{GuardConflict, GuardedStatement, WriteBatch};

/// Whether proofs must repeat a nonce of ours, so that none is made long before it is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DpopNoncePolicy {
    /// They need not.
    #[default]
    Never,
    /// They must, every one.
    Always,
}

/// A proof as a request showed it, with the request that it must be for.
#[derive(Clone, Debug)]
pub struct DpopHeader {
    /// The text; none where the request brought several, of which nobody knows which counts.
    pub text: Option<String>,
    /// The method of the request.
    pub method: String,
    /// Its path, below the address that we are known by.
    pub path: String,
}

/// A proof that counts, if it was not seen before.
#[derive(Debug)]
pub(crate) struct VerifiedDpopProof {
    /// The key that is held.
    pub(crate) key: JwkThumbprint,
    algorithm: SigningAlgorithm,
    seen_as: Digest<AssertionJti>,
    forgotten_at: Timestamp,
}

/// Why a proof does not count.
#[derive(Debug)]
pub(crate) enum DpopProofError {
    /// It must repeat a nonce.
    Nonce,
    /// It is wrong; how is for our log.
    Wrong(String),
}

impl DpopProofError {
    /// As the token endpoint says it, and whoever else is asked by clients (RFC 9449 §5, §8).
    fn of_client(self) -> Refusal {
        match self {
            Self::Nonce => {
                let public = "the proof must repeat the nonce that comes with this answer";
                Refusal::new(RefusalCode::UseDpopNonce, public, "no nonce of ours that counts now")
            }
            Self::Wrong(reason) => Refusal::new(RefusalCode::InvalidDpopProof, UNPROVEN, reason),
        }
    }

    /// As it is said where a token was shown beside it (RFC 9449 §7.1, §9).
    pub(crate) fn of_token(self) -> Refusal {
        match self {
            Self::Nonce => {
                let public = "the proof must repeat the nonce that comes with this answer";
                Refusal::new(RefusalCode::KeyProofNonceNeeded, public, "no nonce of ours that counts now")
            }
            Self::Wrong(reason) => Refusal::new(RefusalCode::InvalidKeyProof, UNPROVEN, reason),
        }
    }
}

const UNPROVEN: &str = "the DPoP proof does not count for this request";
const SEEN_BEFORE: &str = "the proof was used before";

/// The proof, if it counts for its request, beside this token where one is shown.
pub(crate) fn verify(
    engine: &Engine,
    shown: &DpopHeader,
    token: Option<&str>,
) -> Result<VerifiedDpopProof, DpopProofError> {
    let wrong = |reason: &str| DpopProofError::Wrong(reason.to_owned());
    let text = shown.text.as_deref().ok_or_else(|| wrong("the request brings several proofs, or no text"))?;
    let proof = DpopProof::read(text).map_err(|why| DpopProofError::Wrong(why.to_string()))?;
    let (said, now, settings) = (proof.said(), engine.now(), engine.settings());
    let nonce = match settings.nonces {
        DpopNoncePolicy::Never => DpopNonceStatus::NotDemanded,
        DpopNoncePolicy::Always if said.nonce.is_some_and(|nonce| is_ours(engine, nonce, now)) => {
            DpopNonceStatus::Ours
        }
        DpopNoncePolicy::Always => DpopNonceStatus::Missing,
    };
    // Whoever asks where certificates are shown names what they asked by that address.
    let known_by = [Some(&settings.issuer), settings.certificates.as_ref().map(|it| &it.address)];
    let addresses = known_by.into_iter().flatten().map(|base| format!("{base}{}", shown.path).parse());
    let addresses: Vec<DpopTargetUri> = addresses.filter_map(Result::ok).collect();
    let asked = DpopRequestContext { method: &shown.method, addresses: &addresses, token, nonce, now };
    let forgotten_at = judge(&said, &asked).map_err(|why| match why {
        DpopProofRejection::NonceNeeded => DpopProofError::Nonce,
        why => DpopProofError::Wrong(why.to_string()),
    })?;
    let key = proof.key.to_string();
    let parts = ["a proof of a key", &key, said.address, said.id].map(str::as_bytes);
    let seen_as = Digest::of_parts(&parts);
    Ok(VerifiedDpopProof { key: proof.key, algorithm: proof.algorithm, seen_as, forgotten_at })
}

impl VerifiedDpopProof {
    /// Spends the proof together with what else happens, if it is seen for the first time, on any node.
    pub(crate) fn first_use(&self, client: &ClientId) -> GuardedStatement {
        assertion_replays::first_seen(client, &self.seen_as, self.forgotten_at)
    }
}

/// What a client is told whose act came to nothing because its proof was spent before; nothing, where that was not why.
pub(crate) fn used_before(conflict: &GuardConflict) -> Option<Refusal> {
    assertion_replays::is_replay(conflict).then(|| DpopProofError::Wrong(SEEN_BEFORE.to_owned()).of_client())
}

/// Whether the proof is seen for the first time, on any node. It is spent by that.
pub(crate) async fn is_first(
    engine: &Engine,
    client: &ClientId,
    proven: &VerifiedDpopProof,
) -> Result<bool, Failure> {
    Ok(engine.store().commit(WriteBatch::new().with(proven.first_use(client))).await?.is_ok())
}

/// The proof that a client's request brings, if it brings one. Nothing is spent yet: whoever is told to come back with a
/// nonce comes back with everything else as it was.
pub(crate) fn of_client(
    engine: &Engine,
    presented: &ClientAuthRequest,
) -> Result<Option<VerifiedDpopProof>, Refusal> {
    let shown = presented.key.as_ref();
    shown.map(|shown| verify(engine, shown, None)).transpose().map_err(DpopProofError::of_client)
}

/// The client with the key that it proved to hold, if it proved one, to which whatever it is given is then bound. The proof
/// is not spent by this.
pub(crate) fn bound(
    client: AuthenticatedClient,
    proven: Option<&VerifiedDpopProof>,
) -> Result<AuthenticatedClient, Refusal> {
    let Some(proven) = proven else { return Ok(client) };
    if !client.known.metadata.security_profile.allows(proven.algorithm) {
        let reason = "the proof is signed with what the client's profile does not allow";
        return Err(DpopProofError::Wrong(reason.to_owned()).of_client());
    }
    let key = ConfirmationClaim::of_key(proven.key);
    Ok(AuthenticatedClient {
        confirmation: Some(key.clone().and(client.confirmation.as_ref())),
        shown: Some(key.and(client.shown.as_ref())),
        ..client
    })
}

/// Spends the proof that a client's request brought, if it brought one and it is seen for the first time.
pub(crate) async fn spend(
    engine: &Engine,
    client: &ClientId,
    proven: Option<&VerifiedDpopProof>,
) -> Result<Result<(), Refusal>, Failure> {
    Ok(match proven {
        Some(proven) if !is_first(engine, client, proven).await? => {
            Err(DpopProofError::Wrong(SEEN_BEFORE.to_owned()).of_client())
        }
        Some(_) | None => Ok(()),
    })
}

/// The client behind a request, with the key that it proved to hold beside who it is.
pub async fn authenticate(
    engine: &Engine,
    presented: &ClientAuthRequest,
    cause: &EventCause,
) -> Result<Result<AuthenticatedClient, Refusal>, Failure> {
    let proven = match of_client(engine, presented) {
        Ok(proven) => proven,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let client = client_authentication::authenticate(engine, presented, cause).await?;
    let client = match client.and_then(|client| bound(client, proven.as_ref())) {
        Ok(client) => client,
        Err(refusal) => return Ok(Err(refusal)),
    };
    Ok(spend(engine, client.id(), proven.as_ref()).await?.map(|()| client))
}

/// Whether somebody who shows this token beside a proof holds the key that it is bound to.
pub(crate) async fn must_be_held(
    engine: &Engine,
    shown: &DpopHeader,
    token: &str,
    (client, bound): (&ClientId, JwkThumbprint),
) -> Result<Result<(), Refusal>, Failure> {
    let proven = match verify(engine, shown, Some(token)) {
        Ok(proven) => proven,
        Err(why) => return Ok(Err(why.of_token())),
    };
    if proven.key != bound {
        let public = "the credential is unknown, revoked or expired";
        let reason = "the token is bound to another key";
        return Ok(Err(Refusal::new(RefusalCode::InvalidToken, public, reason)));
    }
    if is_first(engine, client, &proven).await? {
        return Ok(Ok(()));
    }
    Ok(Err(DpopProofError::Wrong(SEEN_BEFORE.to_owned()).of_token()))
}

/// A nonce for the next proof, where they must repeat one. Every node knows it: it is when it was made, and our stamp.
pub fn fresh_nonce(engine: &Engine) -> Option<String> {
    match engine.settings().nonces {
        DpopNoncePolicy::Never => None,
        DpopNoncePolicy::Always => {
            let made = engine.now().seconds().to_be_bytes();
            let stamp = engine.instance_keys().stamp(MacPurpose::KeyProofNonce, &[&made]);
            Some(URL_SAFE_NO_PAD.encode([&made[..], &stamp].concat()))
        }
    }
}

fn is_ours(engine: &Engine, nonce: &str, now: Timestamp) -> bool {
    let Ok(bytes) = URL_SAFE_NO_PAD.decode(nonce) else { return false };
    let Some((made, stamp)) = bytes.split_first_chunk::<8>() else { return false };
    let Ok(stamp) = <&[u8; STAMP_BYTES]>::try_from(stamp) else { return false };
    if !engine.instance_keys().recognises(MacPurpose::KeyProofNonce, &[made], stamp) {
        return false;
    }
    let at = Timestamp::from_seconds(i64::from_be_bytes(*made));
    at <= now.plus(CLOCK_OFFSET_MAX).plus(CLOCK_OFFSET_MAX) && now <= at.plus(KEY_PROOF_NONCE_LIFETIME)
}
