//! Applies one change of a plan through the regular functions.

use super::identity_providers;
use super::webhooks::{DeclarativeCaller, DeclaredSecrets};
use crate::access_control::admin_scope::AdminScope;
use crate::access_control::caller::AuthenticatedCaller;
use crate::access_control::instance_admin::InstanceAdmin;
use crate::access_control::organization_access;
use crate::access_control::organization_access::OrganizationAccess;
use crate::oauth::clients;
use crate::organizations::{api_catalog, members, roles};
use crate::{Engine, Error, Failure, organizations};
use sinete_core::administration::declarative::plan::DeclarativeChange;
use sinete_core::administration::declarative::{
    ApiAvailability, DeclarativeConfig, DeclaredApi, DeclaredClient, DeclaredOrganization, DeclaredRole,
};
use sinete_core::client_id::ClientId;
use sinete_core::id::{ApiId, RoleId};
use sinete_core::limits::CLIENT_SECRET_OVERLAP;
use sinete_core::organizations::OrganizationSlug;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::administration::AdministrationRefusal;
use sinete_core::time::Lifetime;
use sinete_store::oauth::clients::ClientOrigin;
use sinete_store::organizations::roles::RoleRow;
use std::collections::BTreeSet;

/// Applies a change as the command line. `current` is the state that the plan started from, and `secrets` are
/// the resolved secrets of the document.
pub async fn apply_change(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    current: &DeclarativeConfig,
    change: &DeclarativeChange,
    secrets: &DeclaredSecrets,
) -> Result<(), Error> {
    let applying = DeclarativeCaller { engine, caller, secrets };
    match change {
        DeclarativeChange::CreateOrganization(slug, organization) => {
            create_organization(engine, caller, slug, organization).await
        }
        DeclarativeChange::UpdateOrganization(slug, organization, _) => {
            change_organization(engine, caller, slug, organization).await
        }
        DeclarativeChange::CreateApi(_, api) => create_api(engine, caller, api).await,
        DeclarativeChange::UpdateApi(_, api, _) => change_api(engine, caller, api).await,
        DeclarativeChange::CreateRole(slug, name, role)
        | DeclarativeChange::UpdateRole(slug, name, role, _) => {
            apply_role(engine, caller, slug, name, role).await
        }
        DeclarativeChange::CreateClient(id, client) => create_client(engine, caller, id, client).await,
        DeclarativeChange::UpdateClient(id, client, _) => change_client(engine, caller, id, client).await,
        DeclarativeChange::CreateWebhook(owner, _, declared_webhook) => {
            applying.create(owner.as_ref(), declared_webhook).await
        }
        DeclarativeChange::UpdateWebhook(owner, _, declared_webhook, _) => {
            applying.change(owner.as_ref(), declared_webhook).await
        }
        DeclarativeChange::RemoveWebhook(owner, name) => {
            let webhook_id = current.find_webhooks(owner.as_ref()).and_then(|all| all.get(name)?.id);
            let Some(id) = webhook_id else { return Err(no_longer_exists("webhook").into()) };
            applying.remove(owner.as_ref(), id).await
        }
        DeclarativeChange::SingleSignOn(slug, change) => {
            identity_providers::apply_change(engine, caller, slug, change, secrets).await
        }
        DeclarativeChange::RemoveClient(id) => remove_client(engine, caller, id).await,
        DeclarativeChange::RemoveRole(slug, name) => remove_role(engine, caller, slug, name).await,
        DeclarativeChange::RemoveApi(name) => remove_api(engine, caller, current.apis.get(name)).await,
    }
}

async fn create_organization(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    slug: &OrganizationSlug,
    organization: &DeclaredOrganization,
) -> Result<(), Error> {
    let request = organizations::OrganizationRequest {
        id: organization.id,
        slug: slug.clone(),
        name: organization.name.clone(),
        settings: organization.settings.clone(),
    };
    organizations::create(engine, caller, &request).await.map(drop)
}

async fn change_organization(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    slug: &OrganizationSlug,
    organization: &DeclaredOrganization,
) -> Result<(), Error> {
    let inside = authorize_in_declared(engine, caller, slug).await?;
    let changed = organizations::OrganizationChange {
        name: Some(organization.name.clone()),
        settings: Some(organization.settings.clone()),
    };
    let expected_version = inside.organization.version;
    organizations::change(engine, &inside, expected_version, &changed).await.map(drop)
}

