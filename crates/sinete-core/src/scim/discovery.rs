//! The discovery endpoints (RFC 7644 §4), generated from the attribute table.

use super::attribute::{ScimAttribute, ScimAttributeType, ScimMutability};
use super::schema::ENTERPRISE;
use super::{ENTERPRISE_SCHEMA, LIST_SCHEMA, ScimResourceType};
use crate::limits::{SCIM_BULK_BYTES_MAX, SCIM_BULK_OPERATIONS_MAX, SCIM_PAGE_MAX};
use crate::organizations::scim_settings::ScimExtensionSchemas;
use serde_json::{Value, json};

/// Describes the service provider configuration. `address` is the base URL.
pub fn describe_service_provider(address: &str) -> Value {
    json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
        "patch": {"supported": true},
        "bulk": {
            "supported": true, "maxOperations": SCIM_BULK_OPERATIONS_MAX, "maxPayloadSize": SCIM_BULK_BYTES_MAX,
        },
        "filter": {"supported": true, "maxResults": SCIM_PAGE_MAX},
        "changePassword": {"supported": false},
        "sort": {"supported": true},
        "etag": {"supported": true},
        "authenticationSchemes": [{
            "type": "oauthbearertoken",
            "name": "Bearer credential",
            "description": "An API key of the organization, or an access token for this service, with scim:provision.",
            "specUri": "https://www.rfc-editor.org/info/rfc6750",
            "primary": true,
        }],
        "meta": {
            "resourceType": "ServiceProviderConfig", "location": format!("{address}/ServiceProviderConfig"),
        },
    })
}

/// Describes the resource types, with the extensions that the organization registered.
pub fn describe_resource_types(address: &str, registered: &ScimExtensionSchemas) -> Vec<Value> {
    ScimResourceType::ALL.iter().map(|kind| describe_resource_type(*kind, address, registered)).collect()
}

fn describe_resource_type(kind: ScimResourceType, address: &str, registered: &ScimExtensionSchemas) -> Value {
    let registered = registered.iter().filter(|_| kind == ScimResourceType::User);
    let extensions = kind.extension().into_iter().map(|(schema, _)| schema).chain(registered);
    let extensions: Vec<Value> =
        extensions.map(|schema| json!({"schema": schema, "required": false})).collect();
    let description = match kind {
        ScimResourceType::User => {
            "Members of the organization, and provisioned memberships without an account."
        }
        ScimResourceType::Group => "Roles of the organization.",
    };
    json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
        "id": kind.name(), "name": kind.name(), "description": description,
        "endpoint": kind.endpoint(), "schema": kind.schema(), "schemaExtensions": extensions,
        "meta": {"resourceType": "ResourceType", "location": format!("{address}/ResourceTypes/{}", kind.name())},
    })
}

/// Describes the schemas. Sinete does not know the attributes of a registered extension, so none is listed.
pub fn describe_schemas(address: &str, registered: &ScimExtensionSchemas) -> Vec<Value> {
    let core = ScimResourceType::ALL.iter().map(|kind| (kind.schema(), kind.name(), kind.attributes()));
    let all = core.chain([(ENTERPRISE_SCHEMA, "EnterpriseUser", ENTERPRISE)]);
    let registered = registered.iter().map(|schema| (schema, "Extension", &[][..]));
    all.chain(registered)
        .map(|(id, name, attributes)| describe_schema(id, name, attributes, address))
        .collect()
}

fn describe_schema(id: &str, name: &str, attributes: &[ScimAttribute], address: &str) -> Value {
    let attributes: Vec<Value> = attributes.iter().map(describe_attribute).collect();
    json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
        "id": id, "name": name, "description": format!("The attributes of {name}."), "attributes": attributes,
        "meta": {"resourceType": "Schema", "location": format!("{address}/Schemas/{id}")},
    })
}

