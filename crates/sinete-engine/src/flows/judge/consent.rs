//! Somebody allows or denies what an application asks for.

use super::{VerifiedInput, plain};
use crate::authorize::{
    self, AuthorizationChannel, AuthorizationStep, ConsentDecision, InteractionAnswers, PendingAuthorization,
    approval, device,
};
use crate::flows::{FlowActor, direct};
use crate::letters::EmailKind;
use crate::{Engine, EventCause, Failure, watch};
use sinete_core::flow::answer::VerifiedFlowInput;
use sinete_core::flow::purpose::FlowPurpose;
use sinete_core::flow::stage::FlowStage;
use sinete_core::flow::{AuthenticationFlow, FlowTokenTransport};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::Digest;
use sinete_core::security::event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_store::{WriteBatch, approval_requests, device_requests, memberships};

/// A browser answers for the session the question was put to; anybody else's answer is not theirs. A no is
/// recorded when it is said, a yes when the grant it leads to is given.
pub(super) async fn judge(
    engine: &Engine,
    flow: &AuthenticationFlow,
    allow: bool,
    walker: &FlowActor,
) -> Result<Result<VerifiedInput, Refusal>, Failure> {
    let present = walker.session.as_ref().map(|signed_in| signed_in.session.id);
    if flow.carrier() == FlowTokenTransport::Cookie && (present.is_none() || present != flow.session()) {
        let public = "the question was put to somebody else";
        return Ok(Err(Refusal::new(RefusalCode::Forbidden, public, "another session, or none")));
    }
    if let FlowPurpose::ConfirmDevice { asked: Some(asked), answers, .. } = flow.purpose() {
        return for_device(engine, flow, (asked, answers), allow, walker).await;
    }
    if let FlowPurpose::ApproveRequest { asked, answers } = flow.purpose() {
        return for_approval(engine, flow, (asked, answers), allow, walker).await;
    }
    let denied = if allow { None } else { denied(engine, flow, walker, EventKind::ConsentDenied).await? };
    let judged = plain(VerifiedFlowInput::Consented(allow));
    Ok(Ok(VerifiedInput { act: denied.iter().fold(WriteBatch::new(), WriteBatch::record), ..judged }))
}

/// What is said for a device is done at once. A yes counts for exactly what was shown, and only while all of it is still so;
/// otherwise it is asked again, or cannot be allowed any more.
async fn for_device(
    engine: &Engine,
    flow: &AuthenticationFlow,
    (asked, answers): (&PendingAuthorization, &InteractionAnswers),
    allow: bool,
    walker: &FlowActor,
) -> Result<Result<VerifiedInput, Refusal>, Failure> {
    let (FlowStage::Consent { agreement, .. }, AuthorizationChannel::Device(digest)) =
        (flow.stage(), asked.arrival)
    else {
        return Ok(Ok(plain(VerifiedFlowInput::Reconsidered)));
    };
    let digest = Digest::from_bytes(digest);
    let signed_in = direct::signed_in(engine, flow).await?;
    let is_waiting = device::waiting(engine, &digest).await?.is_some();
    let Some(signed_in) = signed_in.filter(|_| is_waiting) else {
        return Ok(Ok(plain(VerifiedFlowInput::Reconsidered)));
    };
    if !allow {
        let event = denied(engine, flow, walker, EventKind::DeviceDenied).await?;
        let act = WriteBatch::new().with(device_requests::deny(&digest, engine.now()));
        let act = event.iter().fold(act, WriteBatch::record);
        return Ok(Ok(VerifiedInput { answer: VerifiedFlowInput::Consented(false), act }));
    }
    let answers = InteractionAnswers {
        consent: Some(ConsentDecision::Agreed((**agreement).clone())),
        ..answers.clone()
    };
    match authorize::next(engine, asked, Some(&signed_in), &answers).await? {
        AuthorizationStep::Grant(granting) => {
            let cause = EventCause {
                actor: SecurityEventActor::Account(signed_in.session.account),
                origin: walker.origin.clone(),
            };
            let act = granting.to_device(engine, &cause)?;
            let around = crate::flows::around(engine, flow).await?;
            let application = around.application.as_deref().unwrap_or_default();
            let about = EmailKind::DeviceAllowed { application, asked: &granting.asking_device() };
            // Whoever was talked into it can still take it back.
            let act = watch::tell(engine, act, signed_in.session.account, about).await?;
            Ok(Ok(VerifiedInput { answer: VerifiedFlowInput::Consented(true), act }))
        }
        _ => Ok(Ok(plain(VerifiedFlowInput::Reconsidered))),
    }
}

