//! Normalization of resources sent by directories: canonical names and values, without read-only attributes.
//! Unknown attributes are ignored, because directories send many; those of registered extensions are kept.

use super::attribute::{ScimAttribute, ScimAttributeType};
use super::{ScimResourceType, extension, refuse_attribute};
use crate::accounts::email_address::EmailAddress;
use crate::accounts::profile_text::ProfileText;
use crate::accounts::standard_claims::{AddressText, WebAddress};
use crate::limits::{SCIM_MEMBERS_SENT_MAX, SCIM_VALUES_MAX};
use crate::organizations::scim_settings::ScimExtensionSchemas;
use crate::refusal::Refusal;
use crate::refusal::scim::ScimRefusal;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Normalizes a whole resource.
pub fn normalize_resource(
    kind: ScimResourceType,
    resource: &Value,
    registered: &ScimExtensionSchemas,
) -> Result<Map<String, Value>, Refusal> {
    let Value::Object(resource) = resource else {
        return Err(invalid_resource("The resource must be a JSON object."));
    };
    require_schema(resource, kind.schema())?;
    let mut read = Map::new();
    for (name, value) in resource {
        if let Some((schema, attributes)) = kind.extension()
            && name.eq_ignore_ascii_case(schema)
        {
            let part = normalize_members(attributes, value, name)?;
            insert_once(&mut read, schema, part.map(Value::Object))?;
            continue;
        }
        if kind == ScimResourceType::User
            && let Some(schema) = registered.find_schema(name)
        {
            let part = extension::normalize_extension(schema, value)?;
            insert_once(&mut read, schema, part.map(Value::Object))?;
            continue;
        }
        let Some(attribute) = kind.find_attribute(name).filter(|attribute| !attribute.is_read_only()) else {
            continue;
        };
        insert_once(&mut read, attribute.name, self::normalize_value(attribute, value)?)?;
    }
    Ok(read)
}

/// Checks that `schemas` contains the required schema, if it is present.
pub fn require_schema(body: &Map<String, Value>, schema: &str) -> Result<(), Refusal> {
    let schemas_entry = body.iter().find(|(name, _)| name.eq_ignore_ascii_case("schemas"));
    let says = |value: &Value| value.as_str().is_some_and(|text| text.eq_ignore_ascii_case(schema));
    match schemas_entry {
        None => Ok(()),
        Some((_, Value::Array(schemas))) if schemas.iter().any(says) => Ok(()),
        Some(_) => Err(invalid_resource(
            "The attribute schemas does not contain the schema URI of this resource. GET /scim/v2/Schemas \
             lists them.",
        )),
    }
}

/// Normalizes a value of an attribute; `None` if the value means absence.
pub fn normalize_value(attribute: &ScimAttribute, value: &Value) -> Result<Option<Value>, Refusal> {
    if !attribute.is_multi_valued {
        return normalize_single_value(attribute, unwrap_single_value(attribute, value));
    }
    let elements = match value {
        Value::Array(elements) => elements.as_slice(),
        Value::Null => &[],
        single => std::slice::from_ref(single),
    };
    let limit = if attribute.name == "members" { SCIM_MEMBERS_SENT_MAX } else { SCIM_VALUES_MAX };
    if elements.len() > limit {
        return Err(refuse_attribute(ScimRefusal::ValueInvalid("has too many values"), attribute.name));
    }
    let mut read: Vec<Value> = Vec::new();
    let mut members = HashSet::new();
    for element in elements {
        let Some(element) = normalize_single_value(attribute, element)? else { continue };
        let is_new = match find_member_id(attribute, &element) {
            Some(id) => members.insert(id.to_owned()),
            None => !read.contains(&element),
        };
        if is_new {
            read.push(element);
        }
    }
    let primary_count =
        read.iter().filter(|element| element.get("primary") == Some(&Value::Bool(true))).count();
    if primary_count > 1 {
        return Err(refuse_attribute(
            ScimRefusal::ValueInvalid("can have at most one primary value"),
            attribute.name,
        ));
    }
    Ok((!read.is_empty()).then_some(Value::Array(read)))
}

/// The id of a group member, for finding duplicates among very many members.
pub(super) fn find_member_id<'a>(attribute: &ScimAttribute, element: &'a Value) -> Option<&'a str> {
    if attribute.name == "members" { element.get("value").and_then(Value::as_str) } else { None }
}

/// Unwraps a single value. Entra ID sends some as a list with one complex value.
fn unwrap_single_value<'a>(attribute: &ScimAttribute, value: &'a Value) -> &'a Value {
    match value {
        Value::Array(elements) if elements.len() == 1 => match (&elements[0], attribute.kind) {
            (Value::Object(members), kind) if kind != ScimAttributeType::Complex => {
                members.get("value").unwrap_or(&elements[0])
            }
            (only, _) => only,
        },
        other => other,
    }
}

