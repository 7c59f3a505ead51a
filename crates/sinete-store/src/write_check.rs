//! Checks that the database accepts writes, by writing.

use crate::driver::outcome_statements::COUNT_WRITE_CHECK;
use crate::failure::StoreFailure;
use crate::store::Store;
use crate::write_batch::{BatchOutcome, GuardedStatement, WriteBatch};

/// Writes to a dedicated row and waits until that is durable. A full disk, a lock held by another process and
/// a read-only database are told apart, as for every other write.
pub async fn check_writes(store: &Store) -> Result<(), StoreFailure> {
    match store
        .commit(WriteBatch::new().with_statement(GuardedStatement::exactly_one(&COUNT_WRITE_CHECK, [])))
        .await?
    {
        BatchOutcome::Committed(_) => Ok(()),
        BatchOutcome::Conflict(_) => {
            Err(StoreFailure::Damaged("the row of write_check is missing".to_owned()))
        }
    }
}
