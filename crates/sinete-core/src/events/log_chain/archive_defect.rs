//! Defects of an archive of the log, and of the records that the database keeps of it.

use std::fmt;

/// A defect of an archived segment, its record or the checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArchiveDefect {
    /// The record of an archived segment is not signed by this instance's log key.
    RecordForged,
    /// The records of archived segments leave positions out or overlap.
    RecordsUnlinked {
        /// The position at which a record was expected.
        expected: i64,
    },
    /// A record or the checkpoint holds an invalid value.
    RecordUnreadable(String),
    /// The chain in the database has another hash than the archived segment that ends here.
    SegmentDiffers,
    /// The checkpoint is not signed by this instance's log key.
    CheckpointForged,
    /// The chain was cut beyond what is archived.
    CutUnarchived,
    /// The archive lacks the file of a segment.
    FileMissing {
        /// Its name.
        file: String,
    },
    /// The file of a segment differs from what was archived.
    FileAltered {
        /// Its name.
        file: String,
    },
    /// The file of a segment cannot be read.
    FileUnreadable {
        /// Its name.
        file: String,
        /// The error.
        error: String,
    },
    /// The file of a segment was signed with an unexpected key.
    FileKeyUnexpected {
        /// Its name.
        file: String,
        /// The id of the key that signed it.
        kid: String,
    },
    /// The file of a segment contains another segment than its name or its record states.
    FileMisplaced {
        /// Its name.
        file: String,
    },
}

impl fmt::Display for ArchiveDefect {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RecordForged => out.write_str(
                "the record of the archived segment that begins here is not signed by this instance's log key",
            ),
            Self::RecordsUnlinked { expected } => {
                write!(out, "a record of an archived segment begins here, and position {expected} comes next")
            }
            Self::RecordUnreadable(reason) => write!(out, "the records of the archive cannot be read ({reason})"),
            Self::SegmentDiffers => {
                out.write_str("the archived segment that ends here has another hash: the log was rewritten")
            }
            Self::CheckpointForged => out.write_str(
                "the checkpoint is not signed by this instance's log key: events were removed without an archive",
            ),
            Self::CutUnarchived => {
                out.write_str("the log was cut up to here, and no archived segment contains this position")
            }
            Self::FileMissing { file } => write!(out, "the archive has no file {file}"),
            Self::FileAltered { file } => write!(out, "the file {file} differs from what was archived"),
            Self::FileUnreadable { file, error: reason } => write!(out, "the file {file} cannot be read ({reason})"),
            Self::FileKeyUnexpected { file, kid } => {
                write!(out, "the file {file} is signed with another key, {kid}")
            }
            Self::FileMisplaced { file } => {
                write!(out, "the file {file} holds another part of the log than it should")
            }
        }
    }
}
