//! The file of an archived segment: the lines of an export, compressed with gzip. A header says which part of
//! which chain it is, one line holds each event without personal data, and the last line signs all of them.

use super::super::export::SignedLineWriter;
use super::super::export_format::{ExportEventLine, ExportSignatureLine};
use super::super::keys::LogVerificationKeys;
use super::super::verify_export::HashedLineReader;
use super::super::{SecurityLog, SecurityLogError};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use sinete_core::events::log_chain::{
    ArchiveDefect, ArchivedLogSegment, ChainGapPolicy, LogChainAnchor, LogChainHash, LogChainLink,
    LogChainVerifier, LogDefect, LogFinding, segment_file_signed_bytes,
};
use sinete_core::id::InstanceId;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::signing_keys::PublicKey;
use std::io::BufReader;

/// The format name in the header.
const FORMAT: &str = "sinete.log.segment.v1";
/// The folder of the files.
pub(super) const FOLDER: &str = "segments/";

/// The header line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SegmentHeaderLine {
    format: String,
    instance: InstanceId,
    first: i64,
    last: i64,
    previous: LogChainHash,
    hash: LogChainHash,
    /// The public key that signed the file, as a JWK.
    key: serde_json::Value,
}

/// A file being written.
pub(super) struct SegmentWriter {
    compressed: GzEncoder<Vec<u8>>,
}

/// The name of a segment's file. It contains the beginning of the digest, so that different content never has
/// the same name.
pub(super) fn file_name(segment: &ArchivedLogSegment, digest: LogChainHash) -> String {
    let digest: String = digest.to_string().chars().take(16).collect();
    format!("{}{:020}-{:020}-{digest}.jsonl.gz", FOLDER, segment.first, segment.last)
}

/// What the names of all files that begin at this position start with.
pub(super) fn name_prefix(first: i64) -> String {
    format!("{FOLDER}{first:020}-")
}

impl SegmentWriter {
    pub(super) fn new() -> Self {
        Self { compressed: GzEncoder::new(Vec::new(), Compression::default()) }
    }

    /// Starts the lines of a segment.
    pub(super) fn start(
        &mut self,
        log: &SecurityLog,
        segment: &ArchivedLogSegment,
    ) -> Result<SignedLineWriter<'_>, SecurityLogError> {
        let mut lines = SignedLineWriter::new(&mut self.compressed);
        lines.write_line(&SegmentHeaderLine {
            format: FORMAT.to_owned(),
            instance: log.instance,
            first: segment.first,
            last: segment.last,
            previous: segment.previous,
            hash: segment.hash,
            key: log.keys.signing_key()?.public_key().to_jwk(),
        })?;
        Ok(lines)
    }

    /// The compressed file.
    pub(super) fn finish(self) -> Result<Vec<u8>, SecurityLogError> {
        Ok(self.compressed.finish()?)
    }
}

/// Writes the line of an event.
pub(super) fn write_link(
    lines: &mut SignedLineWriter<'_>,
    link: &LogChainLink,
    previous: LogChainHash,
) -> Result<(), SecurityLogError> {
    match &link.event {
        Some(event) => lines.write_line(&ExportEventLine::from_link(link, event, previous, false)),
        None => Ok(()),
    }
}

