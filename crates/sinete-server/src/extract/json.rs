//! JSON bodies, with limited depth and without duplicate members, on which parsers disagree.

use serde::de::{DeserializeOwned, DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize as _, Deserializer};
use serde_json::{Map, Value};
use sinete_core::limits::JSON_DEPTH_MAX;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::validation::ValidationErrors;
use std::cell::{Cell, RefCell};
use std::fmt;

/// Why a body is rejected. The messages do not repeat the input, which may be secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonBodyError {
    /// It is not JSON.
    #[error("the body is not JSON")]
    NotJson,
    /// The nesting is too deep.
    #[error("the body is nested too deeply")]
    TooDeep,
    /// A member is duplicated.
    #[error("the member is repeated; send it once")]
    Repeated,
    /// It does not match the expected type.
    #[error("the body must be a JSON object")]
    WrongShape,
}

/// Why a body is rejected, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonBodyFault {
    /// Why.
    pub error: JsonBodyError,
    /// A JSON pointer to the place (RFC 6901); empty for the whole body.
    pointer: String,
    /// What is wrong there.
    text: String,
}

/// Maximum bytes of a member's name that a pointer repeats.
const NAME_BYTES_MAX: usize = 64;

/// Parses a body into a type.
pub fn parse_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, JsonBodyFault> {
    let value = parse_json_value(body)?;
    T::deserialize(value).map_err(|_| JsonBodyError::WrongShape.into())
}

/// Parses a body into any value.
pub fn parse_json_value(body: &[u8]) -> Result<Value, JsonBodyFault> {
    let (cell, path) = (Cell::new(JsonBodyError::NotJson), RefCell::default());
    let mut reader = serde_json::Deserializer::from_slice(body);
    let level = DepthLimited { levels_left: JSON_DEPTH_MAX, error: &cell, path: &path };
    let fault = |error: serde_json::Error| match cell.get() {
        JsonBodyError::NotJson => JsonBodyFault {
            error: JsonBodyError::NotJson,
            pointer: String::new(),
            text: format!("the body is not JSON at line {}, column {}", error.line(), error.column()),
        },
        error => JsonBodyFault { pointer: format_pointer(&path.borrow()), ..error.into() },
    };
    let value = level.deserialize(&mut reader).map_err(fault)?;
    reader.end().map_err(fault)?;
    Ok(value)
}

fn format_pointer(path: &[String]) -> String {
    let to_segment = |name: &String| match name.len() {
        0..=NAME_BYTES_MAX => format!("/{}", name.replace('~', "~0").replace('/', "~1")),
        _ => "/…".to_owned(),
    };
    path.iter().map(to_segment).collect()
}

impl From<JsonBodyError> for JsonBodyFault {
    fn from(error: JsonBodyError) -> Self {
        Self { error, pointer: String::new(), text: error.to_string() }
    }
}

impl From<JsonBodyFault> for Refusal {
    fn from(bad: JsonBodyFault) -> Self {
        let reason = match bad.error {
            JsonBodyError::NotJson => RequestRefusal::BodyNotJson,
            JsonBodyError::TooDeep => RequestRefusal::BodyTooDeep,
            JsonBodyError::Repeated => RequestRefusal::BodyMemberRepeated,
            JsonBodyError::WrongShape => RequestRefusal::BodyShapeInvalid,
        };
        let mut errors = ValidationErrors::default();
        errors.add(bad.pointer, bad.text);
        Self::because(reason, bad.error.to_string()).with_validation_errors(errors)
    }
}

impl From<JsonBodyError> for Refusal {
    fn from(bad: JsonBodyError) -> Self {
        JsonBodyFault::from(bad).into()
    }
}

/// A value that may have `levels_left` more levels of nesting. The reason and the place of a rejection are
/// stored in `error` and `path`, because serde's errors only carry text.
#[derive(Clone, Copy)]
struct DepthLimited<'a> {
    levels_left: usize,
    error: &'a Cell<JsonBodyError>,
    path: &'a RefCell<Vec<String>>,
}

impl DepthLimited<'_> {
    fn nested<E: serde::de::Error>(self) -> Result<Self, E> {
        match self.levels_left.checked_sub(1) {
            Some(remaining) => Ok(Self { levels_left: remaining, ..self }),
            None => Err(self.record_error(JsonBodyError::TooDeep)),
        }
    }

    /// Reads something at a place. After an error, the path stays where it was found.
    fn read_at<T, E>(self, segment: String, read: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        self.path.borrow_mut().push(segment);
        let value = read()?;
        self.path.borrow_mut().pop();
        Ok(value)
    }

    fn record_error<E: serde::de::Error>(self, because: JsonBodyError) -> E {
        self.error.set(because);
        E::custom(because)
    }
}

impl<'de> DeserializeSeed<'de> for DepthLimited<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for DepthLimited<'_> {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        serde_json::Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom(JsonBodyError::NotJson))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let level = self.nested()?;
        let mut array = Vec::new();
        while let Some(element) =
            self.read_at(array.len().to_string(), || elements.next_element_seed(level))?
        {
            array.push(element);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let level = self.nested()?;
        let mut object = Map::new();
        while let Some(name) = members.next_key_seed(MemberName)? {
            let member = self.read_at(name.clone(), || match object.contains_key(&name) {
                true => Err(self.record_error(JsonBodyError::Repeated)),
                false => members.next_value_seed(level),
            })?;
            object.insert(name, member);
        }
        Ok(Value::Object(object))
    }
}

