//! Set-up links: an owner sends one to another party, such as the IT department of a customer, which prepares single
//! sign-on, a SCIM token and a domain without an account. Nothing of it is active until an owner confirms
//! (docs/contribute/decisions/0307-setup-links-prepare-and-owners-confirm.md).

mod holder;

pub use holder::{
    OpenedSetupLink, PreparedDomainRecord, SetupHolder, fetch_metadata, find_unopened, open_setup_link,
    prepare_connection, prepare_domain, prepare_scim_token,
};
pub use sinete_store::organizations::setup_links::SetupLinkRow;

use crate::access_control::organization_access::{OrganizationAccess, organization_suspended};
use crate::identity_providers::connections::preparation;
use crate::organizations::{domains, precondition_failed};
use crate::{Engine, Error, Failure, UseCaseResult as _};
use sinete_core::access_control::built_in_permissions::{
    DELETE_ORGANIZATION, MANAGE_API_KEYS, PROVISION_SCIM,
};
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::events::security_event::{EventKind, SecurityEvent};
use sinete_core::id::{ApiKeyId, ConnectionId, SetupLinkId};
use sinete_core::limits::{
    API_KEY_LIFETIME_MAX, CLEANUP_AFTER, SETUP_LINK_LIFETIME, SETUP_LINK_LIFETIME_MAX,
};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::identity_providers::IdentityProviderRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::secret::{Secret, SetupLinkToken};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_core::validation::ValidationErrors;
use sinete_store::identity_providers::connections;
use sinete_store::identity_providers::connections::ConnectionRow;
use sinete_store::organizations::api_keys;
use sinete_store::organizations::api_keys::NewApiKey;
use sinete_store::organizations::setup_links;
use sinete_store::organizations::setup_links::NewSetupLink;
use sinete_store::{BatchOutcome, GuardedStatement, WriteBatch, organizations};

/// The path of the page that a link opens, below the issuer.
pub const SETUP_PATH: &str = "/setup-link";

/// Maximum prepared connections that one cleanup removes; the next one continues.
const EXPIRED_PREPARATIONS_MAX: u32 = 100;

/// The name of the API key that a prepared SCIM token becomes.
const SCIM_KEY_NAME: &str = "SCIM";

/// A link with what was prepared.
#[derive(Clone, Debug)]
pub struct SetupLinkOverview {
    /// The link.
    pub link: SetupLinkRow,
    /// The prepared connection.
    pub connection: Option<ConnectionRow>,
}

/// An issued link with its URL, which is shown once.
pub struct IssuedSetupLink {
    /// The link.
    pub overview: SetupLinkOverview,
    /// The URL.
    pub url: String,
}

/// The state of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupLinkState {
    /// Issued and not opened.
    Issued,
    /// Opened by a browser.
    Opened,
    /// It has expired.
    Expired,
    /// An owner revoked it.
    Revoked,
    /// An owner confirmed it.
    Confirmed,
}

impl SetupLinkOverview {
    /// Its state now.
    pub fn state(&self, now: Timestamp) -> SetupLinkState {
        let link = &self.link;
        match (link.confirmed_at, link.revoked_at, link.opened_at) {
            (Some(_), ..) => SetupLinkState::Confirmed,
            (None, Some(_), _) => SetupLinkState::Revoked,
            _ if link.expires_at <= now => SetupLinkState::Expired,
            (None, None, Some(_)) => SetupLinkState::Opened,
            (None, None, None) => SetupLinkState::Issued,
        }
    }

    /// Whether something was prepared.
    pub const fn has_prepared_settings(&self) -> bool {
        self.connection.is_some() || self.link.domain.is_some() || self.link.scim.is_some()
    }
}

/// Requires an owner: who prepares the identity provider could sign in as any member after the confirmation.
fn require_owner(access: &OrganizationAccess) -> Result<(), Refusal> {
    access.require_read_permission(DELETE_ORGANIZATION)?;
    if access.is_owner {
        return Ok(());
    }
    Err(Refusal::because(IdentityProviderRefusal::SetupLinkNeedsOwner, "not an owner"))
}

