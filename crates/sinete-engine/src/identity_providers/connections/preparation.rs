//! Connections that the holder of a set-up link prepares. They are disabled, and no owner has confirmed them:
//! users cannot sign in through them, and only an owner can enable them.

use super::discovery::{DiscoveryPolicy, require_discovery};
use super::validation::{parse_domains, resolve_issuer};
use super::{ConnectionDraft, change_within, connection_event, find_connection, saml};
use crate::access_control::organization_access::{OrganizationAccess, with_audit_log_event};
use crate::identity_providers::encrypt_secret;
use crate::{Engine, Error, Failure};
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::id::{ConnectionId, OrganizationId};
use sinete_core::identity_providers::owner_confirmation::OwnerConfirmation;
use sinete_core::organizations::domains::OrganizationDomain;
use sinete_core::refusal::Refusal;
use sinete_core::validation::ValidationErrors;
use sinete_store::identity_providers::connections;
use sinete_store::identity_providers::connections::{ConnectionRow, NewConnection};
use sinete_store::organizations::setup_links::SetupLinkRow;
use sinete_store::{GuardedStatement, WriteBatch};

/// A connection to prepare.
pub(crate) struct PreparedConnection<'a> {
    pub(crate) organization: OrganizationId,
    pub(crate) id: ConnectionId,
    pub(crate) issuer: Option<&'a str>,
    pub(crate) draft: &'a ConnectionDraft,
}

/// Validates a prepared connection, and returns the statement that stores it, in place of an earlier preparation.
pub(crate) async fn prepare_connection(
    engine: &Engine,
    prepared: &PreparedConnection<'_>,
) -> Result<GuardedStatement, Error> {
    let mut errors = ValidationErrors::default();
    let mut draft = prepared.draft.clone();
    let described = saml::apply_metadata(engine, &mut draft, &mut errors);
    let issuer = resolve_issuer(engine, prepared.issuer, described, &draft);
    if let Err(reason) = &issuer {
        errors.add("/issuer", reason.to_owned());
    }
    parse_domains(engine, &draft, draft.secret.is_some(), &mut errors);
    let (Ok(issuer), true) = (issuer, errors.is_empty()) else {
        return Err(Refusal::from_validation_errors(errors).into());
    };
    let (organization, discovery) = (prepared.organization, DiscoveryPolicy::Required);
    require_discovery(engine, organization, prepared.id, &issuer, &draft.settings, discovery).await?;
    let secret = draft.secret.as_deref();
    let encrypted_secret = secret.map(|secret| encrypt_secret(engine, prepared.id, secret)).transpose()?;
    let new = NewConnection {
        id: prepared.id,
        organization: prepared.organization,
        issuer: &issuer,
        settings: &draft.settings,
        sealed_secret: encrypted_secret.as_deref(),
        is_enabled: false,
        confirmation: OwnerConfirmation::Missing,
        created_at: engine.now(),
    };
    let statement = match connections::is_used_id(engine.store(), prepared.id).await? {
        true => connections::replace_prepared_connection(&new)?,
        false => connections::create_connection(&new)?,
    };
    Ok(statement)
}

/// Enables a prepared connection as an owner, with its domain, together with these statements, or nothing.
pub(crate) async fn enable_prepared_connection(
    engine: &Engine,
    access: &OrganizationAccess,
    id: ConnectionId,
    domain: Option<&OrganizationDomain>,
    batch: WriteBatch,
) -> Result<(), Error> {
    let overview = find_connection(engine, access, id).await?;
    let mut errors = ValidationErrors::default();
    if overview.connection.settings.saml_settings().is_some() {
        let issuer = &overview.connection.issuer;
        saml::require_unique_issuer(access, engine, issuer, Some(id), &mut errors).await?;
    }
    if !errors.is_empty() {
        return Err(Refusal::from_validation_errors(errors).into());
    }
    let routed = overview.domains.iter().chain(domain.filter(|domain| !overview.domains.contains(domain)));
    let draft = ConnectionDraft {
        settings: overview.connection.settings.clone(),
        secret: None,
        domains: routed.map(ToString::to_string).collect(),
        is_enabled: true,
        metadata: None,
    };
    change_within(engine, access, &overview, &draft, batch).await.map(drop)
}

/// Adds the removal of a prepared connection to the batch, unless an owner has saved it meanwhile.
pub(crate) async fn remove_prepared_connection(
    engine: &Engine,
    access: &OrganizationAccess,
    id: ConnectionId,
    batch: WriteBatch,
) -> Result<WriteBatch, Failure> {
    let connection_row = connections::find_connection(engine.store(), access.organization.id, id).await?;
    let Some(connection) = connection_row.filter(is_unconfirmed) else { return Ok(batch) };
    let event = connection_event(engine, access, EventKind::ConnectionRemoved, id);
    let batch = batch
        .with_statement(connections::remove_connection(&connection, access.now()))
        .with_statement(connections::release_connection_domains(id));
    access.record(batch, &event)
}

/// Removes the connection that was prepared with an expired link, unless an owner has saved it. Returns whether it did.
pub(crate) async fn remove_expired_connection(engine: &Engine, link: &SetupLinkRow) -> Result<bool, Failure> {
    let (organization, id) = (link.organization, link.connection);
    let connection_row = connections::find_connection(engine.store(), organization, id).await?;
    let Some(connection) = connection_row.filter(is_unconfirmed) else { return Ok(false) };
    let now = engine.now();
    let event =
        SecurityEvent::new(EventKind::ConnectionRemoved, SecurityEventActor::System, now, engine.entropy())
            .with_organization(organization)
            .with_subject("connection", id)
            .with_detail("setup_link", link.id.to_string());
    let batch = WriteBatch::new()
        .with_statement(connections::remove_connection(&connection, now))
        .with_statement(connections::release_connection_domains(id));
    let batch = with_audit_log_event(batch, &event, organization, "")?;
    // A concurrent change takes precedence.
    Ok(engine.store().commit(batch).await?.is_committed())
}

fn is_unconfirmed(connection: &ConnectionRow) -> bool {
    !connection.is_enabled && connection.confirmation == OwnerConfirmation::Missing
}