fn normalize_single_value(attribute: &ScimAttribute, value: &Value) -> Result<Option<Value>, Refusal> {
    let wrong = |text| Err(refuse_attribute(ScimRefusal::ValueInvalid(text), attribute.name));
    match (attribute.kind, value) {
        (_, Value::Null) => Ok(None),
        (ScimAttributeType::Complex, Value::Object(_)) => {
            let read = normalize_members(attribute.sub_attributes, value, attribute.name)?;
            let lacks = |part: &&ScimAttribute| {
                part.is_required && read.as_ref().is_none_or(|it| !it.contains_key(part.name))
            };
            match attribute.sub_attributes.iter().find(lacks) {
                Some(_) if attribute.is_multi_valued => {
                    wrong("has a value without the required sub-attribute value")
                }
                Some(_) | None => Ok(read.map(Value::Object)),
            }
        }
        // A complex value sent as a string means its `value`: directories send managers this way.
        (ScimAttributeType::Complex, Value::String(text))
            if attribute.find_sub_attribute("value").is_some() =>
        {
            if text.is_empty() {
                return Ok(None);
            }
            normalize_single_value(
                attribute,
                &Value::Object(Map::from_iter([("value".to_owned(), value.clone())])),
            )
        }
        (ScimAttributeType::Complex, _) => wrong("must be a complex value (a JSON object)"),
        (ScimAttributeType::Boolean, Value::Bool(_)) => Ok(Some(value.clone())),
        // Entra ID sends booleans as capitalized strings.
        (ScimAttributeType::Boolean, Value::String(text)) => match text.to_ascii_lowercase().as_str() {
            "true" => Ok(Some(true.into())),
            "false" => Ok(Some(false.into())),
            _ => wrong("must be a boolean: true or false"),
        },
        (ScimAttributeType::Boolean, _) => wrong("must be a boolean: true or false"),
        (_, Value::String(text)) if text.trim().is_empty() => Ok(None),
        (_, Value::String(text)) => match find_text_problem(attribute.kind, text) {
            Some(reason) => wrong(reason),
            None => Ok(Some(text.trim().into())),
        },
        (_, _) => wrong("must be a string"),
    }
}

/// Normalizes the given sub-attributes, which need not include all required ones.
pub fn normalize_sub_attributes(
    attribute: &ScimAttribute,
    value: &Value,
) -> Result<Option<Map<String, Value>>, Refusal> {
    normalize_members(attribute.sub_attributes, unwrap_single_value(attribute, value), attribute.name)
}

/// Normalizes the known sub-attributes of a complex value.
fn normalize_members(
    attributes: &[ScimAttribute],
    complex_value: &Value,
    name: &str,
) -> Result<Option<Map<String, Value>>, Refusal> {
    let object = match complex_value {
        Value::Object(object) => object,
        Value::Null => return Ok(None),
        _ => {
            return Err(refuse_attribute(
                ScimRefusal::ValueInvalid("must be a complex value (a JSON object)"),
                name,
            ));
        }
    };
    let mut read = Map::new();
    for (name, value) in object {
        let scim_attribute = attributes.iter().find(|attribute| attribute.name.eq_ignore_ascii_case(name));
        let Some(attribute) = scim_attribute.filter(|attribute| !attribute.is_read_only()) else { continue };
        insert_once(&mut read, attribute.name, self::normalize_value(attribute, value)?)?;
    }
    // `$ref` follows from the id. If only `$ref` is sent, the id is taken from it.
    if let Some(Value::String(address)) = read.remove("$ref") {
        let id = address.rsplit('/').next().unwrap_or_default();
        read.entry("value").or_insert_with(|| id.into());
    }
    Ok((!read.is_empty()).then_some(read))
}

/// Why a text is invalid for a type; `None` if it is valid.
fn find_text_problem(kind: ScimAttributeType, text: &str) -> Option<&'static str> {
    match kind {
        ScimAttributeType::MultilineText => {
            text.trim().parse::<AddressText>().err().map(|_| "must have 1 to 500 characters")
        }
        ScimAttributeType::Email => {
            text.trim().parse::<EmailAddress>().err().map(|_| "must be an e-mail address")
        }
        ScimAttributeType::Url => {
            text.trim().parse::<WebAddress>().err().map(|_| "must be an http or https URL")
        }
        ScimAttributeType::Text
        | ScimAttributeType::Reference
        | ScimAttributeType::Boolean
        | ScimAttributeType::DateTime
        | ScimAttributeType::Complex => {
            let fits = ProfileText::try_from(text.to_owned());
            fits.err().map(|_| "must have 1 to 200 characters, without control or direction characters")
        }
    }
}

