//! The schema of object types.

use sinete_server::schema::NamedSchema;

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&OBJECT_TYPE, &RELATION, &INDIRECT_RELATION, &ACTION];

/// The schema of an object type.
pub(crate) const OBJECT_TYPE: NamedSchema = NamedSchema::from_json(
    "ObjectType",
    r##"{
        "type": "object", "additionalProperties": false, "required": ["relations"],
        "properties": {
            "relations": {
                "type": "object", "maxProperties": 50, "additionalProperties": {"$ref": "#/components/schemas/ObjectRelation"},
                "description": "The relations that a subject or another object can have to an object of this type."
            },
            "actions": {
                "type": "object", "maxProperties": 50, "additionalProperties": {"$ref": "#/components/schemas/ObjectAction"},
                "description": "The actions on objects of this type."
            }
        },
        "examples": [{
            "relations": {
                "parent": {"subjects": ["folder"]},
                "viewer": {
                    "subjects": ["member", "role", "team#member"],
                    "through": [{"relation": "parent", "holders_of": "viewer"}]
                }
            },
            "actions": {"read": {"relations": ["viewer"], "scope": "documents:read"}}
        }]
    }"##,
);

const RELATION: NamedSchema = NamedSchema::from_json(
    "ObjectRelation",
    r##"{
        "type": "object", "additionalProperties": false,
        "properties": {
            "subjects": {
                "type": "array", "maxItems": 20, "items": {"type": "string", "minLength": 1, "maxLength": 129},
                "description": "The subjects that can have it directly: `member`, `client`, `role`, or the relation of a type, such as `team#member`; or only object types."
            },
            "includes": {
                "type": "array", "maxItems": 20, "items": {"type": "string", "minLength": 1, "maxLength": 64},
                "description": "Relations to the same object that imply this one."
            },
            "through": {
                "type": "array", "maxItems": 20, "items": {"$ref": "#/components/schemas/ObjectThrough"},
                "description": "Relations to other objects that imply this one."
            }
        }
    }"##,
);

const INDIRECT_RELATION: NamedSchema = NamedSchema::from_json(
    "ObjectThrough",
    r##"{
        "type": "object", "additionalProperties": false, "required": ["relation", "holders_of"],
        "properties": {
            "relation": {"type": "string", "minLength": 1, "maxLength": 64, "description": "The relation of this type that leads to the other objects."},
            "holders_of": {"type": "string", "minLength": 1, "maxLength": 64, "description": "The relation to those objects."}
        }
    }"##,
);

const ACTION: NamedSchema = NamedSchema::from_json(
    "ObjectAction",
    r##"{
        "type": "object", "additionalProperties": false, "required": ["relations"],
        "properties": {
            "relations": {
                "type": "array", "minItems": 1, "maxItems": 20, "items": {"type": "string", "minLength": 1, "maxLength": 64},
                "description": "The relations that allow the action; any one of them is sufficient."
            },
            "scope": {"type": "string", "maxLength": 129, "description": "The permission of the API that an access token must contain for it."}
        }
    }"##,
);
