//! What a list is filtered by (RFC 7644 §3.4.2.2): read within bounds, held against resources, written again.

mod matching;
mod parser;

use super::ScimResourceType;
use super::attribute::ScimAttribute;
use super::attribute_path::ScimAttributePath;
use crate::refusal::Refusal;
use crate::time::Timestamp;
use serde_json::{Map, Value};
use std::fmt;

/// A condition that a resource fulfils or not.
#[derive(Clone, Debug, PartialEq)]
pub enum ScimFilter {
    /// Every one of them.
    Every(Vec<Self>),
    /// At least one of them.
    Any(Vec<Self>),
    /// Not this.
    Not(Box<Self>),
    /// One value.
    Test(ScimAttributeExpression),
    /// One element of many, which fulfils a condition as a whole.
    Element(ScimAttributePath, Box<Self>),
}

/// A condition on one value.
#[derive(Clone, Debug, PartialEq)]
pub struct ScimAttributeExpression {
    /// Where the value stands.
    pub subject: ScimFilterAttribute,
    /// What it is held against.
    pub check: ScimFilterCondition,
}

/// Where a value stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScimFilterAttribute {
    /// At a place of the resource.
    At(ScimAttributePath),
    /// At a part of the element that is looked at.
    Part(&'static ScimAttribute),
    /// Nowhere: things of this kind have no such attribute, and others that are searched with them do.
    Nowhere(ScimAttributePath),
}

/// What a value is held against.
#[derive(Clone, Debug, PartialEq)]
pub enum ScimFilterCondition {
    /// That there is one.
    Present,
    /// Something to compare it with.
    Compared(ScimFilterOperator, ScimFilterValue),
}

/// How a value is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScimFilterOperator {
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
pub enum ScimFilterValue {
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
pub enum FilterAttributeScope {
    /// Those of the kind that is searched.
    Own,
    /// Also those of other kinds, which are searched with it.
    Everybodys,
}

/// What names one thing at most, so that it is found without looking at all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScimUniqueLookup<'a> {
    /// Our id.
    Id(&'a str),
    /// The id of the directory's.
    ExternalId(&'a str),
    /// The name of a user.
    UserName(&'a str),
}

impl ScimFilter {
    /// Reads a filter for things of a kind.
    pub fn parse(kind: ScimResourceType, spoken: FilterAttributeScope, text: &str) -> Result<Self, Refusal> {
        parser::parse_resource_filter(kind, spoken, text)
    }

    /// Reads a filter for the elements of one attribute.
    pub fn parse_element_filter(attribute: &'static ScimAttribute, text: &str) -> Result<Self, Refusal> {
        parser::parse_element_filter(attribute, text)
    }

    /// Whether the resource fulfils it.
    pub fn matches(&self, resource: &Map<String, Value>) -> bool {
        matching::matches_resource(self, resource)
    }

    /// Whether the element fulfils it.
    pub fn matches_element(&self, element: &Value) -> bool {
        matching::matches_element(self, element)
    }

    /// What names the only thing that can fulfil it, if something does.
    pub fn find_unique_lookup(&self) -> Option<ScimUniqueLookup<'_>> {
        match self {
            Self::Every(parts) => parts.iter().find_map(Self::find_unique_lookup),
            Self::Test(ScimAttributeExpression { subject: ScimFilterAttribute::At(place), check }) => {
                let ScimFilterCondition::Compared(ScimFilterOperator::Equal, ScimFilterValue::Text(text)) =
                    check
                else {
                    return None;
                };
                match place.attribute.name {
                    "id" => Some(ScimUniqueLookup::Id(text)),
                    "externalId" => Some(ScimUniqueLookup::ExternalId(text)),
                    "userName" => Some(ScimUniqueLookup::UserName(text)),
                    _ => None,
                }
            }
            Self::Any(_) | Self::Not(_) | Self::Test(_) | Self::Element(..) => None,
        }
    }

    /// What an element must be like to fulfil it, as far as it says so: part by part.
    pub fn equalities(&self) -> Vec<(&'static ScimAttribute, Value)> {
        match self {
            Self::Every(parts) => parts.iter().flat_map(Self::equalities).collect(),
            Self::Test(ScimAttributeExpression { subject: ScimFilterAttribute::Part(part), check }) => {
                match check {
                    ScimFilterCondition::Compared(ScimFilterOperator::Equal, ScimFilterValue::Text(text)) => {
                        vec![(*part, text.as_str().into())]
                    }
                    ScimFilterCondition::Compared(
                        ScimFilterOperator::Equal,
                        ScimFilterValue::Truth(truth),
                    ) => vec![(*part, (*truth).into())],
                    ScimFilterCondition::Present | ScimFilterCondition::Compared(..) => Vec::new(),
                }
            }
            Self::Any(_) | Self::Not(_) | Self::Test(_) | Self::Element(..) => Vec::new(),
        }
    }

    /// Whether it speaks of this attribute.
    pub fn references_attribute(&self, name: &str) -> bool {
        match self {
            Self::Every(parts) | Self::Any(parts) => parts.iter().any(|part| part.references_attribute(name)),
            Self::Not(inner) => inner.references_attribute(name),
            Self::Test(ScimAttributeExpression { subject: ScimFilterAttribute::At(place), .. })
            | Self::Element(place, _) => place.attribute.name == name,
            Self::Test(ScimAttributeExpression {
                subject: ScimFilterAttribute::Part(_) | ScimFilterAttribute::Nowhere(_),
                ..
            }) => false,
        }
    }
}

impl ScimFilterOperator {
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

impl fmt::Display for ScimFilter {
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

impl fmt::Display for ScimAttributeExpression {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.subject {
            ScimFilterAttribute::At(place) | ScimFilterAttribute::Nowhere(place) => write!(out, "{place} ")?,
            ScimFilterAttribute::Part(part) => write!(out, "{} ", part.name)?,
        }
        let ScimFilterCondition::Compared(operator, operand) = &self.check else {
            return out.write_str("pr");
        };
        let word = ScimFilterOperator::WRITTEN
            .iter()
            .find(|(_, known)| known == operator)
            .map_or("", |(word, _)| word);
        match operand {
            ScimFilterValue::Text(text) => write!(out, "{word} {}", Value::from(text.as_str())),
            ScimFilterValue::Truth(truth) => write!(out, "{word} {truth}"),
            ScimFilterValue::Moment(moment) => write!(out, "{word} \"{moment}\""),
            ScimFilterValue::Nothing => write!(out, "{word} null"),
        }
    }
}

#[cfg(test)]
mod tests;
