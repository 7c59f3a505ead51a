//! The origins of archived events: network addresses and user agents, in a file of their own beside each
//! segment, so that they can be erased.
//!
//! The file is not signed. Each origin is salted and has its hash in the event of the signed segment, so a
//! changed one is found and an erased one is not missed.

use super::super::{Base64UrlBytes, SecurityLogError};
use crate::ports::{ArchiveStorage, ArchiveStorageError};
use compact_str::CompactString;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use sinete_core::events::log_chain::{ArchivedLogSegment, LogChainLink, LoggedEvent, PersonalEventData};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};

/// The folder of the files.
const FOLDER: &str = "origins/";

/// The origin of one event.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OriginLine {
    position: i64,
    /// The accounts and memberships that the event is about, whose origins can be erased.
    #[serde(rename = "who")]
    subjects: Vec<CompactString>,
    salt: Base64UrlBytes,
    address: Option<CompactString>,
    user_agent: Option<CompactString>,
}

/// The name of the file beside a segment.
pub(super) fn file_name(segment: &ArchivedLogSegment) -> String {
    format!("{FOLDER}{:020}-{:020}.jsonl.gz", segment.first, segment.last)
}

/// Collects the origins of events.
#[derive(Debug, Default)]
pub(super) struct OriginsWriter {
    lines: Vec<OriginLine>,
}

impl OriginsWriter {
    /// Adds the origin of an event, unless it was erased or unknown.
    pub(super) fn add(&mut self, link: &LogChainLink) {
        if let (Some(event), Some(personal)) = (&link.event, &link.personal) {
            self.lines.push(OriginLine {
                position: link.position,
                subjects: event_subjects(event),
                salt: Base64UrlBytes(personal.salt.clone()),
                address: personal.address.clone(),
                user_agent: personal.user_agent.clone(),
            });
        }
    }

    /// The compressed file; `None` if there are no origins.
    pub(super) fn finish(&self) -> Result<Option<Vec<u8>>, SecurityLogError> {
        compress(&self.lines)
    }
}

/// The accounts and memberships of an event, as in the erasure from the database.
fn event_subjects(event: &LoggedEvent) -> Vec<CompactString> {
    let is_person = |kind: &str| matches!(kind, "account" | "membership");
    let actor = event.actor_id.clone().filter(|_| is_person(&event.actor_kind));
    let subject = event.subject_id.clone();
    let subject = subject.filter(|_| event.subject_kind.as_deref().is_some_and(is_person));
    actor.into_iter().chain(subject).collect()
}

/// Reads the origins of a file, by position. `Err` says why the file is invalid.
pub(super) fn read_origins(bytes: &[u8]) -> Result<BTreeMap<i64, PersonalEventData>, String> {
    let lines = decompress(bytes)?.into_iter();
    Ok(lines
        .map(|line| {
            let (salt, address, user_agent) = (line.salt.0, line.address, line.user_agent);
            (line.position, PersonalEventData { salt, address, user_agent })
        })
        .collect())
}

/// Erases the origins of these accounts and memberships from every file. Returns how many were erased.
pub(super) async fn erase_origins(
    storage: &dyn ArchiveStorage,
    principal_ids: &BTreeSet<String>,
) -> Result<u64, SecurityLogError> {
    let mut erased = 0;
    for name in storage.list(FOLDER).await? {
        let Some(bytes) = storage.get(&name).await? else { continue };
        let invalid = |reason| ArchiveStorageError(format!("{name}: {reason}"));
        let mut lines = decompress(&bytes).map_err(invalid)?;
        let before = lines.len();
        lines.retain(|line| {
            !line.subjects.iter().any(|principal_id| principal_ids.contains(principal_id.as_str()))
        });
        if lines.len() == before {
            continue;
        }
        erased += (before - lines.len()) as u64;
        match compress(&lines)? {
            Some(bytes) => storage.put(&name, &bytes).await?,
            None => storage.remove(&name).await?,
        }
    }
    Ok(erased)
}

fn compress(lines: &[OriginLine]) -> Result<Option<Vec<u8>>, SecurityLogError> {
    if lines.is_empty() {
        return Ok(None);
    }
    let mut out = GzEncoder::new(Vec::new(), Compression::default());
    for line in lines {
        let mut bytes = serde_json::to_vec(line).map_err(|error| SecurityLogError::Io(error.into()))?;
        bytes.push(b'\n');
        out.write_all(&bytes)?;
    }
    Ok(Some(out.finish()?))
}

fn decompress(bytes: &[u8]) -> Result<Vec<OriginLine>, String> {
    let lines = BufReader::new(GzDecoder::new(bytes)).lines();
    lines
        .map(|line| {
            let line = line.map_err(|error| error.to_string())?;
            serde_json::from_str(&line).map_err(|_| "a line is no origin of an event".to_owned())
        })
        .collect()
}
