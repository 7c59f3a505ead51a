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
    And(Vec<Self>),
    /// At least one of them (`or`).
    Or(Vec<Self>),
    /// Negation (`not`).
    Not(Box<Self>),
    /// A condition on one value.
    AttributeExpression(ScimAttributeExpression),
    /// A value filter: one element of a multi-valued attribute matches the whole expression.
    ValuePath(ScimAttributePath, Box<Self>),
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
    ResourceAttribute(ScimAttributePath),
    /// A sub-attribute of the element in a value filter.
    SubAttribute(&'static ScimAttribute),
    /// An attribute that this resource type lacks, but other types in the same search have.
    UndefinedAttribute(ScimAttributePath),
}

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub enum ScimFilterCondition {
    /// `pr`: the attribute has a value.
    Present,
    /// A comparison.
    Comparison(ScimFilterOperator, ScimFilterValue),
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
    Boolean(bool),
    /// A date-time.
    DateTime(Timestamp),
    /// Null.
    Null,
}

/// The attributes that a filter may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterAttributeScope {
    /// Those of the searched resource type.
    SearchedType,
    /// Also those of other types that are searched together with it.
    AllTypes,
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
            Self::And(parts) => parts.iter().find_map(Self::find_unique_lookup),
            Self::AttributeExpression(ScimAttributeExpression {
                subject: ScimFilterAttribute::ResourceAttribute(path),
                check,
            }) => {
                let ScimFilterCondition::Comparison(ScimFilterOperator::Equal, ScimFilterValue::Text(text)) =
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
            Self::Or(_) | Self::Not(_) | Self::AttributeExpression(_) | Self::ValuePath(..) => None,
        }
    }

    /// The values of sub-attributes that an element must have to match, as far as the filter states them.
    pub fn equalities(&self) -> Vec<(&'static ScimAttribute, Value)> {
        match self {
            Self::And(parts) => parts.iter().flat_map(Self::equalities).collect(),
            Self::AttributeExpression(ScimAttributeExpression {
                subject: ScimFilterAttribute::SubAttribute(part),
                check,
            }) => match check {
                ScimFilterCondition::Comparison(ScimFilterOperator::Equal, ScimFilterValue::Text(text)) => {
                    vec![(*part, text.as_str().into())]
                }
                ScimFilterCondition::Comparison(
                    ScimFilterOperator::Equal,
                    ScimFilterValue::Boolean(boolean),
                ) => vec![(*part, (*boolean).into())],
                ScimFilterCondition::Present | ScimFilterCondition::Comparison(..) => Vec::new(),
            },
            Self::Or(_) | Self::Not(_) | Self::AttributeExpression(_) | Self::ValuePath(..) => Vec::new(),
        }
    }

    /// Whether the filter uses this attribute.
    pub fn references_attribute(&self, name: &str) -> bool {
        match self {
            Self::And(parts) | Self::Or(parts) => parts.iter().any(|part| part.references_attribute(name)),
            Self::Not(inner) => inner.references_attribute(name),
            Self::AttributeExpression(ScimAttributeExpression {
                subject: ScimFilterAttribute::ResourceAttribute(path),
                ..
            })
            | Self::ValuePath(path, _) => path.attribute.name == name,
            Self::AttributeExpression(ScimAttributeExpression {
                subject: ScimFilterAttribute::SubAttribute(_) | ScimFilterAttribute::UndefinedAttribute(_),
                ..
            }) => false,
        }
    }
}

impl ScimFilterOperator {
    /// All operators by name.
    pub const NAMES: [(&'static str, Self); 9] = [
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
                    Self::And(_) | Self::Or(_) => write!(out, "({part})")?,
                    Self::Not(_) | Self::AttributeExpression(_) | Self::ValuePath(..) => {
                        write!(out, "{part}")?
                    }
                }
            }
            Ok(())
        };
        match self {
            Self::And(parts) => joined(out, parts, "and"),
            Self::Or(parts) => joined(out, parts, "or"),
            Self::Not(inner) => write!(out, "not ({inner})"),
            Self::AttributeExpression(test) => write!(out, "{test}"),
            Self::ValuePath(path, inner) => write!(out, "{path}[{inner}]"),
        }
    }
}

impl fmt::Display for ScimAttributeExpression {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.subject {
            ScimFilterAttribute::ResourceAttribute(path) | ScimFilterAttribute::UndefinedAttribute(path) => {
                write!(out, "{path} ")?
            }
            ScimFilterAttribute::SubAttribute(part) => write!(out, "{} ", part.name)?,
        }
        let ScimFilterCondition::Comparison(operator, operand) = &self.check else {
            return out.write_str("pr");
        };
        let word = ScimFilterOperator::NAMES
            .iter()
            .find(|(_, filter_operator)| filter_operator == operator)
            .map_or("", |(word, _)| word);
        match operand {
            ScimFilterValue::Text(text) => write!(out, "{word} {}", Value::from(text.as_str())),
            ScimFilterValue::Boolean(boolean) => write!(out, "{word} {boolean}"),
            ScimFilterValue::DateTime(moment) => write!(out, "{word} \"{moment}\""),
            ScimFilterValue::Null => write!(out, "{word} null"),
        }
    }
}

#[cfg(test)]
mod tests;
