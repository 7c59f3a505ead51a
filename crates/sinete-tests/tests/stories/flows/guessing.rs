//! Guessing is slow, and nobody can keep an owner out by it.

use crate::both_engines;
use crate::harness::person::PASSWORD;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::limits::{FAILURE_WAIT_MAX, FAILURES_FREE, FAILURES_MAX};
use sinete_core::time::Lifetime;
use sinete_engine::passwords;
use sinete_store::attempt_counters::{self, AttemptCounterKey, AttemptCounterRow};
use sinete_store::credentials;
use std::collections::BTreeMap;

both_engines!(
    five_guesses_are_free_and_then_each_waits_longer,
    a_guess_that_nobody_had_time_for_is_not_counted,
    an_address_that_is_nobodys_waits_just_the_same,
    strangers_who_guess_do_not_keep_the_owner_out,
    a_hundred_wrong_guesses_on_a_known_device_end_the_password,
    five_wrong_codes_end_the_code_and_another_code_does_not_reset_the_count,
    whoever_guesses_at_codes_for_ever_keeps_their_reader_waiting_and_never_out
);

async fn five_guesses_are_free_and_then_each_waits_longer(world: &World) {
    world.somebody("ana@example.com").await;
    for _ in 0..5 {
        world.sign_in("ana@example.com", "wrong wrong wrong wrong").await.refused(422, "unprocessable");
    }
    // The sixth is heard and begins the waiting; other spellings of the address are the same address.
    world.sign_in("ANA@EXAMPLE.COM", "wrong wrong wrong wrong").await.refused(422, "unprocessable");
    let waits = world.sign_in("ana@example.com", PASSWORD).await.refused(429, "too_many_requests");
    assert_eq!(waits.headers["retry-after"], "1");
    world.clock.pass(Lifetime::from_seconds(1));
    world.sign_in("ana@example.com", "wrong wrong wrong wrong").await.refused(422, "unprocessable");
    let waits = world.sign_in("ana@example.com", PASSWORD).await.refused(429, "too_many_requests");
    assert_eq!(waits.headers["retry-after"], "2");
    world.clock.pass(Lifetime::from_seconds(2));
    world.sign_in("ana@example.com", PASSWORD).await.is(200);
    // What was right is forgiven.
    for _ in 0..5 {
        world.sign_in("ana@example.com", "wrong wrong wrong wrong").await.refused(422, "unprocessable");
    }
    world.sign_in("ana@example.com", PASSWORD).await.is(200);
}

async fn a_guess_that_nobody_had_time_for_is_not_counted(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let engine = world.server.engine();
    let mut held = Vec::new();
    while held.len() < engine.settings().passwords.slots {
        held.push(passwords::slot(engine).await.unwrap());
    }
    for _ in 0..=FAILURES_FREE {
        let away = world
            .sign_in("ana@example.com", "wrong wrong wrong wrong")
            .await
            .refused(503, "temporarily_unavailable");
        assert!(away.headers.contains_key("retry-after"));
    }
    drop(held);
    let who = format!("account {}", ana.account);
    let key = AttemptCounterKey { subject: &who, factor: "password" };
    assert_eq!(attempt_counters::find(engine.store(), key).await.unwrap(), None);
    // As many are free afterwards as ever, and they are counted as ever.
    for _ in 0..=FAILURES_FREE {
        world.sign_in("ana@example.com", "wrong wrong wrong wrong").await.refused(422, "unprocessable");
    }
    world.sign_in("ana@example.com", PASSWORD).await.refused(429, "too_many_requests");
}

async fn an_address_that_is_nobodys_waits_just_the_same(world: &World) {
    for _ in 0..6 {
        world.sign_in("nobody@example.com", "wrong wrong wrong wrong").await.refused(422, "unprocessable");
    }
    let waits = world.sign_in("nobody@example.com", PASSWORD).await.refused(429, "too_many_requests");
    assert_eq!(waits.headers["retry-after"], "1");
}