async fn create_api(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    declared_api: &DeclaredApi,
) -> Result<(), Error> {
    let api = api_catalog::NewApi {
        id: declared_api.id,
        is_offered_to_all: declared_api.offered_to == ApiAvailability::All,
        definition: declared_api.definition.clone(),
    };
    let Some(slug) = &declared_api.organization else {
        let instance_admin = InstanceAdmin::new(engine, caller);
        let api_row = api_catalog::create(engine, AdminScope::Instance(&instance_admin), &api).await?;
        return apply_offers(engine, caller, api_row.id, &declared_api.offered_to).await;
    };
    let inside = authorize_in_declared(engine, caller, slug).await?;
    api_catalog::create(engine, AdminScope::Organization(&inside), &api).await.map(drop)
}

async fn change_api(engine: &Engine, caller: &AuthenticatedCaller, api: &DeclaredApi) -> Result<(), Error> {
    let identifier = api.definition.identifier.as_str();
    let api_row =
        sinete_store::organizations::api_catalog::find_api_by_identifier(engine.store(), identifier).await?;
    let Some(now) = api_row else { return Err(no_longer_exists("API").into()) };
    let is_offered_to_all = now.organization.is_none().then_some(api.offered_to == ApiAvailability::All);
    let changed = api_catalog::ApiChange { is_offered_to_all, definition: api.definition.clone() };
    let is_other =
        now.definition != api.definition || is_offered_to_all.is_some_and(|it| it != now.is_offered_to_all);
    let Some(slug) = &api.organization else {
        let instance_admin = InstanceAdmin::new(engine, caller);
        if is_other {
            let admin_scope = AdminScope::Instance(&instance_admin);
            api_catalog::change(engine, admin_scope, now.id, now.version, &changed).await?;
        }
        return apply_offers(engine, caller, now.id, &api.offered_to).await;
    };
    let inside = authorize_in_declared(engine, caller, slug).await?;
    let admin_scope = AdminScope::Organization(&inside);
    api_catalog::change(engine, admin_scope, now.id, now.version, &changed).await.map(drop)
}

/// Offers the API to exactly these organizations. An API offered to all needs no single offers.
async fn apply_offers(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    api: ApiId,
    api_availability: &ApiAvailability,
) -> Result<(), Error> {
    let organization_slugs = BTreeSet::new();
    let offered_slugs = match api_availability {
        ApiAvailability::All => &organization_slugs,
        ApiAvailability::Organizations(slugs) => slugs,
    };
    let instance_admin = InstanceAdmin::new(engine, caller);
    let mut declared_ids = BTreeSet::new();
    for slug in offered_slugs {
        let organization_row =
            organization_access::find_organization(engine, slug.as_str(), instance_admin.now()).await?;
        declared_ids.extend(organization_row.map(|organization| organization.id));
        api_catalog::offer_to_organization(engine, &instance_admin, api, slug.as_str()).await?;
    }
    for organization in api_catalog::list_offers(engine, &instance_admin, api).await? {
        if !declared_ids.contains(&organization) {
            api_catalog::withdraw_offer(engine, &instance_admin, api, &organization.to_string()).await?;
        }
    }
    Ok(())
}

async fn apply_role(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    slug: &OrganizationSlug,
    name: &str,
    declared_role: &DeclaredRole,
) -> Result<(), Error> {
    let inside = authorize_in_declared(engine, caller, slug).await?;
    let draft = roles::RoleDraft {
        name: name.to_owned(),
        description: declared_role.description.clone(),
        permissions: declared_role.permissions.clone(),
    };
    match find_role_by_name(engine, &inside, name).await? {
        Some(role) => roles::change(engine, &inside, role.id, role.version, &draft).await?,
        None => roles::create(engine, &inside, &draft).await?,
    };
    Ok(())
}

async fn remove_role(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    slug: &OrganizationSlug,
    name: &str,
) -> Result<(), Error> {
    let inside = authorize_in_declared(engine, caller, slug).await?;
    match find_role_by_name(engine, &inside, name).await? {
        Some(role) => roles::remove(engine, &inside, role.id, role.version).await,
        None => Ok(()),
    }
}

async fn create_client(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    id: &ClientId,
    declared_client: &DeclaredClient,
) -> Result<(), Error> {
    let client = |roles| clients::NewClientRequest {
        id: Some(id.clone()),
        kind: declared_client.kind,
        purpose: declared_client.purpose.clone(),
        owner: None,
        roles,
        is_verified: declared_client.verified,
        secret: declared_client.secret.as_ref().and_then(|secret| secret.digest()),
        registration: None,
        metadata: declared_client.metadata.clone(),
    };
    let Some(slug) = &declared_client.organization else {
        let instance_admin = InstanceAdmin::new(engine, caller);
        let result =
            clients::create(engine, AdminScope::Instance(&instance_admin), &client(Vec::new())).await;
        return result.map(drop);
    };
    let inside = authorize_in_declared(engine, caller, slug).await?;
    let roles = role_ids(engine, &inside, &declared_client.roles).await?;
    clients::create(engine, AdminScope::Organization(&inside), &client(roles)).await.map(drop)
}

