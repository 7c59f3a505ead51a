//! Export of sealed events as JSON lines, signed as a whole.
//!
//! Every link is verified, also those outside the selection: the signature asserts that the lines are from
//! the log, which must not cover altered lines.

use super::export_format::{
    ExportEventLine, ExportHeaderLine, ExportSelectionLine, ExportSignatureLine, FORMAT,
};
use super::signed_head;
use super::signed_head::{Rfc3339Time, SignedLogHead};
use super::{Base64UrlBytes, SecurityLog, SecurityLogError, VerificationProgress};
use sinete_core::entropy::Entropy;
use sinete_core::events::log_chain::{
    ChainGapPolicy, LogChainHash, LogChainLink, LogChainVerifier, LogDefect, LogFinding, RunningHash,
    export_signed_bytes,
};
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::id::{InstanceId, OrganizationId};
use sinete_core::time::Timestamp;
use sinete_store::events::log_chain;
use sinete_store::events::log_chain::{LogChainCursor, StoredChainHead};
use sinete_store::{BatchOutcome, CommitReceipt, WriteBatch};
use std::io::Write;

/// Page size for reading rows.
const PAGE: u32 = 1000;

/// An export request.
#[derive(Debug)]
pub struct LogExport {
    /// The time of the export.
    pub at: Timestamp,
    /// The selected events.
    pub selection: EventSelection,
    /// Whether to include origins.
    pub personal: PersonalDataMode,
}

/// A selection of events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventSelection {
    /// Only events after this position.
    pub after: i64,
    /// Only events at this time or later.
    pub since: Option<Timestamp>,
    /// Only events before this time.
    pub until: Option<Timestamp>,
    /// Only these kinds; empty for all.
    pub kinds: Vec<EventKind>,
    /// Only events of this organization.
    pub organization: Option<OrganizationId>,
}

/// Whether an export includes personal data (origins).
#[derive(Debug)]
pub enum PersonalDataMode {
    /// Excluded.
    Excluded,
    /// Included, after recording the disclosure.
    Included(RecordedDisclosure),
}

/// Proof that the disclosure of personal data was recorded. Only recording it creates one.
#[derive(Debug)]
pub struct RecordedDisclosure(CommitReceipt);

/// The result of an export.
#[derive(Clone, Debug, PartialEq)]
pub struct LogExportSummary {
    /// The number of exported events.
    pub events: u64,
    /// The head.
    pub head: SignedLogHead,
}

