//! The CIBA grant: a client polls for the user's decision and receives the tokens once (OpenID CIBA §10.1).

use super::deferred::{
    DeferredGrantTexts, DeferredRequest, DeferredVerdict, check_deferred_request, commit_with_proof,
    deferred_event, redeem_grant,
};
use crate::oauth::dpop::VerifiedDpopProof;
use crate::oauth::token::TokenRequestContext;
use crate::oauth::token_issuance::IssuedTokens;
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use sinete_core::events::security_event::EventKind;
use sinete_core::oauth::grants::{ciba, invalid_grant};
use sinete_core::secret::{BackchannelRequest, Secret};
use sinete_store::WriteBatch;
use sinete_store::oauth::ciba_requests;

const TEXTS: DeferredGrantTexts = DeferredGrantTexts {
    refusal: ciba::ciba_refusal,
    replayed: EventKind::ApprovalReplayed,
    misuse_event: EventKind::ApprovalMisdirected,
};

pub(in crate::oauth) async fn redeem_ciba_request(
    engine: &Engine,
    asking: &TokenRequestContext<'_>,
    shown: &str,
    proven: Option<&VerifiedDpopProof>,
) -> Result<IssuedTokens, Error> {
    let Ok(secret) = Secret::<BackchannelRequest>::parse(shown) else {
        return Err(invalid_grant("not a request of ours").into());
    };
    let (digest, client) = (secret.digest(), asking.client.id());
    // The loser of a race finds the request used when it is read again, and is refused.
    for _ in 0..ATTEMPTS_MAX {
        let Some(found) = ciba_requests::find_ciba_request(engine.store(), &digest).await? else {
            return Err(invalid_grant("there is no such request").into());
        };
        let awaited = DeferredRequest {
            client: &found.client,
            state: found.state,
            expires_at: found.expires_at,
            polled_at: found.polled_at,
            poll_interval: found.poll_interval,
        };
        match check_deferred_request(engine, asking, &awaited, &TEXTS) {
            DeferredVerdict::Allowed(grant) => {
                let handed = redeem_grant(engine, asking, grant).await?;
                let event = deferred_event(engine, asking, EventKind::ApprovalRedeemed, Some(grant))
                    .with_detail("membership", handed.membership.to_string());
                let spent = ciba_requests::spend_ciba_request(&digest, client, asking.now);
                let act = WriteBatch::new()
                    .with_statements(asking.record_client_use())
                    .with_statement(spent)
                    .with_statements(handed.refresh_token_step);
                if commit_with_proof(engine, asking, act.with_event(&event), proven).await? {
                    return Ok(handed.issued);
                }
            }
            DeferredVerdict::Refused(refusal) => return Err(refusal.into()),
            DeferredVerdict::Pending(refusal, interval) => {
                let noted = WriteBatch::new()
                    .with_statement(ciba_requests::record_ciba_poll(&found, interval, asking.now));
                if commit_with_proof(engine, asking, noted, proven).await? {
                    return Err(refusal.into());
                }
            }
            DeferredVerdict::SlowDown(refusal, interval) => {
                let noted = WriteBatch::new()
                    .with_statement(ciba_requests::record_ciba_poll(&found, interval, asking.now));
                if engine.store().commit(noted).await?.is_committed() {
                    return Err(refusal.into());
                }
            }
        }
    }
    Err(Failure::Contended.into())
}
