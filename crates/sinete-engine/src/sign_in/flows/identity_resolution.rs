//! Resolution of external identities: loads the facts, and applies the decision.

mod external_identity_facts;

use super::apply::FlowTransitionBuilder;
use super::connection_test::find_obstacle;
use super::load_flow_account;
use crate::access_control::organization_access::with_audit_log_event;
use crate::platform::email::EmailKind;
use crate::{Engine, Error, Failure};
pub(super) use external_identity_facts::{DomainRouting, load_facts};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::assurance::AuthenticationProof;
use sinete_core::events::security_event::EventKind;
use sinete_core::id::{AccountId, ContactId, MembershipId, OrganizationId};
use sinete_core::identity_providers::connections::{build_provider_key, issuer_from_key};
use sinete_core::identity_providers::identity_resolution as core;
use sinete_core::identity_providers::identity_resolution::{
    ClaimableMembership, ExternalIdentity, IdentityResolution,
};
use sinete_core::identity_providers::oidc::id_token::IdentityProviderClaims;
use sinete_core::organizations::member_profile::MemberProfile;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::access::AccessRefusal;
use sinete_core::refusal::sign_in::SignInRefusal;
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::flows::account::FlowAccount;
use sinete_core::sign_in::flows::purpose::FlowKind;
use sinete_core::sign_in::flows::verified_input::VerifiedFlowInput;
use sinete_store::accounts;
use sinete_store::accounts::AccountRow;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::{ContactKind, NewContact};
use sinete_store::identity_providers::connections;
use sinete_store::identity_providers::connections::ConnectionRow;
use sinete_store::identity_providers::identities;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::{MembershipHolder, NewMembership};
use sinete_store::organizations::roles;
use sinete_store::{GuardedStatement, JsonDocument};
use std::collections::BTreeSet;

/// A user returning from a provider.
#[derive(Clone, Copy)]
pub(crate) struct ProviderIdentity<'a> {
    pub(crate) connection: &'a ConnectionRow,
    pub(crate) claims: &'a IdentityProviderClaims,
}

/// Resolves the identity to a verified input, or a refusal.
pub(crate) async fn resolve_identity(
    engine: &Engine,
    flow: &AuthenticationFlow,
    arrived: ProviderIdentity<'_>,
) -> Result<VerifiedFlowInput, Error> {
    let ProviderIdentity { connection, claims: reported } = arrived;
    let identity = ExternalIdentity {
        provider: build_provider_key(connection.organization, &connection.settings, &connection.issuer),
        subject: reported.subject.clone(),
    };
    let stored = identities::ExternalIdentityKey { provider: &identity.provider, subject: &identity.subject };
    let linked_account = identities::find_identity_account(engine.store(), stored).await?;
    let two = &connection.settings.two_factors;
    let assurance =
        two.map_assurance_level(reported.acr.as_deref(), &reported.amr, reported.auth_time, engine.now());
    let proof = AuthenticationProof::SingleSignOn { assurance, organization: connection.organization };
    if flow.kind() == FlowKind::LinkIdentity {
        return link_identity(engine, flow, identity, linked_account, proof).await;
    }
    let facts = load_facts(engine, arrived, &identity, linked_account, DomainRouting::Usable).await?;
    let admission = match core::resolve_identity(identity, reported, facts) {
        Ok(admission) => admission,
        Err(core::ExternalIdentityRejection::UnknownIdentity) => {
            let in_obstacle = find_obstacle(engine, connection, reported).await?;
            return Err(
                Refusal::because(SignInRefusal::ProviderAccountUnknown, in_obstacle.to_string()).into()
            );
        }
        Err(rejection) => return Err(identity_refused(rejection).into()),
    };
    let flow_account = match linked_account {
        Some(account) => load_flow_account(engine, account).await?,
        None => new_flow_account(AccountId::mint(engine.now(), engine.entropy())),
    };
    Ok(VerifiedFlowInput::IdentityAsserted { person: flow_account, proof, resolution: Box::new(admission) })
}

/// A new account without credentials.
fn new_flow_account(account: AccountId) -> FlowAccount {
    FlowAccount { account, ways: BTreeSet::new(), closed: BTreeSet::new() }
}

