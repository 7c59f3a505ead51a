//! The filter parser, with bounded depth, length and number of conditions.

use super::{
    FilterAttributeScope, ScimAttributeExpression, ScimFilter, ScimFilterAttribute, ScimFilterCondition,
    ScimFilterOperator, ScimFilterValue,
};
use crate::limits::{SCIM_FILTER_BYTES_MAX, SCIM_FILTER_CONDITIONS_MAX, SCIM_FILTER_DEPTH_MAX};
use crate::refusal::Refusal;
use crate::refusal::scim::ScimRefusal;
use crate::scim::ScimResourceType;
use crate::scim::attribute::{ScimAttribute, ScimAttributeType};
use crate::scim::attribute_path::ScimAttributePath;
use crate::scim::date_time;

/// What the names in a filter refer to.
#[derive(Clone, Copy)]
enum FilterNameContext {
    Resource(ScimResourceType, FilterAttributeScope),
    SubAttributes(&'static ScimAttribute),
}

struct ScimFilterParser<'a> {
    remaining: &'a str,
    condition_count: usize,
}

pub(super) fn parse_resource_filter(
    kind: ScimResourceType,
    spoken: FilterAttributeScope,
    text: &str,
) -> Result<ScimFilter, Refusal> {
    parse_filter(FilterNameContext::Resource(kind, spoken), text)
}

pub(super) fn parse_element_filter(
    attribute: &'static ScimAttribute,
    text: &str,
) -> Result<ScimFilter, Refusal> {
    parse_filter(FilterNameContext::SubAttributes(attribute), text)
}

fn parse_filter(names: FilterNameContext, text: &str) -> Result<ScimFilter, Refusal> {
    if text.len() > SCIM_FILTER_BYTES_MAX {
        return Err(invalid_filter("The filter is too long. Shorten it."));
    }
    let mut reader = ScimFilterParser { remaining: text, condition_count: 0 };
    let filter = reader.parse_or(names, 0)?;
    if reader.skip_spaces().is_empty() {
        Ok(filter)
    } else {
        Err(invalid_filter("The filter continues after its end. Combine conditions with and or or."))
    }
}

impl<'a> ScimFilterParser<'a> {
    fn parse_or(&mut self, names: FilterNameContext, depth: usize) -> Result<ScimFilter, Refusal> {
        if depth > SCIM_FILTER_DEPTH_MAX {
            return Err(invalid_filter("The filter is nested too deeply. Use fewer parentheses."));
        }
        let mut parts = vec![self.parse_and(names, depth)?];
        while self.consume_word("or") {
            parts.push(self.parse_and(names, depth)?);
        }
        Ok(combine_filters(parts, ScimFilter::Or))
    }

    fn parse_and(&mut self, names: FilterNameContext, depth: usize) -> Result<ScimFilter, Refusal> {
        let mut parts = vec![self.parse_term(names, depth)?];
        while self.consume_word("and") {
            parts.push(self.parse_term(names, depth)?);
        }
        Ok(combine_filters(parts, ScimFilter::And))
    }

    fn parse_term(&mut self, names: FilterNameContext, depth: usize) -> Result<ScimFilter, Refusal> {
        if self.consume_word("not") {
            if !self.consume_symbol("(") {
                return Err(invalid_filter(
                    "The operator not has no expression. Put one in parentheses behind it.",
                ));
            }
            return Ok(ScimFilter::Not(Box::new(self.parse_enclosed(names, depth, ")")?)));
        }
        if self.consume_symbol("(") {
            return self.parse_enclosed(names, depth, ")");
        }
        self.condition_count += 1;
        if self.condition_count > SCIM_FILTER_CONDITIONS_MAX {
            return Err(invalid_filter("The filter has too many conditions. Send several requests."));
        }
        let name = self.read_word();
        match names {
            FilterNameContext::SubAttributes(attribute) => {
                let part = attribute.find_sub_attribute(name).ok_or_else(unknown_attribute)?;
                self.parse_condition(ScimFilterAttribute::SubAttribute(part), part)
            }
            FilterNameContext::Resource(kind, spoken) => {
                match (ScimAttributePath::parse(kind, name), spoken) {
                    (Some(path), _) => self.parse_path_condition(path, depth),
                    (None, FilterAttributeScope::SearchedType) => Err(unknown_attribute()),
                    (None, FilterAttributeScope::AllTypes) => {
                        let others = ScimResourceType::ALL
                            .iter()
                            .find_map(|kind| ScimAttributePath::parse(*kind, name));
                        let path = others.ok_or_else(unknown_attribute)?;
                        match self.parse_path_condition(path, depth)? {
                            // A value filter on an attribute that the type lacks matches nothing.
                            ScimFilter::ValuePath(..) => Ok(ScimFilter::Or(Vec::new())),
                            ScimFilter::AttributeExpression(test) => {
                                Ok(ScimFilter::AttributeExpression(ScimAttributeExpression {
                                    subject: ScimFilterAttribute::UndefinedAttribute(path),
                                    ..test
                                }))
                            }
                            other => Ok(other),
                        }
                    }
                }
            }
        }
    }

