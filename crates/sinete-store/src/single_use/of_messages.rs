//! What arrives or leaves once: assertions, repeated requests, messages and events.

use super::{Spendable, World};
use crate::assertion_replays;
use crate::failed::Failed;
use crate::idempotency_keys::{self, Key};
use crate::outbox::{self, Channel, NewMessage, Waiting};
use crate::webhooks::telling::{self, Claim};
use crate::webhooks::{self, Chosen, NewWebhook};
use sinete_core::entropy::{Entropy, draw};
use sinete_core::id::Id;
use sinete_core::secret::Digest;
use sinete_core::webhook::{Address, Kinds, PlainHttp};

pub(super) fn assertion(world: &World, entropy: &dyn Entropy) -> Result<Spendable, Failed> {
    let digest = Digest::from_bytes(draw(entropy));
    let (client, later) = (world.client.clone(), world.later);
    Ok(Spendable::new([], move |_| [assertion_replays::first_seen(&client, &digest, later)]))
}

pub(super) fn idempotency_key(world: &World, entropy: &dyn Entropy) -> Result<Spendable, Failed> {
    let digest = Digest::from_bytes(draw(entropy));
    let caller = format!("client {}", world.client);
    let (now, later) = (world.now, world.later);
    Ok(Spendable::new([], move |entropy| {
        let key = Key { caller: &caller, digest: &digest };
        [idempotency_keys::claim(key, &Digest::from_bytes(draw(entropy)), "role 1", now, later)]
    }))
}

pub(super) fn message(world: &World, entropy: &dyn Entropy) -> Result<Spendable, Failed> {
    let id = Id::mint(world.now, entropy);
    let sealed: [u8; 32] = draw(entropy);
    let setup = [outbox::put(&NewMessage {
        id,
        channel: Channel::Mail,
        kind: "invitation",
        sealed: &sealed,
        created_at: world.now,
        expires_at: world.later,
    })];
    let waiting = Waiting { id, channel: Channel::Mail, sealed: sealed.to_vec(), attempts: 0 };
    let (now, later) = (world.now, world.later);
    Ok(Spendable::new(setup, move |_| [outbox::claim(&waiting, now, later)]))
}

pub(super) fn webhook(world: &World, entropy: &dyn Entropy) -> Result<Spendable, Failed> {
    let (id, organization) = (Id::mint(world.now, entropy), Id::mint(world.now, entropy));
    let address = Address::parse("https://example.com/events", PlainHttp::Refused);
    let address = address.map_err(|why| Failed::Other(why.to_string()))?;
    let new = NewWebhook {
        id,
        organization: Some(organization),
        chosen: Chosen { address: &address, description: "", kinds: &Kinds::default() },
        sealed_secret: &[7; 32],
        created_at: world.now,
    };
    // An organization has room for a few only. And it has to be told something: what comes after the place before all
    // places.
    let setup =
        [world.make_organization(organization)?, webhooks::add(&new)?, webhooks::replay(id, -1, world.now)];
    let claim = Claim { webhook: id, until: world.later };
    let now = world.now;
    Ok(Spendable::new(setup, move |_| [telling::claim(claim, now)]))
}
