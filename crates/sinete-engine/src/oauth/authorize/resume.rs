//! Resumes an authorization request after its flow. Request and answers are those stored in the flow, and the
//! session is the flow's; the URL only identifies the flow.

use super::{AuthorizationAttempt, AuthorizationOutcome, AuthorizationStep, PendingAuthorization};
use crate::sign_in::flows;
use crate::sign_in::sessions::ActiveSession;
use crate::{Engine, Error, EventCause, Failure};
use sinete_core::client_id::ClientId;
use sinete_core::id::FlowId;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::sign_in::flows::purpose::FlowPurpose;
use sinete_core::sign_in::flows::stage::FlowStage;
use sinete_store::WriteBatch;

/// The result of resuming a request.
#[derive(Debug)]
pub enum ResumedRequest {
    /// Completed: a code, or an error response. The flow is used up.
    Completed(AuthorizationOutcome, Box<PendingAuthorization>),
    /// The flow needs another input, for this client.
    StepRequired(FlowId, ClientId),
    /// The result of the flow is no longer valid: the request starts again.
    Restart(Box<PendingAuthorization>),
}

/// Resumes the request of a flow, for its session.
pub async fn resume_request(
    engine: &Engine,
    flow: &str,
    signed_in: Option<&ActiveSession>,
    cause: &EventCause,
) -> Result<ResumedRequest, Error> {
    let Ok(id) = flow.parse::<FlowId>() else { return Err(unknown_flow("not the id of a flow").into()) };
    let Some(stored) = sinete_store::sign_in::flows::find_flow(engine.store(), id).await? else {
        return Err(unknown_flow("no such flow").into());
    };
    if stored.finished_at.is_some() || stored.expires_at <= engine.now() {
        return Err(Refusal::because(OAuthRefusal::AuthorizationFlowEnded, "finished or expired").into());
    }
    let version = stored.version;
    let flow = flows::parse_flow(id, stored)?.flow;
    let FlowPurpose::Authorize { pending_authorization: pending, answers } = flow.purpose() else {
        return Err(unknown_flow("a flow of another kind").into());
    };
    let Some(signed_in) = signed_in.filter(|it| flow.session() == Some(it.session.id)) else {
        return Err(unknown_flow("another session than the flow's").into());
    };
    if *flow.stage() != FlowStage::Resume {
        return Ok(ResumedRequest::StepRequired(id, pending.client.clone()));
    }
    Ok(complete_flow(
        engine,
        id,
        version,
        AuthorizationAttempt { request: pending, signed_in, answers, context: None },
        cause,
    )
    .await?)
}

async fn complete_flow(
    engine: &Engine,
    id: FlowId,
    version: i64,
    passage: AuthorizationAttempt<'_>,
    cause: &EventCause,
) -> Result<ResumedRequest, Failure> {
    let finished = |now| vec![sinete_store::sign_in::flows::finish_flow(id, version, now)];
    let completed = super::complete_authorization(engine, passage, &finished, cause).await?;
    let is_over = match &completed {
        AuthorizationOutcome::Issued(_) => {
            return Ok(ResumedRequest::Completed(completed, Box::new(passage.request.clone())));
        }
        AuthorizationOutcome::StepRequired(next) => matches!(
            **next,
            AuthorizationStep::Refuse(_) | AuthorizationStep::ShowError(_) | AuthorizationStep::Deny(_)
        ),
    };
    let batch = WriteBatch::new().with_statements(finished(engine.now()));
    // A conflict means that the flow was already used up; the first response counts.
    let _ = engine.store().commit(batch).await?;
    let pending = Box::new(passage.request.clone());
    Ok(if is_over { ResumedRequest::Completed(completed, pending) } else { ResumedRequest::Restart(pending) })
}

fn unknown_flow(reason: &str) -> Refusal {
    Refusal::because(OAuthRefusal::AuthorizationFlowNotFound, reason)
}