    /// Parses what follows an attribute path: a condition on its values, or a value filter.
    fn parse_path_condition(&mut self, path: ScimAttributePath, depth: usize) -> Result<ScimFilter, Refusal> {
        if self.remaining.starts_with('[') {
            self.remaining = &self.remaining[1..];
            if path.sub_attribute.is_some() || path.attribute.sub_attributes.is_empty() {
                return Err(invalid_filter(
                    "The attribute before the brackets is not complex. Compare it without brackets.",
                ));
            }
            let inner = self.parse_enclosed(FilterNameContext::SubAttributes(path.attribute), depth, "]")?;
            // Directories write `emails[type eq "work"].value eq "x"` for an element that matches both.
            let inner = match self.remaining.strip_prefix('.') {
                None => inner,
                Some(rest) => {
                    self.remaining = rest;
                    let part =
                        path.attribute.find_sub_attribute(self.read_word()).ok_or_else(unknown_attribute)?;
                    ScimFilter::And(vec![
                        inner,
                        self.parse_condition(ScimFilterAttribute::SubAttribute(part), part)?,
                    ])
                }
            };
            return Ok(ScimFilter::ValuePath(path, Box::new(inner)));
        }
        // For a multi-valued complex attribute, `value` is the default sub-attribute.
        let attribute_path = match (path.sub_attribute, path.attribute.find_sub_attribute("value")) {
            (None, Some(value)) if path.attribute.is_multi_valued => {
                ScimAttributePath { sub_attribute: Some(value), ..path }
            }
            _ => path,
        };
        self.parse_condition(
            ScimFilterAttribute::ResourceAttribute(attribute_path),
            attribute_path.target_attribute(),
        )
        .map(|filter| match filter {
            ScimFilter::AttributeExpression(ScimAttributeExpression {
                check: ScimFilterCondition::Present,
                ..
            }) => ScimFilter::AttributeExpression(ScimAttributeExpression {
                subject: ScimFilterAttribute::ResourceAttribute(path),
                check: ScimFilterCondition::Present,
            }),
            other => other,
        })
    }

    fn parse_enclosed(
        &mut self,
        names: FilterNameContext,
        depth: usize,
        end: &str,
    ) -> Result<ScimFilter, Refusal> {
        let inner = self.parse_or(names, depth + 1)?;
        if self.consume_symbol(end) {
            Ok(inner)
        } else {
            Err(invalid_filter("A parenthesis or bracket of the filter is not closed. Close it."))
        }
    }

    fn parse_condition(
        &mut self,
        subject: ScimFilterAttribute,
        attribute: &ScimAttribute,
    ) -> Result<ScimFilter, Refusal> {
        self.skip_spaces();
        let word = self.read_word();
        if word.eq_ignore_ascii_case("pr") {
            return Ok(ScimFilter::AttributeExpression(ScimAttributeExpression {
                subject,
                check: ScimFilterCondition::Present,
            }));
        }
        let entry = ScimFilterOperator::NAMES.iter().find(|(keyword, _)| keyword.eq_ignore_ascii_case(word));
        let (_, operator) = entry.ok_or_else(|| {
            invalid_filter(
                "The filter has an unknown comparison operator. Use eq, \
            ne, co, sw, ew, pr, gt, ge, lt or le.",
            )
        })?;
        let operand = self.parse_operand()?;
        let operand = convert_operand(attribute, *operator, operand).ok_or_else(|| {
            invalid_filter(
                "The filter compares an attribute with a value of another type. Send a \
                                  string, number or boolean as its schema says.",
            )
        })?;
        Ok(ScimFilter::AttributeExpression(ScimAttributeExpression {
            subject,
            check: ScimFilterCondition::Comparison(*operator, operand),
        }))
    }

