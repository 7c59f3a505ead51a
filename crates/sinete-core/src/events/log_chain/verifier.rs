//! Walking along the chain, link by link, and saying what is wrong.
//!
//! Each link is checked against the hash that is stored before it, not against the one we computed: a single
//! change is then a single finding, and everything after it is still checked. That is no weaker, because
//! the last stored hash has to be the signed head's.

use super::{
    LogChainAnchor, LogChainHash, LogChainHead, LogDefect, LogFinding, LoggedEvent, PersonalEventData,
};
use crate::id::{EventId, InstanceId};
use crate::time::Timestamp;
use std::collections::BTreeSet;

/// One place of the chain with whatever is found there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogChainLink {
    /// The position, counted from one.
    pub position: i64,
    /// The event that has this place.
    pub event_id: EventId,
    /// The hash of the chain up to here.
    pub hash: LogChainHash,
    /// The event, if it is there.
    pub event: Option<LoggedEvent>,
    /// Where its request came from, if that is there.
    pub personal: Option<PersonalEventData>,
}

/// Whether every position has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainGapPolicy {
    /// A position that is missing is a finding: this is the whole log.
    AreFindings,
    /// Positions may be missing: this is a selection.
    AreExpected,
}

/// A walk along a chain, from its beginning to its head.
#[derive(Debug)]
pub struct LogChainVerifier {
    gaps: ChainGapPolicy,
    position: i64,
    /// The hash stored at `position`; unknown when that place is missing.
    previous: Option<LogChainHash>,
    anchors: BTreeSet<LogChainAnchor>,
    tally: ChainVerificationStats,
}

/// What was seen on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChainVerificationStats {
    /// Links of the chain.
    pub links: u64,
    /// Events of which it was erased where they came from, or is not part of what was walked.
    pub without_personal: u64,
    /// Noted heads that were found to stand in the chain.
    pub anchors: u64,
    /// Noted heads that a selection does not reach, so that nothing can be said about them.
    pub anchors_out_of_reach: u64,
}

impl LogChainVerifier {
    /// A walk from the beginning of an instance's chain.
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

    /// A walk that goes on after a position, whose hash may be known.
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

    /// Where the walk has come to.
    pub const fn position(&self) -> i64 {
        self.position
    }

    /// What was seen so far.
    pub const fn stats(&self) -> ChainVerificationStats {
        self.tally
    }

    /// The hash at the place before `position`, if the walk stands there.
    pub fn hash_before(&self, position: i64) -> Option<LogChainHash> {
        self.previous.filter(|_| self.position.checked_add(1) == Some(position))
    }

    /// The next link. `said` is the hash it claims to follow, where it carries one.
    pub fn verify_link(&mut self, link: &LogChainLink, said: Option<LogChainHash>) -> Vec<LogFinding> {
        let mut findings = Vec::new();
        if link.position <= self.position {
            findings.push(LogFinding::for_event(
                Some(link.position),
                link.event_id,
                LogDefect::PlaceImpossible,
            ));
            return findings;
        }
        if self.previous.is_none() && self.position + 1 == link.position {
            self.previous = said;
        }
        findings.extend(self.advance_to(link.position));
        self.tally.links += 1;
        let about = |wrong| LogFinding::for_event(Some(link.position), link.event_id, wrong);
        let before = match (self.previous, said) {
            (Some(known), Some(said)) if known != said => {
                findings.push(about(LogDefect::Unlinked));
                Some(said)
            }
            (Some(known), _) => Some(known),
            (None, said) => said,
        };
        match &link.event {
            None => findings.push(about(LogDefect::EventMissing)),
            Some(event) => {
                let hash_is_wrong = before.is_some_and(|before| event.hash_after(before) != link.hash);
                if hash_is_wrong || event.id != link.event_id {
                    findings.push(about(LogDefect::Changed));
                }
                findings.extend(self.check_personal_data(event, link.personal.as_ref()).map(about));
                if !event.has_consistent_timestamp() {
                    let minted_at = event.id.minted_at();
                    findings.push(about(LogDefect::TimeDisagrees { at: event.at, minted_at }));
                }
            }
        }
        self.previous = Some(link.hash);
        findings.extend(self.compare_anchors());
        findings
    }

    /// A link that is there and cannot be read.
    pub fn skip_unreadable_link(&mut self, position: i64, what: String) -> Vec<LogFinding> {
        let mut findings = self.advance_to(position);
        findings.push(LogFinding::at_position(position, LogDefect::Unreadable(what)));
        self.tally.links += 1;
        self.previous = None;
        findings
    }

    /// The end of the walk: the chain has to end exactly where the head says.
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
            findings.push(LogFinding::at_position(last, LogDefect::HeadElsewhere));
        }
        // The head itself is a link nobody has to walk to.
        if last < head.position && self.anchors.remove(&head.anchor()) {
            self.tally.anchors += 1;
        }
        findings.extend(self.leave_anchors_before(i64::MAX));
        (findings, self.tally)
    }

    /// The end of a walk without a head to compare with.
    pub fn finish_without_head(mut self) -> (Vec<LogFinding>, ChainVerificationStats) {
        let mut findings = self.compare_anchors();
        findings.extend(self.leave_anchors_before(i64::MAX));
        (findings, self.tally)
    }

    /// Goes to the position, noting what is missing on the way.
    fn advance_to(&mut self, position: i64) -> Vec<LogFinding> {
        let mut findings = self.compare_anchors();
        let expected = self.position.saturating_add(1);
        if position > expected {
            self.previous = None;
            if self.gaps == ChainGapPolicy::AreFindings {
                let wrong = LogDefect::PlacesMissing { from: expected, to: position - 1 };
                findings.push(LogFinding::for_log(wrong));
            }
        }
        findings.extend(self.leave_anchors_before(position));
        self.position = position;
        findings
    }

    /// What to say about anchors whose places were not there.
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

    /// Compares the anchors that were noted for the place we stand at.
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
            (None, Some(_)) => Some(LogDefect::PersonalAdded),
            (Some(_), None) => {
                self.tally.without_personal += 1;
                None
            }
            (Some(hash), Some(personal)) => {
                (personal.compute_hash() != hash).then_some(LogDefect::PersonalChanged)
            }
        }
    }
}

#[cfg(test)]
mod tests;
