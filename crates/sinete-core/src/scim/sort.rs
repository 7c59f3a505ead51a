//! Sorting (RFC 7644 §3.4.2.3).

use super::attribute::ScimAttributeType;
use super::attribute_path::ScimAttributePath;
use serde_json::{Map, Value};
use std::cmp::Ordering;

/// A sort order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScimSortOrder {
    /// The attribute to sort by.
    pub attribute: ScimAttributePath,
    /// Whether the order is descending.
    pub is_descending: bool,
}

impl ScimSortOrder {
    /// Sorts the resources; the sort is stable. Resources without a value come last, or first if descending.
    pub fn sort_resources<T>(&self, resources: &mut [T], resource: impl Fn(&T) -> &Map<String, Value>) {
        resources.sort_by(|one, other| {
            let ordering = compare_keys(&self.sort_key(resource(one)), &self.sort_key(resource(other)));
            if self.is_descending { ordering.reverse() } else { ordering }
        });
    }

    /// The sort key: of several values the primary one, or else the first.
    fn sort_key(&self, resource: &Map<String, Value>) -> Option<String> {
        let values = ScimAttributePath { sub_attribute: None, ..self.attribute }.values(resource);
        let is_primary = |value: &&&Value| value.get("primary") == Some(&Value::Bool(true));
        let selected_value = values.iter().find(is_primary).or(values.first())?;
        let part =
            self.attribute.sub_attribute.or_else(|| self.attribute.attribute.find_sub_attribute("value"));
        let value = part.map_or(Some(*selected_value), |part| selected_value.get(part.name))?;
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Bool(boolean) => boolean.to_string(),
            Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => return None,
        };
        let decides = part.unwrap_or(self.attribute.attribute);
        let is_exact = decides.is_case_exact || decides.kind == ScimAttributeType::DateTime;
        Some(if is_exact { text } else { text.to_lowercase() })
    }
}

fn compare_keys(one: &Option<String>, other: &Option<String>) -> Ordering {
    match (one, other) {
        (Some(one), Some(other)) => one.cmp(other),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scim::ScimResourceType;
    use serde_json::json;

    fn sorted(by: &str, is_descending: bool) -> Vec<String> {
        let mut resources: Vec<Map<String, Value>> = [
            json!({"id": "1", "userName": "bob", "emails": [{"value": "z@x.org"}, {"value": "a@x.org", "primary": true}]}),
            json!({"id": "2", "userName": "Ana", "emails": [{"value": "b@x.org"}]}),
            json!({"id": "3", "userName": "ana"}),
        ]
        .into_iter()
        .map(|value| value.as_object().unwrap().clone())
        .collect();
        let by = ScimAttributePath::parse(ScimResourceType::User, by).unwrap();
        ScimSortOrder { attribute: by, is_descending }.sort_resources(&mut resources, |resource| resource);
        resources.iter().map(|resource| resource["id"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn scim_sort_is_case_insensitive() {
        assert_eq!(sorted("userName", false), ["2", "3", "1"]);
        assert_eq!(sorted("userName", true), ["1", "2", "3"]);
    }

    #[test]
    fn scim_sort_uses_the_primary_value_and_puts_missing_values_last() {
        assert_eq!(sorted("emails", false), ["1", "2", "3"]);
        assert_eq!(sorted("emails.value", true), ["3", "2", "1"]);
    }
}
