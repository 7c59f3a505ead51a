//! Verification of consent decisions.

use super::{VerifiedInput, without_steps};
use crate::oauth::authorize;
use crate::oauth::authorize::{
    AuthorizationChannel, AuthorizationStep, ConsentDecision, InteractionAnswers, PendingAuthorization, ciba,
    device_authorization,
};
use crate::platform::email::EmailKind;
use crate::sign_in::flows::{FlowActor, advance};
use crate::sign_in::sign_in_alerts;
use crate::{Engine, Error, EventCause, Failure};
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::sign_in::SignInRefusal;
use sinete_core::secret::Digest;
use sinete_core::sign_in::flows::purpose::FlowPurpose;
use sinete_core::sign_in::flows::stage::FlowStage;
use sinete_core::sign_in::flows::verified_input::VerifiedFlowInput;
use sinete_core::sign_in::flows::{AuthenticationFlow, FlowTokenTransport};
use sinete_store::WriteBatch;
use sinete_store::oauth::{ciba_requests, device_authorizations};
use sinete_store::organizations::memberships;

/// The decision must come from the session that was asked. A denial is recorded here, a consent when its
/// grant is created.
pub(super) async fn verify_consent(
    engine: &Engine,
    flow: &AuthenticationFlow,
    allow: bool,
    walker: &FlowActor,
) -> Result<VerifiedInput, Error> {
    let present = walker.session.as_ref().map(|signed_in| signed_in.session.id);
    if flow.carrier() == FlowTokenTransport::Cookie && (present.is_none() || present != flow.session()) {
        return Err(Refusal::because(SignInRefusal::ConsentOfAnotherUser, "another session, or none").into());
    }
    if let FlowPurpose::ConfirmDevice { asked: Some(asked), answers, .. } = flow.purpose() {
        return decide_device_authorization(engine, flow, (asked, answers), allow, walker).await;
    }
    if let FlowPurpose::ApproveRequest { asked, answers } = flow.purpose() {
        return decide_ciba_request(engine, flow, (asked, answers), allow, walker).await;
    }
    let denied =
        if allow { None } else { denial_event(engine, flow, walker, EventKind::ConsentDenied).await? };
    let judged = without_steps(VerifiedFlowInput::Consented(allow));
    Ok(VerifiedInput { batch: denied.iter().fold(WriteBatch::new(), WriteBatch::with_event), ..judged })
}

/// Decides a device authorization at once. An approval applies to exactly what was shown and only while it is
/// unchanged; otherwise the user is asked again, or it can no longer be approved.
async fn decide_device_authorization(
    engine: &Engine,
    flow: &AuthenticationFlow,
    (asked, answers): (&PendingAuthorization, &InteractionAnswers),
    allow: bool,
    walker: &FlowActor,
) -> Result<VerifiedInput, Error> {
    let (FlowStage::Consent { agreement, .. }, AuthorizationChannel::Device(digest)) =
        (flow.stage(), asked.arrival)
    else {
        return Ok(without_steps(VerifiedFlowInput::Reconsidered));
    };
    let digest = Digest::from_bytes(digest);
    let signed_in = advance::find_active_session(engine, flow).await?;
    let is_waiting = device_authorization::find_pending_by_digest(engine, &digest).await?.is_some();
    let Some(signed_in) = signed_in.filter(|_| is_waiting) else {
        return Ok(without_steps(VerifiedFlowInput::Reconsidered));
    };
    if !allow {
        let event = denial_event(engine, flow, walker, EventKind::DeviceDenied).await?;
        let act = WriteBatch::new()
            .with_statement(device_authorizations::deny_device_authorization(&digest, engine.now()));
        let act = event.iter().fold(act, WriteBatch::with_event);
        return Ok(VerifiedInput { answer: VerifiedFlowInput::Consented(false), batch: act });
    }
    let answers = InteractionAnswers {
        consent: Some(ConsentDecision::Agreed((**agreement).clone())),
        ..answers.clone()
    };
    match authorize::next_step(engine, asked, Some(&signed_in), &answers).await? {
        AuthorizationStep::Grant(granting) => {
            let cause = EventCause {
                actor: SecurityEventActor::Account(signed_in.session.account),
                origin: walker.origin.clone(),
            };
            let act = granting.approve_device_request(engine, &cause)?;
            let around = crate::sign_in::flows::load_flow_context(engine, flow).await?;
            let application = around.application.as_deref().unwrap_or_default();
            let about = EmailKind::DeviceAllowed { application, asked: &granting.device_sighting() };
            // A user who was tricked into it can still revoke it.
            let act = sign_in_alerts::notify_owner(engine, act, signed_in.session.account, about).await?;
            Ok(VerifiedInput { answer: VerifiedFlowInput::Consented(true), batch: act })
        }
        _ => Ok(without_steps(VerifiedFlowInput::Reconsidered)),
    }
}

