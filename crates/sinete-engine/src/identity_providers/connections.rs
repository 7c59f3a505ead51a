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
    pub settings: ConnectionSettings,
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
    access: &OrganizationAccess,
    discovery: DiscoveryPolicy,
    issuer: Option<&str>,
    draft: &ConnectionDraft,
) -> Result<ConnectionOverview, Error> {
    let id = ConnectionId::mint(access.now(), engine.entropy());
    create_with_id(engine, access, id, discovery, issuer, draft).await
}

/// Creates a connection with this id, which was shown before: the redirect URI contains it.
pub async fn create_with_id(
    engine: &Engine,
    access: &OrganizationAccess,
    id: ConnectionId,
    discovery: DiscoveryPolicy,
    issuer: Option<&str>,
    draft: &ConnectionDraft,
) -> Result<ConnectionOverview, Error> {
    access.require_change_permission(MANAGE_PERMISSION)?;
    let mut errors = ValidationErrors::default();
    let mut draft = draft.clone();
    let described = saml::apply_metadata(engine, &mut draft, &mut errors);
    let draft = &draft;
    let confirmation = require_owner(access, None, draft)?;
    let issuer = resolve_issuer(engine, issuer, described, draft);
    if let Err(reason) = &issuer {
        errors.add("/issuer", reason.to_owned());
    }
    let domains = parse_domains(engine, draft, draft.secret.is_some(), &mut errors);
    require_single_directory(engine, access, draft, None, &mut errors).await?;
    if let (Ok(issuer), Some(_)) = (&issuer, draft.settings.saml_settings()) {
        saml::require_unique_issuer(access, engine, issuer, None, &mut errors).await?;
    }
    let (Ok(issuer), true) = (issuer, errors.is_empty()) else {
        return Err(Refusal::from_validation_errors(errors).into());
    };
    let encrypted_secret =
        draft.secret.as_deref().map(|secret| encrypt_secret(engine, id, secret)).transpose()?;
    let new = NewConnection {
        id,
        organization: access.organization.id,
        issuer: &issuer,
        settings: &draft.settings,
        sealed_secret: encrypted_secret.as_deref(),
        is_enabled: draft.is_enabled,
        confirmation,
        created_at: access.now(),
    };
    let leads =
        domains::assign_new_domains(engine, access.organization.id, id, draft.is_enabled, &domains).await?;
    let organization = access.organization.id;
    discovery::require_discovery(engine, organization, id, &issuer, &draft.settings, discovery).await?;
    let event = connection_event(engine, access, EventKind::ConnectionCreated, id)
        .with_detail("issuer", issuer.as_str());
    let event = saml::with_certificates(event, &draft.settings);
    let batch = organization_guard(access)
        .with_statement(connections::create_connection(&new)?)
        .with_statements(leads);
    match engine.store().commit(access.record(batch, &event)?).await? {
        BatchOutcome::Committed(_) => find_connection(engine, access, id).await,
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
    access: &OrganizationAccess,
    after: Option<ConnectionId>,
    limit: u32,
) -> Result<Vec<ConnectionOverview>, Error> {
    access.require_read_permission(MANAGE_PERMISSION)?;
    access.record_read_by_non_member(engine, "connections").await?;
    let mut overviews = Vec::new();
    let limit = limit.min(CONNECTIONS_PER_ORGANIZATION_MAX + 1);
    for connection in
        connections::list_connections(engine.store(), access.organization.id, after, limit).await?
    {
        let domains = connections::list_connection_domains(engine.store(), connection.id).await?;
        overviews.push(ConnectionOverview { connection, domains });
    }
    Ok(overviews)
}

/// Shows one connection.
pub async fn show(
    engine: &Engine,
    access: &OrganizationAccess,
    id: ConnectionId,
) -> Result<ConnectionOverview, Error> {
    access.require_read_permission(MANAGE_PERMISSION)?;
    access.record_read_by_non_member(engine, "connections").await?;
    find_connection(engine, access, id).await
}

/// Lists the domains of a connection with their verification, for a page that shows the connection.
pub async fn list_routed_domains(
    engine: &Engine,
    access: &OrganizationAccess,
    id: ConnectionId,
) -> Result<Vec<RoutedDomain>, Error> {
    access.require_read_permission(MANAGE_PERMISSION)?;
    Ok(connections::list_routed_domains(engine.store(), access.organization.id, id).await?)
}

/// Loads the connection for a change, if it has this version.
pub async fn find_changeable(
    engine: &Engine,
    access: &OrganizationAccess,
    id: ConnectionId,
    expected_version: i64,
) -> Result<ConnectionOverview, Error> {
    access.require_change_permission(MANAGE_PERMISSION)?;
    let overview = find_connection(engine, access, id).await?;
    if overview.connection.version == expected_version {
        Ok(overview)
    } else {
        Err(precondition_failed().into())
    }
}

/// Changes a connection. The issuer cannot change, because identities are stored under it. Domains that are
/// not mentioned stay where they are routed.
pub async fn change(
    engine: &Engine,
    access: &OrganizationAccess,
    overview: &ConnectionOverview,
    draft: &ConnectionDraft,
) -> Result<ConnectionOverview, Error> {
    change_within(engine, access, overview, draft, organization_guard(access)).await
}

/// Changes a connection together with these statements, or nothing.
async fn change_within(
    engine: &Engine,
    access: &OrganizationAccess,
    overview: &ConnectionOverview,
    draft: &ConnectionDraft,
    batch: WriteBatch,
) -> Result<ConnectionOverview, Error> {
    access.require_change_permission(MANAGE_PERMISSION)?;
    let before = &overview.connection;
    let mut errors = ValidationErrors::default();
    let mut draft = draft.clone();
    let only_stops = activation::only_disables(overview, &draft);
    let described = saml::apply_metadata(engine, &mut draft, &mut errors);
    let confirmation = require_owner(access, Some(overview), &draft)?;
    let leads = if only_stops {
        Vec::new()
    } else {
        saml::require_same_provider(before, described.as_deref(), &draft.settings, &mut errors);
        prepare_change(engine, access, overview, &draft, &mut errors).await?
    };
    if !errors.is_empty() {
        return Err(Refusal::from_validation_errors(errors).into());
    }
    let encrypted_secret =
        draft.secret.as_deref().map(|secret| encrypt_secret(engine, before.id, secret)).transpose()?;
    let secret = match (&encrypted_secret, client_authentication(&draft.settings)) {
        (Some(encrypted_secret), _) => {
            Some(connections::replace_connection_secret(before.id, Some(encrypted_secret)))
        }
        // A secret that is no longer used is removed.
        (None, Some(ProviderAuthMethod::PrivateKey)) => {
            Some(connections::replace_connection_secret(before.id, None))
        }
        (None, Some(ProviderAuthMethod::ClientSecret) | None) => None,
    };
    let event = connection_event(engine, access, EventKind::ConnectionChanged, before.id)
        .with_detail("enabled", draft.is_enabled)
        .with_detail("confirmed", confirmation == OwnerConfirmation::Confirmed)
        .with_detail("secret_replaced", encrypted_secret.is_some());
    let event = saml::with_certificates(event, &draft.settings);
    let write_batch = batch
        .with_statement(connections::change_connection(
            before,
            &draft.settings,
            draft.is_enabled,
            confirmation,
        )?)
        .with_statements(secret)
        .with_statements(leads);
    match engine.store().commit(access.record(write_batch, &event)?).await? {
        BatchOutcome::Committed(_) => find_connection(engine, access, before.id).await,
        BatchOutcome::Conflict(conflict) => Err(conflict_refusal(&conflict, precondition_failed).into()),
    }
}

/// Prepares the domain changes, and collects errors.
async fn prepare_change(
    engine: &Engine,
    access: &OrganizationAccess,
    overview: &ConnectionOverview,
    draft: &ConnectionDraft,
    errors: &mut ValidationErrors,
) -> Result<Vec<GuardedStatement>, Error> {
    let before = &overview.connection;
    let domains = parse_domains(engine, draft, before.has_secret || draft.secret.is_some(), errors);
    activation::require_readable_secret(engine, overview, draft, errors).await?;
    require_single_directory(engine, access, draft, Some(before.id), errors).await?;
    domains::route_domains(engine, access, overview, draft, &domains, errors).await
}

/// Tests a connection.
pub async fn test_connection(
    engine: &Engine,
    access: &OrganizationAccess,
    id: ConnectionId,
) -> Result<Vec<ConnectionFinding>, Error> {
    access.require_change_permission(MANAGE_PERMISSION)?;
    let overview = find_connection(engine, access, id).await?;
    let findings = connection_check::check_connection(engine, &overview.connection).await?;
    let is_right = findings.iter().all(|finding| finding.problem.is_none());
    let event =
        connection_event(engine, access, EventKind::ConnectionTested, id).with_detail("works", is_right);
    match engine.store().commit(access.record(organization_guard(access), &event)?).await? {
        BatchOutcome::Committed(_) => Ok(findings),
        BatchOutcome::Conflict(conflict) => Err(conflict_refusal(&conflict, precondition_failed).into()),
    }
}

/// Loads a connection for a test sign-in.
pub(crate) async fn find_testable(
    engine: &Engine,
    access: &OrganizationAccess,
    id: ConnectionId,
) -> Result<ConnectionOverview, Error> {
    access.require_change_permission(MANAGE_PERMISSION)?;
    find_connection(engine, access, id).await
}

/// Records a test sign-in and its result; nothing that the provider reported is recorded.
pub(crate) async fn record_test_sign_in(
    engine: &Engine,
    access: &OrganizationAccess,
    id: ConnectionId,
    result: &'static str,
) -> Result<(), Error> {
    let event = connection_event(engine, access, EventKind::ConnectionTested, id)
        .with_detail("works", result != "rejected")
        .with_detail("sign_in", result);
    match engine.store().commit(access.record(organization_guard(access), &event)?).await? {
        BatchOutcome::Committed(_) => Ok(()),
        BatchOutcome::Conflict(conflict) => Err(conflict_refusal(&conflict, precondition_failed).into()),
    }
}

/// Removes a connection permanently. Users can no longer sign in through it; linked identities are kept for a
/// new connection to the same provider.
pub async fn remove(engine: &Engine, access: &OrganizationAccess, id: ConnectionId) -> Result<(), Error> {
    access.require_change_permission(MANAGE_PERMISSION)?;
    let overview = find_connection(engine, access, id).await?;
    let event = connection_event(engine, access, EventKind::ConnectionRemoved, id);
    let batch = organization_guard(access)
        .with_statement(connections::remove_connection(&overview.connection, access.now()))
        .with_statement(connections::release_connection_domains(id));
    match engine.store().commit(access.record(batch, &event)?).await? {
        BatchOutcome::Committed(_) => Ok(()),
        BatchOutcome::Conflict(conflict) => Err(conflict_refusal(&conflict, precondition_failed).into()),
    }
}

fn organization_guard(access: &OrganizationAccess) -> WriteBatch {
    WriteBatch::new()
        .with_statement(organizations::lock_organization_row(access.organization.id, access.now()))
}

fn connection_event(
    engine: &Engine,
    access: &OrganizationAccess,
    kind: EventKind,
    id: ConnectionId,
) -> SecurityEvent {
    access.event(engine, kind).with_subject("connection", id)
}

async fn find_connection(
    engine: &Engine,
    access: &OrganizationAccess,
    id: ConnectionId,
) -> Result<ConnectionOverview, Error> {
    let Some(connection) = connections::find_connection(engine.store(), access.organization.id, id).await?
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
        let mut errors = ValidationErrors::default();
        domains::add_unowned_domain_fault(&mut errors);
        return Refusal::from_validation_errors(errors);
    }
    otherwise()
}