/// Changes a client in steps. Verification changes while the scope is valid both before and after.
async fn change_client(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    id: &ClientId,
    client: &DeclaredClient,
) -> Result<(), Error> {
    let instance_admin = InstanceAdmin::new(engine, caller);
    if client.verified {
        clients::set_verified(engine, &instance_admin, id, true).await?;
    }
    let inside = match &client.organization {
        Some(slug) => Some(authorize_in_declared(engine, caller, slug).await?),
        None => None,
    };
    let admin_scope = inside.as_ref().map_or(AdminScope::Instance(&instance_admin), AdminScope::Organization);
    let overview = clients::show(engine, admin_scope, id).await?;
    let roles = match (&inside, client.roles.is_empty()) {
        (Some(inside), false) => Some(role_ids(engine, inside, &client.roles).await?),
        (Some(_), true) | (None, _) => None,
    };
    let changed = clients::ClientUpdate {
        purpose: client.purpose.clone(),
        owner: overview.client.owner,
        roles,
        expected_roles: overview.role_ids(),
        metadata: client.metadata.clone(),
    };
    let saved_client = clients::change(engine, admin_scope, id, overview.client.version, &changed).await?;
    if let Some(digest) = client.secret.as_ref().and_then(|secret| secret.digest()) {
        // A secret that was created just now was not returned to any caller, and is revoked at once.
        let overlap = if saved_client.secret.is_some() { Lifetime::ZERO } else { CLIENT_SECRET_OVERLAP };
        clients::adopt_secret(engine, admin_scope, id, &digest, overlap).await?;
    }
    if let (Some(inside), Some(member), true) = (&inside, &overview.member, client.roles.is_empty()) {
        members::remove(engine, inside, member.membership.id).await?;
    }
    if !client.verified {
        clients::set_verified(engine, &instance_admin, id, false).await?;
    }
    Ok(())
}

async fn remove_client(engine: &Engine, caller: &AuthenticatedCaller, id: &ClientId) -> Result<(), Error> {
    let Some(client) = sinete_store::oauth::clients::find_client(engine.store(), id).await? else {
        return Ok(());
    };
    let instance_admin = InstanceAdmin::new(engine, caller);
    let inside = match client.origin {
        ClientOrigin::Organization(organization) => Some(
            organization_access::authorize_in_organization(engine, caller, &organization.to_string()).await?,
        ),
        ClientOrigin::Operator | ClientOrigin::DynamicRegistration => None,
    };
    let admin_scope = inside.as_ref().map_or(AdminScope::Instance(&instance_admin), AdminScope::Organization);
    clients::remove(engine, admin_scope, id).await.map(drop)
}

async fn remove_api(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    declared: Option<&DeclaredApi>,
) -> Result<(), Error> {
    let Some(declared) = declared else { return Err(no_longer_exists("API").into()) };
    let identifier = declared.definition.identifier.as_str();
    let api =
        sinete_store::organizations::api_catalog::find_api_by_identifier(engine.store(), identifier).await?;
    let Some(now) = api else { return Ok(()) };
    let instance_admin = InstanceAdmin::new(engine, caller);
    let inside = match &declared.organization {
        Some(slug) => Some(authorize_in_declared(engine, caller, slug).await?),
        None => None,
    };
    let admin_scope = inside.as_ref().map_or(AdminScope::Instance(&instance_admin), AdminScope::Organization);
    api_catalog::remove(engine, admin_scope, now.id, now.version).await
}

pub(super) async fn authorize_in_declared(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    slug: &OrganizationSlug,
) -> Result<OrganizationAccess, Error> {
    organization_access::authorize_in_organization(engine, caller, slug.as_str()).await
}

async fn find_role_by_name(
    engine: &Engine,
    inside: &OrganizationAccess,
    name: &str,
) -> Result<Option<RoleRow>, Failure> {
    let all = sinete_store::organizations::roles::list_roles(engine.store(), inside.organization.id).await?;
    Ok(all.into_iter().find(|role| role.role.name() == name))
}

async fn role_ids(
    engine: &Engine,
    inside: &OrganizationAccess,
    names: &BTreeSet<String>,
) -> Result<Vec<RoleId>, Error> {
    let mut ids = Vec::new();
    for name in names {
        match find_role_by_name(engine, inside, name).await? {
            Some(role) => ids.push(role.id),
            None => return Err(no_longer_exists("role").into()),
        }
    }
    Ok(ids)
}

pub(super) fn no_longer_exists(kind: &str) -> Refusal {
    Refusal::because(AdministrationRefusal::PlanOutdated, format!("no such {kind}"))
}
