//! Filters (RFC 7644 §3.4.2.2): bounded parsing, matching and formatting.

mod matching;
mod parser;

use super::ScimResourceType;
use super::attribute::ScimAttribute;
use super::attribute_path::ScimAttributePath;
use crate::refusal::Refusal;
use crate::time::Timestamp;
use serde_json::{Map, Value};
use std::fmt;

/// A filter expression.
#[derive(Clone, Debug, PartialEq)]
pub enum ScimFilter {
    /// All of them (`and`).
    Every(Vec<Self>),
    /// At least one of them (`or`).
    Any(Vec<Self>),
    /// Negation (`not`).
    Not(Box<Self>),
    /// A condition on one value.
    Test(ScimAttributeExpression),
    /// A value filter: one element of a multi-valued attribute matches the whole expression.
    Element(ScimAttributePath, Box<Self>),
}

/// A condition on one value.
#[derive(Clone, Debug, PartialEq)]
pub struct ScimAttributeExpression {
    /// The attribute.
    pub subject: ScimFilterAttribute,
    /// The condition.
    pub check: ScimFilterCondition,
}

/// The attribute of a condition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScimFilterAttribute {
    /// An attribute of the resource.
    At(ScimAttributePath),
    /// A sub-attribute of the element in a value filter.
    Part(&'static ScimAttribute),
    /// An attribute that this resource type lacks, but other types in the same search have.
    Nowhere(ScimAttributePath),
}

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub enum ScimFilterCondition {
    /// `pr`: the attribute has a value.
    Present,
    /// A comparison.
    Compared(ScimFilterOperator, ScimFilterValue),
}

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScimFilterOperator {
    /// `eq`.
    Equal,
    /// `ne`.
    NotEqual,
    /// `co`.
    Contains,
    /// `sw`.
    StartsWith,
    /// `ew`.
    EndsWith,
    /// `gt`.
    Greater,
    /// `ge`.
    GreaterOrEqual,
    /// `lt`.
    Less,
    /// `le`.
    LessOrEqual,
}

/// The value of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum ScimFilterValue {
    /// A string.
    Text(String),
    /// A boolean.
    Truth(bool),
    /// A date-time.
    Moment(Timestamp),
    /// Null.
    Nothing,
}

/// The attributes that a filter may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterAttributeScope {
    /// Those of the searched resource type.
    Own,
    /// Also those of other types that are searched together with it.
    Everybodys,
}

/// A lookup by a unique value, which needs no scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScimUniqueLookup<'a> {
    /// Our id.
    Id(&'a str),
    /// The directory's `externalId`.
    ExternalId(&'a str),
    /// The `userName`.
    UserName(&'a str),
}

impl ScimFilter {
    /// Parses a filter for a resource type.
    pub fn parse(kind: ScimResourceType, spoken: FilterAttributeScope, text: &str) -> Result<Self, Refusal> {
        parser::parse_resource_filter(kind, spoken, text)
    }

    /// Parses a value filter for the elements of an attribute.
    pub fn parse_element_filter(attribute: &'static ScimAttribute, text: &str) -> Result<Self, Refusal> {
        parser::parse_element_filter(attribute, text)
    }

    /// Whether the resource matches.
    pub fn matches(&self, resource: &Map<String, Value>) -> bool {
        matching::matches_resource(self, resource)
    }

    /// Whether the element matches.
    pub fn matches_element(&self, element: &Value) -> bool {
        matching::matches_element(self, element)
    }

    /// The unique lookup that this filter implies, if any.
    pub fn find_unique_lookup(&self) -> Option<ScimUniqueLookup<'_>> {
        match self {
            Self::Every(parts) => parts.iter().find_map(Self::find_unique_lookup),
            Self::Test(ScimAttributeExpression { subject: ScimFilterAttribute::At(path), check }) => {
                let ScimFilterCondition::Compared(ScimFilterOperator::Equal, ScimFilterValue::Text(text)) =
                    check
                else {
                    return None;
                };
                match path.attribute.name {
                    "id" => Some(ScimUniqueLookup::Id(text)),
                    "externalId" => Some(ScimUniqueLookup::ExternalId(text)),
                    "userName" => Some(ScimUniqueLookup::UserName(text)),
                    _ => None,
                }
            }
            Self::Any(_) | Self::Not(_) | Self::Test(_) | Self::Element(..) => None,
        }
    }

    /// The values of sub-attributes that an element must have to match, as far as the filter states them.
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

    /// Whether the filter uses this attribute.
    pub fn references_attribute(&self, name: &str) -> bool {
        match self {
            Self::Every(parts) | Self::Any(parts) => parts.iter().any(|part| part.references_attribute(name)),
            Self::Not(inner) => inner.references_attribute(name),
            Self::Test(ScimAttributeExpression { subject: ScimFilterAttribute::At(path), .. })
            | Self::Element(path, _) => path.attribute.name == name,
            Self::Test(ScimAttributeExpression {
                subject: ScimFilterAttribute::Part(_) | ScimFilterAttribute::Nowhere(_),
                ..
            }) => false,
        }
    }
}

impl ScimFilterOperator {
    /// All operators by name.
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
            for (index, part) in parts.iter().enumerate() {
                if index > 0 {
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
            Self::Element(path, inner) => write!(out, "{path}[{inner}]"),
        }
    }
}

impl fmt::Display for ScimAttributeExpression {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.subject {
            ScimFilterAttribute::At(path) | ScimFilterAttribute::Nowhere(path) => write!(out, "{path} ")?,
            ScimFilterAttribute::Part(part) => write!(out, "{} ", part.name)?,
        }
        let ScimFilterCondition::Compared(operator, operand) = &self.check else {
            return out.write_str("pr");
        };
        let word = ScimFilterOperator::WRITTEN
            .iter()
            .find(|(_, filter_operator)| filter_operator == operator)
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
