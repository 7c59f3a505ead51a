//! Relationships, as requested and returned.

use crate::management_api::pagination::ResourceView;
use schemars::JsonSchema;
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

/// A relationship, as returned.
#[derive(Serialize, JsonSchema)]
struct RelationshipView {
    id: RelationshipId,
    #[serde(flatten)]
    #[schemars(with = "RelationshipTupleInput")]
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
#[derive(Deserialize, JsonSchema)]
pub(crate) struct RelationshipChangesInput {
    /// The changes. All of them are made, or none.
    #[schemars(length(min = 1, max = 100))]
    changes: Vec<RelationshipChangeInput>,
    /// Preconditions: relationships that must exist or must not exist. Otherwise nothing is changed.
    #[schemars(length(max = 100))]
    #[serde(default)]
    only_if: Vec<RelationshipConditionInput>,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "RelationshipChange")]
struct RelationshipChangeInput {
    change: RelationshipOperation,
    #[serde(flatten)]
    tuple: RelationshipTupleInput,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "RelationshipCondition")]
struct RelationshipConditionInput {
    is: RelationshipPresence,
    #[serde(flatten)]
    tuple: RelationshipTupleInput,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum RelationshipOperation {
    Add,
    Remove,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum RelationshipPresence {
    There,
    Absent,
}

#[derive(Deserialize, JsonSchema)]
struct RelationshipTupleInput {
    object: RelationshipObjectInput,
    #[schemars(length(min = 1, max = 64))]
    relation: String,
    subject: RelationshipSubjectInput,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "RelatedObject")]
struct RelationshipObjectInput {
    /// An object type of the API.
    #[schemars(length(min = 1, max = 64))]
    #[serde(rename = "type")]
    of_type: String,
    /// The id of the object: printable ASCII without spaces.
    #[schemars(length(min = 1, max = 128))]
    id: String,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "RelatedSubject")]
struct RelationshipSubjectInput {
    /// `member`, `client`, `role`, or an object type of the API.
    #[schemars(length(min = 1, max = 64))]
    #[serde(rename = "type")]
    of_type: String,
    /// The id of the member, client, role or object.
    #[schemars(length(min = 1, max = 256))]
    id: String,
    /// For all subjects with a relation to an object: that relation.
    #[schemars(length(min = 1, max = 64))]
    #[serde(default)]
    relation: Option<String>,
}

impl RelationshipChangesInput {
    pub(crate) fn into_changes(self) -> RelationshipChanges {
        let mut changes = RelationshipChanges::default();
        for (index, text) in self.changes.into_iter().enumerate() {
            let relationship = (format!("/changes/{index}"), text.tuple.into_tuple());
            match text.change {
                RelationshipOperation::Add => changes.add.push(relationship),
                RelationshipOperation::Remove => changes.remove.push(relationship),
            }
        }
        for (index, text) in self.only_if.into_iter().enumerate() {
            let relationship = (format!("/only_if/{index}"), text.tuple.into_tuple());
            match text.is {
                RelationshipPresence::There => changes.must_exist.push(relationship),
                RelationshipPresence::Absent => changes.must_not_exist.push(relationship),
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
#[derive(Serialize, JsonSchema)]
pub(crate) struct RelationshipChangeView {
    /// The number of relationships that were added, without those that existed before.
    added: usize,
    /// The number of relationships that were removed, without those that did not exist.
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
        "The type of the subject: `member`, `client`, `role`, or an object type.",
    ),
    query_parameter("subject_id", "The id of the subject."),
];

pub(crate) const SCHEMAS: &[&NamedSchema] =
    &[&RELATIONSHIP, &CHANGES, &CHANGE, &CONDITION, &RELATIONSHIPS_CHANGED, &OBJECT, &SUBJECT];

/// The schema of the resource.
pub(crate) const RELATIONSHIP: NamedSchema = NamedSchema::response::<RelationshipView>("Relationship")
    .with_example(
        r#"{
        "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6078", "object": {"type": "folder", "id": "plans"},
        "relation": "viewer", "subject": {"type": "team", "id": "design", "relation": "member"},
        "created_at": "2026-11-16T08:00:00Z"
    }"#,
    );

/// The schema of a change.
pub(crate) const CHANGES: NamedSchema = NamedSchema::request::<RelationshipChangesInput>("RelationshipChanges")
    .with_example(r#"{
        "changes": [{"change": "add", "object": {"type": "folder", "id": "plans"}, "relation": "viewer", "subject": {"type": "team", "id": "design", "relation": "member"}}]
    }"#);

const CHANGE: NamedSchema = NamedSchema::request::<RelationshipChangeInput>("RelationshipChange");

const CONDITION: NamedSchema = NamedSchema::request::<RelationshipConditionInput>("RelationshipCondition");

/// The schema of the result of a change.
pub(crate) const RELATIONSHIPS_CHANGED: NamedSchema =
    NamedSchema::response::<RelationshipChangeView>("RelationshipsChanged")
        .with_example(r#"{"added": 1, "removed": 0}"#);

const OBJECT: NamedSchema = NamedSchema::request::<RelationshipObjectInput>("RelatedObject");

const SUBJECT: NamedSchema = NamedSchema::request::<RelationshipSubjectInput>("RelatedSubject");
