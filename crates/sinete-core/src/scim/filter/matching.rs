//! Holding a filter against what there is.

use super::{Check, Filter, Operand, Operator, Subject, Test};
use crate::scim::attribute::Attribute;
use crate::scim::moment;
use serde_json::{Map, Value};
use std::cmp::Ordering;

pub(super) fn resource(filter: &Filter, thing: &Map<String, Value>) -> bool {
    match filter {
        Filter::Every(parts) => parts.iter().all(|part| resource(part, thing)),
        Filter::Any(parts) => parts.iter().any(|part| resource(part, thing)),
        Filter::Not(inner) => !resource(inner, thing),
        Filter::Element(place, inner) => place.values(thing).into_iter().any(|value| element(inner, value)),
        Filter::Test(Test { subject, check }) => match subject {
            Subject::At(place) => holds(place.meant(), &place.values(thing), check),
            Subject::Nowhere(place) => holds(place.meant(), &[], check),
            // A part of no element is nothing.
            Subject::Part(part) => holds(part, &[], check),
        },
    }
}

pub(super) fn element(filter: &Filter, value: &Value) -> bool {
    match filter {
        Filter::Every(parts) => parts.iter().all(|part| element(part, value)),
        Filter::Any(parts) => parts.iter().any(|part| element(part, value)),
        Filter::Not(inner) => !element(inner, value),
        Filter::Test(Test { subject: Subject::Part(part), check }) => {
            let found: Vec<&Value> = value.get(part.name).into_iter().collect();
            holds(part, &found, check)
        }
        Filter::Element(..) | Filter::Test(_) => false,
    }
}

/// Whether one of the values passes; that it is not the same, only if none of them is.
fn holds(attribute: &Attribute, values: &[&Value], check: &Check) -> bool {
    match check {
        Check::Present => values.iter().any(|value| is_something(value)),
        Check::Compared(Operator::NotEqual, operand) => {
            !holds(attribute, values, &Check::Compared(Operator::Equal, operand.clone()))
        }
        Check::Compared(_, Operand::Nothing) => !values.iter().any(|value| is_something(value)),
        Check::Compared(operator, operand) => {
            values.iter().any(|value| compares(attribute, value, *operator, operand))
        }
    }
}

fn is_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(elements) => !elements.is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::Bool(_) | Value::Number(_) => true,
    }
}

fn compares(attribute: &Attribute, value: &Value, operator: Operator, operand: &Operand) -> bool {
    match (value, operand) {
        (Value::Bool(is), Operand::Truth(truth)) => is == truth,
        (Value::String(text), Operand::Moment(asked)) => {
            moment::read(text).is_some_and(|moment| is_ordered(moment.cmp(asked), operator))
        }
        (Value::String(text), Operand::Text(asked)) => {
            if attribute.is_case_exact {
                texts(text, asked, operator)
            } else {
                texts(&text.to_lowercase(), &asked.to_lowercase(), operator)
            }
        }
        _ => false,
    }
}

fn texts(text: &str, asked: &str, operator: Operator) -> bool {
    match operator {
        Operator::Contains => text.contains(asked),
        Operator::StartsWith => text.starts_with(asked),
        Operator::EndsWith => text.ends_with(asked),
        Operator::Equal
        | Operator::NotEqual
        | Operator::Greater
        | Operator::GreaterOrEqual
        | Operator::Less
        | Operator::LessOrEqual => is_ordered(text.cmp(asked), operator),
    }
}

const fn is_ordered(ordering: Ordering, operator: Operator) -> bool {
    match operator {
        Operator::Equal => ordering.is_eq(),
        Operator::NotEqual => ordering.is_ne(),
        Operator::Greater => ordering.is_gt(),
        Operator::GreaterOrEqual => ordering.is_ge(),
        Operator::Less => ordering.is_lt(),
        Operator::LessOrEqual => ordering.is_le(),
        Operator::Contains | Operator::StartsWith | Operator::EndsWith => false,
    }
}
