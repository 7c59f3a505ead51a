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
        DeclarativeChange::CreateOrganization(slug, wanted) => {
            create_organization(engine, caller, slug, wanted).await
        }
        DeclarativeChange::UpdateOrganization(slug, wanted, _) => {
            change_organization(engine, caller, slug, wanted).await
        }
        DeclarativeChange::CreateApi(_, wanted) => create_api(engine, caller, wanted).await,
        DeclarativeChange::UpdateApi(_, wanted, _) => change_api(engine, caller, wanted).await,
        DeclarativeChange::CreateRole(slug, name, wanted)
        | DeclarativeChange::UpdateRole(slug, name, wanted, _) => {
            apply_role(engine, caller, slug, name, wanted).await
        }
        DeclarativeChange::CreateClient(id, wanted) => create_client(engine, caller, id, wanted).await,
        DeclarativeChange::UpdateClient(id, wanted, _) => change_client(engine, caller, id, wanted).await,
        DeclarativeChange::CreateWebhook(owner, _, wanted) => applying.create(owner.as_ref(), wanted).await,
        DeclarativeChange::UpdateWebhook(owner, _, wanted, _) => {
            applying.change(owner.as_ref(), wanted).await
        }
        DeclarativeChange::RemoveWebhook(owner, name) => {
            let known = current.find_webhooks(owner.as_ref()).and_then(|all| all.get(name)?.id);
            let Some(id) = known else { return Err(no_longer_exists("webhook").into()) };
            applying.remove(owner.as_ref(), id).await
        }
        DeclarativeChange::SignOn(slug, change) => {
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
    wanted: &DeclaredOrganization,
) -> Result<(), Error> {
    let wanted = organizations::OrganizationRequest {
        id: wanted.id,
        slug: slug.clone(),
        name: wanted.name.clone(),
        settings: wanted.settings.clone(),
    };
    organizations::create(engine, caller, &wanted).await.map(drop)
}

async fn change_organization(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    slug: &OrganizationSlug,
    wanted: &DeclaredOrganization,
) -> Result<(), Error> {
    let inside = authorize_in_declared(engine, caller, slug).await?;
    let changed = organizations::OrganizationChange {
        name: Some(wanted.name.clone()),
        settings: Some(wanted.settings.clone()),
    };
    let seen = inside.organization.version;
    organizations::change(engine, &inside, seen, &changed).await.map(drop)
}

async fn create_api(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    wanted: &DeclaredApi,
) -> Result<(), Error> {
    let api = api_catalog::NewApi {
        id: wanted.id,
        is_offered_to_all: wanted.offered_to == ApiAvailability::All,
        definition: wanted.definition.clone(),
    };
    let Some(slug) = &wanted.organization else {
        let operating = InstanceAdmin::new(engine, caller);
        let made = api_catalog::create(engine, AdminScope::Instance(&operating), &api).await?;
        return apply_offers(engine, caller, made.id, &wanted.offered_to).await;
    };
    let inside = authorize_in_declared(engine, caller, slug).await?;
    api_catalog::create(engine, AdminScope::Organization(&inside), &api).await.map(drop)
}

async fn change_api(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    wanted: &DeclaredApi,
) -> Result<(), Error> {
    let identifier = wanted.definition.identifier.as_str();
    let found =
        sinete_store::organizations::api_catalog::find_api_by_identifier(engine.store(), identifier).await?;
    let Some(now) = found else { return Err(no_longer_exists("API").into()) };
    let is_offered_to_all = now.organization.is_none().then_some(wanted.offered_to == ApiAvailability::All);
    let changed = api_catalog::ApiChange { is_offered_to_all, definition: wanted.definition.clone() };
    let is_other = now.definition != wanted.definition
        || is_offered_to_all.is_some_and(|it| it != now.is_offered_to_all);
    let Some(slug) = &wanted.organization else {
        let operating = InstanceAdmin::new(engine, caller);
        if is_other {
            let managing = AdminScope::Instance(&operating);
            api_catalog::change(engine, managing, now.id, now.version, &changed).await?;
        }
        return apply_offers(engine, caller, now.id, &wanted.offered_to).await;
    };
    let inside = authorize_in_declared(engine, caller, slug).await?;
    let managing = AdminScope::Organization(&inside);
    api_catalog::change(engine, managing, now.id, now.version, &changed).await.map(drop)
}

/// Offers the API to exactly these organizations. An API offered to all needs no single offers.
async fn apply_offers(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    api: ApiId,
    wanted: &ApiAvailability,
) -> Result<(), Error> {
    let nobody = BTreeSet::new();
    let wanted = match wanted {
        ApiAvailability::All => &nobody,
        ApiAvailability::Organizations(slugs) => slugs,
    };
    let operating = InstanceAdmin::new(engine, caller);
    let mut named = BTreeSet::new();
    for slug in wanted {
        let found = organization_access::find_organization(engine, slug.as_str(), operating.now()).await?;
        named.extend(found.map(|organization| organization.id));
        api_catalog::offer_to_organization(engine, &operating, api, slug.as_str()).await?;
    }
    for organization in api_catalog::list_offers(engine, &operating, api).await? {
        if !named.contains(&organization) {
            api_catalog::withdraw_offer(engine, &operating, api, &organization.to_string()).await?;
        }
    }
    Ok(())
}

