//! Everything that happened, for those who run the instance: in pages, or as it happens.

use crate::acting::in_trail;
use crate::operating::Operating;
use crate::{Engine, Failed};
use sinete_core::id::{EventId, OrganizationId};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::security::event::EventKind;
use sinete_core::time::Timestamp;
use sinete_store::webhooks::telling::{self, PLACES_MAX, Placed, Places};
use sinete_store::{Act, organizations, security_log};

pub use sinete_store::security_log::Entry;

/// What it takes.
const LOOK: &str = "instance:read";
/// Most events that whoever follows is given at once.
const AT_ONCE_MAX: u32 = 100;

/// Which events somebody wants to see.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter {
    /// Only those from this moment on.
    pub since: Option<Timestamp>,
    /// Only those that concern this organization.
    pub organization: Option<OrganizationId>,
}

/// A page of the security log, oldest first.
pub async fn list(
    engine: &Engine,
    operating: &Operating,
    filter: &Filter,
    after: Option<EventId>,
    most: u32,
) -> Result<Result<Vec<Entry>, Refusal>, Failed> {
    if let Err(refusal) = operating.may(LOOK) {
        return Ok(Err(refusal));
    }
    // The id just before the first one of a moment: ids begin with the time.
    let since = filter.since.map(|since| EventId::floor(since).before());
    let after = after.max(since);
    Ok(Ok(match filter.organization {
        None => security_log::page(engine.store(), after, most).await?,
        Some(organization) => {
            note_look(engine, operating, organization).await?;
            security_log::of_organization(engine.store(), organization, after, most).await?
        }
    }))
}

/// One event.
pub async fn show(
    engine: &Engine,
    operating: &Operating,
    id: EventId,
) -> Result<Result<Entry, Refusal>, Failed> {
    if let Err(refusal) = operating.may(LOOK) {
        return Ok(Err(refusal));
    }
    let none = || Refusal::new(RefusalCode::NotFound, "there is no such thing here", "no such event");
    let found = security_log::find(engine.store(), id).await?;
    if let Some(organization) = found.as_ref().and_then(|entry| entry.event.organization) {
        note_look(engine, operating, organization).await?;
    }
    Ok(found.ok_or_else(none))
}

/// Records in an organization's audit log that operators read its events, before they are shown any.
async fn note_look(
    engine: &Engine,
    operating: &Operating,
    organization: OrganizationId,
) -> Result<(), Failed> {
    let known = organizations::find(engine.store(), organization, operating.now()).await?;
    if known.is_none() || organization == operating.operators() {
        return Ok(());
    }
    let kind = EventKind::OrganizationAdministered;
    let event = operating.event(engine, kind, organization).with("looked_at", "events");
    // Nothing in this act can conflict: it only adds rows under a new id.
    match engine.store().commit(in_trail(Act::new(), &event, organization, "")?).await? {
        Ok(_) => Ok(()),
        Err(_) => Err(Failed::Contended),
    }
}

/// The place in the log that somebody who follows it has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Following {
    position: i64,
}

impl Following {
    /// From now on, or after the event that was seen last.
    pub async fn begin(
        engine: &Engine,
        operating: &Operating,
        last: Option<EventId>,
    ) -> Result<Result<Self, Refusal>, Failed> {
        if let Err(refusal) = operating.may(LOOK) {
            return Ok(Err(refusal));
        }
        let position = match last {
            None => Some(telling::walk(engine.store()).await?.head),
            Some(last) => telling::place_of(engine.store(), last).await?,
        };
        Ok(position.map(|position| Self { position }).ok_or_else(|| {
            let public = "Last-Event-ID names no event of this instance";
            Refusal::new(RefusalCode::InvalidRequest, public, "an event without a place")
        }))
    }

    /// What has happened since, in the log's order. Nothing is left out and nothing comes twice.
    pub async fn next(&mut self, engine: &Engine) -> Result<Vec<Placed>, Failed> {
        let head = telling::walk(engine.store()).await?.head;
        let up_to = head.min(self.position + PLACES_MAX);
        if up_to <= self.position {
            return Ok(Vec::new());
        }
        let places = Places { after: self.position, up_to };
        let events = telling::events(engine.store(), None, places, AT_ONCE_MAX).await?;
        self.position = events.last().map_or(up_to, |last| last.position);
        Ok(events)
    }
}
