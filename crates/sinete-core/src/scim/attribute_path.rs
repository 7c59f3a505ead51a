//! Attribute paths (RFC 7644 §3.10).

use super::attribute::ScimAttribute;
use super::{ENTERPRISE_SCHEMA, ScimResourceType};
use serde_json::{Map, Value};
use std::fmt;

/// A path to an attribute or sub-attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScimAttributePath {
    /// Whether the attribute belongs to the extension schema.
    pub is_extension: bool,
    /// The attribute.
    pub attribute: &'static ScimAttribute,
    /// The sub-attribute, if the path names one.
    pub sub_attribute: Option<&'static ScimAttribute>,
}

impl ScimAttributePath {
    /// Parses a path such as `userName` or `name.familyName`, with or without a schema prefix.
    pub fn parse(kind: ScimResourceType, text: &str) -> Option<Self> {
        let (is_extension, rest) =
            match kind.extension().and_then(|(schema, _)| strip_schema_prefix(text, schema)) {
                Some(rest) => (true, rest),
                None => (false, strip_schema_prefix(text, kind.schema()).unwrap_or(text)),
            };
        let (name, part) = match rest.split_once('.') {
            Some((name, part)) => (name, Some(part)),
            None => (rest, None),
        };
        let attribute = if is_extension {
            let (_, attributes) = kind.extension()?;
            attributes.iter().find(|attribute| attribute.name.eq_ignore_ascii_case(name))?
        } else {
            kind.find_attribute(name)?
        };
        let part = match part {
            Some(part) => Some(attribute.find_sub_attribute(part)?),
            None => None,
        };
        Some(Self { is_extension, attribute, sub_attribute: part })
    }

    /// Whether the target is read-only.
    pub fn is_read_only(&self) -> bool {
        self.attribute.is_read_only() || self.sub_attribute.is_some_and(ScimAttribute::is_read_only)
    }

    /// The attribute or sub-attribute that decides how values are compared.
    pub fn target_attribute(&self) -> &'static ScimAttribute {
        self.sub_attribute.unwrap_or(self.attribute)
    }

    /// The values at the path: none, one, or all of a multi-valued attribute.
    pub fn values<'a>(&self, resource: &'a Map<String, Value>) -> Vec<&'a Value> {
        let attribute_value = if self.is_extension {
            resource.get(ENTERPRISE_SCHEMA).and_then(|extension| extension.get(self.attribute.name))
        } else {
            resource.get(self.attribute.name)
        };
        let values: Vec<&Value> = match attribute_value {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(elements)) => elements.iter().collect(),
            Some(one) => vec![one],
        };
        match self.sub_attribute {
            None => values,
            Some(part) => values.into_iter().filter_map(|value| value.get(part.name)).collect(),
        }
    }
}

impl fmt::Display for ScimAttributePath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_extension {
            write!(out, "{ENTERPRISE_SCHEMA}:")?;
        }
        out.write_str(self.attribute.name)?;
        self.sub_attribute.map_or(Ok(()), |part| write!(out, ".{}", part.name))
    }
}

/// The text after a schema prefix and a colon.
fn strip_schema_prefix<'a>(text: &'a str, schema: &str) -> Option<&'a str> {
    let (head, rest) = (text.get(..schema.len())?, text.get(schema.len()..)?);
    if head.eq_ignore_ascii_case(schema) { rest.strip_prefix(':') } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(kind: ScimResourceType, text: &str) -> Option<String> {
        ScimAttributePath::parse(kind, text).map(|path| path.to_string())
    }

    #[test]
    fn scim_attribute_path_is_read_with_or_without_its_schema_in_any_case() {
        let user = |text| read(ScimResourceType::User, text);
        assert_eq!(user("USERNAME").as_deref(), Some("userName"));
        assert_eq!(user("name.familyname").as_deref(), Some("name.familyName"));
        assert_eq!(
            user("URN:ietf:params:scim:schemas:core:2.0:User:name.givenName").as_deref(),
            Some("name.givenName")
        );
        let department = format!("{ENTERPRISE_SCHEMA}:department");
        assert_eq!(user(&department).as_deref(), Some(department.as_str()));
        assert_eq!(read(ScimResourceType::Group, "members.value").as_deref(), Some("members.value"));
    }

    #[test]
    fn scim_attribute_path_that_is_unknown_is_refused() {
        for text in
            ["", ".", "password", "name.", "name.x", "department", "userName.x", "é", "emails.value.x"]
        {
            assert_eq!(read(ScimResourceType::User, text), None, "{text}");
        }
        assert_eq!(read(ScimResourceType::Group, "userName"), None);
        assert_eq!(read(ScimResourceType::Group, &format!("{ENTERPRISE_SCHEMA}:department")), None);
    }

    #[test]
    fn scim_attribute_path_of_a_multi_valued_attribute_yields_all_values() {
        let path = ScimAttributePath::parse(ScimResourceType::User, "emails.value").unwrap();
        let Value::Object(resource) = json!({"emails": [{"value": "a@x.org"}, {"type": "work"}]}) else {
            panic!()
        };
        assert_eq!(path.values(&resource), [&json!("a@x.org")]);
    }
}