/// What is said to a client that asks for an approval is done at once, and by nobody but whom it asked. A yes counts for
/// exactly what was shown, and only while all of it is still so.
async fn for_approval(
    engine: &Engine,
    flow: &AuthenticationFlow,
    (asked, answers): (&PendingAuthorization, &InteractionAnswers),
    allow: bool,
    walker: &FlowActor,
) -> Result<Result<VerifiedInput, Refusal>, Failure> {
    let (FlowStage::Consent { agreement, .. }, AuthorizationChannel::Backchannel(digest)) =
        (flow.stage(), asked.arrival)
    else {
        return Ok(Ok(plain(VerifiedFlowInput::Reconsidered)));
    };
    let digest = Digest::from_bytes(digest);
    let (signed_in, waits) =
        (direct::signed_in(engine, flow).await?, approval::waiting(engine, &digest).await?);
    let theirs = waits.and_then(|(request, _)| request.account);
    let Some(signed_in) = signed_in.filter(|it| theirs == Some(it.session.account)) else {
        return Ok(Ok(plain(VerifiedFlowInput::Reconsidered)));
    };
    let account = signed_in.session.account;
    if !allow {
        let event = denied(engine, flow, walker, EventKind::ApprovalDenied).await?;
        let act = WriteBatch::new().with(approval_requests::deny(&digest, account, engine.now()));
        let act = event.iter().fold(act, WriteBatch::record);
        return Ok(Ok(VerifiedInput { answer: VerifiedFlowInput::Consented(false), act }));
    }
    let answers = InteractionAnswers {
        consent: Some(ConsentDecision::Agreed((**agreement).clone())),
        ..answers.clone()
    };
    match authorize::next(engine, asked, Some(&signed_in), &answers).await? {
        AuthorizationStep::Grant(granting) => {
            let cause =
                EventCause { actor: SecurityEventActor::Account(account), origin: walker.origin.clone() };
            let act = granting.to_approval(engine, &cause).await?;
            Ok(Ok(VerifiedInput { answer: VerifiedFlowInput::Consented(true), act }))
        }
        _ => Ok(Ok(plain(VerifiedFlowInput::Reconsidered))),
    }
}

async fn denied(
    engine: &Engine,
    flow: &AuthenticationFlow,
    walker: &FlowActor,
    kind: EventKind,
) -> Result<Option<SecurityEvent>, Failure> {
    let (FlowStage::Consent { agreement, .. }, Some(asked)) = (flow.stage(), flow.purpose().asked()) else {
        return Ok(None);
    };
    let Some(signed_in) = direct::signed_in(engine, flow).await? else { return Ok(None) };
    let (account, now) = (signed_in.session.account, engine.now());
    let theirs = memberships::usable_by(engine.store(), account, now).await?;
    let membership = theirs.iter().find(|it| it.organization == agreement.organization);
    let cause = EventCause { actor: SecurityEventActor::Account(account), origin: walker.origin.clone() };
    let event = engine.event(kind, &cause, now);
    let event = membership.into_iter().fold(event, |event, it| event.about("membership", it.membership));
    let event = event
        .within(agreement.organization)
        .through(asked.client.clone())
        .with("audience", agreement.audience.as_str())
        .with("scope", agreement.scopes.to_string());
    Ok(Some(event.with("claims", agreement.claims.to_string())))
}
