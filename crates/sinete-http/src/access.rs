//! Questions of APIs over HTTP (OpenID AuthZEN Authorization API 1.0).

mod reading;
mod search;

pub(crate) use search::{action, resource, subject};

use crate::call::Call;
use crate::extract::pairs::Pairs;
use crate::extract::{client_proof, json};
use crate::reply::json::{answer, written};
use crate::reply::{Answer, Declined};
use crate::state::State;
use axum::http::StatusCode;
use reading::{Batch, Semantic};
use serde_json::{Value, json};
use sinete_core::refusal::Refusal;
use sinete_core::security::event::Actor;
use sinete_engine::evaluate::{self, Asker, Question};
use sinete_engine::{Cause, client_authentication};

/// Answers one question.
pub(crate) async fn evaluation(state: State, call: Call) -> Answer {
    let (asker, asked) = asked(&state, &call).await?;
    let question = reading::question(&asked, &Value::Null)?;
    let decided = evaluate::evaluate(state.engine(), asker, &question).await??;
    Ok(answer(StatusCode::OK, written(&decision(decided))?))
}

/// Answers several questions, each by itself.
pub(crate) async fn evaluations(state: State, call: Call) -> Answer {
    let (asker, asked) = asked(&state, &call).await?;
    let Some(batch) = Batch::read(&asked)? else {
        let question = reading::question(&asked, &Value::Null)?;
        let decided = evaluate::evaluate(state.engine(), asker, &question).await??;
        return Ok(answer(StatusCode::OK, written(&decision(decided))?));
    };
    let mut decisions = Vec::with_capacity(batch.items.len());
    for item in batch.items {
        let decided = match reading::question(item, &asked) {
            Ok(question) => one(&state, asker, &question).await?,
            Err(refusal) => refused(&refusal),
        };
        let is_yes = decided["decision"] == true;
        decisions.push(decided);
        match batch.semantic {
            Semantic::DenyOnFirstDeny if !is_yes => break,
            Semantic::PermitOnFirstPermit if is_yes => break,
            Semantic::ExecuteAll | Semantic::DenyOnFirstDeny | Semantic::PermitOnFirstPermit => {}
        }
    }
    Ok(answer(StatusCode::OK, written(&json!({"evaluations": decisions}))?))
}

async fn one(state: &State, asker: Asker, question: &Question) -> Result<Value, Declined> {
    Ok(match evaluate::evaluate(state.engine(), asker, question).await? {
        Ok(decided) => decision(decided),
        Err(refusal) => refused(&refusal),
    })
}

/// Who asks, and what was sent. Nothing of it is looked at before it is known who sends it, but for what proves that.
async fn asked(state: &State, call: &Call) -> Result<(Asker, Value), Declined> {
    let mut sent = json::value(call.body());
    let proof = sent.as_mut().map_or_else(|_| Ok(Pairs::default()), client_proof::taken_from)?;
    let presented = client_proof::presented(call, &proof)?;
    let cause = Cause { actor: Actor::Anonymous, origin: call.origin() };
    let client = client_authentication::authenticate(state.engine(), &presented, &cause).await??;
    let asker = Asker::of(&client)?;
    Ok((asker, sent?))
}

fn decision(decided: evaluate::Answer) -> Value {
    match decided {
        evaluate::Answer::Yes => json!({"decision": true}),
        evaluate::Answer::No => json!({"decision": false}),
        evaluate::Answer::NoSuchType => {
            json!({"decision": false, "context": {"reason": "the API has no objects of this type"}})
        }
        evaluate::Answer::NoSuchAction => {
            json!({"decision": false, "context": {"reason": "nothing of this name is done with objects of this type"}})
        }
    }
}

/// A question among several that has no answer: the others have theirs.
fn refused(refusal: &Refusal) -> Value {
    let error = json!({"status": refusal.code().status(), "message": refusal.public()});
    json!({"decision": false, "context": {"error": error}})
}
