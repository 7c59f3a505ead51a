//! Submitted forms of operation pages: the operation is called with the body that the fields make.

use super::form::{FieldKind, FixedValue, FormField, NextPage, PageForm};
use super::request_body::{build_body, set_at, set_removed_to_null};
use super::{OperationPage, PageContent, secret_page};
use crate::console::action::{ActionError, ActionOutcome, CompletedAction, Outcome};
use crate::console::operations::values::text_at;
use crate::console::page_context::PageContext;
use crate::management_api::in_process::{OperationCall, OperationReply};
use crate::state::RouteEntry;
use serde_json::{Value, json};
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::refusal::{Refusal, RefusalReason};
use sinete_screens::console::block_page::{BlockLink, PageBlock, SecretBlock};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerError;
use sinete_server::route::{ApiConvention, OperationOutcome, RouteMethod};

/// Handles a form of an operation page.
pub(in crate::console) async fn submit_operation_form(
    context: &PageContext<'_>,
    page: &'static OperationPage,
    id: &str,
    form: &FormParams,
) -> Outcome {
    let action = form.get("action").unwrap_or_default();
    let Some((spec, route)) = page
        .find_form(action)
        .and_then(|spec| context.find_operation(spec.operation).map(|route| (spec, route)))
    else {
        return Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible));
    };
    if spec.requires_fresh_authentication {
        context.access.require_fresh_caller(context.engine()).await?;
    }
    let body = match route.operation.as_ref().is_some_and(|operation| operation.request.is_some()) {
        true => Some(
            build_body(spec, route.method, form)
                .map_err(|wrong| ActionError::Fields { invalid_fields: wrong, detail: String::new() })?,
        ),
        false => None,
    };
    let body = match (body, route.method) {
        (Some(body), RouteMethod::Patch) => Some(remove_members(context, page, id, spec, body).await?),
        (body, _) => body,
    };
    let body = body.map(|body| add_fixed_values(context, spec, body));
    let operation_call = build_call(context, page, id, spec, route, form).body(body);
    match context.send(operation_call).await {
        Ok(reply) => Ok(complete_action(context, page, spec, &reply)),
        Err(HandlerError::Refused(refusal)) => handle_refusal(context, spec, refusal),
        Err(error) => Err(error.into()),
    }
}

/// What happens after a refusal: a repeated form leads on, invalid fields are marked.
fn handle_refusal(context: &PageContext<'_>, spec: &PageForm, refusal: Refusal) -> Outcome {
    let pointers = refusal.validation_errors().iter().map(|fault| fault.pointer.as_str());
    let wrong: Vec<&FormField> = pointers.filter_map(|pointer| find_field(spec, pointer)).collect();
    let detail = describe_faults(context, spec, &refusal);
    match refusal.reason() {
        RefusalReason::Request(RequestRefusal::AlreadyCreated) => {
            Ok(ActionOutcome::Redirect(CompletedAction {
                notice: ConsoleNotice::MadeBefore,
                return_path: context.path.clone(),
            }))
        }
        _ => Err(match detail {
            Some(detail) => ActionError::Fields {
                invalid_fields: wrong.iter().map(|field| field.name()).collect(),
                detail,
            },
            None => ActionError::Refused(refusal),
        }),
    }
}

/// The sentences of all errors. Of several, each begins with the name of its field.
fn describe_faults(context: &PageContext<'_>, spec: &PageForm, refusal: &Refusal) -> Option<String> {
    let errors: Vec<_> = refusal.validation_errors().iter().collect();
    let sentence = |pointer: &str, text: &str| match find_field(spec, pointer) {
        Some(field) if errors.len() > 1 => format!("{}: {text}.", (field.label)(context.phrases())),
        _ => text.to_owned(),
    };
    let sentences = errors.iter().map(|fault| sentence(&fault.pointer, &fault.text));
    (!errors.is_empty()).then(|| sentences.collect::<Vec<_>>().join(" "))
}

/// The field whose value contains the place of an error.
fn find_field<'f>(spec: &'f PageForm, pointer: &str) -> Option<&'f FormField> {
    let is_within = |field: &&FormField| {
        pointer == field.pointer
            || pointer.strip_prefix(field.pointer).is_some_and(|rest| rest.starts_with('/'))
    };
    spec.fields.iter().find(is_within)
}

