//! The current state of the instance as a document: organizations with roles, APIs with offers, clients with
//! roles and secret digests, webhooks. It contains no users and no secrets.

use super::{identity_providers, webhooks};
use crate::organizations::built_in_organizations;
use crate::{Engine, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::administration::declarative::{
    ApiAvailability, DeclarativeConfig, DeclaredApi, DeclaredClient, DeclaredOrganization, DeclaredRole,
    SecretReference,
};
use sinete_core::client_id::ClientId;
use sinete_core::id::OrganizationId;
use sinete_core::organization_kind::OrganizationKind;
use sinete_core::organizations::OrganizationSlug;
use sinete_core::organizations::api_catalog::ApiIdentifier;
use sinete_core::organizations::settings::{OrganizationName, OrganizationSettings};
use sinete_store::oauth::clients::{ClientOrigin, ClientRow};
use sinete_store::oauth::{client_secrets, clients};
use sinete_store::organizations;
use sinete_store::organizations::OrganizationRow;
use sinete_store::organizations::api_catalog::ApiRow;
use sinete_store::organizations::{api_catalog, memberships, roles};
use std::collections::{BTreeMap, BTreeSet};

/// Page size for reading rows.
const PAGE: u32 = 500;

/// Exports the instance as a document that can be applied elsewhere. Digests of webhook secrets are omitted:
/// they cannot sign, and another instance has its own secrets.
pub async fn export_instance(engine: &Engine) -> Result<DeclarativeConfig, Failure> {
    let mut document = load_current(engine).await?;
    for (_, webhooks) in document.iter_webhooks_mut() {
        webhooks.values_mut().for_each(|webhook| webhook.secret = None);
    }
    for organization in document.organizations.values_mut() {
        organization.connections.values_mut().for_each(|connection| connection.secret = None);
    }
    Ok(document)
}

/// Loads the instance as a document. The two built-in organizations are included even before the first start.
pub async fn load_current(engine: &Engine) -> Result<DeclarativeConfig, Failure> {
    let mut document = DeclarativeConfig::default();
    for (_, slug, name) in built_in_organizations()? {
        document.organizations.insert(slug, default_organization(name));
    }
    let mut slugs = BTreeMap::new();
    for organization in list_all_organizations(engine).await? {
        let roles = load_declared_roles(engine, organization.id).await?;
        slugs.insert(organization.id, organization.slug.clone());
        let mut declared = declare_organization(&organization, roles)?;
        declared.webhooks = webhooks::load_current(engine, Some(organization.id)).await?;
        (declared.domains, declared.connections) =
            identity_providers::load_current(engine, organization.id).await?;
        document.organizations.insert(organization.slug.clone(), declared);
    }
    document.webhooks = webhooks::load_current(engine, None).await?;
    document.apis = load_declared_apis(engine, &slugs).await?;
    collect_clients(engine, ClientOrigin::Operator, None, &mut document.clients).await?;
    for (id, slug) in &slugs {
        collect_clients(engine, ClientOrigin::Organization(*id), Some(slug), &mut document.clients).await?;
    }
    Ok(document)
}

fn default_organization(name: OrganizationName) -> DeclaredOrganization {
    let (settings, roles) = (OrganizationSettings::default(), BTreeMap::new());
    DeclaredOrganization {
        id: None,
        name,
        settings,
        roles,
        webhooks: BTreeMap::new(),
        domains: BTreeSet::new(),
        connections: BTreeMap::new(),
    }
}

async fn list_all_organizations(engine: &Engine) -> Result<Vec<OrganizationRow>, Failure> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let page = organizations::list_organizations(engine.store(), after, PAGE, engine.now()).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        all.extend(page);
    }
    all.retain(|organization: &OrganizationRow| organization.condition != LifecycleCondition::Ended);
    Ok(all)
}

fn declare_organization(
    organization: &OrganizationRow,
    roles: BTreeMap<String, DeclaredRole>,
) -> Result<DeclaredOrganization, Failure> {
    // Each instance generates the ids of its two built-in organizations.
    let id = (organization.kind == OrganizationKind::Customer).then_some(organization.id);
    let name = OrganizationName::try_from(organization.name.clone())
        .unwrap_or_else(|_| OrganizationName::from_slug(&organization.slug));
    let settings = organization.settings.parse()?;
    Ok(DeclaredOrganization { id, roles, settings, ..default_organization(name) })
}

