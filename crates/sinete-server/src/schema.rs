//! JSON Schemas (2020-12) of requests and responses. The published schema is also enforced: a body is
//! validated against it before anything else.

mod derivation;

use schemars::JsonSchema;
use serde_json::Value;
use sinete_core::json_schema;
use sinete_core::validation::ValidationErrors;
use std::collections::BTreeMap;

/// A schema with its name. It is derived from the type that is read or written, or is JSON text where there is
/// no such type.
#[derive(Clone, Copy, Debug)]
pub struct NamedSchema {
    /// The unique name.
    pub name: &'static str,
    source: SchemaSource,
    allows_null: bool,
    description: Option<&'static str>,
    example: Option<&'static str>,
}

/// What a schema is made from.
#[derive(Clone, Copy, Debug)]
enum SchemaSource {
    Text(&'static str),
    Type(fn() -> Value),
}

impl NamedSchema {
    /// A schema that is written as JSON.
    pub const fn from_json(name: &'static str, json: &'static str) -> Self {
        Self { name, source: SchemaSource::Text(json), allows_null: false, description: None, example: None }
    }

    /// The schema of a request body that is deserialized as `T`. A member may be left out if it is an `Option` or
    /// has a default, and is never null.
    pub const fn request<T: JsonSchema>(name: &'static str) -> Self {
        Self::derived(name, derivation::request_schema::<T>)
    }

    /// The schema of a merge patch (RFC 7396) of the request `T`. Every member may be left out. Null resets
    /// those that a request may leave out.
    pub const fn merge_patch<T: JsonSchema>(name: &'static str) -> Self {
        Self::derived(name, derivation::merge_patch_schema::<T>)
    }

    /// The schema of a merge patch of the request `T` in which no member may be null.
    pub const fn merge_patch_without_null<T: JsonSchema>(name: &'static str) -> Self {
        Self::derived(name, derivation::merge_patch_schema_without_null::<T>)
    }

    /// The schema of a response body that is serialized from `T`. A member is always there unless its
    /// serialization is skipped, and is null if it is a `None`.
    pub const fn response<T: JsonSchema>(name: &'static str) -> Self {
        Self::derived(name, derivation::response_schema::<T>)
    }

    const fn derived(name: &'static str, derive: fn() -> Value) -> Self {
        Self {
            name,
            source: SchemaSource::Type(derive),
            allows_null: false,
            description: None,
            example: None,
        }
    }

    /// The same schema, which also allows null.
    pub const fn or_null(self) -> Self {
        Self { allows_null: true, ..self }
    }

    /// The same schema with a description.
    pub const fn with_description(self, description: &'static str) -> Self {
        Self { description: Some(description), ..self }
    }

    /// The same schema with an example, or an array of examples, written as JSON.
    pub const fn with_example(self, json: &'static str) -> Self {
        Self { example: Some(json), ..self }
    }

    /// The schema as JSON. A test shows that every text is valid; one that was not would allow nothing.
    fn to_value(self) -> Value {
        let mut schema = match self.source {
            SchemaSource::Text(json) => serde_json::from_str(json).unwrap_or(Value::Bool(false)),
            SchemaSource::Type(derive) => derive(),
        };
        if self.allows_null {
            derivation::allow_null(&mut schema);
        }
        let Value::Object(members) = &mut schema else { return schema };
        if let Some(description) = self.description {
            members.insert("description".to_owned(), Value::from(description));
        }
        match self.example.map(serde_json::from_str::<Value>) {
            None => schema,
            Some(Ok(example)) => {
                let examples = if example.is_array() { example } else { Value::Array(vec![example]) };
                members.insert("examples".to_owned(), examples);
                schema
            }
            Some(Err(_)) => Value::Bool(false),
        }
    }
}

/// The prefix of references between schemas.
pub const SCHEMA_REFERENCE_PREFIX: &str = "#/components/schemas/";

/// The schemas of an application by name.
pub struct SchemaRegistry(BTreeMap<&'static str, Value>);

impl SchemaRegistry {
    /// The registry of these schemas.
    pub fn new(all: &[&NamedSchema]) -> Self {
        Self(all.iter().map(|schema| (schema.name, schema.to_value())).collect())
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
