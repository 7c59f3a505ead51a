//! The last SCIM requests of an organization, so that its administrators find out why a directory fails.
//!
//! A request only puts a row into memory; it is written a few seconds later with the others, in one batch for each
//! organization. A flood of requests therefore writes no more than the buffer holds
//! (docs/contribute/decisions/0318-scim-failed-requests-kept-per-organization.md).

use super::PERMISSION;
use crate::access_control::organization_access::OrganizationAccess;
use crate::{Engine, Error};
use sinete_core::events::security_event::SecurityEventActor;
use sinete_core::id::{OrganizationId, ScimRequestId};
use sinete_core::limits::{
    SCIM_FAILURES_BUFFERED_MAX, SCIM_FAILURES_RETAINED_MAX, SCIM_ORGANIZATIONS_BUFFERED_MAX,
    SCIM_REQUEST_TEXT_CHARACTERS_MAX, SCIM_REQUESTS_WRITE_DELAY, SCIM_USERS_COUNTED_MAX,
};
use sinete_core::refusal::Refusal;
use sinete_core::scim::error;
use sinete_store::scim::{groups, requests, users};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

pub use sinete_store::scim::requests::ScimRequestRow;

/// A request, as it is recorded.
#[derive(Clone, Copy, Debug)]
pub struct AnsweredScimRequest<'a> {
    /// The organization of the caller.
    pub organization: OrganizationId,
    /// The caller.
    pub actor: &'a SecurityEventActor,
    /// The HTTP method.
    pub method: &'a str,
    /// The path below the base URL of SCIM, without a query.
    pub path: &'a str,
    /// The `externalId` in the body, if any.
    pub external_id: Option<&'a str>,
}

/// What an administrator sees of the provisioning of an organization.
#[derive(Clone, Debug)]
pub struct ProvisioningOverview {
    /// The number of provisioned users; no more are counted than [`SCIM_USERS_COUNTED_MAX`].
    pub users: usize,
    /// Whether there are more users than were counted.
    pub has_more_users: bool,
    /// The number of groups that a directory sent.
    pub groups: u64,
    /// The last successful request.
    pub last_success: Option<ScimRequestRow>,
    /// The last failed requests, the latest first.
    pub failures: Vec<ScimRequestRow>,
}

/// Records a successful request.
pub fn record_success(engine: &Engine, request: AnsweredScimRequest<'_>, status: u16) {
    let row = request.to_row(engine, status);
    if engine.shared.scim_request_buffer.add_success(request.organization, row) {
        write_later(engine);
    }
}

/// Records a failed request.
pub fn record_failure(engine: &Engine, request: AnsweredScimRequest<'_>, refusal: &Refusal) {
    let body = error::build_error_body(refusal);
    let row = ScimRequestRow {
        scim_type: error::scim_type(refusal.code()).map(str::to_owned),
        detail: truncate_text(body["detail"].as_str().unwrap_or_default()),
        target: request.external_id.map(truncate_text),
        ..request.to_row(engine, error::scim_status(refusal.code()))
    };
    if engine.shared.scim_request_buffer.add_failure(request.organization, row) {
        write_later(engine);
    }
}

/// Shows the provisioning of an organization to users who may provision there.
pub async fn load_overview(
    engine: &Engine,
    access: &OrganizationAccess,
) -> Result<ProvisioningOverview, Error> {
    access.require_read_permission(PERMISSION)?;
    access.record_read_by_non_member(engine, "scim_requests").await?;
    let (store, organization) = (engine.store(), access.organization.id);
    let user_count = users::count_provisioned_users(store, organization, SCIM_USERS_COUNTED_MAX + 1).await?;
    let limit = usize::try_from(SCIM_USERS_COUNTED_MAX).unwrap_or(usize::MAX);
    Ok(ProvisioningOverview {
        users: user_count.min(limit),
        has_more_users: user_count > limit,
        groups: groups::count_scim_groups(store, organization).await?,
        last_success: requests::find_last_successful_scim_request(store, organization).await?,
        failures: requests::list_failed_scim_requests(store, organization).await?,
    })
}

/// Writes the requests that wait. What cannot be written is dropped: it informs, and nothing depends on it.
/// After it, everything that was recorded before is in the database.
pub async fn write_waiting(engine: &Engine) {
    let buffer = &engine.shared.scim_request_buffer;
    let _writing = buffer.writer.lock().await;
    for (organization, organization_requests) in buffer.drain() {
        let failures: Vec<ScimRequestRow> = organization_requests.failures.into();
        let batch =
            requests::record_scim_requests(organization, organization_requests.success.as_ref(), &failures);
        engine.store().commit_best_effort(batch).await;
    }
}

/// Writes the waiting requests a few seconds later, unless the engine has stopped by then.
fn write_later(engine: &Engine) {
    let shared = Arc::downgrade(&engine.shared);
    tokio::spawn(async move {
        tokio::time::sleep(SCIM_REQUESTS_WRITE_DELAY.as_duration()).await;
        if let Some(shared) = shared.upgrade() {
            write_waiting(&Engine { shared }).await;
        }
    });
}

/// The beginning of a text, without characters that cannot be displayed.
fn truncate_text(text: &str) -> String {
    text.chars().filter(|it| !it.is_control()).take(SCIM_REQUEST_TEXT_CHARACTERS_MAX).collect()
}

