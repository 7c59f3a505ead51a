//! Relationships as the API writes them.

use crate::manage::page::Viewed;
use crate::reply::Declined;
use crate::reply::json::At;
use crate::route::Parameter;
use crate::schema::Schema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sinete_core::id::RelationshipId;
use sinete_engine::relationships::{Changed, Changes, Named, NamedSubject, StoredRelationship};

/// A relationship, as it is shown.
#[derive(Serialize)]
struct RelationshipView {
    id: RelationshipId,
    #[serde(flatten)]
    relationship: Value,
    created_at: At,
}

impl Viewed for StoredRelationship {
    fn place(&self) -> String {
        self.id.to_string()
    }

    fn view(&self) -> Result<impl Serialize, Declined> {
        let created_at = At(self.created_at);
        Ok(RelationshipView { id: self.id, relationship: self.relationship.written(), created_at })
    }
}

/// What to change, as it is asked for.
#[derive(Deserialize)]
pub(super) struct ChangesText {
    changes: Vec<ChangeText>,
    #[serde(default)]
    only_if: Vec<ConditionText>,
}

#[derive(Deserialize)]
struct ChangeText {
    change: What,
    #[serde(flatten)]
    named: NamedText,
}

#[derive(Deserialize)]
struct ConditionText {
    is: Is,
    #[serde(flatten)]
    named: NamedText,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum What {
    Add,
    Remove,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Is {
    There,
    Absent,
}

#[derive(Deserialize)]
struct NamedText {
    object: ObjectText,
    relation: String,
    subject: SubjectText,
}

#[derive(Deserialize)]
struct ObjectText {
    #[serde(rename = "type")]
    of_type: String,
    id: String,
}

#[derive(Deserialize)]
struct SubjectText {
    #[serde(rename = "type")]
    of_type: String,
    id: String,
    #[serde(default)]
    relation: Option<String>,
}

impl ChangesText {
    pub(super) fn changes(self) -> Changes {
        let mut changes = Changes::default();
        for (place, text) in self.changes.into_iter().enumerate() {
            let named = (format!("/changes/{place}"), text.named.named());
            match text.change {
                What::Add => changes.add.push(named),
                What::Remove => changes.remove.push(named),
            }
        }
        for (place, text) in self.only_if.into_iter().enumerate() {
            let named = (format!("/only_if/{place}"), text.named.named());
            match text.is {
                Is::There => changes.if_there.push(named),
                Is::Absent => changes.if_absent.push(named),
            }
        }
        changes
    }
}

impl NamedText {
    fn named(self) -> Named {
        let SubjectText { of_type, id, relation } = self.subject;
        Named {
            object: (self.object.of_type, self.object.id),
            relation: self.relation,
            subject: NamedSubject { of_type, id, relation },
        }
    }
}

/// What came of it, as it is shown.
#[derive(Serialize)]
pub(super) struct ChangedView {
    added: usize,
    removed: usize,
}

impl ChangedView {
    pub(super) const fn of(changed: Changed) -> Self {
        Self { added: changed.added, removed: changed.removed }
    }
}

const fn parameter(name: &'static str, description: &'static str) -> Parameter {
    Parameter {
        name,
        description,
        is_required: false,
        schema: || json!({"type": "string", "minLength": 1, "maxLength": 256}),
    }
}

/// What the list can be filtered by.
pub(crate) const QUERY: &[Parameter] = &[
    parameter("object_type", "The type of the object whose relationships are listed."),
    parameter("object_id", "The id of that object."),
    parameter(
        "subject_type",
        "The type of whoever stands in them: member, client, role, or a type of objects.",
    ),
    parameter("subject_id", "The id of whoever stands in them."),
];

pub(crate) const SCHEMAS: &[&Schema] =
    &[&RELATIONSHIP, &CHANGES, &CHANGE, &CONDITION, &RELATIONSHIPS_CHANGED, &OBJECT, &SUBJECT];

/// What is shown.
pub(crate) const RELATIONSHIP: Schema = Schema {
    name: "Relationship",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["id", "object", "relation", "subject", "created_at"],
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "object": {"$ref": "#/components/schemas/RelatedObject"},
            "relation": {"type": "string"},
            "subject": {"$ref": "#/components/schemas/RelatedSubject"},
            "created_at": {"type": "string", "format": "date-time"}
        },
        "examples": [{
            "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6078", "object": {"type": "folder", "id": "plans"}, "relation": "viewer",
            "subject": {"type": "team", "id": "design", "relation": "member"}, "created_at": "2026-11-16T08:00:00Z"
        }]
    }"##,
};

/// What is sent to change some.
pub(crate) const CHANGES: Schema = Schema {
    name: "RelationshipChanges",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["changes"],
        "properties": {
            "changes": {
                "type": "array", "minItems": 1, "maxItems": 100, "items": {"$ref": "#/components/schemas/RelationshipChange"},
                "description": "All of them happen, or none."
            },
            "only_if": {
                "type": "array", "maxItems": 100, "items": {"$ref": "#/components/schemas/RelationshipCondition"},
                "description": "What must be there or not for any of it to happen."
            }
        },
        "examples": [{
            "changes": [{
                "change": "add", "object": {"type": "folder", "id": "plans"}, "relation": "viewer",
                "subject": {"type": "team", "id": "design", "relation": "member"}
            }]
        }]
    }"##,
};

const CHANGE: Schema = Schema {
    name: "RelationshipChange",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["change", "object", "relation", "subject"],
        "properties": {
            "change": {"type": "string", "enum": ["add", "remove"]},
            "object": {"$ref": "#/components/schemas/RelatedObject"},
            "relation": {"type": "string", "minLength": 1, "maxLength": 64},
            "subject": {"$ref": "#/components/schemas/RelatedSubject"}
        }
    }"##,
};

const CONDITION: Schema = Schema {
    name: "RelationshipCondition",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["is", "object", "relation", "subject"],
        "properties": {
            "is": {"type": "string", "enum": ["there", "absent"]},
            "object": {"$ref": "#/components/schemas/RelatedObject"},
            "relation": {"type": "string", "minLength": 1, "maxLength": 64},
            "subject": {"$ref": "#/components/schemas/RelatedSubject"}
        }
    }"##,
};

/// What came of it.
pub(crate) const RELATIONSHIPS_CHANGED: Schema = Schema {
    name: "RelationshipsChanged",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["added", "removed"],
        "properties": {
            "added": {"type": "integer", "description": "How many were not there before."},
            "removed": {"type": "integer", "description": "How many are not there any more."}
        },
        "examples": [{"added": 1, "removed": 0}]
    }"##,
};

const OBJECT: Schema = Schema {
    name: "RelatedObject",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["type", "id"],
        "properties": {
            "type": {"type": "string", "minLength": 1, "maxLength": 64, "description": "A type of objects of the API."},
            "id": {"type": "string", "minLength": 1, "maxLength": 128, "description": "Its id among those: printable ASCII without a space."}
        }
    }"##,
};

const SUBJECT: Schema = Schema {
    name: "RelatedSubject",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["type", "id"],
        "properties": {
            "type": {"type": "string", "minLength": 1, "maxLength": 64, "description": "member, client, role, or a type of objects of the API."},
            "id": {"type": "string", "minLength": 1, "maxLength": 256, "description": "The id of the member, client, role or object."},
            "relation": {"type": "string", "minLength": 1, "maxLength": 64, "description": "For everybody who stands in a relation to an object: which."}
        }
    }"##,
};
