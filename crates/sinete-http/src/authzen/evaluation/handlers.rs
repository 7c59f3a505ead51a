//! Handlers of AuthZEN access evaluation (OpenID AuthZEN Authorization API 1.0).

use crate::authzen::evaluation::dto;
pub(crate) use crate::authzen::search::handlers::{search_actions, search_resources, search_subjects};

use crate::authzen::evaluation::dto::{BatchSemantic, EvaluationBatch};
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use serde_json::{Value, json};
use sinete_core::events::security_event::SecurityEventActor;
use sinete_core::refusal::Refusal;
use sinete_engine::authzen::evaluation;
use sinete_engine::authzen::evaluation::{AccessEvaluation, EvaluationCaller};
use sinete_engine::oauth::client_authentication;
use sinete_engine::{Error, EventCause};
use sinete_server::extract::client_authentication::extract_client_auth_from_json;
use sinete_server::extract::json;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::json::{json_response, serialize_json};
use sinete_server::reply::{HandlerError, HandlerResult};

/// Evaluates one request.
pub(crate) async fn post_evaluation(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let (caller, body) = authenticate_and_parse(&state, &request).await?;
    let question = dto::parse_evaluation(&body, &Value::Null)?;
    let decided = evaluation::evaluate(state.engine(), caller, &question).await?;
    Ok(json_response(StatusCode::OK, serialize_json(&decision_body(decided))?))
}

/// Evaluates a batch, each request separately.
pub(crate) async fn post_evaluations(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let (caller, body) = authenticate_and_parse(&state, &request).await?;
    let Some(batch) = EvaluationBatch::parse(&body)? else {
        let question = dto::parse_evaluation(&body, &Value::Null)?;
        let decided = evaluation::evaluate(state.engine(), caller, &question).await?;
        return Ok(json_response(StatusCode::OK, serialize_json(&decision_body(decided))?));
    };
    let mut decisions = Vec::with_capacity(batch.items.len());
    for item in batch.items {
        let decided = match dto::parse_evaluation(item, &body) {
            Ok(question) => evaluate_one(&state, caller, &question).await?,
            Err(refusal) => failed_decision_body(&refusal),
        };
        let is_yes = decided["decision"] == true;
        decisions.push(decided);
        match batch.semantic {
            BatchSemantic::DenyOnFirstDeny if !is_yes => break,
            BatchSemantic::PermitOnFirstPermit if is_yes => break,
            BatchSemantic::ExecuteAll
            | BatchSemantic::DenyOnFirstDeny
            | BatchSemantic::PermitOnFirstPermit => {}
        }
    }
    Ok(json_response(StatusCode::OK, serialize_json(&json!({"evaluations": decisions}))?))
}

async fn evaluate_one(
    state: &HttpState,
    caller: EvaluationCaller,
    question: &AccessEvaluation,
) -> Result<Value, HandlerError> {
    Ok(match evaluation::evaluate(state.engine(), caller, question).await {
        Ok(decided) => decision_body(decided),
        Err(Error::Refused(refusal)) => failed_decision_body(&refusal),
        Err(Error::Failed(failed)) => return Err(failed.into()),
    })
}

/// Authenticates the client and parses the body. Before authentication, only the client's credentials are
/// read from it.
pub(crate) async fn authenticate_and_parse(
    state: &HttpState,
    request: &RoutedRequest,
) -> Result<(EvaluationCaller, Value), HandlerError> {
    let mut result = json::parse_json_value(request.body());
    let proof = result.as_mut().map_or_else(|_| Ok(FormParams::default()), extract_client_auth_from_json)?;
    let auth_request = request.client_auth(&proof)?;
    let cause = EventCause { actor: SecurityEventActor::Anonymous, origin: request.origin() };
    let client = client_authentication::authenticate_client(state.engine(), &auth_request, &cause).await?;
    let caller = EvaluationCaller::from_client(&client)?;
    Ok((caller, result?))
}

fn decision_body(decided: evaluation::EvaluationDecision) -> Value {
    match decided {
        evaluation::EvaluationDecision::Permit => json!({"decision": true}),
        evaluation::EvaluationDecision::Deny => json!({"decision": false}),
        evaluation::EvaluationDecision::NoSuchType => {
            json!({"decision": false, "context": {"reason": "the API has no objects of this type"}})
        }
        evaluation::EvaluationDecision::NoSuchAction => {
            json!({"decision": false, "context": {"reason": "objects of this type have no such action"}})
        }
    }
}

/// The result of an evaluation in a batch that failed; the others are not affected.
fn failed_decision_body(refusal: &Refusal) -> Value {
    let error = json!({"status": refusal.code().status(), "message": refusal.public_text()});
    json!({"decision": false, "context": {"error": error}})
}
