//! JSON columns: serialized from a type and parsed back into one.

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::value::SqlValue;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;

/// A JSON document. `Debug` does not print its content.
#[derive(Clone, PartialEq, Eq)]
pub struct JsonDocument(String);

impl JsonDocument {
    /// Serializes a value.
    pub fn from_value(value: &impl Serialize) -> Result<Self, StoreFailure> {
        let text = serde_json::to_string(value);
        text.map(Self)
            .map_err(|error| StoreFailure::Other(format!("a document could not be serialized: {error}")))
    }

    /// Parses the document into the type it was written from.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, StoreFailure> {
        let describe_location =
            |error: serde_json::Error| format!("line {} column {}", error.line(), error.column());
        serde_json::from_str(&self.0).map_err(|error| {
            StoreFailure::Damaged(format!("a stored document is unreadable at {}", describe_location(error)))
        })
    }

    /// Its length in bytes.
    pub const fn byte_length(&self) -> usize {
        self.0.len()
    }

    /// Reads a JSON column.
    pub(crate) fn from_row(row: &SqlRow, column: &str) -> Result<Self, StoreFailure> {
        row.text(column).map(|text| Self(text.to_owned()))
    }

    /// Reads a nullable JSON column.
    pub(crate) fn optional_from_row(row: &SqlRow, column: &str) -> Result<Option<Self>, StoreFailure> {
        row.optional_text(column).map(|text| text.map(|text| Self(text.to_owned())))
    }
}

impl From<&JsonDocument> for SqlValue {
    fn from(document: &JsonDocument) -> Self {
        Self::from(document.0.as_str())
    }
}

impl fmt::Debug for JsonDocument {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Document({} bytes)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_document_round_trips_and_hides_its_content_in_debug() {
        let document = JsonDocument::from_value(&vec!["a\0b", "secret"]).unwrap();
        assert_eq!(document.parse::<Vec<String>>(), Ok(vec!["a\0b".to_owned(), "secret".to_owned()]));
        assert!(!format!("{document:?}").contains("secret"));
        assert!(
            matches!(document.parse::<u64>(), Err(StoreFailure::Damaged(what)) if !what.contains("secret"))
        );
    }

    #[test]
    fn json_document_never_contains_nul() {
        let SqlValue::Text(text) = SqlValue::from(&JsonDocument::from_value(&"a\0b").unwrap()) else {
            panic!("a document is text");
        };
        assert!(!text.contains('\0'));
    }
}
