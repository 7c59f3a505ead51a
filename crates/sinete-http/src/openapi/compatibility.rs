//! Compares the schemas that are enforced and served with those before they were derived from types. A schema
//! may document more and allow less than it did. What allows more, or promises less, is reported.

use serde_json::{Map, Value, json};

/// The schemas as they were enforced when each of them was written as text. A change of what a request may
/// contain or of what a response promises also changes the line of its schema here.
const PREVIOUS_SCHEMAS: &str = include_str!("../../tests/fixtures/openapi-schemas.json");

/// Keywords that must be the same.
const IDENTICAL_KEYWORDS: [&str; 8] =
    ["$ref", "additionalProperties", "anyOf", "const", "enum", "items", "properties", "type"];
/// Keywords that may be added, but neither changed nor removed: they restrict a value or describe it.
const ADD_ONLY_KEYWORDS: [&str; 13] = [
    "default",
    "description",
    "examples",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "pattern",
    "uniqueItems",
];

/// What the schema allows or no longer promises, compared with the earlier one.
fn differences(at: &str, before: &Value, after: &Value) -> Vec<String> {
    let (Some(before), Some(after)) = (before.as_object(), after.as_object()) else {
        return if before == after { Vec::new() } else { vec![format!("{at}: {before} became {after}")] };
    };
    let (before, after) = (normalize(before), normalize(after));
    let mut changes = Vec::new();
    for keyword in IDENTICAL_KEYWORDS {
        let (earlier, now) = (before.get(keyword), after.get(keyword));
        match (keyword, earlier, now) {
            ("properties", Some(Value::Object(earlier)), Some(Value::Object(now))) => {
                for (name, property) in earlier {
                    let now = now.get(name).unwrap_or(&Value::Null);
                    changes.extend(differences(&format!("{at}/{name}"), property, now));
                }
            }
            ("items" | "additionalProperties", Some(earlier), Some(now)) => {
                changes.extend(differences(&format!("{at}/{keyword}"), earlier, now));
            }
            (_, earlier, now) if earlier == now => {}
            (_, earlier, now) => changes.push(format!("{at}: {keyword} was {earlier:?}, is {now:?}")),
        }
    }
    for keyword in ADD_ONLY_KEYWORDS {
        let (earlier, now) = (before.get(keyword), after.get(keyword));
        if earlier.is_some() && earlier != now {
            changes.push(format!("{at}: {keyword} was {earlier:?}, is {now:?}"));
        }
    }
    changes.extend(changed_requirements(at, &before, &after));
    changes
}

/// Members that are required now and were not, or the reverse. Members that were added later are not compared.
fn changed_requirements(at: &str, before: &Map<String, Value>, after: &Map<String, Value>) -> Vec<String> {
    let names = |schema: &Map<String, Value>| match schema.get("required") {
        Some(Value::Array(names)) => names.clone(),
        _ => Vec::new(),
    };
    let (earlier, now) = (names(before), names(after));
    let existed = |name: &&Value| {
        let properties = before.get("properties");
        name.as_str().zip(properties).is_some_and(|(name, all)| all.get(name).is_some())
    };
    let removed = earlier.iter().filter(|name| !now.contains(name));
    let added = now.iter().filter(|name| !earlier.contains(name)).filter(existed);
    let removed = removed.map(|name| format!("{at}: {name} is no longer required"));
    removed.chain(added.map(|name| format!("{at}: {name} is required now"))).collect()
}

/// One spelling for schemas that mean the same.
fn normalize(schema: &Map<String, Value>) -> Map<String, Value> {
    let mut schema = schema.clone();
    let sorted = |values: &Value| {
        let mut values = values.as_array().cloned().unwrap_or_else(|| vec![values.clone()]);
        values.sort_by_key(ToString::to_string);
        Value::Array(values)
    };
    for keyword in ["enum", "type"] {
        if let Some(values) = schema.get(keyword).map(sorted) {
            schema.insert(keyword.to_owned(), values);
        }
    }
    // The values of an enumeration determine its type.
    if schema.contains_key("enum") {
        schema.remove("type");
    }
    // A schema that allows everything restricts nothing.
    if schema.get("additionalProperties") == Some(&json!({})) {
        schema.remove("additionalProperties");
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::describe_api;
    use crate::openapi::parts::publish_schema;
    use crate::router::ROUTES;
    use crate::schema::SCHEMA_REGISTRY;

    /// Compares every schema with what it was.
    fn expect_no_loss(change: impl Fn(&Value) -> Value, find: impl Fn(&str) -> Value) {
        let before: Map<String, Value> = serde_json::from_str(PREVIOUS_SCHEMAS).unwrap();
        let schema_differences: Vec<_> = before
            .iter()
            .flat_map(|(name, earlier)| differences(name, &change(earlier), &find(name)))
            .collect();
        assert!(schema_differences.is_empty(), "{}", schema_differences.join("\n"));
    }

    #[test]
    fn openapi_schemas_are_as_strict_as_before_they_were_derived() {
        expect_no_loss(Value::clone, |name| SCHEMA_REGISTRY.find(name).cloned().unwrap_or_default());
    }

    #[test]
    fn openapi_document_is_unchanged_by_deriving_its_schemas() {
        let served = describe_api(ROUTES, &SCHEMA_REGISTRY, "https://id.example.org");
        expect_no_loss(publish_schema, |name| served["components"]["schemas"][name].clone());
    }

    #[test]
    fn openapi_schema_that_is_less_strict_is_reported() {
        let before = json!({
            "type": "object", "additionalProperties": false, "required": ["name"],
            "properties": {
                "name": {"type": "string", "maxLength": 5, "description": "Whose."},
                "kind": {"enum": ["a", "b", null]},
            },
        });
        let change = |pointer: &str, value: Value| {
            let mut after = before.clone();
            *after.pointer_mut(pointer).unwrap() = value;
            differences("Order", &before, &after)
        };
        assert_eq!(change("/additionalProperties", json!(true)).len(), 1);
        assert_eq!(change("/required", json!([])).len(), 1);
        assert_eq!(change("/required", json!(["name", "kind"])).len(), 1);
        assert_eq!(change("/properties/name", json!({"type": "string", "description": "Whose."})).len(), 1);
        assert_eq!(change("/properties/name/type", json!(["string", "null"])).len(), 1);
        assert_eq!(change("/properties/name/maxLength", json!(6)).len(), 1);
        assert_eq!(change("/properties/name/description", json!("Its.")).len(), 1);
        assert_eq!(change("/properties/kind/enum", json!(["a", "b", "c", null])).len(), 1);
        assert_eq!(change("/properties", json!({"name": before["properties"]["name"]})).len(), 1);
    }

    #[test]
    fn openapi_schema_that_is_equal_or_stricter_is_accepted() {
        let before = json!({
            "type": "object",
            "properties": {"kind": {"enum": ["a", null]}, "note": {"type": ["string", "null"]}},
        });
        let after = json!({
            "type": "object",
            "properties": {
                "kind": {"type": ["string", "null"], "enum": [null, "a"], "description": "Which."},
                "note": {"type": ["null", "string"], "maxLength": 5},
                "later": {"type": "string"},
            },
        });
        assert_eq!(differences("Order", &before, &after), Vec::<String>::new());
    }
}
