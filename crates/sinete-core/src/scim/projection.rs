//! Attribute selection in responses: all, only some, or all except some (RFC 7644 §3.9).

use super::attribute::ScimAttribute;
use super::attribute_path::ScimAttributePath;
use super::extension::find_stored_name;
use super::schema::COMMON;
use super::{ENTERPRISE_SCHEMA, ScimResourceType};
use serde_json::{Map, Value};

/// The attributes that a request selects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ScimAttributeProjection {
    /// All.
    #[default]
    All,
    /// Only these, and those that are always returned.
    Only(Vec<String>),
    /// All except these.
    AllBut(Vec<String>),
}

impl ScimAttributeProjection {
    /// Creates the projection from both parameters. If both are given, `attributes` takes precedence.
    pub fn from_params(attributes: Vec<String>, excluded: Vec<String>) -> Self {
        match (attributes.is_empty(), excluded.is_empty()) {
            (false, _) => Self::Only(attributes),
            (true, false) => Self::AllBut(excluded),
            (true, true) => Self::All,
        }
    }

    /// Whether the attribute or a part of it is selected.
    pub fn includes_attribute(&self, kind: ScimResourceType, name: &str) -> bool {
        let places = |names: &[String]| -> Vec<ScimAttributePath> {
            names.iter().filter_map(|name| ScimAttributePath::parse(kind, name)).collect()
        };
        match self {
            Self::All => true,
            Self::Only(names) => places(names).iter().any(|path| path.attribute.name == name),
            Self::AllBut(names) => {
                !places(names).iter().any(|path| path.attribute.name == name && path.sub_attribute.is_none())
            }
        }
    }

    /// The selected part of a resource.
    pub fn project_resource(
        &self,
        kind: ScimResourceType,
        resource: Map<String, Value>,
    ) -> Map<String, Value> {
        match self {
            Self::All => resource,
            Self::Only(names) => {
                let mut projection = Map::new();
                for always in COMMON.iter().filter(|attribute| attribute.is_always_returned) {
                    projection.extend(
                        resource.get(always.name).map(|value| (always.name.to_owned(), value.clone())),
                    );
                }
                names.iter().for_each(|name| copy_attribute(kind, name, &resource, &mut projection));
                projection
            }
            Self::AllBut(names) => {
                let mut projection = resource;
                names.iter().for_each(|name| exclude_attribute(kind, name, &mut projection));
                projection
            }
        }
    }
}

fn copy_attribute(
    kind: ScimResourceType,
    name: &str,
    from: &Map<String, Value>,
    projection: &mut Map<String, Value>,
) {
    if let Some((schema, _)) = kind.extension()
        && name.eq_ignore_ascii_case(schema)
    {
        projection.extend(from.get(schema).map(|value| (schema.to_owned(), value.clone())));
        return;
    }
    if let Some((schema, attribute)) = find_registered(from, name) {
        match (from.get(&schema), attribute) {
            (Some(value), None) => projection.extend([(schema, value.clone())]),
            (Some(Value::Object(from)), Some(attribute)) => {
                let home = projection.entry(schema).or_insert_with(|| Value::Object(Map::new()));
                if let (Value::Object(home), Some(value)) = (home, from.get(&attribute)) {
                    home.insert(attribute, value.clone());
                }
            }
            _ => {}
        }
        return;
    }
    let Some(path) = ScimAttributePath::parse(kind, name) else { return };
    let home =
        if path.is_extension { from.get(ENTERPRISE_SCHEMA).and_then(Value::as_object) } else { Some(from) };
    let Some(value) = home.and_then(|home| home.get(path.attribute.name)) else { return };
    let projection = if path.is_extension {
        let home = projection.entry(ENTERPRISE_SCHEMA).or_insert_with(|| Value::Object(Map::new()));
        let Value::Object(home) = home else { return };
        home
    } else {
        projection
    };
    match path.sub_attribute {
        None => {
            projection.insert(path.attribute.name.to_owned(), value.clone());
        }
        Some(part) => add_sub_attribute(projection, path.attribute, part, value),
    }
}

/// Finds a registered extension of the resource that the name means, or an attribute of it, as they are stored.
fn find_registered(resource: &Map<String, Value>, name: &str) -> Option<(String, Option<String>)> {
    let mut schemas = resource.keys().filter(|key| key.contains(':') && *key != ENTERPRISE_SCHEMA);
    schemas.find_map(|schema| {
        let (head, rest) = (name.get(..schema.len())?, name.get(schema.len()..)?);
        if !head.eq_ignore_ascii_case(schema) {
            return None;
        }
        if rest.is_empty() {
            return Some((schema.clone(), None));
        }
        let attributes = resource.get(schema)?.as_object()?;
        let attribute = find_stored_name(attributes, rest.strip_prefix(':')?)?;
        Some((schema.clone(), Some(attribute)))
    })
}

