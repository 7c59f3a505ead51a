//! What becomes of a second factor that is guessed at for ever: it is closed, and nobody is asked for less because of it.

use super::{gets_app, gets_codes, gets_passkey, options, seconds};
use crate::both_engines;
use crate::harness::passkey_device::PasskeyDevice;
use crate::harness::person::PASSWORD;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::limits::FAILURES_MAX;
use sinete_core::secret::{DeviceCookie, Secret};
use sinete_store::attempt_counters::{self, AttemptCounterKey, AttemptCounterRow};
use sinete_store::credentials::{self, StoredCredentialKind};
use std::collections::BTreeMap;

/// As if this had been tried wrongly one time fewer than it bears.
async fn nearly_too_often(world: &World, subject: &str, factor: &str) {
    let now = world.server.engine().now();
    let counter = AttemptCounterRow { count: FAILURES_MAX - 1, since: now, blocked_until: now };
    world.happens([attempt_counters::count(AttemptCounterKey { subject, factor }, None, &counter)]).await;
}

fn hex(cookie: &str) -> String {
    let device = Secret::<DeviceCookie>::parse(cookie).unwrap().digest();
    device.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

both_engines!(
    the_hundredth_wrong_digits_on_a_known_device_end_the_application_and_ask_for_no_less,
    strangers_who_guess_at_digits_are_closed_out_and_the_owner_is_not,
    a_passkey_signs_in_whatever_strangers_did_to_the_password
);

async fn the_hundredth_wrong_digits_on_a_known_device_end_the_application_and_ask_for_no_less(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let app = gets_app(world, &ana).await;
    let strong = world
        .signs_in(
            ana.account,
            &AuthenticationEvidence::of(AuthenticationProof::Password).and(AuthenticationProof::Totp),
        )
        .await;
    let codes = gets_codes(world, &world.holding(&strong.token).await).await;
    let said = json!({"email": "ana@example.com", "password": PASSWORD});
    let mut browser = world.browse(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    browser.says("password", said.clone()).await.is(200);
    browser.says("totp", json!({"code": app.digits_at(seconds(world))})).await.is(200);
    let who = format!("account {} device {}", ana.account, hex(&browser.cookies["device"]));
    nearly_too_often(world, &who, "totp").await;
    let mut walk = world.browse(json!({"kind": "sign_in"}), &browser.cookies).await;
    walk.says("password", said.clone()).await.is(200);
    walk.tries("totp", json!({"code": "000000"})).await.refused(422, "unprocessable");
    let engine = world.server.engine();
    let kept = credentials::of_account(engine.store(), ana.account).await.unwrap();
    assert!(kept.iter().find(|it| it.kind == StoredCredentialKind::Totp).unwrap().disabled_at.is_some());
    // The password alone still lets nobody in, on that device or elsewhere.
    let mut other = world.flow(json!({"kind": "sign_in"})).await;
    let asked = other.says("password", said.clone()).await.is(200);
    assert_eq!(asked.body["stage"], "second_factor");
    let offered: Vec<_> =
        asked.body["actions"].as_array().unwrap().iter().map(|it| it["name"].clone()).collect();
    assert!(!offered.contains(&json!("totp")) && offered.contains(&json!("recovery_code")), "{offered:?}");
    world.clock.pass(sinete_core::time::Lifetime::from_seconds(30));
    other.tries("totp", json!({"code": app.digits_at(seconds(world))})).await.refused(409, "conflict");
    // A recovery code does, and the application is set up anew from there.
    let done = other.says("recovery_code", json!({"code": codes[0]})).await.is(200);
    let back = world.holding(&done.text_of("session_token")).await;
    let app = gets_app(world, &back).await;
    let mut again = world.flow(json!({"kind": "sign_in"})).await;
    again.says("password", said).await.is(200);
    again.says("totp", json!({"code": app.digits_at(seconds(world))})).await.is(200);
}

async fn strangers_who_guess_at_digits_are_closed_out_and_the_owner_is_not(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let app = gets_app(world, &ana).await;
    let said = json!({"email": "ana@example.com", "password": PASSWORD});
    let mut browser = world.browse(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    browser.says("password", said.clone()).await.is(200);
    browser.says("totp", json!({"code": app.digits_at(seconds(world))})).await.is(200);
    nearly_too_often(world, &format!("account {}", ana.account), "totp").await;
    let mut stranger = world.flow(json!({"kind": "sign_in"})).await;
    stranger.says("password", said.clone()).await.is(200);
    stranger.tries("totp", json!({"code": "000000"})).await.refused(422, "unprocessable");
    world.clock.pass(sinete_core::time::Lifetime::from_minutes(20));
    let right = json!({"code": app.digits_at(seconds(world))});
    stranger.tries("totp", right.clone()).await.refused(429, "too_many_requests");
    let mut owner = world.browse(json!({"kind": "sign_in"}), &browser.cookies).await;
    owner.says("password", said).await.is(200);
    owner.says("totp", right).await.is(200);
}

async fn a_passkey_signs_in_whatever_strangers_did_to_the_password(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let mut device = PasskeyDevice::new();
    gets_passkey(world, &ana, &mut device).await;
    nearly_too_often(world, &format!("account {}", ana.account), "password").await;
    world.sign_in("ana@example.com", "wrong wrong wrong wrong").await.refused(422, "unprocessable");
    world.clock.pass(sinete_core::time::Lifetime::from_days(1));
    world.sign_in("ana@example.com", PASSWORD).await.refused(429, "too_many_requests");
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    let signed = device.get(&options(&walk, "passkey"), &world.origin()).unwrap();
    let done = walk.says("passkey", json!({"credential": signed})).await.is(200);
    assert_eq!(done.body["stage"], "signed_in");
}
