//! Rich authorization requests (RFC 9396). Like all authority, granted details can be narrowed but never
//! widened.

use crate::json_schema;
use crate::limits::{AUTHORIZATION_DETAILS_BYTES_MAX, AUTHORIZATION_DETAILS_MAX};
use crate::unique_json;
use crate::validation::is_misleading_character;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

/// A list of authorization details, each an object with a `type`.
///
/// A later request can only name whole objects that were granted: only the API knows what is "less" than a
/// payment of five euros.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AuthorizationDetails(Vec<Map<String, Value>>);

/// The text is not a valid list of authorization details.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "details are a list of 1 to {AUTHORIZATION_DETAILS_MAX} JSON objects with a type, of at most {AUTHORIZATION_DETAILS_BYTES_MAX} bytes"
)]
pub struct InvalidAuthorizationDetails;

/// Why authorization details are rejected. A list is always rejected as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuthorizationDetailsRejection {
    /// The API does not know the type, or the client did not register it.
    #[error("The parameter authorization_details contains an unknown type.")]
    UnknownType,
    /// An object does not match the API's schema for its type.
    #[error("The parameter authorization_details contains something that its type does not allow.")]
    SchemaMismatch,
    /// An object was not granted.
    #[error("The parameter authorization_details contains more than was granted.")]
    NotGranted,
}

impl AuthorizationDetails {
    /// Checks that the API defines each type and that each object matches its schema. If the client
    /// registered `authorization_details_types`, only those are allowed.
    pub fn validate_types(
        &self,
        schemas: &BTreeMap<String, Value>,
        registered: &BTreeSet<String>,
    ) -> Result<(), AuthorizationDetailsRejection> {
        for detail in &self.0 {
            let kind = detail_type(detail);
            let schema = schemas.get(kind).ok_or(AuthorizationDetailsRejection::UnknownType)?;
            if !registered.is_empty() && !registered.contains(kind) {
                return Err(AuthorizationDetailsRejection::UnknownType);
            }
            // `type` selects the schema, so a schema need not declare it.
            let (full_detail, mut rest) = (Value::Object(detail.clone()), detail.clone());
            rest.remove("type");
            let fits = |value: &Value| json_schema::validate_value(schema, value, &|_| None).is_empty();
            if !fits(&full_detail)
                && (json_schema::defines_property(schema, "type") || !fits(&Value::Object(rest)))
            {
                return Err(AuthorizationDetailsRejection::SchemaMismatch);
            }
        }
        Ok(())
    }

    /// Narrows the details to those requested, if all of them were granted. `None` requests all of them.
    pub fn narrow(&self, requested: Option<&Self>) -> Result<Self, AuthorizationDetailsRejection> {
        let Some(details) = requested else { return Ok(self.clone()) };
        let mut remaining = self.0.clone();
        for detail in &details.0 {
            let index = remaining.iter().position(|granted| granted == detail);
            remaining.swap_remove(index.ok_or(AuthorizationDetailsRejection::NotGranted)?);
        }
        Ok(details.clone())
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the details with their types.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Map<String, Value>)> {
        self.0.iter().map(|detail| (detail_type(detail), detail))
    }

    /// Reads the details from one of our own tokens.
    pub fn from_token(objects: &[Map<String, Value>]) -> Self {
        Self(objects.to_vec())
    }

    /// Converts the details to the form a token carries.
    pub fn into_objects(self) -> Vec<Map<String, Value>> {
        self.0
    }
}

fn detail_type(detail: &Map<String, Value>) -> &str {
    detail.get("type").and_then(Value::as_str).unwrap_or_default()
}

impl FromStr for AuthorizationDetails {
    type Err = InvalidAuthorizationDetails;

    fn from_str(text: &str) -> Result<Self, InvalidAuthorizationDetails> {
        if text.len() > AUTHORIZATION_DETAILS_BYTES_MAX {
            return Err(InvalidAuthorizationDetails);
        }
        // Parsers disagree about duplicate members (RFC 8259 §4).
        let document = unique_json::parse_value(text.as_bytes()).ok_or(InvalidAuthorizationDetails)?;
        let details =
            Vec::<Map<String, Value>>::deserialize(document).map_err(|_| InvalidAuthorizationDetails)?;
        let has_type = |detail: &Map<String, Value>| detail.get("type").is_some_and(Value::is_string);
        if details.is_empty() || details.len() > AUTHORIZATION_DETAILS_MAX || !details.iter().all(has_type) {
            return Err(InvalidAuthorizationDetails);
        }
        // Details are shown on the consent page, so users must be able to read them.
        if details
            .iter()
            .flatten()
            .any(|(name, value)| is_misleading(name) || contains_misleading_text(value))
        {
            return Err(InvalidAuthorizationDetails);
        }
        Ok(Self(details))
    }
}

/// Whether the text contains characters that make it look like another text. Line breaks are allowed.
fn is_misleading(text: &str) -> bool {
    text.chars().any(|character| character != '\n' && is_misleading_character(character))
}

