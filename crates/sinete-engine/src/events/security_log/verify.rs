//! Verification of the whole log: every link of the chain, its head, and that no event is missing from the
//! chain.
//!
//! It reads page by page beside a running server. Events sealed meanwhile are after the head that was read
//! first, and are left to the next verification.

use super::archive_records::archive_finding;
use super::{SecurityLog, SecurityLogError, VerificationProgress, signed_head};
use sinete_core::events::log_chain::{
    ArchiveDefect, ChainGapPolicy, ChainVerificationStats, LogChainAnchor, LogChainHash, LogChainHead,
    LogChainLink, LogChainVerifier, LogDefect, LogFinding,
};
use sinete_core::events::security_event::EventKind;
use sinete_core::id::EventId;
use sinete_core::limits::LOG_SEALING_WINDOW;
use sinete_core::time::Timestamp;
use sinete_store::events::log_chain;
use sinete_store::events::log_chain::{LogChainCursor, StoredChainHead};
use sinete_store::events::log_verification::LogVerificationRow;
use sinete_store::events::security_log::{NewestEvents, NewestEventsOf};
use sinete_store::events::{log_verification, security_log};
use sinete_store::{Store, StoreFailure, WriteBatch};
use std::collections::BTreeMap;

/// Page size for reading rows.
const PAGE: u32 = 1000;

/// The result of a verification, apart from the findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogVerificationSummary {
    /// The number of findings.
    pub findings: u64,
    /// The counts.
    pub tally: ChainVerificationStats,
    /// The number of unsealed events.
    pub unsealed: u64,
    /// The time of the oldest unsealed event.
    pub waiting_since: Option<Timestamp>,
    /// The head, if it can be read.
    pub head: Option<LogChainHead>,
}

impl LogVerificationSummary {
    /// Records the verification that began at this time, so that operators see when the log was last verified. An
    /// archive that was read too may have findings of its own.
    pub async fn record(
        &self,
        store: &Store,
        began_at: Timestamp,
        archive_findings: u64,
    ) -> Result<(), StoreFailure> {
        let row = LogVerificationRow {
            verified_at: began_at,
            events: self.tally.links,
            findings: self.findings.saturating_add(archive_findings),
            head: self.head.as_ref().map(LogChainHead::anchor),
        };
        let batch = WriteBatch::new().with_statement(log_verification::record_verification(&row));
        store.commit(batch).await.map(|_| ())
    }
}

impl SecurityLog {
    /// Verifies the whole log and the recorded heads. Findings are reported to `tell` as they occur; an error
    /// means that the log could not be verified.
    pub async fn verify_log(
        &self,
        anchors: &[LogChainAnchor],
        now: Timestamp,
        tell: &mut (dyn FnMut(VerificationProgress) + Send),
    ) -> Result<LogVerificationSummary, SecurityLogError> {
        let mut check = LogCheck {
            store: &self.store,
            report: tell,
            findings: 0,
            last_event: None,
            archived_ends: BTreeMap::new(),
        };
        let stored = match log_chain::find_chain_head(&self.store).await {
            Ok(Some(stored)) => Some(stored),
            Ok(None) if self.was_never_sealed().await? => None,
            Ok(None) => check.add_finding(LogFinding::for_log(LogDefect::HeadMissing)),
            Err(StoreFailure::Damaged(reason)) => {
                check.add_finding(LogFinding::for_log(LogDefect::HeadUnreadable(reason)))
            }
            Err(failed) => return Err(failed.into()),
        };
        if let Some(stored) = &stored {
            check.add_findings(signed_head::find_head_problems(&self.keys, self.instance, stored));
        }
        let mut records = self.load_archive_records().await?;
        check.add_findings(std::mem::take(&mut records.findings));
        let start = records.cut_end(self);
        check.archived_ends =
            records.segments.iter().map(|record| (record.segment.last, record.segment.hash)).collect();
        let gaps = ChainGapPolicy::AreFindings;
        let (chain_anchors, cut): (Vec<_>, Vec<_>) =
            anchors.iter().copied().partition(|anchor| anchor.position >= start.position);
        let walk = LogChainVerifier::resume_from(start.position, Some(start.hash), gaps, chain_anchors);
        let mut tally = check.check_chain(walk, self, stored.as_ref().map(|stored| &stored.head)).await?;
        check.compare_cut_anchors(&cut, &mut tally);
        let floor = check.lowest_unsealed_id(stored.as_ref(), now);
        check.check_unplaced_events(floor).await?;
        let unsealed_count = log_chain::count_unsealed_events(&self.store, floor).await?;
        let oldest = log_chain::list_unsealed_events(&self.store, floor, 1).await;
        let waiting_since = match oldest {
            Ok(events) => events.first().map(|event| event.id.minted_at()),
            Err(StoreFailure::Damaged(reason)) => {
                check.add_finding(LogFinding::for_log(LogDefect::Unreadable(reason)))
            }
            Err(failed) => return Err(failed.into()),
        };
        let head = stored.map(|stored| stored.head);
        Ok(LogVerificationSummary {
            findings: check.findings,
            tally,
            unsealed: unsealed_count,
            waiting_since,
            head,
        })
    }

