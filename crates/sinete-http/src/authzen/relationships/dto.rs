//! Relationships, as requested and shown.

use crate::management_api::pagination::ResourceView;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sinete_core::id::RelationshipId;
use sinete_engine::authzen::relationships::{
    RelationshipChanges, RelationshipInput, RelationshipRow, RelationshipTally, SubjectInput,
};
use sinete_server::reply::HandlerError;
use sinete_server::reply::json::JsonTimestamp;
use sinete_server::route::QueryParameter;
use sinete_server::schema::NamedSchema;

/// A relationship, as shown.
#[derive(Serialize)]
struct RelationshipView {
    id: RelationshipId,
    #[serde(flatten)]
    relationship: Value,
    created_at: JsonTimestamp,
}

impl ResourceView for RelationshipRow {
    fn cursor(&self) -> String {
        self.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        let created_at = JsonTimestamp(self.created_at);
        Ok(RelationshipView { id: self.id, relationship: self.relationship.to_json(), created_at })
    }
}

/// A change request.
#[derive(Deserialize)]
pub(crate) struct RelationshipChangesInput {
    changes: Vec<RelationshipChangeInput>,
    #[serde(default)]
    only_if: Vec<RelationshipConditionInput>,
}

#[derive(Deserialize)]
struct RelationshipChangeInput {
    change: RelationshipOperation,
    #[serde(flatten)]
    named: RelationshipTupleInput,
}

#[derive(Deserialize)]
struct RelationshipConditionInput {
    is: RelationshipPresence,
    #[serde(flatten)]
    named: RelationshipTupleInput,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum RelationshipOperation {
    Add,
    Remove,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum RelationshipPresence {
    There,
    Absent,
}

#[derive(Deserialize)]
struct RelationshipTupleInput {
    object: RelationshipObjectInput,
    relation: String,
    subject: RelationshipSubjectInput,
}

#[derive(Deserialize)]
struct RelationshipObjectInput {
    #[serde(rename = "type")]
    of_type: String,
    id: String,
}

#[derive(Deserialize)]
struct RelationshipSubjectInput {
    #[serde(rename = "type")]
    of_type: String,
    id: String,
    #[serde(default)]
    relation: Option<String>,
}

impl RelationshipChangesInput {
    pub(crate) fn into_changes(self) -> RelationshipChanges {
        let mut changes = RelationshipChanges::default();
        for (place, text) in self.changes.into_iter().enumerate() {
            let named = (format!("/changes/{place}"), text.named.into_tuple());
            match text.change {
                RelationshipOperation::Add => changes.add.push(named),
                RelationshipOperation::Remove => changes.remove.push(named),
            }
        }
        for (place, text) in self.only_if.into_iter().enumerate() {
            let named = (format!("/only_if/{place}"), text.named.into_tuple());
            match text.is {
                RelationshipPresence::There => changes.must_exist.push(named),
                RelationshipPresence::Absent => changes.must_not_exist.push(named),
            }
        }
        changes
    }
}

impl RelationshipTupleInput {
    fn into_tuple(self) -> RelationshipInput {
        let RelationshipSubjectInput { of_type, id, relation } = self.subject;
        RelationshipInput {
            object: (self.object.of_type, self.object.id),
            relation: self.relation,
            subject: SubjectInput { subject_type: of_type, id, relation },
        }
    }
}

/// The result of a change.
#[derive(Serialize)]
pub(crate) struct RelationshipChangeView {
    added: usize,
    removed: usize,
}

impl RelationshipChangeView {
    pub(crate) const fn from_changes(changed: RelationshipTally) -> Self {
        Self { added: changed.added, removed: changed.removed }
    }
}

const fn query_parameter(name: &'static str, description: &'static str) -> QueryParameter {
    QueryParameter {
        name,
        description,
        is_required: false,
        schema: || json!({"type": "string", "minLength": 1, "maxLength": 256}),
    }
}

/// The query of the list.
pub(crate) const QUERY: &[QueryParameter] = &[
    query_parameter("object_type", "The type of the object whose relationships are listed."),
    query_parameter("object_id", "The id of that object."),
    query_parameter(
        "subject_type",
        "The type of whoever stands in them: member, client, role, or a type of objects.",
    ),
    query_parameter("subject_id", "The id of whoever stands in them."),
];

pub(crate) const SCHEMAS: &[&NamedSchema] =
    &[&RELATIONSHIP, &CHANGES, &CHANGE, &CONDITION, &RELATIONSHIPS_CHANGED, &OBJECT, &SUBJECT];

/// The schema of the resource.
pub(crate) const RELATIONSHIP: NamedSchema = NamedSchema {
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

/// The schema of a change.
pub(crate) const CHANGES: NamedSchema = NamedSchema {
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

const CHANGE: NamedSchema = NamedSchema {
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

const CONDITION: NamedSchema = NamedSchema {
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

/// The schema of the result of a change.
pub(crate) const RELATIONSHIPS_CHANGED: NamedSchema = NamedSchema {
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

const OBJECT: NamedSchema = NamedSchema {
    name: "RelatedObject",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["type", "id"],
        "properties": {
            "type": {"type": "string", "minLength": 1, "maxLength": 64, "description": "A type of objects of the API."},
            "id": {"type": "string", "minLength": 1, "maxLength": 128, "description": "Its id among those: printable ASCII without a space."}
        }
    }"##,
};

const SUBJECT: NamedSchema = NamedSchema {
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
