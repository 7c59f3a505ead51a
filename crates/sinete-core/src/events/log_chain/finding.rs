//! Findings of the log verification.

use super::{ArchiveDefect, LogChainAnchor};
use crate::id::EventId;
use crate::time::Timestamp;
use std::fmt;

/// A defect found in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFinding {
    /// The position in the chain, if known.
    pub position: Option<i64>,
    /// The event, if the finding is about one.
    pub event: Option<EventId>,
    /// The defect.
    pub defect: LogDefect,
}

/// A kind of defect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogDefect {
    /// The event does not match its hash.
    Changed,
    /// The chain refers to an event that does not exist.
    EventMissing,
    /// Positions are missing from the chain.
    PositionsMissing {
        /// The first missing position.
        from: i64,
        /// The last missing position.
        to: i64,
    },
    /// A position is below one or occurs twice.
    PositionInvalid,
    /// The previous hash that this link states differs from the hash of the previous link.
    Unlinked,
    /// The address or user agent of the event differs from what was recorded.
    PersonalDataChanged,
    /// The event has an address or user agent, although it was recorded without one.
    PersonalDataAdded,
    /// The event's time differs from the time of its id.
    TimeDiffersFromId {
        /// The time that the event states.
        at: Timestamp,
        /// The time at which its id was generated.
        minted_at: Timestamp,
    },
    /// The event is not in the chain and is too old to be sealed.
    NeverSealed,
    /// A row holds an invalid value.
    Unreadable(String),
    /// There is no head.
    HeadMissing,
    /// The head holds an invalid value.
    HeadUnreadable(String),
    /// The head is signed with a key that is not of this instance.
    HeadKeyUnknown {
        /// The key id that it names.
        kid: String,
    },
    /// The signature of the head is invalid for this instance's log key.
    HeadForged,
    /// The chain ends before the head.
    ChainTooShort {
        /// The position of the head.
        head: i64,
    },
    /// The chain continues after the head.
    ChainTooLong {
        /// The position of the head.
        head: i64,
    },
    /// The hash at the head's position differs from the head's.
    HeadDiffers,
    /// The chain ends before the position of an anchor.
    AnchorMissing(LogChainAnchor),
    /// The hash at the anchor's position differs from the anchor's.
    AnchorDiffers(LogChainAnchor),
    /// A line of an export is invalid.
    LineUnreadable {
        /// The line number, starting at one.
        line: u64,
        /// The error.
        error: String,
    },
    /// An export ends before its last line.
    ExportCutOff,
    /// The lines of an export differ from those that were signed.
    ExportAltered,
    /// An export was signed with an unexpected key.
    ExportKeyUnexpected {
        /// The id of the key that signed it.
        kid: String,
    },
    /// A defect of the archive or of its records.
    Archive(ArchiveDefect),
}

impl LogFinding {
    /// A finding about the log as a whole.
    pub const fn for_log(defect: LogDefect) -> Self {
        Self { position: None, event: None, defect }
    }

    /// A finding about a position of the chain.
    pub const fn at_position(position: i64, defect: LogDefect) -> Self {
        Self { position: Some(position), event: None, defect }
    }

    /// A finding about an event.
    pub const fn for_event(position: Option<i64>, event: EventId, defect: LogDefect) -> Self {
        Self { position, event: Some(event), defect }
    }
}

impl fmt::Display for LogFinding {
    /// Formats one line: position, event and defect.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.position, self.event) {
            (Some(position), Some(event)) => write!(out, "position {position}, event {event}: ")?,
            (Some(position), None) => write!(out, "position {position}: ")?,
            (None, Some(event)) => write!(out, "event {event}: ")?,
            (None, None) => {}
        }
        fmt::Display::fmt(&self.defect, out)
    }
}

impl fmt::Display for LogDefect {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed => out.write_str("the event or its hash was changed after it was sealed"),
            Self::EventMissing => out.write_str("the event was deleted; the chain still refers to it"),
            Self::PositionsMissing { from, to } if from == to => {
                write!(out, "position {from} was deleted from the chain")
            }
            Self::PositionsMissing { from, to } => {
                write!(out, "positions {from} to {to} were deleted from the chain")
            }
            Self::PositionInvalid => out.write_str("the position is below 1 or occurs twice"),
            Self::Unlinked => out.write_str("it does not follow the line before it"),
            Self::PersonalDataChanged => out.write_str("the address or user agent was changed"),
            Self::PersonalDataAdded => out.write_str("an address or user agent was added afterwards"),
            Self::TimeDiffersFromId { at, minted_at } => {
                write!(out, "the event states the time {at}, but its id was generated at {minted_at}")
            }
            Self::NeverSealed => out.write_str(
                "the event is not in the chain and is too old to be sealed: it was inserted afterwards",
            ),
            Self::Unreadable(reason) => write!(out, "the row cannot be read ({reason})"),
            Self::HeadMissing => out.write_str("the signed head was deleted"),
            Self::HeadUnreadable(reason) => write!(out, "the signed head cannot be read ({reason})"),
            Self::HeadKeyUnknown { kid } => {
                write!(out, "the head is signed with key {kid:?}, which is not a log key of this instance")
            }
            Self::HeadForged => out
                .write_str("the head's signature is not by this instance's log key: the chain was rewritten"),
            Self::ChainTooShort { head } => {
                write!(out, "the chain ends here, but the signed head is at position {head}")
            }
            Self::ChainTooLong { head } => {
                write!(out, "the chain continues to here, but the signed head is at position {head}")
            }
            Self::HeadDiffers => out.write_str("the signed head has another hash than the chain's end"),
            Self::AnchorMissing(anchor) => {
                write!(
                    out,
                    "the noted head {anchor} is not in the chain: the log was shortened or rolled back"
                )
            }
            Self::AnchorDiffers(anchor) => {
                write!(out, "the noted head {anchor} had another hash: the log was rewritten")
            }
            Self::LineUnreadable { line, error: reason } => write!(out, "line {line}: {reason}"),
            Self::ExportCutOff => {
                out.write_str("the export ends before its signed last line: it was cut off")
            }
            Self::ExportAltered => {
                out.write_str("the signature of the export is wrong: a line was changed, removed or added")
            }
            Self::ExportKeyUnexpected { kid } => write!(out, "the export is signed with another key, {kid}"),
            Self::Archive(defect) => fmt::Display::fmt(defect, out),
        }
    }
}
