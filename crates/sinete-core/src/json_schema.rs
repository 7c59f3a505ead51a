//! Validation against a subset of JSON Schema. [`find_unsupported_keywords`] finds keywords outside the
//! subset.

use crate::validation::ValidationErrors;
use serde_json::{Map, Value};

/// Implements `JsonSchema` for a value type, which is described where it is used. The limits in the schema are the
/// constants that its constructor checks.
macro_rules! impl_value_schema {
    ($type:ident, $schema:tt) => {
        impl schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!($schema)
            }
        }
    };
}
pub(crate) use impl_value_schema;

/// The maximum number of errors reported for a document.
const ERRORS_MAX: usize = 50;
/// The maximum length of a member name that is repeated in a pointer, in bytes.
const NAME_BYTES_MAX: usize = 100;

/// Resolves a `$ref` to a schema.
pub type JsonSchemaResolver<'a> = &'a dyn Fn(&str) -> Option<&'static Value>;

/// Validates the value and returns all errors with their locations.
pub fn validate_value(schema: &Value, value: &Value, resolver: JsonSchemaResolver<'_>) -> ValidationErrors {
    let mut errors = ValidationErrors::default();
    check_value(schema, value, "", &mut errors, resolver);
    errors
}

/// Whether the schema defines a property of this name.
pub fn defines_property(schema: &Value, name: &str) -> bool {
    schema.get("properties").is_some_and(|properties| properties.get(name).is_some())
}

/// Adds all errors of the value.
fn check_value(
    schema: &Value,
    value: &Value,
    at: &str,
    errors: &mut ValidationErrors,
    resolver: JsonSchemaResolver<'_>,
) {
    if errors.iter().count() >= ERRORS_MAX {
        return;
    }
    let Some(schema) = schema.as_object() else {
        return errors.add(at, "is not allowed here");
    };
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        return match resolver(target) {
            Some(target) => check_value(target, value, at, errors, resolver),
            None => errors.add(at, "is not allowed here"),
        };
    }
    if let Some(choices) = schema.get("anyOf").and_then(Value::as_array) {
        return check_any_of(choices, value, at, errors, resolver);
    }
    if !has_type(schema, value) {
        return errors.add(at, format!("must be of type {}", list_types(schema).join(" or ")));
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        let allowed: Vec<_> = allowed.iter().map(ToString::to_string).collect();
        errors.add(at, format!("must be one of {}", allowed.join(", ")));
    }
    if schema.get("const").is_some_and(|only| only != value) {
        errors.add(at, "has a value that is not allowed");
    }
    match value {
        Value::String(text) => check_text(schema, text, at, errors),
        Value::Number(number) => check_number(schema, number, at, errors),
        Value::Array(elements) => check_array(schema, elements, at, errors, resolver),
        Value::Object(members) => check_object(schema, members, at, errors, resolver),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Validates `anyOf`. If no alternative matches, reports the errors of the first one of the right type.
fn check_any_of(
    choices: &[Value],
    value: &Value,
    at: &str,
    errors: &mut ValidationErrors,
    resolver: JsonSchemaResolver<'_>,
) {
    let faults_of = |choice: &Value| {
        let mut validation_errors = ValidationErrors::default();
        check_value(choice, value, "", &mut validation_errors, resolver);
        validation_errors
    };
    let validation_errors: Vec<ValidationErrors> = choices.iter().map(faults_of).collect();
    if validation_errors.iter().any(ValidationErrors::is_empty) {
        return;
    }
    let resembles = |errors: &&ValidationErrors| errors.iter().all(|fault| !fault.pointer.is_empty());
    match validation_errors.iter().find(resembles) {
        Some(nearest) => errors.add_nested(at, nearest),
        None => errors.add(at, "has a type that is not allowed"),
    }
}

fn list_types(schema: &Map<String, Value>) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(types)) => types.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn has_type(schema: &Map<String, Value>, value: &Value) -> bool {
    let is = |kind: &str| match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    };
    let types = list_types(schema);
    types.is_empty() || types.into_iter().any(is)
}

fn read_bound(schema: &Map<String, Value>, name: &str) -> Option<u64> {
    schema.get(name).and_then(Value::as_u64)
}