/// Issues a link.
pub async fn issue(
    engine: &Engine,
    access: &OrganizationAccess,
    lifetime: Option<Lifetime>,
) -> Result<IssuedSetupLink, Error> {
    require_owner(access)?;
    access.require_enabled()?;
    let lifetime = lifetime.unwrap_or(SETUP_LINK_LIFETIME);
    if lifetime.seconds() < 60 || lifetime > SETUP_LINK_LIFETIME_MAX {
        let mut errors = ValidationErrors::default();
        errors.add("/expires_at", "must be within 14 days, and not in the past");
        return Err(Refusal::from_validation_errors(errors).into());
    }
    let now = access.now();
    let (id, token) =
        (SetupLinkId::mint(now, engine.entropy()), Secret::<SetupLinkToken>::mint(engine.entropy()));
    let actor = &access.cause.actor;
    let made_by = format!("{} {}", actor.kind(), actor.id().unwrap_or_default());
    let new = NewSetupLink {
        id,
        organization: access.organization.id,
        digest: &token.digest(),
        made_by: made_by.trim_end(),
        connection: ConnectionId::mint(now, engine.entropy()),
        created_at: now,
        expires_at: now.plus(lifetime),
    };
    let event = link_event(engine, access, EventKind::SetupLinkIssued, id);
    let batch = organization_guard(access).with_statement(setup_links::create_setup_link(&new));
    match engine.store().commit(access.record(batch, &event)?).await? {
        BatchOutcome::Committed(_) => {
            let url = format!("{}{SETUP_PATH}?token={}", engine.settings().issuer, token.reveal());
            Ok(IssuedSetupLink { overview: show(engine, access, id).await?, url })
        }
        BatchOutcome::Conflict(conflict) if organizations::is_lock_conflict(&conflict) => {
            Err(organization_suspended().into())
        }
        BatchOutcome::Conflict(_) => {
            Err(Refusal::because(IdentityProviderRefusal::SetupLinkLimit, "too many links").into())
        }
    }
}

/// Lists the links, oldest first.
pub async fn list(
    engine: &Engine,
    access: &OrganizationAccess,
    after: Option<SetupLinkId>,
    limit: u32,
) -> Result<Vec<SetupLinkOverview>, Error> {
    require_owner(access)?;
    access.record_read_by_non_member(engine, "setup_links").await?;
    let organization = access.organization.id;
    let mut all = Vec::new();
    for link in setup_links::list_setup_links(engine.store(), organization, after, limit).await? {
        all.push(with_connection(engine, link).await?);
    }
    Ok(all)
}

/// Shows a link and what was prepared with it.
pub async fn show(
    engine: &Engine,
    access: &OrganizationAccess,
    id: SetupLinkId,
) -> Result<SetupLinkOverview, Error> {
    require_owner(access)?;
    access.record_read_by_non_member(engine, "setup_links").await?;
    let setup_link = setup_links::find_setup_link(engine.store(), access.organization.id, id).await?;
    let link = setup_link.ok_or_else(|| Refusal::because(RequestRefusal::NotFound, "no such set-up link"))?;
    Ok(with_connection(engine, link).await?)
}

async fn with_connection(engine: &Engine, link: SetupLinkRow) -> Result<SetupLinkOverview, Failure> {
    let connection = connections::find_connection(engine.store(), link.organization, link.connection).await?;
    Ok(SetupLinkOverview { link, connection })
}

/// Revokes a link. What was prepared and not confirmed is removed; a domain stays, without effect.
pub async fn revoke(engine: &Engine, access: &OrganizationAccess, id: SetupLinkId) -> Result<(), Error> {
    let overview = show(engine, access, id).await?;
    match overview.state(access.now()) {
        SetupLinkState::Confirmed => return Err(link_ended().into()),
        SetupLinkState::Revoked => return Ok(()),
        SetupLinkState::Issued | SetupLinkState::Opened | SetupLinkState::Expired => {}
    }
    let organization = access.organization.id;
    let batch =
        WriteBatch::new().with_statement(setup_links::revoke_setup_link(organization, id, access.now()));
    let batch =
        preparation::remove_prepared_connection(engine, access, overview.link.connection, batch).await?;
    let event = link_event(engine, access, EventKind::SetupLinkRevoked, id);
    match engine.store().commit(access.record(batch, &event)?).await? {
        BatchOutcome::Committed(_) => Ok(()),
        BatchOutcome::Conflict(_) => Err(precondition_failed().into()),
    }
}

