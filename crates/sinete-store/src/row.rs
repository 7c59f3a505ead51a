//! A result row, read by column position into core types.

use crate::failure::StoreFailure;
use crate::value::SqlValue;
use sinete_core::client_id::ClientId;
use sinete_core::id::Id;
use sinete_core::secret::Digest;
use sinete_core::time::Timestamp;

/// The columns of one row, counted from zero in the order of the statement.
///
/// A column with an unexpected value is reported as damaged data, never replaced by a default.
#[derive(Debug)]
pub struct SqlRow {
    statement: &'static str,
    columns: Vec<SqlValue>,
}

impl SqlRow {
    /// A row of the statement with this name.
    pub(crate) const fn new(statement: &'static str, columns: Vec<SqlValue>) -> Self {
        Self { statement, columns }
    }

    /// An id of kind `K`.
    pub fn id<K>(&self, column: usize) -> Result<Id<K>, StoreFailure> {
        self.read_array(column).map(Id::from_bytes)
    }

    /// An id of kind `K`, or `None`.
    pub fn optional_id<K>(&self, column: usize) -> Result<Option<Id<K>>, StoreFailure> {
        self.read_optional(column, Self::id)
    }

    /// The digest of a secret of kind `K`.
    pub fn digest<K>(&self, column: usize) -> Result<Digest<K>, StoreFailure> {
        self.read_array(column).map(Digest::from_bytes)
    }

    /// The digest of a secret of kind `K`, or `None`.
    pub fn optional_digest<K>(&self, column: usize) -> Result<Option<Digest<K>>, StoreFailure> {
        self.read_optional(column, Self::digest)
    }

    /// A point in time.
    pub fn timestamp(&self, column: usize) -> Result<Timestamp, StoreFailure> {
        self.integer(column).map(Timestamp::from_micros)
    }

    /// A point in time, or `None`.
    pub fn optional_timestamp(&self, column: usize) -> Result<Option<Timestamp>, StoreFailure> {
        self.read_optional(column, Self::timestamp)
    }

    /// A client id.
    pub fn client_id(&self, column: usize) -> Result<ClientId, StoreFailure> {
        self.text(column)?.parse().map_err(|_| self.damaged_column(column, "a client id"))
    }

    /// A client id, or `None`.
    pub fn optional_client_id(&self, column: usize) -> Result<Option<ClientId>, StoreFailure> {
        self.read_optional(column, Self::client_id)
    }

    /// Text.
    pub fn text(&self, column: usize) -> Result<&str, StoreFailure> {
        match self.columns.get(column) {
            Some(SqlValue::Text(text)) => Ok(text),
            _ => Err(self.damaged_column(column, "text")),
        }
    }

    /// Text, or `None`.
    pub fn optional_text(&self, column: usize) -> Result<Option<&str>, StoreFailure> {
        self.read_optional(column, Self::text)
    }

    /// An integer.
    pub fn integer(&self, column: usize) -> Result<i64, StoreFailure> {
        match self.columns.get(column) {
            Some(SqlValue::Integer(number)) => Ok(*number),
            _ => Err(self.damaged_column(column, "a number")),
        }
    }

    /// An integer, or `None`.
    pub fn optional_integer(&self, column: usize) -> Result<Option<i64>, StoreFailure> {
        self.read_optional(column, Self::integer)
    }

    /// Bytes.
    pub fn blob(&self, column: usize) -> Result<&[u8], StoreFailure> {
        match self.columns.get(column) {
            Some(SqlValue::Blob(bytes)) => Ok(bytes),
            _ => Err(self.damaged_column(column, "bytes")),
        }
    }

    /// Bytes, or `None`.
    pub fn optional_blob(&self, column: usize) -> Result<Option<&[u8]>, StoreFailure> {
        self.read_optional(column, Self::blob)
    }

    /// A flag: 0 or 1, anything else is damage.
    pub fn flag(&self, column: usize) -> Result<bool, StoreFailure> {
        match self.columns.get(column) {
            Some(SqlValue::Integer(0)) => Ok(false),
            Some(SqlValue::Integer(1)) => Ok(true),
            _ => Err(self.damaged_column(column, "a flag")),
        }
    }

    /// A flag, or `None`.
    pub fn optional_flag(&self, column: usize) -> Result<Option<bool>, StoreFailure> {
        self.read_optional(column, Self::flag)
    }

    /// The error for a column whose value is invalid; `expected` says what it should be.
    pub fn damaged_column(&self, column: usize, expected: &str) -> StoreFailure {
        StoreFailure::Damaged(format!("column {column} of {} is not {expected}", self.statement))
    }

    fn read_array<const LENGTH: usize>(&self, column: usize) -> Result<[u8; LENGTH], StoreFailure> {
        self.blob(column)?
            .try_into()
            .map_err(|_| self.damaged_column(column, &format!("a value of {LENGTH} bytes")))
    }

    fn read_optional<'row, T>(
        &'row self,
        column: usize,
        read: impl FnOnce(&'row Self, usize) -> Result<T, StoreFailure>,
    ) -> Result<Option<T>, StoreFailure> {
        match self.columns.get(column) {
            Some(SqlValue::Null) => Ok(None),
            _ => read(self, column).map(Some),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::id::Account;
    use sinete_core::secret::ApiKey;

    fn row() -> SqlRow {
        let columns = vec![
            SqlValue::Null,
            SqlValue::Integer(2),
            SqlValue::from("robot"),
            SqlValue::from([7_u8; 16]),
            SqlValue::from([8_u8; 32]),
            SqlValue::Integer(1),
        ];
        SqlRow::new("robots.find", columns)
    }

    #[test]
    fn row_column_is_read_as_its_type() {
        let row = row();
        assert_eq!(row.timestamp(1), Ok(Timestamp::from_micros(2)));
        assert_eq!(row.client_id(2).unwrap().as_str(), "robot");
        assert_eq!(row.id::<Account>(3), Ok(Id::from_bytes([7; 16])));
        assert_eq!(row.digest::<ApiKey>(4), Ok(Digest::from_bytes([8; 32])));
        assert_eq!(row.flag(5), Ok(true));
        assert_eq!(row.optional_blob(3).unwrap().unwrap().len(), 16);
    }

    #[test]
    fn row_null_is_none_only_for_optional_columns() {
        let row = row();
        assert_eq!(row.optional_text(0), Ok(None));
        assert_eq!(row.optional_id::<Account>(0), Ok(None));
        assert_eq!(row.text(0), Err(row.damaged_column(0, "text")));
    }

    #[test]
    fn row_column_of_another_type_is_damage_and_names_its_position() {
        let row = row();
        let damage = [
            row.id::<Account>(4).unwrap_err(),
            row.digest::<ApiKey>(3).unwrap_err(),
            row.flag(1).unwrap_err(),
            row.integer(2).unwrap_err(),
            row.optional_integer(2).unwrap_err(),
            row.blob(9).unwrap_err(),
        ];
        for failed in damage {
            assert!(
                matches!(&failed, StoreFailure::Damaged(what) if what.contains("robots.find")),
                "{failed}"
            );
        }
    }
}
