//! Verification of consent decisions.

use super::{VerifiedInput, without_statements};
use crate::oauth::authorize;
use crate::oauth::authorize::deferred::find_pending_request;
use crate::oauth::authorize::{AuthorizationStep, ConsentDecision, InteractionAnswers, PendingAuthorization};
use crate::sign_in::flows::{FlowActor, advance};
use crate::{Engine, Error, EventCause, Failure};
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::sign_in::SignInRefusal;
use sinete_core::sign_in::flows::purpose::FlowPurpose;
use sinete_core::sign_in::flows::stage::FlowStage;
use sinete_core::sign_in::flows::verified_input::VerifiedFlowInput;
use sinete_core::sign_in::flows::{AuthenticationFlow, FlowTokenTransport};
use sinete_store::WriteBatch;
use sinete_store::oauth::deferred_grants;
use sinete_store::organizations::memberships;

/// The decision must come from the session that was asked. A denial is recorded here, a consent when its
/// grant is created.
pub(super) async fn verify_consent(
    engine: &Engine,
    flow: &AuthenticationFlow,
    allow: bool,
    actor: &FlowActor,
) -> Result<VerifiedInput, Error> {
    let present = actor.session.as_ref().map(|signed_in| signed_in.session.id);
    if flow.flow_token_transport() == FlowTokenTransport::Cookie
        && (present.is_none() || present != flow.session())
    {
        return Err(Refusal::because(SignInRefusal::ConsentOfAnotherUser, "another session, or none").into());
    }
    if let FlowPurpose::ConfirmDevice { pending_authorization: Some(pending), answers, .. }
    | FlowPurpose::ApproveRequest { pending_authorization: pending, answers } = flow.purpose()
    {
        return decide_deferred_grant(engine, flow, pending, answers, allow, actor).await;
    }
    let denied =
        if allow { None } else { denial_event(engine, flow, actor, EventKind::ConsentDenied).await? };
    let judged = without_statements(VerifiedFlowInput::ConsentDecided(allow));
    Ok(VerifiedInput { batch: denied.iter().fold(WriteBatch::new(), WriteBatch::with_event), ..judged })
}

/// Decides a deferred grant at once, only for a user who may decide it. An approval applies to exactly what was
/// shown and only while it is unchanged; otherwise the user is asked again, or it can no longer be approved.
async fn decide_deferred_grant(
    engine: &Engine,
    flow: &AuthenticationFlow,
    pending_authorization: &PendingAuthorization,
    answers: &InteractionAnswers,
    allow: bool,
    actor: &FlowActor,
) -> Result<VerifiedInput, Error> {
    let (FlowStage::Consent { agreement, .. }, Some(digest)) =
        (flow.stage(), pending_authorization.arrival.deferred_grant())
    else {
        return Ok(without_statements(VerifiedFlowInput::RequestChanged));
    };
    let signed_in = advance::find_active_session(engine, flow).await?;
    let pending = find_pending_request(engine, digest).await?;
    let may_decide =
        |account| pending.as_ref().is_some_and(|(request, _)| request.user.matches_account(Some(account)));
    let Some(signed_in) = signed_in.filter(|it| may_decide(it.session.account)) else {
        return Ok(without_statements(VerifiedFlowInput::RequestChanged));
    };
    let account = signed_in.session.account;
    if !allow {
        let event = denial_event(engine, flow, actor, digest.kind().events().denied).await?;
        let denied = deferred_grants::deny_deferred_grant(digest, Some(account), engine.now());
        let batch = event.iter().fold(WriteBatch::new().with_statement(denied), WriteBatch::with_event);
        return Ok(VerifiedInput { input: VerifiedFlowInput::ConsentDecided(false), batch });
    }
    let answers = InteractionAnswers {
        consent: Some(ConsentDecision::Agreed((**agreement).clone())),
        ..answers.clone()
    };
    match authorize::next_step(engine, pending_authorization, Some(&signed_in), &answers).await? {
        AuthorizationStep::Grant(draft) => {
            let cause =
                EventCause { actor: SecurityEventActor::Account(account), origin: actor.origin.clone() };
            let batch = draft.approve_deferred_grant(engine, &cause).await?;
            Ok(VerifiedInput { input: VerifiedFlowInput::ConsentDecided(true), batch })
        }
        _ => Ok(without_statements(VerifiedFlowInput::RequestChanged)),
    }
}

async fn denial_event(
    engine: &Engine,
    flow: &AuthenticationFlow,
    actor: &FlowActor,
    kind: EventKind,
) -> Result<Option<SecurityEvent>, Failure> {
    let (FlowStage::Consent { agreement, .. }, Some(pending)) =
        (flow.stage(), flow.purpose().pending_authorization())
    else {
        return Ok(None);
    };
    let Some(signed_in) = advance::find_active_session(engine, flow).await? else { return Ok(None) };
    let (account, now) = (signed_in.session.account, engine.now());
    let theirs = memberships::list_usable_memberships(engine.store(), account, now).await?;
    let membership = theirs.iter().find(|it| it.organization == agreement.organization);
    let cause = EventCause { actor: SecurityEventActor::Account(account), origin: actor.origin.clone() };
    let event = engine.event(kind, &cause, now);
    let event =
        membership.into_iter().fold(event, |event, it| event.with_subject("membership", it.membership));
    let event = event
        .with_organization(agreement.organization)
        .with_client(pending.client.clone())
        .with_detail("audience", agreement.audience.as_str())
        .with_detail("scope", agreement.scopes.to_string());
    Ok(Some(event.with_detail("claims", agreement.claims.to_string())))
}
