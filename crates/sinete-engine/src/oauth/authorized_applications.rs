//! The applications that a user authorized in each organization, and their revocation.

use crate::oauth::authorize::{RequestedAudience, ScopeDescription};
use crate::sign_in::account_holder::{AccountHolder, not_found};
use crate::{Engine, Error, Failure};
use sinete_core::access_control::scope::Scope;
use sinete_core::client_id::{ClientId, ClientKind};
use sinete_core::events::security_event::EventKind;
use sinete_core::id::MembershipId;
use sinete_core::oauth::authorize::stored_grant_params::GrantedScopes;
use sinete_core::oauth::client_metadata::ClientMetadata;
use sinete_core::organizations::api_catalog::ApiIdentifier;
use sinete_core::time::Timestamp;
use sinete_store::oauth::authorized_applications;
use sinete_store::oauth::authorized_applications::{
    ApplicationConsent, ApplicationDelegation, ApplicationGrant, AuthorizedApplication,
};
use sinete_store::oauth::{clients, consents, delegations, grants};
use sinete_store::{BatchOutcome, WriteBatch};
use std::collections::{BTreeMap, HashMap};

/// An application with its access for one membership.
#[derive(Clone, Debug)]
pub struct ApplicationGrants {
    /// The application and the membership.
    pub application: AuthorizedApplication,
    /// Its name in other languages, by metadata name, as in `client_name#pt-BR`.
    pub localized: BTreeMap<String, String>,
    /// The distinct permissions, from consents, grants and exchanged tokens.
    pub permissions: Vec<ApplicationPermission>,
    /// The consents, by API.
    pub consents: Vec<ApplicationConsent>,
    /// The active grants.
    pub active_grants: Vec<ApplicationGrant>,
    /// The active exchanged tokens with which it acts for the user, by API and scope.
    pub delegations: Vec<ApplicationDelegation>,
}

impl ApplicationGrants {
    /// Whether it is an agent.
    pub const fn is_agent(&self) -> bool {
        matches!(self.application.kind, ClientKind::Agent)
    }

    /// When it last got tokens to act for the user, as far as that is known.
    pub fn last_used_at(&self) -> Option<Timestamp> {
        let granted = self.active_grants.iter().filter_map(|grant| grant.used_at);
        granted
            .chain(self.delegations.iter().map(|application_delegation| application_delegation.used_at))
            .max()
    }
}

/// A permission or claim of an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplicationPermission {
    /// The API.
    pub audience: String,
    /// The scope or claim.
    pub name: String,
    /// The description shown at consent; empty if it is no longer defined.
    pub description: ScopeDescription,
}

/// The name of an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplicationName {
    /// The default name.
    pub name: String,
    /// The names in other languages, by metadata name.
    pub localized: BTreeMap<String, String>,
}

/// Finds the name of an application in any state.
pub async fn find_application_name(
    engine: &Engine,
    client: &ClientId,
) -> Result<Option<ApplicationName>, Failure> {
    let Some(client_row) = clients::find_client(engine.store(), client).await? else { return Ok(None) };
    let metadata: ClientMetadata = client_row.metadata.parse()?;
    Ok(Some(ApplicationName { name: client_row.name, localized: metadata.localized }))
}

/// Lists all applications with grants, consents or exchanged tokens of the user.
pub async fn list(
    engine: &Engine,
    account_holder: &AccountHolder,
) -> Result<Vec<ApplicationGrants>, Failure> {
    let mut all = load_applications(engine, account_holder).await?;
    let mut lookup = AudienceLookup { engine, cached: HashMap::new() };
    for granted in &mut all {
        let metadata: ClientMetadata = granted.application.metadata.parse()?;
        granted.localized = metadata.localized;
        granted.permissions = lookup.list_permissions(granted).await?;
    }
    Ok(all)
}

/// The audiences looked up so far.
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
        for agreement in &granted.consents {
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
        for grant in &granted.active_grants {
            let scopes: GrantedScopes = grant.scopes.parse()?;
            for (audience, scopes) in scopes.iter() {
                for scope in scopes.iter() {
                    add_permission(&mut all, self.describe_permission(audience.as_str(), scope).await?);
                }
            }
        }
        for application_delegation in &granted.delegations {
            for scope in application_delegation.scope.iter() {
                add_permission(
                    &mut all,
                    self.describe_permission(&application_delegation.audience, scope).await?,
                );
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
            let requested_audience = match audience.parse::<ApiIdentifier>() {
                Ok(identifier) => RequestedAudience::find(self.engine, &identifier, None).await?,
                Err(_) => None,
            };
            self.cached.insert(audience.to_owned(), requested_audience);
        }
        let requested_audience = self.cached.get(audience).and_then(Option::as_ref);
        let meaning = requested_audience
            .map(|requested_audience| ScopeDescription::from_scope(scope, requested_audience))
            .unwrap_or_default();
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
    account_holder: &AccountHolder,
) -> Result<Vec<ApplicationGrants>, Failure> {
    let (store, account) = (engine.store(), account_holder.account());
    let mut all: Vec<ApplicationGrants> = Vec::new();
    for agreement in authorized_applications::list_account_consents(store, account).await? {
        find_or_add_application(&mut all, &agreement.application).consents.push(agreement);
    }
    for grant in authorized_applications::list_account_grants(store, account, account_holder.now()).await? {
        find_or_add_application(&mut all, &grant.application).active_grants.push(grant);
    }
    for application_delegation in
        authorized_applications::list_account_delegations(store, account, account_holder.now()).await?
    {
        find_or_add_application(&mut all, &application_delegation.application)
            .delegations
            .push(application_delegation);
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
    let index = all.iter().position(same).unwrap_or(all.len());
    if index == all.len() {
        all.push(ApplicationGrants {
            application: application.clone(),
            localized: BTreeMap::new(),
            permissions: Vec::new(),
            consents: Vec::new(),
            active_grants: Vec::new(),
            delegations: Vec::new(),
        });
    }
    &mut all[index]
}

/// Revokes all access of the application for this membership, also the tokens that it exchanged, effective on
/// all nodes.
pub async fn revoke_application(
    engine: &Engine,
    account_holder: &AccountHolder,
    membership: MembershipId,
    client: &ClientId,
) -> Result<(), Error> {
    let granted = load_applications(engine, account_holder).await?;
    let application_grants =
        granted.iter().find(|it| it.application.membership == membership && it.application.client == *client);
    let Some(application_grants) = application_grants else {
        return Err(not_found("the application has no access of this membership").into());
    };
    let now = account_holder.now();
    let event = account_holder
        .event(engine, EventKind::ApplicationRemoved)
        .with_subject("membership", membership)
        .with_organization(application_grants.application.organization)
        .with_client(client.clone());
    let batch = WriteBatch::new()
        .with_statement(consents::revoke_client_consents(membership, client, now))
        .with_statement(grants::revoke_client_grants(membership, client, "the application was removed", now))
        .with_statements(delegations::revoke_client_delegations(membership, client, now))
        .with_event(&event);
    // This batch cannot conflict: revoking twice has no effect.
    match engine.store().commit(batch).await? {
        BatchOutcome::Committed(_) => Ok(()),
        BatchOutcome::Conflict(_) => Err(Failure::Contended.into()),
    }
}
