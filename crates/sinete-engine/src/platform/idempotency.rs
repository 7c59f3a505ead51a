//! Idempotent requests: under one idempotency key a resource is created once, and the response is repeated.
//!
//! The key is claimed in the transaction that creates the resource, so there is never a claim without the
//! resource or a resource created twice, regardless of failures and concurrency. The response is stored
//! encrypted afterwards. If it is missing, because it contained a secret or because of an interruption, a
//! repeated request receives the id of the created resource
//! (docs/contribute/decisions/0024-idempotency-keys-claimed-with-the-resource.md).

use crate::{Engine, Error, Failure};
use sinete_core::events::security_event::SecurityEventActor;
use sinete_core::limits::{IDEMPOTENCY_KEY_CHARACTERS_MAX, IDEMPOTENCY_LIFETIME};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::secret::Digest;
use sinete_core::time::Timestamp;
use sinete_crypto::platform::encryption::{EncryptionContext, EncryptionPurpose};
use sinete_store::platform::idempotency;
use sinete_store::platform::idempotency::{
    CallerIdempotencyKey, IdempotencyKey, RequestContent, StoredIdempotentReply,
};
use sinete_store::{GuardedStatement, WriteBatch};
use std::fmt;

/// A caller's claim on an idempotency key.
#[derive(Clone)]
pub struct IdempotencyClaim {
    caller: String,
    key: Digest<IdempotencyKey>,
    request: Digest<RequestContent>,
}

/// The result of an earlier request with the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdempotentReplay {
    /// Its response, to be repeated.
    StoredResponse {
        /// The status.
        status: u16,
        /// The stored response.
        response: Vec<u8>,
    },
    /// A resource was created, but its response is not available.
    CreatedResource {
        /// The id of the created resource.
        id: String,
    },
}

impl IdempotencyClaim {
    /// Creates the claim of this actor. `request` contains everything that identifies the request.
    pub fn new(actor: &SecurityEventActor, key: &str, request: &[&[u8]]) -> Result<Self, Refusal> {
        let fits = (1..=IDEMPOTENCY_KEY_CHARACTERS_MAX).contains(&key.len());
        if !fits || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Refusal::because(
                RequestRefusal::IdempotencyKeyInvalid,
                "a malformed idempotency key",
            ));
        }
        Ok(Self {
            caller: format!("{} {}", actor.kind(), actor.id().unwrap_or_default()),
            key: Digest::from_parts(&[key.as_bytes()]),
            request: Digest::from_parts(request),
        })
    }

    /// The statement that claims the key for the created resource.
    pub(crate) fn claim_statement(&self, created_id: &str, now: Timestamp) -> GuardedStatement {
        idempotency::claim_idempotency_key(
            self.key(),
            &self.request,
            created_id,
            now,
            now.plus(IDEMPOTENCY_LIFETIME),
        )
    }

    fn key(&self) -> CallerIdempotencyKey<'_> {
        CallerIdempotencyKey { caller: &self.caller, digest: &self.key }
    }

    /// The encryption context of the stored response.
    fn associated_data(&self) -> Vec<u8> {
        [self.caller.as_bytes(), self.key.as_bytes()].concat()
    }
}

impl fmt::Debug for IdempotencyClaim {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Claim of {}", self.caller)
    }
}

/// Finds the result of an earlier request with this key. A different request with the same key is refused.
pub async fn find_earlier_reply(
    engine: &Engine,
    claim: &IdempotencyClaim,
) -> Result<Option<IdempotentReplay>, Error> {
    let Some(key) = idempotency::find_idempotency_claim(engine.store(), claim.key(), engine.now()).await?
    else {
        return Ok(None);
    };
    if key.request != claim.request {
        return Err(
            Refusal::because(RequestRefusal::IdempotencyKeyReused, "another request, the same key").into()
        );
    }
    let record = claim.associated_data();
    let context = EncryptionContext::new(EncryptionPurpose::IdempotentResponse, &record);
    // A response encrypted with a removed key counts as missing.
    let idempotent_replay = key.reply.and_then(|reply| {
        let opened = engine.instance_keys().decrypt(&context, &reply.ciphertext).ok()?;
        Some(IdempotentReplay::StoredResponse { status: reply.status, response: opened.to_vec() })
    });
    Ok(Some(idempotent_replay.unwrap_or(IdempotentReplay::CreatedResource { id: key.created_id })))
}

/// Stores the response of the request with this claim. It must not contain a secret.
pub async fn store_reply(
    engine: &Engine,
    claim: &IdempotencyClaim,
    status: u16,
    reply: &[u8],
) -> Result<(), Failure> {
    let record = claim.associated_data();
    let context = EncryptionContext::new(EncryptionPurpose::IdempotentResponse, &record);
    let encrypted_reply = engine.instance_keys().encrypt(&context, reply, engine.entropy())?;
    let step = idempotency::store_idempotent_reply(
        claim.key(),
        &claim.request,
        &StoredIdempotentReply { status, ciphertext: encrypted_reply },
    );
    // A conflict means that the same response is already stored.
    let _ = engine.store().commit(WriteBatch::new().with_statement(step)).await?;
    Ok(())
}