fn check_text(schema: &Map<String, Value>, text: &str, at: &str, errors: &mut ValidationErrors) {
    let length = text.chars().count() as u64;
    if let Some(least) = read_bound(schema, "minLength").filter(|least| length < *least) {
        let text = match least {
            1 => "must not be empty".to_owned(),
            least => format!("must have at least {least} characters"),
        };
        errors.add(at, text);
    }
    if let Some(limit) = read_bound(schema, "maxLength").filter(|limit| length > *limit) {
        errors.add(at, format!("must have at most {limit} characters"));
    }
}

fn check_number(
    schema: &Map<String, Value>,
    number: &serde_json::Number,
    at: &str,
    errors: &mut ValidationErrors,
) {
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    let Some(number) = number.as_f64() else { return };
    if let Some(least) = bound("minimum").filter(|least| number < *least) {
        errors.add(at, format!("must be at least {least}"));
    }
    if let Some(maximum) = bound("maximum").filter(|maximum| number > *maximum) {
        errors.add(at, format!("must be at most {maximum}"));
    }
}

fn check_array(
    schema: &Map<String, Value>,
    elements: &[Value],
    at: &str,
    errors: &mut ValidationErrors,
    resolver: JsonSchemaResolver<'_>,
) {
    let count = elements.len() as u64;
    if let Some(least) = read_bound(schema, "minItems").filter(|least| count < *least) {
        errors.add(at, format!("must have at least {least} elements"));
    }
    if let Some(limit) = read_bound(schema, "maxItems").filter(|limit| count > *limit) {
        return errors.add(at, format!("must have at most {limit} elements"));
    }
    let is_unique = schema.get("uniqueItems").and_then(Value::as_bool).unwrap_or_default();
    for (index, element) in elements.iter().enumerate() {
        let at = format!("{at}/{index}");
        if is_unique && elements[..index].contains(element) {
            errors.add(&*at, "is repeated; each element must be unique");
        }
        if let Some(items) = schema.get("items") {
            check_value(items, element, &at, errors, resolver);
        }
    }
}

fn check_object(
    schema: &Map<String, Value>,
    members: &Map<String, Value>,
    at: &str,
    errors: &mut ValidationErrors,
    resolver: JsonSchemaResolver<'_>,
) {
    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if !members.contains_key(name) {
            errors.add(append_pointer_segment(at, name), "is required");
        }
    }
    if let Some(limit) = read_bound(schema, "maxProperties").filter(|limit| members.len() as u64 > *limit) {
        return errors.add(at, format!("must have at most {limit} members"));
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, member) in members {
        let at = append_pointer_segment(at, name);
        match (properties.and_then(|properties| properties.get(name)), schema.get("additionalProperties")) {
            (Some(property), _) => check_value(property, member, &at, errors, resolver),
            (None, Some(Value::Bool(false))) => errors.add(at, "is not a known member; remove it"),
            (None, Some(others @ Value::Object(_))) => check_value(others, member, &at, errors, resolver),
            (None, _) => {}
        }
        if errors.iter().count() >= ERRORS_MAX {
            return;
        }
    }
}

