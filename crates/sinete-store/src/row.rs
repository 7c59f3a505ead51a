//! A result row, read by column name into core types.

use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::value::SqlValue;
use sinete_core::client_id::ClientId;
use sinete_core::id::Id;
use sinete_core::secret::Digest;
use sinete_core::time::Timestamp;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The columns of one row. A column is named as the statement's select list writes it, `s.id`, or by its alias; the
/// table can be left out if no other column has that name.
///
/// A column with an unexpected value is reported as damaged data, never replaced by a default.
#[derive(Debug)]
pub struct SqlRow {
    statement: &'static SqlStatement,
    columns: Vec<SqlValue>,
    /// The index of the last column that was read. Columns are mostly read in order, so the next one usually follows.
    last: AtomicUsize,
}

impl SqlRow {
    /// A row of this statement.
    pub(crate) const fn new(statement: &'static SqlStatement, columns: Vec<SqlValue>) -> Self {
        Self { statement, columns, last: AtomicUsize::new(usize::MAX) }
    }

    /// An id of kind `K`.
    pub fn id<K>(&self, column: &str) -> Result<Id<K>, StoreFailure> {
        self.read_array(column).map(Id::from_bytes)
    }

    /// An id of kind `K`, or `None`.
    pub fn optional_id<K>(&self, column: &str) -> Result<Option<Id<K>>, StoreFailure> {
        self.read_optional(column, Self::id)
    }

    /// The digest of a secret of kind `K`.
    pub fn digest<K>(&self, column: &str) -> Result<Digest<K>, StoreFailure> {
        self.read_array(column).map(Digest::from_bytes)
    }

    /// The digest of a secret of kind `K`, or `None`.
    pub fn optional_digest<K>(&self, column: &str) -> Result<Option<Digest<K>>, StoreFailure> {
        self.read_optional(column, Self::digest)
    }

    /// A point in time.
    pub fn timestamp(&self, column: &str) -> Result<Timestamp, StoreFailure> {
        self.integer(column).map(Timestamp::from_micros)
    }

    /// A point in time, or `None`.
    pub fn optional_timestamp(&self, column: &str) -> Result<Option<Timestamp>, StoreFailure> {
        self.read_optional(column, Self::timestamp)
    }

    /// A client id.
    pub fn client_id(&self, column: &str) -> Result<ClientId, StoreFailure> {
        self.text(column)?.parse().map_err(|_| self.damaged_column(column, "a client id"))
    }

    /// A client id, or `None`.
    pub fn optional_client_id(&self, column: &str) -> Result<Option<ClientId>, StoreFailure> {
        self.read_optional(column, Self::client_id)
    }

    /// Text.
    pub fn text(&self, column: &str) -> Result<&str, StoreFailure> {
        match self.value(column)? {
            SqlValue::Text(text) => Ok(text),
            _ => Err(self.damaged_column(column, "text")),
        }
    }

    /// Text, or `None`.
    pub fn optional_text(&self, column: &str) -> Result<Option<&str>, StoreFailure> {
        self.read_optional(column, Self::text)
    }

    /// An integer.
    pub fn integer(&self, column: &str) -> Result<i64, StoreFailure> {
        match self.value(column)? {
            SqlValue::Integer(number) => Ok(*number),
            _ => Err(self.damaged_column(column, "a number")),
        }
    }

    /// An integer, or `None`.
    pub fn optional_integer(&self, column: &str) -> Result<Option<i64>, StoreFailure> {
        self.read_optional(column, Self::integer)
    }

    /// Bytes.
    pub fn blob(&self, column: &str) -> Result<&[u8], StoreFailure> {
        match self.value(column)? {
            SqlValue::Blob(bytes) => Ok(bytes),
            _ => Err(self.damaged_column(column, "bytes")),
        }
    }

    /// Bytes, or `None`.
    pub fn optional_blob(&self, column: &str) -> Result<Option<&[u8]>, StoreFailure> {
        self.read_optional(column, Self::blob)
    }

    /// A flag: 0 or 1, anything else is damage.
    pub fn flag(&self, column: &str) -> Result<bool, StoreFailure> {
        match self.value(column)? {
            SqlValue::Integer(0) => Ok(false),
            SqlValue::Integer(1) => Ok(true),
            _ => Err(self.damaged_column(column, "a flag")),
        }
    }

    /// A flag, or `None`.
    pub fn optional_flag(&self, column: &str) -> Result<Option<bool>, StoreFailure> {
        self.read_optional(column, Self::flag)
    }

