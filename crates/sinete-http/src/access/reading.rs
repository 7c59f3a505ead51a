//! Questions as they are sent. What is not known is passed over (§10.1.1 of the specification), and what is missing is said.

use serde_json::Value;
use sinete_core::limits::EVALUATIONS_MAX;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::relation::RelationObject;
use sinete_engine::evaluate::{AccessEvaluation, EvaluationTarget, RequestedSubject};

/// Several questions, and when to stop.
pub(super) struct EvaluationBatch<'a> {
    /// The questions.
    pub(super) items: &'a [Value],
    /// When to stop.
    pub(super) semantic: BatchSemantic,
}

/// When to stop answering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BatchSemantic {
    /// At the end.
    ExecuteAll,
    /// At the first no.
    DenyOnFirstDeny,
    /// At the first yes.
    PermitOnFirstPermit,
}

impl<'a> EvaluationBatch<'a> {
    /// The questions, if there are several; one that is asked alone stands for itself (§7.1).
    pub(super) fn read(asked: &'a Value) -> Result<Option<Self>, Refusal> {
        must_be_object(asked)?;
        let items = match asked.get("evaluations") {
            None => return Ok(None),
            Some(Value::Array(items)) if items.is_empty() => return Ok(None),
            Some(Value::Array(items)) if items.len() <= EVALUATIONS_MAX => items,
            Some(Value::Array(_)) => return Err(malformed("at most 50 evaluations are asked for together")),
            Some(_) => return Err(malformed("evaluations is a list of questions")),
        };
        let semantic = match asked.pointer("/options/evaluations_semantic") {
            None => BatchSemantic::ExecuteAll,
            Some(Value::String(text)) if text == "execute_all" => BatchSemantic::ExecuteAll,
            Some(Value::String(text)) if text == "deny_on_first_deny" => BatchSemantic::DenyOnFirstDeny,
            Some(Value::String(text)) if text == "permit_on_first_permit" => {
                BatchSemantic::PermitOnFirstPermit
            }
            Some(_) => {
                return Err(malformed(
                    "options.evaluations_semantic is execute_all, deny_on_first_deny or permit_on_first_permit",
                ));
            }
        };
        Ok(Some(Self { items, semantic }))
    }
}

/// The question; what it does not say is said by the other (§7.1.1).
pub(super) fn question(asked: &Value, otherwise: &Value) -> Result<AccessEvaluation, Refusal> {
    must_be_object(asked)?;
    let part = |name: &str| asked.get(name).or_else(|| otherwise.get(name));
    let subject = subject(part("subject"))?;
    let action = text(part("action"), "name", "the question needs action.name, a text")?;
    let resource = part("resource");
    let of_type = text(resource, "type", "the question needs resource.type, a text")?;
    let id = text(resource, "id", "the question needs resource.id, a text")?;
    let object = object(of_type, id)?;
    Ok(AccessEvaluation { subject, action: action.to_owned(), object, at: at(part("context"))? })
}

/// Where something is asked about.
pub(super) fn at(context: Option<&Value>) -> Result<EvaluationTarget, Refusal> {
    if context.is_some_and(|context| !context.is_object()) {
        return Err(malformed("context is an object"));
    }
    let api = optional(context, "api", "context.api is a text")?;
    let organization = optional(context, "organization", "context.organization is a text")?;
    Ok(EvaluationTarget { api, organization })
}

/// Who is asked about.
pub(super) fn subject(subject: Option<&Value>) -> Result<RequestedSubject, Refusal> {
    let of_type = text(subject, "type", "the question needs subject.type, a text")?;
    let id = text(subject, "id", "the question needs subject.id, a text")?.to_owned();
    match of_type {
        "member" => Ok(RequestedSubject::Member(id)),
        "client" => Ok(RequestedSubject::Client(id)),
        "access_token" => Ok(RequestedSubject::Token(id)),
        _ => Err(malformed("subject.type is member, client or access_token")),
    }
}

/// What is asked about.
pub(super) fn object(of_type: &str, id: &str) -> Result<RelationObject, Refusal> {
    RelationObject::new(of_type, id).map_err(|_| {
        malformed(
            "resource.type is a plain word, and resource.id is 1 to 128 printable characters without a space",
        )
    })
}

pub(super) fn must_be_object(asked: &Value) -> Result<(), Refusal> {
    if asked.is_object() { Ok(()) } else { Err(malformed("a question is an object")) }
}

/// A text that must be there.
pub(super) fn text<'v>(
    part: Option<&'v Value>,
    name: &str,
    missing: &'static str,
) -> Result<&'v str, Refusal> {
    part.and_then(|part| part.get(name)).and_then(Value::as_str).ok_or_else(|| malformed(missing))
}

fn optional(part: Option<&Value>, name: &str, wrong: &'static str) -> Result<Option<String>, Refusal> {
    match part.and_then(|part| part.get(name)) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(malformed(wrong)),
    }
}

pub(super) fn malformed(public: &'static str) -> Refusal {
    Refusal::new(RefusalCode::InvalidRequest, public, public)
}
