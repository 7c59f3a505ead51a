//! Derives the schema of a body from the type that is read or written. What the derived schema leaves open is
//! closed here, in one place: members that are not listed are refused, and a request contains no null.

use schemars::JsonSchema;
use schemars::generate::{Contract, SchemaSettings};
use serde_json::{Map, Value, json};

/// Where references point to.
const DEFINITIONS_PATH: &str = "/components/schemas";
/// How a patch names the schema of a nested value.
const PATCH_SUFFIX: &str = "Patch";
/// Keywords whose members are schemas by name.
const SCHEMAS_BY_NAME: [&str; 1] = ["properties"];
/// Keywords whose value is a schema or a list of schemas.
const SCHEMAS: [&str; 4] = ["items", "additionalProperties", "anyOf", "oneOf"];

pub(super) fn request_schema<T: JsonSchema>() -> Value {
    let mut schema = derive_schema::<T>(Contract::Deserialize);
    refuse_null(&mut schema);
    schema
}

pub(super) fn response_schema<T: JsonSchema>() -> Value {
    let mut schema = derive_schema::<T>(Contract::Serialize);
    skip_instead_of_null(&mut schema);
    schema
}

pub(super) fn merge_patch_schema<T: JsonSchema>() -> Value {
    let mut schema = request_schema::<T>();
    allow_absence(&mut schema, true);
    schema
}

pub(super) fn merge_patch_schema_without_null<T: JsonSchema>() -> Value {
    let mut schema = request_schema::<T>();
    allow_absence(&mut schema, false);
    schema
}

/// The schema of the type. The comment of the type is for readers of the code; those of its fields are published.
fn derive_schema<T: JsonSchema>(contract: Contract) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.definitions_path = DEFINITIONS_PATH.into();
        settings.contract = contract;
    });
    let mut schema = T::json_schema(&mut settings.into_generator()).to_value();
    normalize_schema(&mut schema);
    if let Value::Object(members) = &mut schema {
        members.remove("description");
    }
    schema
}

/// Applies the change to every schema directly within this one.
fn for_each_inner(schema: &mut Map<String, Value>, mut change: impl FnMut(&mut Value)) {
    for keyword in SCHEMAS_BY_NAME {
        if let Some(Value::Object(inner)) = schema.get_mut(keyword) {
            inner.values_mut().for_each(&mut change);
        }
    }
    for keyword in SCHEMAS {
        match schema.get_mut(keyword) {
            Some(Value::Array(inner)) => inner.iter_mut().for_each(&mut change),
            Some(inner) => change(inner),
            None => {}
        }
    }
}

/// Refuses unknown members, and drops what has no meaning: the width of an integer, an empty default, a schema
/// that allows everything, the line breaks of a comment.
fn normalize_schema(schema: &mut Value) {
    if *schema == Value::Bool(true) {
        *schema = json!({});
    }
    let Value::Object(members) = schema else { return };
    for_each_inner(members, normalize_schema);
    join_enum_values(members);
    join_null(members);
    if members.contains_key("properties") && !members.contains_key("additionalProperties") {
        members.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    if members.get("additionalProperties").is_some_and(|others| *others == json!({})) {
        members.remove("additionalProperties");
    }
    if has_type(members, "integer") || has_type(members, "number") {
        members.remove("format");
    }
    if members.get("default").is_some_and(is_empty) {
        members.remove("default");
    }
    if let Some(Value::String(description)) = members.get_mut("description") {
        *description = description.replace('\n', " ");
    }
}

/// Writes an enumeration whose words have comments of their own as one list of words.
fn join_enum_values(schema: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = schema.get("oneOf") else { return };
    let mut words = Vec::new();
    for choice in choices {
        match (choice.get("const"), choice.get("enum")) {
            (Some(word), None) => words.push(word.clone()),
            (None, Some(Value::Array(values))) => words.extend(values.iter().cloned()),
            _ => return,
        }
    }
    schema.remove("oneOf");
    schema.insert("type".to_owned(), json!("string"));
    schema.insert("enum".to_owned(), Value::Array(words));
}

/// Writes a value or null as one schema with two types, unless the value is a reference.
fn join_null(schema: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = schema.get("anyOf") else { return };
    let [value @ Value::Object(members), null] = choices.as_slice() else { return };
    if null["type"] != "null" || members.contains_key("$ref") {
        return;
    }
    let mut value = value.clone();
    allow_null(&mut value);
    schema.remove("anyOf");
    if let Value::Object(members) = value {
        for (keyword, value) in members {
            schema.entry(keyword).or_insert(value);
        }
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(_) | Value::Number(_) => false,
        Value::String(text) => text.is_empty(),
        Value::Array(elements) => elements.is_empty(),
        Value::Object(members) => members.is_empty(),
    }
}

fn has_type(schema: &Map<String, Value>, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one == name,
        Some(Value::Array(types)) => types.iter().any(|one| one == name),
        _ => false,
    }
}

/// Removes null from what the schema and those within it allow.
fn refuse_null(schema: &mut Value) {
    let Value::Object(members) = schema else { return };
    for_each_inner(members, refuse_null);
    remove_null(members);
}

fn remove_null(members: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = members.get_mut("type") {
        types.retain(|one| one != "null");
        if let [one] = types.as_slice() {
            let one = one.clone();
            members.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(values)) = members.get_mut("enum") {
        values.retain(|one| !one.is_null());
    }
    if let Some(Value::Array(choices)) = members.get_mut("anyOf") {
        choices.retain(|one| one["type"] != "null");
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            members.remove("anyOf");
            for (keyword, value) in only {
                members.entry(keyword).or_insert(value);
            }
        }
    }
}

