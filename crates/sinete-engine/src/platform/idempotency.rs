//! Requests that may be sent again: under one key a thing is made once, and the answer is given once more.
//!
//! The key is claimed in the act that makes the thing. So there is never a claim without the thing nor a
//! thing made twice, whatever breaks in between and however many ask at once. The answer is kept right after,
//! sealed; where it is not there, because it showed a secret or because we were interrupted, whoever repeats
//! the request is told the id of what was made (docs/contribute/decisions/0024-idempotency-keys-claimed-with-the-resource.md).

use crate::access_control::caller::AuthenticatedCaller;
use crate::{Engine, Failure};
use sinete_core::limits::{IDEMPOTENCY_KEY_CHARACTERS_MAX, IDEMPOTENCY_LIFETIME};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::Digest;
use sinete_core::time::Timestamp;
use sinete_crypto::platform::encryption::{EncryptionContext, EncryptionPurpose};
use sinete_store::platform::idempotency;
use sinete_store::platform::idempotency::{
    CallerIdempotencyKey, IdempotencyKey, RequestContent, StoredIdempotentReply,
};
use sinete_store::{GuardedStatement, WriteBatch};
use std::fmt;

/// A key under which a caller asks for something to be made.
#[derive(Clone)]
pub struct IdempotencyClaim {
    caller: String,
    key: Digest<IdempotencyKey>,
    request: Digest<RequestContent>,
}

/// What an earlier request under the same key came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdempotentReplay {
    /// This answer, to be given again.
    Answered {
        /// Its status.
        status: u16,
        /// What was kept of it.
        kept: Vec<u8>,
    },
    /// Something was made, and what was said about it is not said again.
    Made {
        /// The id of what was made.
        id: String,
    },
}

impl IdempotencyClaim {
    /// The claim of this caller on a key. `request` is everything that makes the request what it is.
    pub fn new(caller: &AuthenticatedCaller, key: &str, request: &[&[u8]]) -> Result<Self, Refusal> {
        let fits = (1..=IDEMPOTENCY_KEY_CHARACTERS_MAX).contains(&key.len());
        if !fits || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            let public = "an idempotency key is 1 to 255 visible ASCII characters";
            return Err(Refusal::new(RefusalCode::InvalidRequest, public, "a malformed idempotency key"));
        }
        let actor = &caller.cause.actor;
        Ok(Self {
            caller: format!("{} {}", actor.kind(), actor.id().unwrap_or_default()),
            key: Digest::from_parts(&[key.as_bytes()]),
            request: Digest::from_parts(request),
        })
    }

    /// The step that claims the key for what an act makes.
    pub(crate) fn claim_step(&self, made: &str, now: Timestamp) -> GuardedStatement {
        idempotency::claim_idempotency_key(
            self.key(),
            &self.request,
            made,
            now,
            now.plus(IDEMPOTENCY_LIFETIME),
        )
    }

    fn key(&self) -> CallerIdempotencyKey<'_> {
        CallerIdempotencyKey { caller: &self.caller, digest: &self.key }
    }

    /// What a kept answer is sealed for.
    fn associated_data(&self) -> Vec<u8> {
        [self.caller.as_bytes(), self.key.as_bytes()].concat()
    }
}

impl fmt::Debug for IdempotencyClaim {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Claim of {}", self.caller)
    }
}

/// What became of an earlier request under this key, if there was one. One that asked for something else is
/// a reason to refuse.
pub async fn find_earlier_reply(
    engine: &Engine,
    claim: &IdempotencyClaim,
) -> Result<Result<Option<IdempotentReplay>, Refusal>, Failure> {
    let Some(found) = idempotency::find_idempotency_claim(engine.store(), claim.key(), engine.now()).await?
    else {
        return Ok(Ok(None));
    };
    if found.request != claim.request {
        let public = "this idempotency key was used for another request";
        return Ok(Err(Refusal::new(RefusalCode::Unprocessable, public, "another request, the same key")));
    }
    let record = claim.associated_data();
    let place = EncryptionContext::new(EncryptionPurpose::RepeatedReply, &record);
    // An answer sealed with a key that is gone is an answer that is not there any more.
    let kept = found.reply.and_then(|reply| {
        let opened = engine.instance_keys().decrypt(&place, &reply.sealed).ok()?;
        Some(IdempotentReplay::Answered { status: reply.status, kept: opened.to_vec() })
    });
    Ok(Ok(Some(kept.unwrap_or(IdempotentReplay::Made { id: found.made }))))
}

/// Keeps the answer to the request that holds this claim. It must not show a secret.
pub async fn store_reply(
    engine: &Engine,
    claim: &IdempotencyClaim,
    status: u16,
    kept: &[u8],
) -> Result<(), Failure> {
    let record = claim.associated_data();
    let place = EncryptionContext::new(EncryptionPurpose::RepeatedReply, &record);
    let sealed = engine.instance_keys().encrypt(&place, kept, engine.entropy())?;
    let step = idempotency::store_idempotent_reply(
        claim.key(),
        &claim.request,
        &StoredIdempotentReply { status, sealed },
    );
    // Whoever finds it kept already has kept the same.
    let _ = engine.store().commit(WriteBatch::new().with_statement(step)).await?;
    Ok(())
}
