//! Attributes of the extension schemas that an organization registered. Sinete does not know their schema, so
//! they are stored as sent, within limits, and confer nothing.

use super::refuse_attribute;
use crate::accounts::standard_claims::AddressText;
use crate::limits::{SCIM_ATTRIBUTE_NAME_CHARACTERS_MAX, SCIM_EXTENSION_ATTRIBUTES_MAX, SCIM_VALUES_MAX};
use crate::refusal::Refusal;
use crate::refusal::scim::ScimRefusal;
use serde_json::{Map, Value};

/// Nesting below an attribute: a list, a complex value in it, and the values of that.
const DEPTH_MAX: usize = 3;

/// Normalizes the attributes of an extension; `None` if there are none.
pub fn normalize_extension(schema: &str, value: &Value) -> Result<Option<Map<String, Value>>, Refusal> {
    match value {
        Value::Object(_) => match normalize_value(schema, value, DEPTH_MAX + 1)? {
            Some(Value::Object(read)) => Ok(Some(read)),
            _ => Ok(None),
        },
        Value::Null => Ok(None),
        _ => Err(refuse_attribute(ScimRefusal::ExtensionNotObject, schema)),
    }
}

/// Whether a text can be the name of an attribute (RFC 7643 §2.1).
pub fn is_attribute_name(name: &str) -> bool {
    let begins = |first: char| first.is_ascii_alphabetic() || first == '$' || first == '_';
    let goes_on = |character: char| character.is_ascii_alphanumeric() || "_-$".contains(character);
    name.chars().next().is_some_and(begins)
        && name.chars().all(goes_on)
        && name.len() <= SCIM_ATTRIBUTE_NAME_CHARACTERS_MAX
}

/// Finds the name as it is stored, compared case-insensitively.
pub fn find_stored_name(attributes: &Map<String, Value>, name: &str) -> Option<String> {
    attributes.keys().find(|key| key.eq_ignore_ascii_case(name)).cloned()
}

fn normalize_value(name: &str, extension_value: &Value, depth: usize) -> Result<Option<Value>, Refusal> {
    let wrong = |text| Err(refuse_attribute(ScimRefusal::ValueInvalid(text), name));
    match extension_value {
        Value::Null => Ok(None),
        Value::Bool(_) | Value::Number(_) => Ok(Some(extension_value.clone())),
        Value::String(text) if text.trim().is_empty() => Ok(None),
        Value::String(text) => match text.trim().parse::<AddressText>() {
            Ok(_) => Ok(Some(text.trim().into())),
            Err(_) => wrong("must have 1 to 500 characters"),
        },
        _ if depth == 0 => wrong("is nested too deeply"),
        Value::Array(elements) if elements.len() > SCIM_VALUES_MAX => wrong("has too many values"),
        Value::Array(elements) => {
            let mut read = Vec::new();
            for element in elements {
                let element = normalize_value(name, element, depth - 1)?;
                read.extend(element.filter(|element| !read.contains(element)));
            }
            Ok((!read.is_empty()).then_some(Value::Array(read)))
        }
        Value::Object(members) if members.len() > SCIM_EXTENSION_ATTRIBUTES_MAX => {
            wrong("has too many sub-attributes")
        }
        Value::Object(members) => {
            let mut read = Map::new();
            for (part, value) in members {
                if !is_attribute_name(part) || find_stored_name(&read, part).is_some() {
                    return wrong("has an invalid or repeated sub-attribute name");
                }
                let value = normalize_value(part, value, depth - 1)?;
                read.extend(value.map(|value| (part.clone(), value)));
            }
            Ok((!read.is_empty()).then_some(Value::Object(read)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(extension: Value) -> Option<Value> {
        normalize_extension("urn:acme:crm", &extension).unwrap().map(Value::Object)
    }

    #[test]
    fn scim_extension_attributes_are_stored_as_sent() {
        let extension = json!({"tag": " gold ", "level": 3, "vip": true, "sites": ["a", "a", {"name": "b"}], "none": null});
        let expected = json!({"tag": "gold", "level": 3, "vip": true, "sites": ["a", {"name": "b"}]});
        assert_eq!(read(extension), Some(expected));
        assert_eq!((read(json!({})), read(json!(null)), read(json!({"x": ""}))), (None, None, None));
    }

    #[test]
    fn scim_extension_attributes_are_bounded() {
        let many: Map<String, Value> = (0..51).map(|it| (format!("a{it}"), json!(1))).collect();
        for extension in [
            json!("x"),
            json!([]),
            json!({"tag": "x".repeat(501)}),
            json!({"tag": "a\u{202e}b"}),
            json!({"a b": 1}),
            json!({"": 1}),
            json!({"tag": 1, "TAG": 2}),
            json!({"tags": vec![1; 21]}),
            json!({"a": {"b": {"c": {"d": {"e": 1}}}}}),
            Value::Object(many),
        ] {
            assert!(normalize_extension("urn:acme:crm", &extension).is_err(), "{extension}");
        }
    }
}
