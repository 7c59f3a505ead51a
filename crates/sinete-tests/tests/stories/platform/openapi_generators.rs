//! The OpenAPI document as generators of clients read it: decision 0295. `./scripts/openapi-clients` runs the generators.

use crate::both_engines;
use crate::harness::world::World;
use regex_automata::dfa::regex::Regex;
use serde_json::{Value, json};
use sinete_core::json_schema::validate_value;
use sinete_http::schema::SCHEMA_REGISTRY;
use sinete_server::schema::SCHEMA_REFERENCE_PREFIX;
use std::collections::{BTreeMap, BTreeSet};

both_engines!(
    openapi_examples_are_valid_for_their_schemas,
    openapi_schema_names_collide_with_no_generated_name,
    openapi_describes_headers_and_request_bodies_without_alternatives
);

async fn openapi_examples_are_valid_for_their_schemas(world: &World) {
    let description = world.openapi().await;
    let mut checked = 0;
    for (location, schema, example) in find_examples(description) {
        let schema_errors = find_faults(&schema, &example, description);
        assert!(schema_errors.is_empty(), "the example {example} of {location}: {schema_errors:?}");
        checked += 1;
    }
    assert!(checked > 60, "{checked}");

    // The check can fail: each of these differs from a valid value in one place.
    let key = &description["components"]["schemas"]["CreateApiKeyRequest"];
    let valid = &key["examples"][0];
    assert!(find_faults(key, valid, description).is_empty());
    for (schema, wrong) in [
        (key.clone(), json!({})),
        (json!({"type": "string", "format": "uuid"}), json!("01936f5e-7c2a-7def-8a1b")),
        (json!({"type": "string", "format": "date-time"}), json!("2026-11-15")),
        (json!({"type": "string", "pattern": "^#[0-9a-f]{6}$"}), json!("#12345g")),
        (json!({"type": "array", "items": {"type": "string", "format": "uri"}}), json!(["/relative"])),
        (json!({"anyOf": [{"type": "null"}, {"type": "string", "format": "email"}]}), json!("nobody")),
    ] {
        assert!(!find_faults(&schema, &wrong, description).is_empty(), "{wrong}");
    }
}

