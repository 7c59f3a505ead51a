//! Schemas of what goes in and out (JSON Schema 2020-12). The one that is published is the one that is
//! enforced: a body is held against it before anything else looks at it.

use serde_json::Value;
use sinete_core::fault::ValidationErrors;
use sinete_core::schema;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A schema with the name others refer to it by.
#[derive(Debug, PartialEq, Eq)]
pub struct NamedSchema {
    /// Its name, unique among all.
    pub name: &'static str,
    /// The schema itself, as JSON.
    pub json: &'static str,
}

/// Where schemas stand in the API description, and so how one refers to another.
pub(crate) const REFERENCE: &str = "#/components/schemas/";

impl NamedSchema {
    /// Everything about the value that the schema does not allow, each with its place.
    pub fn check(&self, value: &Value) -> ValidationErrors {
        let schema = named(self.name).unwrap_or(&Value::Bool(false));
        schema::faults(schema, value, &|reference| reference.strip_prefix(REFERENCE).and_then(named))
    }
}

/// The schema of that name, read.
pub(crate) fn named(name: &str) -> Option<&'static Value> {
    READ.get(name)
}

/// Every schema by its name.
pub(crate) static READ: LazyLock<BTreeMap<&'static str, Value>> = LazyLock::new(|| {
    let read = |schema: &NamedSchema| {
        // Each of them is JSON, as a test shows; one that was not would allow nothing.
        (schema.name, serde_json::from_str(schema.json).unwrap_or(Value::Bool(false)))
    };
    ALL.iter().copied().map(read).collect()
});

/// Every schema there is. A part adds its own here.
static ALL: LazyLock<Vec<&'static NamedSchema>> = LazyLock::new(|| {
    let own: [&[&NamedSchema]; 4] =
        [crate::router::SCHEMAS, crate::openapi::SCHEMAS, crate::flows::SCHEMAS, crate::scim::SCHEMAS];
    [own.concat(), crate::manage::SCHEMAS.clone(), crate::account::SCHEMAS.clone()].concat()
});

/// The schema of that name, as it was written.
pub fn find(name: &str) -> Option<&'static NamedSchema> {
    ALL.iter().copied().find(|schema| schema.name == name)
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
    fn every_schema_has_its_own_name_is_read_and_refers_to_those_that_exist() {
        assert_eq!(READ.len(), ALL.len(), "two schemas share a name");
        for (name, schema) in READ.iter() {
            assert!(schema.is_object(), "{name} is no JSON");
            let mut found = Vec::new();
            references(schema, &mut found);
            for reference in found {
                let target = reference.strip_prefix(REFERENCE).unwrap_or_default();
                assert!(named(target).is_some(), "{name} refers to {reference}");
            }
        }
    }

    /// The words that only say something to people. A pattern or a format stands for a type of ours, which is
    /// stricter than either.
    const SAID: [&str; 5] = ["default", "description", "examples", "format", "pattern"];

    #[test]
    fn no_schema_says_more_than_is_enforced() {
        for (name, read) in READ.iter() {
            let unknown = schema::unknown_words(read, &SAID);
            assert!(unknown.is_empty(), "{name} says {unknown:?}, which nobody looks at");
        }
    }

    #[test]
    fn a_schema_that_is_not_in_the_list_allows_nothing() {
        let unlisted = NamedSchema { name: "Unlisted", json: "{}" };
        assert!(!unlisted.check(&Value::Null).is_empty());
    }
}