fn build_call(
    context: &PageContext<'_>,
    page: &OperationPage,
    id: &str,
    spec: &PageForm,
    route: &RouteEntry,
    form: &FormParams,
) -> OperationCall {
    let operation = route.operation.as_ref();
    let is_versioned = operation.is_some_and(|operation| operation.has_convention(ApiConvention::IfMatch));
    let version = form.get("version").and_then(|text| text.parse().ok()).filter(|_| is_versioned);
    let creates =
        operation.is_some_and(|operation| matches!(operation.outcome, OperationOutcome::Created(_)));
    let operation_call = context
        .operation(spec.operation)
        .version(version)
        .idempotency_key(form.get("once").filter(|_| creates));
    let names = route.path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    names.fold(operation_call, |operation_call, name| match name {
        name if name == page.parameter() => operation_call.path(name, id),
        "organization" if !page.is_of_instance() => operation_call,
        name => {
            operation_call.path(name, form.get(name).or_else(|| form.get("item")).unwrap_or_default().trim())
        }
    })
}

/// Adds the values that the user does not choose.
fn add_fixed_values(context: &PageContext<'_>, spec: &PageForm, mut body: Value) -> Value {
    for (pointer, value) in spec.fixed_values {
        let value = match value {
            FixedValue::Text(text) => json!(text),
            FixedValue::OwnMembership => json!(context.access.membership.to_string()),
        };
        set_at(&mut body, pointer, value);
    }
    body
}

/// Adds null for the members that were deleted from a JSON object, which a merge patch would keep (RFC 7396).
async fn remove_members(
    context: &PageContext<'_>,
    page: &OperationPage,
    id: &str,
    spec: &PageForm,
    mut body: Value,
) -> Result<Value, ActionError> {
    let is_object = |field: &&FormField| body.pointer(field.pointer).is_some_and(Value::is_object);
    let objects: Vec<&FormField> =
        spec.fields.iter().filter(|field| matches!(field.kind, FieldKind::Json)).filter(is_object).collect();
    let Some(read) = page.reads.first().copied().filter(|_| !objects.is_empty()) else { return Ok(body) };
    let before = match context.send(context.operation(read).path(page.parameter(), id)).await {
        Ok(reply) => reply.body,
        Err(HandlerError::Refused(refusal)) => return Err(ActionError::Refused(refusal)),
        Err(error) => return Err(error.into()),
    };
    for field in objects {
        if let (Some(old), Some(new)) = (before.pointer(field.pointer), body.pointer_mut(field.pointer)) {
            set_removed_to_null(old, new);
        }
    }
    Ok(body)
}

fn complete_action(
    context: &PageContext<'_>,
    page: &'static OperationPage,
    spec: &PageForm,
    reply: &OperationReply,
) -> ActionOutcome {
    let child = |parent: &str, pointer: &str| match text_at(&reply.body, pointer) {
        id if pointer.is_empty() || id.is_empty() => parent.to_owned(),
        id => format!("{parent}/{id}"),
    };
    let (return_path, secrets) = match spec.next {
        NextPage::Same => (context.path.clone(), &[][..]),
        NextPage::List => {
            (format!("{}{}", context.return_to.organization_path(), page.section.path()), &[][..])
        }
        NextPage::Created(pointer) => (child(&context.path, pointer), &[][..]),
        NextPage::Secret(pointer, secrets) => (child(&context.path, pointer), secrets),
        NextPage::SecretBelow(path, pointer, secrets) => (child(path, pointer), secrets),
    };
    let labeled_secrets: Vec<(String, String)> = secrets
        .iter()
        .map(|(pointer, name)| (name(context.phrases()).to_owned(), text_at(&reply.body, pointer)))
        .filter(|(_, secret)| !secret.is_empty())
        .collect();
    if !labeled_secrets.is_empty() {
        return ActionOutcome::Response(show_secrets(context, page, spec, labeled_secrets, return_path));
    }
    ActionOutcome::Redirect(CompletedAction { notice: spec.notice, return_path })
}

/// Shows secrets in the response itself, the only place where they appear.
fn show_secrets(
    context: &PageContext<'_>,
    page: &'static OperationPage,
    spec: &PageForm,
    secrets: Vec<(String, String)>,
    path: String,
) -> axum::response::Response {
    let phrases = context.phrases();
    let block = SecretBlock {
        title: (spec.title)(phrases).to_owned(),
        secrets,
        next: BlockLink { text: phrases.api_keys.kept.to_owned(), path },
    };
    let content = PageContent {
        title: phrases.instance.secret_shown.to_owned(),
        introduction: String::new(),
        blocks: vec![PageBlock::Secret(block)],
    };
    secret_page(context, page, content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operation_form_marks_the_field_that_contains_the_error() {
        const FIELDS: &[FormField] =
            &[FormField { pointer: "/metadata/redirect_uris", kind: FieldKind::Lines, ..FormField::TEXT }];
        let form = PageForm { fields: FIELDS, ..PageForm::BUTTON };
        assert_eq!(find_field(&form, "/metadata/redirect_uris/1").unwrap().name(), "metadata/redirect_uris");
        assert!(find_field(&form, "/metadata/redirect_urisX").is_none() && find_field(&form, "").is_none());
    }
}
