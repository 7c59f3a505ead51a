//! JSON documents as columns keep them: written from a type, and read back into one.

use crate::failed::StoreFailure;
use crate::row::SqlRow;
use crate::value::SqlValue;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;

/// A JSON document. What is in it is its writer's business, and is not printed.
#[derive(Clone, PartialEq, Eq)]
pub struct JsonDocument(String);

impl JsonDocument {
    /// The document of a value.
    pub fn of(value: &impl Serialize) -> Result<Self, StoreFailure> {
        let text = serde_json::to_string(value);
        text.map(Self)
            .map_err(|error| StoreFailure::Other(format!("a document could not be written: {error}")))
    }

    /// The value it was written from.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, StoreFailure> {
        let place = |error: serde_json::Error| format!("line {} column {}", error.line(), error.column());
        serde_json::from_str(&self.0).map_err(|error| {
            StoreFailure::Damaged(format!("a stored document is unreadable at {}", place(error)))
        })
    }

    /// Its length in bytes.
    pub const fn bytes(&self) -> usize {
        self.0.len()
    }

    /// The document a column holds.
    pub(crate) fn from_row(row: &SqlRow, column: usize) -> Result<Self, StoreFailure> {
        row.text(column).map(|text| Self(text.to_owned()))
    }

    /// The document a column holds, or nothing.
    pub(crate) fn optional_from_row(row: &SqlRow, column: usize) -> Result<Option<Self>, StoreFailure> {
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
    fn a_document_gives_back_what_it_was_made_of_and_keeps_it_to_itself() {
        let document = JsonDocument::of(&vec!["a\0b", "secret"]).unwrap();
        assert_eq!(document.read::<Vec<String>>(), Ok(vec!["a\0b".to_owned(), "secret".to_owned()]));
        assert!(!format!("{document:?}").contains("secret"));
        assert!(
            matches!(document.read::<u64>(), Err(StoreFailure::Damaged(what)) if !what.contains("secret"))
        );
    }

    #[test]
    fn no_text_in_it_can_bring_a_nul_into_a_column() {
        let SqlValue::Text(text) = SqlValue::from(&JsonDocument::of(&"a\0b").unwrap()) else {
            panic!("a document is text");
        };
        assert!(!text.contains('\0'));
    }
}
