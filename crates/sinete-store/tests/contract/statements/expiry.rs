//! Expired items cannot be used, even before cleanup.

use super::{Database, Scene};
use crate::all_statements;
use crate::contract::both_engines;
use crate::contract::probe::NOW;
use crate::oauth::grants::StoredGrantKind;
use crate::oauth::refresh_tokens;
use crate::oauth::refresh_tokens::SuccessorRefreshToken;
use crate::oauth::{assertion_replays, authorization_codes, deferred_grants};
use crate::platform::idempotency;
use crate::platform::idempotency::{CallerIdempotencyKey, StoredIdempotentReply};
use crate::single_use::{SINGLE_USE, SingleUseFixture};
use sinete_core::secret::{Digest, RefreshTokenSecret};
use sinete_core::time::Lifetime;

both_engines!(
    single_use_rows_cannot_be_redeemed_at_their_expiry,
    device_approval_is_redeemed_in_time_or_never,
    refresh_token_expires_by_idle_time_and_its_family_by_age,
    idempotency_key_may_be_claimed_again_after_it_expired
);

/// Statements whose items do not expire: they are used up, replaced or removed.
const TIMELESS: &[&str] = &[
    "approval_requests.claim_notice",
    "assertion_replays.first_seen",
    "attempt_counters.begin",
    "attempt_counters.count",
    "credentials.accept_step",
    "credentials.confirm_step",
    "idempotency_keys.claim",
    "identities.link",
    "memberships.claim",
    "memberships.claim_through",
    "organizations.advance",
    "recovery_codes.spend",
    "saml_answers.first_seen",
    "webhooks.claim",
];
/// Statements whose items must be valid when they are prepared too; they have their own test.
const PREPARED_IN_TIME: &[&str] =
    &["approval_requests.spend", "device_requests.spend", "one_time_codes.spend"];

async fn single_use_rows_cannot_be_redeemed_at_their_expiry(database: Database) {
    let scene = Scene::set(database).await;
    let world = &scene.world;
    let expired = SingleUseFixture {
        expires_at: world.now,
        client: world.client.clone(),
        empty_document: world.empty_document.clone(),
        ..*world
    };
    for entry in SINGLE_USE {
        let is_spared =
            TIMELESS.contains(&entry.statement_name) || PREPARED_IN_TIME.contains(&entry.statement_name);
        if is_spared {
            continue;
        }
        let item = (entry.prepare)(&expired, &scene.entropy).unwrap();
        scene.happens(item.setup).await;
        let conflict =
            scene.store.commit((item.build_use)(&scene.entropy)).await.unwrap().into_result().unwrap_err();
        assert_eq!(conflict.statement(), entry.statement_name);
    }
    // The list must not contain a statement whose item does expire.
    for statement in all_statements().filter(|it| TIMELESS.contains(&it.name())) {
        let (_, guard) = statement.sqlite_text().split_once("WHERE").unwrap_or_default();
        let own_guard = guard.split("EXISTS").next().unwrap_or_default();
        let remembered = ["idempotency_keys.claim"].contains(&statement.name());
        assert!(remembered || !own_guard.contains("expires_at"), "{}", statement.name());
    }
}

async fn device_approval_is_redeemed_in_time_or_never(database: Database) {
    let scene = Scene::set(database).await;
    let (world, client) = (&scene.world, &scene.world.client);
    let (device, _) = scene.device().await;
    let grant = scene.grant(StoredGrantKind::Device).await;
    scene.happens([deferred_grants::approve_deferred_grant(&device, grant, NOW)]).await;
    let backchannel = scene.backchannel().await;
    let grant = scene.grant(StoredGrantKind::Backchannel).await;
    scene.happens([deferred_grants::approve_deferred_grant(&backchannel, grant, NOW)]).await;
    // Everything they depend on gets more time, so that only they themselves have expired.
    for table in ["sessions", "grants"] {
        scene.change(&format!("UPDATE {table} SET expires_at = expires_at * 2")).await;
    }
    scene.change("UPDATE sessions SET idle_expires_at = expires_at").await;
    let late = world.expires_at;
    scene
        .is_refused([deferred_grants::redeem_deferred_grant(&device, client, late)], "device_requests.spend")
        .await;
    let refused = "approval_requests.spend";
    scene.is_refused([deferred_grants::redeem_deferred_grant(&backchannel, client, late)], refused).await;
    let code = scene.code().await;
    scene.change("UPDATE grants SET expires_at = expires_at * 2 WHERE code_digest IS NOT NULL").await;
    scene
        .is_refused([authorization_codes::redeem_authorization_code(&code, client, late)], "codes.spend")
        .await;
    let refresh_family = scene.beginning(&RefreshTokenSecret::mint_first(code.grant, &scene.entropy));
    let spent = authorization_codes::redeem_code_with_refresh_token(&code, client, &refresh_family, late);
    scene.is_refused([spent], "codes.spend_and_begin").await;
    let just_in_time = late.minus(Lifetime::from_micros(1));
    scene.happens([deferred_grants::redeem_deferred_grant(&device, client, just_in_time)]).await;
    scene.happens([deferred_grants::redeem_deferred_grant(&backchannel, client, just_in_time)]).await;
}

