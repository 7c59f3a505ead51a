//! Submitted forms of operation pages: the operation is called with the body that the fields make.

use super::form::{DAY_SECONDS, FieldKind, FixedValue, FormField, NextPage, PageForm};
use super::{OperationPage, PageContent, secret_page};
use crate::console::action::{ActionError, ActionOutcome, CompletedAction, Outcome};
use crate::console::operations::values::text_at;
use crate::console::page_context::PageContext;
use crate::console::submitted_form::SubmittedForm;
use crate::management_api::in_process::{OperationCall, OperationReply};
use crate::state::RouteEntry;
use serde_json::{Map, Value, json};
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::refusal::{Refusal, RefusalReason};
use sinete_screens::console::block_page::{BlockLink, PageBlock, SecretBlock};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerError;
use sinete_server::route::{ApiConvention, OperationOutcome, RouteMethod};

/// Handles a form of an operation page.
pub(in crate::console) async fn submit_operation_form(
    work: &PageContext<'_>,
    page: &'static OperationPage,
    id: &str,
    form: &FormParams,
) -> Outcome {
    let action = form.get("action").unwrap_or_default();
    let Some((spec, route)) = page
        .find_form(action)
        .and_then(|spec| work.find_operation(spec.operation).map(|route| (spec, route)))
    else {
        return Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible));
    };
    if spec.needs_fresh {
        work.access.require_fresh_caller(work.engine()).await?;
    }
    let body = match route.operation.as_ref().is_some_and(|operation| operation.request.is_some()) {
        true => Some(
            build_body(spec, route.method, form)
                .map_err(|wrong| ActionError::Fields { wrong, detail: String::new() })?,
        ),
        false => None,
    };
    let body = match (body, route.method) {
        (Some(body), RouteMethod::Patch) => Some(remove_members(work, page, id, spec, body).await?),
        (body, _) => body,
    };
    let body = body.map(|body| add_fixed_values(work, spec, body));
    let call = build_call(work, page, id, (spec, route), form).body(body);
    match work.send(call).await {
        Ok(reply) => Ok(complete(work, page, spec, &reply)),
        Err(HandlerError::Refused(refusal)) => refuse(work, spec, refusal),
        Err(error) => Err(error.into()),
    }
}

/// What happens after a refusal: a repeated form leads on, invalid fields are marked.
fn refuse(work: &PageContext<'_>, spec: &PageForm, refusal: Refusal) -> Outcome {
    let pointers = refusal.validation_errors().iter().map(|fault| fault.pointer.as_str());
    let wrong: Vec<&FormField> = pointers.filter_map(|pointer| find_field(spec, pointer)).collect();
    let detail = describe_faults(work, spec, &refusal);
    match refusal.reason() {
        RefusalReason::Request(RequestRefusal::AlreadyCreated) => {
            Ok(ActionOutcome::Redirect(CompletedAction {
                notice: ConsoleNotice::MadeBefore,
                return_path: work.path.clone(),
            }))
        }
        _ => Err(match detail {
            Some(detail) => {
                ActionError::Fields { wrong: wrong.iter().map(|field| field.name()).collect(), detail }
            }
            None => ActionError::Refused(refusal),
        }),
    }
}

/// The sentences of all errors. Of several, each begins with the name of its field.
fn describe_faults(work: &PageContext<'_>, spec: &PageForm, refusal: &Refusal) -> Option<String> {
    let faults: Vec<_> = refusal.validation_errors().iter().collect();
    let sentence = |pointer: &str, text: &str| match find_field(spec, pointer) {
        Some(field) if faults.len() > 1 => format!("{}: {text}.", (field.label)(work.words())),
        _ => text.to_owned(),
    };
    let sentences = faults.iter().map(|fault| sentence(&fault.pointer, &fault.text));
    (!faults.is_empty()).then(|| sentences.collect::<Vec<_>>().join(" "))
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
    work: &PageContext<'_>,
    page: &OperationPage,
    id: &str,
    (spec, route): (&PageForm, &RouteEntry),
    form: &FormParams,
) -> OperationCall {
    let operation = route.operation.as_ref();
    let is_versioned = operation.is_some_and(|operation| operation.has_convention(ApiConvention::IfMatch));
    let version = form.get("version").and_then(|text| text.parse().ok()).filter(|_| is_versioned);
    let creates =
        operation.is_some_and(|operation| matches!(operation.outcome, OperationOutcome::Created(_)));
    let call =
        work.operation(spec.operation).version(version).idempotency_key(form.get("once").filter(|_| creates));
    let names = route.path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    names.fold(call, |call, name| match name {
        name if name == page.parameter() => call.path(name, id),
        "organization" if !page.is_of_instance() => call,
        name => call.path(name, form.get(name).or_else(|| form.get("item")).unwrap_or_default().trim()),
    })
}

