//! Patch requests (RFC 7644 §3.5.2), including the variants that directories send in practice.

mod target;

use super::attribute::ScimAttribute;
use super::{ENTERPRISE_SCHEMA, ScimResourceType, normalization, refuse_attribute};
use crate::limits::SCIM_PATCH_OPERATIONS_MAX;
use crate::refusal::Refusal;
use crate::refusal::scim::ScimRefusal;
use serde_json::{Map, Value};
use std::collections::HashSet;
use target::ScimPatchTarget;

/// The schema of a patch request.
pub const SCHEMA: &str = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

/// One patch operation.
#[derive(Clone, Debug, PartialEq)]
pub struct ScimPatchOperation {
    verb: ScimPatchOp,
    path: Option<String>,
    value: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScimPatchOp {
    Add,
    Replace,
    Remove,
}

/// Parses the operations.
pub fn parse_patch(sent: &Value) -> Result<Vec<ScimPatchOperation>, Refusal> {
    let malformed = |text| Refusal::because(ScimRefusal::SyntaxInvalid(text), "");
    let Value::Object(sent) = sent else { return Err(malformed("The PATCH request must be a JSON object.")) };
    normalization::require_schema(sent, SCHEMA)?;
    let operations = member(sent, "Operations").and_then(Value::as_array);
    let operations = operations.ok_or_else(|| malformed("The PATCH request needs the array Operations."))?;
    if operations.is_empty() || operations.len() > SCIM_PATCH_OPERATIONS_MAX {
        return Err(malformed(
            "The array Operations is empty or has more operations than the server accepts.",
        ));
    }
    let read = |operation: &Value| {
        let Value::Object(operation) = operation else {
            return Err(malformed("Each operation must be an object."));
        };
        let verb = member(operation, "op").and_then(Value::as_str).unwrap_or_default();
        // Entra ID capitalizes them.
        let verb = match verb.to_ascii_lowercase().as_str() {
            "add" => ScimPatchOp::Add,
            "replace" => ScimPatchOp::Replace,
            "remove" => ScimPatchOp::Remove,
            _ => return Err(malformed("The member op must be add, replace or remove.")),
        };
        let path = match member(operation, "path") {
            None | Some(Value::Null) => None,
            Some(Value::String(path)) if path.trim().is_empty() => None,
            Some(Value::String(path)) => Some(path.trim().to_owned()),
            Some(_) => return Err(malformed("The member path must be a string.")),
        };
        let value = member(operation, "value").cloned().unwrap_or_default();
        Ok(ScimPatchOperation { verb, path, value })
    };
    operations.iter().map(read).collect()
}

fn member<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    object.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// Applies all operations to a resource, or none.
pub fn apply_patch(
    kind: ScimResourceType,
    before: &Map<String, Value>,
    operations: &[ScimPatchOperation],
) -> Result<Map<String, Value>, Refusal> {
    let mut resource = before.clone();
    for operation in operations {
        match (&operation.path, operation.verb) {
            (Some(path), verb) => {
                let target = ScimPatchTarget::parse(kind, path)?;
                if target.is_read_only() {
                    return Err(refuse_attribute(ScimRefusal::AttributeReadOnly, path));
                }
                change(&mut resource, &target, verb, &operation.value)?;
            }
            (None, ScimPatchOp::Remove) => {
                return Err(Refusal::because(ScimRefusal::PathMissing, ""));
            }
            (None, verb) => change_members(kind, &mut resource, verb, &operation.value)?,
        }
    }
    Ok(resource)
}

/// Applies an operation without a path: each member of the value is a change. Names may be paths, as Entra ID
/// sends them. Unknown and read-only attributes are ignored.
fn change_members(
    kind: ScimResourceType,
    resource: &mut Map<String, Value>,
    verb: ScimPatchOp,
    value: &Value,
) -> Result<(), Refusal> {
    let Value::Object(members) = value else {
        return Err(Refusal::because(ScimRefusal::ValueNotObject, ""));
    };
    for (name, value) in members {
        let Ok(target) = ScimPatchTarget::parse(kind, name) else { continue };
        if !target.is_read_only() {
            change(resource, &target, verb, value)?;
        }
    }
    Ok(())
}

fn change(
    resource: &mut Map<String, Value>,
    target: &ScimPatchTarget,
    verb: ScimPatchOp,
    value: &Value,
) -> Result<(), Refusal> {
    match target {
        ScimPatchTarget::Extension(attributes) => change_extension(resource, attributes, verb, value),
        ScimPatchTarget::Whole { is_extension, attribute } => {
            within(resource, *is_extension, |home| match verb {
                ScimPatchOp::Add => add(home, attribute, value),
                ScimPatchOp::Replace => replace(home, attribute, value),
                ScimPatchOp::Remove => remove(home, attribute, value),
            })
        }
        ScimPatchTarget::Part { is_extension, attribute, part } => within(resource, *is_extension, |home| {
            let value =
                if verb == ScimPatchOp::Remove { None } else { normalization::normalize_value(part, value)? };
            match home.get_mut(attribute.name) {
                Some(Value::Array(elements)) => {
                    elements.iter_mut().for_each(|element| set_part(element, part, value.clone()));
                }
                Some(whole) => set_part(whole, part, value),
                None => {
                    let whole = Map::from_iter(value.map(|value| (part.name.to_owned(), value)));
                    let whole = Value::Object(whole);
                    let whole = if attribute.is_many { Value::Array(vec![whole]) } else { whole };
                    home.insert(attribute.name.to_owned(), whole);
                }
            }
            tidy(home, attribute)
        }),
        ScimPatchTarget::Elements { is_extension, attribute, .. } => {
            within(resource, *is_extension, |home| {
                change_elements(home, target, verb, value)?;
                tidy(home, attribute)
            })
        }
    }
}

fn change_extension(
    resource: &mut Map<String, Value>,
    attributes: &'static [ScimAttribute],
    verb: ScimPatchOp,
    value: &Value,
) -> Result<(), Refusal> {
    if verb == ScimPatchOp::Remove {
        resource.remove(ENTERPRISE_SCHEMA);
        return Ok(());
    }
    let Value::Object(members) = value else {
        return Err(Refusal::because(ScimRefusal::ExtensionNotObject, ""));
    };
    for (name, value) in members {
        let known = attributes.iter().find(|attribute| attribute.name.eq_ignore_ascii_case(name));
        let Some(attribute) = known else { continue };
        change(resource, &ScimPatchTarget::Whole { is_extension: true, attribute }, verb, value)?;
    }
    Ok(())
}

/// Runs a change on the object that holds the attribute; an object that is empty afterwards is removed.
fn within(
    resource: &mut Map<String, Value>,
    is_extension: bool,
    change: impl FnOnce(&mut Map<String, Value>) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    if !is_extension {
        return change(resource);
    }
    let mut extension = match resource.remove(ENTERPRISE_SCHEMA) {
        Some(Value::Object(extension)) => extension,
        _ => Map::new(),
    };
    change(&mut extension)?;
    if !extension.is_empty() {
        resource.insert(ENTERPRISE_SCHEMA.to_owned(), Value::Object(extension));
    }
    Ok(())
}

/// The maximum number of elements that are compared one by one.
const FEW: usize = 16;

/// `add`: appends to a multi-valued attribute, merges sub-attributes of a complex one, and replaces others.
fn add(home: &mut Map<String, Value>, attribute: &ScimAttribute, value: &Value) -> Result<(), Refusal> {
    if !attribute.is_many {
        return replace(home, attribute, value);
    }
    let Some(Value::Array(added)) = normalization::normalize_value(attribute, value)? else { return Ok(()) };
    let Some(Value::Array(elements)) = home.get_mut(attribute.name) else {
        home.insert(attribute.name.to_owned(), Value::Array(added));
        return Ok(());
    };
    let id = |element: &Value| normalization::find_member_id(attribute, element).map(str::to_owned);
    // Few elements are compared one by one; for many, the existing ones are collected in a set first.
    let known: Option<HashSet<String>> =
        (added.len() > FEW).then(|| elements.iter().filter_map(id).collect());
    for element in added {
        let is_there = match (normalization::find_member_id(attribute, &element), &known) {
            (Some(id), Some(known)) => known.contains(id),
            (Some(id), None) => {
                elements.iter().any(|it| normalization::find_member_id(attribute, it) == Some(id))
            }
            (None, _) => elements.contains(&element),
        };
        if !is_there {
            make_room_for_primary(elements, &element);
            elements.push(element);
        }
    }
    tidy(home, attribute)
}

/// `replace`: replaces the value; of a complex value only the given sub-attributes.
fn replace(home: &mut Map<String, Value>, attribute: &ScimAttribute, value: &Value) -> Result<(), Refusal> {
    match (normalization::normalize_value(attribute, value)?, home.get_mut(attribute.name)) {
        (None, _) if value.is_object() && !attribute.is_many => {}
        (None, _) => {
            home.remove(attribute.name);
        }
        (Some(Value::Object(parts)), Some(Value::Object(known))) => known.extend(parts),
        (Some(value), _) => {
            home.insert(attribute.name.to_owned(), value);
        }
    }
    // A sub-attribute sent as null is removed.
    if let (Value::Object(sent), Some(Value::Object(known))) = (value, home.get_mut(attribute.name)) {
        let goes = |part: &ScimAttribute| {
            let sent = sent.iter().find(|(name, _)| name.eq_ignore_ascii_case(part.name));
            sent.is_some_and(|(_, value)| value.is_null() || value == "")
        };
        known.retain(|name, _| attribute.find_sub_attribute(name).is_none_or(|part| !goes(part)));
    }
    tidy(home, attribute)
}

/// `remove`: removes the attribute, or only the given values of a multi-valued one.
fn remove(home: &mut Map<String, Value>, attribute: &ScimAttribute, value: &Value) -> Result<(), Refusal> {
    let named = match (attribute.is_many, value) {
        (true, Value::Array(_) | Value::Object(_)) => normalization::normalize_value(attribute, value)?,
        _ => None,
    };
    match (named, home.get_mut(attribute.name)) {
        (Some(Value::Array(named)), Some(Value::Array(elements))) => {
            let members: HashSet<&str> =
                named.iter().filter_map(|it| normalization::find_member_id(attribute, it)).collect();
            let key = |element: &Value| element.get("value").cloned();
            elements.retain(|element| match normalization::find_member_id(attribute, element) {
                Some(id) => !members.contains(id),
                None => !named.iter().any(|it| it == element || key(it).is_some() && key(it) == key(element)),
            });
        }
        _ => {
            home.remove(attribute.name);
        }
    }
    tidy(home, attribute)
}

fn change_elements(
    home: &mut Map<String, Value>,
    target: &ScimPatchTarget,
    verb: ScimPatchOp,
    value: &Value,
) -> Result<(), Refusal> {
    let ScimPatchTarget::Elements { attribute, filter, part, .. } = target else { return Ok(()) };
    let list = home.entry(attribute.name).or_insert_with(|| Value::Array(Vec::new()));
    let Value::Array(elements) = list else { return Ok(()) };
    if verb == ScimPatchOp::Remove {
        match part {
            None => elements.retain(|element| !filter.matches_element(element)),
            Some(part) => {
                let meant = elements.iter_mut().filter(|element| filter.matches_element(element));
                meant.for_each(|element| set_part(element, part, None));
            }
        }
        return Ok(());
    }
    let given = match part {
        Some(part) => Map::from_iter(
            normalization::normalize_value(part, value)?.map(|value| (part.name.to_owned(), value)),
        ),
        None => match normalization::normalize_sub_attributes(attribute, value)? {
            Some(parts) => parts,
            None => return Ok(()),
        },
    };
    if given.get("primary") == Some(&Value::Bool(true)) {
        let others = elements.iter_mut().filter(|element| !filter.matches_element(element));
        others.for_each(set_flag_off);
    }
    let mut found = false;
    for element in elements.iter_mut().filter(|element| filter.matches_element(element)) {
        found = true;
        if let Value::Object(parts) = element {
            parts.extend(given.clone());
        }
    }
    if !found {
        // Entra ID replaces an address of a type that does not exist yet and expects it to be added.
        let mut made = Map::new();
        for (part, value) in filter.equalities() {
            made.extend(
                normalization::normalize_value(part, &value)?.map(|value| (part.name.to_owned(), value)),
            );
        }
        made.extend(given);
        elements.push(Value::Object(made));
    }
    Ok(())
}

fn set_part(whole: &mut Value, part: &ScimAttribute, value: Option<Value>) {
    let Value::Object(parts) = whole else { return };
    match value {
        Some(value) => parts.insert(part.name.to_owned(), value),
        None => parts.remove(part.name),
    };
}

/// Keeps at most one element primary: the latest added one.
fn make_room_for_primary(elements: &mut [Value], added: &Value) {
    if added.get("primary") == Some(&Value::Bool(true)) {
        elements.iter_mut().for_each(set_flag_off);
    }
}

fn set_flag_off(element: &mut Value) {
    if let Value::Object(parts) = element
        && parts.get("primary") == Some(&Value::Bool(true))
    {
        parts.insert("primary".to_owned(), false.into());
    }
}

/// Removes an attribute that has become empty, and validates the others.
fn tidy(home: &mut Map<String, Value>, attribute: &ScimAttribute) -> Result<(), Refusal> {
    let Some(value) = home.remove(attribute.name) else { return Ok(()) };
    let value = match value {
        Value::Array(mut elements) => {
            elements.retain(|element| element.as_object().is_none_or(|parts| !parts.is_empty()));
            Value::Array(elements)
        }
        other => other,
    };
    // A group can have more members than one request may contain.
    let value = if attribute.name == "members" {
        Some(value)
    } else {
        normalization::normalize_value(attribute, &value)?
    };
    let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
    home.extend(value.filter(|value| !is_empty(value)).map(|value| (attribute.name.to_owned(), value)));
    Ok(())
}

#[cfg(test)]
mod tests;
