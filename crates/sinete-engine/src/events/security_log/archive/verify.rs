//! Verification of an archive: against the records of the database, or from its files alone.

use super::super::archive_records::ArchiveRecords;
use super::super::{SecurityLog, SecurityLogError, VerificationProgress};
use super::segment_file::{FOLDER, SegmentContents, TrustedKeys, archive_defect, read_segment};
use super::{origins, segment_file};
use crate::ports::{ArchiveStorage, ArchiveStorageError};
use sinete_core::events::log_chain::{
    ArchiveDefect, ChainGapPolicy, ChainVerificationStats, LogChainAnchor, LogChainHash, LogChainVerifier,
    LogFinding,
};
use sinete_core::id::InstanceId;
use std::collections::BTreeMap;

/// The result of a verification, apart from the findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveVerification {
    /// The number of findings.
    pub findings: u64,
    /// The number of segments.
    pub segments: u64,
    /// The counts of the events in them.
    pub tally: ChainVerificationStats,
    /// The last position of the archive.
    pub last: i64,
    /// The thumbprint of the key that signed the last file.
    pub kid: Option<String>,
    /// Valid files that hold nothing but what other files hold too, left by interrupted runs.
    pub superfluous: Vec<String>,
}

impl SecurityLog {
    /// Verifies the files of all archived segments: that they are there, as they were archived, and form one
    /// chain. [`SecurityLog::verify_log`] verifies the records and the rest of the chain.
    pub async fn verify_archived_segments(
        &self,
        storage: &dyn ArchiveStorage,
        anchors: &[LogChainAnchor],
        tell: &mut (dyn FnMut(VerificationProgress) + Send),
    ) -> Result<ArchiveVerification, SecurityLogError> {
        let records: ArchiveRecords = self.load_archive_records().await?;
        let of = records.archived_end(self).position.unsigned_abs();
        let mut check = ArchiveCheck::new(storage, tell, of);
        let within = anchors.iter().copied().filter(|anchor| anchor.position.unsigned_abs() <= of);
        let mut walk = LogChainVerifier::new(self.instance, ChainGapPolicy::AreFindings, within);
        for record in &records.segments {
            let name = &record.file.name;
            let Some(bytes) = storage.get(name).await? else {
                check.add_defect(ArchiveDefect::FileMissing { file: name.clone() });
                continue;
            };
            if LogChainHash::digest_file(&bytes) != record.file.digest {
                check.add_defect(ArchiveDefect::FileAltered { file: name.clone() });
            }
            match read_segment(name, &bytes, TrustedKeys::Instance(&self.keys)) {
                Err(finding) => check.add_findings([finding]),
                Ok(contents) => {
                    if contents.segment != record.segment || contents.instance != self.instance {
                        check.add_defect(ArchiveDefect::FileMisplaced { file: name.clone() });
                    }
                    check.check_segment(contents, &mut walk).await?;
                }
            }
        }
        Ok(check.finish(walk))
    }
}

/// Verifies an archive from its files alone. `key` is the thumbprint of the expected signing key, if known.
pub async fn verify_archive(
    storage: &dyn ArchiveStorage,
    key: Option<&str>,
    anchors: &[LogChainAnchor],
    tell: &mut (dyn FnMut(VerificationProgress) + Send),
) -> Result<ArchiveVerification, SecurityLogError> {
    let names = storage.list(FOLDER).await?;
    let mut check = ArchiveCheck::new(storage, tell, 0);
    let mut walk: Option<(InstanceId, LogChainVerifier)> = None;
    for name in names {
        let Some(bytes) = storage.get(&name).await? else { continue };
        let contents = match read_segment(&name, &bytes, TrustedKeys::Thumbprint(key)) {
            Ok(contents) => contents,
            Err(finding) => {
                check.add_findings([finding]);
                continue;
            }
        };
        let digest = LogChainHash::digest_file(&bytes);
        let (instance, walk) = walk.get_or_insert_with(|| {
            let anchors = anchors.iter().copied();
            let gaps = ChainGapPolicy::AreFindings;
            (contents.instance, LogChainVerifier::new(contents.instance, gaps, anchors))
        });
        if segment_file::file_name(&contents.segment, digest) != name || contents.instance != *instance {
            check.add_defect(ArchiveDefect::FileMisplaced { file: name.clone() });
        }
        if contents.segment.last <= walk.position() && contents.is_sound() {
            check.verification.superfluous.push(name);
            continue;
        }
        check.check_segment(contents, walk).await?;
    }
    match walk {
        Some((_, walk)) => Ok(check.finish(walk)),
        // No file could be read.
        None if check.verification.findings > 0 => Ok(check.verification),
        None => Err(ArchiveStorageError("it contains no segment of a security log".to_owned()).into()),
    }
}

struct ArchiveCheck<'a> {
    storage: &'a dyn ArchiveStorage,
    report: &'a mut (dyn FnMut(VerificationProgress) + Send),
    total: u64,
    verification: ArchiveVerification,
}

impl<'a> ArchiveCheck<'a> {
    fn new(
        storage: &'a dyn ArchiveStorage,
        report: &'a mut (dyn FnMut(VerificationProgress) + Send),
        total: u64,
    ) -> Self {
        let archive_verification = ArchiveVerification {
            findings: 0,
            segments: 0,
            tally: ChainVerificationStats::default(),
            last: 0,
            kid: None,
            superfluous: Vec::new(),
        };
        Self { storage, report, total, verification: archive_verification }
    }

    /// Continues the chain with the events of a file and their origins.
    async fn check_segment(
        &mut self,
        contents: SegmentContents,
        walk: &mut LogChainVerifier,
    ) -> Result<(), SecurityLogError> {
        let walked = walk.position();
        self.add_findings(contents.findings);
        let name = origins::file_name(&contents.segment);
        let mut origins = BTreeMap::new();
        if let Some(bytes) = self.storage.get(&name).await? {
            match origins::read_origins(&bytes) {
                Ok(read) => origins = read,
                Err(reason) => self.add_defect(ArchiveDefect::FileUnreadable { file: name, error: reason }),
            }
        }
        // An interrupted run may have left a file that holds a part of this one as well.
        for mut link in contents.links.into_iter().filter(|link| link.position > walked) {
            link.personal = origins.remove(&link.position);
            self.add_findings(walk.verify_link(&link, None));
        }
        self.verification.segments += 1;
        self.verification.kid = Some(contents.kid);
        let position = walk.position().unsigned_abs();
        (self.report)(VerificationProgress::Position {
            completed: position,
            total: self.total.max(position),
        });
        Ok(())
    }

    fn finish(mut self, walk: LogChainVerifier) -> ArchiveVerification {
        self.verification.last = walk.position();
        let (findings, tally) = walk.finish_without_head();
        self.add_findings(findings);
        ArchiveVerification { tally, ..self.verification }
    }

    fn add_defect(&mut self, defect: ArchiveDefect) {
        self.add_findings([archive_defect(defect)]);
    }

    fn add_findings(&mut self, findings: impl IntoIterator<Item = LogFinding>) {
        for finding in findings {
            self.verification.findings += 1;
            (self.report)(VerificationProgress::Finding(finding));
        }
    }
}
