//! Parameters and members of bodies, as lines of text.

use serde_json::{Map, Value};
use sinete_screens::platform::api_explorer::{BodyDescription, DescriptionText, FieldDescription};

/// Members of members are shown to this depth.
const DEPTH_MAX: usize = 4;

/// The target of a reference, or the value itself.
pub(super) fn resolve<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let target = value["$ref"].as_str().and_then(|reference| document.pointer(reference.strip_prefix('#')?));
    target.unwrap_or(value)
}

pub(super) fn describe_parameters(document: &Value, operation: &Value) -> Vec<FieldDescription> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let describe = |parameter: &Value| {
        let parameter = resolve(document, parameter);
        let location = parameter["in"].as_str().unwrap_or_default();
        let kind = describe_kind(document, &parameter["schema"]);
        FieldDescription {
            name: parameter["name"].as_str().unwrap_or_default().to_owned(),
            kind: format!("{location}, {kind}"),
            is_required: parameter["required"] == true,
            description: description_text(parameter),
        }
    };
    parameters.map(describe).collect()
}

/// The first media type of a body.
pub(super) fn describe_body(document: &Value, content: &Map<String, Value>) -> Option<BodyDescription> {
    let (media_type, body) = content.iter().next()?;
    let schema = resolve(document, &body["schema"]);
    let mut fields = Vec::new();
    add_fields(document, schema, "", 0, &mut fields);
    let example = schema["examples"].get(0).and_then(|example| serde_json::to_string_pretty(example).ok());
    Some(BodyDescription { media_type: media_type.clone(), fields, example })
}

/// Adds the members of an object, and those of objects inside.
fn add_fields(
    document: &Value,
    schema: &Value,
    prefix: &str,
    depth: usize,
    fields: &mut Vec<FieldDescription>,
) {
    if depth == DEPTH_MAX {
        return;
    }
    let required = schema["required"].as_array();
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        let target = resolve(document, member);
        let name_in_full = format!("{prefix}{name}");
        fields.push(FieldDescription {
            name: name_in_full.clone(),
            kind: describe_kind(document, member),
            is_required: required.is_some_and(|all| all.iter().any(|it| it == name.as_str())),
            description: if member["description"].is_string() {
                description_text(member)
            } else {
                description_text(target)
            },
        });
        let (inside, separator) = match target.get("items") {
            Some(items) => (resolve(document, items), "[]."),
            None => (target, "."),
        };
        add_fields(document, inside, &format!("{name_in_full}{separator}"), depth + 1, fields);
    }
}

/// The type of a value, with its format, its words and its limits.
fn describe_kind(document: &Value, schema: &Value) -> String {
    let schema = resolve(document, schema);
    if let Some(choices) = schema["anyOf"].as_array() {
        let kinds: Vec<_> = choices.iter().map(|choice| describe_kind(document, choice)).collect();
        return kinds.join(" or ");
    }
    let mut kind = match &schema["type"] {
        Value::String(name) if name == "array" => {
            format!("array of {}", describe_kind(document, &schema["items"]))
        }
        Value::String(name) => name.clone(),
        Value::Array(names) => {
            let names: Vec<_> = names.iter().filter_map(Value::as_str).collect();
            names.join(" or ")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => "value".to_owned(),
    };
    if let Some(format) = schema["format"].as_str() {
        kind = format!("{kind} ({format})");
    }
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<_> = words.iter().map(ToString::to_string).collect();
        kind = format!("{kind}: {}", words.join(", "));
    }
    for (limit, text) in LIMITS {
        if let Some(number) = schema.get(limit) {
            kind = format!("{kind}, {text} {number}");
        }
    }
    kind
}

const LIMITS: [(&str, &str); 8] = [
    ("const", "always"),
    ("minLength", "minimum length"),
    ("maxLength", "maximum length"),
    ("minimum", "minimum"),
    ("maximum", "maximum"),
    ("minItems", "minimum items"),
    ("maxItems", "maximum items"),
    ("default", "default"),
];

fn description_text(described: &Value) -> DescriptionText {
    DescriptionText(described["description"].as_str().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn api_explorer_field_has_type_format_values_and_limits() {
        let document = json!({"components": {"schemas": {"Id": {"type": "string", "format": "uuid"}}}});
        for (schema, expected) in [
            (json!({"$ref": "#/components/schemas/Id"}), "string (uuid)"),
            (json!({"type": ["string", "null"], "enum": ["a", null]}), "string or null: \"a\", null"),
            (
                json!({"type": "array", "items": {"type": "integer"}, "maxItems": 3}),
                "array of integer, maximum items 3",
            ),
            (json!({"anyOf": [{"type": "boolean"}, {"type": "null"}]}), "boolean or null"),
            (json!({}), "value"),
        ] {
            assert_eq!(describe_kind(&document, &schema), expected);
        }
    }

    #[test]
    fn api_explorer_nested_members_are_named_by_their_path_and_recursion_ends() {
        let document = json!({"components": {"schemas": {"Node": {
            "type": "object", "required": ["next"],
            "properties": {"next": {"$ref": "#/components/schemas/Node"}},
        }}}});
        let content = json!({"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}});
        let body = describe_body(&document, content.as_object().unwrap()).unwrap();
        let names: Vec<_> = body.fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, ["next", "next.next", "next.next.next", "next.next.next.next"]);
    }
}
