//! APIs, as requested and returned.

use crate::management_api::pagination::ResourceView;
use crate::organizations::api_catalog::object_types::OBJECT_TYPE;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sinete_core::access_control::permission::Permission;
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::id::{ApiId, OrganizationId};
use sinete_core::organizations::api_catalog::{ApiDefinition, ApiIdentifier};
use sinete_core::refusal::Refusal;
use sinete_core::validation::ValidationErrors;
use sinete_engine::Failure;
use sinete_engine::oauth::protected_resource::ApiMetadata;
use sinete_engine::organizations::api_catalog::{ApiChange, ApiRow, NewApi};
use sinete_server::reply::HandlerError;
use sinete_server::schema::{NamedSchema, SchemaRegistry};

/// An API, as returned.
#[derive(Serialize)]
struct ApiView<'a> {
    id: ApiId,
    belongs_to: &'static str,
    offered_to_all: bool,
    #[serde(flatten)]
    definition: &'a ApiDefinition,
    version: i64,
}

impl ResourceView for ApiRow {
    fn cursor(&self) -> String {
        self.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        Ok(ApiView {
            id: self.id,
            belongs_to: if self.organization.is_some() { "organization" } else { "instance" },
            offered_to_all: self.is_offered_to_all,
            definition: &self.definition,
            version: self.version,
        })
    }
}

/// An API to add: its definition, and whether every organization may use it.
#[derive(Serialize, Deserialize)]
pub(crate) struct ApiInput {
    #[serde(default)]
    offered_to_all: Option<bool>,
    #[serde(flatten)]
    definition: Map<String, Value>,
}

impl ApiInput {
    pub(crate) fn from_api(api: &ApiRow) -> Result<Self, HandlerError> {
        let definition = serde_json::to_value(&api.definition).map_err(|_| Failure::Interrupted)?;
        let Value::Object(definition) = definition else { return Err(Failure::Interrupted.into()) };
        Ok(Self { offered_to_all: Some(api.is_offered_to_all), definition })
    }

    pub(crate) fn into_new_api(
        self,
        schemas: &'static SchemaRegistry,
        of: Option<OrganizationId>,
    ) -> Result<NewApi, HandlerError> {
        let (is_offered_to_all, definition) = self.parse_definition(schemas, of)?;
        Ok(NewApi { id: None, is_offered_to_all: is_offered_to_all.unwrap_or_default(), definition })
    }

    pub(crate) fn into_api_changes(
        self,
        schemas: &'static SchemaRegistry,
        of: Option<OrganizationId>,
    ) -> Result<ApiChange, HandlerError> {
        let (is_offered_to_all, definition) = self.parse_definition(schemas, of)?;
        Ok(ApiChange { is_offered_to_all, definition })
    }

    fn parse_definition(
        self,
        schemas: &'static SchemaRegistry,
        of: Option<OrganizationId>,
    ) -> Result<(Option<bool>, ApiDefinition), HandlerError> {
        let mut errors = ValidationErrors::default();
        if of.is_some() && self.offered_to_all == Some(true) {
            errors.add(
                "/offered_to_all",
                "an API of an organization cannot be offered to others; remove this member",
            );
        }
        if let Some(text) = self.definition.get("identifier").and_then(Value::as_str) {
            errors.parse_text::<ApiIdentifier>("/identifier", text);
        }
        if let Some(text) = self.definition.get("default_scope").and_then(Value::as_str) {
            errors.parse_text::<ScopeSet>("/default_scope", text);
        }
        let permissions = self.definition.get("permissions").and_then(Value::as_array);
        for (index, permission) in permissions.into_iter().flatten().enumerate() {
            if let Some(text) = permission["permission"].as_str() {
                errors.parse_text::<Permission>(format!("/permissions/{index}/permission"), text);
            }
        }
        let types = self.definition.get("object_types").and_then(Value::as_object);
        for (name, of_type) in types.into_iter().flatten() {
            // A patch was validated before it was merged.
            let at = format!("/object_types/{}", name.replace('~', "~0").replace('/', "~1"));
            errors.add_nested(&at, &schemas.check(&OBJECT_TYPE, of_type));
        }
        match ApiDefinition::deserialize(Value::Object(self.definition)) {
            Ok(definition) if errors.is_empty() => Ok((self.offered_to_all, definition)),
            Ok(_) => Err(Refusal::from_validation_errors(errors).into()),
            Err(_) => {
                if errors.is_empty() {
                    errors.add("", "is not a valid API; compare it with the schema in /openapi.json");
                }
                Err(Refusal::from_validation_errors(errors).into())
            }
        }
    }
}

/// The organizations that an API is offered to.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ApiOfferListView {
    items: Vec<ApiOfferView>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct ApiOfferView {
    organization: OrganizationId,
}