async fn refresh_token_expires_by_idle_time_and_its_family_by_age(database: Database) {
    let scene = Scene::set(database).await;
    let (world, first) = (&scene.world, scene.family(scene.grant(StoredGrantKind::Code).await).await);
    let minute = Lifetime::from_minutes(1);
    let second = first.mint_successor(&scene.entropy);
    let third = second.mint_successor(&scene.entropy);
    let [second, third, fourth] =
        [&second, &third, &third.mint_successor(&scene.entropy)].map(RefreshTokenSecret::digests);
    let next = SuccessorRefreshToken { digest: &second.token, idle_expires_at: NOW.plus(minute) };
    scene.happens([refresh_tokens::rotate_refresh_token(&first.digests(), &world.client, &next, NOW)]).await;
    let next = SuccessorRefreshToken { digest: &third.token, idle_expires_at: world.expires_at };
    let late = refresh_tokens::rotate_refresh_token(&second, &world.client, &next, NOW.plus(minute));
    scene.is_refused([late], "families.rotate").await;
    let late =
        refresh_tokens::reuse_refresh_token(&second, &world.client, world.expires_at, NOW.plus(minute));
    scene.is_refused([late], "families.use_again").await;
    scene.change("UPDATE grants SET refresh_idle_expires_at = refresh_idle_expires_at * 2").await;
    scene
        .happens([refresh_tokens::rotate_refresh_token(&second, &world.client, &next, NOW.plus(minute))])
        .await;
    for table in ["sessions", "grants"] {
        scene.change(&format!("UPDATE {table} SET expires_at = expires_at * 2")).await;
    }
    scene.change("UPDATE sessions SET idle_expires_at = expires_at").await;
    scene.change("UPDATE grants SET refresh_idle_expires_at = refresh_idle_expires_at * 2").await;
    let next = SuccessorRefreshToken { digest: &fourth.token, idle_expires_at: world.expires_at };
    let old = refresh_tokens::rotate_refresh_token(&third, &world.client, &next, world.expires_at);
    scene.is_refused([old], "families.rotate").await;
    let old = refresh_tokens::reuse_refresh_token(&third, &world.client, world.expires_at, world.expires_at);
    scene.is_refused([old], "families.use_again").await;
}

async fn idempotency_key_may_be_claimed_again_after_it_expired(database: Database) {
    let scene = Scene::set(database).await;
    let (digest, [request, other]) =
        (Digest::from_bytes([1; 32]), [2, 3].map(|byte| Digest::from_bytes([byte; 32])));
    let key = CallerIdempotencyKey { caller: "membership 1", digest: &digest };
    let later = scene.world.expires_at;
    scene.happens([idempotency::claim_idempotency_key(key, &request, "role 1", NOW, later)]).await;
    let reply = StoredIdempotentReply { status: 201, ciphertext: vec![9] };
    scene.happens([idempotency::store_idempotent_reply(key, &request, &reply)]).await;
    let refused = "idempotency_keys.complete";
    scene.is_refused([idempotency::store_idempotent_reply(key, &request, &reply)], refused).await;
    let claim = idempotency::claim_idempotency_key(key, &other, "role 2", NOW, later);
    scene.is_refused([claim], "idempotency_keys.claim").await;
    let idempotency_key = idempotency::find_idempotency_claim(&scene.store, key, NOW).await.unwrap().unwrap();
    assert_eq!(
        (idempotency_key.request, &*idempotency_key.created_id, idempotency_key.reply),
        (request, "role 1", Some(reply))
    );
    // The same key of another caller is another key.
    let elsewhere = CallerIdempotencyKey { caller: "membership 2", ..key };
    assert_eq!(idempotency::find_idempotency_claim(&scene.store, elsewhere, NOW).await, Ok(None));
    assert_eq!(idempotency::find_idempotency_claim(&scene.store, key, later).await, Ok(None));
    let second_expiry = later.plus(Lifetime::from_hours(1));
    scene.happens([idempotency::claim_idempotency_key(key, &other, "role 2", later, second_expiry)]).await;
    let idempotency_key =
        idempotency::find_idempotency_claim(&scene.store, key, later).await.unwrap().unwrap();
    assert_eq!(
        (idempotency_key.request, &*idempotency_key.created_id, idempotency_key.reply),
        (other, "role 2", None)
    );

    let statement =
        assertion_replays::record_assertion(&scene.world.client, &Digest::from_bytes([4; 32]), later);
    scene.happens([statement]).await;
}