/// Adds a sub-attribute to the selected part of a value.
fn add_sub_attribute(
    projection: &mut Map<String, Value>,
    attribute: &ScimAttribute,
    part: &ScimAttribute,
    value: &Value,
) {
    let only =
        |value: &Value| Map::from_iter(value.get(part.name).map(|it| (part.name.to_owned(), it.clone())));
    match (projection.get_mut(attribute.name), value) {
        (Some(Value::Object(parts)), value) => parts.extend(only(value)),
        (Some(Value::Array(existing_elements)), Value::Array(elements)) => {
            for (existing_element, element) in existing_elements.iter_mut().zip(elements) {
                if let Value::Object(parts) = existing_element {
                    parts.extend(only(element));
                }
            }
        }
        (_, Value::Array(elements)) => {
            let elements = elements.iter().map(|element| Value::Object(only(element))).collect();
            projection.insert(attribute.name.to_owned(), Value::Array(elements));
        }
        (_, value) => {
            projection.insert(attribute.name.to_owned(), Value::Object(only(value)));
        }
    }
}

fn exclude_attribute(kind: ScimResourceType, name: &str, projection: &mut Map<String, Value>) {
    if let Some((schema, _)) = kind.extension()
        && name.eq_ignore_ascii_case(schema)
    {
        projection.remove(schema);
        return;
    }
    if let Some((schema, attribute)) = find_registered(projection, name) {
        match (projection.get_mut(&schema), attribute) {
            (Some(Value::Object(home)), Some(attribute)) => home.remove(&attribute),
            _ => projection.remove(&schema),
        };
        return;
    }
    let Some(path) = ScimAttributePath::parse(kind, name).filter(|path| !path.attribute.is_always_returned)
    else {
        return;
    };
    let home = if path.is_extension {
        let Some(Value::Object(home)) = projection.get_mut(ENTERPRISE_SCHEMA) else { return };
        home
    } else {
        projection
    };
    match (path.sub_attribute, home.get_mut(path.attribute.name)) {
        (None, _) => {
            home.remove(path.attribute.name);
        }
        (Some(part), Some(Value::Array(elements))) => {
            for element in elements {
                if let Value::Object(parts) = element {
                    parts.remove(part.name);
                }
            }
        }
        (Some(part), Some(Value::Object(parts))) => {
            parts.remove(part.name);
        }
        (Some(_), _) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(attributes: &[&str], excluded: &[&str]) -> Value {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let Value::Object(resource) = json!({
            "schemas": ["s"], "id": "7", "userName": "ana", "name": {"givenName": "Ana", "familyName": "Souza"},
            "emails": [{"value": "a@x.org", "type": "work"}],
            "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {"department": "Books", "division": "x"},
            "urn:acme:crm:1.0:User": {"tag": "gold", "level": 3},
        }) else {
            panic!()
        };
        let attribute_projection = ScimAttributeProjection::from_params(owned(attributes), owned(excluded));
        Value::Object(attribute_projection.project_resource(ScimResourceType::User, resource))
    }

    #[test]
    fn scim_attributes_parameter_limits_the_response() {
        assert_eq!(
            told(&["USERNAME"], &["userName"]),
            json!({"schemas": ["s"], "id": "7", "userName": "ana"})
        );
        let parts = ["name.givenName", "emails.type", "emails.value", "unknown"];
        let expected = json!({
            "schemas": ["s"], "id": "7", "name": {"givenName": "Ana"},
            "emails": [{"value": "a@x.org", "type": "work"}]});
        assert_eq!(told(&parts, &[]), expected);
        let department = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department";
        let enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
        assert_eq!(told(&[department], &[])[enterprise], json!({"department": "Books"}));
        assert_eq!(told(&[enterprise], &[])[enterprise], json!({"department": "Books", "division": "x"}));
        let crm = "urn:acme:crm:1.0:User";
        assert_eq!(told(&["URN:acme:crm:1.0:User:TAG"], &[])[crm], json!({"tag": "gold"}));
        assert_eq!(told(&[crm], &[])[crm], json!({"tag": "gold", "level": 3}));
        assert_eq!(told(&[], &["urn:acme:crm:1.0:User:tag"])[crm], json!({"level": 3}));
    }

    #[test]
    fn scim_excluded_attributes_are_omitted_unless_always_returned() {
        let enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
        let resource = told(&[], &["id", "emails.type", "name", enterprise, "urn:acme:crm:1.0:User"]);
        let expected =
            json!({"schemas": ["s"], "id": "7", "userName": "ana", "emails": [{"value": "a@x.org"}]});
        assert_eq!(resource, expected);
    }

    #[test]
    fn scim_requested_attributes_are_known_before_reading_them() {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let group = |attribute_projection: &ScimAttributeProjection| {
            attribute_projection.includes_attribute(ScimResourceType::Group, "members")
        };
        assert!(
            group(&ScimAttributeProjection::All)
                && group(&ScimAttributeProjection::Only(list(&["members.value"])))
        );
        assert!(
            !group(&ScimAttributeProjection::AllBut(list(&["MEMBERS"])))
                && !group(&ScimAttributeProjection::Only(list(&["displayName"])))
        );
        assert!(group(&ScimAttributeProjection::AllBut(list(&["members.display"]))));
    }
}
