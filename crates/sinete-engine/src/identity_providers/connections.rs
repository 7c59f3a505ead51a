//! Management of an organization's identity provider connections.

mod activation;
mod discovery;
mod domains;
mod owner_confirmation;
pub(crate) mod preparation;
mod reservation;
mod saml;
mod validation;

use crate::access_control::organization_access::{OrganizationAccess, organization_suspended};
use crate::identity_providers::connection_check;
use crate::identity_providers::connection_check::ConnectionFinding;
use crate::identity_providers::encrypt_secret;
use crate::organizations::precondition_failed;
use crate::{Engine, Error};
use owner_confirmation::require_owner;
use sinete_core::access_control::built_in_permissions::MANAGE_SSO;
use sinete_core::events::security_event::{EventKind, SecurityEvent};
use sinete_core::id::ConnectionId;
use sinete_core::identity_providers::connections::{ConnectionSettings, ProviderAuthMethod};
use sinete_core::identity_providers::owner_confirmation::OwnerConfirmation;
use sinete_core::limits::CONNECTIONS_PER_ORGANIZATION_MAX;
use sinete_core::organizations::domains::OrganizationDomain;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::identity_providers::IdentityProviderRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::validation::ValidationErrors;
use sinete_store::identity_providers::connections;
use sinete_store::identity_providers::connections::NewConnection;
use sinete_store::{BatchOutcome, GuardConflict, GuardedStatement, WriteBatch, organizations};
use validation::{client_authentication, parse_domains, require_single_directory, resolve_issuer};

pub use discovery::DiscoveryPolicy;
pub use reservation::reserve_connection_id;
pub(crate) use saml::fetch_document;
pub use saml::fetch_metadata;
pub use sinete_store::identity_providers::connections::{ConnectionRow, RoutedDomain};

const MANAGE_PERMISSION: &str = MANAGE_SSO;

/// A connection as submitted.
#[derive(Clone, Debug)]
pub struct ConnectionDraft {
    /// The settings.
    pub chosen: ConnectionSettings,
    /// The client secret; if omitted, the stored one is kept.
    pub secret: Option<String>,
    /// The routed domains.
    pub domains: Vec<String>,
    /// Whether it is used for sign-in.
    pub is_enabled: bool,
    /// The metadata of a SAML provider: its single sign-on URL and certificates.
    pub metadata: Option<String>,
}

/// A connection with its routed domains.
#[derive(Clone, Debug)]
pub struct ConnectionOverview {
    /// The connection. Its secret is never shown.
    pub connection: ConnectionRow,
    /// The domains.
    pub domains: Vec<OrganizationDomain>,
}

/// Creates a connection. For SAML, the issuer can be taken from the metadata.
pub async fn create(
    engine: &Engine,
    acting: &OrganizationAccess,
    discovery: DiscoveryPolicy,
    issuer: Option<&str>,
    wanted: &ConnectionDraft,
) -> Result<ConnectionOverview, Error> {
    let id = ConnectionId::mint(acting.now(), engine.entropy());
    create_with_id(engine, acting, id, discovery, issuer, wanted).await
}

/// Creates a connection with this id, which was shown before: the redirect URI contains it.
pub async fn create_with_id(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: ConnectionId,
    discovery: DiscoveryPolicy,
    issuer: Option<&str>,
    wanted: &ConnectionDraft,
) -> Result<ConnectionOverview, Error> {
    acting.require_change_permission(MANAGE_PERMISSION)?;
    let mut faults = ValidationErrors::default();
    let mut wanted = wanted.clone();
    let described = saml::apply_metadata(engine, &mut wanted, &mut faults);
    let wanted = &wanted;
    let confirmation = require_owner(acting, None, wanted)?;
    let issuer = resolve_issuer(engine, issuer, described, wanted);
    if let Err(why) = &issuer {
        faults.add("/issuer", why.to_owned());
    }
    let domains = parse_domains(engine, wanted, wanted.secret.is_some(), &mut faults);
    require_single_directory(engine, acting, wanted, None, &mut faults).await?;
    if let (Ok(issuer), Some(_)) = (&issuer, wanted.chosen.saml_settings()) {
        saml::require_unique_issuer(acting, engine, issuer, None, &mut faults).await?;
    }
    let (Ok(issuer), true) = (issuer, faults.is_empty()) else {
        return Err(Refusal::from_validation_errors(faults).into());
    };
    let sealed = wanted.secret.as_deref().map(|secret| encrypt_secret(engine, id, secret)).transpose()?;
    let new = NewConnection {
        id,
        organization: acting.organization.id,
        issuer: &issuer,
        chosen: &wanted.chosen,
        sealed_secret: sealed.as_deref(),
        is_enabled: wanted.is_enabled,
        confirmation,
        created_at: acting.now(),
    };
    let leads =
        domains::assign_new_domains(engine, acting.organization.id, id, wanted.is_enabled, &domains).await?;
    let organization = acting.organization.id;
    discovery::require_discovery(engine, organization, id, &issuer, &wanted.chosen, discovery).await?;
    let event = connection_event(engine, acting, EventKind::ConnectionCreated, id)
        .with_detail("issuer", issuer.as_str());
    let event = saml::with_certificates(event, &wanted.chosen);
    let act = organization_guard(acting)
        .with_statement(connections::create_connection(&new)?)
        .with_statements(leads);
    match engine.store().commit(acting.record(act, &event)?).await? {
        BatchOutcome::Committed(_) => find_connection(engine, acting, id).await,
        BatchOutcome::Conflict(conflict) => Err(conflict_refusal(&conflict, || {
            if connections::is_moved_domain_conflict(&conflict) {
                return Refusal::because(
                    IdentityProviderRefusal::ConnectionDomainInUse,
                    "assigned concurrently",
                );
            }
            Refusal::because(IdentityProviderRefusal::ConnectionLimit, "too many connections")
        })
        .into()),
    }
}

