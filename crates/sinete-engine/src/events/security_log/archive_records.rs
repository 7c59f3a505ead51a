//! The records of archived segments and the checkpoint, as the database keeps them: they are used only if
//! they are signed by this instance's log key and follow each other without a gap.

use super::{SecurityLog, SecurityLogError};
use sinete_core::events::log_chain::{
    ArchiveDefect, LogChainAnchor, LogChainHead, LogCheckpoint, LogDefect, LogFinding,
};
use sinete_core::time::Timestamp;
use sinete_store::StoreFailure;
use sinete_store::events::log_archive;
use sinete_store::events::log_archive::{ArchivedSegment, StoredCheckpoint};

/// The records of the archive with everything that is wrong with them.
#[derive(Debug, Default)]
pub(super) struct ArchiveRecords {
    pub(super) segments: Vec<ArchivedSegment>,
    pub(super) checkpoint: Option<LogCheckpoint>,
    pub(super) findings: Vec<LogFinding>,
}

impl ArchiveRecords {
    /// The end of the last archived segment, or the beginning of the chain.
    pub(super) fn archived_end(&self, log: &SecurityLog) -> LogChainAnchor {
        match self.segments.last() {
            Some(last) => LogChainAnchor { position: last.segment.last, hash: last.segment.hash },
            None => LogChainHead::new_genesis(log.instance, Timestamp::EPOCH).anchor(),
        }
    }

    /// Where the chain begins in the database: after the checkpoint, or at the beginning.
    pub(super) fn cut_end(&self, log: &SecurityLog) -> LogChainAnchor {
        match self.checkpoint {
            Some(cut) => LogChainAnchor { position: cut.position, hash: cut.hash },
            None => LogChainHead::new_genesis(log.instance, Timestamp::EPOCH).anchor(),
        }
    }
}

impl SecurityLog {
    /// Loads the records and checks their signatures and positions.
    pub(super) async fn load_archive_records(&self) -> Result<ArchiveRecords, SecurityLogError> {
        let mut records = ArchiveRecords::default();
        // The checkpoint comes first: a segment that it needs is then among those that are read.
        let stored = match log_archive::find_checkpoint(&self.store).await {
            Ok(stored) => stored,
            Err(StoreFailure::Damaged(reason)) => {
                records.findings.push(unreadable_finding(reason));
                None
            }
            Err(failed) => return Err(failed.into()),
        };
        match log_archive::list_archived_segments(&self.store).await {
            Ok(segments) => records.segments = segments,
            Err(StoreFailure::Damaged(reason)) => records.findings.push(unreadable_finding(reason)),
            Err(failed) => return Err(failed.into()),
        }
        records.findings.extend(self.check_segments(&records.segments));
        if let Some(stored) = stored {
            records.findings.extend(self.check_checkpoint(&stored, &records.segments));
            records.checkpoint = Some(stored.checkpoint);
        }
        Ok(records)
    }

    /// Loads the records; something wrong with them is an error.
    pub(super) async fn load_trusted_records(&self) -> Result<ArchiveRecords, SecurityLogError> {
        let mut records = self.load_archive_records().await?;
        match records.findings.is_empty() {
            true => Ok(records),
            false => Err(SecurityLogError::Tampered(Box::new(records.findings.remove(0)))),
        }
    }

    /// Loads the checkpoint, if there is one. A wrong signature is an error.
    pub(super) async fn load_trusted_checkpoint(&self) -> Result<Option<LogCheckpoint>, SecurityLogError> {
        let Some(stored) = log_archive::find_checkpoint(&self.store).await? else { return Ok(None) };
        if !self.is_checkpoint_signed(&stored) {
            let forged = archive_finding(stored.checkpoint.position, ArchiveDefect::CheckpointForged);
            return Err(SecurityLogError::Tampered(Box::new(forged)));
        }
        Ok(Some(stored.checkpoint))
    }

    fn check_segments(&self, segments: &[ArchivedSegment]) -> Vec<LogFinding> {
        let mut findings = Vec::new();
        let mut end = LogChainHead::new_genesis(self.instance, Timestamp::EPOCH).anchor();
        for record in segments {
            let segment = &record.segment;
            let signed = segment.signed_bytes(self.instance, record.file.digest);
            let key = self.keys.find_public_key(&record.kid);
            if key.is_none_or(|key| key.verify_signature(&signed, &record.signature).is_err()) {
                findings.push(archive_finding(segment.first, ArchiveDefect::RecordForged));
            }
            if segment.first != end.position + 1 || segment.previous != end.hash {
                let expected = end.position + 1;
                findings.push(archive_finding(segment.first, ArchiveDefect::RecordsUnlinked { expected }));
            }
            end = LogChainAnchor { position: segment.last, hash: segment.hash };
        }
        findings
    }

    fn check_checkpoint(&self, stored: &StoredCheckpoint, segments: &[ArchivedSegment]) -> Vec<LogFinding> {
        let cut = &stored.checkpoint;
        let mut findings = Vec::new();
        if !self.is_checkpoint_signed(stored) {
            findings.push(archive_finding(cut.position, ArchiveDefect::CheckpointForged));
        }
        let within = |record: &&ArchivedSegment| {
            record.segment.first <= cut.position && cut.position <= record.segment.last
        };
        match segments.iter().find(within) {
            None => findings.push(archive_finding(cut.position, ArchiveDefect::CutUnarchived)),
            Some(record) if record.segment.last == cut.position && record.segment.hash != cut.hash => {
                findings.push(archive_finding(cut.position, ArchiveDefect::SegmentDiffers));
            }
            Some(_) => {}
        }
        findings
    }

    fn is_checkpoint_signed(&self, stored: &StoredCheckpoint) -> bool {
        let signed = stored.checkpoint.signed_bytes(self.instance);
        let key = self.keys.find_public_key(&stored.kid);
        key.is_some_and(|key| key.verify_signature(&signed, &stored.signature).is_ok())
    }
}

/// A finding about the archive at a position.
pub(super) const fn archive_finding(position: i64, defect: ArchiveDefect) -> LogFinding {
    LogFinding::at_position(position, LogDefect::Archive(defect))
}

fn unreadable_finding(reason: String) -> LogFinding {
    LogFinding::for_log(LogDefect::Archive(ArchiveDefect::RecordUnreadable(reason)))
}
