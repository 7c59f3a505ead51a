//! What a list is filtered by (RFC 7644 §3.4.2.2): read within bounds, held against resources, written again.

mod matching;
mod parse;
#[cfg(test)]
mod tests;

use super::ResourceKind;
use super::attribute::Attribute;
use super::place::Place;
use crate::refusal::Refusal;
use crate::time::Timestamp;
use serde_json::{Map, Value};
use std::fmt;

/// A condition that a resource fulfils or not.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// Every one of them.
    Every(Vec<Self>),
    /// At least one of them.
    Any(Vec<Self>),
    /// Not this.
    Not(Box<Self>),
    /// One value.
    Test(Test),
    /// One element of many, which fulfils a condition as a whole.
    Element(Place, Box<Self>),
}

/// A condition on one value.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// Where the value stands.
    pub subject: Subject,
    /// What it is held against.
    pub check: Check,
}

/// Where a value stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Subject {
    /// At a place of the resource.
    At(Place),
    /// At a part of the element that is looked at.
    Part(&'static Attribute),
    /// Nowhere: things of this kind have no such attribute, and others that are searched with them do.
    Nowhere(Place),
}

/// What a value is held against.
#[derive(Clone, Debug, PartialEq)]
pub enum Check {
    /// That there is one.
    Present,
    /// Something to compare it with.
    Compared(Operator, Operand),
}

/// How a value is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// It is the same.
    Equal,
    /// It is not the same.
    NotEqual,
    /// It contains it.
    Contains,
    /// It starts with it.
    StartsWith,
    /// It ends with it.
    EndsWith,
    /// It is greater.
    Greater,
    /// It is greater or the same.
    GreaterOrEqual,
    /// It is less.
    Less,
    /// It is less or the same.
    LessOrEqual,
}

/// What a value is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A text.
    Text(String),
    /// Yes or no.
    Truth(bool),
    /// A point in time.
    Moment(Timestamp),
    /// Nothing.
    Nothing,
}

/// Which attributes a filter may speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spoken {
    /// Those of the kind that is searched.
    Own,
    /// Also those of other kinds, which are searched with it.
    Everybodys,
}

/// What names one thing at most, so that it is found without looking at all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exactly<'a> {
    /// Our id.
    Id(&'a str),
    /// The id of the directory's.
    ExternalId(&'a str),
    /// The name of a user.
    UserName(&'a str),
}

impl Filter {
    /// Reads a filter for things of a kind.
    pub fn read(kind: ResourceKind, spoken: Spoken, text: &str) -> Result<Self, Refusal> {
        parse::resource(kind, spoken, text)
    }

    /// Reads a filter for the elements of one attribute.
    pub fn of_elements(attribute: &'static Attribute, text: &str) -> Result<Self, Refusal> {
        parse::elements(attribute, text)
    }

    /// Whether the resource fulfils it.
    pub fn matches(&self, resource: &Map<String, Value>) -> bool {
        matching::resource(self, resource)
    }

    /// Whether the element fulfils it.
    pub fn matches_element(&self, element: &Value) -> bool {
        matching::element(self, element)
    }

    /// What names the only thing that can fulfil it, if something does.
    pub fn exactly(&self) -> Option<Exactly<'_>> {
        match self {
            Self::Every(parts) => parts.iter().find_map(Self::exactly),
            Self::Test(Test { subject: Subject::At(place), check }) => {
                let Check::Compared(Operator::Equal, Operand::Text(text)) = check else { return None };
                match place.attribute.name {
                    "id" => Some(Exactly::Id(text)),
                    "externalId" => Some(Exactly::ExternalId(text)),
                    "userName" => Some(Exactly::UserName(text)),
                    _ => None,
                }
            }
            Self::Any(_) | Self::Not(_) | Self::Test(_) | Self::Element(..) => None,
        }
    }

    /// What an element must be like to fulfil it, as far as it says so: part by part.
    pub fn equalities(&self) -> Vec<(&'static Attribute, Value)> {
        match self {
            Self::Every(parts) => parts.iter().flat_map(Self::equalities).collect(),
            Self::Test(Test { subject: Subject::Part(part), check }) => match check {
                Check::Compared(Operator::Equal, Operand::Text(text)) => vec![(*part, text.as_str().into())],
                Check::Compared(Operator::Equal, Operand::Truth(truth)) => vec![(*part, (*truth).into())],
                Check::Present | Check::Compared(..) => Vec::new(),
            },
            Self::Any(_) | Self::Not(_) | Self::Test(_) | Self::Element(..) => Vec::new(),
        }
    }

    /// Whether it speaks of this attribute.
    pub fn speaks_of(&self, name: &str) -> bool {
        match self {
            Self::Every(parts) | Self::Any(parts) => parts.iter().any(|part| part.speaks_of(name)),
            Self::Not(inner) => inner.speaks_of(name),
            Self::Test(Test { subject: Subject::At(place), .. }) | Self::Element(place, _) => {
                place.attribute.name == name
            }
            Self::Test(Test { subject: Subject::Part(_) | Subject::Nowhere(_), .. }) => false,
        }
    }
}

impl Operator {
    /// All of them, as they are written.
    pub const WRITTEN: [(&'static str, Self); 9] = [
        ("eq", Self::Equal),
        ("ne", Self::NotEqual),
        ("co", Self::Contains),
        ("sw", Self::StartsWith),
        ("ew", Self::EndsWith),
        ("gt", Self::Greater),
        ("ge", Self::GreaterOrEqual),
        ("lt", Self::Less),
        ("le", Self::LessOrEqual),
    ];
}

impl fmt::Display for Filter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |out: &mut fmt::Formatter<'_>, parts: &[Self], word: &str| {
            for (place, part) in parts.iter().enumerate() {
                if place > 0 {
                    write!(out, " {word} ")?;
                }
                match part {
                    Self::Every(_) | Self::Any(_) => write!(out, "({part})")?,
                    Self::Not(_) | Self::Test(_) | Self::Element(..) => write!(out, "{part}")?,
                }
            }
            Ok(())
        };
        match self {
            Self::Every(parts) => joined(out, parts, "and"),
            Self::Any(parts) => joined(out, parts, "or"),
            Self::Not(inner) => write!(out, "not ({inner})"),
            Self::Test(test) => write!(out, "{test}"),
            Self::Element(place, inner) => write!(out, "{place}[{inner}]"),
        }
    }
}

impl fmt::Display for Test {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.subject {
            Subject::At(place) | Subject::Nowhere(place) => write!(out, "{place} ")?,
            Subject::Part(part) => write!(out, "{} ", part.name)?,
        }
        let Check::Compared(operator, operand) = &self.check else { return out.write_str("pr") };
        let word = Operator::WRITTEN.iter().find(|(_, known)| known == operator).map_or("", |(word, _)| word);
        match operand {
            Operand::Text(text) => write!(out, "{word} {}", Value::from(text.as_str())),
            Operand::Truth(truth) => write!(out, "{word} {truth}"),
            Operand::Moment(moment) => write!(out, "{word} \"{moment}\""),
            Operand::Nothing => write!(out, "{word} null"),
        }
    }
}