fn insert_once(read: &mut Map<String, Value>, name: &str, value: Option<Value>) -> Result<(), Refusal> {
    let Some(value) = value else { return Ok(()) };
    match read.insert(name.to_owned(), value) {
        None => Ok(()),
        Some(_) => Err(invalid_resource("An attribute appears twice. Send each once.")),
    }
}

/// The refusal of a body that is not a resource.
fn invalid_resource(text: &'static str) -> Refusal {
    Refusal::because(ScimRefusal::SyntaxInvalid(text), "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::RefusalCode;
    use serde_json::json;

    fn user(resource: Value) -> Result<Value, RefusalCode> {
        let registered = vec!["urn:example:crm:1.0:User".to_owned()].try_into().unwrap();
        normalize_resource(ScimResourceType::User, &resource, &registered)
            .map(Value::Object)
            .map_err(|refusal| refusal.code())
    }

    #[test]
    fn scim_resource_is_normalized() {
        let resource = json!({
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"],
            "USERNAME": " ana@example.org ", "id": "mine", "meta": {"version": "x"}, "password": "secret",
            "active": "False", "title": "", "nickName": null, "groups": [{"value": "owners"}],
            "displayName": [{"$ref": null, "value": "Ana"}],
            "name": {"GivenName": "Ana", "unknown": 1},
            "emails": [{"value": "ana@example.org", "type": "work"}, {"value": "ana@example.org", "type": "work"}],
            "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {"manager": "7", "department": "Books"},
            "urn:example:other": {"x": 1}, "URN:example:crm:1.0:User": {"tag": "gold"},
            "roles": [{"value": "admin", "primary": "True"}], "entitlements": ["seat"],
            "photos": [{"value": "https://acme.example/ana.png", "type": "photo"}], "ims": [{"value": "ana"}],
        });
        let expected = json!({
            "userName": "ana@example.org", "active": false, "displayName": "Ana", "name": {"givenName": "Ana"},
            "emails": [{"value": "ana@example.org", "type": "work"}],
            "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User":
                {"manager": {"value": "7"}, "department": "Books"},
            "urn:example:crm:1.0:User": {"tag": "gold"},
            "roles": [{"value": "admin", "primary": true}], "entitlements": [{"value": "seat"}],
            "photos": [{"value": "https://acme.example/ana.png", "type": "photo"}], "ims": [{"value": "ana"}],
        });
        assert_eq!(user(resource), Ok(expected));
    }

    #[test]
    fn scim_member_ref_yields_its_type_and_is_not_stored() {
        let group = |member: Value| {
            let resource = json!({"displayName": "x", "members": [member]});
            normalize_resource(ScimResourceType::Group, &resource, &ScimExtensionSchemas::default())
                .unwrap()
                .remove("members")
                .unwrap()
        };
        let member_url = "https://elsewhere.example/scim/v2/Users/7";
        assert_eq!(group(json!({"$ref": member_url})), json!([{"value": "7"}]));
        assert_eq!(
            group(json!({"$ref": member_url, "value": "8", "display": "Ana"})),
            json!([{"value": "8"}])
        );
    }

    #[test]
    fn scim_resource_with_invalid_values_is_refused() {
        let invalid = Err(RefusalCode::InvalidValue);
        for resource in [
            json!({"userName": 7}),
            json!({"userName": "a\u{202e}b"}),
            json!({"userName": "x".repeat(201)}),
            json!({"active": "yes"}),
            json!({"emails": [{"value": "no address"}]}),
            json!({"emails": [{"type": "work"}]}),
            json!({"emails": [{"value": "a@x.org", "primary": true}, {"value": "b@x.org", "primary": true}]}),
            json!({"name": "Ana"}),
            json!({"profileUrl": "javascript:alert(1)"}),
            json!({"photos": [{"value": "javascript:alert(1)"}]}),
            json!({"roles": vec![json!({"value": "1"}); 21]}),
            json!({"entitlements": [{"display": "no value"}]}),
            json!({"urn:example:crm:1.0:User": "gold"}),
            json!({"phoneNumbers": vec![json!({"value": "1"}); 21]}),
        ] {
            assert_eq!(user(resource.clone()), invalid, "{resource}");
        }
        for resource in [json!([]), json!({"schemas": ["urn:other"]}), json!({"title": "a", "TITLE": "b"})] {
            assert_eq!(user(resource.clone()), Err(RefusalCode::InvalidSyntax), "{resource}");
        }
    }
}