impl ApiOfferListView {
    pub(crate) fn from_organizations(offers: Vec<OrganizationId>) -> Self {
        Self { items: offers.into_iter().map(|organization| ApiOfferView { organization }).collect() }
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] =
    &[&API, &NEW_API, &API_PATCH, &PERMISSION_TEXT, &OFFERS, &PROTECTED_RESOURCE];

/// The schema of the resource.
pub(crate) const API: NamedSchema = NamedSchema::from_json(
    "Api",
    r##"{
        "type": "object", "additionalProperties": false,
        "required": ["id", "belongs_to", "offered_to_all", "identifier", "name", "permissions", "default_scope", "unverified_clients", "version"],
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "belongs_to": {"type": "string", "enum": ["instance", "organization"]},
            "offered_to_all": {"type": "boolean", "description": "Whether every organization may use it."},
            "identifier": {"type": "string", "description": "The URI of the API: `resource` in requests, `aud` in tokens."},
            "name": {"type": "string"},
            "permissions": {"type": "array", "items": {"$ref": "#/components/schemas/PermissionText"}},
            "default_scope": {"type": "string", "description": "The scope of requests that name this API without a scope."},
            "token_lifetime_seconds": {"type": "integer"},
            "algorithm": {"type": "string", "enum": ["RS256", "PS256", "ES256", "EdDSA"]},
            "unverified_clients": {"type": "string", "enum": ["allow", "irreversible_refused", "refuse"]},
            "detail_types": {"type": "object", "additionalProperties": {"type": "object"}},
            "object_types": {
                "type": "object", "additionalProperties": {"$ref": "#/components/schemas/ObjectType"},
                "description": "The types of objects that relationships at this API refer to."
            },
            "version": {"type": "integer", "description": "The version, which is also the `ETag`."}
        },
        "examples": [{
            "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6077", "belongs_to": "organization", "offered_to_all": false,
            "identifier": "https://invoices.example.com", "name": "Invoices",
            "permissions": [{"permission": "invoices:read", "english": "See invoices", "portuguese": "Ver faturas", "irreversible": false}],
            "default_scope": "invoices:read", "unverified_clients": "irreversible_refused", "version": 1
        }]
    }"##,
);

/// The schema for adding an API.
pub(crate) const NEW_API: NamedSchema = NamedSchema::from_json(
    "CreateApiRequest",
    r##"{
        "type": "object", "additionalProperties": false, "required": ["identifier", "name", "permissions"],
        "properties": {
            "offered_to_all": {"type": "boolean", "default": false, "description": "Whether every organization may use it; only for an API of the instance."},
            "identifier": {
                "type": "string", "minLength": 1, "maxLength": 2048, "format": "uri",
                "description": "An absolute https, http or urn URI without a fragment."
            },
            "name": {"type": "string", "minLength": 1, "maxLength": 200},
            "permissions": {
                "type": "array", "minItems": 1, "maxItems": 200,
                "items": {"$ref": "#/components/schemas/PermissionText"}
            },
            "default_scope": {"type": "string", "maxLength": 4096, "description": "Scopes, separated by spaces. Permissions among them must be permissions of this API."},
            "token_lifetime_seconds": {"type": "integer", "minimum": 60, "maximum": 3600},
            "algorithm": {"type": "string", "enum": ["RS256", "PS256", "ES256", "EdDSA"]},
            "unverified_clients": {
                "type": "string", "enum": ["allow", "irreversible_refused", "refuse"], "default": "irreversible_refused",
                "description": "What unverified clients may request from the API."
            },
            "detail_types": {
                "type": "object", "maxProperties": 20, "additionalProperties": {"type": "object"},
                "description": "The authorization details types of the API (RFC 9396), each with its JSON Schema."
            },
            "object_types": {
                "type": "object", "maxProperties": 50, "additionalProperties": {"$ref": "#/components/schemas/ObjectType"},
                "description": "The types of objects that relationships at this API refer to."
            }
        },
        "examples": [{
            "identifier": "https://invoices.example.com", "name": "Invoices",
            "permissions": [{"permission": "invoices:read", "english": "See invoices", "portuguese": "Ver faturas"}]
        }]
    }"##,
);

/// The schema for changing an API.
pub(crate) const API_PATCH: NamedSchema = NamedSchema::from_json(
    "ApiPatch",
    r##"{
        "type": "object", "additionalProperties": false,
        "properties": {
            "offered_to_all": {"type": ["boolean", "null"]},
            "identifier": {"type": "string", "minLength": 1, "maxLength": 2048, "format": "uri"},
            "name": {"type": "string", "minLength": 1, "maxLength": 200},
            "permissions": {
                "type": "array", "minItems": 1, "maxItems": 200,
                "items": {"$ref": "#/components/schemas/PermissionText"}
            },
            "default_scope": {"type": ["string", "null"], "maxLength": 4096},
            "token_lifetime_seconds": {"type": ["integer", "null"], "minimum": 60, "maximum": 3600},
            "algorithm": {"enum": ["RS256", "PS256", "ES256", "EdDSA", null]},
            "unverified_clients": {"enum": ["allow", "irreversible_refused", "refuse", null]},
            "detail_types": {
                "type": ["object", "null"], "maxProperties": 20, "additionalProperties": {"type": ["object", "null"]}
            },
            "object_types": {
                "type": ["object", "null"], "maxProperties": 50, "additionalProperties": {"type": ["object", "null"]}
            }
        },
        "examples": [{"name": "Invoices and receipts", "token_lifetime_seconds": 300}]
    }"##,
);