/// Links an unlinked identity to the signed-in account.
async fn link_identity(
    engine: &Engine,
    flow: &AuthenticationFlow,
    identity: ExternalIdentity,
    account_id: Option<AccountId>,
    proof: AuthenticationProof,
) -> Result<VerifiedFlowInput, Error> {
    let account = flow.account().unwrap_or(super::verify::NO_ACCOUNT);
    if let Some(owner) = account_id {
        let reason = if owner == account {
            SignInRefusal::IdentityAlreadyLinked
        } else {
            SignInRefusal::IdentityLinkedElsewhere
        };
        return Err(Refusal::because(reason, "the identity is linked to an account").into());
    }
    let flow_account = load_flow_account(engine, account).await?;
    let admission = Box::new(IdentityResolution::Links(identity));
    Ok(VerifiedFlowInput::IdentityAsserted { person: flow_account, proof, resolution: admission })
}

/// The same refusal for every reason.
fn identity_refused(rejection: core::ExternalIdentityRejection) -> Refusal {
    Refusal::because(SignInRefusal::ProviderAccountUnknown, rejection.to_string())
}

/// Lists the linked identities at enabled connections, oldest connection first.
pub(crate) async fn list_usable_identities(
    engine: &Engine,
    account: AccountId,
) -> Result<Vec<(ConnectionRow, ExternalIdentity)>, Failure> {
    let mut usable = Vec::new();
    let member_of = memberships::list_account_memberships(engine.store(), account).await?;
    let is_member = |organization| {
        member_of
            .iter()
            .any(|it| it.organization == organization && it.condition == LifecycleCondition::Enabled)
    };
    for linked in identities::list_account_identities(engine.store(), account).await? {
        let identity = ExternalIdentity { provider: linked.provider, subject: linked.subject };
        let Some((organization, issuer)) = identity.split_provider_key() else { continue };
        if !is_member(organization) {
            continue;
        }
        let connections =
            connections::list_usable_connections(engine.store(), organization, engine.now()).await?;
        let connection_row = connections.into_iter().find(|it| it.provider_key() == issuer);
        usable.extend(connection_row.map(|connection| (connection, identity.clone())));
    }
    Ok(usable)
}