    fn parse_operand(&mut self) -> Result<ScimFilterValue, Refusal> {
        let malformed = || {
            invalid_filter(
                "The filter compares with something that is not a JSON value. Put texts in double quotation \
                 marks.",
            )
        };
        if !self.skip_spaces().starts_with('"') {
            return match self.read_word() {
                "true" => Ok(ScimFilterValue::Boolean(true)),
                "false" => Ok(ScimFilterValue::Boolean(false)),
                "null" => Ok(ScimFilterValue::Null),
                _ => Err(malformed()),
            };
        }
        let mut is_escaped = true;
        let end = self.remaining.bytes().position(|byte| {
            let ends = byte == b'"' && !is_escaped;
            is_escaped = !is_escaped && byte == b'\\';
            ends
        });
        // The opening quote is treated as escaped, so that it does not end the string.
        let (text, rest) = self.remaining.split_at(end.ok_or_else(malformed)? + 1);
        self.remaining = rest;
        serde_json::from_str(text).map(ScimFilterValue::Text).map_err(|_| malformed())
    }

    /// Reads the next word: a name, operator or unquoted value.
    fn read_word(&mut self) -> &'a str {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '.' | '_' | '-' | '$');
        let end = self.skip_spaces().find(|c: char| !is_part(c)).unwrap_or(self.remaining.len());
        let (word, rest) = self.remaining.split_at(end);
        self.remaining = rest;
        word
    }

    /// Consumes this word if it comes next.
    fn consume_word(&mut self, word: &str) -> bool {
        let before = self.skip_spaces();
        if self.read_word().eq_ignore_ascii_case(word) {
            return true;
        }
        self.remaining = before;
        false
    }

    /// Consumes this symbol if it comes next.
    fn consume_symbol(&mut self, mark: &str) -> bool {
        match self.skip_spaces().strip_prefix(mark) {
            Some(rest) => {
                self.remaining = rest;
                true
            }
            None => false,
        }
    }

    /// The remaining text without leading spaces.
    fn skip_spaces(&mut self) -> &'a str {
        self.remaining = self.remaining.trim_start_matches(' ');
        self.remaining
    }
}

/// Converts the comparison value to the attribute's type, if the two are comparable with this operator.
fn convert_operand(
    attribute: &ScimAttribute,
    operator: ScimFilterOperator,
    operand: ScimFilterValue,
) -> Option<ScimFilterValue> {
    let is_equality = matches!(operator, ScimFilterOperator::Equal | ScimFilterOperator::NotEqual);
    let is_order = matches!(
        operator,
        ScimFilterOperator::Greater
            | ScimFilterOperator::GreaterOrEqual
            | ScimFilterOperator::Less
            | ScimFilterOperator::LessOrEqual
    );
    match (attribute.kind, operand) {
        (_, ScimFilterValue::Null) => is_equality.then_some(ScimFilterValue::Null),
        (ScimAttributeType::Boolean, ScimFilterValue::Boolean(boolean)) => {
            is_equality.then_some(ScimFilterValue::Boolean(boolean))
        }
        // Entra ID sends booleans as strings.
        (ScimAttributeType::Boolean, ScimFilterValue::Text(text)) => {
            let boolean = text.to_ascii_lowercase().parse().ok()?;
            is_equality.then_some(ScimFilterValue::Boolean(boolean))
        }
        (ScimAttributeType::DateTime, ScimFilterValue::Text(text)) => {
            let moment = date_time::parse_date_time(&text)?;
            (is_equality || is_order).then_some(ScimFilterValue::DateTime(moment))
        }
        (
            ScimAttributeType::Text
            | ScimAttributeType::MultilineText
            | ScimAttributeType::Email
            | ScimAttributeType::Url
            | ScimAttributeType::Reference,
            ScimFilterValue::Text(text),
        ) => Some(ScimFilterValue::Text(text)),
        (ScimAttributeType::Complex | ScimAttributeType::Boolean | ScimAttributeType::DateTime, _)
        | (
            ScimAttributeType::Text
            | ScimAttributeType::MultilineText
            | ScimAttributeType::Email
            | ScimAttributeType::Url
            | ScimAttributeType::Reference,
            _,
        ) => None,
    }
}

fn combine_filters(mut parts: Vec<ScimFilter>, many: fn(Vec<ScimFilter>) -> ScimFilter) -> ScimFilter {
    match (parts.pop(), parts.is_empty()) {
        (Some(only), true) => only,
        (Some(last), false) => {
            parts.push(last);
            many(parts)
        }
        (None, _) => many(parts),
    }
}

fn unknown_attribute() -> Refusal {
    invalid_filter("The filter names an unknown attribute. GET /scim/v2/Schemas lists the attributes.")
}

fn invalid_filter(text: &'static str) -> Refusal {
    Refusal::because(ScimRefusal::FilterInvalid(text), "")
}