/// Decides a CIBA request at once, only for the user it names. An approval applies to exactly what was shown
/// and only while it is unchanged.
async fn decide_ciba_request(
    engine: &Engine,
    flow: &AuthenticationFlow,
    (asked, answers): (&PendingAuthorization, &InteractionAnswers),
    allow: bool,
    walker: &FlowActor,
) -> Result<VerifiedInput, Error> {
    let (FlowStage::Consent { agreement, .. }, AuthorizationChannel::Backchannel(digest)) =
        (flow.stage(), asked.arrival)
    else {
        return Ok(without_steps(VerifiedFlowInput::Reconsidered));
    };
    let digest = Digest::from_bytes(digest);
    let (signed_in, waits) = (
        advance::find_active_session(engine, flow).await?,
        ciba::find_pending_by_digest(engine, &digest).await?,
    );
    let theirs = waits.and_then(|(request, _)| request.account);
    let Some(signed_in) = signed_in.filter(|it| theirs == Some(it.session.account)) else {
        return Ok(without_steps(VerifiedFlowInput::Reconsidered));
    };
    let account = signed_in.session.account;
    if !allow {
        let event = denial_event(engine, flow, walker, EventKind::ApprovalDenied).await?;
        let act = WriteBatch::new().with_statement(ciba_requests::deny_ciba_request(
            &digest,
            account,
            engine.now(),
        ));
        let act = event.iter().fold(act, WriteBatch::with_event);
        return Ok(VerifiedInput { answer: VerifiedFlowInput::Consented(false), batch: act });
    }
    let answers = InteractionAnswers {
        consent: Some(ConsentDecision::Agreed((**agreement).clone())),
        ..answers.clone()
    };
    match authorize::next_step(engine, asked, Some(&signed_in), &answers).await? {
        AuthorizationStep::Grant(granting) => {
            let cause =
                EventCause { actor: SecurityEventActor::Account(account), origin: walker.origin.clone() };
            let act = granting.approve_ciba_request(engine, &cause).await?;
            Ok(VerifiedInput { answer: VerifiedFlowInput::Consented(true), batch: act })
        }
        _ => Ok(without_steps(VerifiedFlowInput::Reconsidered)),
    }
}

async fn denial_event(
    engine: &Engine,
    flow: &AuthenticationFlow,
    walker: &FlowActor,
    kind: EventKind,
) -> Result<Option<SecurityEvent>, Failure> {
    let (FlowStage::Consent { agreement, .. }, Some(asked)) =
        (flow.stage(), flow.purpose().pending_authorization())
    else {
        return Ok(None);
    };
    let Some(signed_in) = advance::find_active_session(engine, flow).await? else { return Ok(None) };
    let (account, now) = (signed_in.session.account, engine.now());
    let theirs = memberships::list_usable_memberships(engine.store(), account, now).await?;
    let membership = theirs.iter().find(|it| it.organization == agreement.organization);
    let cause = EventCause { actor: SecurityEventActor::Account(account), origin: walker.origin.clone() };
    let event = engine.event(kind, &cause, now);
    let event =
        membership.into_iter().fold(event, |event, it| event.with_subject("membership", it.membership));
    let event = event
        .with_organization(agreement.organization)
        .with_client(asked.client.clone())
        .with_detail("audience", agreement.audience.as_str())
        .with_detail("scope", agreement.scopes.to_string());
    Ok(Some(event.with_detail("claims", agreement.claims.to_string())))
}
