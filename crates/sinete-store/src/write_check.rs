//! Checks that the database accepts writes, by writing.

use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::{GuardedStatement, WriteBatch};

/// Writes to a dedicated row and waits until that is durable. A full disk, a lock held by another process and
/// a read-only database are told apart, as for every other write.
pub async fn check_writes(store: &Store) -> Result<(), StoreFailure> {
    match store.commit(WriteBatch::new().with_statement(GuardedStatement::exactly_one(&COUNT, []))).await? {
        Ok(_) => Ok(()),
        Err(_) => Err(StoreFailure::Damaged("the row of write_check is missing".to_owned())),
    }
}

// It increments, because SQLite does not write a value that does not change.
pub(crate) static COUNT: SqlStatement =
    SqlStatement::new("write_check.count", "UPDATE write_check SET checks = checks + 1 WHERE id = 1");

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&COUNT];