async fn load_declared_roles(
    engine: &Engine,
    organization: OrganizationId,
) -> Result<BTreeMap<String, DeclaredRole>, Failure> {
    let all = roles::list_roles(engine.store(), organization).await?;
    let custom_roles = all.into_iter().filter(|role| !role.is_built_in).map(|role| {
        let permissions = role.role.permissions().clone();
        (role.role.name().to_owned(), DeclaredRole { description: role.description, permissions })
    });
    Ok(custom_roles.collect())
}

async fn load_declared_apis(
    engine: &Engine,
    slugs: &BTreeMap<OrganizationId, OrganizationSlug>,
) -> Result<BTreeMap<String, DeclaredApi>, Failure> {
    let (mut apis, mut after) = (BTreeMap::<ApiIdentifier, DeclaredApi>::new(), None);
    loop {
        let page = api_catalog::list_apis(engine.store(), after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        for api in page {
            // An API of a deleted organization is deleted with it.
            let owner = api.organization.map(|id| slugs.get(&id).cloned());
            if owner == Some(None) {
                continue;
            }
            let offered_to = load_declared_offer(engine, &api, slugs).await?;
            let (id, organization) = (Some(api.id), owner.flatten());
            let declared = DeclaredApi { id, organization, offered_to, definition: api.definition };
            apis.insert(declared.definition.identifier.clone(), declared);
        }
    }
    Ok(assign_api_names(apis))
}

async fn load_declared_offer(
    engine: &Engine,
    api: &ApiRow,
    slugs: &BTreeMap<OrganizationId, OrganizationSlug>,
) -> Result<ApiAvailability, Failure> {
    if api.is_offered_to_all || api.organization.is_some() {
        return Ok(ApiAvailability::All);
    }
    let offers = api_catalog::list_api_offers(engine.store(), api.id).await?;
    Ok(ApiAvailability::Organizations(offers.iter().filter_map(|id| slugs.get(id).cloned()).collect()))
}

/// Derives names that are local to the document from the display names of the APIs; the same APIs get the
/// same names.
fn assign_api_names(declared_apis: BTreeMap<ApiIdentifier, DeclaredApi>) -> BTreeMap<String, DeclaredApi> {
    let mut apis = BTreeMap::new();
    for api in declared_apis.into_values() {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' };
        let words: String = api.definition.name.chars().map(plain).collect();
        let words: Vec<_> = words.split_whitespace().collect();
        let stem = if words.is_empty() { "api".to_owned() } else { words.join("-") };
        let numbered = (2_u32..).map(|number| format!("{stem}-{number}"));
        let free = std::iter::once(stem.clone()).chain(numbered).find(|name| !apis.contains_key(name));
        if let Some(name) = free {
            apis.insert(name, api);
        }
    }
    apis
}

async fn collect_clients(
    engine: &Engine,
    origin: ClientOrigin,
    slug: Option<&OrganizationSlug>,
    into: &mut BTreeMap<ClientId, DeclaredClient>,
) -> Result<(), Failure> {
    let mut after: Option<ClientId> = None;
    loop {
        let page = clients::list_clients(engine.store(), origin, after.as_ref(), PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.id.clone());
        for client in page {
            let declared = declare_client(engine, &client, slug).await?;
            into.insert(client.id, declared);
        }
    }
}

async fn declare_client(
    engine: &Engine,
    client: &ClientRow,
    slug: Option<&OrganizationSlug>,
) -> Result<DeclaredClient, Failure> {
    let membership = match client.origin {
        ClientOrigin::Organization(organization) => {
            memberships::find_client_membership(engine.store(), organization, &client.id).await?
        }
        ClientOrigin::Operator | ClientOrigin::DynamicRegistration => None,
    };
    let roles = match membership {
        Some(membership) => {
            let role_ids = memberships::list_membership_roles(engine.store(), membership.id).await?;
            let all = roles::list_roles(engine.store(), membership.organization).await?;
            let names = all.iter().filter(|role| role_ids.contains(&role.id));
            names.map(|role| role.role.name().to_owned()).collect()
        }
        None => Default::default(),
    };
    let secrets = client_secrets::list_client_secrets(engine.store(), &client.id, engine.now()).await?;
    // Of several secrets, the one that does not expire: the others have been replaced.
    let secret = secrets.iter().rfind(|secret| secret.expires_at.is_none());
    Ok(DeclaredClient {
        kind: client.kind,
        organization: slug.cloned(),
        purpose: client.purpose.clone(),
        roles,
        verified: client.verified_at.is_some(),
        secret: secret.map(|secret| SecretReference::from(&secret.digest)),
        metadata: client.metadata.parse()?,
    })
}