async fn apply_role(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    slug: &OrganizationSlug,
    name: &str,
    wanted: &DeclaredRole,
) -> Result<(), Error> {
    let inside = authorize_in_declared(engine, caller, slug).await?;
    let wanted = roles::RoleDraft {
        name: name.to_owned(),
        description: wanted.description.clone(),
        permissions: wanted.permissions.clone(),
    };
    match find_role_by_name(engine, &inside, name).await? {
        Some(role) => roles::change(engine, &inside, role.id, role.version, &wanted).await?,
        None => roles::create(engine, &inside, &wanted).await?,
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
    wanted: &DeclaredClient,
) -> Result<(), Error> {
    let client = |roles| clients::NewClientRequest {
        id: Some(id.clone()),
        kind: wanted.kind,
        purpose: wanted.purpose.clone(),
        owner: None,
        roles,
        is_verified: wanted.verified,
        secret: wanted.secret.as_ref().and_then(|secret| secret.digest()),
        registration: None,
        metadata: wanted.metadata.clone(),
    };
    let Some(slug) = &wanted.organization else {
        let operating = InstanceAdmin::new(engine, caller);
        let made = clients::create(engine, AdminScope::Instance(&operating), &client(Vec::new())).await;
        return made.map(drop);
    };
    let inside = authorize_in_declared(engine, caller, slug).await?;
    let roles = role_ids(engine, &inside, &wanted.roles).await?;
    clients::create(engine, AdminScope::Organization(&inside), &client(roles)).await.map(drop)
}

/// Changes a client in steps. Verification changes while the scope is valid both before and after.
async fn change_client(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    id: &ClientId,
    wanted: &DeclaredClient,
) -> Result<(), Error> {
    let operating = InstanceAdmin::new(engine, caller);
    if wanted.verified {
        clients::set_verified(engine, &operating, id, true).await?;
    }
    let inside = match &wanted.organization {
        Some(slug) => Some(authorize_in_declared(engine, caller, slug).await?),
        None => None,
    };
    let managing = inside.as_ref().map_or(AdminScope::Instance(&operating), AdminScope::Organization);
    let shown = clients::show(engine, managing, id).await?;
    let roles = match (&inside, wanted.roles.is_empty()) {
        (Some(inside), false) => Some(role_ids(engine, inside, &wanted.roles).await?),
        (Some(_), true) | (None, _) => None,
    };
    let changed = clients::ClientUpdate {
        purpose: wanted.purpose.clone(),
        owner: shown.client.owner,
        roles,
        roles_seen: shown.role_ids(),
        metadata: wanted.metadata.clone(),
    };
    let settled = clients::change(engine, managing, id, shown.client.version, &changed).await?;
    if let Some(digest) = wanted.secret.as_ref().and_then(|secret| secret.digest()) {
        // A secret that was created just now was not returned to any caller, and is revoked at once.
        let overlap = if settled.secret.is_some() { Lifetime::ZERO } else { CLIENT_SECRET_OVERLAP };
        clients::adopt_secret(engine, managing, id, &digest, overlap).await?;
    }
    if let (Some(inside), Some(member), true) = (&inside, &shown.member, wanted.roles.is_empty()) {
        members::remove(engine, inside, member.membership.id).await?;
    }
    if !wanted.verified {
        clients::set_verified(engine, &operating, id, false).await?;
    }
    Ok(())
}

async fn remove_client(engine: &Engine, caller: &AuthenticatedCaller, id: &ClientId) -> Result<(), Error> {
    let Some(client) = sinete_store::oauth::clients::find_client(engine.store(), id).await? else {
        return Ok(());
    };
    let operating = InstanceAdmin::new(engine, caller);
    let inside = match client.origin {
        ClientOrigin::Organization(organization) => Some(
            organization_access::authorize_in_organization(engine, caller, &organization.to_string()).await?,
        ),
        ClientOrigin::Operator | ClientOrigin::Itself => None,
    };
    let managing = inside.as_ref().map_or(AdminScope::Instance(&operating), AdminScope::Organization);
    clients::remove(engine, managing, id).await.map(drop)
}

async fn remove_api(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    declared: Option<&DeclaredApi>,
) -> Result<(), Error> {
    let Some(declared) = declared else { return Err(no_longer_exists("API").into()) };
    let identifier = declared.definition.identifier.as_str();
    let found =
        sinete_store::organizations::api_catalog::find_api_by_identifier(engine.store(), identifier).await?;
    let Some(now) = found else { return Ok(()) };
    let operating = InstanceAdmin::new(engine, caller);
    let inside = match &declared.organization {
        Some(slug) => Some(authorize_in_declared(engine, caller, slug).await?),
        None => None,
    };
    let managing = inside.as_ref().map_or(AdminScope::Instance(&operating), AdminScope::Organization);
    api_catalog::remove(engine, managing, now.id, now.version).await
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

pub(super) fn no_longer_exists(what: &str) -> Refusal {
    Refusal::because(AdministrationRefusal::PlanOutdated, format!("no such {what}"))
}