    /// Whether no server has started on this database yet, so that all its events are from commands and wait to be
    /// sealed. The first start creates the key and the head together, and then records itself: if any of that is
    /// there, a missing head was removed.
    async fn was_never_sealed(&self) -> Result<bool, SecurityLogError> {
        if !self.keys.is_empty() {
            return Ok(false);
        }
        let started = NewestEvents {
            scope: NewestEventsOf::All,
            kind: Some(EventKind::ServerStarted.name()),
            address: None,
            before: None,
            since: None,
        };
        let links = log_chain::list_chain_links(&self.store, LogChainCursor::START, i64::MAX, 1).await;
        let started = security_log::list_newest_events(&self.store, started, 1).await;
        match (links, started) {
            (Ok(links), Ok(started)) => Ok(links.is_empty() && started.is_empty()),
            (Err(StoreFailure::Damaged(_)), _) | (_, Err(StoreFailure::Damaged(_))) => Ok(false),
            (Err(failed), _) | (_, Err(failed)) => Err(failed.into()),
        }
    }
}

struct LogCheck<'a> {
    store: &'a Store,
    report: &'a mut (dyn FnMut(VerificationProgress) + Send),
    findings: u64,
    /// The last event in the chain so far.
    last_event: Option<EventId>,
    /// The hashes at the ends of archived segments, by position.
    archived_ends: BTreeMap<i64, LogChainHash>,
}

