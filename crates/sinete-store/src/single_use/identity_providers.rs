//! Single-use statements about SAML responses: each assertion is accepted once and used once.

use super::{SingleUseFixture, SpendableItem};
use crate::accounts;
use crate::failure::StoreFailure;
use crate::identity_providers::connections;
use crate::identity_providers::connections::NewConnection;
use crate::identity_providers::saml_responses;
use crate::identity_providers::saml_responses::{NewSamlResponse, SamlAssertionId};
use crate::organizations::memberships;
use crate::organizations::memberships::{MembershipHolder, NewMembership};
use crate::write_batch::GuardedStatement;
use sinete_core::entropy::{Entropy, draw_bytes};
use sinete_core::id::{ConnectionId, FlowId, Id, OrganizationId};
use sinete_core::identity_providers::connections::{
    ConnectionProtocol, ConnectionSettings, IdentityProviderIssuer, OidcConnectionSettings,
};
use sinete_core::identity_providers::identity_resolution::ClaimableMembership;
use sinete_core::identity_providers::owner_confirmation::OwnerConfirmation;
use sinete_core::secret::{Digest, SamlAnswer};

/// A connection in its own organization, and a flow that waits for its provider.
fn prepare_connection(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<(ConnectionId, FlowId, [GuardedStatement; 2]), StoreFailure> {
    let (id, statements) = create_confirmed_connection(world, Id::mint(world.now, entropy), entropy)?;
    Ok((id, Id::mint(world.now, entropy), statements))
}

/// An organization with a connection that an owner confirmed.
fn create_confirmed_connection(
    world: &SingleUseFixture,
    organization: OrganizationId,
    entropy: &dyn Entropy,
) -> Result<(ConnectionId, [GuardedStatement; 2]), StoreFailure> {
    let id = Id::mint(world.now, entropy);
    let open_id = OidcConnectionSettings {
        client_id: String::new(),
        authentication: Default::default(),
        scopes: Vec::new(),
    };
    let settings = ConnectionSettings {
        name: "A".to_owned(),
        two_factors: Default::default(),
        external_id_claim: None,
        protocol: ConnectionProtocol::OpenId(open_id),
    };
    let issuer = IdentityProviderIssuer::parse_entity_id("urn:provider")
        .map_err(|_| StoreFailure::Damaged("no entity".to_owned()))?;
    let statement = connections::create_connection(&NewConnection {
        id,
        organization,
        issuer: &issuer,
        settings: &settings,
        sealed_secret: None,
        is_enabled: true,
        confirmation: OwnerConfirmation::Confirmed,
        created_at: world.now,
    })?;
    Ok((id, [world.create_organization(organization)?, statement]))
}

pub(super) fn membership_to_claim(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (organization, membership) = (Id::mint(world.now, entropy), Id::mint(world.now, entropy));
    let (connection, statements) = create_confirmed_connection(world, organization, entropy)?;
    let statement = memberships::create_membership(&NewMembership {
        id: membership,
        organization,
        holder: &MembershipHolder::Unclaimed,
        profile: &world.empty_document,
        external_id: Some("7"),
        created_at: world.now,
    });
    let (now, nothing) = (world.now, world.empty_document.clone());
    Ok(SpendableItem::new(statements.into_iter().chain([statement]), move |entropy| {
        let (account, claimable_membership) =
            (Id::mint(now, entropy), ClaimableMembership { membership, connection });
        [
            accounts::create_account(account, None, &nothing, now),
            memberships::claim_membership_through_connection(claimable_membership, account, now),
        ]
    }))
}

fn store_response(
    world: &SingleUseFixture,
    connection: ConnectionId,
    flow: FlowId,
    digest: &Digest<SamlAnswer>,
    assertion: &Digest<SamlAssertionId>,
) -> GuardedStatement {
    saml_responses::store_saml_response(&NewSamlResponse {
        digest,
        connection,
        flow,
        assertion,
        answer: &world.empty_document,
        created_at: world.now,
        expires_at: world.expires_at,
    })
}

pub(super) fn prepare_saml_assertion(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (connection, flow, statements) = prepare_connection(world, entropy)?;
    let assertion = Digest::from_bytes(draw_bytes(entropy));
    let (nothing, now, later) = (world.empty_document.clone(), world.now, world.expires_at);
    Ok(SpendableItem::new(statements, move |entropy| {
        let digest = Digest::from_bytes(draw_bytes(entropy));
        let answer = NewSamlResponse {
            digest: &digest,
            connection,
            flow,
            assertion: &assertion,
            answer: &nothing,
            created_at: now,
            expires_at: later,
        };
        [saml_responses::store_saml_response(&answer)]
    }))
}

pub(super) fn prepare_saml_response(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (connection, flow, statements) = prepare_connection(world, entropy)?;
    let digest = Digest::from_bytes(draw_bytes(entropy));
    let statement =
        store_response(world, connection, flow, &digest, &Digest::from_bytes(draw_bytes(entropy)));
    let now = world.now;
    Ok(SpendableItem::new(statements.into_iter().chain([statement]), move |_| {
        [saml_responses::consume_saml_response(&digest, flow, now)]
    }))
}
