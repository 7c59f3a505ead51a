//! Single-use statements about assertions, idempotent requests, messages and events.

use super::{SingleUseFixture, SpendableItem};
use crate::events::webhooks;
use crate::events::webhooks::delivery;
use crate::events::webhooks::delivery::WebhookClaim;
use crate::events::webhooks::{NewWebhook, WebhookSettings};
use crate::failure::StoreFailure;
use crate::oauth::assertion_replays;
use crate::platform::idempotency;
use crate::platform::idempotency::CallerIdempotencyKey;
use crate::platform::outbox;
use crate::platform::outbox::{MessageChannel, NewOutboxMessage, PendingMessage};
use sinete_core::entropy::{Entropy, draw_bytes};
use sinete_core::events::webhooks::{EventKindFilter, PlainHttpPolicy, WebhookUrl};
use sinete_core::id::Id;
use sinete_core::secret::Digest;

pub(super) fn prepare_client_assertion(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let digest = Digest::from_bytes(draw_bytes(entropy));
    let (client, later) = (world.client.clone(), world.expires_at);
    Ok(SpendableItem::new([], move |_| [assertion_replays::record_assertion(&client, &digest, later)]))
}

pub(super) fn prepare_idempotency_key(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let digest = Digest::from_bytes(draw_bytes(entropy));
    let caller = format!("client {}", world.client);
    let (now, later) = (world.now, world.expires_at);
    Ok(SpendableItem::new([], move |entropy| {
        let key = CallerIdempotencyKey { caller: &caller, digest: &digest };
        [idempotency::claim_idempotency_key(
            key,
            &Digest::from_bytes(draw_bytes(entropy)),
            "role 1",
            now,
            later,
        )]
    }))
}

pub(super) fn prepare_outbox_message(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let id = Id::mint(world.now, entropy);
    let encrypted_message: [u8; 32] = draw_bytes(entropy);
    let setup = [outbox::enqueue_message(&NewOutboxMessage {
        id,
        channel: MessageChannel::Email,
        kind: "invitation",
        ciphertext: &encrypted_message,
        created_at: world.now,
        expires_at: world.expires_at,
    })];
    let message = PendingMessage {
        id,
        channel: MessageChannel::Email,
        ciphertext: encrypted_message.to_vec(),
        attempts: 0,
    };
    let (now, later) = (world.now, world.expires_at);
    Ok(SpendableItem::new(setup, move |_| [outbox::claim_message(&message, now, later)]))
}

pub(super) fn prepare_webhook_claim(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (id, organization) = (Id::mint(world.now, entropy), Id::mint(world.now, entropy));
    let address = WebhookUrl::parse("https://example.com/events", PlainHttpPolicy::Refused);
    let address = address.map_err(|webhook_url| StoreFailure::Other(webhook_url.to_string()))?;
    let new = NewWebhook {
        id,
        organization: Some(organization),
        settings: WebhookSettings { address: &address, description: "", kinds: &EventKindFilter::default() },
        sealed_secret: &[7; 32],
        created_at: world.now,
    };
    // A new organization, because each may have only a few webhooks. The webhook starts before the first
    // position, so that it has events to deliver.
    let setup = [
        world.create_organization(organization)?,
        webhooks::create_webhook(&new)?,
        webhooks::replay_webhook(id, -1, world.now),
    ];
    let claim = WebhookClaim { webhook: id, until: world.expires_at };
    let now = world.now;
    Ok(SpendableItem::new(setup, move |_| [delivery::claim_webhook(claim, now)]))
}
