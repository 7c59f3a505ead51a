//! The hash chain of the security log: which bytes of an event are hashed, and what the head's signature
//! covers. `docs/operate/security-log.md` documents the same rules for verifying an export without this program.
//!
//! Every function takes a row as it is stored: an altered row must be hashed with its altered content.

mod archive_defect;
mod finding;
mod segment;
mod verifier;

pub use archive_defect::ArchiveDefect;
pub use finding::{LogDefect, LogFinding};
pub use segment::{ArchivedLogSegment, LogCheckpoint, segment_file_signed_bytes};
pub use verifier::{ChainGapPolicy, ChainVerificationStats, LogChainLink, LogChainVerifier};

use crate::events::security_event::SecurityEvent;
use crate::id::{EventId, InstanceId, OrganizationId, RequestId};
use crate::time::{Lifetime, Timestamp};
use compact_str::{CompactString, ToCompactString};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};
use std::fmt::{self, Write as _};
use std::str::FromStr;

/// The first byte of all hashed data: the version of the encoding.
const VERSION: u8 = 1;
const GENESIS_LABEL: &[u8] = b"sinete.log.genesis.v1\0";
const HEAD_LABEL: &[u8] = b"sinete.log.head.v1\0";
const EXPORT_LABEL: &[u8] = b"sinete.log.export.v1\0";

/// A SHA-256 hash of the chain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogChainHash([u8; 32]);

/// A row of the security log, column by column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedEvent {
    /// The event's id.
    pub id: EventId,
    /// When it happened.
    pub at: Timestamp,
    /// The kind of event.
    pub kind: CompactString,
    /// The kind of actor.
    pub actor_kind: CompactString,
    /// The actor's id.
    pub actor_id: Option<CompactString>,
    /// The kind of subject.
    pub subject_kind: Option<CompactString>,
    /// The subject's id.
    pub subject_id: Option<CompactString>,
    /// The organization it concerns.
    pub organization: Option<OrganizationId>,
    /// The client through which it was done.
    pub client: Option<CompactString>,
    /// The id of the HTTP request.
    pub request: Option<RequestId>,
    /// The details, as JSON text.
    pub detail: CompactString,
    /// The salted hash of the request's address and user agent, if known.
    pub personal_hash: Option<LogChainHash>,
}

/// The erasable part of an event: where the request came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonalEventData {
    /// A random salt, so that the address cannot be found by hashing every possible address.
    pub salt: Vec<u8>,
    /// The IP address.
    pub address: Option<CompactString>,
    /// The user agent.
    pub user_agent: Option<CompactString>,
}

/// The signed end of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogChainHead {
    /// The number of events in the chain; the position of the last one.
    pub position: i64,
    /// The hash of the last event.
    pub hash: LogChainHash,
    /// When the head was signed.
    pub sealed_at: Timestamp,
}

/// A position and its hash as recorded outside the instance, for later comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogChainAnchor {
    /// The position.
    pub position: i64,
    /// The hash at that position.
    pub hash: LogChainHash,
}

impl LoggedEvent {
    /// Converts an event to its row and its personal data, if it has any.
    pub fn from_event(event: &SecurityEvent) -> (Self, Option<PersonalEventData>) {
        let address = event.origin.address.map(|address| address.to_compact_string());
        let user_agent = event.origin.user_agent().map(CompactString::from);
        let personal = (address.is_some() || user_agent.is_some()).then(|| PersonalEventData {
            salt: event.salt.to_vec(),
            address,
            user_agent,
        });
        let row = Self {
            id: event.id,
            at: event.at,
            kind: event.kind.name().into(),
            actor_kind: event.actor.kind().into(),
            actor_id: event.actor.id(),
            subject_kind: event.subject.as_ref().map(|subject| subject.kind.into()),
            subject_id: event.subject.as_ref().map(|subject| subject.id.clone()),
            organization: event.organization,
            client: event.client.as_ref().map(|client| client.as_str().into()),
            request: event.origin.request,
            detail: detail_text(event),
            personal_hash: personal.as_ref().map(PersonalEventData::compute_hash),
        };
        (row, personal)
    }