impl SecurityLog {
    /// Records that personal data will be exported. This must precede the export.
    pub async fn record_export(
        &self,
        selection: &EventSelection,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<RecordedDisclosure, SecurityLogError> {
        let text = |moment: Option<Timestamp>| moment.map(|moment| moment.to_string());
        let kinds: Vec<_> = selection.kinds.iter().map(|kind| kind.name()).collect();
        let mut event = SecurityEvent::new(EventKind::LogExported, SecurityEventActor::System, now, entropy)
            .with_detail("with_personal", true)
            .with_detail("after", selection.after)
            .with_detail("since", text(selection.since))
            .with_detail("until", text(selection.until))
            .with_detail("kinds", kinds);
        if let Some(organization) = selection.organization {
            event = event.with_organization(organization);
        }
        // The batch conflicts only with an event of the same id, and its id is new.
        match self.store.commit(WriteBatch::new().with_event(&event)).await? {
            BatchOutcome::Committed(committed) => Ok(RecordedDisclosure(committed)),
            BatchOutcome::Conflict(_) => Err(SecurityLogError::Busy),
        }
    }

    /// Writes the selected sealed events.
    pub async fn export(
        &self,
        export: &LogExport,
        out: &mut (dyn Write + Send),
        tell: &mut (dyn FnMut(VerificationProgress) + Send),
    ) -> Result<LogExportSummary, SecurityLogError> {
        let (stored, signed) = self.load_trusted_head().await?;
        let mut selected = ExportSelectionLine::from(export);
        // What was cut is in the archive.
        let checkpoint = self.load_trusted_checkpoint().await?;
        selected.after = selected.after.max(checkpoint.map_or(0, |checkpoint| checkpoint.position));
        if selected.after > stored.head.position {
            return Err(SecurityLogError::BeyondHead { after: selected.after, head: stored.head.position });
        }
        let mut file = SignedLineWriter::new(out);
        file.write_line(&ExportHeaderLine {
            format: FORMAT.to_owned(),
            instance: self.instance,
            exported_at: Rfc3339Time(export.at),
            selection: selected.clone(),
            head: signed.clone(),
        })?;
        self.write_events(&selected, &stored, &mut file, tell).await?;
        let events = file.lines - 1;
        file.finish(self, export_signed_bytes)?;
        Ok(LogExportSummary { events, head: signed })
    }

    /// Loads the head, if its signature is ours.
    pub(super) async fn load_trusted_head(
        &self,
    ) -> Result<(StoredChainHead, SignedLogHead), SecurityLogError> {
        let tampered = |finding| SecurityLogError::Tampered(Box::new(finding));
        let stored = log_chain::find_chain_head(&self.store).await?;
        let stored = stored.ok_or_else(|| tampered(LogFinding::for_log(LogDefect::HeadMissing)))?;
        if let Some(finding) = signed_head::find_sealing_obstacle(&self.keys, self.instance, &stored) {
            return Err(tampered(finding));
        }
        let key = self.keys.find_public_key(&stored.kid).ok_or(SecurityLogError::NoKey)?;
        let signed = SignedLogHead::from_stored(self.instance, &stored, key);
        Ok((stored, signed))
    }

    async fn write_events(
        &self,
        selected: &ExportSelectionLine,
        stored: &StoredChainHead,
        file: &mut SignedLineWriter<'_>,
        tell: &mut (dyn FnMut(VerificationProgress) + Send),
    ) -> Result<(), SecurityLogError> {
        let head = &stored.head;
        let mut walk = self.start_verifier_after(selected.after).await?;
        let mut cursor = LogChainCursor::after_position(selected.after);
        loop {
            let links = log_chain::list_chain_links(&self.store, cursor, head.position, PAGE).await?;
            let Some(last) = links.last() else { break };
            if links.first().is_some_and(|first| first.position - 1 > walk.position())
                && self.load_trusted_checkpoint().await?.is_some_and(|cut| cut.position > walk.position())
            {
                // Events that were to be exported were cut meanwhile.
                return Err(SecurityLogError::Busy);
            }
            cursor = LogChainCursor::after_link(last);
            for link in &links {
                let previous = walk.hash_before(link.position);
                require_no_findings(walk.verify_link(link, None))?;
                if let (Some(event), Some(previous)) = (&link.event, previous)
                    && selected.includes(event)
                {
                    file.write_line(&ExportEventLine::from_link(
                        link,
                        event,
                        previous,
                        selected.with_personal,
                    ))?;
                }
            }
            tell(VerificationProgress::Position {
                completed: walk.position().unsigned_abs(),
                total: head.position.unsigned_abs(),
            });
        }
        require_no_findings(walk.finish(head).0)
    }

    /// Starts a verifier after a position, from the hash stored there.
    async fn start_verifier_after(&self, position: i64) -> Result<LogChainVerifier, SecurityLogError> {
        if position <= 0 {
            return Ok(LogChainVerifier::new(self.instance, ChainGapPolicy::AreFindings, []));
        }
        if let Some(checkpoint) = self.load_trusted_checkpoint().await?
            && checkpoint.position == position
        {
            let hash = Some(checkpoint.hash);
            return Ok(LogChainVerifier::resume_from(position, hash, ChainGapPolicy::AreFindings, []));
        }
        let links = log_chain::list_chain_links(
            &self.store,
            LogChainCursor::after_position(position - 1),
            position,
            1,
        )
        .await?;
        let Some(LogChainLink { hash, .. }) = links.first() else {
            let gone = LogDefect::PositionsMissing { from: position, to: position };
            return Err(SecurityLogError::Tampered(Box::new(LogFinding::for_log(gone))));
        };
        Ok(LogChainVerifier::resume_from(position, Some(*hash), ChainGapPolicy::AreFindings, []))
    }
}

/// The first finding ends an export.
pub(super) fn require_no_findings(findings: Vec<LogFinding>) -> Result<(), SecurityLogError> {
    match findings.into_iter().next() {
        Some(finding) => Err(SecurityLogError::Tampered(Box::new(finding))),
        None => Ok(()),
    }
}

impl From<&LogExport> for ExportSelectionLine {
    fn from(export: &LogExport) -> Self {
        let selection = &export.selection;
        Self {
            after: selection.after.max(0),
            since: selection.since.map(Rfc3339Time),
            until: selection.until.map(Rfc3339Time),
            kinds: selection.kinds.iter().map(|kind| kind.name().to_owned()).collect(),
            organization: selection.organization,
            with_personal: matches!(export.personal, PersonalDataMode::Included(_)),
        }
    }
}

/// Writes lines, counting and hashing them.
pub(super) struct SignedLineWriter<'a> {
    out: &'a mut (dyn Write + Send),
    digest: RunningHash,
    lines: u64,
}

/// The bytes that the last line signs, from the instance, the number of lines and their hash.
type SignedBytes = fn(InstanceId, u64, LogChainHash) -> Vec<u8>;

impl<'a> SignedLineWriter<'a> {
    pub(super) fn new(out: &'a mut (dyn Write + Send)) -> Self {
        Self { out, digest: RunningHash::default(), lines: 0 }
    }

    pub(super) fn write_line(&mut self, line: &impl serde::Serialize) -> Result<(), SecurityLogError> {
        let mut bytes = serde_json::to_vec(line).map_err(|error| SecurityLogError::Io(error.into()))?;
        bytes.push(b'\n');
        self.out.write_all(&bytes)?;
        self.digest.update(&bytes);
        self.lines += 1;
        Ok(())
    }

    /// Signs the written lines.
    pub(super) fn finish(mut self, log: &SecurityLog, signed: SignedBytes) -> Result<(), SecurityLogError> {
        let (lines, digest) = (self.lines, std::mem::take(&mut self.digest).finish());
        let key = log.keys.signing_key()?;
        let signed = signed(log.instance, lines, digest);
        let signature = Base64UrlBytes(key.sign(&signed).map_err(|_| SecurityLogError::SigningFailed)?);
        self.write_line(&ExportSignatureLine { lines, digest, kid: key.kid().to_owned(), signature })?;
        Ok(self.out.flush()?)
    }
}
