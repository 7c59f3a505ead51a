//! A relationship: a subject has a relation to an object.

use super::{RelationObject, RelationSubjectType};
use crate::client_id::ClientId;
use crate::id::{MembershipId, RoleId};
use serde_json::{Value, json};

/// A relationship of one organization at one API.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Relationship {
    /// The object.
    pub object: RelationObject,
    /// The relation to the object.
    pub relation: String,
    /// The subject.
    pub subject: RelationshipSubject,
}

/// The subject of a relationship.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RelationshipSubject {
    /// A user, by membership: a user who leaves and rejoins has a new membership and none of the old
    /// relationships.
    Member(MembershipId),
    /// A service or agent, also by membership.
    Client(ClientId, MembershipId),
    /// All holders of the role.
    Role(RoleId),
    /// An object.
    Object(RelationObject),
    /// A subject set: all subjects with this relation to an object.
    Set(RelationObject, String),
}

impl RelationshipSubject {
    /// The subject type, for comparison with the model.
    pub fn subject_type(&self) -> RelationSubjectType {
        match self {
            Self::Member(_) => RelationSubjectType::Member,
            Self::Client(..) => RelationSubjectType::Client,
            Self::Role(_) => RelationSubjectType::Role,
            Self::Object(object) => RelationSubjectType::Object(object.object_type().into()),
            Self::Set(object, relation) => {
                RelationSubjectType::Set(object.object_type().into(), relation.as_str().into())
            }
        }
    }

    /// Serializes the subject for the API: type, id and, for a subject set, relation.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Member(membership) => json!({"type": "member", "id": membership}),
            Self::Client(client, _) => json!({"type": "client", "id": client}),
            Self::Role(role) => json!({"type": "role", "id": role}),
            Self::Object(object) => json!({"type": object.object_type(), "id": object.id()}),
            Self::Set(object, relation) => {
                json!({"type": object.object_type(), "id": object.id(), "relation": relation})
            }
        }
    }
}

impl Relationship {
    /// Serializes the relationship for the API.
    pub fn to_json(&self) -> Value {
        json!({
            "object": {"type": self.object.object_type(), "id": self.object.id()},
            "relation": self.relation,
            "subject": self.subject.to_json(),
        })
    }
}