fn describe_attribute(attribute: &ScimAttribute) -> Value {
    let (kind, refers_to) = match attribute.kind {
        ScimAttributeType::Text | ScimAttributeType::MultilineText | ScimAttributeType::Email => {
            ("string", None)
        }
        ScimAttributeType::Boolean => ("boolean", None),
        ScimAttributeType::DateTime => ("dateTime", None),
        ScimAttributeType::Url => ("reference", Some(&["external"][..])),
        ScimAttributeType::Reference if attribute.reference_types.is_empty() => {
            ("reference", Some(&["uri"][..]))
        }
        ScimAttributeType::Reference => ("reference", Some(attribute.reference_types)),
        ScimAttributeType::Complex => ("complex", None),
    };
    let mutability = match attribute.mutability {
        ScimMutability::ReadWrite => "readWrite",
        ScimMutability::Immutable => "immutable",
        ScimMutability::ReadOnly => "readOnly",
    };
    let mut described = json!({
        "name": attribute.name, "type": kind, "multiValued": attribute.is_multi_valued,
        "description": attribute.description, "required": attribute.is_required,
        "caseExact": attribute.is_case_exact, "mutability": mutability,
        "returned": if attribute.is_always_returned { "always" } else { "default" },
        "uniqueness": if attribute.is_unique { "server" } else { "none" },
    });
    if let Some(refers_to) = refers_to {
        described["referenceTypes"] = json!(refers_to);
    }
    if !attribute.canonical_values.is_empty() {
        described["canonicalValues"] = json!(attribute.canonical_values);
    }
    if !attribute.sub_attributes.is_empty() {
        described["subAttributes"] = attribute.sub_attributes.iter().map(self::describe_attribute).collect();
    }
    described
}

/// Builds a list response with the total number of results and the index of the first returned one.
pub fn build_list_response(total: u64, start: u64, resources: Vec<Value>) -> Value {
    json!({
        "schemas": [LIST_SCHEMA], "totalResults": total, "startIndex": start, "itemsPerPage": resources.len(),
        "Resources": resources,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scim_schemas_name_every_attribute() {
        let schemas = describe_schemas("https://id.example.org/scim/v2", &ScimExtensionSchemas::default());
        assert_eq!(schemas.len(), 3);
        let user = schemas.iter().find(|schema| schema["name"] == "User").unwrap();
        let names: Vec<_> =
            user["attributes"].as_array().unwrap().iter().map(|it| it["name"].clone()).collect();
        assert_eq!(names.len(), ScimResourceType::User.attributes().len());
        let location = user["meta"]["location"].as_str().unwrap();
        assert_eq!(
            location,
            "https://id.example.org/scim/v2/Schemas/urn:ietf:params:scim:schemas:core:2.0:User"
        );
        let groups = user["attributes"].as_array().unwrap().iter().find(|it| it["name"] == "groups").unwrap();
        assert_eq!(groups["mutability"], "readOnly");
        assert_eq!(groups["subAttributes"].as_array().unwrap().len(), 4);
    }

    #[test]
    fn scim_discovery_names_registered_extensions_of_users() {
        let registered = vec!["urn:acme:crm:1.0:User".to_owned()].try_into().unwrap();
        let types = describe_resource_types("x", &registered);
        assert_eq!(types[0]["schemaExtensions"][1]["schema"], "urn:acme:crm:1.0:User");
        assert_eq!(types[1]["schemaExtensions"], json!([]));
        let schemas = describe_schemas("x", &registered);
        assert_eq!(
            (&schemas[3]["id"], &schemas[3]["attributes"]),
            (&json!("urn:acme:crm:1.0:User"), &json!([]))
        );
    }

    #[test]
    fn scim_schemas_contain_no_credentials_and_change_password_is_unsupported() {
        let text =
            Value::Array(describe_schemas("x", &ScimExtensionSchemas::default())).to_string().to_lowercase();
        for word in ["password", "secret", "credential", "hint", "question"] {
            assert!(!text.contains(word), "{word}");
        }
        assert_eq!(describe_service_provider("x")["changePassword"]["supported"], false);
    }
}
