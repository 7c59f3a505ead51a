//! Changes of the values of an attribute: `add`, `replace` and `remove`, whole or by a value filter.

use super::ScimPatchOp;
use super::target::ScimPatchTarget;
use crate::refusal::Refusal;
use crate::scim::attribute::ScimAttribute;
use crate::scim::normalization;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// The maximum number of elements that are compared one by one.
const LINEAR_COMPARISON_MAX: usize = 16;

/// `add`: appends to a multi-valued attribute, merges sub-attributes of a complex one, and replaces others.
pub(super) fn add(
    home: &mut Map<String, Value>,
    attribute: &ScimAttribute,
    value: &Value,
) -> Result<(), Refusal> {
    if !attribute.is_multi_valued {
        return replace(home, attribute, value);
    }
    let Some(Value::Array(added)) = normalization::normalize_value(attribute, value)? else { return Ok(()) };
    let Some(Value::Array(elements)) = home.get_mut(attribute.name) else {
        home.insert(attribute.name.to_owned(), Value::Array(added));
        return Ok(());
    };
    let id = |element: &Value| normalization::find_member_id(attribute, element).map(str::to_owned);
    // Few elements are compared one by one; for many, the existing ones are collected in a set first.
    let existing_ids: Option<HashSet<String>> =
        (added.len() > LINEAR_COMPARISON_MAX).then(|| elements.iter().filter_map(id).collect());
    for element in added {
        let is_there = match (normalization::find_member_id(attribute, &element), &existing_ids) {
            (Some(id), Some(existing_ids)) => existing_ids.contains(id),
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
    remove_if_empty(home, attribute)
}

/// `replace`: replaces the value; of a complex value only the given sub-attributes.
pub(super) fn replace(
    home: &mut Map<String, Value>,
    attribute: &ScimAttribute,
    value: &Value,
) -> Result<(), Refusal> {
    match (normalization::normalize_value(attribute, value)?, home.get_mut(attribute.name)) {
        (None, _) if value.is_object() && !attribute.is_multi_valued => {}
        (None, _) => {
            home.remove(attribute.name);
        }
        (Some(Value::Object(parts)), Some(Value::Object(existing))) => existing.extend(parts),
        (Some(value), _) => {
            home.insert(attribute.name.to_owned(), value);
        }
    }
    // A sub-attribute sent as null is removed.
    if let (Value::Object(new_parts), Some(Value::Object(existing))) = (value, home.get_mut(attribute.name)) {
        let goes = |part: &ScimAttribute| {
            let entry = new_parts.iter().find(|(name, _)| name.eq_ignore_ascii_case(part.name));
            entry.is_some_and(|(_, value)| value.is_null() || value == "")
        };
        existing.retain(|name, _| attribute.find_sub_attribute(name).is_none_or(|part| !goes(part)));
    }
    remove_if_empty(home, attribute)
}

/// `remove`: removes the attribute, or only the given values of a multi-valued one.
pub(super) fn remove(
    home: &mut Map<String, Value>,
    attribute: &ScimAttribute,
    value: &Value,
) -> Result<(), Refusal> {
    let normalized = match (attribute.is_multi_valued, value) {
        (true, Value::Array(_) | Value::Object(_)) => normalization::normalize_value(attribute, value)?,
        _ => None,
    };
    match (normalized, home.get_mut(attribute.name)) {
        (Some(Value::Array(removed_elements)), Some(Value::Array(elements))) => {
            let members: HashSet<&str> = removed_elements
                .iter()
                .filter_map(|it| normalization::find_member_id(attribute, it))
                .collect();
            let key = |element: &Value| element.get("value").cloned();
            elements.retain(|element| match normalization::find_member_id(attribute, element) {
                Some(id) => !members.contains(id),
                None => !removed_elements
                    .iter()
                    .any(|it| it == element || key(it).is_some() && key(it) == key(element)),
            });
        }
        _ => {
            home.remove(attribute.name);
        }
    }
    remove_if_empty(home, attribute)
}

pub(super) fn change_elements(
    home: &mut Map<String, Value>,
    target: &ScimPatchTarget,
    op: ScimPatchOp,
    value: &Value,
) -> Result<(), Refusal> {
    let ScimPatchTarget::Elements { attribute, filter, sub_attribute: part, .. } = target else {
        return Ok(());
    };
    let list = home.entry(attribute.name).or_insert_with(|| Value::Array(Vec::new()));
    let Value::Array(elements) = list else { return Ok(()) };
    // A sub-attribute without a value is removed, as with `remove` (RFC 7643 §2.5: null is unassigned).
    let new_parts = match (op, part) {
        (ScimPatchOp::Remove, None) => {
            elements.retain(|element| !filter.matches_element(element));
            return Ok(());
        }
        (ScimPatchOp::Remove, Some(part)) => {
            remove_sub_attribute(elements, part, |element| filter.matches_element(element));
            return Ok(());
        }
        (_, Some(part)) => match normalization::normalize_value(part, value)? {
            Some(value) => Map::from_iter([(part.name.to_owned(), value)]),
            None => {
                remove_sub_attribute(elements, part, |element| filter.matches_element(element));
                return Ok(());
            }
        },
        (_, None) => match normalization::normalize_sub_attributes(attribute, value)? {
            Some(parts) => parts,
            None => return Ok(()),
        },
    };
    if new_parts.get("primary") == Some(&Value::Bool(true)) {
        let others = elements.iter_mut().filter(|element| !filter.matches_element(element));
        others.for_each(set_flag_off);
    }
    let mut has_match = false;
    for element in elements.iter_mut().filter(|element| filter.matches_element(element)) {
        has_match = true;
        if let Value::Object(parts) = element {
            parts.extend(new_parts.clone());
        }
    }
    if !has_match {
        // Entra ID replaces an address of a type that does not exist yet and expects it to be added.
        let mut new_element = Map::new();
        for (part, value) in filter.equalities() {
            new_element.extend(
                normalization::normalize_value(part, &value)?.map(|value| (part.name.to_owned(), value)),
            );
        }
        new_element.extend(new_parts);
        elements.push(Value::Object(new_element));
    }
    Ok(())
}

/// Sets a sub-attribute of a complex value, or of each element of a multi-valued attribute.
pub(super) fn change_sub_attribute(
    home: &mut Map<String, Value>,
    attribute: &ScimAttribute,
    part: &ScimAttribute,
    value: Option<Value>,
) -> Result<(), Refusal> {
    match (home.get_mut(attribute.name), value) {
        (Some(Value::Array(elements)), None) => remove_sub_attribute(elements, part, |_| true),
        (Some(Value::Array(elements)), Some(value)) => {
            elements.iter_mut().for_each(|element| set_sub_attribute(element, part, Some(value.clone())));
        }
        (Some(existing), value) => set_sub_attribute(existing, part, value),
        (None, value) => {
            let parts = Map::from_iter(value.map(|value| (part.name.to_owned(), value)));
            let new_value = Value::Object(parts);
            let new_value = if attribute.is_multi_valued { Value::Array(vec![new_value]) } else { new_value };
            home.insert(attribute.name.to_owned(), new_value);
        }
    }
    remove_if_empty(home, attribute)
}

/// Removes a sub-attribute of the elements that match. Without a required one, such as `value`, nothing is left
/// of an element: Entra ID removes `emails[type eq "work"].value` and means the address.
fn remove_sub_attribute(elements: &mut Vec<Value>, part: &ScimAttribute, matches: impl Fn(&Value) -> bool) {
    if part.is_required {
        elements.retain(|element| !matches(element));
        return;
    }
    let matching_elements = elements.iter_mut().filter(|element| matches(element));
    matching_elements.for_each(|element| set_sub_attribute(element, part, None));
}

fn set_sub_attribute(complex_value: &mut Value, part: &ScimAttribute, value: Option<Value>) {
    let Value::Object(parts) = complex_value else { return };
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
pub(super) fn remove_if_empty(
    home: &mut Map<String, Value>,
    attribute: &ScimAttribute,
) -> Result<(), Refusal> {
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
