//! Remembers that a write was refused because the disk was full.

use crate::failure::StoreFailure;
use crate::write_batch::BatchOutcome;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The writes of a store that were refused because the disk was full, until a check found space again.
#[derive(Debug, Default)]
pub(crate) struct FullDiskRecord {
    failures: AtomicU64,
    /// The failures that had happened when a check last found space.
    resolved: AtomicU64,
}

impl FullDiskRecord {
    /// Records the result of a commit.
    pub(crate) fn record_result(&self, result: &Result<BatchOutcome, StoreFailure>) {
        if matches!(result, Err(StoreFailure::Full)) {
            self.failures.fetch_add(1, Relaxed);
        }
    }

    /// The number of failures so far, if there was one since a check last found space.
    pub(crate) fn unresolved_failures(&self) -> Option<u64> {
        let failures = self.failures.load(Relaxed);
        (failures > self.resolved.load(Relaxed)).then_some(failures)
    }

    /// Records that a check which began after so many failures found space.
    pub(crate) fn resolve_failures(&self, failures: u64) {
        self.resolved.fetch_max(failures, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write_batch::CommitReceipt;

    #[test]
    fn full_disk_record_keeps_failures_that_come_after_a_check_began() {
        let record = FullDiskRecord::default();
        record.record_result(&Ok(BatchOutcome::Committed(CommitReceipt::issue())));
        record.record_result(&Err(StoreFailure::Locked));
        assert_eq!(record.unresolved_failures(), None);
        record.record_result(&Err(StoreFailure::Full));
        let began = record.unresolved_failures().unwrap();
        record.record_result(&Err(StoreFailure::Full));
        record.resolve_failures(began);
        assert_eq!(record.unresolved_failures(), Some(2));
        record.resolve_failures(2);
        assert_eq!(record.unresolved_failures(), None);
    }
}
