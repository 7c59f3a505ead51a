//! JSON Schemas (2020-12) of requests and responses. The published schema is also enforced: a body is
//! validated against it before anything else.

use serde_json::Value;
use sinete_core::json_schema;
use sinete_core::validation::ValidationErrors;
use std::collections::BTreeMap;

/// A schema with its name.
#[derive(Debug, PartialEq, Eq)]
pub struct NamedSchema {
    /// The unique name.
    pub name: &'static str,
    /// The schema as JSON.
    pub json: &'static str,
}

/// The prefix of references between schemas.
pub const SCHEMA_REFERENCE_PREFIX: &str = "#/components/schemas/";

/// The schemas of an application by name.
pub struct SchemaRegistry(BTreeMap<&'static str, Value>);

impl SchemaRegistry {
    /// The registry of these schemas.
    pub fn new(all: &[&NamedSchema]) -> Self {
        let parse = |schema: &&NamedSchema| {
            // A test shows that each is valid JSON; one that was not would allow nothing.
            (schema.name, serde_json::from_str(schema.json).unwrap_or(Value::Bool(false)))
        };
        Self(all.iter().map(parse).collect())
    }

    /// The schema with this name.
    pub fn find(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// All schemas, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(name, schema)| (*name, schema))
    }

    /// Validates the value, and returns all errors with their locations. A schema that is not registered
    /// allows nothing.
    pub fn check(&'static self, schema: &NamedSchema, value: &Value) -> ValidationErrors {
        let schema = self.find(schema.name).unwrap_or(&Value::Bool(false));
        json_schema::validate_value(schema, value, &|reference| {
            reference.strip_prefix(SCHEMA_REFERENCE_PREFIX).and_then(|name| self.find(name))
        })
    }
}
