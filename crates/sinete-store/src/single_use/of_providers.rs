//! What SAML providers say: each assertion is seen once, and what it says is used once.

use super::{SingleUseFixture, SpendableItem};
use crate::accounts;
use crate::act::GuardedStatement;
use crate::connections::{self, NewConnection};
use crate::failed::StoreFailure;
use crate::memberships::{self, MembershipHolder, NewMembership};
use crate::saml_answers::{self, NewSamlResponse, SamlAssertionId};
use sinete_core::entropy::{Entropy, draw};
use sinete_core::flow::credential::single_sign_on::WaitingMembership;
use sinete_core::id::{ConnectionId, FlowId, Id, OrganizationId};
use sinete_core::provider::confirmation::OwnerConfirmation;
use sinete_core::provider::connection::{
    ConnectionProtocol, ConnectionSettings, IdentityProviderIssuer, OidcConnectionSettings,
};
use sinete_core::secret::{Digest, SamlAnswer};

/// A connection of an organization of its own, and a flow that stands before its provider.
fn connected(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<(ConnectionId, FlowId, [GuardedStatement; 2]), StoreFailure> {
    let (id, made) = connect(world, Id::mint(world.now, entropy), entropy)?;
    Ok((id, Id::mint(world.now, entropy), made))
}

/// An organization, and a connection of it that an owner confirmed.
fn connect(
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
    let chosen = ConnectionSettings {
        name: "A".to_owned(),
        two_factors: Default::default(),
        external_id_claim: None,
        protocol: ConnectionProtocol::OpenId(open_id),
    };
    let issuer = IdentityProviderIssuer::entity("urn:provider")
        .map_err(|_| StoreFailure::Damaged("no entity".to_owned()))?;
    let made = connections::add(&NewConnection {
        id,
        organization,
        issuer: &issuer,
        chosen: &chosen,
        sealed_secret: None,
        is_enabled: true,
        confirmation: OwnerConfirmation::Confirmed,
        created_at: world.now,
    })?;
    Ok((id, [world.make_organization(organization)?, made]))
}

pub(super) fn membership_to_claim(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (organization, membership) = (Id::mint(world.now, entropy), Id::mint(world.now, entropy));
    let (connection, made) = connect(world, organization, entropy)?;
    let place = memberships::create(&NewMembership {
        id: membership,
        organization,
        holder: &MembershipHolder::Nobody,
        profile: &world.nothing,
        external_id: Some("7"),
        created_at: world.now,
    });
    let (now, nothing) = (world.now, world.nothing.clone());
    Ok(SpendableItem::new(made.into_iter().chain([place]), move |entropy| {
        let (account, waiting) = (Id::mint(now, entropy), WaitingMembership { membership, connection });
        [accounts::create(account, None, &nothing, now), memberships::claim_through(waiting, account, now)]
    }))
}

fn kept(
    world: &SingleUseFixture,
    (connection, flow): (ConnectionId, FlowId),
    digest: &Digest<SamlAnswer>,
    assertion: &Digest<SamlAssertionId>,
) -> GuardedStatement {
    saml_answers::first_seen(&NewSamlResponse {
        digest,
        connection,
        flow,
        assertion,
        answer: &world.nothing,
        created_at: world.now,
        expires_at: world.later,
    })
}

pub(super) fn saml_assertion(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (connection, flow, made) = connected(world, entropy)?;
    let assertion = Digest::from_bytes(draw(entropy));
    let (nothing, now, later) = (world.nothing.clone(), world.now, world.later);
    Ok(SpendableItem::new(made, move |entropy| {
        let digest = Digest::from_bytes(draw(entropy));
        let answer = NewSamlResponse {
            digest: &digest,
            connection,
            flow,
            assertion: &assertion,
            answer: &nothing,
            created_at: now,
            expires_at: later,
        };
        [saml_answers::first_seen(&answer)]
    }))
}

pub(super) fn saml_answer(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (connection, flow, made) = connected(world, entropy)?;
    let digest = Digest::from_bytes(draw(entropy));
    let kept = kept(world, (connection, flow), &digest, &Digest::from_bytes(draw(entropy)));
    let now = world.now;
    Ok(SpendableItem::new(made.into_iter().chain([kept]), move |_| [saml_answers::spend(&digest, flow, now)]))
}
