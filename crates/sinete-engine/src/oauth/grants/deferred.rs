//! Deferred grants (device authorization and CIBA): checked at every poll, and redeemed once. If the client
//! presents one again, the grant is revoked, as with codes.

use super::active_grant::GrantSnapshot;
use super::authorization_code::prepare_tokens;
use crate::oauth::authorize::client_trust;
use crate::oauth::dpop::{VerifiedDpopProof, replayed_proof};
use crate::oauth::token::TokenRequestContext;
use crate::oauth::token_issuance::IssuedTokens;
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use sinete_core::events::security_event::{EventKind, SecurityEvent};
use sinete_core::id::{GrantId, MembershipId};
use sinete_core::oauth::authorize::consent::ClientTrust;
use sinete_core::oauth::authorize::stored_grant_params::{GrantedScopes, StoredGrantParams};
use sinete_core::oauth::claims::IndividualClaims;
use sinete_core::oauth::grants::deferred::{
    DeferredGrantDigest, DeferredGrantFacts, DeferredGrantRejection, DeferredGrantStatus,
    verify_deferred_grant,
};
use sinete_core::oauth::grants::invalid_grant;
use sinete_core::refusal::{Refusal, RefusalConsequence};
use sinete_core::time::Lifetime;
use sinete_store::oauth::deferred_grants::{DeferredGrantRow, DeferredGrantState};
use sinete_store::oauth::{deferred_grants, grants, refresh_tokens, subject_state};
use sinete_store::{BatchOutcome, GuardedStatement, WriteBatch};

/// Redeems the request that the client polls for, if the user approved it.
pub(in crate::oauth) async fn redeem_deferred_grant(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    digest: DeferredGrantDigest,
    dpop_proof: Option<&VerifiedDpopProof>,
) -> Result<IssuedTokens, Error> {
    // The loser of a race finds the request used when it is read again, and is refused.
    for _ in 0..ATTEMPTS_MAX {
        let Some(deferred_grant) = deferred_grants::find_deferred_grant(engine.store(), digest).await? else {
            return Err(invalid_grant("there is no such code").into());
        };
        match check_deferred_grant(engine, context, &deferred_grant) {
            DeferredVerdict::Allowed(grant) => {
                let redemption = redeem_grant(engine, context, grant).await?;
                let event = deferred_event(engine, context, digest.kind().events().redeemed, Some(grant))
                    .with_detail("membership", redemption.membership.to_string());
                let client = context.client.id();
                let batch = WriteBatch::new()
                    .with_statements(context.record_client_use())
                    .with_statement(deferred_grants::redeem_deferred_grant(digest, client, context.now))
                    .with_statements(redemption.refresh_token_statement);
                if commit_with_proof(engine, context, batch.with_event(&event), dpop_proof).await? {
                    return Ok(redemption.issued);
                }
            }
            DeferredVerdict::Refused(refusal) => return Err(refusal.into()),
            DeferredVerdict::Pending(refusal, interval) => {
                let poll = deferred_grants::record_poll(&deferred_grant, interval, context.now);
                let batch = WriteBatch::new().with_statement(poll);
                if commit_with_proof(engine, context, batch, dpop_proof).await? {
                    return Err(refusal.into());
                }
            }
            DeferredVerdict::SlowDown(refusal, interval) => {
                let poll = deferred_grants::record_poll(&deferred_grant, interval, context.now);
                if engine.store().commit(WriteBatch::new().with_statement(poll)).await?.is_committed() {
                    return Err(refusal.into());
                }
            }
        }
    }
    Err(Failure::Contended.into())
}

/// The result of a poll.
enum DeferredVerdict {
    /// The grant to redeem.
    Allowed(GrantId),
    /// A final refusal with its consequences.
    Refused(Refusal),
    /// Pending: the poll is recorded, with the next interval.
    Pending(Refusal, Lifetime),
    /// Too soon: the longer interval is recorded, and nothing else.
    SlowDown(Refusal, Lifetime),
}