/// Every example and default of the document, with its place and its schema.
fn find_examples(description: &Value) -> Vec<(String, Value, Value)> {
    let (mut located_examples, mut pending) = (Vec::new(), vec![(String::new(), description)]);
    while let Some((location, value)) = pending.pop() {
        match value {
            Value::Object(members) => {
                let is_map_of_names = location.ends_with("/properties");
                if !is_map_of_names {
                    let example_values =
                        members.get("examples").and_then(Value::as_array).into_iter().flatten();
                    let examples = example_values.chain(members.get("default"));
                    located_examples
                        .extend(examples.map(|example| (location.clone(), value.clone(), example.clone())));
                    if let (Some(example), Some(schema)) = (members.get("example"), members.get("schema")) {
                        located_examples.push((location.clone(), schema.clone(), example.clone()));
                    }
                }
                let inside = members.iter().filter(|(name, _)| is_map_of_names || *name != "examples");
                pending.extend(inside.map(|(name, member)| (format!("{location}/{name}"), member)));
            }
            Value::Array(elements) => {
                let numbered = elements.iter().enumerate();
                pending.extend(numbered.map(|(number, element)| (format!("{location}/{number}"), element)));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    located_examples
}

/// What the server would refuse, and patterns and formats that do not match.
fn find_faults(schema: &Value, value: &Value, description: &Value) -> Vec<String> {
    let refused = validate_value(schema, value, &|reference| {
        reference.strip_prefix(SCHEMA_REFERENCE_PREFIX).and_then(|name| SCHEMA_REGISTRY.find(name))
    });
    let mut schema_errors: Vec<_> = refused.iter().map(|fault| format!("{fault:?}")).collect();
    find_text_faults(schema, value, description, &mut schema_errors);
    schema_errors
}

fn find_text_faults(schema: &Value, value: &Value, description: &Value, schema_errors: &mut Vec<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = description.pointer(reference.strip_prefix('#').unwrap()).unwrap();
        return find_text_faults(target, value, description, schema_errors);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let all = choices.iter().map(|choice| find_faults(choice, value, description));
        let fewest = all.min_by_key(Vec::len).unwrap_or_default();
        return schema_errors.extend(fewest);
    }
    match value {
        Value::String(text) => {
            if schema["format"].as_str().is_some_and(|format| !has_format(text, format)) {
                schema_errors.push(format!("{text} is no {}", schema["format"]));
            }
            if schema["pattern"].as_str().is_some_and(|pattern| !Regex::new(pattern).unwrap().is_match(text))
            {
                schema_errors.push(format!("{text} does not match {}", schema["pattern"]));
            }
        }
        Value::Array(elements) => {
            elements.iter().for_each(|it| find_text_faults(&schema["items"], it, description, schema_errors));
        }
        Value::Object(members) => {
            let defined = members.iter().filter_map(|(name, it)| Some((schema["properties"].get(name)?, it)));
            defined.for_each(|(schema, it)| find_text_faults(schema, it, description, schema_errors));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn has_format(text: &str, format: &str) -> bool {
    let pattern = match format {
        "uri" => return url::Url::parse(text).is_ok(),
        "uuid" => "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
        "date-time" => "^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]([.][0-9]+)?Z$",
        "email" => "^[^@ ]+@[^@ ]+[.][^@ ]+$",
        other => panic!("{other} is a format that this test does not know"),
    };
    Regex::new(pattern).unwrap().is_match(text)
}

async fn openapi_schema_names_collide_with_no_generated_name(world: &World) {
    let schemas = world.openapi().await["components"]["schemas"].as_object().unwrap();
    let mut name_meanings: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, schema) in schemas {
        assert!(name.chars().all(|letter| letter.is_ascii_alphanumeric()), "{name}");
        assert!(name.starts_with(|letter: char| letter.is_ascii_uppercase()), "{name}");
        name_meanings.entry(name.to_lowercase()).or_default().insert(format!("the schema {name}"));
        // A constructor in Go, and what a generator calls an object within an object.
        let constructor = name_meanings.entry(format!("new{}", name.to_lowercase())).or_default();
        constructor.insert(format!("the constructor of {name}"));
        for member in nested_objects(schema) {
            let words: String = member.split('_').collect();
            let nested = name_meanings.entry(format!("{name}{words}").to_lowercase()).or_default();
            nested.insert(format!("the member {member} of {name}"));
        }
    }
    let collisions: Vec<_> = name_meanings.values().filter(|meanings| meanings.len() > 1).collect();
    assert!(collisions.is_empty(), "{collisions:?}");
}

fn nested_objects(schema: &Value) -> Vec<&String> {
    let members = schema["properties"].as_object().into_iter().flatten();
    let is_object = |it: &Value| it["type"] == "object" || it["type"] == json!(["object", "null"]);
    members.filter(|(_, it)| is_object(it) || is_object(&it["items"])).map(|(name, _)| name).collect()
}

async fn openapi_describes_headers_and_request_bodies_without_alternatives(world: &World) {
    let description = world.openapi().await;
    let mut pending = vec![description];
    let (mut headers_seen, mut bodies_seen) = (0, 0);
    while let Some(value) = pending.pop() {
        let Value::Object(members) = value else {
            pending.extend(value.as_array().into_iter().flatten());
            continue;
        };
        for header in members.get("headers").and_then(Value::as_object).into_iter().flatten() {
            headers_seen += 1;
            assert!(header.1["schema"].is_object() && header.1.get("$ref").is_none(), "{header:?}");
        }
        if let Some(body) = members.get("requestBody") {
            bodies_seen += 1;
            assert_eq!(body["required"], true, "{body}");
            assert_eq!(body["content"].as_object().unwrap().len(), 1, "{body}");
        }
        if members.get("items").is_some_and(|items| items.get("enum").is_some()) {
            assert!(!members.contains_key("uniqueItems"), "{value}");
        }
        pending.extend(members.values());
    }
    assert!(headers_seen > 200 && bodies_seen > 50, "{headers_seen} {bodies_seen}");

    // The server still refuses a word that is listed twice.
    let settings = SCHEMA_REGISTRY.find("OrganizationSettings").unwrap();
    let twice = json!({"allowed_credentials": ["passkey", "passkey"]});
    assert!(!find_faults(settings, &twice, description).is_empty());
}
