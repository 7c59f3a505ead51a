//! What arrives or leaves once: assertions, repeated requests and messages.

use super::{Spendable, World};
use crate::assertion_replays;
use crate::failed::Failed;
use crate::idempotency_keys::{self, Key};
use crate::outbox::{self, Channel, NewMessage, Waiting};
use sinete_core::entropy::{Entropy, draw};
use sinete_core::id::Id;
use sinete_core::secret::Digest;

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
