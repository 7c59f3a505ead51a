//! A client asks whether somebody has approved what it asked for, and is handed the tokens once (OpenID CIBA §10.1).

use super::TokenRequestContext;
use super::awaited::{
    DeferredGrantTexts, DeferredRequest, DeferredVerdict, about, hand_over, judged, together,
};
use crate::issue::IssuedTokens;
use crate::key_proofs::VerifiedDpopProof;
use crate::{ATTEMPTS_MAX, Engine, Failure};
use sinete_core::grant::{ciba, no_grant};
use sinete_core::refusal::Refusal;
use sinete_core::secret::{BackchannelRequest, Secret};
use sinete_core::security::event::EventKind;
use sinete_store::{WriteBatch, approval_requests};

const WORDS: DeferredGrantTexts = DeferredGrantTexts {
    refusal: ciba::refusal,
    replayed: EventKind::ApprovalReplayed,
    misdirected: EventKind::ApprovalMisdirected,
};

pub(super) async fn redeem(
    engine: &Engine,
    asking: &TokenRequestContext<'_>,
    shown: &str,
    proven: Option<&VerifiedDpopProof>,
) -> Result<Result<IssuedTokens, Refusal>, Failure> {
    let Ok(secret) = Secret::<BackchannelRequest>::parse(shown) else {
        return Ok(Err(no_grant("not a request of ours")));
    };
    let (digest, client) = (secret.digest(), asking.client.id());
    // Whoever loses a race finds the request spent when they look again, and is refused for that.
    for _ in 0..ATTEMPTS_MAX {
        let Some(found) = approval_requests::find(engine.store(), &digest).await? else {
            return Ok(Err(no_grant("there is no such request")));
        };
        let awaited = DeferredRequest {
            client: &found.client,
            state: found.state,
            expires_at: found.expires_at,
            polled_at: found.polled_at,
            poll_interval: found.poll_interval,
        };
        match judged(engine, asking, &awaited, &WORDS) {
            DeferredVerdict::Allowed(grant) => {
                let handed = match hand_over(engine, asking, grant).await? {
                    Ok(handed) => handed,
                    Err(refusal) => return Ok(Err(refusal)),
                };
                let event = about(engine, asking, EventKind::ApprovalRedeemed, Some(grant))
                    .with("membership", handed.membership.to_string());
                let spent = approval_requests::spend(&digest, client, asking.now);
                let act = WriteBatch::new().with_all(asking.notes_use()).with(spent).with_all(handed.begun);
                if let Some(done) = together(engine, asking, act.record(&event), proven).await? {
                    return Ok(done.map(|()| handed.issued));
                }
            }
            DeferredVerdict::Refused(refusal) => return Ok(Err(refusal)),
            DeferredVerdict::Waits(refusal, interval) => {
                let noted = WriteBatch::new().with(approval_requests::polled(&found, interval, asking.now));
                if let Some(done) = together(engine, asking, noted, proven).await? {
                    return Ok(Err(done.err().unwrap_or(refusal)));
                }
            }
            DeferredVerdict::Hurries(refusal, interval) => {
                let noted = WriteBatch::new().with(approval_requests::polled(&found, interval, asking.now));
                if engine.store().commit(noted).await?.is_ok() {
                    return Ok(Err(refusal));
                }
            }
        }
    }
    Err(Failure::Contended)
}