impl FlowTransitionBuilder<'_> {
    /// Applies the decision.
    pub(crate) async fn apply_admission(
        &mut self,
        account: AccountId,
        admission: IdentityResolution,
    ) -> Result<(), Error> {
        match admission {
            IdentityResolution::ExistingMember => {}
            IdentityResolution::ClaimsMembership {
                claimable_membership: membership,
                identity,
                is_newcomer,
            } => {
                if is_newcomer {
                    self.create_account(account, None, None)?;
                }
                self.claim_membership(account, membership, identity).await?;
            }
            IdentityResolution::CreatesAccount { identity, profile, address } => {
                self.create_account(account, Some(&profile), Some(&address))?;
                self.create_membership(account, &identity, &profile).await?;
                self.store_identity(account, identity)?;
            }
            IdentityResolution::Links(identity) => {
                // If the session ended meanwhile, the linking ends with it.
                let live = sinete_store::sign_in::sessions::list_account_sessions(
                    self.engine.store(),
                    account,
                    self.engine.now(),
                );
                if !live.await?.iter().any(|session| Some(session.id) == self.flow.session()) {
                    let over = Refusal::because(AccessRefusal::SessionEnded, "the session is over");
                    return Err(over.into());
                }
                let (organization, issuer) = identity.split_provider_key().ok_or(Failure::Contended)?;
                let issuer = issuer_from_key(issuer).to_owned();
                // The membership may have ended since the redirect.
                let mine =
                    memberships::list_usable_memberships(self.engine.store(), account, self.engine.now())
                        .await?;
                if !mine.iter().any(|it| it.organization == organization) {
                    return Err(identity_refused(core::ExternalIdentityRejection::InactiveMembership).into());
                }
                self.store_identity(account, identity)?;
                self.notify_owner(account, EmailKind::IdentityLinked(&issuer)).await?;
            }
        }
        Ok(())
    }

    /// Creates an account known only through its identity provider.
    fn create_account(
        &mut self,
        account: AccountId,
        profile: Option<&MemberProfile>,
        address: Option<&EmailAddress>,
    ) -> Result<(), Failure> {
        let (engine, now) = (self.engine, self.engine.now());
        let name = profile.and_then(|profile| profile.name.as_ref());
        let claims = match name {
            Some(name) => JsonDocument::from_value(&serde_json::json!({ "name": name.as_str() }))?,
            None => JsonDocument::from_value(&serde_json::json!({}))?,
        };
        let language = self.actor.language.stored_value();
        let contact = address.map(|address| {
            let (id, lookup) = (ContactId::mint(now, engine.entropy()), address.lookup_key());
            let contact = NewContact {
                id,
                account,
                kind: ContactKind::Email,
                address: address.as_str(),
                lookup: &lookup,
                is_primary: true,
                created_at: now,
            };
            contacts::add_contact(&contact)
        });
        let event = self.account_event(EventKind::AccountCreated, account).with_subject("account", account);
        self.extend_batch(|batch| {
            batch
                .with_statement(accounts::create_account(account, Some(language), &claims, now))
                .with_statements(contact)
                .with_event(&event)
        });
        self.created_account = Some(AccountRow {
            id: account,
            condition: LifecycleCondition::Enabled,
            language: None,
            profile: claims,
            epoch: 0,
            created_at: now,
            version: 1,
        });
        Ok(())
    }

    /// Assigns the provisioned membership to the account.
    async fn claim_membership(
        &mut self,
        account: AccountId,
        claimable_membership: ClaimableMembership,
        identity: Option<ExternalIdentity>,
    ) -> Result<(), Failure> {
        let (now, membership) = (self.engine.now(), claimable_membership.membership);
        let organization = memberships::find_membership_organization(self.engine.store(), membership).await?;
        let organization = organization.ok_or(Failure::Contended)?;
        let event = self
            .account_event(EventKind::MembershipClaimed, account)
            .with_organization(organization)
            .with_subject("membership", membership);
        let batch = std::mem::take(&mut self.batch).with_statement(
            memberships::claim_membership_through_connection(claimable_membership, account, now),
        );
        self.batch = with_audit_log_event(batch, &event, organization, "")?;
        identity.map_or(Ok(()), |identity| self.store_identity(account, identity))
    }

    /// Creates a membership with the member role, based on the organization's provider and domain.
    async fn create_membership(
        &mut self,
        account: AccountId,
        identity: &ExternalIdentity,
        profile: &MemberProfile,
    ) -> Result<(), Failure> {
        let (engine, now) = (self.engine, self.engine.now());
        let organization: OrganizationId = identity.split_provider_key().ok_or(Failure::Contended)?.0;
        let all = roles::list_roles(engine.store(), organization).await?;
        let id = MembershipId::mint(now, engine.entropy());
        let profile = JsonDocument::from_value(profile)?;
        let membership = NewMembership {
            id,
            organization,
            holder: &MembershipHolder::User(account),
            profile: &profile,
            external_id: None,
            created_at: now,
        };
        let roles = all.iter().filter(|role| role.role.name() == "member");
        let statements: Vec<GuardedStatement> =
            roles.map(|role| memberships::add_role(id, role.id, now)).collect();
        let event = self
            .account_event(EventKind::MembershipCreated, account)
            .with_organization(organization)
            .with_subject("membership", id);
        let event = event.with_detail("because", "single_sign_on");
        let batch = std::mem::take(&mut self.batch)
            .with_statement(memberships::create_membership(&membership))
            .with_statements(statements);
        self.batch = with_audit_log_event(batch, &event, organization, "")?;
        Ok(())
    }

    /// Stores the identity of the account.
    fn store_identity(&mut self, account: AccountId, identity: ExternalIdentity) -> Result<(), Failure> {
        let now = self.engine.now();
        let (organization, issuer) = identity.split_provider_key().ok_or(Failure::Contended)?;
        let event = self
            .account_event(EventKind::IdentityLinked, account)
            .with_organization(organization)
            .with_subject("account", account)
            .with_detail("issuer", issuer_from_key(issuer));
        let stored =
            identities::ExternalIdentityKey { provider: &identity.provider, subject: &identity.subject };
        let step = identities::link_identity(stored, account, now);
        // Audit logs name memberships; the account is only in the security log.
        self.extend_batch(|batch| batch.with_statement(step).with_event(&event));
        Ok(())
    }
}
