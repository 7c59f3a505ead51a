//! What an organization decides about the SCIM requests of its directories.

use crate::json_schema::impl_value_schema;
use crate::limits::{SCIM_EXTENSION_SCHEMA_BYTES_MAX, SCIM_EXTENSION_SCHEMAS_MAX};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The SCIM settings of an organization.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(inline)]
pub struct ScimSettings {
    /// What a PATCH does with an attribute that is not stored.
    #[schemars(
        description = "What a PATCH does with an attribute that is not stored: ignore it and list it in an event, ignore it, or refuse the request."
    )]
    #[serde(skip_serializing_if = "UnknownAttributePolicy::is_default")]
    #[schemars(extend("default" = "log"))]
    pub unknown_attributes: UnknownAttributePolicy,
    /// The registered extension schemas of users, whose attributes are stored as sent.
    #[schemars(description = "URNs of extension schemas of users whose attributes are stored as sent.")]
    #[serde(skip_serializing_if = "ScimExtensionSchemas::is_empty")]
    pub extension_schemas: ScimExtensionSchemas,
}

impl ScimSettings {
    /// Whether all settings have their defaults.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What a PATCH operation does whose path names an attribute that is not stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum UnknownAttributePolicy {
    /// It is ignored, and an event lists the ignored attributes.
    #[default]
    Log,
    /// It is ignored without an event.
    Ignore,
    /// The request is refused as a whole, as RFC 7644 §3.5.2 demands.
    Refuse,
}

impl UnknownAttributePolicy {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The schema URNs that an organization registered for extensions of users.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct ScimExtensionSchemas(Vec<String>);

/// The list is not one of extension schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "at most {SCIM_EXTENSION_SCHEMAS_MAX} different URNs of up to {SCIM_EXTENSION_SCHEMA_BYTES_MAX} bytes, \
     without those of SCIM itself"
)]
pub struct InvalidExtensionSchemas;

impl_value_schema!(ScimExtensionSchemas, {
    "type": "array",
    "maxItems": SCIM_EXTENSION_SCHEMAS_MAX,
    "uniqueItems": true,
    "items": {"type": "string", "maxLength": SCIM_EXTENSION_SCHEMA_BYTES_MAX, "pattern": "^[uU][rR][nN]:"},
});

impl ScimExtensionSchemas {
    /// Whether none is registered.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The registered schemas, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Finds a schema by its URN, compared case-insensitively.
    pub fn find_schema(&self, urn: &str) -> Option<&str> {
        self.iter().find(|schema| schema.eq_ignore_ascii_case(urn))
    }

    /// Splits `URN:attribute` of a registered schema. The longest schema counts where one begins like another.
    pub fn split_attribute<'a>(&self, path: &'a str) -> Option<(&str, &'a str)> {
        let after = |schema: &str| {
            let (head, rest) = (path.get(..schema.len())?, path.get(schema.len()..)?);
            if head.eq_ignore_ascii_case(schema) { rest.strip_prefix(':') } else { None }
        };
        let matching_schemas = self.iter().filter_map(|schema| Some((schema, after(schema)?)));
        matching_schemas.max_by_key(|(schema, _)| schema.len())
    }
}

impl TryFrom<Vec<String>> for ScimExtensionSchemas {
    type Error = InvalidExtensionSchemas;

    fn try_from(mut schemas: Vec<String>) -> Result<Self, InvalidExtensionSchemas> {
        schemas.sort();
        let is_distinct = schemas
            .iter()
            .enumerate()
            .all(|(index, schema)| !schemas[..index].iter().any(|other| other.eq_ignore_ascii_case(schema)));
        let fits = schemas.len() <= SCIM_EXTENSION_SCHEMAS_MAX && is_distinct;
        if fits && schemas.iter().all(|schema| is_extension_schema(schema)) {
            Ok(Self(schemas))
        } else {
            Err(InvalidExtensionSchemas)
        }
    }
}

impl From<ScimExtensionSchemas> for Vec<String> {
    fn from(schemas: ScimExtensionSchemas) -> Self {
        schemas.0
    }
}

/// The URNs of SCIM's own core schemas and messages, and of the enterprise extension.
const RESERVED_URN_PREFIXES: [&str; 3] = [
    "urn:ietf:params:scim:schemas:core:",
    "urn:ietf:params:scim:api:",
    "urn:ietf:params:scim:schemas:extension:enterprise:",
];

fn is_extension_schema(urn: &str) -> bool {
    let begins = |prefix: &str| urn.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix));
    let is_part = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    urn.len() <= SCIM_EXTENSION_SCHEMA_BYTES_MAX
        && begins("urn:")
        && urn.split(':').count() >= 3
        && urn.split(':').all(is_part)
        && !RESERVED_URN_PREFIXES.into_iter().any(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schemas(urns: &[&str]) -> Result<ScimExtensionSchemas, InvalidExtensionSchemas> {
        urns.iter().map(|urn| (*urn).to_owned()).collect::<Vec<_>>().try_into()
    }

    #[test]
    fn scim_extension_schemas_are_distinct_urns_beside_those_of_scim() {
        let extension_schemas = schemas(&["urn:acme:scim:2.0:User", "urn:acme:scim:2.0:User:crm"]).unwrap();
        assert_eq!(extension_schemas.find_schema("URN:acme:scim:2.0:user"), Some("urn:acme:scim:2.0:User"));
        assert_eq!(
            extension_schemas.split_attribute("urn:acme:scim:2.0:User:crm:tag"),
            Some(("urn:acme:scim:2.0:User:crm", "tag"))
        );
        assert_eq!(
            extension_schemas.split_attribute("urn:acme:scim:2.0:User:tag"),
            Some(("urn:acme:scim:2.0:User", "tag"))
        );
        assert_eq!(extension_schemas.split_attribute("urn:other:tag"), None);
        for refused in [
            &["acme"][..],
            &["urn:acme"],
            &["urn:acme:"],
            &["urn:acme:a b"],
            &["urn:acme:x", "URN:ACME:X"],
            &["urn:ietf:params:scim:schemas:core:2.0:User"],
            &["urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
            &["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
            &["https://acme.example/schema"],
        ] {
            assert_eq!(schemas(refused), Err(InvalidExtensionSchemas), "{refused:?}");
        }
        let many: Vec<String> = (0..=SCIM_EXTENSION_SCHEMAS_MAX).map(|it| format!("urn:acme:{it}")).collect();
        assert_eq!(ScimExtensionSchemas::try_from(many), Err(InvalidExtensionSchemas));
    }
}
