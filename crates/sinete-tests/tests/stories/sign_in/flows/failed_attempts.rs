//! Guessing is slow, and cannot lock the account holder out.

use crate::both_engines;
use crate::harness::flow_client::PASSWORD;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::limits::{LOCKOUT_FAILURES_MAX, LOCKOUT_FREE_FAILURES, LOCKOUT_WAIT_MAX};
use sinete_core::time::Lifetime;
use sinete_engine::sign_in::credentials::password;
use sinete_engine::sign_in::credentials::password::HashingRequester;
use sinete_store::sign_in::attempt_counters;
use sinete_store::sign_in::attempt_counters::{AttemptCounterKey, AttemptCounterRow};
use sinete_store::sign_in::credentials;
use std::collections::BTreeMap;
use tokio::task::JoinSet;

both_engines!(
    failed_attempts_back_off_after_five,
    failed_attempts_refused_by_overload_are_not_counted,
    failed_attempts_at_an_unknown_address_back_off_the_same,
    failed_attempts_of_others_do_not_lock_out_the_owners_device,
    password_of_a_known_device_is_checked_during_a_flood,
    password_is_disabled_after_one_hundred_failures_on_a_known_device,
    email_code_ends_after_five_failures_and_a_new_one_does_not_reset_the_count,
    email_code_failures_delay_the_account_holder_but_never_lock_them_out
);

async fn failed_attempts_back_off_after_five(world: &World) {
    world.create_user("ana@example.com").await;
    for _ in 0..5 {
        world
            .sign_in_with_password("ana@example.com", "wrong wrong wrong wrong")
            .await
            .assert_problem(422, "unprocessable");
    }
    // The sixth attempt is checked and starts the delay; other spellings are the same address.
    world
        .sign_in_with_password("ANA@EXAMPLE.COM", "wrong wrong wrong wrong")
        .await
        .assert_problem(422, "unprocessable");
    let waits = world
        .sign_in_with_password("ana@example.com", PASSWORD)
        .await
        .assert_problem(429, "too_many_requests");
    assert_eq!(waits.headers["retry-after"], "1");
    world.clock.advance(Lifetime::from_seconds(1));
    world
        .sign_in_with_password("ana@example.com", "wrong wrong wrong wrong")
        .await
        .assert_problem(422, "unprocessable");
    let waits = world
        .sign_in_with_password("ana@example.com", PASSWORD)
        .await
        .assert_problem(429, "too_many_requests");
    assert_eq!(waits.headers["retry-after"], "2");
    world.clock.advance(Lifetime::from_seconds(2));
    world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_status(200);
    // A success resets the counter.
    for _ in 0..5 {
        world
            .sign_in_with_password("ana@example.com", "wrong wrong wrong wrong")
            .await
            .assert_problem(422, "unprocessable");
    }
    world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_status(200);
}

async fn failed_attempts_refused_by_overload_are_not_counted(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let engine = world.server.engine();
    let mut hashing_slots = Vec::new();
    while hashing_slots.len() < engine.settings().passwords.slots {
        hashing_slots
            .push(password::acquire_slot(engine, HashingRequester::UnknownDevice(None)).await.unwrap());
    }
    for _ in 0..=LOCKOUT_FREE_FAILURES {
        let away = world
            .sign_in_with_password("ana@example.com", "wrong wrong wrong wrong")
            .await
            .assert_problem(503, "temporarily_unavailable");
        assert!(away.headers.contains_key("retry-after"));
    }
    drop(hashing_slots);
    let subject = format!("account {}", ana.account);
    let key = AttemptCounterKey { subject: &subject, factor: "password" };
    assert_eq!(attempt_counters::find_attempt_counter(engine.store(), key).await.unwrap(), None);
    // Afterwards the same number of attempts is free again.
    for _ in 0..=LOCKOUT_FREE_FAILURES {
        world
            .sign_in_with_password("ana@example.com", "wrong wrong wrong wrong")
            .await
            .assert_problem(422, "unprocessable");
    }
    world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_problem(429, "too_many_requests");
}

