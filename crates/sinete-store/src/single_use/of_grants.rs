//! What clients spend: codes, refresh tokens, pushed requests and answers from another device.

use super::{Spendable, World};
use crate::act::Step;
use crate::approval_requests::notices::{self, Due};
use crate::approval_requests::{self, NewApprovalRequest};
use crate::codes::{self, NewCode};
use crate::device_requests::{self, NewDeviceRequest};
use crate::failed::Failed;
use crate::families::{self, NewFamily, Successor};
use crate::grants::{self, Kind, Lifespan, NewGrant};
use crate::pushed_requests::{self, NewPushedRequest};
use sinete_core::authority::scope::Scopes;
use sinete_core::entropy::{Entropy, draw};
use sinete_core::id::{GrantId, Id};
use sinete_core::secret::{
    BackchannelRequest, DeviceCode, Digest, FamilyToken, GrantCode, GrantCodeDigest, Secret,
};
use sinete_core::time::{Lifetime, Timestamp};

pub(super) fn code(world: &World, entropy: &dyn Entropy) -> Result<Spendable, Failed> {
    let (digest, opened) = opened_with_code(world, entropy);
    let (client, now) = (world.client.clone(), world.now);
    Ok(Spendable::new([opened], move |_| [codes::spend(&digest, &client, now)]))
}

pub(super) fn code_that_begins(world: &World, entropy: &dyn Entropy) -> Result<Spendable, Failed> {
    let (digest, opened) = opened_with_code(world, entropy);
    let (client, now, later) = (world.client.clone(), world.now, world.later);
    Ok(Spendable::new([opened], move |entropy| {
        let first = FamilyToken::first(digest.grant, entropy);
        [codes::spend_and_begin(&digest, &client, &family(&first, later), now)]
    }))
}

fn opened_with_code(world: &World, entropy: &dyn Entropy) -> (GrantCodeDigest, Step) {
    let grant = Id::mint(world.now, entropy);
    let digest = GrantCode::mint(grant, entropy).digest();
    let code = NewCode {
        digest: &digest.code,
        redirect_uri: "http://127.0.0.1/callback",
        challenge: draw(entropy),
        request: &world.nothing,
        expires_at: world.later,
    };
    (digest, grants::open_with_code(&world.grant(grant, Kind::Code), &code, None))
}

/// The refresh tokens that this is the first of.
fn family(first: &FamilyToken, later: Timestamp) -> NewFamily {
    NewFamily {
        first: first.digests(),
        audience: "https://api.example".to_owned(),
        scope: Scopes::default(),
        confirmation: None,
        idle_expires_at: later,
        expires_at: later,
    }
}

pub(super) fn first_refresh_token(world: &World, entropy: &dyn Entropy) -> Result<Spendable, Failed> {
    let grant = Id::mint(world.now, entropy);
    let setup = [world.open_grant(grant, Kind::Device)];
    let (client, now, later) = (world.client.clone(), world.now, world.later);
    Ok(Spendable::new(setup, move |entropy| {
        let first = FamilyToken::first(grant, entropy);
        [families::begin(&family(&first, later), &client, now)]
    }))
}

pub(super) fn refresh_token(world: &World, entropy: &dyn Entropy) -> Result<Spendable, Failed> {
    let grant = Id::mint(world.now, entropy);
    let token = FamilyToken::first(grant, entropy);
    // It was handed out a moment ago, when there was time left for it.
    let before = world.now.minus(Lifetime::from_micros(1));
    let begun = families::begin(&family(&token, world.later), &world.client, before);
    let setup = [world.open_grant(grant, Kind::Code), begun];
    let (client, now, later) = (world.client.clone(), world.now, world.later);
    Ok(Spendable::new(setup, move |entropy| {
        let next = token.successor(entropy).digests();
        let successor = Successor { digest: &next.token, idle_expires_at: later };
        [families::rotate(&token.digests(), &client, &successor, now)]
    }))
}

pub(super) fn pushed_request(world: &World, entropy: &dyn Entropy) -> Result<Spendable, Failed> {
    let digest = Secret::mint(entropy).digest();
    let setup = [pushed_requests::push(&NewPushedRequest {
        digest: &digest,
        client: &world.client,
        request: &world.nothing,
        created_at: world.now,
        expires_at: world.later,
    })];
    let (client, now) = (world.client.clone(), world.now);
    Ok(Spendable::new(setup, move |_| [pushed_requests::take(&digest, &client, now)]))
}

fn start_device(world: &World, digest: &Digest<DeviceCode>, entropy: &dyn Entropy) -> Step {
    device_requests::start(&NewDeviceRequest {
        digest,
        user_code: &Digest::from_bytes(draw(entropy)),
        client: &world.client,
        request: &world.nothing,
        poll_interval: Lifetime::from_seconds(5),
        created_at: world.now,
        expires_at: world.later,
    })
}

