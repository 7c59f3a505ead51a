//! The device authorization grant: a device polls for the user's decision and receives the tokens once.

use super::deferred::{
    DeferredGrantTexts, DeferredRequest, DeferredVerdict, check_deferred_request, commit_with_proof,
    deferred_event, redeem_grant,
};
use crate::oauth::dpop::VerifiedDpopProof;
use crate::oauth::token::TokenRequestContext;
use crate::oauth::token_issuance::IssuedTokens;
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use sinete_core::events::security_event::EventKind;
use sinete_core::oauth::grants::{invalid_grant, unsupported_grant_type};
use sinete_core::refusal::Refusal;
use sinete_core::secret::{DeviceCode, Secret};
use sinete_store::WriteBatch;
use sinete_store::oauth::device_authorizations;

const TEXTS: DeferredGrantTexts = DeferredGrantTexts {
    refusal: Refusal::from,
    replayed: EventKind::DeviceCodeReplayed,
    misuse_event: EventKind::DeviceCodeMisdirected,
};

pub(in crate::oauth) async fn redeem_device_code(
    engine: &Engine,
    asking: &TokenRequestContext<'_>,
    shown: &str,
    proven: Option<&VerifiedDpopProof>,
) -> Result<IssuedTokens, Error> {
    if !engine.settings().flows.interaction.has_screens() {
        return Err(unsupported_grant_type("people are led nowhere").into());
    }
    let Ok(secret) = Secret::<DeviceCode>::parse(shown) else {
        return Err(invalid_grant("not a device code of ours").into());
    };
    let (digest, client) = (secret.digest(), asking.client.id());
    // The loser of a race finds the code used when it is read again, and is refused.
    for _ in 0..ATTEMPTS_MAX {
        let Some(found) = device_authorizations::find_device_authorization(engine.store(), &digest).await?
        else {
            return Err(invalid_grant("there is no such device code").into());
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
                let event = deferred_event(engine, asking, EventKind::DeviceCodeRedeemed, Some(grant))
                    .with_detail("membership", handed.membership.to_string());
                let spent = device_authorizations::spend_device_authorization(&digest, client, asking.now);
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
                    .with_statement(device_authorizations::record_device_poll(&found, interval, asking.now));
                if commit_with_proof(engine, asking, noted, proven).await? {
                    return Err(refusal.into());
                }
            }
            DeferredVerdict::SlowDown(refusal, interval) => {
                let noted = WriteBatch::new()
                    .with_statement(device_authorizations::record_device_poll(&found, interval, asking.now));
                if engine.store().commit(noted).await?.is_committed() {
                    return Err(refusal.into());
                }
            }
        }
    }
    Err(Failure::Contended.into())
}
