//! Continues an authorization request. After each step of its flow, the request is evaluated again with the
//! current facts, and the flow advances to the next missing requirement.

use super::{LoadedFlow, load_flow_account, parse_flow};
use crate::oauth::authorize;
use crate::oauth::authorize::AuthorizationStep;
use crate::oauth::authorize::deferred::find_pending_request;
use crate::sign_in::sessions::ActiveSession;
use crate::{ATTEMPTS_MAX, Engine, EventCause, Failure};
use sinete_core::events::security_event::{RequestOrigin, SecurityEventActor};
use sinete_core::oauth::authorize::response::AuthorizationErrorCode;
use sinete_core::sign_in::flows::purpose::FlowPurpose;
use sinete_core::sign_in::flows::stage::{FlowStage, OrganizationChoice};
use sinete_core::sign_in::flows::verified_input::{NextAuthorizationStep, VerifiedFlowInput};
use sinete_core::sign_in::flows::{AuthenticationFlow, storage_format};
use sinete_store::oauth::deferred_grants;
use sinete_store::sign_in::flows::StoredFlowState;
use sinete_store::sign_in::{flows, sessions};
use sinete_store::{JsonDocument, WriteBatch};

/// Why a flow is advanced.
#[derive(Clone, Copy)]
pub(crate) enum FlowAdvanceReason<'a> {
    /// It was opened or viewed, which changes no facts.
    Viewed,
    /// An input was accepted, from this origin.
    InputAccepted(&'a RequestOrigin),
}

/// Advances the flow to the next requirement. If a pending device authorization or CIBA request cannot be
/// approved, it is denied once an input was submitted.
pub(crate) async fn advance_flow(
    engine: &Engine,
    mut loaded_flow: LoadedFlow,
    since: FlowAdvanceReason<'_>,
) -> Result<LoadedFlow, Failure> {
    for _ in 0..ATTEMPTS_MAX {
        if *loaded_flow.flow.stage() != FlowStage::Deciding {
            return Ok(loaded_flow);
        }
        let LoadedFlow { flow, digest, version, expires_at } = loaded_flow;
        let id = flow.id();
        let direction = next_direction(engine, &flow).await?;
        let moved = flow
            .apply_input(VerifiedFlowInput::NextStepDecided(Box::new(direction)))
            .map_err(|_| Failure::Contended)?;
        let batch = match moved.flow.stage() {
            FlowStage::Refused { error, .. } => {
                refuse_batch(engine, &moved.flow, version, error, since).await?
            }
            _ => {
                let document = JsonDocument::from_value(&moved.flow)?;
                let state = StoredFlowState {
                    document: &document,
                    form: storage_format::FORMAT_VERSION,
                    account: moved.flow.account(),
                };
                WriteBatch::new().with_statement(flows::advance_flow(
                    id,
                    version,
                    state,
                    &digest,
                    engine.now(),
                ))
            }
        };
        if engine.store().commit(batch).await?.is_committed() {
            return Ok(LoadedFlow { flow: moved.flow, digest, version: version + 1, expires_at });
        }
        // Another request was faster.
        let stored = flows::find_flow(engine.store(), id).await?.ok_or(Failure::Contended)?;
        loaded_flow = parse_flow(id, stored)?;
    }
    Err(Failure::Contended)
}

/// The active session of the flow's user, if there is one.
pub(crate) async fn find_active_session(
    engine: &Engine,
    flow: &AuthenticationFlow,
) -> Result<Option<ActiveSession>, Failure> {
    let Some(id) = flow.session() else { return Ok(None) };
    let now = engine.now();
    let Some(session) = sessions::find_session_by_id(engine.store(), id, now).await? else { return Ok(None) };
    let evidence = session.dated_evidence()?;
    let assurance = session.assurance_level(&evidence, now);
    Ok(assurance.map(|assurance| ActiveSession { session, evidence, assurance }))
}