/// Returns the grant, if the user approved it and it was not redeemed.
fn check_deferred_grant(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    deferred_grant: &DeferredGrantRow,
) -> DeferredVerdict {
    let (status, grant) = match deferred_grant.state {
        DeferredGrantState::Pending => (DeferredGrantStatus::Pending, None),
        DeferredGrantState::Approved(grant) => (DeferredGrantStatus::Approved, Some(grant)),
        DeferredGrantState::Denied => (DeferredGrantStatus::Denied, None),
        DeferredGrantState::Redeemed(grant) => (DeferredGrantStatus::Redeemed, Some(grant)),
    };
    let interval = Lifetime::from_micros(u32::try_from(deferred_grant.poll_interval).unwrap_or(u32::MAX));
    let facts = DeferredGrantFacts {
        client: &deferred_grant.client,
        status,
        expires_at: deferred_grant.expires_at,
        polled_at: deferred_grant.polled_at,
        interval,
    };
    let refused = match (verify_deferred_grant(&facts, context.client.id(), context.now), grant) {
        (Ok(()), Some(grant)) => return DeferredVerdict::Allowed(grant),
        (Ok(()), None) => {
            return DeferredVerdict::Refused(invalid_grant("the approved request has no grant"));
        }
        (Err(refused), _) => refused,
    };
    let kind = deferred_grant.digest.kind();
    let event = |kind| RefusalConsequence::Record(Box::new(deferred_event(engine, context, kind, grant)));
    let refusal = kind.to_refusal(refused);
    match refused {
        // As with codes: only a replay by its own client shows a leak.
        DeferredGrantRejection::Replayed => {
            let ended = grant
                .into_iter()
                .fold(refusal, |refusal, id| refusal.with_consequence(RefusalConsequence::RevokeGrant(id)));
            DeferredVerdict::Refused(ended.with_consequence(event(kind.events().replayed)))
        }
        DeferredGrantRejection::OtherClient => {
            DeferredVerdict::Refused(refusal.with_consequence(event(kind.events().misdirected)))
        }
        DeferredGrantRejection::Denied | DeferredGrantRejection::Expired => DeferredVerdict::Refused(refusal),
        DeferredGrantRejection::Pending => DeferredVerdict::Pending(refusal, interval),
        // The interval is already at its maximum, so nothing needs to be recorded.
        DeferredGrantRejection::SlowDown { wait } if wait == interval => DeferredVerdict::Refused(refusal),
        DeferredGrantRejection::SlowDown { wait } => DeferredVerdict::SlowDown(refusal, wait),
    }
}

/// Commits the batch together with using up the DPoP proof: if the batch fails, the proof stays unused, so
/// that no more proofs are stored than polls in time
/// (docs/contribute/decisions/0206-dpop-only-accepted-polls-use-up-proofs.md). Returns whether it was
/// committed: not if another request was faster.
async fn commit_with_proof(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    batch: WriteBatch,
    dpop_proof: Option<&VerifiedDpopProof>,
) -> Result<bool, Error> {
    let batch =
        batch.with_statements(dpop_proof.map(|dpop_proof| dpop_proof.replay_guard(context.client.id())));
    match engine.store().commit(batch).await? {
        BatchOutcome::Committed(_) => Ok(true),
        BatchOutcome::Conflict(conflict) => {
            replayed_proof(&conflict).map_or(Ok(false), |refusal| Err(refusal.into()))
        }
    }
}

/// A redemption: the response, further statements, and the subject.
struct DeferredRedemption {
    issued: IssuedTokens,
    refresh_token_statement: Option<GuardedStatement>,
    membership: MembershipId,
}

/// Redeems the grant, if everything it depends on is active.
async fn redeem_grant(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    grant: GrantId,
) -> Result<DeferredRedemption, Error> {
    let Some(granted) = grants::find_grant(engine.store(), grant).await? else {
        return Err(invalid_grant("the grant is gone").into());
    };
    let granted_scopes: GrantedScopes = granted.scopes.parse()?;
    let Some((audience, _)) = granted_scopes.iter().next() else {
        return Err(invalid_grant("no scope was granted").into());
    };
    let request = StoredGrantParams {
        audience: audience.clone(),
        nonce: None,
        max_age_given: false,
        claims: Default::default(),
        agreed_claims: IndividualClaims::default(),
        key: None,
    };
    // An untrusted client gets no lasting access and must ask the user again.
    let has_lasting_access = client_trust(&context.client.client.client) != ClientTrust::SelfRegistered;
    let (client, membership) = (context.client.id(), granted.membership);
    let subject_with_grant =
        subject_state::load_subject_with_grant(engine.store(), membership, client, grant, context.now)
            .await?;
    let snapshot = GrantSnapshot::from_lookup(subject_with_grant)?;
    let (issued, refresh_family) =
        prepare_tokens(engine, context, snapshot, request, has_lasting_access).await?;
    let statement =
        refresh_family.map(|family| refresh_tokens::start_refresh_family(&family, client, context.now));
    Ok(DeferredRedemption { issued, refresh_token_statement: statement, membership })
}

/// Creates an event about the request.
fn deferred_event(
    engine: &Engine,
    context: &TokenRequestContext<'_>,
    kind: EventKind,
    grant: Option<GrantId>,
) -> SecurityEvent {
    let event = engine.event(kind, &context.cause, context.now).with_client(context.client.id().clone());
    grant.into_iter().fold(event, |event, grant| event.with_subject("grant", grant))
}
