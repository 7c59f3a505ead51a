//! Single-use statements of clients: authorization codes, refresh tokens, pushed requests and answers from
//! another device.

use super::{SingleUseFixture, SpendableItem};
use crate::failure::StoreFailure;
use crate::oauth::authorization_codes;
use crate::oauth::authorization_codes::NewAuthorizationCode;
use crate::oauth::ciba_requests;
use crate::oauth::ciba_requests::NewCibaRequest;
use crate::oauth::ciba_requests::notifications;
use crate::oauth::ciba_requests::notifications::DueCibaNotification;
use crate::oauth::deferred_grants;
use crate::oauth::device_authorizations;
use crate::oauth::device_authorizations::NewDeviceAuthorization;
use crate::oauth::grants;
use crate::oauth::grants::{GrantLifespan, NewGrant, StoredGrantKind};
use crate::oauth::par;
use crate::oauth::par::NewPushedRequest;
use crate::oauth::refresh_tokens;
use crate::oauth::refresh_tokens::{NewRefreshFamily, SuccessorRefreshToken};
use crate::write_batch::GuardedStatement;
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::entropy::{Entropy, draw_bytes};
use sinete_core::id::{GrantId, Id};
use sinete_core::secret::{
    AuthorizationCodeDigest, AuthorizationCodeSecret, BackchannelRequest, DeviceCode, Digest,
    RefreshTokenSecret, Secret,
};
use sinete_core::time::{Lifetime, Timestamp};

pub(super) fn prepare_authorization_code(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (digest, opened) = opened_with_code(world, entropy);
    let (client, now) = (world.client.clone(), world.now);
    Ok(SpendableItem::new([opened], move |_| {
        [authorization_codes::redeem_authorization_code(&digest, &client, now)]
    }))
}

pub(super) fn prepare_code_with_refresh_token(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (digest, opened) = opened_with_code(world, entropy);
    let (client, now, later) = (world.client.clone(), world.now, world.expires_at);
    Ok(SpendableItem::new([opened], move |entropy| {
        let first = RefreshTokenSecret::mint_first(digest.grant, entropy);
        [authorization_codes::redeem_code_with_refresh_token(
            &digest,
            &client,
            &build_family(&first, later),
            now,
        )]
    }))
}