    /// The error for a column whose value is invalid; `expected` says what it should be.
    pub fn damaged_column(&self, column: &str, expected: &str) -> StoreFailure {
        StoreFailure::Damaged(format!("column {column} of {} is not {expected}", self.statement.name()))
    }

    /// The value of a column. A name that the statement does not select is a bug.
    fn value(&self, column: &str) -> Result<&SqlValue, StoreFailure> {
        let names = self.statement.column_names();
        let is_here = |index: &usize| names.get(*index).is_some_and(|name| name.matches(column));
        let last = self.last.load(Ordering::Relaxed);
        let position = [last.wrapping_add(1), last]
            .into_iter()
            .find(is_here)
            .or_else(|| names.iter().position(|name| name.matches(column)));
        let unknown = || StoreFailure::Other(format!("{} selects no column {column}", self.statement.name()));
        let index = position.ok_or_else(unknown)?;
        self.last.store(index, Ordering::Relaxed);
        self.columns.get(index).ok_or_else(unknown)
    }

    fn read_array<const LENGTH: usize>(&self, column: &str) -> Result<[u8; LENGTH], StoreFailure> {
        self.blob(column)?
            .try_into()
            .map_err(|_| self.damaged_column(column, &format!("a value of {LENGTH} bytes")))
    }

    fn read_optional<'row, T>(
        &'row self,
        column: &str,
        read: impl FnOnce(&'row Self, &str) -> Result<T, StoreFailure>,
    ) -> Result<Option<T>, StoreFailure> {
        match self.value(column)? {
            SqlValue::Null => Ok(None),
            _ => read(self, column).map(Some),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::id::Account;
    use sinete_core::secret::ApiKey;

    static FIND: SqlStatement = SqlStatement::new(
        "robots.find",
        "SELECT r.nothing, r.born_at, r.name, o.id, r.digest, CASE WHEN r.is_on THEN 1 ELSE 0 END AS works, r.id \
         FROM robots r",
    );

    fn row() -> SqlRow {
        let columns = vec![
            SqlValue::Null,
            SqlValue::Integer(2),
            SqlValue::from("robot"),
            SqlValue::from([7_u8; 16]),
            SqlValue::from([8_u8; 32]),
            SqlValue::Integer(1),
            SqlValue::from([9_u8; 16]),
        ];
        SqlRow::new(&FIND, columns)
    }

    #[test]
    fn row_column_is_read_as_its_type() {
        let row = row();
        assert_eq!(row.timestamp("r.born_at"), Ok(Timestamp::from_micros(2)));
        assert_eq!(row.client_id("r.name").unwrap().as_str(), "robot");
        assert_eq!(row.id::<Account>("o.id"), Ok(Id::from_bytes([7; 16])));
        assert_eq!(row.digest::<ApiKey>("r.digest"), Ok(Digest::from_bytes([8; 32])));
        assert_eq!(row.flag("works"), Ok(true));
        assert_eq!(row.optional_blob("o.id").unwrap().unwrap().len(), 16);
    }

    #[test]
    fn row_columns_are_found_in_any_order_and_without_their_table() {
        let row = row();
        for _ in 0..2 {
            assert_eq!(row.id::<Account>("r.id"), Ok(Id::from_bytes([9; 16])));
            assert_eq!(row.id::<Account>("o.id"), Ok(Id::from_bytes([7; 16])));
            assert_eq!(row.text("name"), Ok("robot"));
            assert_eq!(row.text("r.name"), Ok("robot"));
        }
    }

    #[test]
    fn row_column_that_is_not_selected_or_ambiguous_fails() {
        let row = row();
        for name in ["o.name", "r.works", "id", "born", "", "robots.born_at"] {
            let unknown = StoreFailure::Other(format!("robots.find selects no column {name}"));
            assert_eq!(row.optional_text(name), Err(unknown), "{name}");
        }
    }

    #[test]
    fn row_null_is_none_only_for_optional_columns() {
        let row = row();
        assert_eq!(row.optional_text("nothing"), Ok(None));
        assert_eq!(row.optional_id::<Account>("nothing"), Ok(None));
        assert_eq!(row.text("nothing"), Err(row.damaged_column("nothing", "text")));
    }

    #[test]
    fn row_column_of_another_type_is_damage_and_names_it() {
        let row = row();
        let damage = [
            row.id::<Account>("digest").unwrap_err(),
            row.digest::<ApiKey>("o.id").unwrap_err(),
            row.flag("born_at").unwrap_err(),
            row.integer("name").unwrap_err(),
            row.optional_integer("name").unwrap_err(),
        ];
        for failed in damage {
            assert!(
                matches!(&failed, StoreFailure::Damaged(what) if what.contains("robots.find")),
                "{failed}"
            );
        }
    }
}
