//! Verification of an export from the file alone.

use super::export_format::{ExportEventLine, ExportHeaderLine, ExportSignatureLine, FORMAT};
use super::signed_head::SignedLogHead;
use super::{SecurityLogError, VerificationProgress};
use sinete_core::events::log_chain::{
    ChainGapPolicy, ChainVerificationStats, LogChainAnchor, LogChainHead, LogChainVerifier, LogDefect,
    LogFinding, RunningHash, export_signed_bytes,
};
use sinete_core::id::InstanceId;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::Timestamp;
use sinete_crypto::platform::signing_keys::PublicKey;
use std::io::{BufRead, Read as _};

/// Maximum bytes in one line. No event comes near it.
const LINE_BYTES_MAX: u64 = 1024 * 1024;

/// The result of a verification, apart from the findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportVerification {
    /// The number of findings.
    pub findings: u64,
    /// The counts.
    pub tally: ChainVerificationStats,
    /// The instance stated in the file.
    pub instance: InstanceId,
    /// The export time stated in the file.
    pub exported_at: Timestamp,
    /// The head in the file.
    pub head: LogChainHead,
    /// The thumbprint of the key that signed it.
    pub kid: String,
    /// Whether it is a selection, in which events may be missing.
    pub has_gaps: bool,
}

/// Verifies an export. `key` is the thumbprint of the expected signing key, if known. An error means that the
/// file is not an export or cannot be read.
pub fn verify_export(
    file: &mut dyn BufRead,
    key: Option<&str>,
    anchors: &[LogChainAnchor],
    tell: &mut dyn FnMut(VerificationProgress),
) -> Result<ExportVerification, SecurityLogError> {
    let mut lines = HashedLineReader::new(file);
    let first = lines.next_line()?.ok_or(SecurityLogError::NotAnExport)?;
    let first: ExportHeaderLine =
        serde_json::from_slice(&first).map_err(|_| SecurityLogError::NotAnExport)?;
    if first.format != FORMAT {
        return Err(SecurityLogError::NotAnExport);
    }
    let public = PublicKey::from_jwk(&first.head.key.to_string(), Some(SigningAlgorithm::EdDsa))
        .map_err(|_| SecurityLogError::NotAnExport)?;
    let kid = public.thumbprint();
    let mut check = ExportCheck { report: tell, findings: 0 };
    if key.is_some_and(|expected| expected != kid) {
        check.add_finding(LogFinding::for_log(LogDefect::ExportKeyUnexpected { kid: kid.clone() }));
    }
    if !is_head_of(&first.head, first.instance, &public) {
        check.add_finding(LogFinding::for_log(LogDefect::HeadForged));
    }
    let gaps =
        if first.selection.has_gaps() { ChainGapPolicy::AreExpected } else { ChainGapPolicy::AreFindings };
    let anchors = anchors.iter().copied();
    let mut walk = match first.selection.after {
        ..=0 => LogChainVerifier::new(first.instance, gaps, anchors),
        after => LogChainVerifier::resume_from(after, None, gaps, anchors),
    };
    let of = first.head.position.unsigned_abs();
    let finished = check.check_lines(&mut lines, &mut walk, of)?;
    let tally = match finished {
        Some(last) => {
            if !last.verify_signature(first.instance, &public, &kid) {
                check.add_finding(LogFinding::for_log(LogDefect::ExportAltered));
            }
            let (findings, tally) = walk.finish(&first.head.to_head());
            check.add_findings(findings);
            tally
        }
        None => {
            check.add_finding(LogFinding::for_log(LogDefect::ExportCutOff));
            walk.stats()
        }
    };
    Ok(ExportVerification {
        findings: check.findings,
        tally,
        instance: first.instance,
        exported_at: first.exported_at.0,
        head: first.head.to_head(),
        kid,
        has_gaps: first.selection.has_gaps(),
    })
}

fn is_head_of(head: &SignedLogHead, instance: InstanceId, key: &PublicKey) -> bool {
    head.instance == instance && head.kid == key.thumbprint() && head.is_signed_by(key)
}

struct ExportCheck<'a> {
    report: &'a mut dyn FnMut(VerificationProgress),
    findings: u64,
}

/// The last line, with the actual count and hash of the lines before it.
struct ExportTrailer {
    last: ExportSignatureLine,
    lines: u64,
    digest: RunningHash,
}

impl ExportTrailer {
    fn verify_signature(self, instance: InstanceId, key: &PublicKey, kid: &str) -> bool {
        let digest = self.digest.finish();
        let signed = export_signed_bytes(instance, self.lines, digest);
        self.last.lines == self.lines
            && self.last.digest == digest
            && self.last.kid == kid
            && key.verify_signature(&signed, &self.last.signature.0).is_ok()
    }
}

impl ExportCheck<'_> {
    /// Verifies the event lines up to the last line, if the file has one.
    fn check_lines(
        &mut self,
        lines: &mut HashedLineReader<'_>,
        walk: &mut LogChainVerifier,
        of: u64,
    ) -> Result<Option<ExportTrailer>, SecurityLogError> {
        loop {
            let (before, digest) = (lines.count, lines.digest.clone());
            let Some(line) = lines.next_line()? else { return Ok(None) };
            if let Ok(event) = serde_json::from_slice::<ExportEventLine>(&line) {
                let (link, previous) = event.into_link();
                self.add_findings(walk.verify_link(&link, Some(previous)));
                if walk.stats().links.is_multiple_of(1000) {
                    (self.report)(VerificationProgress::Position {
                        completed: walk.position().unsigned_abs(),
                        total: of,
                    });
                }
                continue;
            }
            if let Ok(last) = serde_json::from_slice::<ExportSignatureLine>(&line) {
                if lines.next_line()?.is_some() {
                    let reason = "there is more after the signed last line".to_owned();
                    self.add_finding(LogFinding::for_log(LogDefect::LineUnreadable {
                        line: lines.count,
                        error: reason,
                    }));
                }
                return Ok(Some(ExportTrailer { last, lines: before, digest }));
            }
            let reason = "it is neither an event nor the signed last line".to_owned();
            self.add_finding(LogFinding::for_log(LogDefect::LineUnreadable {
                line: lines.count,
                error: reason,
            }));
        }
    }

    fn add_finding(&mut self, finding: LogFinding) {
        self.findings += 1;
        (self.report)(VerificationProgress::Finding(finding));
    }

    fn add_findings(&mut self, findings: Vec<LogFinding>) {
        findings.into_iter().for_each(|finding| self.add_finding(finding));
    }
}

/// Reads the lines of a file, counting and hashing them.
pub(super) struct HashedLineReader<'a> {
    file: &'a mut dyn BufRead,
    pub(super) digest: RunningHash,
    pub(super) count: u64,
}

impl<'a> HashedLineReader<'a> {
    pub(super) fn new(file: &'a mut dyn BufRead) -> Self {
        Self { file, digest: RunningHash::default(), count: 0 }
    }

    /// The next line including its end. A line without an end is truncated.
    pub(super) fn next_line(&mut self) -> Result<Option<Vec<u8>>, SecurityLogError> {
        let mut line = Vec::new();
        let read = (&mut *self.file).take(LINE_BYTES_MAX).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(None);
        }
        self.count += 1;
        self.digest.update(&line);
        if read as u64 == LINE_BYTES_MAX && line.last() != Some(&b'\n') {
            return Err(SecurityLogError::LineTooLong { line: self.count });
        }
        Ok(Some(line))
    }
}
