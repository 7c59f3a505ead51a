//! What a person let applications do, in each of their organizations, and taking it back.

use crate::oauth::authorize::{RequestedAudience, ScopeDescription};
use crate::sign_in::account_holder::{AccountHolder, not_found};
use crate::{Engine, Failure};
use sinete_core::access_control::scope::Scope;
use sinete_core::client_id::ClientId;
use sinete_core::events::security_event::EventKind;
use sinete_core::id::MembershipId;
use sinete_core::oauth::authorize::stored_grant_params::GrantedScopes;
use sinete_core::oauth::client_metadata::ClientMetadata;
use sinete_core::organizations::api_catalog::ApiIdentifier;
use sinete_core::refusal::Refusal;
use sinete_store::WriteBatch;
use sinete_store::oauth::authorized_applications;
use sinete_store::oauth::authorized_applications::{
    ApplicationConsent, ApplicationGrant, AuthorizedApplication,
};
use sinete_store::oauth::{clients, consents, grants};
use std::collections::{BTreeMap, HashMap};

/// An application with what it was let do for one membership.
#[derive(Clone, Debug)]
pub struct ApplicationGrants {
    /// The application, and for which membership.
    pub application: AuthorizedApplication,
    /// What it calls itself in other languages, under the names that was registered by, as in `client_name#pt-BR`.
    pub localized: BTreeMap<String, String>,
    /// What it may do, by agreement or because it holds a grant, each once.
    pub allowed: Vec<ApplicationPermission>,
    /// What was agreed to, at each API.
    pub agreements: Vec<ApplicationConsent>,
    /// What it holds now.
    pub active_grants: Vec<ApplicationGrant>,
}

/// One thing an application may do or know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplicationPermission {
    /// At which API.
    pub audience: String,
    /// The scope, or the claim that was agreed to by its name.
    pub name: String,
    /// What that means, as the person was asked; empty where nobody knows it any more.
    pub description: ScopeDescription,
}

/// What an application calls itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplicationName {
    /// In the language it was registered in.
    pub name: String,
    /// In other languages, under the names that was registered by.
    pub localized: BTreeMap<String, String>,
}

/// What an application calls itself, whatever became of it; nothing, where there never was one.
pub async fn find_application_name(
    engine: &Engine,
    client: &ClientId,
) -> Result<Option<ApplicationName>, Failure> {
    let Some(found) = clients::find_client(engine.store(), client).await? else { return Ok(None) };
    let metadata: ClientMetadata = found.metadata.parse()?;
    Ok(Some(ApplicationName { name: found.name, localized: metadata.localized }))
}

/// Every application that may do something in the person's name, or was agreed to.
pub async fn list(engine: &Engine, oneself: &AccountHolder) -> Result<Vec<ApplicationGrants>, Failure> {
    let mut all = load_applications(engine, oneself).await?;
    let mut known = AudienceLookup { engine, cached: HashMap::new() };
    for granted in &mut all {
        let metadata: ClientMetadata = granted.application.metadata.parse()?;
        granted.localized = metadata.localized;
        granted.allowed = known.list_permissions(granted).await?;
    }
    Ok(all)
}

/// The audiences that were looked up already.
struct AudienceLookup<'a> {
    engine: &'a Engine,
    cached: HashMap<String, Option<RequestedAudience>>,
}

