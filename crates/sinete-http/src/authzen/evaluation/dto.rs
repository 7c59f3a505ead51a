//! Evaluation requests. Unknown members are ignored (§10.1.1 of the specification); missing ones are errors.

use serde_json::Value;
use sinete_core::authzen::RelationObject;
use sinete_core::limits::EVALUATIONS_MAX;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_engine::authzen::evaluation::{AccessEvaluation, AuthzenEvaluationTarget, RequestedSubject};

/// A batch of evaluations.
pub(crate) struct EvaluationBatch<'a> {
    /// The evaluations.
    pub(crate) items: &'a [Value],
    /// When to stop.
    pub(crate) semantic: BatchSemantic,
}

/// When to stop a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BatchSemantic {
    /// After all evaluations.
    ExecuteAll,
    /// At the first denial.
    DenyOnFirstDeny,
    /// At the first permit.
    PermitOnFirstPermit,
}

impl<'a> EvaluationBatch<'a> {
    /// Parses a batch; `None` for a single evaluation (§7.1).
    pub(crate) fn parse(body: &'a Value) -> Result<Option<Self>, Refusal> {
        require_object(body)?;
        let items = match body.get("evaluations") {
            None => return Ok(None),
            Some(Value::Array(items)) if items.is_empty() => return Ok(None),
            Some(Value::Array(items)) if items.len() <= EVALUATIONS_MAX => items,
            Some(Value::Array(_)) => {
                return Err(invalid_request(
                    "The member evaluations has more than 50 elements. Send several requests.",
                ));
            }
            Some(_) => {
                return Err(invalid_request(
                    "The member evaluations is not an array of objects. Send one object for each evaluation.",
                ));
            }
        };
        let semantic = match body.pointer("/options/evaluations_semantic") {
            None => BatchSemantic::ExecuteAll,
            Some(Value::String(text)) if text == "execute_all" => BatchSemantic::ExecuteAll,
            Some(Value::String(text)) if text == "deny_on_first_deny" => BatchSemantic::DenyOnFirstDeny,
            Some(Value::String(text)) if text == "permit_on_first_permit" => {
                BatchSemantic::PermitOnFirstPermit
            }
            Some(_) => {
                return Err(invalid_request(
                    "The member options.evaluations_semantic has an unknown value. Send execute_all, \
                     deny_on_first_deny or permit_on_first_permit.",
                ));
            }
        };
        Ok(Some(Self { items, semantic }))
    }
}

/// Parses an evaluation; missing members are taken from the defaults (§7.1.1).
pub(crate) fn parse_evaluation(input: &Value, otherwise: &Value) -> Result<AccessEvaluation, Refusal> {
    require_object(input)?;
    let part = |name: &str| input.get(name).or_else(|| otherwise.get(name));
    let subject = parse_subject(part("subject"))?;
    let action = require_text(
        part("action"),
        "name",
        "The member action.name is missing or not a string. Send a string.",
    )?;
    let resource = part("resource");
    let of_type = require_text(
        resource,
        "type",
        "The member resource.type is missing or not a string. Send a string.",
    )?;
    let id =
        require_text(resource, "id", "The member resource.id is missing or not a string. Send a string.")?;
    let object = parse_resource(of_type, id)?;
    Ok(AccessEvaluation { subject, action: action.to_owned(), object, at: parse_context(part("context"))? })
}

/// Parses the context: API and organization.
pub(crate) fn parse_context(context: Option<&Value>) -> Result<AuthzenEvaluationTarget, Refusal> {
    if context.is_some_and(|context| !context.is_object()) {
        return Err(invalid_request("The member context is not an object. Send an object, or leave it out."));
    }
    let api = optional_text(
        context,
        "api",
        "The member context.api is not a string. Send a string, or leave it out.",
    )?;
    let organization = optional_text(
        context,
        "organization",
        "The member context.organization is not a string. Send a string, or leave it out.",
    )?;
    Ok(AuthzenEvaluationTarget { api, organization })
}

/// Parses the subject.
pub(crate) fn parse_subject(subject: Option<&Value>) -> Result<RequestedSubject, Refusal> {
    let of_type =
        require_text(subject, "type", "The member subject.type is missing or not a string. Send a string.")?;
    let id = require_text(subject, "id", "The member subject.id is missing or not a string. Send a string.")?
        .to_owned();
    match of_type {
        "member" => Ok(RequestedSubject::Member(id)),
        "client" => Ok(RequestedSubject::Client(id)),
        "access_token" => Ok(RequestedSubject::Token(id)),
        _ => Err(invalid_request(
            "The member subject.type has an unknown value. Send member, client or access_token.",
        )),
    }
}

/// Parses the resource.
pub(crate) fn parse_resource(of_type: &str, id: &str) -> Result<RelationObject, Refusal> {
    RelationObject::new(of_type, id).map_err(|_| {
        invalid_request(
            "The member resource is not valid. Send as type lower-case letters, digits and underscores, and \
             as id 1 to 128 printable characters without a space.",
        )
    })
}

pub(crate) fn require_object(value: &Value) -> Result<(), Refusal> {
    if value.is_object() {
        Ok(())
    } else {
        Err(invalid_request(
            "An evaluation is not an object. Send an object with subject, action and resource.",
        ))
    }
}

/// A required string member.
pub(crate) fn require_text<'v>(
    part: Option<&'v Value>,
    name: &str,
    missing: &'static str,
) -> Result<&'v str, Refusal> {
    part.and_then(|part| part.get(name)).and_then(Value::as_str).ok_or_else(|| invalid_request(missing))
}

fn optional_text(part: Option<&Value>, name: &str, wrong: &'static str) -> Result<Option<String>, Refusal> {
    match part.and_then(|part| part.get(name)) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(invalid_request(wrong)),
    }
}

pub(crate) fn invalid_request(text: &'static str) -> Refusal {
    Refusal::because(RequestRefusal::ParameterInvalid(text), "")
}