pub(super) fn device_to_approve(world: &World, entropy: &dyn Entropy) -> Result<Spendable, Failed> {
    let digest = Secret::mint(entropy).digest();
    let setup = [start_device(world, &digest, entropy)];
    let (now, open) = (world.now, opener(world, Kind::Device));
    Ok(Spendable::new(setup, move |entropy| {
        let grant = Id::mint(now, entropy);
        [open(grant), device_requests::approve(&digest, grant, now)]
    }))
}

pub(super) fn device_to_deny(world: &World, entropy: &dyn Entropy) -> Result<Spendable, Failed> {
    let (digest, now) = (Secret::mint(entropy).digest(), world.now);
    let setup = [start_device(world, &digest, entropy)];
    Ok(Spendable::new(setup, move |_| [device_requests::deny(&digest, now)]))
}

pub(super) fn device_to_spend(world: &World, entropy: &dyn Entropy) -> Result<Spendable, Failed> {
    let (grant, digest) = (Id::mint(world.now, entropy), Secret::mint(entropy).digest());
    let setup = [
        start_device(world, &digest, entropy),
        world.open_grant(grant, Kind::Device),
        device_requests::approve(&digest, grant, world.now),
    ];
    let (client, now) = (world.client.clone(), world.now);
    Ok(Spendable::new(setup, move |_| [device_requests::spend(&digest, &client, now)]))
}

fn start_approval(world: &World, digest: &Digest<BackchannelRequest>, entropy: &dyn Entropy) -> Step {
    approval_requests::start(&NewApprovalRequest {
        digest,
        id: Id::mint(world.now, entropy),
        client: &world.client,
        account: Some(world.account),
        asked_of: &Digest::from_bytes(draw(entropy)),
        request: &world.nothing,
        sealed_notice: None,
        poll_interval: Lifetime::from_seconds(5),
        created_at: world.now,
        expires_at: world.later,
    })
}

pub(super) fn approval_to_approve(world: &World, entropy: &dyn Entropy) -> Result<Spendable, Failed> {
    let digest = Secret::mint(entropy).digest();
    let setup = [start_approval(world, &digest, entropy)];
    let (now, open) = (world.now, opener(world, Kind::Backchannel));
    Ok(Spendable::new(setup, move |entropy| {
        let grant = Id::mint(now, entropy);
        [open(grant), approval_requests::approve(&digest, grant, now)]
    }))
}

pub(super) fn approval_to_deny(world: &World, entropy: &dyn Entropy) -> Result<Spendable, Failed> {
    let digest = Secret::mint(entropy).digest();
    let (account, now) = (world.account, world.now);
    let setup = [start_approval(world, &digest, entropy)];
    Ok(Spendable::new(setup, move |_| [approval_requests::deny(&digest, account, now)]))
}

pub(super) fn approval_to_spend(world: &World, entropy: &dyn Entropy) -> Result<Spendable, Failed> {
    let (grant, digest) = (Id::mint(world.now, entropy), Secret::mint(entropy).digest());
    let setup = [
        start_approval(world, &digest, entropy),
        world.open_grant(grant, Kind::Backchannel),
        approval_requests::approve(&digest, grant, world.now),
    ];
    let (client, now) = (world.client.clone(), world.now);
    Ok(Spendable::new(setup, move |_| [approval_requests::spend(&digest, &client, now)]))
}

pub(super) fn approval_notice_to_claim(world: &World, entropy: &dyn Entropy) -> Result<Spendable, Failed> {
    let (id, digest) = (Id::mint(world.now, entropy), Secret::mint(entropy).digest());
    let request = NewApprovalRequest {
        digest: &digest,
        id,
        client: &world.client,
        account: Some(world.account),
        asked_of: &Digest::from_bytes(draw(entropy)),
        request: &world.nothing,
        sealed_notice: Some(b"sealed"),
        poll_interval: Lifetime::from_seconds(5),
        created_at: world.now,
        expires_at: world.now.plus(Lifetime::from_hours(1)),
    };
    let setup =
        [approval_requests::start(&request), approval_requests::deny(&digest, world.account, world.now)];
    let (client, now) = (world.client.clone(), world.now);
    let sealed = b"sealed".to_vec();
    let due = Due { id, client, sealed, due_at: now, attempts: 0, expires_at: world.later };
    Ok(Spendable::new(setup, move |_| [notices::claim(&due, now.plus(Lifetime::from_seconds(30)))]))
}

/// Opens a grant of a racer's own: approving is giving one.
fn opener(world: &World, kind: Kind) -> impl Fn(GrantId) -> Step + Send + Sync + use<> {
    let (membership, session) = (world.membership, world.session);
    let (client, nothing) = (world.client.clone(), world.nothing.clone());
    let (now, later) = (world.now, world.later);
    move |id| {
        grants::open(&NewGrant {
            id,
            kind,
            membership,
            account_epoch: 0,
            client: &client,
            session,
            lifespan: Lifespan::Own,
            scopes: &nothing,
            details: &nothing,
            authentication: &nothing,
            created_at: now,
            expires_at: later,
        })
    }
}