impl AudienceLookup<'_> {
    async fn list_permissions(
        &mut self,
        granted: &ApplicationGrants,
    ) -> Result<Vec<ApplicationPermission>, Failure> {
        let mut all = Vec::new();
        for agreement in &granted.agreements {
            for scope in agreement.scope.iter() {
                add_permission(&mut all, self.describe_permission(&agreement.audience, scope).await?);
            }
            for claim in agreement.claims.iter() {
                let (audience, name) = (agreement.audience.clone(), claim.name.to_owned());
                add_permission(
                    &mut all,
                    ApplicationPermission {
                        audience,
                        name,
                        description: ScopeDescription::from_claim(claim),
                    },
                );
            }
        }
        for held in &granted.active_grants {
            let scopes: GrantedScopes = held.scopes.parse()?;
            for (audience, scopes) in scopes.iter() {
                for scope in scopes.iter() {
                    add_permission(&mut all, self.describe_permission(audience.as_str(), scope).await?);
                }
            }
        }
        Ok(all)
    }

    async fn describe_permission(
        &mut self,
        audience: &str,
        scope: &Scope,
    ) -> Result<ApplicationPermission, Failure> {
        if !self.cached.contains_key(audience) {
            let found = match audience.parse::<ApiIdentifier>() {
                Ok(identifier) => RequestedAudience::find(self.engine, &identifier, None).await?,
                Err(_) => None,
            };
            self.cached.insert(audience.to_owned(), found);
        }
        let known = self.cached.get(audience).and_then(Option::as_ref);
        let meaning = known.map(|known| ScopeDescription::from_scope(scope, known)).unwrap_or_default();
        Ok(ApplicationPermission {
            audience: audience.to_owned(),
            name: scope.to_string(),
            description: meaning,
        })
    }
}

fn add_permission(all: &mut Vec<ApplicationPermission>, allowed: ApplicationPermission) {
    if !all.contains(&allowed) {
        all.push(allowed);
    }
}

async fn load_applications(
    engine: &Engine,
    oneself: &AccountHolder,
) -> Result<Vec<ApplicationGrants>, Failure> {
    let (store, account) = (engine.store(), oneself.account());
    let mut all: Vec<ApplicationGrants> = Vec::new();
    for agreement in authorized_applications::list_account_consents(store, account).await? {
        find_or_add_application(&mut all, &agreement.with).agreements.push(agreement);
    }
    for held in authorized_applications::list_account_grants(store, account, oneself.now()).await? {
        find_or_add_application(&mut all, &held.by).active_grants.push(held);
    }
    all.sort_by(|one, other| {
        let key = |it: &ApplicationGrants| (it.application.client.to_string(), it.application.membership);
        key(one).cmp(&key(other))
    });
    Ok(all)
}

fn find_or_add_application<'a>(
    all: &'a mut Vec<ApplicationGrants>,
    application: &AuthorizedApplication,
) -> &'a mut ApplicationGrants {
    let same = |it: &ApplicationGrants| {
        (&it.application.client, it.application.membership) == (&application.client, application.membership)
    };
    let place = all.iter().position(same).unwrap_or(all.len());
    if place == all.len() {
        all.push(ApplicationGrants {
            application: application.clone(),
            localized: BTreeMap::new(),
            allowed: Vec::new(),
            agreements: Vec::new(),
            active_grants: Vec::new(),
        });
    }
    &mut all[place]
}

/// Takes back everything the application was let do for this membership. What it holds is worth nothing from
/// then on, on every node.
pub async fn revoke_application(
    engine: &Engine,
    oneself: &AccountHolder,
    membership: MembershipId,
    client: &ClientId,
) -> Result<Result<(), Refusal>, Failure> {
    let granted = load_applications(engine, oneself).await?;
    let found =
        granted.iter().find(|it| it.application.membership == membership && it.application.client == *client);
    let Some(found) = found else {
        return Ok(Err(not_found("nothing was agreed with this application")));
    };
    let now = oneself.now();
    let event = oneself
        .event(engine, EventKind::ApplicationRemoved)
        .with_subject("membership", membership)
        .with_organization(found.application.organization)
        .with_client(client.clone());
    let act = WriteBatch::new()
        .with_statement(consents::revoke_client_consents(membership, client, now))
        .with_statement(grants::revoke_client_grants(membership, client, "the application was removed", now))
        .with_event(&event);
    // Nothing in this act can conflict: what was taken back meanwhile stays so.
    match engine.store().commit(act).await? {
        Ok(_) => Ok(Ok(())),
        Err(_) => Err(Failure::Contended),
    }
}
