//! Archived segments of the chain, and the checkpoint from which the chain continues in the database.
//!
//! A segment is a range of positions with the hash before it and the hash at its end. Its record is signed
//! together with the digest of its file, so that neither can be replaced.

use super::LogChainHash;
use crate::id::InstanceId;
use crate::time::Timestamp;

const SEGMENT_LABEL: &[u8] = b"sinete.log.segment.v1\0";
const SEGMENT_FILE_LABEL: &[u8] = b"sinete.log.segment.file.v1\0";
const CHECKPOINT_LABEL: &[u8] = b"sinete.log.checkpoint.v1\0";

/// A range of the chain that is in an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchivedLogSegment {
    /// The first position.
    pub first: i64,
    /// The last position.
    pub last: i64,
    /// The hash before the first position.
    pub previous: LogChainHash,
    /// The hash at the last position.
    pub hash: LogChainHash,
}

impl ArchivedLogSegment {
    /// The number of events.
    pub const fn events(&self) -> u64 {
        (self.last - self.first + 1).unsigned_abs()
    }

    /// The bytes that the record of an archived segment signs; `file` is the SHA-256 of its file.
    pub fn signed_bytes(&self, instance: InstanceId, file: LogChainHash) -> Vec<u8> {
        let mut bytes = SEGMENT_LABEL.to_vec();
        bytes.extend(instance.as_bytes());
        bytes.extend(self.first.to_be_bytes());
        bytes.extend(self.last.to_be_bytes());
        bytes.extend(self.previous.as_bytes());
        bytes.extend(self.hash.as_bytes());
        bytes.extend(file.as_bytes());
        bytes
    }
}

/// The bytes that the last line of a segment's file signs: the number of preceding lines and the hash of all
/// their bytes.
pub fn segment_file_signed_bytes(instance: InstanceId, lines: u64, digest: LogChainHash) -> Vec<u8> {
    let mut bytes = SEGMENT_FILE_LABEL.to_vec();
    bytes.extend(instance.as_bytes());
    bytes.extend(lines.to_be_bytes());
    bytes.extend(digest.as_bytes());
    bytes
}

/// The position up to which the chain was cut from the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogCheckpoint {
    /// The last position that was cut.
    pub position: i64,
    /// The hash at that position, which the next event continues.
    pub hash: LogChainHash,
    /// When it was cut.
    pub cut_at: Timestamp,
}

impl LogCheckpoint {
    /// The bytes that are signed.
    pub fn signed_bytes(&self, instance: InstanceId) -> Vec<u8> {
        let mut bytes = CHECKPOINT_LABEL.to_vec();
        bytes.extend(instance.as_bytes());
        bytes.extend(self.position.to_be_bytes());
        bytes.extend(self.hash.as_bytes());
        bytes.extend(self.cut_at.micros().to_be_bytes());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INSTANCE: InstanceId = InstanceId::from_bytes([7; 16]);

    #[test]
    fn log_segment_signature_covers_place_hashes_file_and_instance() {
        let hash = |byte| LogChainHash::from_bytes([byte; 32]);
        let segment = ArchivedLogSegment { first: 1, last: 9, previous: hash(1), hash: hash(2) };
        assert_eq!(segment.events(), 9);
        let signed = segment.signed_bytes(INSTANCE, hash(3));
        let others = [
            ArchivedLogSegment { first: 2, ..segment }.signed_bytes(INSTANCE, hash(3)),
            ArchivedLogSegment { last: 8, ..segment }.signed_bytes(INSTANCE, hash(3)),
            ArchivedLogSegment { previous: hash(9), ..segment }.signed_bytes(INSTANCE, hash(3)),
            ArchivedLogSegment { hash: hash(9), ..segment }.signed_bytes(INSTANCE, hash(3)),
            segment.signed_bytes(INSTANCE, hash(9)),
            segment.signed_bytes(InstanceId::from_bytes([8; 16]), hash(3)),
        ];
        assert!(others.iter().all(|other| *other != signed && other.len() == signed.len()));
    }

    #[test]
    fn log_checkpoint_signature_covers_place_hash_time_and_instance() {
        let hash = |byte| LogChainHash::from_bytes([byte; 32]);
        let cut = LogCheckpoint { position: 9, hash: hash(2), cut_at: Timestamp::from_seconds(5) };
        let signed = cut.signed_bytes(INSTANCE);
        let others = [
            LogCheckpoint { position: 8, ..cut }.signed_bytes(INSTANCE),
            LogCheckpoint { hash: hash(9), ..cut }.signed_bytes(INSTANCE),
            LogCheckpoint { cut_at: Timestamp::from_seconds(6), ..cut }.signed_bytes(INSTANCE),
            cut.signed_bytes(InstanceId::from_bytes([8; 16])),
        ];
        assert!(others.iter().all(|other| *other != signed));
        let file = segment_file_signed_bytes(INSTANCE, 3, hash(4));
        assert_ne!(file, super::super::export_signed_bytes(INSTANCE, 3, hash(4)));
    }
}
