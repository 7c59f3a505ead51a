//! What SAML providers say: each assertion is seen once, and what it says is used once.

use super::{Spendable, World};
use crate::act::Step;
use crate::connections::{self, NewConnection};
use crate::failed::Failed;
use crate::saml_answers::{self, AssertionId, NewAnswer};
use sinete_core::entropy::{Entropy, draw};
use sinete_core::id::{ConnectionId, FlowId, Id};
use sinete_core::provider::connection::{Chosen, Issuer, OpenId, Protocol};
use sinete_core::secret::{Digest, SamlAnswer};

/// A connection of an organization of its own, and a flow that stands before its provider.
fn connected(world: &World, entropy: &dyn Entropy) -> Result<(ConnectionId, FlowId, [Step; 2]), Failed> {
    let (id, organization) = (Id::mint(world.now, entropy), Id::mint(world.now, entropy));
    let open_id = OpenId { client_id: String::new(), authentication: Default::default(), scopes: Vec::new() };
    let chosen = Chosen {
        name: "A".to_owned(),
        two_factors: Default::default(),
        external_id_claim: None,
        protocol: Protocol::OpenId(open_id),
    };
    let issuer = Issuer::entity("urn:provider").map_err(|_| Failed::Damaged("no entity".to_owned()))?;
    let made = connections::add(&NewConnection {
        id,
        organization,
        issuer: &issuer,
        chosen: &chosen,
        sealed_secret: None,
        is_enabled: false,
        created_at: world.now,
    })?;
    Ok((id, Id::mint(world.now, entropy), [world.make_organization(organization)?, made]))
}

fn kept(
    world: &World,
    (connection, flow): (ConnectionId, FlowId),
    digest: &Digest<SamlAnswer>,
    assertion: &Digest<AssertionId>,
) -> Step {
    saml_answers::first_seen(&NewAnswer {
        digest,
        connection,
        flow,
        assertion,
        answer: &world.nothing,
        created_at: world.now,
        expires_at: world.later,
    })
}

pub(super) fn saml_assertion(world: &World, entropy: &dyn Entropy) -> Result<Spendable, Failed> {
    let (connection, flow, made) = connected(world, entropy)?;
    let assertion = Digest::from_bytes(draw(entropy));
    let (nothing, now, later) = (world.nothing.clone(), world.now, world.later);
    Ok(Spendable::new(made, move |entropy| {
        let digest = Digest::from_bytes(draw(entropy));
        let answer = NewAnswer {
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

pub(super) fn saml_answer(world: &World, entropy: &dyn Entropy) -> Result<Spendable, Failed> {
    let (connection, flow, made) = connected(world, entropy)?;
    let digest = Digest::from_bytes(draw(entropy));
    let kept = kept(world, (connection, flow), &digest, &Digest::from_bytes(draw(entropy)));
    let now = world.now;
    Ok(Spendable::new(made.into_iter().chain([kept]), move |_| [saml_answers::spend(&digest, flow, now)]))
}
