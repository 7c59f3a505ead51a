//! One relationship: somebody, or an object, stands in a relation to an object.

use super::{RelationObject, RelationSubjectType};
use crate::client_id::ClientId;
use crate::id::{MembershipId, RoleId};
use serde_json::{Value, json};

/// A relationship, in one organization at one API.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Relationship {
    /// The object.
    pub object: RelationObject,
    /// The relation to it.
    pub relation: String,
    /// Who stands in it.
    pub subject: RelationshipSubject,
}

/// Who stands in a relation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RelationshipSubject {
    /// A person, by their membership: whoever leaves and comes back is somebody else.
    Member(MembershipId),
    /// A service or agent, by its membership too.
    Client(ClientId, MembershipId),
    /// Everybody who carries the role.
    Role(RoleId),
    /// An object.
    Object(RelationObject),
    /// Everybody who stands in this relation to an object.
    Set(RelationObject, String),
}

impl RelationshipSubject {
    /// What a model says may stand in a relation.
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

    /// As the outside reads it: a type, an id and, for a set, the relation.
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
    /// As the outside reads it.
    pub fn to_json(&self) -> Value {
        json!({
            "object": {"type": self.object.object_type(), "id": self.object.id()},
            "relation": self.relation,
            "subject": self.subject.to_json(),
        })
    }
}