async fn strangers_who_guess_do_not_keep_the_owner_out(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let usual = json!({"email": "ana@example.com", "password": PASSWORD});
    let mut browser = world.browse(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    browser.says("password", usual.clone()).await.is(200);
    for _ in 0..FAILURES_MAX {
        world.sign_in("ana@example.com", "wrong wrong wrong wrong").await.refused(422, "unprocessable");
        world.clock.pass(FAILURE_WAIT_MAX);
    }
    // To strangers it is closed for good, even with the right password.
    world.clock.pass(Lifetime::from_days(365));
    world.sign_in("ana@example.com", PASSWORD).await.refused(429, "too_many_requests");
    // A device Ana was seen on is heard as ever.
    let mut again = world.browse(json!({"kind": "sign_in"}), &browser.cookies).await;
    again.says("password", usual).await.is(200);
    // With a new password it is open to everybody again.
    let mut reset = world.flow(json!({"kind": "reset_password"})).await;
    reset.says("email", json!({"email": "ana@example.com"})).await.is(200);
    let code = world.mailed_code("ana@example.com").await;
    reset.says("code", json!({"code": code})).await.is(200);
    let set = reset.says("new_password", json!({"password": "a new kettle sings"})).await.is(200);
    assert_eq!(set.body["stage"], "password_set");
    world.sign_in("ana@example.com", "a new kettle sings").await.is(200);
    assert!(!ana.is_signed_in().await);
}

async fn a_hundred_wrong_guesses_on_a_known_device_end_the_password(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let mut browser = world.browse(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    browser.says("password", json!({"email": "ana@example.com", "password": PASSWORD})).await.is(200);
    let mut guess = world.browse(json!({"kind": "sign_in"}), &browser.cookies).await;
    let wrong = json!({"email": "ana@example.com", "password": "wrong wrong wrong wrong"});
    for _ in 0..FAILURES_MAX {
        if guess.tries("password", wrong.clone()).await.status == 410 {
            guess = world.browse(json!({"kind": "sign_in"}), &browser.cookies).await;
            guess.tries("password", wrong.clone()).await.refused(422, "unprocessable");
        }
        world.clock.pass(FAILURE_WAIT_MAX);
    }
    let kept = credentials::of_account(world.server.engine().store(), ana.account).await.unwrap();
    assert!(kept[0].disabled_at.is_some());
    world.sign_in("ana@example.com", PASSWORD).await.refused(422, "unprocessable");
}

async fn five_wrong_codes_end_the_code_and_another_code_does_not_reset_the_count(world: &World) {
    world.somebody("ana@example.com").await;
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    walk.says("email", json!({"email": "ana@example.com"})).await.is(200);
    let code = world.mailed_code("ana@example.com").await;
    for _ in 0..5 {
        walk.says("code", json!({"code": "00000000"})).await.refused(422, "unprocessable");
    }
    walk.says("code", json!({"code": code})).await.refused(422, "unprocessable");
    walk.says("resend", json!({})).await.is(200);
    assert_eq!(world.mails_to("ana@example.com").await, 1, "too soon, and not told");
    world.clock.pass(sinete_core::limits::MAILED_CODE_PAUSE);
    walk.says("resend", json!({})).await.is(200);
    let fresh = world.mailed_code("ana@example.com").await;
    assert_ne!(fresh, code);
    walk.says("code", json!({"code": "00000000"})).await.refused(422, "unprocessable");
    let waits = walk.says("code", json!({"code": fresh})).await.refused(429, "too_many_requests");
    let wait: u32 = waits.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!(wait > 1, "the sixth and seventh wrong one count together");
    world.clock.pass(Lifetime::from_seconds(wait));
    assert_eq!(walk.says("code", json!({"code": fresh})).await.is(200).body["stage"], "signed_in");
}

async fn whoever_guesses_at_codes_for_ever_keeps_their_reader_waiting_and_never_out(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let engine = world.server.engine();
    let who = format!("account {}", ana.account);
    let key = AttemptCounterKey { subject: &who, factor: "mailed_code" };
    let mut stranger = world.flow(json!({"kind": "sign_in"})).await;
    stranger.says("email", json!({"email": "ana@example.com"})).await.is(200);
    // As if it had gone on for days.
    let before =
        AttemptCounterRow { count: 10 * FAILURES_MAX, since: engine.now(), blocked_until: engine.now() };
    world.happens([attempt_counters::count(key, None, &before)]).await;
    stranger.tries("code", json!({"code": "00000000"})).await.refused(422, "unprocessable");
    world.clock.pass(sinete_core::limits::MAILED_CODE_PAUSE);
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    walk.says("email", json!({"email": "ana@example.com"})).await.is(200);
    let (code, link) =
        (world.mailed_code("ana@example.com").await, world.mailed_link("ana@example.com").await);
    let waits = walk.tries("code", json!({"code": code})).await.refused(429, "too_many_requests");
    let wait: u32 = waits.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!(wait <= 900, "a quarter of an hour at most: {wait}");
    // The link is not guessed at, so nobody waits with it; and whoever follows it reads the address.
    assert_eq!(world.follows_link(&link).await.is(200).body["stage"], "signed_in");
    assert_eq!(attempt_counters::find(engine.store(), key).await.unwrap(), None);
}
