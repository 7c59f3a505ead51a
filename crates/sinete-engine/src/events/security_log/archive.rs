//! The archive of the security log: closed segments are exported, verified and then removed from the
//! database. `docs/operate/security-log.md` describes the files.
//!
//! A segment is recorded only after its file was read back and verified, and cut only after that happened
//! again. Nothing is signed before the whole chain up to the signed head has been verified: a signature must
//! not make an altered event look genuine.

mod cut;
mod origins;
mod segment_file;
mod verify;

pub use verify::{ArchiveVerification, verify_archive};

use super::export::require_no_findings;
use super::{SecurityLog, SecurityLogError, VerificationProgress};
use crate::ports::{ArchiveStorage, Clock};
use segment_file::{SegmentContents, SegmentWriter, TrustedKeys, read_segment};
use sinete_core::entropy::Entropy;
use sinete_core::events::log_chain::{
    ArchiveDefect, ArchivedLogSegment, ChainGapPolicy, LogChainAnchor, LogChainHash, LogChainHead,
    LogChainVerifier,
};
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::limits::{LOG_ARCHIVE_CLAIM, LOG_SEGMENT_AGE_MAX, LOG_SEGMENT_EVENTS_MAX};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_store::events::log_archive::{ArchiveClaim, ArchivedFile, ArchivedSegment};
use sinete_store::events::log_chain::LogChainCursor;
use sinete_store::events::{log_archive, log_chain};
use sinete_store::{BatchOutcome, WriteBatch};
use std::collections::BTreeSet;

/// Page size for reading rows.
const PAGE: u32 = 1000;

/// When segments are closed and cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchivePolicy {
    /// Maximum events in a segment.
    pub segment_events: u32,
    /// A segment is closed at the latest when its first event has this age.
    pub segment_age: Lifetime,
    /// How long events stay in the database; `None` keeps them.
    pub retention: Option<Lifetime>,
    /// What happens to network addresses and user agents.
    pub origins: RequestOriginRetention,
}

/// What happens to the origins of events that are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestOriginRetention {
    /// They are stored in a file of their own, from which they can be erased.
    Archived,
    /// They are dropped.
    Dropped,
}

impl Default for ArchivePolicy {
    fn default() -> Self {
        Self {
            segment_events: LOG_SEGMENT_EVENTS_MAX,
            segment_age: LOG_SEGMENT_AGE_MAX,
            retention: None,
            origins: RequestOriginRetention::Archived,
        }
    }
}

/// The result of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArchiveRun {
    /// The number of segments that were archived.
    pub segments: u64,
    /// The number of events in them.
    pub events: u64,
    /// The size of their files.
    pub bytes: u64,
    /// The number of events that were removed from the database.
    pub cut: u64,
    /// The number of origins that were erased from the archive.
    pub erased: u64,
    /// Whether webhooks that have not received their events kept events from being cut.
    pub is_blocked_by_webhooks: bool,
}

/// Archives the log of an instance.
pub struct LogArchiver<'a> {
    /// The log.
    pub log: &'a SecurityLog,
    /// The archive.
    pub storage: &'a dyn ArchiveStorage,
    /// When segments are closed and cut.
    pub policy: ArchivePolicy,
    /// The clock.
    pub clock: &'a dyn Clock,
    /// Randomness, for the ids of events.
    pub entropy: &'a dyn Entropy,
}

/// What a run does.
#[derive(Clone, Copy)]
enum ArchiveSteps {
    All,
    CutOnly,
}

/// A run in progress.
struct ArchiveTurn<'a> {
    archiver: &'a LogArchiver<'a>,
    log: &'a SecurityLog,
    storage: &'a dyn ArchiveStorage,
    claim: ArchiveClaim,
    totals: ArchiveRun,
    report: &'a mut (dyn FnMut(VerificationProgress) + Send),
}

