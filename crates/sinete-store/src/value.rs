//! The four kinds of column value, on both engines.

use compact_str::CompactString;
use sinete_core::client_id::ClientId;
use sinete_core::id::Id;
use sinete_core::secret::Digest;
use sinete_core::time::Timestamp;
use smallvec::SmallVec;

/// Bytes, stored inline up to 32: most are ids and digests. Only longer ones are allocated.
pub type SqlBytes = SmallVec<[u8; 32]>;

/// A parameter or column value. A request has dozens, nearly all of them short, so short text and bytes are
/// stored inline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SqlValue {
    /// SQL `NULL`.
    Null,
    /// A number, a flag (0 or 1) or a time in microseconds.
    Integer(i64),
    /// Text or JSON, without NUL: PostgreSQL cannot store one, so neither engine gets it.
    Text(CompactString),
    /// Bytes: ids, digests, encrypted secrets.
    Blob(SqlBytes),
}

impl SqlValue {
    /// Empty bytes, which sort before all others.
    pub(crate) fn empty_bytes() -> Self {
        Self::Blob(SqlBytes::new())
    }

    /// Whether both engines can store it.
    pub(crate) fn is_storable(&self) -> bool {
        match self {
            Self::Null | Self::Integer(_) | Self::Blob(_) => true,
            Self::Text(text) => !text.as_bytes().contains(&0),
        }
    }
}

impl<K> From<Id<K>> for SqlValue {
    fn from(id: Id<K>) -> Self {
        Self::from(&id.as_bytes()[..])
    }
}
impl<K> From<&Id<K>> for SqlValue {
    fn from(id: &Id<K>) -> Self {
        Self::from(*id)
    }
}
impl<K> From<Digest<K>> for SqlValue {
    fn from(digest: Digest<K>) -> Self {
        Self::from(&digest.as_bytes()[..])
    }
}
impl<K> From<&Digest<K>> for SqlValue {
    fn from(digest: &Digest<K>) -> Self {
        Self::from(*digest)
    }
}
impl From<Timestamp> for SqlValue {
    fn from(time: Timestamp) -> Self {
        Self::Integer(time.micros())
    }
}
impl From<ClientId> for SqlValue {
    fn from(id: ClientId) -> Self {
        Self::from(id.as_str())
    }
}
impl From<&ClientId> for SqlValue {
    fn from(id: &ClientId) -> Self {
        Self::from(id.as_str())
    }
}
impl From<i64> for SqlValue {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}
impl From<i32> for SqlValue {
    fn from(number: i32) -> Self {
        Self::Integer(number.into())
    }
}
impl From<u32> for SqlValue {
    fn from(number: u32) -> Self {
        Self::Integer(number.into())
    }
}
impl From<bool> for SqlValue {
    fn from(flag: bool) -> Self {
        Self::Integer(flag.into())
    }
}
impl From<&str> for SqlValue {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}
impl From<String> for SqlValue {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}
impl From<CompactString> for SqlValue {
    fn from(text: CompactString) -> Self {
        Self::Text(text)
    }
}
impl From<&[u8]> for SqlValue {
    fn from(bytes: &[u8]) -> Self {
        Self::Blob(SqlBytes::from_slice(bytes))
    }
}
impl From<Vec<u8>> for SqlValue {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Blob(bytes.into())
    }
}
impl<const LENGTH: usize> From<[u8; LENGTH]> for SqlValue {
    fn from(bytes: [u8; LENGTH]) -> Self {
        Self::from(&bytes[..])
    }
}
impl<T: Into<Self>> From<Option<T>> for SqlValue {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_none_is_null_and_some_is_the_value() {
        assert_eq!(SqlValue::from(None::<Timestamp>), SqlValue::Null);
        assert_eq!(SqlValue::from(Some(Timestamp::from_micros(-7))), SqlValue::Integer(-7));
        assert_eq!(SqlValue::from(Some(true)), SqlValue::Integer(1));
    }

    #[test]
    fn value_text_with_nul_is_not_storable_and_bytes_are() {
        assert!(!SqlValue::from("a\0b").is_storable());
        assert!(SqlValue::from("a b").is_storable());
        assert!(SqlValue::from([0_u8, 1]).is_storable());
    }
}