/// The keys that a file may be signed with.
#[derive(Clone, Copy)]
pub(super) enum TrustedKeys<'a> {
    /// The log keys of the instance.
    Instance(&'a LogVerificationKeys),
    /// The key with this thumbprint; without one, the key that the file itself names.
    Thumbprint(Option<&'a str>),
}

/// A file that was read.
#[derive(Debug)]
pub(super) struct SegmentContents {
    pub(super) instance: InstanceId,
    pub(super) segment: ArchivedLogSegment,
    pub(super) links: Vec<LogChainLink>,
    /// The thumbprint of the key that signed it.
    pub(super) kid: String,
    /// What is wrong with the file.
    pub(super) findings: Vec<LogFinding>,
    /// What is wrong with its events and the links between them.
    pub(super) link_findings: Vec<LogFinding>,
}

impl SegmentContents {
    /// Whether nothing is wrong with it.
    pub(super) const fn is_sound(&self) -> bool {
        self.findings.is_empty() && self.link_findings.is_empty()
    }

    /// Everything that is wrong with it.
    pub(super) fn take_findings(&mut self) -> Vec<LogFinding> {
        let mut findings = std::mem::take(&mut self.findings);
        findings.append(&mut self.link_findings);
        findings
    }

    /// The hash at a position of the segment.
    pub(super) fn hash_at(&self, position: i64) -> Option<LogChainHash> {
        let index = usize::try_from(position - self.segment.first).ok()?;
        self.links.get(index).filter(|link| link.position == position).map(|link| link.hash)
    }
}

/// Reads a file and verifies its signature and that its events form the segment that it states. `Err` is a
/// finding that makes the rest unreadable.
pub(super) fn read_segment(
    name: &str,
    bytes: &[u8],
    keys: TrustedKeys<'_>,
) -> Result<SegmentContents, LogFinding> {
    let unreadable = |reason: String| {
        let file = name.to_owned();
        LogFinding::for_log(LogDefect::Archive(ArchiveDefect::FileUnreadable { file, error: reason }))
    };
    let mut plain = BufReader::new(GzDecoder::new(bytes));
    let mut lines = HashedLineReader::new(&mut plain);
    let first = lines.next_line().map_err(|error| unreadable(error.to_string()))?.unwrap_or_default();
    let header: SegmentHeaderLine =
        serde_json::from_slice(&first).map_err(|_| unreadable("it is not a segment of a log".to_owned()))?;
    if header.format != FORMAT {
        return Err(unreadable("its format is unknown".to_owned()));
    }
    let public = PublicKey::from_jwk(&header.key.to_string(), Some(SigningAlgorithm::EdDsa))
        .map_err(|_| unreadable("it names no key".to_owned()))?;
    let segment = ArchivedLogSegment {
        first: header.first,
        last: header.last,
        previous: header.previous,
        hash: header.hash,
    };
    let mut contents = SegmentContents {
        instance: header.instance,
        segment,
        links: Vec::new(),
        kid: public.thumbprint(),
        findings: Vec::new(),
        link_findings: Vec::new(),
    };
    let trailer = read_lines(&mut lines, &mut contents).map_err(unreadable)?;
    let trusted = match keys {
        TrustedKeys::Instance(keys) => keys.find_public_key(&contents.kid).is_some(),
        TrustedKeys::Thumbprint(kid) => kid.is_none_or(|kid| kid == contents.kid),
    };
    if !trusted {
        let (file, kid) = (name.to_owned(), contents.kid.clone());
        contents.findings.push(archive_defect(ArchiveDefect::FileKeyUnexpected { file, kid }));
    }
    if !trailer.is_signed_by(&public, &contents) || !matches_header(&contents) {
        contents.findings.push(archive_defect(ArchiveDefect::FileAltered { file: name.to_owned() }));
    }
    Ok(contents)
}

/// The last line with the actual count and hash of the lines before it.
struct SegmentTrailer {
    last: ExportSignatureLine,
    lines: u64,
    digest: LogChainHash,
}

impl SegmentTrailer {
    fn is_signed_by(&self, key: &PublicKey, contents: &SegmentContents) -> bool {
        let signed = segment_file_signed_bytes(contents.instance, self.lines, self.digest);
        self.last.lines == self.lines
            && self.last.digest == self.digest
            && self.last.kid == contents.kid
            && key.verify_signature(&signed, &self.last.signature.0).is_ok()
    }
}

/// Reads the event lines and the last line; verifies the links between them.
fn read_lines(
    lines: &mut HashedLineReader<'_>,
    contents: &mut SegmentContents,
) -> Result<SegmentTrailer, String> {
    let segment = contents.segment;
    let start = LogChainAnchor { position: segment.first.saturating_sub(1), hash: segment.previous };
    let gaps = ChainGapPolicy::AreFindings;
    let mut walk = LogChainVerifier::resume_from(start.position, Some(start.hash), gaps, []);
    loop {
        let (before, digest) = (lines.count, lines.digest.clone());
        let line = lines.next_line().map_err(|error| error.to_string())?;
        let line = line.ok_or_else(|| "it ends before its signed last line".to_owned())?;
        if let Ok(event) = serde_json::from_slice::<ExportEventLine>(&line) {
            let (link, previous) = event.into_link();
            contents.link_findings.extend(walk.verify_link(&link, Some(previous)));
            contents.links.push(link);
            continue;
        }
        let last = serde_json::from_slice::<ExportSignatureLine>(&line)
            .map_err(|_| format!("line {} is neither an event nor the signed last line", lines.count))?;
        return match lines.next_line() {
            Ok(None) => Ok(SegmentTrailer { last, lines: before, digest: digest.finish() }),
            Ok(Some(_)) => Err("there is more after the signed last line".to_owned()),
            Err(error) => Err(error.to_string()),
        };
    }
}

/// Whether the events are exactly those that the header announces.
fn matches_header(contents: &SegmentContents) -> bool {
    let segment = contents.segment;
    let count = u64::try_from(contents.links.len()).unwrap_or(u64::MAX);
    segment.first >= 1
        && segment.last >= segment.first
        && count == segment.events()
        && contents.hash_at(segment.last) == Some(segment.hash)
}

/// A finding about the archive as a whole.
pub(super) const fn archive_defect(defect: ArchiveDefect) -> LogFinding {
    LogFinding::for_log(LogDefect::Archive(defect))
}