/// Lists the connections, oldest first.
pub async fn list(
    engine: &Engine,
    acting: &OrganizationAccess,
    after: Option<ConnectionId>,
    most: u32,
) -> Result<Vec<ConnectionOverview>, Error> {
    acting.require_read_permission(MANAGE_PERMISSION)?;
    acting.record_read_by_stranger(engine, "connections").await?;
    let mut shown = Vec::new();
    let most = most.min(CONNECTIONS_PER_ORGANIZATION_MAX + 1);
    for connection in
        connections::list_connections(engine.store(), acting.organization.id, after, most).await?
    {
        let domains = connections::list_connection_domains(engine.store(), connection.id).await?;
        shown.push(ConnectionOverview { connection, domains });
    }
    Ok(shown)
}

/// Shows one connection.
pub async fn show(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: ConnectionId,
) -> Result<ConnectionOverview, Error> {
    acting.require_read_permission(MANAGE_PERMISSION)?;
    acting.record_read_by_stranger(engine, "connections").await?;
    find_connection(engine, acting, id).await
}

/// Lists the domains of a connection with their verification, for a page that shows the connection.
pub async fn list_routed_domains(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: ConnectionId,
) -> Result<Vec<RoutedDomain>, Error> {
    acting.require_read_permission(MANAGE_PERMISSION)?;
    Ok(connections::list_routed_domains(engine.store(), acting.organization.id, id).await?)
}

/// Loads the connection for a change, if it has this version.
pub async fn find_changeable(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: ConnectionId,
    seen: i64,
) -> Result<ConnectionOverview, Error> {
    acting.require_change_permission(MANAGE_PERMISSION)?;
    let found = find_connection(engine, acting, id).await?;
    if found.connection.version == seen { Ok(found) } else { Err(precondition_failed().into()) }
}

/// Changes a connection. The issuer cannot change, because identities are stored under it. Domains that are
/// not mentioned stay where they are routed.
pub async fn change(
    engine: &Engine,
    acting: &OrganizationAccess,
    shown: &ConnectionOverview,
    wanted: &ConnectionDraft,
) -> Result<ConnectionOverview, Error> {
    change_within(engine, acting, shown, wanted, organization_guard(acting)).await
}

/// Changes a connection together with these statements, or nothing.
async fn change_within(
    engine: &Engine,
    acting: &OrganizationAccess,
    shown: &ConnectionOverview,
    wanted: &ConnectionDraft,
    batch: WriteBatch,
) -> Result<ConnectionOverview, Error> {
    acting.require_change_permission(MANAGE_PERMISSION)?;
    let before = &shown.connection;
    let mut faults = ValidationErrors::default();
    let mut wanted = wanted.clone();
    let only_stops = activation::only_disables(shown, &wanted);
    let described = saml::apply_metadata(engine, &mut wanted, &mut faults);
    let confirmation = require_owner(acting, Some(shown), &wanted)?;
    let leads = if only_stops {
        Vec::new()
    } else {
        saml::require_same_provider(before, described.as_deref(), &wanted.chosen, &mut faults);
        prepare_change(engine, acting, shown, &wanted, &mut faults).await?
    };
    if !faults.is_empty() {
        return Err(Refusal::from_validation_errors(faults).into());
    }
    let sealed =
        wanted.secret.as_deref().map(|secret| encrypt_secret(engine, before.id, secret)).transpose()?;
    let secret = match (&sealed, client_authentication(&wanted.chosen)) {
        (Some(sealed), _) => Some(connections::replace_connection_secret(before.id, Some(sealed))),
        // A secret that is no longer used is removed.
        (None, Some(ProviderAuthMethod::PrivateKey)) => {
            Some(connections::replace_connection_secret(before.id, None))
        }
        (None, Some(ProviderAuthMethod::ClientSecret) | None) => None,
    };
    let event = connection_event(engine, acting, EventKind::ConnectionChanged, before.id)
        .with_detail("enabled", wanted.is_enabled)
        .with_detail("confirmed", confirmation == OwnerConfirmation::Confirmed)
        .with_detail("secret_replaced", sealed.is_some());
    let event = saml::with_certificates(event, &wanted.chosen);
    let act = batch
        .with_statement(connections::change_connection(
            before,
            &wanted.chosen,
            wanted.is_enabled,
            confirmation,
        )?)
        .with_statements(secret)
        .with_statements(leads);
    match engine.store().commit(acting.record(act, &event)?).await? {
        BatchOutcome::Committed(_) => find_connection(engine, acting, before.id).await,
        BatchOutcome::Conflict(conflict) => Err(conflict_refusal(&conflict, precondition_failed).into()),
    }
}

