//! What can be wrong with the log, one sentence each.

use super::LogChainAnchor;
use crate::id::EventId;
use crate::time::Timestamp;
use std::fmt;

/// Something in the log is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFinding {
    /// Where in the chain, if it has a place there.
    pub position: Option<i64>,
    /// Which event, if it is about one.
    pub event: Option<EventId>,
    /// What is wrong.
    pub wrong: LogDefect,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogDefect {
    /// The event and its hash do not belong together.
    Changed,
    /// The chain names an event that is not there.
    EventMissing,
    /// These positions are not in the chain.
    PlacesMissing {
        /// The first that is missing.
        from: i64,
        /// The last that is missing.
        to: i64,
    },
    /// The chain holds a position it cannot hold: below one, or a second time.
    PlaceImpossible,
    /// The hash this link says it follows is not the one before it.
    Unlinked,
    /// The address or user agent beside the event is not what was recorded.
    PersonalChanged,
    /// An address or user agent stands beside an event that was recorded with none.
    PersonalAdded,
    /// The event was not made at the time it says.
    TimeDisagrees {
        /// When it says it happened.
        at: Timestamp,
        /// When its id was made.
        minted_at: Timestamp,
    },
    /// The event has no place in the chain, and no sealer will give it one any more.
    NeverSealed,
    /// A row holds something that was never written.
    Unreadable(String),
    /// There is no head.
    HeadMissing,
    /// The head holds something that was never written.
    HeadUnreadable(String),
    /// The head names a key that is not this instance's.
    HeadKeyUnknown {
        /// The key it names.
        kid: String,
    },
    /// The head's signature was not made with the key of this instance's log.
    HeadForged,
    /// The chain does not reach the head.
    ChainTooShort {
        /// Where the head stands.
        head: i64,
    },
    /// The chain goes on after the head.
    ChainTooLong {
        /// Where the head stands.
        head: i64,
    },
    /// The chain reaches the head with another hash.
    HeadElsewhere,
    /// A head that was noted elsewhere stood further on than the chain reaches now.
    AnchorMissing(LogChainAnchor),
    /// A head that was noted elsewhere had another hash at this position.
    AnchorDiffers(LogChainAnchor),
    /// A line of an export is not what an export holds there.
    LineUnreadable {
        /// The line, counted from one.
        line: u64,
        /// What is wrong with it.
        what: String,
    },
    /// An export ends before its last line.
    ExportCutOff,
    /// The lines of an export are not those that were signed.
    ExportAltered,
    /// An export was signed with another key than it should have been.
    ExportKeyOther {
        /// The key it was signed with.
        kid: String,
    },
}

impl LogFinding {
    /// A finding about the log as a whole.
    pub const fn for_log(wrong: LogDefect) -> Self {
        Self { position: None, event: None, wrong }
    }

    /// A finding about a position of the chain.
    pub const fn at_position(position: i64, wrong: LogDefect) -> Self {
        Self { position: Some(position), event: None, wrong }
    }

    /// A finding about an event.
    pub const fn for_event(position: Option<i64>, event: EventId, wrong: LogDefect) -> Self {
        Self { position, event: Some(event), wrong }
    }
}

impl fmt::Display for LogFinding {
    /// One line: where, which event, and what is wrong with it.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.position, self.event) {
            (Some(position), Some(event)) => write!(out, "position {position}, event {event}: ")?,
            (Some(position), None) => write!(out, "position {position}: ")?,
            (None, Some(event)) => write!(out, "event {event}: ")?,
            (None, None) => {}
        }
        fmt::Display::fmt(&self.wrong, out)
    }
}

impl fmt::Display for LogDefect {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed => out.write_str("the event or its hash was changed after it was sealed"),
            Self::EventMissing => out.write_str("the event was deleted; its place in the chain is left"),
            Self::PlacesMissing { from, to } if from == to => {
                write!(out, "position {from} was deleted from the chain")
            }
            Self::PlacesMissing { from, to } => {
                write!(out, "positions {from} to {to} were deleted from the chain")
            }
            Self::PlaceImpossible => out.write_str("the chain cannot hold this position, or not twice"),
            Self::Unlinked => out.write_str("it does not follow the line before it"),
            Self::PersonalChanged => out.write_str("the address or user agent was changed"),
            Self::PersonalAdded => out.write_str("an address or user agent was added afterwards"),
            Self::TimeDisagrees { at, minted_at } => {
                write!(out, "the event says it happened at {at}, but its id was made at {minted_at}")
            }
            Self::NeverSealed => out.write_str(
                "the event has no place in the chain and is too old to get one: it was added behind the sealer's back",
            ),
            Self::Unreadable(what) => write!(out, "the row cannot be read ({what})"),
            Self::HeadMissing => out.write_str("the signed head was deleted"),
            Self::HeadUnreadable(what) => write!(out, "the signed head cannot be read ({what})"),
            Self::HeadKeyUnknown { kid } => {
                write!(out, "the head is signed with key {kid:?}, which is not a log key of this instance")
            }
            Self::HeadForged => {
                out.write_str("the head's signature is not by this instance's log key: the chain was rewritten")
            }
            Self::ChainTooShort { head } => {
                write!(out, "the chain ends here, and the signed head stands at position {head}")
            }
            Self::ChainTooLong { head } => {
                write!(out, "the chain goes on to here, and the signed head stands at position {head}")
            }
            Self::HeadElsewhere => out.write_str("the signed head has another hash than the chain ends with"),
            Self::AnchorMissing(anchor) => {
                write!(out, "the noted head {anchor} is not in the chain: the log was shortened or rolled back")
            }
            Self::AnchorDiffers(anchor) => {
                write!(out, "the noted head {anchor} had another hash: the log was rewritten")
            }
            Self::LineUnreadable { line, what } => write!(out, "line {line}: {what}"),
            Self::ExportCutOff => out.write_str("the export ends before its signed last line: it was cut off"),
            Self::ExportAltered => {
                out.write_str("the signature of the export is wrong: a line was changed, removed or added")
            }
            Self::ExportKeyOther { kid } => write!(out, "the export is signed with another key, {kid}"),
        }
    }
}
