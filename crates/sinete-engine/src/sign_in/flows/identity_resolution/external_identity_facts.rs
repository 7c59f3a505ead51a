//! Loads the facts about an external identity: its account, memberships and domain.

use super::ProviderIdentity;
use crate::organizations::{domains, former_members};
use crate::{Engine, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::id::AccountId;
use sinete_core::identity_providers::identity_resolution::{
    ClaimableMembership, ExternalIdentity, ExternalIdentityFacts,
};
use sinete_core::identity_providers::owner_confirmation::OwnerConfirmation;
use sinete_core::limits::CONNECTIONS_PER_ORGANIZATION_MAX;
use sinete_store::accounts;
use sinete_store::identity_providers::connections;
use sinete_store::identity_providers::connections::ConnectionRow;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::ProvisionedMembership;

/// Which connections a domain can be routed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sign_in::flows) enum DomainRouting {
    /// Those that users can sign in through now.
    Usable,
    /// Also those that are not enabled yet, for a test.
    Configured,
}

/// Loads the facts that the decision depends on.
pub(in crate::sign_in::flows) async fn load_facts(
    engine: &Engine,
    arrived: ProviderIdentity<'_>,
    identity: &ExternalIdentity,
    account_id: Option<AccountId>,
    routing: DomainRouting,
) -> Result<ExternalIdentityFacts, Failure> {
    let ProviderIdentity { connection, claims: reported } = arrived;
    let (store, organization) = (engine.store(), connection.organization);
    let account = match account_id {
        Some(id) => {
            let account_row = accounts::find_account(store, id).await?;
            Some((id, account_row.map_or(LifecycleCondition::Ended, |account| account.condition)))
        }
        None => None,
    };
    let membership = match account_id {
        Some(id) => {
            let all = memberships::list_account_memberships(store, id).await?;
            all.into_iter().find(|it| it.organization == organization).map(|it| it.condition)
        }
        None => None,
    };
    let provisioned = match &reported.external_id {
        Some(external) if is_directory_provider(engine, connection).await? => {
            memberships::find_provisioned_membership(store, organization, external).await?
        }
        Some(_) | None => None,
    };
    let (claimable_membership, is_taken) = match (provisioned, connection.confirmation) {
        (Some(ProvisionedMembership::Claimable(membership)), OwnerConfirmation::Confirmed) => {
            (Some(ClaimableMembership { membership, connection: connection.id }), false)
        }
        // The provisioned membership is unclaimed, and this connection may not claim it.
        (Some(ProvisionedMembership::Claimable(_)), OwnerConfirmation::Missing)
        | (Some(ProvisionedMembership::Unavailable), _) => (None, true),
        (None, _) => (None, false),
    };
    let is_vouched_for = match &reported.verified_email {
        // An address counts only through the connection that its domain is routed to.
        Some(address) => {
            is_routed_to(engine, connection, address.domain(), routing).await?
                && domains::is_verified_address(engine, organization, address).await?
        }
        None => false,
    };
    let was_removed = account_id.is_none()
        && former_members::is_former_member(engine, organization, identity, reported).await?;
    Ok(ExternalIdentityFacts {
        account,
        membership,
        claimable_membership,
        is_claim_blocked: is_taken,
        was_removed,
        is_email_in_verified_domain: is_vouched_for,
    })
}

/// Whether the domain is routed to this connection.
async fn is_routed_to(
    engine: &Engine,
    connection: &ConnectionRow,
    domain: &str,
    routing: DomainRouting,
) -> Result<bool, Failure> {
    Ok(match routing {
        DomainRouting::Usable => {
            let connection_row =
                connections::find_connection_by_domain(engine.store(), domain, engine.now()).await?;
            connection_row.is_some_and(|it| it.id == connection.id)
        }
        DomainRouting::Configured => {
            let routed = connections::list_connection_domains(engine.store(), connection.id).await?;
            routed.iter().any(|it| it.as_str() == domain)
        }
    })
}

/// Whether this connection claims provisioned memberships: only if no other connection of the organization
/// does. Another provider, such as a partner's, could assert any value.
async fn is_directory_provider(engine: &Engine, connection: &ConnectionRow) -> Result<bool, Failure> {
    let all = connections::list_connections(
        engine.store(),
        connection.organization,
        None,
        CONNECTIONS_PER_ORGANIZATION_MAX,
    )
    .await?;
    Ok(all.iter().filter(|it| it.settings.external_id_claim.is_some()).all(|it| it.id == connection.id))
}
