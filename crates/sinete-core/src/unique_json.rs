//! JSON without duplicate members, at every depth.
//!
//! Parsers that disagree about which of two members counts can read two different tokens from one text.
//! Therefore a text with a duplicate member is rejected.

use crate::limits::JSON_DEPTH_MAX;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Parses one value with nothing after it. Rejects duplicate members and nesting deeper than
/// [`JSON_DEPTH_MAX`].
pub fn parse_value(bytes: &[u8]) -> Option<Value> {
    let mut source = serde_json::Deserializer::from_slice(bytes);
    let value = UniqueMemberVisitor { depth_left: JSON_DEPTH_MAX }.deserialize(&mut source).ok()?;
    source.end().ok()?;
    Some(value)
}

/// Parses one object in the same way.
pub fn parse_object(bytes: &[u8]) -> Option<Map<String, Value>> {
    match parse_value(bytes)? {
        Value::Object(members) => Some(members),
        _ => None,
    }
}

#[derive(Clone, Copy)]
struct UniqueMemberVisitor {
    depth_left: usize,
}

impl UniqueMemberVisitor {
    fn descend<E: Error>(self) -> Result<Self, E> {
        let depth_left = self.depth_left.checked_sub(1).ok_or_else(|| E::custom("nested too deeply"))?;
        Ok(Self { depth_left })
    }
}

impl<'de> DeserializeSeed<'de> for UniqueMemberVisitor {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for UniqueMemberVisitor {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON without repeated members")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut source: A) -> Result<Value, A::Error> {
        let inside = self.descend()?;
        let mut members = Map::new();
        while let Some(name) = source.next_key::<String>()? {
            let value = source.next_value_seed(inside)?;
            if members.insert(name, value).is_some() {
                return Err(A::Error::custom("repeated member"));
            }
        }
        Ok(Value::Object(members))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut source: A) -> Result<Value, A::Error> {
        let inside = self.descend()?;
        let mut elements = Vec::new();
        while let Some(element) = source.next_element_seed(inside)? {
            elements.push(element);
        }
        Ok(Value::Array(elements))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("not a number"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn json_with_a_duplicate_member_is_refused_at_every_depth_and_escape() {
        for text in [
            r#"{"exp":1,"exp":2}"#,
            r#"{"a":{"b":1,"b":1}}"#,
            r#"{"a":[{"b":1,"b":1}]}"#,
            r#"{"exp":1,"\u0065xp":2}"#,
        ] {
            assert_eq!(parse_object(text.as_bytes()), None, "{text}");
        }
        assert!(parse_object(br#"{"a":{"b":1},"b":[{"b":1},{"b":1}]}"#).is_some());
    }

    #[test]
    fn json_that_is_not_one_object_is_refused() {
        for text in
            ["", "[]", "1", "\"x\"", "null", "{} {}", "{}x", "{\"a\":NaN}", "{\"a\":1e999}", "\u{feff}{}"]
        {
            assert_eq!(parse_object(text.as_bytes()), None, "{text}");
        }
        assert_eq!(parse_object(b"{\"a\":\"\xff\"}"), None);
        assert_eq!(parse_object(br#"{"a":"\ud800"}"#), None);
    }

    #[test]
    fn json_nesting_is_limited() {
        let nested = |depth: usize| format!("{{\"a\":{}1{}}}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse_object(nested(JSON_DEPTH_MAX - 1).as_bytes()).is_some());
        assert_eq!(parse_object(nested(JSON_DEPTH_MAX).as_bytes()), None);
        assert_eq!(parse_object(nested(5_000).as_bytes()), None);
    }

    proptest! {
        #[test]
        fn json_parser_accepts_the_same_as_serde_json(text in r#"\{("[a-c]":([0-9]|"x"|\[1,2\]|true|null),?){0,4}\}"#) {
            if let Some(members) = parse_object(text.as_bytes()) {
                prop_assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), Value::Object(members));
            }
        }
    }
}
