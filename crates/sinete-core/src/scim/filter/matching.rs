//! Matching of filters against resources.

use super::{
    ScimAttributeExpression, ScimFilter, ScimFilterAttribute, ScimFilterCondition, ScimFilterOperator,
    ScimFilterValue,
};
use crate::scim::attribute::ScimAttribute;
use crate::scim::date_time;
use serde_json::{Map, Value};
use std::cmp::Ordering;

pub(super) fn matches_resource(filter: &ScimFilter, resource: &Map<String, Value>) -> bool {
    match filter {
        ScimFilter::And(parts) => parts.iter().all(|part| matches_resource(part, resource)),
        ScimFilter::Or(parts) => parts.iter().any(|part| matches_resource(part, resource)),
        ScimFilter::Not(inner) => !matches_resource(inner, resource),
        ScimFilter::ValuePath(path, inner) => {
            path.values(resource).into_iter().any(|value| matches_element(inner, value))
        }
        ScimFilter::AttributeExpression(ScimAttributeExpression { subject, check }) => match subject {
            ScimFilterAttribute::ResourceAttribute(path) => {
                matches_values(path.target_attribute(), &path.values(resource), check)
            }
            ScimFilterAttribute::UndefinedAttribute(path) => {
                matches_values(path.target_attribute(), &[], check)
            }
            // Outside a value filter there is no element.
            ScimFilterAttribute::SubAttribute(part) => matches_values(part, &[], check),
        },
    }
}

pub(super) fn matches_element(filter: &ScimFilter, value: &Value) -> bool {
    match filter {
        ScimFilter::And(parts) => parts.iter().all(|part| matches_element(part, value)),
        ScimFilter::Or(parts) => parts.iter().any(|part| matches_element(part, value)),
        ScimFilter::Not(inner) => !matches_element(inner, value),
        ScimFilter::AttributeExpression(ScimAttributeExpression {
            subject: ScimFilterAttribute::SubAttribute(part),
            check,
        }) => {
            let values: Vec<&Value> = value.get(part.name).into_iter().collect();
            matches_values(part, &values, check)
        }
        ScimFilter::ValuePath(..) | ScimFilter::AttributeExpression(_) => false,
    }
}

/// Whether one of the values matches; for `ne`, whether none is equal.
fn matches_values(attribute: &ScimAttribute, values: &[&Value], check: &ScimFilterCondition) -> bool {
    match check {
        ScimFilterCondition::Present => values.iter().any(|value| is_present_value(value)),
        ScimFilterCondition::Comparison(ScimFilterOperator::NotEqual, operand) => !matches_values(
            attribute,
            values,
            &ScimFilterCondition::Comparison(ScimFilterOperator::Equal, operand.clone()),
        ),
        ScimFilterCondition::Comparison(_, ScimFilterValue::Null) => {
            !values.iter().any(|value| is_present_value(value))
        }
        ScimFilterCondition::Comparison(operator, operand) => {
            values.iter().any(|value| matches_operand(attribute, value, *operator, operand))
        }
    }
}

fn is_present_value(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(elements) => !elements.is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::Bool(_) | Value::Number(_) => true,
    }
}

fn matches_operand(
    attribute: &ScimAttribute,
    value: &Value,
    operator: ScimFilterOperator,
    operand: &ScimFilterValue,
) -> bool {
    match (value, operand) {
        (Value::Bool(is), ScimFilterValue::Boolean(boolean)) => is == boolean,
        (Value::String(text), ScimFilterValue::DateTime(expected)) => {
            date_time::parse_date_time(text).is_some_and(|moment| is_ordered(moment.cmp(expected), operator))
        }
        (Value::String(text), ScimFilterValue::Text(expected)) => {
            if attribute.is_case_exact {
                matches_text(text, expected, operator)
            } else {
                matches_text(&text.to_lowercase(), &expected.to_lowercase(), operator)
            }
        }
        _ => false,
    }
}

fn matches_text(text: &str, expected: &str, operator: ScimFilterOperator) -> bool {
    match operator {
        ScimFilterOperator::Contains => text.contains(expected),
        ScimFilterOperator::StartsWith => text.starts_with(expected),
        ScimFilterOperator::EndsWith => text.ends_with(expected),
        ScimFilterOperator::Equal
        | ScimFilterOperator::NotEqual
        | ScimFilterOperator::Greater
        | ScimFilterOperator::GreaterOrEqual
        | ScimFilterOperator::Less
        | ScimFilterOperator::LessOrEqual => is_ordered(text.cmp(expected), operator),
    }
}

const fn is_ordered(ordering: Ordering, operator: ScimFilterOperator) -> bool {
    match operator {
        ScimFilterOperator::Equal => ordering.is_eq(),
        ScimFilterOperator::NotEqual => ordering.is_ne(),
        ScimFilterOperator::Greater => ordering.is_gt(),
        ScimFilterOperator::GreaterOrEqual => ordering.is_ge(),
        ScimFilterOperator::Less => ordering.is_lt(),
        ScimFilterOperator::LessOrEqual => ordering.is_le(),
        ScimFilterOperator::Contains | ScimFilterOperator::StartsWith | ScimFilterOperator::EndsWith => false,
    }
}