/// Prepares the domain changes, and collects errors.
async fn prepare_change(
    engine: &Engine,
    acting: &OrganizationAccess,
    shown: &ConnectionOverview,
    wanted: &ConnectionDraft,
    faults: &mut ValidationErrors,
) -> Result<Vec<GuardedStatement>, Error> {
    let before = &shown.connection;
    let domains = parse_domains(engine, wanted, before.has_secret || wanted.secret.is_some(), faults);
    activation::require_readable_secret(engine, shown, wanted, faults).await?;
    require_single_directory(engine, acting, wanted, Some(before.id), faults).await?;
    domains::route_domains(engine, acting, shown, wanted, &domains, faults).await
}

/// Tests a connection.
pub async fn test_connection(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: ConnectionId,
) -> Result<Vec<ConnectionFinding>, Error> {
    acting.require_change_permission(MANAGE_PERMISSION)?;
    let shown = find_connection(engine, acting, id).await?;
    let findings = connection_check::check_connection(engine, &shown.connection).await?;
    let is_right = findings.iter().all(|finding| finding.problem.is_none());
    let event =
        connection_event(engine, acting, EventKind::ConnectionTested, id).with_detail("works", is_right);
    match engine.store().commit(acting.record(organization_guard(acting), &event)?).await? {
        BatchOutcome::Committed(_) => Ok(findings),
        BatchOutcome::Conflict(conflict) => Err(conflict_refusal(&conflict, precondition_failed).into()),
    }
}

/// Loads a connection for a test sign-in.
pub(crate) async fn find_testable(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: ConnectionId,
) -> Result<ConnectionOverview, Error> {
    acting.require_change_permission(MANAGE_PERMISSION)?;
    find_connection(engine, acting, id).await
}

/// Records a test sign-in and its result; nothing that the provider reported is recorded.
pub(crate) async fn record_test_sign_in(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: ConnectionId,
    result: &'static str,
) -> Result<(), Error> {
    let event = connection_event(engine, acting, EventKind::ConnectionTested, id)
        .with_detail("works", result != "rejected")
        .with_detail("sign_in", result);
    match engine.store().commit(acting.record(organization_guard(acting), &event)?).await? {
        BatchOutcome::Committed(_) => Ok(()),
        BatchOutcome::Conflict(conflict) => Err(conflict_refusal(&conflict, precondition_failed).into()),
    }
}

/// Removes a connection permanently. Users can no longer sign in through it; linked identities are kept for a
/// new connection to the same provider.
pub async fn remove(engine: &Engine, acting: &OrganizationAccess, id: ConnectionId) -> Result<(), Error> {
    acting.require_change_permission(MANAGE_PERMISSION)?;
    let shown = find_connection(engine, acting, id).await?;
    let event = connection_event(engine, acting, EventKind::ConnectionRemoved, id);
    let act = organization_guard(acting)
        .with_statement(connections::remove_connection(&shown.connection, acting.now()))
        .with_statement(connections::release_connection_domains(id));
    match engine.store().commit(acting.record(act, &event)?).await? {
        BatchOutcome::Committed(_) => Ok(()),
        BatchOutcome::Conflict(conflict) => Err(conflict_refusal(&conflict, precondition_failed).into()),
    }
}

fn organization_guard(acting: &OrganizationAccess) -> WriteBatch {
    WriteBatch::new().with_statement(organizations::lock_organization(acting.organization.id, acting.now()))
}

fn connection_event(
    engine: &Engine,
    acting: &OrganizationAccess,
    kind: EventKind,
    id: ConnectionId,
) -> SecurityEvent {
    acting.event(engine, kind).with_subject("connection", id)
}

async fn find_connection(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: ConnectionId,
) -> Result<ConnectionOverview, Error> {
    let Some(connection) = connections::find_connection(engine.store(), acting.organization.id, id).await?
    else {
        return Err(Refusal::because(RequestRefusal::NotFound, "no such connection").into());
    };
    let domains = connections::list_connection_domains(engine.store(), id).await?;
    Ok(ConnectionOverview { connection, domains })
}

fn conflict_refusal(conflict: &GuardConflict, otherwise: impl FnOnce() -> Refusal) -> Refusal {
    if organizations::is_lock_conflict(conflict) {
        return organization_suspended();
    }
    if connections::is_missing_domain_conflict(conflict) {
        let mut faults = ValidationErrors::default();
        domains::add_unowned_domain_fault(&mut faults);
        return Refusal::from_validation_errors(faults);
    }
    otherwise()
}