/// The name of a member.
struct MemberName;

impl<'de> DeserializeSeed<'de> for MemberName {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<String, D::Error> {
        String::deserialize(reader).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn parsed(body: &[u8]) -> Result<Value, JsonBodyError> {
        parse_json_value(body).map_err(|fault| fault.error)
    }

    #[test]
    fn json_body_fault_names_its_place() {
        for (body, pointer, text) in [
            (r#"{"a":[1,{"b/c":1,"b/c":2}]}"#, "/a/1/b~1c", "the member is repeated; send it once"),
            ("{\n  \"a\": 1,\n}", "", "the body is not JSON at line 3, column 1"),
            ("[1] [2]", "", "the body is not JSON at line 1, column 5"),
        ] {
            let refusal = Refusal::from(parse_json_value(body.as_bytes()).unwrap_err());
            let errors: Vec<_> = refusal.validation_errors().iter().collect();
            assert_eq!((errors.len(), errors[0].pointer.as_str(), &*errors[0].text), (1, pointer, text));
        }
    }

    fn nested(depth: usize) -> Vec<u8> {
        [b"[".repeat(depth), b"]".repeat(depth)].concat()
    }

    #[test]
    fn json_body_deserializes_into_the_expected_type() {
        #[derive(serde::Deserialize, Debug, PartialEq)]
        #[serde(deny_unknown_fields)]
        struct JsonNesting {
            kind: String,
        }
        assert_eq!(
            parse_json::<JsonNesting>(br#"{"kind":"sign_in"}"#),
            Ok(JsonNesting { kind: "sign_in".into() })
        );
        for body in [r#"{"kind":1}"#, r#"{}"#, r#"{"kind":"x","more":1}"#, "[]"] {
            assert_eq!(
                parse_json::<JsonNesting>(body.as_bytes()),
                Err(JsonBodyError::WrongShape.into()),
                "{body}"
            );
        }
    }

    #[test]
    fn json_body_depth_is_limited_to_thirty_two() {
        assert!(parsed(&nested(JSON_DEPTH_MAX)).is_ok());
        assert_eq!(parsed(&nested(JSON_DEPTH_MAX + 1)), Err(JsonBodyError::TooDeep));
        assert_eq!(parsed(&b"[".repeat(10_000)), Err(JsonBodyError::TooDeep));
        let objects = [br#"{"a":"#.repeat(10_000), b"1".to_vec(), b"}".repeat(10_000)].concat();
        assert_eq!(parsed(&objects), Err(JsonBodyError::TooDeep));
    }

    #[test]
    fn json_body_with_a_duplicate_member_is_refused_in_any_spelling_and_depth() {
        for body in [r#"{"a":1,"a":1}"#, r#"{"a":1,"\u0061":2}"#, r#"[{"b":{"a":1,"c":2,"a":3}}]"#] {
            assert_eq!(parsed(body.as_bytes()), Err(JsonBodyError::Repeated), "{body}");
        }
        assert!(parsed(br#"{"a":{"a":1},"A":2}"#).is_ok());
    }

    #[test]
    fn json_body_with_invalid_syntax_is_refused() {
        for body in [
            &b""[..],
            b"{",
            b"nul",
            b"NaN",
            b"1e400",
            b"{a:1}",
            b"{\"a\":1,}",
            b"[1] [2]",
            b"\"\\ud800\"",
            b"\"\xff\"",
            b"{\"a\":\"\n\"}",
            b"\xef\xbb\xbf{}",
        ] {
            assert_eq!(parsed(body), Err(JsonBodyError::NotJson), "{}", String::from_utf8_lossy(body));
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            ".{0,10}".prop_map(Value::from),
        ];
        leaf.prop_recursive(6, 60, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map(".{0,6}", inner, 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn json_body_round_trips(written in any_json()) {
            prop_assert_eq!(parsed(written.to_string().as_bytes()), Ok(written));
        }

        #[test]
        fn json_body_with_any_member_doubled_is_refused(inside in any_json(), name in ".{0,6}", around in 0_usize..20) {
            let name = json!(name);
            let object = format!("{{{name}:1,\"other member\":{inside},{name}:2}}");
            let body = format!("{}{object}{}", "[".repeat(around), "]".repeat(around));
            prop_assert_eq!(parsed(body.as_bytes()), Err(JsonBodyError::Repeated));
        }

        #[test]
        fn json_body_parsing_of_any_bytes_never_panics(body in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(read) = parsed(&body) {
                prop_assert_eq!(serde_json::from_slice::<Value>(&body).unwrap(), read);
            }
        }

        #[test]
        fn json_body_parsing_of_almost_json_never_panics(body in r#"[\[\]{}:,"a0\\u-]{0,60}"#) {
            if let Ok(read) = parsed(body.as_bytes()) {
                prop_assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), read);
            }
        }
    }
}