/// Removes null from members that are skipped when they are `None`.
fn skip_instead_of_null(schema: &mut Value) {
    let Value::Object(members) = schema else { return };
    for_each_inner(members, skip_instead_of_null);
    let required = members.get("required").cloned().unwrap_or_default();
    let Some(Value::Object(properties)) = members.get_mut("properties") else { return };
    for (name, property) in properties {
        if let Value::Object(property) = property
            && !contains_name(&required, name)
        {
            remove_null(property);
        }
    }
}

fn contains_name(names: &Value, name: &str) -> bool {
    names.as_array().is_some_and(|names| names.iter().any(|one| one == name))
}

/// Lets every member be left out, and be null where a request may leave it out.
fn allow_absence(schema: &mut Value, allows_null: bool) {
    let Value::Object(members) = schema else { return };
    let required = members.remove("required").unwrap_or_default();
    members.remove("default");
    if let Some(Value::String(reference)) = members.get_mut("$ref") {
        reference.push_str(PATCH_SUFFIX);
    }
    if let Some(Value::Object(properties)) = members.get_mut("properties") {
        for (name, property) in properties {
            allow_absence(property, allows_null);
            if allows_null && !contains_name(&required, name) {
                allow_null(property);
            }
        }
    }
    if let Some(others @ Value::Object(_)) = members.get_mut("additionalProperties") {
        allow_absence(others, allows_null);
        if allows_null {
            allow_null(others);
        }
    }
}

/// Lets the value be null.
pub(super) fn allow_null(schema: &mut Value) {
    let Value::Object(members) = schema else { return };
    if members.contains_key("const") {
        let description = members.remove("description");
        let mut choice = Map::from_iter([("anyOf".to_owned(), json!([members, {"type": "null"}]))]);
        choice.extend(description.map(|text| ("description".to_owned(), text)));
        *schema = Value::Object(choice);
        return;
    }
    if let Some(Value::Array(values)) = members.get_mut("enum") {
        values.push(Value::Null);
    }
    if let Some(Value::String(one)) = members.get("type") {
        let types = json!([one, "null"]);
        members.insert("type".to_owned(), types);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{NamedSchema, SchemaRegistry};
    use serde::{Deserialize, Serialize};
    use std::sync::LazyLock;

    /// A line of an order.
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct OrderLine {
        #[schemars(range(min = 1, max = 9))]
        count: u32,
    }

    #[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    #[schemars(inline)]
    enum OrderUrgency {
        /// In the order of arrival.
        Normal,
        /// Before the others.
        Urgent,
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct OrderInput {
        /// Who ordered.
        #[schemars(length(min = 1, max = 5))]
        name: String,
        #[serde(default)]
        note: String,
        urgency: Option<OrderUrgency>,
        #[schemars(length(max = 3))]
        lines: Option<Vec<OrderLine>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        total: Option<i64>,
    }

    #[test]
    fn request_schema_refuses_null_and_unknown_members() {
        assert_eq!(
            request_schema::<OrderInput>(),
            json!({
                "type": "object", "additionalProperties": false, "required": ["name"],
                "properties": {
                    "name": {"type": "string", "minLength": 1, "maxLength": 5, "description": "Who ordered."},
                    "note": {"type": "string"},
                    "urgency": {"type": "string", "enum": ["normal", "urgent"]},
                    "lines": {
                        "type": "array", "maxItems": 3, "items": {"$ref": "#/components/schemas/OrderLine"}
                    },
                    "total": {"type": "integer"},
                },
            })
        );
    }

    #[test]
    fn response_schema_requires_every_member_that_is_always_written() {
        let schema = response_schema::<OrderInput>();
        assert_eq!(schema["required"], json!(["name", "note", "urgency", "lines"]));
        assert_eq!(schema["properties"]["lines"]["type"], json!(["array", "null"]));
        assert_eq!(schema["properties"]["urgency"]["enum"], json!(["normal", "urgent", null]));
        assert_eq!(schema["properties"]["total"]["type"], json!("integer"), "it is skipped, and never null");
        assert_eq!(schema["additionalProperties"], json!(false));
    }

    #[test]
    fn merge_patch_schema_allows_null_for_optional_members() {
        let schema = merge_patch_schema::<OrderInput>();
        assert_eq!(schema.get("required"), None);
        let types = |name: &str| schema["properties"][name]["type"].clone();
        assert_eq!((types("name"), types("note")), (json!("string"), json!(["string", "null"])));
        assert_eq!(schema["properties"]["urgency"]["enum"], json!(["normal", "urgent", null]));
        let strict = merge_patch_schema_without_null::<OrderInput>();
        assert_eq!(strict["properties"]["note"]["type"], json!("string"));
    }

    #[test]
    fn json_schema_with_an_invalid_example_accepts_nothing() {
        const BROKEN: NamedSchema = NamedSchema::request::<OrderLine>("OrderLine").with_example("{");
        const SOUND: NamedSchema = NamedSchema::request::<OrderLine>("Line").with_example(r#"{"count": 1}"#);
        static REGISTRY: LazyLock<SchemaRegistry> = LazyLock::new(|| SchemaRegistry::new(&[&BROKEN, &SOUND]));
        assert!(!REGISTRY.check(&BROKEN, &json!({"count": 1})).is_empty());
        assert!(REGISTRY.check(&SOUND, &json!({"count": 1})).is_empty());
        assert!(!REGISTRY.check(&SOUND, &json!({"count": 10})).is_empty());
    }
}
