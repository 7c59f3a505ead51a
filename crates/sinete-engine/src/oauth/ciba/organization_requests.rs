//! The CIBA requests of an organization, for its administrators: listing and denial. An administrator cannot approve: consent
//! is the user's (docs/contribute/decisions/0336-ciba-administrators-see-and-deny-requests.md).

use crate::access_control::organization_access::OrganizationAccess;
use crate::oauth::authorize::deferred::StoredDeferredRequest;
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use serde_json::{Map, Value};
use sinete_core::access_control::built_in_permissions::{MANAGE_MEMBERS, READ_MEMBERS};
use sinete_core::events::security_event::EventKind;
use sinete_core::id::{ApprovalRequestId, GrantId, MembershipId};
use sinete_core::limits::CLEANUP_AFTER;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::time::Timestamp;
use sinete_store::WriteBatch;
use sinete_store::oauth::ciba_requests::of_organization;
use sinete_store::oauth::ciba_requests::of_organization::CibaRequestFilter;
use sinete_store::oauth::deferred_grants;
use sinete_store::oauth::deferred_grants::DeferredGrantState;

pub use sinete_store::oauth::ciba_requests::of_organization::OrganizationCibaRequestRow;

/// A CIBA request, as administrators of its organization see it.
#[derive(Clone, Debug)]
pub struct OrganizationCibaRequest {
    /// The request.
    pub row: OrganizationCibaRequestRow,
    /// Its state.
    pub state: CibaRequestState,
    /// What the client requests, until the request is decided.
    pub requested: Option<CibaRequestedAccess>,
}

impl OrganizationCibaRequest {
    /// The grant, if it was approved.
    pub const fn grant(&self) -> Option<GrantId> {
        match self.row.request.deferred.state {
            DeferredGrantState::Approved(grant) | DeferredGrantState::Redeemed(grant) => Some(grant),
            DeferredGrantState::Pending | DeferredGrantState::Denied => None,
        }
    }
}

/// What a client requests.
#[derive(Clone, Debug)]
pub struct CibaRequestedAccess {
    /// The scope.
    pub scope: Option<String>,
    /// The API, if named.
    pub resource: Option<String>,
    /// What the client says the request is about, for administrators who may deny it.
    pub purpose: Option<CibaRequestPurpose>,
}

/// What a client says a request is about. Both may contain personal data.
#[derive(Clone, Debug)]
pub struct CibaRequestPurpose {
    /// The binding message.
    pub binding_message: Option<String>,
    /// The authorization details (RFC 9396).
    pub authorization_details: Vec<Map<String, Value>>,
}

/// The state of a CIBA request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CibaRequestState {
    /// It waits for the user.
    Pending,
    /// The user approved it.
    Approved,
    /// The user or an administrator denied it.
    Denied,
    /// It was not answered in time.
    Expired,
}

impl CibaRequestState {
    /// The name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::Expired => "expired",
        }
    }

    fn from_row(row: &OrganizationCibaRequestRow, now: Timestamp) -> Self {
        let deferred = &row.request.deferred;
        match deferred.state {
            DeferredGrantState::Approved(_) | DeferredGrantState::Redeemed(_) => Self::Approved,
            DeferredGrantState::Denied => Self::Denied,
            DeferredGrantState::Pending if deferred.expires_at <= now => Self::Expired,
            DeferredGrantState::Pending => Self::Pending,
        }
    }
}

/// Lists the requests of the organization or to one member, newest first: those that wait, and those whose time ended within
/// the last day, answered or not.
pub async fn list(
    engine: &Engine,
    access: &OrganizationAccess,
    member: Option<MembershipId>,
    after: Option<ApprovalRequestId>,
    limit: u32,
) -> Result<Vec<OrganizationCibaRequest>, Error> {
    access.require_read_permission(READ_MEMBERS)?;
    access.record_read_by_non_member(engine, "ciba_requests").await?;
    let filter = build_filter(access, member);
    let rows =
        of_organization::list_organization_ciba_requests(engine.store(), &filter, after, limit).await?;
    Ok(rows.into_iter().map(|row| to_request(access, row)).collect())
}

/// Denies a request that waits, so that its client gets `access_denied`; also while the organization is suspended. Of an
/// approval by the user and any denials, the first one counts.
pub async fn deny(engine: &Engine, access: &OrganizationAccess, id: ApprovalRequestId) -> Result<(), Error> {
    access.require_read_permission(MANAGE_MEMBERS)?;
    let filter = build_filter(access, None);
    for _ in 0..ATTEMPTS_MAX {
        let request = of_organization::find_organization_ciba_request(engine.store(), &filter, id).await?;
        let none = || Refusal::because(RequestRefusal::NotFound, "no such request in the organization");
        let row = request.ok_or_else(none)?;
        let deferred = &row.request.deferred;
        if !deferred.is_pending(access.now()) {
            access.record_read_by_non_member(engine, "ciba_requests").await?;
            return Err(
                Refusal::because(OAuthRefusal::CibaRequestNotPending, "the request is not pending").into()
            );
        }
        let account = deferred.named_account();
        let event = access.event(engine, EventKind::ApprovalDenied);
        let event = match (row.membership, account) {
            (Some(membership), _) => event.with_subject("membership", membership),
            (None, Some(account)) => event.with_subject("account", account),
            (None, None) => event,
        };
        let event = event
            .with_detail("request", id.to_string())
            .with_detail("client", deferred.client.as_str())
            .with_detail("because", "denied_by_manager");
        let denial = deferred_grants::deny_deferred_grant(deferred.digest, account, access.now());
        let batch = WriteBatch::new().with_statement(denial);
        if engine.store().commit(access.record(batch, &event)?).await?.is_committed() {
            return Ok(());
        }
    }
    Err(Failure::Contended.into())
}

/// The requests that are shown: they are deleted a day after they expire, unless they have a grant.
fn build_filter(access: &OrganizationAccess, member: Option<MembershipId>) -> CibaRequestFilter {
    CibaRequestFilter {
        organization: access.organization.id,
        expires_after: access.now().minus(CLEANUP_AFTER),
        member,
    }
}

fn to_request(access: &OrganizationAccess, row: OrganizationCibaRequestRow) -> OrganizationCibaRequest {
    let state = CibaRequestState::from_row(&row, access.now());
    let stored = match row.request.deferred.state {
        DeferredGrantState::Pending => row.request.deferred.request.parse::<StoredDeferredRequest>(),
        // The parameters are deleted with the decision.
        DeferredGrantState::Approved(_) | DeferredGrantState::Denied | DeferredGrantState::Redeemed(_) => {
            return OrganizationCibaRequest { row, state, requested: None };
        }
    };
    // A request written by another version does not hide the others.
    if let Err(error) = &stored {
        tracing::warn!(id = %row.request.id, %error, "a stored CIBA request cannot be read");
    }
    let may_deny = access.require_read_permission(MANAGE_MEMBERS).is_ok();
    let requested = stored.ok().map(|stored| describe_access(&stored, may_deny));
    OrganizationCibaRequest { row, state, requested }
}

fn describe_access(stored: &StoredDeferredRequest, may_deny: bool) -> CibaRequestedAccess {
    let parameter = |name: &str| stored.authorization.find_parameter(name).map(str::to_owned);
    let details = || {
        let text = stored.authorization.find_parameter("authorization_details");
        text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    };
    CibaRequestedAccess {
        scope: parameter("scope"),
        resource: parameter("resource"),
        purpose: may_deny.then(|| CibaRequestPurpose {
            binding_message: stored.message.as_ref().map(|message| message.as_str().to_owned()),
            authorization_details: details(),
        }),
    }
}