async fn failed_attempts_at_an_unknown_address_back_off_the_same(world: &World) {
    for _ in 0..6 {
        world
            .sign_in_with_password("nobody@example.com", "wrong wrong wrong wrong")
            .await
            .assert_problem(422, "unprocessable");
    }
    let waits = world
        .sign_in_with_password("nobody@example.com", PASSWORD)
        .await
        .assert_problem(429, "too_many_requests");
    assert_eq!(waits.headers["retry-after"], "1");
}

async fn failed_attempts_of_others_do_not_lock_out_the_owners_device(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let credentials = json!({"email": "ana@example.com", "password": PASSWORD});
    let mut browser = world.start_browser_flow(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    browser.submit("password", credentials.clone()).await.assert_status(200);
    for _ in 0..LOCKOUT_FAILURES_MAX {
        world
            .sign_in_with_password("ana@example.com", "wrong wrong wrong wrong")
            .await
            .assert_problem(422, "unprocessable");
        world.clock.advance(LOCKOUT_WAIT_MAX);
    }
    // Unknown devices are locked out permanently, even with the right password.
    world.clock.advance(Lifetime::from_days(365));
    world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_problem(429, "too_many_requests");
    // A known device is not affected.
    let mut second_flow = world.start_browser_flow(json!({"kind": "sign_in"}), &browser.cookies).await;
    second_flow.submit("password", credentials).await.assert_status(200);
    // A new password unlocks every device.
    let mut reset = world.start_flow(json!({"kind": "reset_password"})).await;
    reset.submit("email", json!({"email": "ana@example.com"})).await.assert_status(200);
    let code = world.emailed_code("ana@example.com").await;
    reset.submit("code", json!({"code": code})).await.assert_status(200);
    let set =
        reset.submit("new_password", json!({"password": "a new kettle sings"})).await.assert_status(200);
    assert_eq!(set.body["stage"], "password_set");
    world.sign_in_with_password("ana@example.com", "a new kettle sings").await.assert_status(200);
    assert!(!ana.is_signed_in().await);
}

async fn password_of_a_known_device_is_checked_during_a_flood(world: &World) {
    world.create_user("ana@example.com").await;
    let credentials = json!({"email": "ana@example.com", "password": PASSWORD});
    let mut browser = world.start_browser_flow(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    browser.submit("password", credentials.clone()).await.assert_status(200);
    let engine = world.server.engine();
    let mut hashing_slots = Vec::new();
    while hashing_slots.len() < engine.settings().passwords.slots {
        hashing_slots
            .push(password::acquire_slot(engine, HashingRequester::UnknownDevice(None)).await.unwrap());
    }
    // The queue of the others is full, too.
    let mut flood = JoinSet::new();
    for _ in 0..hashing_slots.len() * 4 {
        let engine = engine.clone();
        flood.spawn(async move {
            password::acquire_slot(&engine, HashingRequester::UnknownDevice(None)).await.is_ok()
        });
    }
    let mut device_flow = world.start_browser_flow(json!({"kind": "sign_in"}), &browser.cookies).await;
    let known_sign_in = device_flow.submit("password", credentials.clone());
    let unknown = async {
        let refused = world.sign_in_with_password("ana@example.com", PASSWORD).await;
        refused.assert_problem(503, "temporarily_unavailable");
        drop(hashing_slots);
    };
    let (response, ()) = tokio::join!(known_sign_in, unknown);
    response.assert_status(200);
    flood.join_all().await;
    world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_status(200);
}

async fn password_is_disabled_after_one_hundred_failures_on_a_known_device(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let mut browser = world.start_browser_flow(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    browser
        .submit("password", json!({"email": "ana@example.com", "password": PASSWORD}))
        .await
        .assert_status(200);
    let mut guess = world.start_browser_flow(json!({"kind": "sign_in"}), &browser.cookies).await;
    let wrong = json!({"email": "ana@example.com", "password": "wrong wrong wrong wrong"});
    for _ in 0..LOCKOUT_FAILURES_MAX {
        if guess.try_submit("password", wrong.clone()).await.status == 410 {
            guess = world.start_browser_flow(json!({"kind": "sign_in"}), &browser.cookies).await;
            guess.try_submit("password", wrong.clone()).await.assert_problem(422, "unprocessable");
        }
        world.clock.advance(LOCKOUT_WAIT_MAX);
    }
    let credentials =
        credentials::list_account_credentials(world.server.engine().store(), ana.account).await.unwrap();
    assert!(credentials[0].disabled_at.is_some());
    world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_problem(422, "unprocessable");
}

async fn email_code_ends_after_five_failures_and_a_new_one_does_not_reset_the_count(world: &World) {
    world.create_user("ana@example.com").await;
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("email", json!({"email": "ana@example.com"})).await.assert_status(200);
    let code = world.emailed_code("ana@example.com").await;
    for _ in 0..5 {
        walk.submit("code", json!({"code": "00000000"})).await.assert_problem(422, "unprocessable");
    }
    walk.submit("code", json!({"code": code})).await.assert_problem(422, "unprocessable");
    walk.submit("resend", json!({})).await.assert_status(200);
    assert_eq!(world.count_emails_to("ana@example.com").await, 1, "too early, so no second message");
    world.clock.advance(sinete_core::limits::EMAIL_CODE_INTERVAL);
    walk.submit("resend", json!({})).await.assert_status(200);
    let fresh = world.emailed_code("ana@example.com").await;
    assert_ne!(fresh, code);
    walk.submit("code", json!({"code": "00000000"})).await.assert_problem(422, "unprocessable");
    let waits = walk.submit("code", json!({"code": fresh})).await.assert_problem(429, "too_many_requests");
    let wait: u32 = waits.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!(wait > 1, "failures of both codes are counted together");
    world.clock.advance(Lifetime::from_seconds(wait));
    assert_eq!(
        walk.submit("code", json!({"code": fresh})).await.assert_status(200).body["stage"],
        "signed_in"
    );
}

async fn email_code_failures_delay_the_account_holder_but_never_lock_them_out(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let engine = world.server.engine();
    let subject = format!("account {}", ana.account);
    let key = AttemptCounterKey { subject: &subject, factor: "mailed_code" };
    let mut client = world.start_flow(json!({"kind": "sign_in"})).await;
    client.submit("email", json!({"email": "ana@example.com"})).await.assert_status(200);
    // As if it had continued for days.
    let before = AttemptCounterRow {
        count: 10 * LOCKOUT_FAILURES_MAX,
        since: engine.now(),
        blocked_until: engine.now(),
    };
    world.apply_statements([attempt_counters::advance_attempt_counter(key, None, &before)]).await;
    client.try_submit("code", json!({"code": "00000000"})).await.assert_problem(422, "unprocessable");
    world.clock.advance(sinete_core::limits::EMAIL_CODE_INTERVAL);
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("email", json!({"email": "ana@example.com"})).await.assert_status(200);
    let (code, link) =
        (world.emailed_code("ana@example.com").await, world.emailed_link("ana@example.com").await);
    let waits = walk.try_submit("code", json!({"code": code})).await.assert_problem(429, "too_many_requests");
    let wait: u32 = waits.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!(wait <= 900, "a quarter of an hour at most: {wait}");
    // A link cannot be guessed, so it is not delayed; its reader has access to the address.
    assert_eq!(world.follow_link(&link).await.assert_status(200).body["stage"], "signed_in");
    assert_eq!(attempt_counters::find_attempt_counter(engine.store(), key).await.unwrap(), None);
}
