//! Writing sealed events out as JSON lines, signed as a whole.
//!
//! Every link on the way is checked, also those that were not asked for: the signature under an export says
//! that its lines are the log's, and that must not be said of a line somebody altered.

use super::head::{self, Moment, SignedHead};
use super::line::{EventLine, FORMAT, FirstLine, LastLine, Selected};
use super::{Base64, LogFailed, Progress, SecurityLog};
use sinete_core::entropy::Entropy;
use sinete_core::id::OrganizationId;
use sinete_core::security::chain::{Finding, Gaps, Link, RunningHash, Walk, Wrong, export_signed_bytes};
use sinete_core::security::event::{Actor, Event, EventKind};
use sinete_core::time::Timestamp;
use sinete_store::log_chain::{self, Cursor, StoredHead};
use sinete_store::{Act, Committed};
use std::io::Write;

/// Rows that are read at once.
const PAGE: u32 = 1000;

/// What to write out.
#[derive(Debug)]
pub struct Export {
    /// The moment it is written.
    pub at: Timestamp,
    /// Which events.
    pub selection: Selection,
    /// Whether to include where requests came from.
    pub personal: PersonalPart,
}

/// Which events to write out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only what comes after this position.
    pub after: i64,
    /// Only what happened at this moment or later.
    pub since: Option<Timestamp>,
    /// Only what happened before this moment.
    pub until: Option<Timestamp>,
    /// Only these kinds; all of them if none is named.
    pub kinds: Vec<EventKind>,
    /// Only what concerns this organization.
    pub organization: Option<OrganizationId>,
}

/// Whether an export includes where requests came from.
#[derive(Debug)]
pub enum PersonalPart {
    /// It does not.
    LeftOut,
    /// It does, and the log says so.
    Included(Recorded),
}

/// Proof that the log says who is shown personal data. Only recording it makes one.
#[derive(Debug)]
pub struct Recorded(Committed);

/// What an export came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Exported {
    /// Events that were written.
    pub events: u64,
    /// The head they end with.
    pub head: SignedHead,
}

