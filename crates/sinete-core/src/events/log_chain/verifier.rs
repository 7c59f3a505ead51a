//! Verifies the hash chain, link by link.
//!
//! Each link is checked against the stored hash of the previous link, not against the computed one: a single
//! change is then a single finding, and all later links are still checked. This is not weaker, because the
//! last stored hash must equal the signed head's.

use super::{
    LogChainAnchor, LogChainHash, LogChainHead, LogDefect, LogFinding, LoggedEvent, PersonalEventData,
};
use crate::id::{EventId, InstanceId};
use crate::time::Timestamp;
use std::collections::BTreeSet;

/// One link of the chain, with its stored event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogChainLink {
    /// The position, starting at one.
    pub position: i64,
    /// The id of the event at this position.
    pub event_id: EventId,
    /// The hash of the chain up to this position.
    pub hash: LogChainHash,
    /// The event, if it exists.
    pub event: Option<LoggedEvent>,
    /// The event's personal data, if it exists.
    pub personal: Option<PersonalEventData>,
}

/// Whether missing positions are findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainGapPolicy {
    /// Missing positions are findings: this is the whole log.
    AreFindings,
    /// Missing positions are expected: this is a selection.
    AreExpected,
}

/// A verifier that goes through a chain from its beginning to its head.
#[derive(Debug)]
pub struct LogChainVerifier {
    gaps: ChainGapPolicy,
    position: i64,
    /// The hash stored at `position`; `None` if that position is missing.
    previous: Option<LogChainHash>,
    anchors: BTreeSet<LogChainAnchor>,
    tally: ChainVerificationStats,
}

/// Counts of what was verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChainVerificationStats {
    /// Links of the chain.
    pub links: u64,
    /// Events whose personal data was erased or is not part of the verified data.
    pub without_personal: u64,
    /// Anchors found in the chain.
    pub anchors: u64,
    /// Anchors outside a selection, which could not be compared.
    pub anchors_out_of_reach: u64,
}

impl LogChainVerifier {
    /// Starts at the beginning of an instance's chain.
    pub fn new(
        instance: InstanceId,
        gaps: ChainGapPolicy,
        anchors: impl IntoIterator<Item = LogChainAnchor>,
    ) -> Self {
        let genesis = LogChainHead::new_genesis(instance, Timestamp::EPOCH);
        Self {
            gaps,
            position: 0,
            previous: Some(genesis.hash),
            anchors: anchors.into_iter().collect(),
            tally: ChainVerificationStats::default(),
        }
    }

    /// Continues after a position whose hash may be known.
    pub fn resume_from(
        position: i64,
        hash: Option<LogChainHash>,
        gaps: ChainGapPolicy,
        anchors: impl IntoIterator<Item = LogChainAnchor>,
    ) -> Self {
        let (anchors, out_of_reach): (BTreeSet<_>, BTreeSet<_>) =
            anchors.into_iter().partition(|anchor: &LogChainAnchor| anchor.position >= position);
        let tally = ChainVerificationStats {
            anchors_out_of_reach: out_of_reach.len() as u64,
            ..ChainVerificationStats::default()
        };
        Self { gaps, position, previous: hash, anchors, tally }
    }

    /// The current position.
    pub const fn position(&self) -> i64 {
        self.position
    }

    /// The counts so far.
    pub const fn stats(&self) -> ChainVerificationStats {
        self.tally
    }

    /// The hash before `position`, if the verifier is there.
    pub fn hash_before(&self, position: i64) -> Option<LogChainHash> {
        self.previous.filter(|_| self.position.checked_add(1) == Some(position))
    }

    /// Verifies the next link. `stated` is the previous hash that the link states, if it carries one.
    pub fn verify_link(&mut self, link: &LogChainLink, stated: Option<LogChainHash>) -> Vec<LogFinding> {
        let mut findings = Vec::new();
        if link.position <= self.position {
            findings.push(LogFinding::for_event(
                Some(link.position),
                link.event_id,
                LogDefect::PositionInvalid,
            ));
            return findings;
        }
        if self.previous.is_none() && self.position + 1 == link.position {
            self.previous = stated;
        }
        findings.extend(self.advance_to(link.position));
        self.tally.links += 1;
        let new_finding = |defect| LogFinding::for_event(Some(link.position), link.event_id, defect);
        let before = match (self.previous, stated) {
            (Some(expected), Some(stated)) if expected != stated => {
                findings.push(new_finding(LogDefect::Unlinked));
                Some(stated)
            }
            (Some(expected), _) => Some(expected),
            (None, stated) => stated,
        };
        match &link.event {
            None => findings.push(new_finding(LogDefect::EventMissing)),
            Some(event) => {
                let hash_is_wrong = before.is_some_and(|before| event.hash_after(before) != link.hash);
                if hash_is_wrong || event.id != link.event_id {
                    findings.push(new_finding(LogDefect::Changed));
                }
                findings.extend(self.check_personal_data(event, link.personal.as_ref()).map(new_finding));
                if !event.has_consistent_timestamp() {
                    let minted_at = event.id.minted_at();
                    findings.push(new_finding(LogDefect::TimeDiffersFromId { at: event.at, minted_at }));
                }
            }
        }
        self.previous = Some(link.hash);
        findings.extend(self.compare_anchors());
        findings
    }