const PERMISSION_TEXT: NamedSchema = NamedSchema::from_json(
    "PermissionText",
    r##"{
        "type": "object", "additionalProperties": false, "required": ["permission", "english"],
        "properties": {
            "permission": {
                "type": "string", "minLength": 3, "maxLength": 129, "pattern": "^[a-z][a-z0-9_.-]*:[a-z][a-z0-9_.-]*$",
                "description": "`resource:action`, without wildcards."
            },
            "english": {"type": "string", "minLength": 1, "maxLength": 200, "description": "What it allows, in English."},
            "portuguese": {"type": "string", "minLength": 1, "maxLength": 200, "description": "What it allows, in Portuguese; by default the English text."},
            "irreversible": {"type": "boolean", "default": false, "description": "Whether what it allows cannot be undone."}
        }
    }"##,
);

/// The schema of an API's protected resource metadata.
pub(crate) const PROTECTED_RESOURCE: NamedSchema = NamedSchema::from_json(
    "ProtectedResource",
    r##"{
        "type": "object", "additionalProperties": false, "required": ["document", "address", "challenge"],
        "properties": {
            "document": {"type": "object", "description": "The protected resource metadata that the API publishes (RFC 9728)."},
            "address": {"type": ["string", "null"], "format": "uri", "description": "The URL at which clients look for the document."},
            "challenge": {"type": "string", "description": "The `WWW-Authenticate` header that the API sends in response to a request without a token."}
        },
        "examples": [{
            "document": {
                "resource": "https://api.example.com", "resource_name": "Invoices",
                "authorization_servers": ["https://id.example.com"], "bearer_methods_supported": ["header"],
                "scopes_supported": ["invoices:read"]
            },
            "address": "https://api.example.com/.well-known/oauth-protected-resource",
            "challenge": "Bearer resource_metadata=\"https://api.example.com/.well-known/oauth-protected-resource\", scope=\"invoices:read\""
        }]
    }"##,
);

/// The protected resource metadata of an API, as returned.
#[derive(Serialize)]
pub(crate) struct ProtectedResourceView {
    document: serde_json::Map<String, Value>,
    address: Option<String>,
    challenge: String,
}

impl ProtectedResourceView {
    pub(crate) fn from_metadata(api_metadata: ApiMetadata) -> Self {
        Self {
            document: api_metadata.document,
            address: api_metadata.address,
            challenge: api_metadata.challenge,
        }
    }
}

pub(crate) const OFFERS: NamedSchema = NamedSchema::response::<ApiOfferListView>("ApiOffers");

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::organizations::api_catalog::{ApiClientPolicy, PermissionDescription};
    use sinete_core::platform::signing_keys::SigningAlgorithm;
    use std::collections::BTreeMap;

    #[test]
    fn api_schemas_cover_every_field() {
        // Every field is listed, so that a new one is not forgotten in the schemas.
        let definition = ApiDefinition {
            identifier: "https://invoices.example.com".parse().unwrap(),
            name: "Invoices".to_owned(),
            permissions: vec![PermissionDescription {
                permission: "invoices:read".parse().unwrap(),
                english: "See invoices".to_owned(),
                portuguese: Some("Ver faturas".to_owned()),
                irreversible: true,
            }],
            default_scope: "invoices:read".parse().unwrap(),
            token_lifetime_seconds: Some(300),
            algorithm: Some(SigningAlgorithm::EdDsa),
            unverified_clients: ApiClientPolicy::Refuse,
            detail_types: BTreeMap::from([("payment".to_owned(), serde_json::json!({}))]),
            object_types: serde_json::from_value(serde_json::json!({"folder": {
                "relations": {
                    "parent": {"subjects": ["folder"]},
                    "owner": {"subjects": ["member"]},
                    "viewer": {
                        "subjects": ["role"], "includes": ["owner"],
                        "through": [{"relation": "parent", "holders_of": "viewer"}],
                    },
                },
                "actions": {"read": {"relations": ["viewer"], "scope": "invoices:read"}},
            }}))
            .unwrap(),
        };
        let text = serde_json::to_value(&definition).unwrap();
        for schema in [&NEW_API, &API_PATCH] {
            assert!(
                crate::schema::SCHEMA_REGISTRY.check(schema, &text).is_empty(),
                "{:?}",
                crate::schema::SCHEMA_REGISTRY.check(schema, &text)
            );
        }
        let read = ApiInput::deserialize(text).unwrap().into_new_api(&crate::schema::SCHEMA_REGISTRY, None);
        assert_eq!(read.ok().map(|wanted| wanted.definition), Some(definition));
    }
}