fn contains_misleading_text(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
        Value::String(text) => is_misleading(text),
        Value::Array(values) => values.iter().any(contains_misleading_text),
        Value::Object(members) => {
            members.iter().any(|(name, value)| is_misleading(name) || contains_misleading_text(value))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn details(value: &Value) -> AuthorizationDetails {
        value.to_string().parse().unwrap()
    }

    fn types() -> BTreeMap<String, Value> {
        let payment = json!({
            "type": "object", "additionalProperties": false, "required": ["amount"],
            "properties": {"amount": {"type": "integer", "minimum": 1}, "to": {"type": "string"}},
        });
        [("payment".to_owned(), payment)].into()
    }

    #[test]
    fn authorization_details_are_a_bounded_list_of_typed_objects() {
        let many = Value::Array(vec![json!({"type": "payment"}); AUTHORIZATION_DETAILS_MAX + 1]);
        for value in [json!({}), json!([]), json!([1]), json!([{}]), json!([{"type": 1}]), many] {
            assert_eq!(
                value.to_string().parse::<AuthorizationDetails>(),
                Err(InvalidAuthorizationDetails),
                "{value}"
            );
        }
        for twice in [
            r#"[{"type":"payment","amount":1,"amount":1000}]"#,
            r#"[{"type":"payment","type":"statement"}]"#,
            r#"[{"type":"payment","to":{"iban":"a","ib\u0061n":"b"}}]"#,
        ] {
            assert_eq!(twice.parse::<AuthorizationDetails>(), Err(InvalidAuthorizationDetails), "{twice}");
        }
        assert!(
            r#"[{"type":"payment","amount":1},{"type":"payment","amount":2}]"#.parse::<AuthorizationDetails>().is_ok()
        );
        for text in ["\u{202e}", "a\u{200b}", "\u{061c}", "\u{7}"] {
            for value in [
                json!([{"type": "payment", "to": text}]),
                json!([{"type": "payment", text: 1}]),
                json!([{"type": "payment", "parts": [{"to": [text]}]}]),
            ] {
                assert_eq!(
                    value.to_string().parse::<AuthorizationDetails>(),
                    Err(InvalidAuthorizationDetails),
                    "{value}"
                );
            }
        }
        details(&json!([{"type": "payment", "to": "Ana\nRua Nova 1"}]));
        assert_eq!(details(&json!([{"type": "payment"}])).iter().next().unwrap().0, "payment");
    }

    #[test]
    fn authorization_details_are_validated_against_the_schema_of_their_type() {
        let judged = |value: Value, registered: &[&str]| {
            let registered = registered.iter().map(|kind| (*kind).to_owned()).collect();
            details(&value).validate_types(&types(), &registered)
        };
        assert_eq!(judged(json!([{"type": "payment", "amount": 5, "to": "x"}]), &[]), Ok(()));
        assert_eq!(judged(json!([{"type": "payment", "amount": 5}]), &["payment"]), Ok(()));
        let other = Err(AuthorizationDetailsRejection::UnknownType);
        assert_eq!(judged(json!([{"type": "payment", "amount": 5}]), &["statement"]), other);
        assert_eq!(judged(json!([{"type": "statement"}]), &[]), other);
        for unfit in [json!({}), json!({"amount": 0}), json!({"amount": 1, "more": 1})] {
            let mut unfit = unfit;
            unfit["type"] = json!("payment");
            assert_eq!(judged(json!([unfit]), &[]), Err(AuthorizationDetailsRejection::SchemaMismatch));
        }
    }

    #[test]
    fn authorization_details_schema_that_constrains_type_is_enforced() {
        let schema = json!({"type": "object", "required": ["type"], "properties": {"type": {"const": "a"}}});
        let types = [("a".to_owned(), schema.clone()), ("b".to_owned(), schema)].into();
        let none = BTreeSet::new();
        assert_eq!(details(&json!([{"type": "a"}])).validate_types(&types, &none), Ok(()));
        assert_eq!(
            details(&json!([{"type": "b"}])).validate_types(&types, &none),
            Err(AuthorizationDetailsRejection::SchemaMismatch)
        );
    }

    proptest! {
        #[test]
        fn authorization_details_narrowing_never_exceeds_the_grant(
            granted in prop::collection::vec(0_u8..4, 1..5), asked in prop::collection::vec(0_u8..4, 1..5),
        ) {
            let of = |amounts: &[u8]| {
                let objects: Vec<_> = amounts.iter().map(|it| json!({"type": "payment", "amount": it})).collect();
                details(&Value::Array(objects))
            };
            let count = |amounts: &[u8], amount: u8| amounts.iter().filter(|it| **it == amount).count();
            let within = (0..4).all(|amount| count(&asked, amount) <= count(&granted, amount));
            let narrowed = of(&granted).narrow(Some(&of(&asked)));
            prop_assert_eq!(narrowed.is_ok(), within);
            if let Ok(narrowed) = narrowed {
                prop_assert_eq!(narrowed, of(&asked));
            }
            prop_assert_eq!(of(&granted).narrow(None), Ok(of(&granted)));
        }
    }
}