/// Appends a segment to a JSON pointer (RFC 6901 §3). Overlong names are not repeated.
fn append_pointer_segment(at: &str, name: &str) -> String {
    let name = if name.len() > NAME_BYTES_MAX { "…" } else { name };
    format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// The enforced keywords.
const ENFORCED_KEYWORDS: [&str; 17] = [
    "$ref",
    "additionalProperties",
    "anyOf",
    "const",
    "enum",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "properties",
    "required",
    "type",
    "uniqueItems",
];

/// Finds keywords of a schema that are neither enforced nor in `annotations`.
pub fn find_unsupported_keywords(schema: &Value, annotations: &[&str]) -> Vec<String> {
    let Some(members) = schema.as_object() else { return Vec::new() };
    let mut unknown = Vec::new();
    for (word, inside) in members {
        if !ENFORCED_KEYWORDS.contains(&word.as_str()) && !annotations.contains(&word.as_str()) {
            unknown.push(word.clone());
        }
        match (word.as_str(), inside) {
            ("properties", Value::Object(properties)) => {
                unknown.extend(
                    properties.values().flat_map(|inside| find_unsupported_keywords(inside, annotations)),
                );
            }
            ("items" | "additionalProperties", inside) => {
                unknown.extend(find_unsupported_keywords(inside, annotations))
            }
            ("anyOf", Value::Array(choices)) => {
                unknown
                    .extend(choices.iter().flat_map(|inside| find_unsupported_keywords(inside, annotations)));
            }
            _ => {}
        }
    }
    unknown
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn told(schema: &Value, value: &Value) -> Vec<(String, String)> {
        validate_value(schema, value, &|_| None)
            .iter()
            .map(|fault| (fault.pointer.clone(), fault.text.to_string()))
            .collect()
    }

    fn places(schema: &Value, value: &Value) -> Vec<String> {
        told(schema, value).into_iter().map(|(pointer, _)| pointer).collect()
    }

    fn order() -> Value {
        json!({
            "type": "object", "additionalProperties": false, "required": ["name", "lines"],
            "properties": {
                "name": {"type": "string", "minLength": 1, "maxLength": 5},
                "lines": {"type": "array", "minItems": 1, "maxItems": 3, "uniqueItems": true,
                          "items": {"type": "integer", "minimum": 1, "maximum": 9}},
                "state": {"enum": ["open", "closed"]},
                "note": {"type": ["string", "null"]},
                "more": {"type": "object", "maxProperties": 2, "additionalProperties": {"type": "boolean"}},
                "either": {"anyOf": [{"type": "null"}, {"type": "object", "required": ["a"]}]},
            },
        })
    }

    #[test]
    fn json_schema_faults_are_reported_with_their_location() {
        let value = json!({
            "name": "toolong", "lines": [1, 0, 1, "x"], "state": "ajar", "note": 1, "a/b~": 1,
            "more": {"x": 1}, "either": {"b": 1},
        });
        assert_eq!(
            places(&order(), &value),
            ["/a~1b~0", "/either/a", "/lines", "/more/x", "/name", "/note", "/state"]
        );
        assert_eq!(
            places(&order(), &json!({"lines": [1, 0, 1], "name": ""})),
            ["/lines/1", "/lines/2", "/name"]
        );
        assert_eq!(places(&order(), &json!({})), ["/name", "/lines"]);
        assert_eq!(told(&order(), &json!([])), [(String::new(), "must be of type object".to_owned())]);
        assert_eq!(places(&order(), &json!({"name": "x", "lines": [1], "either": 1})), ["/either"]);
    }

    #[test]
    fn json_schema_accepts_a_valid_value() {
        let value = json!({
            "name": "añb", "lines": [9, 1], "state": "open", "note": null, "more": {"x": true}, "either": null,
        });
        assert!(told(&order(), &value).is_empty());
    }

    #[test]
    fn json_schema_faults_are_limited_in_number_and_length() {
        let many: Map<String, Value> = (0..1_000).map(|index| (format!("m{index}"), json!(1))).collect();
        assert_eq!(places(&order(), &Value::Object(many)).len(), ERRORS_MAX);
        let long = json!({"name": "x", "lines": [1], "y".repeat(200): 1});
        assert_eq!(places(&order(), &long), ["/…"]);
    }

    #[test]
    fn json_schema_keyword_that_is_not_enforced_is_reported() {
        let schema = json!({"type": "object", "properties": {"a": {"items": {"multipleOf": 2}}}, "not": {}});
        assert_eq!(find_unsupported_keywords(&schema, &["description"]), ["not", "multipleOf"]);
        assert!(find_unsupported_keywords(&order(), &[]).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn json_schema_lengths_and_bounds_match_the_oracle(name in ".{0,8}", lines in prop::collection::vec(-2_i64..12, 0..5)) {
            let value = json!({"name": name, "lines": lines});
            let mut once = lines.clone();
            once.sort_unstable();
            once.dedup();
            let fits = (1..=5).contains(&name.chars().count())
                && (1..=3).contains(&lines.len())
                && once.len() == lines.len()
                && lines.iter().all(|line| (1..=9).contains(line));
            prop_assert_eq!(told(&order(), &value).is_empty(), fits);
        }
    }
}