/// Determines the next requirement.
async fn next_direction(
    engine: &Engine,
    flow: &AuthenticationFlow,
) -> Result<NextAuthorizationStep, Failure> {
    let signed_in = find_active_session(engine, flow).await?;
    let (pending, answers) = match flow.purpose() {
        FlowPurpose::Authorize { pending_authorization: pending, answers }
        | FlowPurpose::ApproveRequest { pending_authorization: pending, answers } => (pending, answers),
        FlowPurpose::ConfirmDevice { pending_authorization: Some(pending), answers, .. } => {
            (pending, answers)
        }
        // A user code is entered only by a signed-in user.
        FlowPurpose::ConfirmDevice { pending_authorization: None, .. } => {
            return Ok(if signed_in.is_some() {
                NextAuthorizationStep::UserCode
            } else {
                NextAuthorizationStep::SignIn
            });
        }
        _ => return Err(Failure::Contended),
    };
    let refuse = |error: AuthorizationErrorCode, description: String| NextAuthorizationStep::Refuse {
        error: error.as_str().to_owned(),
        description,
    };
    Ok(match (authorize::next_step(engine, pending, signed_in.as_ref(), answers).await?, signed_in) {
        (AuthorizationStep::SignIn(in_requirement), _)
            if in_requirement.creates_account && flow.can_sign_up() =>
        {
            NextAuthorizationStep::SignUp
        }
        (AuthorizationStep::SignIn(_), _)
        | (AuthorizationStep::StepUp(_) | AuthorizationStep::Enroll(_), None) => {
            NextAuthorizationStep::SignIn
        }
        (AuthorizationStep::StepUp(step_up), Some(signed_in)) => {
            let session = &signed_in.session;
            NextAuthorizationStep::StepUp {
                needs: step_up.required,
                base: signed_in.evidence.retain_fresh(engine.now()),
                person: load_flow_account(engine, session.account).await?,
            }
        }
        (AuthorizationStep::Enroll(factors), Some(signed_in)) => NextAuthorizationStep::Enroll {
            factors,
            person: load_flow_account(engine, signed_in.session.account).await?,
        },
        (AuthorizationStep::ChooseOrganization(choices), _) => {
            let choice = |it: authorize::OrganizationOption| OrganizationChoice {
                organization: it.id,
                slug: it.slug,
                name: it.name,
            };
            NextAuthorizationStep::ChooseOrganization(choices.into_iter().map(choice).collect())
        }
        (AuthorizationStep::Consent(question), _) => {
            let result = serde_json::to_value(&*question);
            NextAuthorizationStep::Consent {
                consent_request: question.consent_request,
                prompt: result.map_err(|_| Failure::Contended)?,
            }
        }
        (AuthorizationStep::Deny((error, description)), _) => refuse(error, description.into_owned()),
        (AuthorizationStep::ShowError(error), _) if flow.kind().is_deferred_grant() => {
            refuse(AuthorizationErrorCode::AccessDenied, error.to_string())
        }
        // The result is determined when the authorization request continues.
        (AuthorizationStep::Grant(_) | AuthorizationStep::Refuse(_) | AuthorizationStep::ShowError(_), _) => {
            NextAuthorizationStep::Resume
        }
    })
}

/// The batch in which a flow ends because the user may not approve the request. The pending request is
/// denied, unless it was for another user or no input was submitted.
async fn refuse_batch(
    engine: &Engine,
    flow: &AuthenticationFlow,
    version: i64,
    error: &str,
    since: FlowAdvanceReason<'_>,
) -> Result<WriteBatch, Failure> {
    let batch = WriteBatch::new().with_statement(flows::finish_flow(flow.id(), version, engine.now()));
    let (Some(pending_authorization), FlowAdvanceReason::InputAccepted(origin)) =
        (flow.purpose().pending_authorization(), since)
    else {
        return Ok(batch);
    };
    let account = find_active_session(engine, flow).await?.map(|signed_in| signed_in.session.account);
    let Some(digest) = pending_authorization.arrival.deferred_grant() else { return Ok(batch) };
    let pending = find_pending_request(engine, digest).await?;
    if !pending.is_some_and(|(request, _)| request.user.matches_account(account)) {
        return Ok(batch);
    }
    let denied = deferred_grants::deny_deferred_grant(digest, account, engine.now());
    let actor = account.map_or(SecurityEventActor::Anonymous, SecurityEventActor::Account);
    let cause = EventCause { actor, origin: origin.clone() };
    let event = engine
        .event(digest.kind().events().denied, &cause, engine.now())
        .with_client(pending_authorization.client.clone());
    let event = account.into_iter().fold(event, |event, account| event.with_subject("account", account));
    Ok(batch.with_statement(denied).with_event(&event.with_detail("because", error.to_owned())))
}