impl LogCheck<'_> {
    /// Verifies the chain up to its head, or to its end if there is no head.
    async fn check_chain(
        &mut self,
        mut walk: LogChainVerifier,
        log: &SecurityLog,
        head: Option<&LogChainHead>,
    ) -> Result<ChainVerificationStats, SecurityLogError> {
        self.check_before_first(&mut walk).await?;
        let end = head.map_or(i64::MAX, |head| head.position);
        let mut skipped = 0;
        let mut cursor = LogChainCursor::after_position(walk.position());
        loop {
            let links = match log_chain::list_chain_links(self.store, cursor, end, PAGE).await {
                Ok(links) => links,
                Err(StoreFailure::Damaged(_)) => {
                    if !self.check_links_singly(&mut walk, end).await? {
                        break;
                    }
                    cursor = LogChainCursor::after_position(walk.position());
                    continue;
                }
                Err(failed) => return Err(failed.into()),
            };
            // Where positions are missing, the log may have been cut meanwhile: the chain continues at the
            // checkpoint.
            let expected = walk.position().saturating_add(1);
            if links.first().is_none_or(|first| first.position > expected)
                && expected <= end
                && skip_cut_events(log, &mut walk).await?
            {
                skipped = walk.position();
                cursor = LogChainCursor::after_position(skipped);
                continue;
            }
            let Some(last) = links.last() else { break };
            cursor = LogChainCursor::after_link(last);
            self.last_event = Some(last.event_id);
            for link in &links {
                self.check_link(&mut walk, link);
            }
            let of = head.map_or(0, |head| head.position.unsigned_abs());
            (self.report)(VerificationProgress::Position {
                completed: walk.position().unsigned_abs(),
                total: of,
            });
        }
        let (findings, tally) = match head {
            // What the head confirmed was cut meanwhile, with a checkpoint beyond it.
            Some(head) if skipped > head.position => walk.finish_without_head(),
            Some(head) => walk.finish(head),
            None => walk.finish_without_head(),
        };
        self.add_findings(findings);
        Ok(tally)
    }

    /// Verifies a link, and that an archived segment that ends there has the same hash.
    fn check_link(&mut self, walk: &mut LogChainVerifier, link: &LogChainLink) {
        self.add_findings(walk.verify_link(link, None));
        if self.archived_ends.get(&link.position).is_some_and(|hash| *hash != link.hash) {
            self.add_findings([archive_finding(link.position, ArchiveDefect::SegmentDiffers)]);
        }
    }

    /// Compares recorded heads that were cut with the ends of archived segments. Others need the archive.
    fn compare_cut_anchors(&mut self, anchors: &[LogChainAnchor], tally: &mut ChainVerificationStats) {
        for anchor in anchors {
            match self.archived_ends.get(&anchor.position) {
                Some(hash) if *hash == anchor.hash => tally.anchors += 1,
                Some(_) => self.add_findings([LogFinding::at_position(
                    anchor.position,
                    LogDefect::AnchorDiffers(*anchor),
                )]),
                None => tally.anchors_out_of_reach += 1,
            }
        }
    }

    /// Checks for positions below the first one, which no page would include.
    async fn check_before_first(&mut self, walk: &mut LogChainVerifier) -> Result<(), SecurityLogError> {
        match log_chain::list_chain_links(self.store, LogChainCursor::START, walk.position(), PAGE).await {
            Ok(links) => links.iter().for_each(|link| self.add_findings(walk.verify_link(link, None))),
            Err(StoreFailure::Damaged(reason)) => {
                self.add_findings([LogFinding::at_position(0, LogDefect::Unreadable(reason))])
            }
            Err(failed) => return Err(failed.into()),
        }
        Ok(())
    }

    /// Reads the next links one by one, because one of them cannot be read. Returns whether there may be
    /// more.
    async fn check_links_singly(
        &mut self,
        walk: &mut LogChainVerifier,
        end: i64,
    ) -> Result<bool, SecurityLogError> {
        let positions = match log_chain::list_chain_positions(self.store, walk.position(), end, PAGE).await {
            Ok(positions) => positions,
            Err(StoreFailure::Damaged(reason)) => {
                self.add_findings(walk.skip_unreadable_link(walk.position().saturating_add(1), reason));
                return Ok(false);
            }
            Err(failed) => return Err(failed.into()),
        };
        for &position in &positions {
            match log_chain::list_chain_links(
                self.store,
                LogChainCursor::after_position(position - 1),
                position,
                PAGE,
            )
            .await
            {
                Ok(links) => {
                    for link in &links {
                        self.last_event = Some(link.event_id);
                        self.check_link(walk, link);
                    }
                }
                Err(StoreFailure::Damaged(reason)) => {
                    self.add_findings(walk.skip_unreadable_link(position, reason))
                }
                Err(failed) => return Err(failed.into()),
            }
        }
        Ok(!positions.is_empty())
    }

    /// The lowest id that an unsealed event may have.
    fn lowest_unsealed_id(&self, stored: Option<&StoredChainHead>, now: Timestamp) -> EventId {
        let last = stored.and_then(|stored| stored.last.map(|(event, _)| event)).or(self.last_event);
        let head = stored.map(|stored| stored.head);
        match (head, last) {
            (Some(head), last) => head.sealing_floor(last, now, LOG_SEALING_WINDOW),
            (None, Some(last)) => {
                EventId::lower_bound_at(now.min(last.minted_at()).minus(LOG_SEALING_WINDOW))
            }
            (None, None) => EventId::lower_bound_at(Timestamp::EPOCH),
        }
    }

    /// Finds events that no sealer will ever seal.
    async fn check_unplaced_events(&mut self, floor: EventId) -> Result<(), SecurityLogError> {
        let mut after = Vec::new();
        loop {
            let placements = log_chain::list_event_placements(self.store, &after, floor, PAGE).await?;
            let Some(last) = placements.last() else { return Ok(()) };
            after.clone_from(&last.id);
            for placement in placements.iter().filter(|placement| !placement.has_position) {
                match <[u8; 16]>::try_from(placement.id.as_slice()) {
                    Ok(id) => {
                        let id = EventId::from_bytes(id);
                        self.add_findings([LogFinding::for_event(None, id, LogDefect::NeverSealed)]);
                    }
                    Err(_) => {
                        let reason = format!("an event has an id of {} bytes", placement.id.len());
                        self.add_findings([LogFinding::for_log(LogDefect::Unreadable(reason))]);
                    }
                }
            }
        }
    }

    fn add_finding<T>(&mut self, finding: LogFinding) -> Option<T> {
        self.add_findings([finding]);
        None
    }

    fn add_findings(&mut self, findings: impl IntoIterator<Item = LogFinding>) {
        for finding in findings {
            self.findings += 1;
            (self.report)(VerificationProgress::Finding(finding));
        }
    }
}

/// Continues at the checkpoint, if the log was cut beyond the verifier meanwhile. Returns whether it was.
async fn skip_cut_events(log: &SecurityLog, walk: &mut LogChainVerifier) -> Result<bool, SecurityLogError> {
    match log.load_trusted_checkpoint().await {
        Ok(Some(cut)) if cut.position > walk.position() => {
            walk.skip_to(cut.position, cut.hash);
            Ok(true)
        }
        // A wrong checkpoint was reported before; what is missing is reported by the verifier.
        Ok(_) | Err(SecurityLogError::Tampered(_) | SecurityLogError::Store(StoreFailure::Damaged(_))) => {
            Ok(false)
        }
        Err(failed) => Err(failed),
    }
}
