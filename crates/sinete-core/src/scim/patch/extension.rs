//! Changes of attributes of a registered extension.

use super::ScimPatchOp;
use super::target::RegisteredAttribute;
use crate::refusal::Refusal;
use crate::refusal::scim::ScimRefusal;
use crate::scim::extension::{find_stored_name, normalize_extension};
use crate::scim::refuse_attribute;
use serde_json::{Map, Value};

/// Changes a registered extension, an attribute of it, or a sub-attribute.
pub(super) fn change_registered(
    resource: &mut Map<String, Value>,
    attribute: &RegisteredAttribute,
    op: ScimPatchOp,
    value: &Value,
) -> Result<(), Refusal> {
    let mut attributes = match resource.remove(&attribute.schema) {
        Some(Value::Object(attributes)) => attributes,
        _ => Map::new(),
    };
    match (&attribute.attribute, op) {
        (None, ScimPatchOp::Remove) => attributes.clear(),
        (None, op) => {
            let Value::Object(members) = value else {
                return Err(refuse_attribute(ScimRefusal::ExtensionNotObject, &attribute.schema));
            };
            members.iter().for_each(|(name, value)| change_value(&mut attributes, name, op, value));
        }
        (Some(name), op) => match &attribute.sub_attribute {
            None => change_value(&mut attributes, name, op, value),
            Some(part) => change_sub_attribute(&mut attributes, name, part, op, value),
        },
    }
    // The result is validated as if it had been sent whole.
    let after = normalize_extension(&attribute.schema, &Value::Object(attributes))?;
    resource.extend(after.map(|after| (attribute.schema.clone(), Value::Object(after))));
    Ok(())
}

/// `add` appends to a list and merges a complex value; otherwise the value is replaced.
fn change_value(attributes: &mut Map<String, Value>, name: &str, op: ScimPatchOp, value: &Value) {
    let name = find_stored_name(attributes, name).unwrap_or_else(|| name.to_owned());
    match (op, attributes.get_mut(&name), value) {
        (ScimPatchOp::Remove, _, _) => {
            attributes.remove(&name);
        }
        (ScimPatchOp::Add, Some(Value::Array(existing)), Value::Array(added)) => {
            let new: Vec<Value> = added.iter().filter(|it| !existing.contains(it)).cloned().collect();
            existing.extend(new);
        }
        (ScimPatchOp::Add, Some(Value::Array(existing)), added) => existing.push(added.clone()),
        (_, Some(Value::Object(existing)), Value::Object(parts)) => {
            for (part, value) in parts {
                let part = find_stored_name(existing, part).unwrap_or_else(|| part.clone());
                existing.insert(part, value.clone());
            }
        }
        (_, _, value) => {
            attributes.insert(name, value.clone());
        }
    }
}

fn change_sub_attribute(
    attributes: &mut Map<String, Value>,
    name: &str,
    part: &str,
    op: ScimPatchOp,
    value: &Value,
) {
    let name = find_stored_name(attributes, name).unwrap_or_else(|| name.to_owned());
    match attributes.entry(name).or_insert_with(|| Value::Object(Map::new())) {
        Value::Object(parts) => change_value(parts, part, op, value),
        Value::Array(elements) => {
            let complex = elements.iter_mut().filter_map(Value::as_object_mut);
            complex.for_each(|parts| change_value(parts, part, op, value));
        }
        // A simple value has no sub-attributes; it is replaced by a complex one.
        simple if op != ScimPatchOp::Remove => {
            *simple = Value::Object(Map::from_iter([(part.to_owned(), value.clone())]));
        }
        _ => {}
    }
}
