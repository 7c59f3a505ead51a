//! Whether the database takes writes: found out by writing, as every act does.

use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::{GuardedStatement, WriteBatch};

/// Writes to a row that nobody else uses, and waits until that is durable. A full disk, a lock that somebody else holds
/// and a database that can only be read are told apart, as they are to everybody who writes.
pub async fn check_writes(store: &Store) -> Result<(), StoreFailure> {
    match store.commit(WriteBatch::new().with_statement(GuardedStatement::exactly_one(&COUNT, []))).await? {
        Ok(_) => Ok(()),
        Err(_) => Err(StoreFailure::Damaged("the row of write_check is missing".to_owned())),
    }
}

// Counted, because SQLite does not write what does not change.
pub(crate) static COUNT: SqlStatement =
    SqlStatement::new("write_check.count", "UPDATE write_check SET checks = checks + 1 WHERE id = 1");

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&COUNT];