    /// The bytes that are hashed: a version, then every column in table order.
    pub fn canonical_bytes(&self) -> Vec<u8> {
        encode(&[
            Some(self.id.as_bytes()),
            Some(&self.at.micros().to_be_bytes()),
            Some(self.kind.as_bytes()),
            Some(self.actor_kind.as_bytes()),
            optional_bytes(&self.actor_id),
            optional_bytes(&self.subject_kind),
            optional_bytes(&self.subject_id),
            self.organization.as_ref().map(|id| &id.as_bytes()[..]),
            optional_bytes(&self.client),
            self.request.as_ref().map(|id| &id.as_bytes()[..]),
            Some(self.detail.as_bytes()),
            self.personal_hash.as_ref().map(|hash| &hash.0[..]),
        ])
    }

    /// The hash of the link that this event forms after `previous`.
    pub fn hash_after(&self, previous: LogChainHash) -> LogChainHash {
        LogChainHash::digest_parts(&[&previous.0, &self.canonical_bytes()])
    }

    /// Whether the id was generated at the time that the event states, as is always the case for our events.
    /// Searches by time use the ids, so an event with a different time would be hidden from them.
    pub fn has_consistent_timestamp(&self) -> bool {
        self.at.millis() == self.id.minted_at().millis()
    }
}

impl PersonalEventData {
    /// The hash that stays in the event permanently.
    pub fn compute_hash(&self) -> LogChainHash {
        LogChainHash::digest_parts(&[&encode(&[
            Some(&self.salt),
            optional_bytes(&self.address),
            optional_bytes(&self.user_agent),
        ])])
    }
}

/// Serializes the details as JSON without white space and with sorted members, so that equal details have
/// equal text.
fn detail_text(event: &SecurityEvent) -> CompactString {
    use serde_json::Value::{Array, Object};
    let mut facts: Vec<_> = event.detail.iter().collect();
    facts.sort_unstable_by_key(|(name, _)| *name);
    let mut text = CompactString::with_capacity(128);
    for (name, value) in facts {
        text.push(if text.is_empty() { '{' } else { ',' });
        // Names are our own constants that need no escaping, and writing to a string cannot fail.
        let _ = match value {
            Object(_) | Array(_) => {
                let mut sorted = value.clone();
                sorted.sort_all_objects();
                write!(text, "\"{name}\":{sorted}")
            }
            plain => write!(text, "\"{name}\":{plain}"),
        };
    }
    text.push_str(if text.is_empty() { "{}" } else { "}" });
    text
}

fn optional_bytes(text: &Option<CompactString>) -> Option<&[u8]> {
    text.as_ref().map(|text| text.as_bytes())
}

/// Encodes each column as one byte for presence and, if present, its length in eight bytes and its content.
/// Two different rows never encode to the same bytes.
fn encode(columns: &[Option<&[u8]>]) -> Vec<u8> {
    let length: usize = columns.iter().flatten().map(|column| column.len()).sum();
    let mut bytes = Vec::with_capacity(1 + columns.len() * 9 + length);
    bytes.push(VERSION);
    for column in columns {
        let Some(column) = column else {
            bytes.push(0);
            continue;
        };
        bytes.push(1);
        bytes.extend((column.len() as u64).to_be_bytes());
        bytes.extend_from_slice(column);
    }
    bytes
}

impl LogChainHead {
    /// Creates the head of an empty chain. Its hash depends on the instance, so that no part of another
    /// instance's chain can be used in this one.
    pub fn new_genesis(instance: InstanceId, now: Timestamp) -> Self {
        let hash = LogChainHash::digest_parts(&[GENESIS_LABEL, instance.as_bytes()]);
        Self { position: 0, hash, sealed_at: now }
    }

