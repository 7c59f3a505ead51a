//! The request body that a submitted form makes.

use super::form::{DAY_SECONDS, FieldKind, FormField, PageForm};
use crate::console::submitted_form::SubmittedForm;
use serde_json::{Map, Value, json};
use sinete_server::extract::params::FormParams;
use sinete_server::route::RouteMethod;

/// Builds the body; fails with the names of all fields that cannot be understood.
pub(super) fn build_body(
    spec: &PageForm,
    method: RouteMethod,
    form: &FormParams,
) -> Result<Value, Vec<&'static str>> {
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
        FieldKind::Checkboxes(options) => {
            let name = |option: &str| format!("{}.{option}", field.name());
            let is_changed =
                options.iter().any(|(option, _)| submitted.changed_tick(&name(option)).is_some());
            let selection = is_changed.then(|| ticked_options(field, options, form));
            selection.map(
                |selection| {
                    if selection == json!([]) && !keeps_empty(field) { Value::Null } else { selection }
                },
            )
        }
        FieldKind::Checkbox => submitted.changed_tick(field.name()).map(Value::Bool),
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
        FieldKind::Checkboxes(options) => Some(ticked_options(field, options, form)),
        FieldKind::Checkbox => Some(Value::Bool(form.get(field.name()).is_some())),
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
        | FieldKind::Checkboxes(_)
        | FieldKind::Checkbox
        | FieldKind::Path => json!(text),
    })
}

/// Sets the value at a pointer, with the objects above it.
pub(super) fn set_at(body: &mut Value, pointer: &str, value: Value) {
    let mut target = body;
    for part in pointer.split('/').skip(1) {
        if !target.is_object() {
            *target = Value::Object(Map::new());
        }
        let Some(object) = target.as_object_mut() else { return };
        target = object.entry(part).or_insert(Value::Null);
    }
    *target = value;
}

/// Sets the members that were deleted from a JSON object to null (RFC 7396).
pub(super) fn set_removed_to_null(old: &Value, new: &mut Value) {
    let (Some(old), Some(new)) = (old.as_object(), new.as_object_mut()) else { return };
    for (name, value) in old {
        match new.get_mut(name) {
            Some(new_value) => set_removed_to_null(value, new_value),
            None => drop(new.insert(name.clone(), Value::Null)),
        }
    }
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
            kind: FieldKind::Checkboxes(&[("a", NO_PHRASE), ("b", NO_PHRASE)]),
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
    fn operation_form_builds_the_request_body() {
        let form_body = "name=Acme&metadata%2Fredirect_uris=https%3A%2F%2Fa.example%2F%0D%0A%0D%0Ahttps%3A%2F%2Fb.example%2F&kinds.b=on";
        assert_eq!(
            body(RouteMethod::Post, form_body).unwrap(),
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
        let original_values = crate::console::submitted_form::encode_original_values(
            [("metadata/lifetime", "5"), ("scope", "openid")],
            [],
        );
        let emptied = format!("shown={original_values}&metadata%2Flifetime=&scope=");
        assert_eq!(
            body(RouteMethod::Patch, &emptied).unwrap(),
            json!({"metadata": {"lifetime": null}, "scope": ""})
        );
        assert_eq!(
            body(RouteMethod::Patch, &format!("shown={original_values}&scope=openid")).unwrap(),
            json!({})
        );
    }

    #[test]
    fn operation_form_of_a_patch_has_only_what_was_edited() {
        let original_values = crate::console::submitted_form::encode_original_values(
            [("name", "Acme"), ("metadata/redirect_uris", "https://a.example/"), ("metadata/lifetime", "5")],
            ["kinds.a".to_owned()],
        );
        let same = format!(
            "shown={original_values}&name=Acme&metadata%2Fredirect_uris=https%3A%2F%2Fa.example%2F&metadata%2Flifetime=5&kinds.a=on"
        );
        assert_eq!(body(RouteMethod::Patch, &same).unwrap(), json!({}));
        let other = format!(
            "shown={original_values}&name=Acme&metadata%2Fredirect_uris=&metadata%2Flifetime=6&kinds.a=on&kinds.b=on"
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
}