/// Adds the values that the user does not choose.
fn add_fixed_values(work: &PageContext<'_>, spec: &PageForm, mut body: Value) -> Value {
    for (pointer, value) in spec.fixed {
        let value = match value {
            FixedValue::Text(text) => json!(text),
            FixedValue::OwnMembership => json!(work.access.membership.to_string()),
        };
        set_at(&mut body, pointer, value);
    }
    body
}

/// Adds null for the members that were deleted from a JSON object, which a merge patch would keep (RFC 7396).
async fn remove_members(
    work: &PageContext<'_>,
    page: &OperationPage,
    id: &str,
    spec: &PageForm,
    mut body: Value,
) -> Result<Value, ActionError> {
    let is_object = |field: &&FormField| body.pointer(field.pointer).is_some_and(Value::is_object);
    let objects: Vec<&FormField> =
        spec.fields.iter().filter(|field| matches!(field.kind, FieldKind::Json)).filter(is_object).collect();
    let Some(read) = page.reads.first().copied().filter(|_| !objects.is_empty()) else { return Ok(body) };
    let before = match work.send(work.operation(read).path(page.parameter(), id)).await {
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

fn set_removed_to_null(old: &Value, new: &mut Value) {
    let (Some(old), Some(new)) = (old.as_object(), new.as_object_mut()) else { return };
    for (name, value) in old {
        match new.get_mut(name) {
            Some(kept) => set_removed_to_null(value, kept),
            None => drop(new.insert(name.clone(), Value::Null)),
        }
    }
}

/// Builds the body; fails with the names of all fields that cannot be understood.
fn build_body(spec: &PageForm, method: RouteMethod, form: &FormParams) -> Result<Value, Vec<&'static str>> {
    let pairs = form.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let submitted = SubmittedForm::from_form(FormParams::from_pairs(pairs));
    let (mut body, mut wrong) = (Value::Object(Map::new()), Vec::new());
    for field in spec.fields.iter().filter(|field| !matches!(field.kind, FieldKind::Path)) {
        let value = match method {
            RouteMethod::Patch => changed_value(field, &submitted, form),
            RouteMethod::Get | RouteMethod::Post | RouteMethod::Put | RouteMethod::Delete => {
                new_value(field, form)
            }
        };
        match value {
            Ok(Some(value)) => set_at(&mut body, field.pointer, value),
            Ok(None) => {}
            Err(name) => wrong.push(name),
        }
    }
    if wrong.is_empty() { Ok(body) } else { Err(wrong) }
}

/// The value of a field that was edited; null if it was emptied.
fn changed_value(
    field: &FormField,
    submitted: &SubmittedForm,
    form: &FormParams,
) -> Result<Option<Value>, &'static str> {
    Ok(match field.kind {
        FieldKind::Ticks(options) => {
            let name = |option: &str| format!("{}.{option}", field.name());
            let is_changed =
                options.iter().any(|(option, _)| submitted.changed_tick(&name(option)).is_some());
            let ticked = is_changed.then(|| ticked_options(field, options, form));
            ticked.map(|ticked| if ticked == json!([]) && !keeps_empty(field) { Value::Null } else { ticked })
        }
        FieldKind::Tick => submitted.changed_tick(field.name()).map(Value::Bool),
        _ => match submitted.changed_text(field.name()) {
            Some(text) if text.trim().is_empty() && !keeps_empty(field) => Some(Value::Null),
            Some(text) => Some(parse_text(field, text)?),
            None => None,
        },
    })
}

/// Whether an emptied field is sent as it is, and not removed.
const fn keeps_empty(field: &FormField) -> bool {
    field.is_required || matches!(field.kind, FieldKind::TextOrEmpty)
}

/// The value of a field of a new resource.
fn new_value(field: &FormField, form: &FormParams) -> Result<Option<Value>, &'static str> {
    Ok(match field.kind {
        FieldKind::Ticks(options) => Some(ticked_options(field, options, form)),
        FieldKind::Tick => Some(Value::Bool(form.get(field.name()).is_some())),
        _ => match form.get(field.name()).map(str::trim).unwrap_or_default() {
            "" if !field.is_required => None,
            text => Some(parse_text(field, text)?),
        },
    })
}

