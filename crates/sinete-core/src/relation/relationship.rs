//! One relationship: somebody, or an object, stands in a relation to an object.

use super::{Object, Who};
use crate::client::ClientId;
use crate::id::{MembershipId, RoleId};
use serde_json::{Value, json};

/// A relationship, in one organization at one API.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Relationship {
    /// The object.
    pub object: Object,
    /// The relation to it.
    pub relation: String,
    /// Who stands in it.
    pub subject: Subject,
}

/// Who stands in a relation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A person, by their membership: whoever leaves and comes back is somebody else.
    Member(MembershipId),
    /// A service or agent, by its membership too.
    Client(ClientId, MembershipId),
    /// Everybody who carries the role.
    Role(RoleId),
    /// An object.
    Object(Object),
    /// Everybody who stands in this relation to an object.
    Set(Object, String),
}

impl Subject {
    /// What a model says may stand in a relation.
    pub fn who(&self) -> Who {
        match self {
            Self::Member(_) => Who::Member,
            Self::Client(..) => Who::Client,
            Self::Role(_) => Who::Role,
            Self::Object(object) => Who::Object(object.of_type().into()),
            Self::Set(object, relation) => Who::Set(object.of_type().into(), relation.as_str().into()),
        }
    }

    /// As the outside reads it: a type, an id and, for a set, the relation.
    pub fn written(&self) -> Value {
        match self {
            Self::Member(membership) => json!({"type": "member", "id": membership}),
            Self::Client(client, _) => json!({"type": "client", "id": client}),
            Self::Role(role) => json!({"type": "role", "id": role}),
            Self::Object(object) => json!({"type": object.of_type(), "id": object.id()}),
            Self::Set(object, relation) => {
                json!({"type": object.of_type(), "id": object.id(), "relation": relation})
            }
        }
    }
}

impl Relationship {
    /// As the outside reads it.
    pub fn written(&self) -> Value {
        json!({
            "object": {"type": self.object.of_type(), "id": self.object.id()},
            "relation": self.relation,
            "subject": self.subject.written(),
        })
    }
}