impl LogArchiver<'_> {
    /// Erases requested origins from the archive, archives closed segments and cuts those that are older than
    /// the retention. One process does so at a time.
    pub async fn run(
        &self,
        tell: &mut (dyn FnMut(VerificationProgress) + Send),
    ) -> Result<ArchiveRun, SecurityLogError> {
        self.run_steps(ArchiveSteps::All, tell).await
    }

    /// Cuts archived segments that are older than the retention, and archives nothing.
    pub async fn cut_archived(
        &self,
        tell: &mut (dyn FnMut(VerificationProgress) + Send),
    ) -> Result<ArchiveRun, SecurityLogError> {
        self.run_steps(ArchiveSteps::CutOnly, tell).await
    }

    async fn run_steps(
        &self,
        steps: ArchiveSteps,
        tell: &mut (dyn FnMut(VerificationProgress) + Send),
    ) -> Result<ArchiveRun, SecurityLogError> {
        let now = self.clock.now();
        let claim = ArchiveClaim { until: now.plus(LOG_ARCHIVE_CLAIM) };
        let store = &self.log.store;
        if !store.commit(log_archive::claim_archive(claim, now)).await?.is_committed() {
            let until = log_archive::find_archive_claim(store).await?;
            return Err(SecurityLogError::ArchiveClaimed { until });
        }
        let mut turn = ArchiveTurn {
            archiver: self,
            log: self.log,
            storage: self.storage,
            claim,
            totals: ArchiveRun::default(),
            report: tell,
        };
        let result = match steps {
            ArchiveSteps::All => turn.run().await,
            ArchiveSteps::CutOnly => turn.cut_expired().await,
        };
        let released = log_archive::renew_claim(turn.claim, ArchiveClaim { until: Timestamp::EPOCH });
        let archive_run = turn.totals;
        // A claim that cannot be released expires.
        let _ = store.commit(WriteBatch::new().with_statement(released)).await;
        result.map(|()| archive_run)
    }
}