/// Confirms what was prepared, if it is what the owner saw: enables the connection with its domain, and turns the
/// SCIM token into an API key of the owner, in one commit. The DNS record of the domain is looked up afterwards.
pub async fn confirm(
    engine: &Engine,
    access: &OrganizationAccess,
    id: SetupLinkId,
    expected_version: i64,
) -> Result<SetupLinkOverview, Error> {
    let overview = show(engine, access, id).await?;
    access.require_change_permission(DELETE_ORGANIZATION)?;
    match overview.state(access.now()) {
        SetupLinkState::Issued | SetupLinkState::Opened => {}
        SetupLinkState::Expired | SetupLinkState::Revoked | SetupLinkState::Confirmed => {
            return Err(link_ended().into());
        }
    }
    if overview.link.version != expected_version {
        return Err(precondition_failed().into());
    }
    if !overview.has_prepared_settings() {
        return Err(Refusal::because(IdentityProviderRefusal::SetupLinkEmpty, "nothing was prepared").into());
    }
    let event = link_event(engine, access, EventKind::SetupLinkConfirmed, id)
        .with_detail("connection", overview.connection.is_some())
        .with_detail("domain", overview.link.domain.is_some())
        .with_detail("scim", overview.link.scim.is_some());
    let batch = organization_guard(access)
        .with_statement(setup_links::confirm_setup_link(&overview.link, access.now()));
    let batch = with_scim_key(engine, access, &overview.link, access.record(batch, &event)?)?;
    match &overview.connection {
        Some(connection) => {
            let domain = overview.link.domain.as_ref();
            preparation::enable_prepared_connection(engine, access, connection.id, domain, batch).await?;
        }
        None => match engine.store().commit(batch).await? {
            BatchOutcome::Committed(_) => {}
            BatchOutcome::Conflict(conflict) if organizations::is_lock_conflict(&conflict) => {
                return Err(organization_suspended().into());
            }
            BatchOutcome::Conflict(_) => return Err(precondition_failed().into()),
        },
    }
    if let Some(domain) = &overview.link.domain {
        // The record may not be published yet: the domain then waits, as any other.
        domains::verify(engine, access, domain).await.unless_refused()?;
    }
    show(engine, access, id).await
}

/// Removes connections that were prepared with links which expired a day ago and which no owner confirmed or saved.
/// Returns how many.
pub async fn remove_expired_preparations(engine: &Engine) -> Result<u64, Failure> {
    let before = engine.now().minus(CLEANUP_AFTER);
    let mut removed = 0;
    for link in
        setup_links::list_expired_preparations(engine.store(), before, EXPIRED_PREPARATIONS_MAX).await?
    {
        removed += u64::from(preparation::remove_expired_connection(engine, &link).await?);
    }
    Ok(removed)
}

/// Adds the API key that the prepared SCIM token becomes.
fn with_scim_key(
    engine: &Engine,
    access: &OrganizationAccess,
    link: &SetupLinkRow,
    batch: WriteBatch,
) -> Result<WriteBatch, Error> {
    let Some(digest) = &link.scim else { return Ok(batch) };
    access.require_change_permission(MANAGE_API_KEYS)?;
    access.require_change_permission(PROVISION_SCIM)?;
    if access.assignment_reason.is_some() {
        let reason = "a key of the organization needs an owner who is its member";
        return Err(Refusal::because(IdentityProviderRefusal::SetupLinkNeedsOwner, reason).into());
    }
    let scope: ScopeSet = PROVISION_SCIM.parse().map_err(|_| Failure::Interrupted)?;
    let (id, now) = (ApiKeyId::mint(access.now(), engine.entropy()), access.now());
    let key = NewApiKey {
        id,
        digest,
        membership: access.own_membership(),
        name: SCIM_KEY_NAME,
        scope: &scope,
        created_at: now,
        expires_at: now.plus(API_KEY_LIFETIME_MAX),
    };
    let step: GuardedStatement = api_keys::issue_api_key(&key);
    let event = access
        .event(engine, EventKind::ApiKeyIssued)
        .with_subject("api_key", id)
        .with_detail("membership", access.own_membership().to_string())
        .with_detail("scope", scope.to_string());
    Ok(access.record(batch.with_statement(step), &event)?)
}

fn organization_guard(access: &OrganizationAccess) -> WriteBatch {
    WriteBatch::new()
        .with_statement(organizations::lock_organization_row(access.organization.id, access.now()))
}

fn link_event(
    engine: &Engine,
    access: &OrganizationAccess,
    kind: EventKind,
    id: SetupLinkId,
) -> SecurityEvent {
    access.event(engine, kind).with_subject("setup_link", id)
}

fn link_ended() -> Refusal {
    Refusal::because(IdentityProviderRefusal::SetupLinkEnded, "the link is not open")
}