impl SecurityLog {
    /// Records that personal data is about to be exported, which has to come before doing it.
    pub async fn record_export(
        &self,
        selection: &Selection,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<Recorded, LogFailed> {
        let text = |moment: Option<Timestamp>| moment.map(|moment| moment.to_string());
        let kinds: Vec<_> = selection.kinds.iter().map(|kind| kind.name()).collect();
        let mut event = Event::new(EventKind::LogExported, Actor::System, now, entropy)
            .with("with_personal", true)
            .with("after", selection.after)
            .with("since", text(selection.since))
            .with("until", text(selection.until))
            .with("kinds", kinds);
        if let Some(organization) = selection.organization {
            event = event.within(organization);
        }
        // Adding a line can conflict with nothing but a line of the same id, and its id is new.
        match self.store.commit(Act::new().record(&event)).await? {
            Ok(committed) => Ok(Recorded(committed)),
            Err(_) => Err(LogFailed::Busy),
        }
    }

    /// Writes the events that were asked for, and only sealed ones.
    pub async fn export(
        &self,
        export: &Export,
        out: &mut (dyn Write + Send),
        tell: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<Exported, LogFailed> {
        let (stored, signed) = self.trusted_head().await?;
        let selected = Selected::from(export);
        if selected.after > stored.head.position {
            return Err(LogFailed::BeyondHead { after: selected.after, head: stored.head.position });
        }
        let mut file = SignedLines { out, digest: RunningHash::default(), lines: 0 };
        file.write(&FirstLine {
            format: FORMAT.to_owned(),
            instance: self.instance,
            exported_at: Moment(export.at),
            selection: selected.clone(),
            head: signed.clone(),
        })?;
        self.write_events(&selected, &stored, &mut file, tell).await?;
        let events = file.lines - 1;
        file.finish(self)?;
        Ok(Exported { events, head: signed })
    }

    /// The head, if it is ours.
    pub(super) async fn trusted_head(&self) -> Result<(StoredHead, SignedHead), LogFailed> {
        let tampered = |finding| LogFailed::Tampered(Box::new(finding));
        let stored = log_chain::head(&self.store).await?;
        let stored = stored.ok_or_else(|| tampered(Finding::whole(Wrong::HeadMissing)))?;
        if let Some(finding) = head::obstacle(&self.keys, self.instance, &stored) {
            return Err(tampered(finding));
        }
        let key = self.keys.public(&stored.kid).ok_or(LogFailed::NoKey)?;
        let signed = SignedHead::of(self.instance, &stored, key);
        Ok((stored, signed))
    }

    async fn write_events(
        &self,
        selected: &Selected,
        stored: &StoredHead,
        file: &mut SignedLines<'_>,
        tell: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<(), LogFailed> {
        let head = &stored.head;
        let mut walk = self.walk_after(selected.after).await?;
        let mut cursor = Cursor::behind(selected.after);
        loop {
            let links = log_chain::page(&self.store, cursor, head.position, PAGE).await?;
            let Some(last) = links.last() else { break };
            cursor = Cursor::after(last);
            for link in &links {
                let previous = walk.hash_before(link.position);
                sound(walk.step(link, None))?;
                if let (Some(event), Some(previous)) = (&link.event, previous)
                    && selected.wants(event)
                {
                    file.write(&EventLine::of(link, event, previous, selected.with_personal))?;
                }
            }
            tell(Progress::Reached {
                done: walk.position().unsigned_abs(),
                of: head.position.unsigned_abs(),
            });
        }
        sound(walk.end(head).0)
    }

    /// A walk that starts behind a position, from the hash that stands there.
    async fn walk_after(&self, position: i64) -> Result<Walk, LogFailed> {
        if position <= 0 {
            return Ok(Walk::new(self.instance, Gaps::AreFindings, []));
        }
        let links = log_chain::page(&self.store, Cursor::behind(position - 1), position, 1).await?;
        let Some(Link { hash, .. }) = links.first() else {
            let gone = Wrong::PlacesMissing { from: position, to: position };
            return Err(LogFailed::Tampered(Box::new(Finding::whole(gone))));
        };
        Ok(Walk::resuming(position, Some(*hash), Gaps::AreFindings, []))
    }
}

/// The first thing that is wrong ends an export.
fn sound(findings: Vec<Finding>) -> Result<(), LogFailed> {
    match findings.into_iter().next() {
        Some(finding) => Err(LogFailed::Tampered(Box::new(finding))),
        None => Ok(()),
    }
}

impl From<&Export> for Selected {
    fn from(export: &Export) -> Self {
        let selection = &export.selection;
        Self {
            after: selection.after.max(0),
            since: selection.since.map(Moment),
            until: selection.until.map(Moment),
            kinds: selection.kinds.iter().map(|kind| kind.name().to_owned()).collect(),
            organization: selection.organization,
            with_personal: matches!(export.personal, PersonalPart::Included(_)),
        }
    }
}

/// Lines on their way out, counted and hashed.
struct SignedLines<'a> {
    out: &'a mut (dyn Write + Send),
    digest: RunningHash,
    lines: u64,
}

impl SignedLines<'_> {
    fn write(&mut self, line: &impl serde::Serialize) -> Result<(), LogFailed> {
        let mut bytes = serde_json::to_vec(line).map_err(|error| LogFailed::Write(error.into()))?;
        bytes.push(b'\n');
        self.out.write_all(&bytes)?;
        self.digest.update(&bytes);
        self.lines += 1;
        Ok(())
    }

    /// Signs what was written.
    fn finish(mut self, log: &SecurityLog) -> Result<(), LogFailed> {
        let (lines, digest) = (self.lines, std::mem::take(&mut self.digest).finish());
        let key = log.keys.newest()?;
        let signed = export_signed_bytes(log.instance, lines, digest);
        let signature = Base64(key.sign(&signed).map_err(|_| LogFailed::NotSigned)?);
        self.write(&LastLine { lines, digest, kid: key.kid().to_owned(), signature })?;
        Ok(self.out.flush()?)
    }
}