    /// Continues after a position, because everything up to it was archived and cut meanwhile.
    pub fn skip_to(&mut self, position: i64, hash: LogChainHash) {
        let reachable = self.anchors.split_off(&LogChainAnchor { position, hash: LogChainHash::LOWEST });
        self.tally.anchors_out_of_reach += self.anchors.len() as u64;
        self.anchors = reachable;
        self.position = position;
        self.previous = Some(hash);
    }

    /// Records a link that exists but cannot be read.
    pub fn skip_unreadable_link(&mut self, position: i64, reason: String) -> Vec<LogFinding> {
        let mut findings = self.advance_to(position);
        findings.push(LogFinding::at_position(position, LogDefect::Unreadable(reason)));
        self.tally.links += 1;
        self.previous = None;
        findings
    }

    /// Finishes at the head: the chain must end exactly there.
    pub fn finish(mut self, head: &LogChainHead) -> (Vec<LogFinding>, ChainVerificationStats) {
        let last = self.position;
        if last == head.position && self.previous.is_none() {
            self.previous = Some(head.hash);
        }
        let mut findings = self.compare_anchors();
        if last < head.position && self.gaps == ChainGapPolicy::AreFindings {
            findings.push(LogFinding::at_position(last, LogDefect::ChainTooShort { head: head.position }));
        } else if last > head.position {
            findings.push(LogFinding::at_position(last, LogDefect::ChainTooLong { head: head.position }));
        } else if last == head.position && self.previous.is_some_and(|hash| hash != head.hash) {
            findings.push(LogFinding::at_position(last, LogDefect::HeadDiffers));
        }
        // The head itself confirms an anchor at its position, even if that link was not visited.
        if last < head.position && self.anchors.remove(&head.anchor()) {
            self.tally.anchors += 1;
        }
        findings.extend(self.leave_anchors_before(i64::MAX));
        (findings, self.tally)
    }

    /// Finishes without a head to compare with.
    pub fn finish_without_head(mut self) -> (Vec<LogFinding>, ChainVerificationStats) {
        let mut findings = self.compare_anchors();
        findings.extend(self.leave_anchors_before(i64::MAX));
        (findings, self.tally)
    }

    /// Advances to the position and reports missing ones.
    fn advance_to(&mut self, position: i64) -> Vec<LogFinding> {
        let mut findings = self.compare_anchors();
        let expected = self.position.saturating_add(1);
        if position > expected {
            self.previous = None;
            if self.gaps == ChainGapPolicy::AreFindings {
                let wrong = LogDefect::PositionsMissing { from: expected, to: position - 1 };
                findings.push(LogFinding::for_log(wrong));
            }
        }
        findings.extend(self.leave_anchors_before(position));
        self.position = position;
        findings
    }

    /// Reports anchors whose positions are missing.
    fn leave_anchors_before(&mut self, position: i64) -> Vec<LogFinding> {
        let mut findings = Vec::new();
        while let Some(&anchor) = self.anchors.first().filter(|anchor| anchor.position < position) {
            self.anchors.remove(&anchor);
            match self.gaps {
                ChainGapPolicy::AreFindings => {
                    findings.push(LogFinding::for_log(LogDefect::AnchorMissing(anchor)))
                }
                ChainGapPolicy::AreExpected => self.tally.anchors_out_of_reach += 1,
            }
        }
        findings
    }

    /// Compares the anchors for the current position.
    fn compare_anchors(&mut self) -> Vec<LogFinding> {
        let mut findings = Vec::new();
        while let Some(&anchor) = self.anchors.first().filter(|anchor| anchor.position == self.position) {
            self.anchors.remove(&anchor);
            if self.previous == Some(anchor.hash) {
                self.tally.anchors += 1;
            } else {
                findings.push(LogFinding::at_position(anchor.position, LogDefect::AnchorDiffers(anchor)));
            }
        }
        findings
    }

    fn check_personal_data(
        &mut self,
        event: &LoggedEvent,
        personal: Option<&PersonalEventData>,
    ) -> Option<LogDefect> {
        match (event.personal_hash, personal) {
            (None, None) => None,
            (None, Some(_)) => Some(LogDefect::PersonalDataAdded),
            (Some(_), None) => {
                self.tally.without_personal += 1;
                None
            }
            (Some(hash), Some(personal)) => {
                (personal.compute_hash() != hash).then_some(LogDefect::PersonalDataChanged)
            }
        }
    }
}

#[cfg(test)]
mod tests;
