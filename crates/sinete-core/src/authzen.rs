//! Relationship-based access control (ReBAC): relationships between subjects and objects of an API, and the
//! actions they allow.
//!
//! An API defines its object types in a [`model`]. The model is compiled to [`rules`], and a decision follows
//! the rules from the object to the subject ([`evaluation`]). There are no deny rules: without a relation
//! that allows an action, a subject may not perform it.

pub mod discovery;
pub mod evaluation;
pub mod model;
pub mod relationships;
pub mod rules;

use crate::limits::{OBJECT_ID_BYTES_MAX, RELATION_NAME_CHARACTERS_MAX};
use std::fmt;
use std::str::FromStr;

/// An object of an API: its type and its id within the type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelationObject {
    type_name: Box<str>,
    id: Box<str>,
}

/// The object reference is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRelationObject {
    /// The type name is invalid.
    #[error("the type must be lower-case letters, digits and underscores, and begin with a letter")]
    Type,
    /// The id is invalid.
    #[error(
        "the id of an object must be 1 to {OBJECT_ID_BYTES_MAX} printable ASCII characters without a space"
    )]
    Id,
}

impl RelationObject {
    /// Creates a reference to the object of this type and id.
    pub fn new(of_type: &str, id: &str) -> Result<Self, InvalidRelationObject> {
        if !is_valid_name(of_type) {
            return Err(InvalidRelationObject::Type);
        }
        if !is_object_id(id) {
            return Err(InvalidRelationObject::Id);
        }
        Ok(Self { type_name: of_type.into(), id: id.into() })
    }

    /// The object type.
    pub fn object_type(&self) -> &str {
        &self.type_name
    }

    /// The id within the type.
    pub fn id(&self) -> &str {
        &self.id
    }
}

/// Whether the text is a valid object id.
pub fn is_object_id(text: &str) -> bool {
    (1..=OBJECT_ID_BYTES_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Whether the text is a valid name of a type, relation or action.
pub fn is_valid_name(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    text.len() <= RELATION_NAME_CHARACTERS_MAX
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(is_letter)
}

/// The kinds of subjects that a relation may have directly.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RelationSubjectType {
    /// A member of the organization.
    Member,
    /// A service or agent of the organization.
    Client,
    /// All holders of a role of the organization.
    Role,
    /// An object of this type.
    Object(Box<str>),
    /// A subject set: all subjects with this relation to an object of this type.
    Set(Box<str>, Box<str>),
}

/// The text is not a valid subject type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a subject type is member, client, role, an object type, or the relation of one such as team#member")]
pub struct InvalidRelationSubjectType;

/// The names of subject types that are not object types, so no object type may use them.
pub const RESERVED_TYPE_NAMES: [&str; 3] = ["member", "client", "role"];

impl RelationSubjectType {
    /// The kind, as stored.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Client => "client",
            Self::Role => "role",
            Self::Object(_) => "object",
            Self::Set(..) => "set",
        }
    }

    /// The object type of an object or a subject set; empty otherwise.
    pub fn object_type(&self) -> &str {
        match self {
            Self::Member | Self::Client | Self::Role => "",
            Self::Object(of_type) | Self::Set(of_type, _) => of_type,
        }
    }

    /// The relation of a subject set; empty otherwise.
    pub fn relation(&self) -> &str {
        match self {
            Self::Member | Self::Client | Self::Role | Self::Object(_) => "",
            Self::Set(_, relation) => relation,
        }
    }
}

impl FromStr for RelationSubjectType {
    type Err = InvalidRelationSubjectType;

    fn from_str(text: &str) -> Result<Self, InvalidRelationSubjectType> {
        match (text, text.split_once('#')) {
            ("member", _) => Ok(Self::Member),
            ("client", _) => Ok(Self::Client),
            ("role", _) => Ok(Self::Role),
            (of_type, None) if is_valid_name(of_type) => Ok(Self::Object(of_type.into())),
            (_, Some((of_type, relation))) if is_valid_name(of_type) && is_valid_name(relation) => {
                Ok(Self::Set(of_type.into(), relation.into()))
            }
            _ => Err(InvalidRelationSubjectType),
        }
    }
}

impl fmt::Display for RelationSubjectType {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Member | Self::Client | Self::Role => out.write_str(self.kind()),
            Self::Object(of_type) => out.write_str(of_type),
            Self::Set(of_type, relation) => write!(out, "{of_type}#{relation}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relation_subject_type_round_trips() {
        for text in ["member", "client", "role", "folder", "team#member"] {
            assert_eq!(text.parse::<RelationSubjectType>().unwrap().to_string(), text);
        }
        for text in ["", "Folder", "team#", "#member", "team#member#x", "team member", "user:*", "1st"] {
            assert_eq!(text.parse::<RelationSubjectType>(), Err(InvalidRelationSubjectType), "{text}");
        }
    }

    #[test]
    fn authzen_object_has_a_plain_type_and_a_printable_id() {
        assert_eq!(RelationObject::new("folder", "a/b:c#1@x").unwrap().id(), "a/b:c#1@x");
        assert_eq!(RelationObject::new("Folder", "a"), Err(InvalidRelationObject::Type));
        for id in ["", "a b", "a\n", "é", &"x".repeat(OBJECT_ID_BYTES_MAX + 1)] {
            assert_eq!(RelationObject::new("folder", id), Err(InvalidRelationObject::Id), "{id}");
        }
    }
}
