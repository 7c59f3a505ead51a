//! The schemas of SCIM requests and responses, for the OpenAPI description. `/scim/v2/Schemas` describes the
//! content of resources, generated from the table that is enforced.

use sinete_server::schema::NamedSchema;

pub(crate) const SCHEMAS: &[&NamedSchema] = &[
    &USER,
    &NEW_USER,
    &GROUP,
    &NEW_GROUP,
    &LIST,
    &PATCH,
    &SEARCH,
    &BULK_REQUEST,
    &BULK_OUTCOME,
    &DISCOVERY_RESPONSE,
    &ERROR,
];

/// The schema of a user, as returned.
pub(crate) const USER: NamedSchema = NamedSchema::from_json(
    "ScimUser",
    r##"{
        "type": "object", "required": ["schemas", "id"],
        "description": "A membership that a user has claimed or can claim (RFC 7643 §4.1, §4.3).",
        "properties": {
            "schemas": {"type": "array", "items": {"type": "string"}},
            "id": {"type": "string", "format": "uuid", "description": "The id of the membership, which is `sub` in the user's tokens."},
            "externalId": {"type": "string"},
            "userName": {"type": "string"},
            "active": {"type": "boolean"},
            "meta": {"type": "object"}
        },
        "examples": [{
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6073",
            "userName": "ana@example.com", "externalId": "00u1", "active": true,
            "meta": {"resourceType": "User", "version": "W/\"1\""}
        }]
    }"##,
);

/// The schema of a user, as sent.
pub(crate) const NEW_USER: NamedSchema = NamedSchema::from_json(
    "ScimUserRequest",
    r##"{
        "type": "object", "required": ["userName"],
        "description": "A user, as sent by a directory. Unknown attributes are ignored.",
        "properties": {"userName": {"type": "string"}},
        "examples": [{
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "ana@example.com",
            "externalId": "00u1", "name": {"givenName": "Ana", "familyName": "Souza"}, "active": true
        }]
    }"##,
);

/// The schema of a group, as returned.
pub(crate) const GROUP: NamedSchema = NamedSchema::from_json(
    "ScimGroup",
    r##"{
        "type": "object", "required": ["schemas", "id"],
        "description": "A role of the organization (RFC 7643 §4.2).",
        "properties": {
            "schemas": {"type": "array", "items": {"type": "string"}},
            "id": {"type": "string", "format": "uuid", "description": "The id of the role."},
            "externalId": {"type": "string"},
            "displayName": {"type": "string"},
            "members": {"type": "array", "items": {"type": "object"}},
            "meta": {"type": "object"}
        },
        "examples": [{
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6072",
            "displayName": "Engineering", "members": [{"value": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6073", "type": "User"}],
            "meta": {"resourceType": "Group", "version": "W/\"1-0f1e2d3c4b5a6978\""}
        }]
    }"##,
);

/// The schema of a group, as sent.
pub(crate) const NEW_GROUP: NamedSchema = NamedSchema::from_json(
    "ScimGroupRequest",
    r##"{
        "type": "object", "required": ["displayName"],
        "description": "A group, as sent by a directory. Unknown attributes are ignored.",
        "properties": {"displayName": {"type": "string"}},
        "examples": [{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "displayName": "Engineering"}]
    }"##,
);

/// The schema of a list response.
pub(crate) const LIST: NamedSchema = NamedSchema::from_json(
    "ScimList",
    r##"{
        "type": "object", "additionalProperties": false,
        "required": ["schemas", "totalResults", "startIndex", "itemsPerPage", "Resources"],
        "description": "A list response (RFC 7644 §3.4.2).",
        "properties": {
            "schemas": {"type": "array", "items": {"type": "string"}},
            "totalResults": {"type": "integer"},
            "startIndex": {"type": "integer", "description": "The index of the first resource on the page, starting at 1."},
            "itemsPerPage": {"type": "integer"},
            "Resources": {"type": "array", "items": {"type": "object"}}
        },
        "examples": [{
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"], "totalResults": 0, "startIndex": 1,
            "itemsPerPage": 0, "Resources": []
        }]
    }"##,
);

/// The schema of a patch.
pub(crate) const PATCH: NamedSchema = NamedSchema::from_json(
    "ScimPatch",
    r##"{
        "type": "object", "required": ["Operations"], "description": "A patch request (RFC 7644 §3.5.2).",
        "properties": {"Operations": {"type": "array", "minItems": 1, "maxItems": 1000, "items": {"type": "object"}}},
        "examples": [{
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
            "Operations": [{"op": "replace", "path": "active", "value": false}]
        }]
    }"##,
);

/// The schema of a search request.
pub(crate) const SEARCH: NamedSchema = NamedSchema::from_json(
    "ScimSearch",
    r##"{
        "type": "object", "description": "A search request (RFC 7644 §3.4.3).",
        "properties": {
            "filter": {"type": "string"}, "sortBy": {"type": "string"}, "sortOrder": {"type": "string"},
            "startIndex": {"type": "integer"}, "count": {"type": "integer"},
            "attributes": {"type": "array", "items": {"type": "string"}},
            "excludedAttributes": {"type": "array", "items": {"type": "string"}}
        },
        "examples": [{"schemas": ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"], "filter": "active eq true"}]
    }"##,
);

/// The schema of a bulk request.
pub(crate) const BULK_REQUEST: NamedSchema = NamedSchema::from_json(
    "ScimBulk",
    r##"{
        "type": "object", "required": ["Operations"], "description": "A bulk request (RFC 7644 §3.7).",
        "properties": {
            "failOnErrors": {"type": "integer", "minimum": 0},
            "Operations": {"type": "array", "maxItems": 1000, "items": {"type": "object"}}
        },
        "examples": [{
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"],
            "Operations": [{"method": "POST", "path": "/Users", "bulkId": "a", "data": {"userName": "ana@example.com"}}]
        }]
    }"##,
);

/// The schema of a bulk response.
pub(crate) const BULK_OUTCOME: NamedSchema = NamedSchema::from_json(
    "ScimBulkOutcome",
    r##"{
        "type": "object", "additionalProperties": false, "required": ["schemas", "Operations"],
        "description": "A bulk response (RFC 7644 §3.7.3).",
        "properties": {
            "schemas": {"type": "array", "items": {"type": "string"}},
            "Operations": {"type": "array", "items": {"type": "object"}}
        },
        "examples": [{"schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkResponse"], "Operations": []}]
    }"##,
);

/// The schema of discovery responses.
pub(crate) const DISCOVERY_RESPONSE: NamedSchema = NamedSchema::from_json(
    "ScimDocument",
    r##"{
        "type": "object", "required": ["schemas", "meta"], "description": "A discovery document (RFC 7643 §5 to §7).",
        "properties": {"schemas": {"type": "array", "items": {"type": "string"}}, "meta": {"type": "object"}},
        "examples": [{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"], "meta": {}}]
    }"##,
);

/// The schema of an error.
const ERROR: NamedSchema = NamedSchema::from_json(
    "ScimError",
    r##"{
        "type": "object", "additionalProperties": false, "required": ["schemas", "status", "detail"],
        "description": "Why a request was refused (RFC 7644 §3.12).",
        "properties": {
            "schemas": {"type": "array", "items": {"type": "string"}},
            "status": {"type": "string"},
            "scimType": {"type": "string"},
            "detail": {"type": "string"}
        },
        "examples": [{
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:Error"], "status": "409", "scimType": "uniqueness",
            "detail": "Another user has this userName. Use that user, or choose another userName."
        }]
    }"##,
);
