//! The schema of object types.

use sinete_server::schema::NamedSchema;

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&OBJECT_TYPE, &RELATION, &THROUGH, &ACTION];

/// The schema of an object type.
pub(crate) const OBJECT_TYPE: NamedSchema = NamedSchema::from_json(
    "ObjectType",
    r##"{
        "type": "object", "additionalProperties": false, "required": ["relations"],
        "properties": {
            "relations": {
                "type": "object", "maxProperties": 50, "additionalProperties": {"$ref": "#/components/schemas/ObjectRelation"},
                "description": "The relations that somebody, or another object, can stand in to one of them."
            },
            "actions": {
                "type": "object", "maxProperties": 50, "additionalProperties": {"$ref": "#/components/schemas/ObjectAction"},
                "description": "What can be done with one of them."
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
                "description": "Who may stand in it directly: member, client, role, the relation of a type such as team#member; or types of objects alone."
            },
            "includes": {
                "type": "array", "maxItems": 20, "items": {"type": "string", "minLength": 1, "maxLength": 64},
                "description": "Relations to the same object: whoever stands in one of them stands in this one too."
            },
            "through": {
                "type": "array", "maxItems": 20, "items": {"$ref": "#/components/schemas/ObjectThrough"},
                "description": "Relations to other objects: whoever stands in one of them stands in this one too."
            }
        }
    }"##,
);

const THROUGH: NamedSchema = NamedSchema::from_json(
    "ObjectThrough",
    r##"{
        "type": "object", "additionalProperties": false, "required": ["relation", "holders_of"],
        "properties": {
            "relation": {"type": "string", "minLength": 1, "maxLength": 64, "description": "The relation of this type that leads to the other objects."},
            "holders_of": {"type": "string", "minLength": 1, "maxLength": 64, "description": "The relation to those."}
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
                "description": "The relations that confer it: any one of them does."
            },
            "scope": {"type": "string", "maxLength": 129, "description": "The permission of the API that a token must carry for it."}
        }
    }"##,
);
