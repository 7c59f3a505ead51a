//! The chain of the security log: what is hashed of an event, in which bytes, and what the head's signature
//! covers. `docs/operate/security-log.md` gives the same rules to whoever checks an export without this program.
//!
//! Every function takes a row as it is stored, not as it was meant: a row somebody altered has to be hashed
//! as it stands now, whatever it says.

mod finding;
mod verifier;

pub use finding::{LogDefect, LogFinding};
pub use verifier::{ChainGapPolicy, ChainVerificationStats, LogChainLink, LogChainVerifier};

use crate::events::security_event::SecurityEvent;
use crate::id::{EventId, InstanceId, OrganizationId, RequestId};
use crate::time::{Lifetime, Timestamp};
use compact_str::{CompactString, ToCompactString};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};
use std::fmt::{self, Write as _};
use std::str::FromStr;

/// The first byte of everything that is hashed: which rules it was written by.
const VERSION: u8 = 1;
const GENESIS_LABEL: &[u8] = b"sinete.log.genesis.v1\0";
const HEAD_LABEL: &[u8] = b"sinete.log.head.v1\0";
const EXPORT_LABEL: &[u8] = b"sinete.log.export.v1\0";

/// A SHA-256 of the chain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogChainHash([u8; 32]);

/// A row of the security log, column by column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedEvent {
    /// Its own id.
    pub id: EventId,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    pub kind: CompactString,
    /// The kind of whoever did it.
    pub actor_kind: CompactString,
    /// Who did it.
    pub actor_id: Option<CompactString>,
    /// The kind of what it was done to.
    pub subject_kind: Option<CompactString>,
    /// What it was done to.
    pub subject_id: Option<CompactString>,
    /// The organization it concerns.
    pub organization: Option<OrganizationId>,
    /// The client through which it was done.
    pub client: Option<CompactString>,
    /// The request in which it was done.
    pub request: Option<RequestId>,
    /// The other facts, as JSON text.
    pub detail: CompactString,
    /// The salted hash of where the request came from, if that was known.
    pub personal_hash: Option<LogChainHash>,
}

/// What can be erased of an event: where the request came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonalEventData {
    /// Random bytes, so that nobody finds the address by hashing every address there is.
    pub salt: Vec<u8>,
    /// The network address.
    pub address: Option<CompactString>,
    /// The user agent.
    pub user_agent: Option<CompactString>,
}

/// The end of the chain, at the moment it was signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogChainHead {
    /// How many events stand in the chain; the position of the last.
    pub position: i64,
    /// The hash of the last.
    pub hash: LogChainHash,
    /// When the head was signed.
    pub sealed_at: Timestamp,
}

/// A position and the hash that stood there once, as somebody noted it elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogChainAnchor {
    /// The position.
    pub position: i64,
    /// The hash that stood there.
    pub hash: LogChainHash,
}

impl LoggedEvent {
    /// What to write for an event: what stays, and where it came from, if anything of that is known.
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

    /// The bytes that are hashed: a version, then every column in the order of the table.
    pub fn canonical_bytes(&self) -> Vec<u8> {
        encode(&[
            Some(self.id.as_bytes()),
            Some(&self.at.micros().to_be_bytes()),
            Some(self.kind.as_bytes()),
            Some(self.actor_kind.as_bytes()),
            bytes(&self.actor_id),
            bytes(&self.subject_kind),
            bytes(&self.subject_id),
            self.organization.as_ref().map(|id| &id.as_bytes()[..]),
            bytes(&self.client),
            self.request.as_ref().map(|id| &id.as_bytes()[..]),
            Some(self.detail.as_bytes()),
            self.personal_hash.as_ref().map(|hash| &hash.0[..]),
        ])
    }

    /// The hash of the link that this event makes after `previous`.
    pub fn hash_after(&self, previous: LogChainHash) -> LogChainHash {
        LogChainHash::digest_parts(&[&previous.0, &self.canonical_bytes()])
    }

    /// Whether the id was made at the very moment the event says it happened, as ours always are. Finding
    /// events by time goes by their ids, so an event that says another time would be hidden from that.
    pub fn has_consistent_timestamp(&self) -> bool {
        self.at.millis() == self.id.minted_at().millis()
    }
}

impl PersonalEventData {
    /// What the event keeps of it for good.
    pub fn compute_hash(&self) -> LogChainHash {
        LogChainHash::digest_parts(&[&encode(&[
            Some(&self.salt),
            bytes(&self.address),
            bytes(&self.user_agent),
        ])])
    }
}

/// The facts as JSON without white space, members sorted by name: one set of facts has one text.
fn detail_text(event: &SecurityEvent) -> CompactString {
    use serde_json::Value::{Array, Object};
    let mut facts: Vec<_> = event.detail.iter().collect();
    facts.sort_unstable_by_key(|(name, _)| *name);
    let mut text = CompactString::with_capacity(128);
    for (name, value) in facts {
        text.push(if text.is_empty() { '{' } else { ',' });
        // Names are words of ours, which JSON writes as they are; and writing to text does not fail.
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

fn bytes(text: &Option<CompactString>) -> Option<&[u8]> {
    text.as_ref().map(|text| text.as_bytes())
}

/// Each column is one byte for whether it holds anything, and if so its length in eight bytes and its bytes:
/// two different rows never encode alike.
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
    /// The head of a chain with nothing in it yet. Its hash belongs to the instance alone, so that no part
    /// of another instance's chain can be passed off as this one's.
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

    /// The position and hash, to be noted elsewhere.
    pub const fn anchor(&self) -> LogChainAnchor {
        LogChainAnchor { position: self.position, hash: self.hash }
    }

    /// The lowest id an event can have and still be given a place after this head, looking back this far.
    ///
    /// It is counted from the earliest of three clocks: the one that looks, the one that signed the head and
    /// the one that made the last sealed event. A clock that was wrong for a while then hides nothing, and a
    /// backlog that takes several batches is not left behind by its own first batch.
    pub fn sealing_floor(&self, last: Option<EventId>, now: Timestamp, window: Lifetime) -> EventId {
        match last {
            Some(last) => {
                EventId::lower_bound_at(now.min(self.sealed_at).min(last.minted_at()).minus(window))
            }
            None => EventId::lower_bound_at(Timestamp::EPOCH),
        }
    }
}

/// What the last line of an export signs: how many lines came before it, and the hash of all their bytes.
pub fn export_signed_bytes(instance: InstanceId, lines: u64, digest: LogChainHash) -> Vec<u8> {
    let mut bytes = EXPORT_LABEL.to_vec();
    bytes.extend(instance.as_bytes());
    bytes.extend(lines.to_be_bytes());
    bytes.extend(digest.0);
    bytes
}

impl LogChainHash {
    /// The hash the database or a file gave back.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes to store.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The hash of the parts, one after the other.
    fn digest_parts(parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(part);
        }
        Self(hash.finalize().into())
    }
}

/// The hash of many bytes that arrive in pieces, as those of an export do.
#[derive(Clone, Debug, Default)]
pub struct RunningHash(Sha256);

impl RunningHash {
    /// More bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The hash of all of them.
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

/// The text is not a position and a hash.
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