impl ArchiveTurn<'_> {
    async fn run(&mut self) -> Result<(), SecurityLogError> {
        self.erase_requested().await?;
        self.archive_closed().await?;
        self.cut_expired().await
    }

    fn now(&self) -> Timestamp {
        self.archiver.clock.now()
    }

    /// Commits a batch that conflicts if another process has claimed the archive since.
    async fn commit(&mut self, batch: WriteBatch) -> Result<(), SecurityLogError> {
        let next = ArchiveClaim { until: self.now().plus(LOG_ARCHIVE_CLAIM).max(self.claim.until) };
        let renewed = WriteBatch::new().with_statement(log_archive::renew_claim(self.claim, next));
        match self.log.store.commit(renewed.append(batch)).await? {
            BatchOutcome::Committed(_) => {
                self.claim = next;
                Ok(())
            }
            BatchOutcome::Conflict(_) => Err(SecurityLogError::Busy),
        }
    }

    async fn erase_requested(&mut self) -> Result<(), SecurityLogError> {
        let principal_ids = log_archive::list_requested_erasures(&self.log.store).await?;
        let principal_ids: BTreeSet<String> = principal_ids.into_iter().collect();
        if principal_ids.is_empty() {
            return Ok(());
        }
        self.totals.erased = origins::erase_origins(self.storage, &principal_ids).await?;
        let completed = principal_ids.iter().map(|principal_id| log_archive::complete_erasure(principal_id));
        self.commit(WriteBatch::new().with_statements(completed)).await
    }

    async fn archive_closed(&mut self) -> Result<(), SecurityLogError> {
        self.adopt_written().await?;
        let (stored, _) = self.log.load_trusted_head().await?;
        let start = self.log.load_trusted_records().await?.archived_end(self.log);
        let ends = self.plan_segments(start.position, &stored.head).await?;
        if ends.is_empty() {
            return Ok(());
        }
        let mut previous = start;
        for end in self.verify_to_head(start, &ends, &stored.head).await? {
            let segment = ArchivedLogSegment {
                first: previous.position + 1,
                last: end.position,
                previous: previous.hash,
                hash: end.hash,
            };
            let bytes = self.write_segment(&segment).await?;
            let name = segment_file::file_name(&segment, LogChainHash::digest_file(&bytes));
            self.storage.put(&name, &bytes).await?;
            self.record_segment(&name, previous).await?;
            previous = end;
        }
        Ok(())
    }

    /// Records segments that an interrupted run has written. They are signed, so they are used only if they
    /// continue the chain.
    async fn adopt_written(&mut self) -> Result<(), SecurityLogError> {
        loop {
            let end = self.log.load_trusted_records().await?.archived_end(self.log);
            let mut adopted = false;
            for name in self.storage.list(&segment_file::name_prefix(end.position + 1)).await? {
                let Some(bytes) = self.storage.get(&name).await? else { continue };
                let read = read_segment(&name, &bytes, TrustedKeys::Instance(&self.log.keys));
                let Ok(contents) = read else { continue };
                if contents.is_sound() && self.continues_chain(&contents, end).await? {
                    self.record_segment(&name, end).await?;
                    adopted = true;
                    break;
                }
            }
            if !adopted {
                return Ok(());
            }
        }
    }

    /// Whether the segment is the next part of this chain.
    async fn continues_chain(
        &mut self,
        contents: &SegmentContents,
        end: LogChainAnchor,
    ) -> Result<bool, SecurityLogError> {
        let segment = &contents.segment;
        let (stored, _) = self.log.load_trusted_head().await?;
        let follows = contents.instance == self.log.instance
            && segment.first == end.position + 1
            && segment.previous == end.hash
            && segment.last < stored.head.position;
        let chain_cursor = LogChainCursor::after_position(segment.last - 1);
        let links = log_chain::list_chain_links(&self.log.store, chain_cursor, segment.last, 1).await?;
        Ok(follows && links.first().is_some_and(|link| link.hash == segment.hash))
    }

    /// The last positions of the segments that are closed. The head is never part of one, so that the sealer
    /// finds the event that it continues.
    async fn plan_segments(&mut self, after: i64, head: &LogChainHead) -> Result<Vec<i64>, SecurityLogError> {
        let limit = i64::from(self.archiver.policy.segment_events.max(1));
        let available = head.position - 1 - after;
        let mut ends: Vec<i64> = (1..=available / limit).map(|number| after + number * limit).collect();
        let rest = ends.last().copied().unwrap_or(after);
        if rest < head.position - 1 {
            let first = LogChainCursor::after_position(rest);
            let links = log_chain::list_chain_links(&self.log.store, first, rest + 1, 1).await?;
            let closed_before = self.now().minus(self.archiver.policy.segment_age);
            let event = links.first().and_then(|link| link.event.as_ref());
            if event.is_some_and(|event| event.at <= closed_before) {
                ends.push(head.position - 1);
            }
        }
        Ok(ends)
    }

    /// Verifies the chain from the last archived segment to the head. Returns the hashes at these positions,
    /// which the signed head confirms.
    async fn verify_to_head(
        &mut self,
        start: LogChainAnchor,
        ends: &[i64],
        head: &LogChainHead,
    ) -> Result<Vec<LogChainAnchor>, SecurityLogError> {
        let gaps = ChainGapPolicy::AreFindings;
        let mut walk = LogChainVerifier::resume_from(start.position, Some(start.hash), gaps, []);
        let mut chain_anchors = Vec::with_capacity(ends.len());
        let mut cursor = LogChainCursor::after_position(start.position);
        loop {
            let links = log_chain::list_chain_links(&self.log.store, cursor, head.position, PAGE).await?;
            let Some(last) = links.last() else { break };
            cursor = LogChainCursor::after_link(last);
            for link in &links {
                require_no_findings(walk.verify_link(link, None))?;
                if ends.get(chain_anchors.len()) == Some(&link.position) {
                    chain_anchors.push(LogChainAnchor { position: link.position, hash: link.hash });
                }
            }
            let (position, of) = (walk.position().unsigned_abs(), head.position.unsigned_abs());
            (self.report)(VerificationProgress::Position { completed: position, total: of });
        }
        require_no_findings(walk.finish(head).0)?;
        Ok(chain_anchors)
    }

    /// The file of a segment. Its events end in the hash that was verified, so they are those.
    async fn write_segment(&mut self, segment: &ArchivedLogSegment) -> Result<Vec<u8>, SecurityLogError> {
        let gaps = ChainGapPolicy::AreFindings;
        let mut walk = LogChainVerifier::resume_from(segment.first - 1, Some(segment.previous), gaps, []);
        let mut file = SegmentWriter::new();
        let mut lines = file.start(self.log, segment)?;
        let mut cursor = LogChainCursor::after_position(segment.first - 1);
        loop {
            let links = log_chain::list_chain_links(&self.log.store, cursor, segment.last, PAGE).await?;
            let Some(last) = links.last() else { break };
            cursor = LogChainCursor::after_link(last);
            for link in &links {
                let previous = walk.hash_before(link.position);
                require_no_findings(walk.verify_link(link, None))?;
                if let Some(previous) = previous {
                    segment_file::write_link(&mut lines, link, previous)?;
                }
            }
        }
        let end = LogChainHead { position: segment.last, hash: segment.hash, sealed_at: self.now() };
        require_no_findings(walk.finish(&end).0)?;
        lines.finish(self.log, sinete_core::events::log_chain::segment_file_signed_bytes)?;
        file.finish()
    }

    /// Reads a file back, verifies it and records its segment.
    async fn record_segment(&mut self, name: &str, end: LogChainAnchor) -> Result<(), SecurityLogError> {
        let (contents, digest, bytes) = self.read_file(name).await?;
        let segment = contents.segment;
        if segment.first != end.position + 1 || segment.previous != end.hash {
            return Err(tampered_archive(ArchiveDefect::FileMisplaced { file: name.to_owned() }));
        }
        let key = self.log.keys.signing_key()?;
        let signed = segment.signed_bytes(self.log.instance, digest);
        let now = self.now();
        let times = contents.links.iter().filter_map(|link| link.event.as_ref().map(|event| event.at));
        let record = ArchivedSegment {
            segment,
            last_at: times.max().unwrap_or(now),
            file: ArchivedFile { name: name.to_owned(), bytes: bytes.try_into().unwrap_or(i64::MAX), digest },
            archived_at: now,
            kid: key.kid().to_owned(),
            signature: key.sign(&signed).map_err(|_| SecurityLogError::SigningFailed)?,
        };
        let event = self
            .event(EventKind::LogArchived)
            .with_detail("first", segment.first)
            .with_detail("last", segment.last)
            .with_detail("file", name)
            .with_detail("sha256", digest.to_string());
        let batch = WriteBatch::new().with_statement(log_archive::record_segment(&record));
        self.commit(batch.with_event(&event)).await?;
        self.totals.segments += 1;
        self.totals.events += segment.events();
        self.totals.bytes += bytes;
        Ok(())
    }

    /// Reads and verifies the file of a segment. Anything wrong with it is an error.
    async fn read_file(
        &mut self,
        name: &str,
    ) -> Result<(SegmentContents, LogChainHash, u64), SecurityLogError> {
        let Some(bytes) = self.storage.get(name).await? else {
            return Err(tampered_archive(ArchiveDefect::FileMissing { file: name.to_owned() }));
        };
        let wrong = |finding| SecurityLogError::Tampered(Box::new(finding));
        let mut contents =
            read_segment(name, &bytes, TrustedKeys::Instance(&self.log.keys)).map_err(wrong)?;
        require_no_findings(contents.take_findings())?;
        if contents.instance != self.log.instance {
            return Err(tampered_archive(ArchiveDefect::FileMisplaced { file: name.to_owned() }));
        }
        Ok((contents, LogChainHash::digest_file(&bytes), bytes.len() as u64))
    }

    fn event(&self, kind: EventKind) -> SecurityEvent {
        SecurityEvent::new(kind, SecurityEventActor::System, self.now(), self.archiver.entropy)
    }
}

fn tampered_archive(defect: ArchiveDefect) -> SecurityLogError {
    SecurityLogError::Tampered(Box::new(segment_file::archive_defect(defect)))
}
