//! Verification of the whole log: every link of the chain, its head, and that no event is missing from the
//! chain.
//!
//! It reads page by page beside a running server. Events sealed meanwhile are after the head that was read
//! first, and are left to the next verification.

use super::{SecurityLog, SecurityLogError, VerificationProgress, signed_head};
use sinete_core::events::log_chain::{
    ChainGapPolicy, ChainVerificationStats, LogChainAnchor, LogChainHead, LogChainVerifier, LogDefect,
    LogFinding,
};
use sinete_core::id::EventId;
use sinete_core::limits::LOG_SEALING_WINDOW;
use sinete_core::time::Timestamp;
use sinete_store::events::log_chain;
use sinete_store::events::log_chain::{LogChainCursor, StoredChainHead};
use sinete_store::{Store, StoreFailure};

/// Page size for reading rows.
const PAGE: u32 = 1000;

/// The result of a verification, apart from the findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogVerification {
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

impl SecurityLog {
    /// Verifies the whole log and the recorded heads. Findings are reported to `tell` as they occur; an error
    /// means that the log could not be verified.
    pub async fn verify_log(
        &self,
        anchors: &[LogChainAnchor],
        now: Timestamp,
        tell: &mut (dyn FnMut(VerificationProgress) + Send),
    ) -> Result<LogVerification, SecurityLogError> {
        let mut check = LogCheck { store: &self.store, report: tell, findings: 0, last: None };
        let stored = match log_chain::find_chain_head(&self.store).await {
            Ok(Some(stored)) => Some(stored),
            Ok(None) => check.add_finding(LogFinding::for_log(LogDefect::HeadMissing)),
            Err(StoreFailure::Damaged(what)) => {
                check.add_finding(LogFinding::for_log(LogDefect::HeadUnreadable(what)))
            }
            Err(failed) => return Err(failed.into()),
        };
        if let Some(stored) = &stored {
            check.add_findings(signed_head::find_head_problems(&self.keys, self.instance, stored));
        }
        let walk = LogChainVerifier::new(self.instance, ChainGapPolicy::AreFindings, anchors.iter().copied());
        let tally = check.check_chain(walk, stored.as_ref().map(|stored| &stored.head)).await?;
        let floor = check.lowest_unsealed_id(stored.as_ref(), now);
        check.check_unplaced_events(floor).await?;
        let waiting = log_chain::count_unsealed_events(&self.store, floor).await?;
        let oldest = log_chain::list_unsealed_events(&self.store, floor, 1).await;
        let waiting_since = match oldest {
            Ok(events) => events.first().map(|event| event.id.minted_at()),
            Err(StoreFailure::Damaged(what)) => {
                check.add_finding(LogFinding::for_log(LogDefect::Unreadable(what)))
            }
            Err(failed) => return Err(failed.into()),
        };
        let head = stored.map(|stored| stored.head);
        Ok(LogVerification { findings: check.findings, tally, unsealed: waiting, waiting_since, head })
    }
}

struct LogCheck<'a> {
    store: &'a Store,
    report: &'a mut (dyn FnMut(VerificationProgress) + Send),
    findings: u64,
    /// The last event in the chain so far.
    last: Option<EventId>,
}

impl LogCheck<'_> {
    /// Verifies the chain up to its head, or to its end if there is no head.
    async fn check_chain(
        &mut self,
        mut walk: LogChainVerifier,
        head: Option<&LogChainHead>,
    ) -> Result<ChainVerificationStats, SecurityLogError> {
        self.check_before_first(&mut walk).await?;
        let end = head.map_or(i64::MAX, |head| head.position);
        let mut cursor = LogChainCursor::after_position(0);
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
            let Some(last) = links.last() else { break };
            cursor = LogChainCursor::after_link(last);
            self.last = Some(last.event_id);
            for link in &links {
                self.add_findings(walk.verify_link(link, None));
            }
            let of = head.map_or(0, |head| head.position.unsigned_abs());
            (self.report)(VerificationProgress::Reached { done: walk.position().unsigned_abs(), of });
        }
        let (findings, tally) = match head {
            Some(head) => walk.finish(head),
            None => walk.finish_without_head(),
        };
        self.add_findings(findings);
        Ok(tally)
    }

    /// Checks for positions below one, which no page would include.
    async fn check_before_first(&mut self, walk: &mut LogChainVerifier) -> Result<(), SecurityLogError> {
        match log_chain::list_chain_links(self.store, LogChainCursor::START, 0, PAGE).await {
            Ok(links) => links.iter().for_each(|link| self.add_findings(walk.verify_link(link, None))),
            Err(StoreFailure::Damaged(what)) => {
                self.add_findings([LogFinding::at_position(0, LogDefect::Unreadable(what))])
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
            Err(StoreFailure::Damaged(what)) => {
                self.add_findings(walk.skip_unreadable_link(walk.position().saturating_add(1), what));
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
                        self.last = Some(link.event_id);
                        self.add_findings(walk.verify_link(link, None));
                    }
                }
                Err(StoreFailure::Damaged(what)) => {
                    self.add_findings(walk.skip_unreadable_link(position, what))
                }
                Err(failed) => return Err(failed.into()),
            }
        }
        Ok(!positions.is_empty())
    }

    /// The lowest id that an unsealed event may have.
    fn lowest_unsealed_id(&self, stored: Option<&StoredChainHead>, now: Timestamp) -> EventId {
        let last = stored.and_then(|stored| stored.last.map(|(event, _)| event)).or(self.last);
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
            for placement in placements.iter().filter(|placement| !placement.has_place) {
                match <[u8; 16]>::try_from(placement.id.as_slice()) {
                    Ok(id) => {
                        let id = EventId::from_bytes(id);
                        self.add_findings([LogFinding::for_event(None, id, LogDefect::NeverSealed)]);
                    }
                    Err(_) => {
                        let what = format!("an event has an id of {} bytes", placement.id.len());
                        self.add_findings([LogFinding::for_log(LogDefect::Unreadable(what))]);
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
            (self.report)(VerificationProgress::Found(finding));
        }
    }
}
