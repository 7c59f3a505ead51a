//! JSON Schemas (2020-12) of requests and responses. The published schema is also enforced: a body is
//! validated against it before anything else.

use serde_json::Value;
use sinete_core::json_schema;
use sinete_core::validation::ValidationErrors;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A schema with its name.
#[derive(Debug, PartialEq, Eq)]
pub struct NamedSchema {
    /// The unique name.
    pub name: &'static str,
    /// The schema as JSON.
    pub json: &'static str,
}

/// The prefix of references between schemas.
pub(crate) const SCHEMA_REFERENCE_PREFIX: &str = "#/components/schemas/";

impl NamedSchema {
    /// Validates the value, and returns all errors with their locations.
    pub fn check(&self, value: &Value) -> ValidationErrors {
        let schema = parsed_schema(self.name).unwrap_or(&Value::Bool(false));
        json_schema::validate_value(schema, value, &|reference| {
            reference.strip_prefix(SCHEMA_REFERENCE_PREFIX).and_then(parsed_schema)
        })
    }
}

/// The parsed schema with this name.
pub(crate) fn parsed_schema(name: &str) -> Option<&'static Value> {
    PARSED_SCHEMAS.get(name)
}

/// All parsed schemas by name.
pub(crate) static PARSED_SCHEMAS: LazyLock<BTreeMap<&'static str, Value>> = LazyLock::new(|| {
    let read = |schema: &NamedSchema| {
        // A test shows that each is valid JSON; one that was not would allow nothing.
        (schema.name, serde_json::from_str(schema.json).unwrap_or(Value::Bool(false)))
    };
    ALL_SCHEMAS.iter().copied().map(read).collect()
});

/// All schemas, from all modules.
static ALL_SCHEMAS: LazyLock<Vec<&'static NamedSchema>> = LazyLock::new(|| {
    let own: [&[&NamedSchema]; 4] = [
        crate::router::SCHEMAS,
        crate::openapi::SCHEMAS,
        crate::sign_in::flows::handlers::SCHEMAS,
        crate::scim::SCHEMAS,
    ];
    [own.concat(), crate::management_api::SCHEMAS.clone(), crate::accounts::account_request::SCHEMAS.clone()]
        .concat()
});

/// The schema with this name, as written.
pub fn find_schema(name: &str) -> Option<&'static NamedSchema> {
    ALL_SCHEMAS.iter().copied().find(|schema| schema.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn references(schema: &Value, found: &mut Vec<String>) {
        match schema {
            Value::Object(members) => {
                found.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
                members.values().for_each(|member| references(member, found));
            }
            Value::Array(elements) => elements.iter().for_each(|element| references(element, found)),
            _ => {}
        }
    }

    #[test]
    fn json_schemas_have_unique_names_and_resolving_references() {
        assert_eq!(PARSED_SCHEMAS.len(), ALL_SCHEMAS.len(), "two schemas share a name");
        for (name, schema) in PARSED_SCHEMAS.iter() {
            assert!(schema.is_object(), "{name} is no JSON");
            let mut found = Vec::new();
            references(schema, &mut found);
            for reference in found {
                let target = reference.strip_prefix(SCHEMA_REFERENCE_PREFIX).unwrap_or_default();
                assert!(parsed_schema(target).is_some(), "{name} refers to {reference}");
            }
        }
    }

    /// Annotation keywords. A pattern or format documents one of our types, which is stricter.
    const SAID: [&str; 5] = ["default", "description", "examples", "format", "pattern"];

    #[test]
    fn json_schemas_use_enforced_keywords_only() {
        for (name, read) in PARSED_SCHEMAS.iter() {
            let unknown = json_schema::find_unsupported_keywords(read, &SAID);
            assert!(unknown.is_empty(), "{name} says {unknown:?}, which nobody looks at");
        }
    }

    #[test]
    fn json_schema_that_is_not_listed_accepts_nothing() {
        let unlisted = NamedSchema { name: "Unlisted", json: "{}" };
        assert!(!unlisted.check(&Value::Null).is_empty());
    }
}