    /// The bytes that are signed.
    pub fn signed_bytes(&self, instance: InstanceId) -> Vec<u8> {
        let mut bytes = HEAD_LABEL.to_vec();
        bytes.extend(instance.as_bytes());
        bytes.extend(self.position.to_be_bytes());
        bytes.extend(self.hash.0);
        bytes.extend(self.sealed_at.micros().to_be_bytes());
        bytes
    }

    /// The position and hash, to be recorded elsewhere.
    pub const fn anchor(&self) -> LogChainAnchor {
        LogChainAnchor { position: self.position, hash: self.hash }
    }

    /// The lowest event id that can still be sealed after this head, within this window.
    ///
    /// It is computed from the earliest of three clocks: the current one, the one that signed the head, and
    /// the one that created the last sealed event. A clock that was wrong for a while then hides no events,
    /// and a backlog of several batches is not cut off by its own first batch.
    pub fn sealing_floor(&self, last: Option<EventId>, now: Timestamp, window: Lifetime) -> EventId {
        match last {
            Some(last) => {
                EventId::lower_bound_at(now.min(self.sealed_at).min(last.minted_at()).minus(window))
            }
            None => EventId::lower_bound_at(Timestamp::EPOCH),
        }
    }
}

/// The bytes that the last line of an export signs: the number of preceding lines and the hash of all their
/// bytes.
pub fn export_signed_bytes(instance: InstanceId, lines: u64, digest: LogChainHash) -> Vec<u8> {
    let mut bytes = EXPORT_LABEL.to_vec();
    bytes.extend(instance.as_bytes());
    bytes.extend(lines.to_be_bytes());
    bytes.extend(digest.0);
    bytes
}

impl LogChainHash {
    /// The lowest value, which sorts before every other.
    pub(crate) const LOWEST: Self = Self([0; 32]);

    /// Creates a hash from stored bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes to store.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Hashes the bytes of a file.
    pub fn digest_file(bytes: &[u8]) -> Self {
        Self::digest_parts(&[bytes])
    }

    /// Hashes the concatenated parts.
    fn digest_parts(parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(part);
        }
        Self(hash.finalize().into())
    }
}

/// An incremental hash, for exports.
#[derive(Clone, Debug, Default)]
pub struct RunningHash(Sha256);

impl RunningHash {
    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the hash of all bytes.
    pub fn finish(self) -> LogChainHash {
        LogChainHash(self.0.finalize().into())
    }
}

impl fmt::Display for LogChainHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl fmt::Debug for LogChainHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

/// The text is not 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a hash of the log is 64 lower-case hexadecimal digits")]
pub struct InvalidChainHash;

impl FromStr for LogChainHash {
    type Err = InvalidChainHash;

    fn from_str(text: &str) -> Result<Self, InvalidChainHash> {
        let digits = text.as_bytes();
        if digits.len() != 64 || !digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(InvalidChainHash);
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| InvalidChainHash)?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| InvalidChainHash)?;
        }
        Ok(Self(bytes))
    }
}

impl Serialize for LogChainHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
impl<'de> Deserialize<'de> for LogChainHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// The text is not a valid anchor (a position and a hash).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a noted head is POSITION:HASH, as in 1042:9f86d081… with all 64 digits of the hash")]
pub struct InvalidChainAnchor;

impl FromStr for LogChainAnchor {
    type Err = InvalidChainAnchor;

    fn from_str(text: &str) -> Result<Self, InvalidChainAnchor> {
        let (position, hash) = text.split_once(':').ok_or(InvalidChainAnchor)?;
        let digits = !position.is_empty() && position.bytes().all(|digit| digit.is_ascii_digit());
        let position = position.parse().ok().filter(|_| digits).ok_or(InvalidChainAnchor)?;
        Ok(Self { position, hash: hash.parse().map_err(|InvalidChainHash| InvalidChainAnchor)? })
    }
}

impl fmt::Display for LogChainAnchor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.position, self.hash)
    }
}

#[cfg(test)]
mod tests;