impl AnsweredScimRequest<'_> {
    fn to_row(self, engine: &Engine, status: u16) -> ScimRequestRow {
        let at = engine.now();
        ScimRequestRow {
            id: ScimRequestId::mint(at, &engine.id_entropy()),
            at,
            actor: format!("{} {}", self.actor.kind(), self.actor.id().unwrap_or_default()),
            method: self.method.to_owned(),
            path: truncate_text(self.path),
            status,
            scim_type: None,
            detail: String::new(),
            target: None,
        }
    }
}

/// The requests that wait to be written, in bounded memory.
#[derive(Debug, Default)]
pub(crate) struct ScimRequestBuffer {
    pending: Mutex<WaitingRequests>,
    /// Held while requests are written.
    writer: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct WaitingRequests {
    organizations: HashMap<OrganizationId, OrganizationRequests>,
    /// The number of failures of all organizations.
    failures: usize,
    /// Whether a task will write them.
    is_scheduled: bool,
}

/// The requests of one organization.
#[derive(Debug, Default)]
struct OrganizationRequests {
    success: Option<ScimRequestRow>,
    failures: VecDeque<ScimRequestRow>,
}

impl ScimRequestBuffer {
    /// Adds a successful request; returns whether a task must be started that writes it.
    fn add_success(&self, organization: OrganizationId, row: ScimRequestRow) -> bool {
        let mut waiting_requests = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(requests) = waiting_requests.find_or_add(organization) else { return false };
        requests.success = Some(row);
        waiting_requests.schedule()
    }

    /// Adds a failed request in the same way. The latest of an organization displace its earlier ones.
    fn add_failure(&self, organization: OrganizationId, row: ScimRequestRow) -> bool {
        let mut waiting_requests = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = waiting_requests.failures >= SCIM_FAILURES_BUFFERED_MAX;
        let Some(requests) = waiting_requests.find_or_add(organization) else { return false };
        let limit = usize::try_from(SCIM_FAILURES_RETAINED_MAX).unwrap_or(usize::MAX);
        let displaces = requests.failures.len() >= limit || (is_full && !requests.failures.is_empty());
        if displaces {
            requests.failures.pop_front();
        } else if is_full {
            return waiting_requests.schedule();
        }
        requests.failures.push_back(row);
        waiting_requests.failures += usize::from(!displaces);
        waiting_requests.schedule()
    }

    fn drain(&self) -> HashMap<OrganizationId, OrganizationRequests> {
        let mut waiting_requests = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *waiting_requests).organizations
    }
}

impl WaitingRequests {
    /// The requests of an organization; `None` if there is no room for another organization.
    fn find_or_add(&mut self, organization: OrganizationId) -> Option<&mut OrganizationRequests> {
        let has_place = self.organizations.len() < SCIM_ORGANIZATIONS_BUFFERED_MAX
            || self.organizations.contains_key(&organization);
        has_place.then(|| self.organizations.entry(organization).or_default())
    }

    fn schedule(&mut self) -> bool {
        !std::mem::replace(&mut self.is_scheduled, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::time::Timestamp;

    fn organization(number: usize) -> OrganizationId {
        OrganizationId::from_bytes((number as u128).to_be_bytes())
    }

    fn row(number: usize) -> ScimRequestRow {
        ScimRequestRow {
            id: ScimRequestId::from_bytes((number as u128).to_be_bytes()),
            at: Timestamp::from_seconds(1_000_000),
            actor: "api_key 1".to_owned(),
            method: "POST".to_owned(),
            path: format!("/Groups/{number}"),
            status: 409,
            scim_type: None,
            detail: String::new(),
            target: None,
        }
    }

    #[test]
    fn scim_request_buffer_keeps_the_latest_failures_of_an_organization() {
        let (buffer, limit) = (ScimRequestBuffer::default(), SCIM_FAILURES_RETAINED_MAX as usize);
        let scheduled: Vec<bool> =
            (0..10 * limit).map(|number| buffer.add_failure(organization(1), row(number))).collect();
        assert_eq!(scheduled.iter().filter(|it| **it).count(), 1, "one task writes all of them");
        assert!(!buffer.add_success(organization(1), row(0)));
        let mut organization_requests = buffer.drain();
        let requests = organization_requests.remove(&organization(1)).unwrap();
        assert_eq!(requests.failures.len(), limit);
        assert_eq!(requests.failures.front().unwrap().path, format!("/Groups/{}", 9 * limit));
        assert!(requests.success.is_some() && organization_requests.is_empty() && buffer.drain().is_empty());
        assert!(buffer.add_success(organization(1), row(0)), "the next one needs another task");
    }

    #[test]
    fn scim_request_buffer_is_bounded_for_all_organizations() {
        let buffer = ScimRequestBuffer::default();
        for number in 0..SCIM_ORGANIZATIONS_BUFFERED_MAX + 10 {
            for _ in 0..3 {
                buffer.add_failure(organization(number), row(number));
            }
            buffer.add_success(organization(number), row(number));
        }
        let organization_requests = buffer.drain();
        let failures: usize = organization_requests.values().map(|it| it.failures.len()).sum();
        assert_eq!(
            (organization_requests.len(), failures),
            (SCIM_ORGANIZATIONS_BUFFERED_MAX, SCIM_FAILURES_BUFFERED_MAX)
        );
    }

    #[test]
    fn scim_request_text_is_short_and_can_be_stored() {
        assert_eq!(truncate_text("/Groups/a\0b\nc"), "/Groups/abc");
        assert_eq!(truncate_text(&"é".repeat(1_000)).chars().count(), SCIM_REQUEST_TEXT_CHARACTERS_MAX);
    }
}