fn opened_with_code(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> (AuthorizationCodeDigest, GuardedStatement) {
    let grant = Id::mint(world.now, entropy);
    let digest = AuthorizationCodeSecret::mint(grant, entropy).digest();
    let code = NewAuthorizationCode {
        digest: &digest.code,
        redirect_uri: "http://127.0.0.1/callback",
        challenge: draw_bytes(entropy),
        request: &world.empty_document,
        expires_at: world.expires_at,
    };
    (digest, grants::open_grant_with_code(&world.new_grant(grant, StoredGrantKind::Code), &code, None))
}

/// The refresh token family that starts with this token.
fn build_family(first: &RefreshTokenSecret, later: Timestamp) -> NewRefreshFamily {
    NewRefreshFamily {
        first: first.digests(),
        audience: "https://api.example".to_owned(),
        scope: ScopeSet::default(),
        confirmation: None,
        idle_expires_at: later,
        expires_at: later,
    }
}

pub(super) fn prepare_first_refresh_token(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let grant = Id::mint(world.now, entropy);
    let setup = [world.open_grant(grant, StoredGrantKind::Device)];
    let (client, now, later) = (world.client.clone(), world.now, world.expires_at);
    Ok(SpendableItem::new(setup, move |entropy| {
        let first = RefreshTokenSecret::mint_first(grant, entropy);
        [refresh_tokens::start_refresh_family(&build_family(&first, later), &client, now)]
    }))
}

pub(super) fn prepare_refresh_token(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let grant = Id::mint(world.now, entropy);
    let token = RefreshTokenSecret::mint_first(grant, entropy);
    // It was issued a moment ago, before its expiry.
    let before = world.now.minus(Lifetime::from_micros(1));
    let statement =
        refresh_tokens::start_refresh_family(&build_family(&token, world.expires_at), &world.client, before);
    let setup = [world.open_grant(grant, StoredGrantKind::Code), statement];
    let (client, now, later) = (world.client.clone(), world.now, world.expires_at);
    Ok(SpendableItem::new(setup, move |entropy| {
        let next = token.mint_successor(entropy).digests();
        let successor = SuccessorRefreshToken { digest: &next.token, idle_expires_at: later };
        [refresh_tokens::rotate_refresh_token(&token.digests(), &client, &successor, now)]
    }))
}

pub(super) fn prepare_pushed_request(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let digest = Secret::mint(entropy).digest();
    let setup = [par::store_pushed_request(&NewPushedRequest {
        digest: &digest,
        client: &world.client,
        request: &world.empty_document,
        created_at: world.now,
        expires_at: world.expires_at,
    })];
    let (client, now) = (world.client.clone(), world.now);
    Ok(SpendableItem::new(setup, move |_| [par::consume_pushed_request(&digest, &client, now)]))
}

fn start_device(
    world: &SingleUseFixture,
    digest: &Digest<DeviceCode>,
    entropy: &dyn Entropy,
) -> GuardedStatement {
    device_authorizations::create_device_authorization(&NewDeviceAuthorization {
        digest,
        user_code: &Digest::from_bytes(draw_bytes(entropy)),
        client: &world.client,
        request: &world.empty_document,
        poll_interval: Lifetime::from_seconds(5),
        created_at: world.now,
        expires_at: world.expires_at,
    })
}

pub(super) fn prepare_device_approval(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let digest = Secret::mint(entropy).digest();
    let setup = [start_device(world, &digest, entropy)];
    let (now, open) = (world.now, grant_opener(world, StoredGrantKind::Device));
    Ok(SpendableItem::new(setup, move |entropy| {
        let grant = Id::mint(now, entropy);
        [open(grant), deferred_grants::approve_deferred_grant(&digest, grant, now)]
    }))
}

pub(super) fn prepare_device_denial(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (digest, now) = (Secret::mint(entropy).digest(), world.now);
    let setup = [start_device(world, &digest, entropy)];
    Ok(SpendableItem::new(setup, move |_| [deferred_grants::deny_deferred_grant(&digest, None, now)]))
}

pub(super) fn prepare_device_redemption(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (grant, digest) = (Id::mint(world.now, entropy), Secret::mint(entropy).digest());
    let setup = [
        start_device(world, &digest, entropy),
        world.open_grant(grant, StoredGrantKind::Device),
        deferred_grants::approve_deferred_grant(&digest, grant, world.now),
    ];
    let (client, now) = (world.client.clone(), world.now);
    Ok(SpendableItem::new(setup, move |_| [deferred_grants::redeem_deferred_grant(&digest, &client, now)]))
}

fn start_approval(
    world: &SingleUseFixture,
    digest: &Digest<BackchannelRequest>,
    entropy: &dyn Entropy,
) -> GuardedStatement {
    ciba_requests::create_ciba_request(&NewCibaRequest {
        digest,
        id: Id::mint(world.now, entropy),
        client: &world.client,
        account: Some(world.account),
        organization: None,
        hinted_user: &Digest::from_bytes(draw_bytes(entropy)),
        request: &world.empty_document,
        sealed_notice: None,
        poll_interval: Lifetime::from_seconds(5),
        created_at: world.now,
        expires_at: world.expires_at,
    })
}

pub(super) fn prepare_ciba_approval(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let digest = Secret::mint(entropy).digest();
    let setup = [start_approval(world, &digest, entropy)];
    let (now, open) = (world.now, grant_opener(world, StoredGrantKind::Backchannel));
    Ok(SpendableItem::new(setup, move |entropy| {
        let grant = Id::mint(now, entropy);
        [open(grant), deferred_grants::approve_deferred_grant(&digest, grant, now)]
    }))
}

pub(super) fn prepare_ciba_denial(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let digest = Secret::mint(entropy).digest();
    let (account, now) = (world.account, world.now);
    let setup = [start_approval(world, &digest, entropy)];
    Ok(SpendableItem::new(setup, move |_| {
        [deferred_grants::deny_deferred_grant(&digest, Some(account), now)]
    }))
}

pub(super) fn prepare_ciba_redemption(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (grant, digest) = (Id::mint(world.now, entropy), Secret::mint(entropy).digest());
    let setup = [
        start_approval(world, &digest, entropy),
        world.open_grant(grant, StoredGrantKind::Backchannel),
        deferred_grants::approve_deferred_grant(&digest, grant, world.now),
    ];
    let (client, now) = (world.client.clone(), world.now);
    Ok(SpendableItem::new(setup, move |_| [deferred_grants::redeem_deferred_grant(&digest, &client, now)]))
}

pub(super) fn prepare_ciba_notification(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (id, digest) = (Id::mint(world.now, entropy), Secret::mint(entropy).digest());
    let request = NewCibaRequest {
        digest: &digest,
        id,
        client: &world.client,
        account: Some(world.account),
        organization: None,
        hinted_user: &Digest::from_bytes(draw_bytes(entropy)),
        request: &world.empty_document,
        sealed_notice: Some(b"sealed"),
        poll_interval: Lifetime::from_seconds(5),
        created_at: world.now,
        expires_at: world.now.plus(Lifetime::from_hours(1)),
    };
    let setup = [
        ciba_requests::create_ciba_request(&request),
        deferred_grants::deny_deferred_grant(&digest, Some(world.account), world.now),
    ];
    let (client, now) = (world.client.clone(), world.now);
    let encrypted_payload = b"sealed".to_vec();
    let due = DueCibaNotification {
        id,
        client,
        ciphertext: encrypted_payload,
        due_at: now,
        attempts: 0,
        expires_at: world.expires_at,
    };
    Ok(SpendableItem::new(setup, move |_| {
        [notifications::claim_notification(&due, now.plus(Lifetime::from_seconds(30)))]
    }))
}

/// Opens a separate grant for each racer, as approval does.
fn grant_opener(
    world: &SingleUseFixture,
    kind: StoredGrantKind,
) -> impl Fn(GrantId) -> GuardedStatement + Send + Sync + use<> {
    let (membership, session) = (world.membership, world.session);
    let (client, nothing) = (world.client.clone(), world.empty_document.clone());
    let (now, later) = (world.now, world.expires_at);
    move |id| {
        grants::open_grant(&NewGrant {
            id,
            kind,
            membership,
            account_epoch: 0,
            client: &client,
            session,
            lifespan: GrantLifespan::Expiry,
            scopes: &nothing,
            details: &nothing,
            authentication: &nothing,
            created_at: now,
            expires_at: later,
        })
    }
}
