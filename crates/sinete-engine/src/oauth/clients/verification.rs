//! Verification of clients by operators.

use super::{ClientOverview, no_such_client};
use crate::access_control::instance_admin::InstanceAdmin;
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use sinete_core::access_control::built_in_permissions::{READ_INSTANCE, VERIFY_CLIENTS};
use sinete_core::access_control::permission_catalog::is_built_in_resource;
use sinete_core::access_control::scope::{Scope, ScopeSet};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::client_id::ClientId;
use sinete_core::events::security_event::EventKind;
use sinete_core::id::OrganizationId;
use sinete_core::oauth::client_metadata::ClientMetadata;
use sinete_core::oauth::client_trust::{ClientEditor, RevokedClientTrust};
use sinete_core::time::Timestamp;
use sinete_store::oauth::clients;
use sinete_store::oauth::clients::{ClientOrigin, ClientRow};
use sinete_store::{GuardedStatement, JsonDocument, WriteBatch};

/// Lists self-registered clients by id.
pub async fn list_self_registered(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    after: Option<&ClientId>,
    limit: u32,
) -> Result<Vec<ClientRow>, Error> {
    instance_admin.require_permission(READ_INSTANCE)?;
    Ok(clients::list_clients(engine.store(), ClientOrigin::DynamicRegistration, after, limit).await?)
}

/// Shows a client of any origin, for deciding about its verification. Its membership is not shown.
pub async fn show_any(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    id: &ClientId,
) -> Result<ClientOverview, Error> {
    instance_admin.require_permission(READ_INSTANCE)?;
    Ok(find(engine, id)
        .await?
        .map(|client| ClientOverview { client, member: None })
        .ok_or_else(no_such_client)?)
}

/// Verifies a client, or withdraws the verification. Withdrawing removes built-in permissions from its
/// allowed scopes, because unverified clients may not request them.
pub async fn set_verified(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    id: &ClientId,
    is_verified: bool,
) -> Result<ClientRow, Error> {
    instance_admin.require_permission(VERIFY_CLIENTS)?;
    for _ in 0..ATTEMPTS_MAX {
        let Some(client) = find(engine, id).await? else { return Err(no_such_client().into()) };
        if client.verified_at.is_some() == is_verified {
            return Ok(client);
        }
        let verified_at = is_verified.then(|| instance_admin.now());
        let mut batch =
            WriteBatch::new().with_statement(clients::set_client_verified(id, client.version, verified_at));
        if !is_verified {
            batch = batch.with_statements(remove_own_permissions(&client, instance_admin.now())?);
        }
        let event = instance_admin
            .event(engine, EventKind::ClientVerified, audited_organization(instance_admin, &client))
            .with_subject("client", id)
            .with_detail("verified", is_verified);
        if engine.store().commit(instance_admin.record(batch, &event, "")?).await?.is_committed() {
            return Ok(find(engine, id).await?.ok_or_else(no_such_client)?);
        }
    }
    Err(Failure::Contended.into())
}

async fn find(engine: &Engine, id: &ClientId) -> Result<Option<ClientRow>, Failure> {
    let client_row = clients::find_client(engine.store(), id).await?;
    Ok(client_row.filter(|client| client.condition != LifecycleCondition::Ended))
}

/// The organization whose audit log records the decision.
fn audited_organization(instance_admin: &InstanceAdmin, client: &ClientRow) -> OrganizationId {
    match client.origin {
        ClientOrigin::Organization(organization) => organization,
        ClientOrigin::Operator | ClientOrigin::DynamicRegistration => instance_admin.operator_organization(),
    }
}

/// The statements that remove built-in permissions from the client's allowed scopes, if it has any.
fn remove_own_permissions(client: &ClientRow, now: Timestamp) -> Result<Vec<GuardedStatement>, Failure> {
    let is_ours =
        |scope: &&Scope| matches!(scope, Scope::Permission(it) if is_built_in_resource(it.resource()));
    if !client.scope.iter().any(|scope| is_ours(&scope)) {
        return Ok(Vec::new());
    }
    let rest =
        |scopes: &ScopeSet| scopes.iter().filter(|scope| !is_ours(scope)).cloned().collect::<ScopeSet>();
    let before: ClientMetadata = client.metadata.parse()?;
    let metadata = ClientMetadata { scope: before.scope.as_ref().map(rest), ..before.clone() };
    let changed = clients::ClientChange {
        name: &client.name,
        purpose: &client.purpose,
        owner: client.owner,
        scope: &rest(&client.scope),
        metadata: &JsonDocument::from_value(&metadata)?,
        trust: RevokedClientTrust::from_change(ClientEditor::Verifier, &before, &metadata),
    };
    // The previous statement incremented the version.
    Ok(clients::change_client(&client.id, client.version + 1, &changed, now).collect())
}
