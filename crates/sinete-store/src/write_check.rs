//! Checks that the database accepts writes, by writing.
//!
//! A full disk refuses what needs a new page and still lets a row be changed in place. Therefore a store
//! remembers that a write was refused for lack of space, and from then on the check writes as much as a large request,
//! until that succeeds.

use crate::driver::outcome_statements::COUNT_WRITE_CHECK;
use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::{BatchOutcome, GuardedStatement, WriteBatch};

/// What the check writes after a write was refused for lack of space. Few requests need as much.
const CHECKED_SPACE_BYTES: usize = 256 * 1024;

/// Writes to a dedicated row and waits until that is durable. A full disk, a lock held by another process and
/// a read-only database are distinguished, as for every other write. After a write of this store was refused
/// because the disk was full, it allocates space for a large row instead, and releases it in the same
/// transaction.
pub async fn check_writes(store: &Store) -> Result<(), StoreFailure> {
    let Some(failures) = store.full_disk().unresolved_failures() else {
        let small = GuardedStatement::exactly_one(&COUNT_WRITE_CHECK, []);
        return commit_check(store, WriteBatch::new().with_statement(small)).await;
    };
    let large = WriteBatch::new()
        .with_statement(GuardedStatement::exactly_one(
            &ALLOCATE_SPACE,
            [Vec::new().into(), incompressible_bytes().into()],
        ))
        .with_statement(GuardedStatement::exactly_one(&RELEASE_SPACE, []));
    commit_check(store, large).await?;
    store.full_disk().resolve_failures(failures);
    Ok(())
}

async fn commit_check(store: &Store, batch: WriteBatch) -> Result<(), StoreFailure> {
    match store.commit(batch).await? {
        BatchOutcome::Committed(_) => Ok(()),
        BatchOutcome::Conflict(_) => {
            Err(StoreFailure::Damaged("the row of write_check is missing".to_owned()))
        }
    }
}

/// Bytes that PostgreSQL cannot compress into fewer pages.
fn incompressible_bytes() -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    (0..CHECKED_SPACE_BYTES / 8).flat_map(|_| next()).collect()
}

// A table that can hold a large row and that nothing refers to. No other transaction ever sees the row.
static ALLOCATE_SPACE: SqlStatement = SqlStatement::new(
    "write_check.allocate_space",
    "INSERT INTO idempotency_keys (caller, key_digest, request_digest, made, created_at, expires_at) \
     VALUES ('write_check', ?1, ?2, '', 0, 0)",
);
static RELEASE_SPACE: SqlStatement = SqlStatement::new(
    "write_check.release_space",
    "DELETE FROM idempotency_keys WHERE caller = 'write_check'",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&ALLOCATE_SPACE, &RELEASE_SPACE];
