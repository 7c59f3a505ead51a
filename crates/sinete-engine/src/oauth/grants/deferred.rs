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
    asking: &TokenRequestContext<'_>,
    digest: DeferredGrantDigest,
    proven: Option<&VerifiedDpopProof>,
) -> Result<IssuedTokens, Error> {
    // The loser of a race finds the request used when it is read again, and is refused.
    for _ in 0..ATTEMPTS_MAX {
        let Some(found) = deferred_grants::find_deferred_grant(engine.store(), digest).await? else {
            return Err(invalid_grant("there is no such code").into());
        };
        match check_deferred_grant(engine, asking, &found) {
            DeferredVerdict::Allowed(grant) => {
                let redemption = redeem_grant(engine, asking, grant).await?;
                let event = deferred_event(engine, asking, digest.kind().events().redeemed, Some(grant))
                    .with_detail("membership", redemption.membership.to_string());
                let client = asking.client.id();
                let batch = WriteBatch::new()
                    .with_statements(asking.record_client_use())
                    .with_statement(deferred_grants::redeem_deferred_grant(digest, client, asking.now))
                    .with_statements(redemption.refresh_token_step);
                if commit_with_proof(engine, asking, batch.with_event(&event), proven).await? {
                    return Ok(redemption.issued);
                }
            }
            DeferredVerdict::Refused(refusal) => return Err(refusal.into()),
            DeferredVerdict::Pending(refusal, interval) => {
                let poll = deferred_grants::record_poll(&found, interval, asking.now);
                let batch = WriteBatch::new().with_statement(poll);
                if commit_with_proof(engine, asking, batch, proven).await? {
                    return Err(refusal.into());
                }
            }
            DeferredVerdict::SlowDown(refusal, interval) => {
                let poll = deferred_grants::record_poll(&found, interval, asking.now);
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
    asking: &TokenRequestContext<'_>,
    found: &DeferredGrantRow,
) -> DeferredVerdict {
    let (answered, grant) = match found.state {
        DeferredGrantState::Waiting => (DeferredGrantStatus::NotYet, None),
        DeferredGrantState::Approved(grant) => (DeferredGrantStatus::Allowed, Some(grant)),
        DeferredGrantState::Denied => (DeferredGrantStatus::Denied, None),
        DeferredGrantState::Spent(grant) => (DeferredGrantStatus::Spent, Some(grant)),
    };
    let interval = Lifetime::from_micros(u32::try_from(found.poll_interval).unwrap_or(u32::MAX));
    let facts = DeferredGrantFacts {
        client: &found.client,
        answered,
        expires_at: found.expires_at,
        polled_at: found.polled_at,
        interval,
    };
    let refused = match (verify_deferred_grant(&facts, asking.client.id(), asking.now), grant) {
        (Ok(()), Some(grant)) => return DeferredVerdict::Allowed(grant),
        (Ok(()), None) => {
            return DeferredVerdict::Refused(invalid_grant("the approved request has no grant"));
        }
        (Err(refused), _) => refused,
    };
    let kind = found.digest.kind();
    let event = |kind| RefusalConsequence::Record(Box::new(deferred_event(engine, asking, kind, grant)));
    let refusal = kind.refusal(refused);
    match refused {
        // As with codes: only a replay by its own client shows a leak.
        DeferredGrantRejection::Replayed => {
            let ended = grant
                .into_iter()
                .fold(refusal, |refusal, id| refusal.with_consequence(RefusalConsequence::RevokeGrant(id)));
            DeferredVerdict::Refused(ended.with_consequence(event(kind.events().replayed)))
        }
        DeferredGrantRejection::AnothersCode => {
            DeferredVerdict::Refused(refusal.with_consequence(event(kind.events().misdirected)))
        }
        DeferredGrantRejection::Denied | DeferredGrantRejection::Expired => DeferredVerdict::Refused(refusal),
        DeferredGrantRejection::Pending => DeferredVerdict::Pending(refusal, interval),
        // The interval is already at its maximum, so nothing needs to be recorded.
        DeferredGrantRejection::TooSoon { wait } if wait == interval => DeferredVerdict::Refused(refusal),
        DeferredGrantRejection::TooSoon { wait } => DeferredVerdict::SlowDown(refusal, wait),
    }
}

/// Commits the batch together with using up the DPoP proof: if the batch fails, the proof stays unused, so
/// that no more proofs are stored than polls in time
/// (docs/contribute/decisions/0206-dpop-only-accepted-polls-use-up-proofs.md). Returns whether it was
/// committed: not if another request was faster.
async fn commit_with_proof(
    engine: &Engine,
    asking: &TokenRequestContext<'_>,
    act: WriteBatch,
    proven: Option<&VerifiedDpopProof>,
) -> Result<bool, Error> {
    let act = act.with_statements(proven.map(|proven| proven.spend_step(asking.client.id())));
    match engine.store().commit(act).await? {
        BatchOutcome::Committed(_) => Ok(true),
        BatchOutcome::Conflict(conflict) => {
            replayed_proof(&conflict).map_or(Ok(false), |refusal| Err(refusal.into()))
        }
    }
}

/// A redemption: the response, further statements, and the subject.
struct DeferredRedemption {
    issued: IssuedTokens,
    refresh_token_step: Option<GuardedStatement>,
    membership: MembershipId,
}

/// Redeems the grant, if everything it depends on is active.
async fn redeem_grant(
    engine: &Engine,
    asking: &TokenRequestContext<'_>,
    grant: GrantId,
) -> Result<DeferredRedemption, Error> {
    let Some(granted) = grants::find_grant(engine.store(), grant).await? else {
        return Err(invalid_grant("the grant is gone").into());
    };
    let agreed: GrantedScopes = granted.scopes.parse()?;
    let Some((audience, _)) = agreed.iter().next() else {
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
    let lasts = client_trust(&asking.client.cached.client) != ClientTrust::Nobody;
    let (client, membership) = (asking.client.id(), granted.membership);
    let standing =
        subject_state::load_subject_with_grant(engine.store(), membership, client, grant, asking.now).await?;
    let basis = GrantSnapshot::from_lookup(standing)?;
    let (issued, begun) = prepare_tokens(engine, asking, basis, request, lasts).await?;
    let begun = begun.map(|family| refresh_tokens::start_refresh_family(&family, client, asking.now));
    Ok(DeferredRedemption { issued, refresh_token_step: begun, membership })
}

/// Creates an event about the request.
fn deferred_event(
    engine: &Engine,
    asking: &TokenRequestContext<'_>,
    kind: EventKind,
    grant: Option<GrantId>,
) -> SecurityEvent {
    let event = engine.event(kind, &asking.cause, asking.now).with_client(asking.client.id().clone());
    grant.into_iter().fold(event, |event, grant| event.with_subject("grant", grant))
}