fn ticked_options(field: &FormField, options: &[(&'static str, super::Phrase)], form: &FormParams) -> Value {
    let is_ticked = |option: &str| form.get(&format!("{}.{option}", field.name())).is_some();
    options.iter().map(|(option, _)| *option).filter(|option| is_ticked(option)).collect()
}

fn parse_text(field: &FormField, text: &str) -> Result<Value, &'static str> {
    let text = text.trim();
    Ok(match field.kind {
        FieldKind::Lines => text.lines().map(str::trim).filter(|line| !line.is_empty()).collect(),
        FieldKind::Number => json!(text.parse::<i64>().map_err(|_| field.name())?),
        FieldKind::Days => {
            let days = text.parse::<i64>().ok().and_then(|days| days.checked_mul(DAY_SECONDS));
            json!(days.ok_or_else(|| field.name())?)
        }
        FieldKind::Json => serde_json::from_str(text).map_err(|_| field.name())?,
        FieldKind::Day => json!(format!("{text}T23:59:59Z")),
        FieldKind::Text
        | FieldKind::TextOrEmpty
        | FieldKind::Email
        | FieldKind::Choice(_)
        | FieldKind::Ticks(_)
        | FieldKind::Tick
        | FieldKind::Path => json!(text),
    })
}

/// Sets the value at a pointer, with the objects above it.
fn set_at(body: &mut Value, pointer: &str, value: Value) {
    let mut place = body;
    for part in pointer.split('/').skip(1) {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        let Some(object) = place.as_object_mut() else { return };
        place = object.entry(part).or_insert(Value::Null);
    }
    *place = value;
}

fn complete(
    work: &PageContext<'_>,
    page: &'static OperationPage,
    spec: &PageForm,
    reply: &OperationReply,
) -> ActionOutcome {
    let child = |parent: &str, pointer: &str| match text_at(&reply.body, pointer) {
        id if pointer.is_empty() || id.is_empty() => parent.to_owned(),
        id => format!("{parent}/{id}"),
    };
    let (return_path, secrets) = match spec.next {
        NextPage::Same => (work.path.clone(), &[][..]),
        NextPage::List => (format!("{}{}", work.return_to.organization_path(), page.section.path()), &[][..]),
        NextPage::Created(pointer) => (child(&work.path, pointer), &[][..]),
        NextPage::Secret(pointer, secrets) => (child(&work.path, pointer), secrets),
        NextPage::SecretBelow(path, pointer, secrets) => (child(path, pointer), secrets),
    };
    let shown: Vec<(String, String)> = secrets
        .iter()
        .map(|(pointer, name)| (name(work.words()).to_owned(), text_at(&reply.body, pointer)))
        .filter(|(_, secret)| !secret.is_empty())
        .collect();
    if !shown.is_empty() {
        return ActionOutcome::Response(show_secrets(work, page, spec, shown, return_path));
    }
    ActionOutcome::Redirect(CompletedAction { notice: spec.notice, return_path })
}

/// Shows secrets in the response itself, the only place where they appear.
fn show_secrets(
    work: &PageContext<'_>,
    page: &'static OperationPage,
    spec: &PageForm,
    secrets: Vec<(String, String)>,
    path: String,
) -> axum::response::Response {
    let words = work.words();
    let block = SecretBlock {
        title: (spec.title)(words).to_owned(),
        secrets,
        next: BlockLink { text: words.api_keys.kept.to_owned(), path },
    };
    let content = PageContent {
        title: words.instance.secret_shown.to_owned(),
        lead: String::new(),
        blocks: vec![PageBlock::Secret(block)],
    };
    secret_page(work, page, content)
}

#[cfg(test)]
mod tests {
    use super::super::form::NO_PHRASE;
    use super::*;

    const FIELDS: &[FormField] = &[
        FormField { pointer: "/name", is_required: true, ..FormField::TEXT },
        FormField { pointer: "/metadata/redirect_uris", kind: FieldKind::Lines, ..FormField::TEXT },
        FormField { pointer: "/metadata/lifetime", kind: FieldKind::Number, ..FormField::TEXT },
        FormField {
            pointer: "/kinds",
            kind: FieldKind::Ticks(&[("a", NO_PHRASE), ("b", NO_PHRASE)]),
            ..FormField::TEXT
        },
        FormField { pointer: "/extra", kind: FieldKind::Json, ..FormField::TEXT },
        FormField { pointer: "/scope", kind: FieldKind::TextOrEmpty, ..FormField::TEXT },
        FormField { pointer: "/days", kind: FieldKind::Days, ..FormField::TEXT },
    ];
    const FORM: PageForm = PageForm { fields: FIELDS, ..PageForm::BUTTON };

    fn body(method: RouteMethod, form: &str) -> Result<Value, Vec<&'static str>> {
        build_body(&FORM, method, &FormParams::parse(form.as_bytes()).unwrap())
    }

    #[test]
    fn operation_form_makes_the_body_of_the_operation() {
        let typed = "name=Acme&metadata%2Fredirect_uris=https%3A%2F%2Fa.example%2F%0D%0A%0D%0Ahttps%3A%2F%2Fb.example%2F&kinds.b=on";
        assert_eq!(
            body(RouteMethod::Post, typed).unwrap(),
            json!({"name": "Acme", "metadata": {"redirect_uris": ["https://a.example/", "https://b.example/"]}, "kinds": ["b"]})
        );
        assert_eq!(body(RouteMethod::Post, "").unwrap(), json!({"name": "", "kinds": []}));
        assert_eq!(body(RouteMethod::Post, "metadata%2Flifetime=soon").unwrap_err(), ["metadata/lifetime"]);
        assert_eq!(body(RouteMethod::Post, "days=2").unwrap()["days"], 172_800);
        assert_eq!(body(RouteMethod::Post, "days=9223372036854775807").unwrap_err(), ["days"]);
        let two = "metadata%2Flifetime=soon&extra=%7B";
        assert_eq!(body(RouteMethod::Post, two).unwrap_err(), ["metadata/lifetime", "extra"]);
    }

    #[test]
    fn operation_form_of_a_patch_removes_an_emptied_field_unless_empty_is_a_value() {
        let shown = crate::console::submitted_form::encode_original_values(
            [("metadata/lifetime", "5"), ("scope", "openid")],
            [],
        );
        let emptied = format!("shown={shown}&metadata%2Flifetime=&scope=");
        assert_eq!(
            body(RouteMethod::Patch, &emptied).unwrap(),
            json!({"metadata": {"lifetime": null}, "scope": ""})
        );
        assert_eq!(body(RouteMethod::Patch, &format!("shown={shown}&scope=openid")).unwrap(), json!({}));
    }

    #[test]
    fn operation_form_of_a_patch_has_only_what_was_edited() {
        let shown = crate::console::submitted_form::encode_original_values(
            [("name", "Acme"), ("metadata/redirect_uris", "https://a.example/"), ("metadata/lifetime", "5")],
            ["kinds.a".to_owned()],
        );
        let same = format!(
            "shown={shown}&name=Acme&metadata%2Fredirect_uris=https%3A%2F%2Fa.example%2F&metadata%2Flifetime=5&kinds.a=on"
        );
        assert_eq!(body(RouteMethod::Patch, &same).unwrap(), json!({}));
        let other = format!(
            "shown={shown}&name=Acme&metadata%2Fredirect_uris=&metadata%2Flifetime=6&kinds.a=on&kinds.b=on"
        );
        assert_eq!(
            body(RouteMethod::Patch, &other).unwrap(),
            json!({"metadata": {"redirect_uris": null, "lifetime": 6}, "kinds": ["a", "b"]})
        );
    }

    #[test]
    fn operation_form_of_a_patch_deletes_members_that_were_deleted_from_json() {
        let old = json!({"a": 1, "b": {"c": 1, "d": [1]}, "e": {"f": 1}});
        let mut new = json!({"b": {"d": [2], "g": 3}, "e": 5});
        set_removed_to_null(&old, &mut new);
        assert_eq!(new, json!({"a": null, "b": {"c": null, "d": [2], "g": 3}, "e": 5}));
    }

    #[test]
    fn operation_form_marks_the_field_that_contains_the_error() {
        assert_eq!(find_field(&FORM, "/metadata/redirect_uris/1").unwrap().name(), "metadata/redirect_uris");
        assert!(find_field(&FORM, "/metadata/redirect_urisX").is_none() && find_field(&FORM, "").is_none());
    }
}
