//! Cuts archived segments from the database, in small transactions. Each leaves a signed checkpoint, so that
//! an interrupted cut is continued where it ended and the log can be verified in between.

use super::{ArchiveTurn, PAGE, RequestOriginRetention, origins, tampered_archive};
use crate::events::security_log::SecurityLogError;
use crate::events::security_log::archive::segment_file::SegmentContents;
use sinete_core::events::log_chain::{ArchiveDefect, ArchivedLogSegment, LogCheckpoint};
use sinete_core::events::security_event::EventKind;
use sinete_core::limits::LOG_CUT_BATCH_MAX;
use sinete_store::WriteBatch;
use sinete_store::events::log_archive::{ArchivedSegment, StoredCheckpoint};
use sinete_store::events::log_chain::LogChainCursor;
use sinete_store::events::{log_archive, log_chain};

impl ArchiveTurn<'_> {
    /// Cuts the segments whose events are older than the retention and are not needed by a webhook.
    pub(super) async fn cut_expired(&mut self) -> Result<(), SecurityLogError> {
        let Some(retention) = self.archiver.policy.retention else { return Ok(()) };
        let before = self.now().minus(retention);
        let records = self.log.load_trusted_records().await?;
        let floor = log_archive::find_webhook_floor(&self.log.store).await?.unwrap_or(i64::MAX);
        let mut cut = records.checkpoint.map_or(0, |checkpoint| checkpoint.position);
        for record in &records.segments {
            if record.segment.last <= cut {
                continue;
            }
            if record.last_at > before {
                break;
            }
            if record.segment.last > floor {
                self.totals.is_blocked_by_webhooks = true;
                break;
            }
            self.cut_segment(record, cut).await?;
            cut = record.segment.last;
        }
        Ok(())
    }

    async fn cut_segment(&mut self, record: &ArchivedSegment, cut: i64) -> Result<(), SecurityLogError> {
        let segment = record.segment;
        let (contents, digest, _) = self.read_file(&record.file.name).await?;
        if digest != record.file.digest || contents.segment != segment {
            return Err(tampered_archive(ArchiveDefect::FileAltered { file: record.file.name.clone() }));
        }
        // Once a part is cut, the database no longer has all origins, and the file has them.
        if cut < segment.first && self.archiver.policy.origins == RequestOriginRetention::Archived {
            self.write_origins(&segment).await?;
        }
        let mut from = cut.max(segment.first - 1);
        while from < segment.last {
            let to = from.saturating_add(i64::from(LOG_CUT_BATCH_MAX)).min(segment.last);
            self.cut_batch(&contents, from, to).await?;
            self.totals.cut += (to - from).unsigned_abs();
            from = to;
        }
        Ok(())
    }

    /// Removes the events after one position up to another.
    async fn cut_batch(
        &mut self,
        contents: &SegmentContents,
        from: i64,
        to: i64,
    ) -> Result<(), SecurityLogError> {
        let hash = contents.hash_at(to).ok_or(SecurityLogError::Busy)?;
        let checkpoint = LogCheckpoint { position: to, hash, cut_at: self.now() };
        let key = self.log.keys.signing_key()?;
        let signed = checkpoint.signed_bytes(self.log.instance);
        let signature = key.sign(&signed).map_err(|_| SecurityLogError::SigningFailed)?;
        let stored = StoredCheckpoint { checkpoint, kid: key.kid().to_owned(), signature };
        let mut batch = WriteBatch::new().with_statements(log_archive::cut_events(from, &stored));
        if to == contents.segment.last {
            let event = self.event(EventKind::LogCut);
            let event = event.with_detail("first", contents.segment.first).with_detail("last", to);
            batch = batch.with_event(&event);
        }
        self.commit(batch).await
    }

    /// Writes the origins that the events of a segment have now.
    async fn write_origins(&mut self, segment: &ArchivedLogSegment) -> Result<(), SecurityLogError> {
        let mut file = origins::OriginsWriter::default();
        let mut cursor = LogChainCursor::after_position(segment.first - 1);
        loop {
            let links = log_chain::list_chain_links(&self.log.store, cursor, segment.last, PAGE).await?;
            let Some(last) = links.last() else { break };
            cursor = LogChainCursor::after_link(last);
            links.iter().for_each(|link| file.add(link));
        }
        let name = origins::file_name(segment);
        match file.finish()? {
            None => Ok(self.storage.remove(&name).await?),
            Some(bytes) => {
                self.storage.put(&name, &bytes).await?;
                match self.storage.get(&name).await? {
                    Some(read) if read == bytes => Ok(()),
                    Some(_) => Err(tampered_archive(ArchiveDefect::FileAltered { file: name })),
                    None => Err(tampered_archive(ArchiveDefect::FileMissing { file: name })),
                }
            }
        }
    }
}
