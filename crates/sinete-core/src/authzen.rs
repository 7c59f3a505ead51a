//! Relationships: who stands in which relation to which object of an API, and what they may do because of it.
//!
//! An API defines its types of objects ([`model`]). What follows from what becomes rules ([`rules`]), and a question is
//! answered by walking along them from the object to whoever is asked about ([`judge`]). Nothing is ever denied: somebody
//! who stands in no relation that confers an action may not do it, and that is all.

pub mod discovery;
pub mod evaluation;
pub mod model;
pub mod relationships;
pub mod rules;

use crate::limits::{OBJECT_ID_BYTES_MAX, RELATION_NAME_CHARACTERS_MAX};
use std::fmt;
use std::str::FromStr;

/// One object of an API: what it is, and its id among those.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelationObject {
    of_type: Box<str>,
    id: Box<str>,
}

/// The text names no object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRelationObject {
    /// Its type has no name of that kind.
    #[error("a type is a word of lower-case letters, digits and underscores that begins with a letter")]
    Type,
    /// Its id is none.
    #[error("the id of an object is 1 to {OBJECT_ID_BYTES_MAX} printable ASCII characters without a space")]
    Id,
}

impl RelationObject {
    /// The object of this type and id.
    pub fn new(of_type: &str, id: &str) -> Result<Self, InvalidRelationObject> {
        if !is_valid_name(of_type) {
            return Err(InvalidRelationObject::Type);
        }
        if !is_object_id(id) {
            return Err(InvalidRelationObject::Id);
        }
        Ok(Self { of_type: of_type.into(), id: id.into() })
    }

    /// What it is.
    pub fn object_type(&self) -> &str {
        &self.of_type
    }

    /// Its id among those.
    pub fn id(&self) -> &str {
        &self.id
    }
}

/// Whether the text is the id of an object.
pub fn is_object_id(text: &str) -> bool {
    (1..=OBJECT_ID_BYTES_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Whether the text can name a type, a relation or an action.
pub fn is_valid_name(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    text.len() <= RELATION_NAME_CHARACTERS_MAX
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(is_letter)
}

/// Who may stand in a relation directly.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RelationSubjectType {
    /// A person who belongs to the organization.
    Member,
    /// A service or agent that belongs to it.
    Client,
    /// Everybody who carries a role of the organization.
    Role,
    /// An object of this type.
    Object(Box<str>),
    /// Everybody who stands in this relation to an object of this type.
    Set(Box<str>, Box<str>),
}

/// The text names nobody who could stand in a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "who stands in a relation is member, client, role, a type, or the relation of a type such as team#member"
)]
pub struct InvalidSubjectType;

/// The words for those who are no objects. No type is called like one of them.
pub const NOT_TYPES: [&str; 3] = ["member", "client", "role"];

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

    /// The type of object, where it is one or a set of one.
    pub fn object_type(&self) -> &str {
        match self {
            Self::Member | Self::Client | Self::Role => "",
            Self::Object(of_type) | Self::Set(of_type, _) => of_type,
        }
    }

    /// The relation that a set is of.
    pub fn relation(&self) -> &str {
        match self {
            Self::Member | Self::Client | Self::Role | Self::Object(_) => "",
            Self::Set(_, relation) => relation,
        }
    }
}

impl FromStr for RelationSubjectType {
    type Err = InvalidSubjectType;

    fn from_str(text: &str) -> Result<Self, InvalidSubjectType> {
        match (text, text.split_once('#')) {
            ("member", _) => Ok(Self::Member),
            ("client", _) => Ok(Self::Client),
            ("role", _) => Ok(Self::Role),
            (of_type, None) if is_valid_name(of_type) => Ok(Self::Object(of_type.into())),
            (_, Some((of_type, relation))) if is_valid_name(of_type) && is_valid_name(relation) => {
                Ok(Self::Set(of_type.into(), relation.into()))
            }
            _ => Err(InvalidSubjectType),
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
            assert_eq!(text.parse::<RelationSubjectType>(), Err(InvalidSubjectType), "{text}");
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
