//! A second factor with too many failed attempts is locked, and the account never needs less because of it.

use super::{enroll_recovery_codes, enroll_totp, gets_passkey, options, seconds};
use crate::both_engines;
use crate::harness::flow_client::PASSWORD;
use crate::harness::passkey_device::PasskeyDevice;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::limits::LOCKOUT_FAILURES_MAX;
use sinete_core::secret::{DeviceCookie, Secret};
use sinete_store::sign_in::attempt_counters;
use sinete_store::sign_in::attempt_counters::{AttemptCounterKey, AttemptCounterRow};
use sinete_store::sign_in::credentials;
use sinete_store::sign_in::credentials::StoredCredentialKind;
use std::collections::BTreeMap;

/// Sets the counter to one failure less than the maximum.
async fn nearly_too_often(world: &World, subject: &str, factor: &str) {
    let now = world.server.engine().now();
    let counter = AttemptCounterRow { count: LOCKOUT_FAILURES_MAX - 1, since: now, blocked_until: now };
    world
        .apply_statements([attempt_counters::advance_attempt_counter(
            AttemptCounterKey { subject, factor },
            None,
            &counter,
        )])
        .await;
}

fn hex(cookie: &str) -> String {
    let device = Secret::<DeviceCookie>::parse(cookie).unwrap().digest();
    device.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

both_engines!(
    totp_is_removed_after_one_hundred_failures_on_a_known_device_without_lowering_assurance,
    totp_is_locked_for_unknown_devices_and_not_for_its_owner,
    passkey_signs_in_while_the_password_is_locked
);

async fn totp_is_removed_after_one_hundred_failures_on_a_known_device_without_lowering_assurance(
    world: &World,
) {
    let ana = world.create_user("ana@example.com").await;
    let app = enroll_totp(world, &ana).await;
    let strong = world
        .sign_in_account(
            ana.account,
            &AuthenticationEvidence::from_proof(AuthenticationProof::Password)
                .with_proof(AuthenticationProof::Totp),
        )
        .await;
    let codes = enroll_recovery_codes(world, &world.user_with_session(&strong.token).await).await;
    let body = json!({"email": "ana@example.com", "password": PASSWORD});
    let mut browser = world.start_browser_flow(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    browser.submit("password", body.clone()).await.assert_status(200);
    browser.submit("totp", json!({"code": app.code_at(seconds(world))})).await.assert_status(200);
    let subject = format!("account {} device {}", ana.account, hex(&browser.cookies["sinete_device"]));
    nearly_too_often(world, &subject, "totp").await;
    let mut walk = world.start_browser_flow(json!({"kind": "sign_in"}), &browser.cookies).await;
    walk.submit("password", body.clone()).await.assert_status(200);
    walk.try_submit("totp", json!({"code": "000000"})).await.assert_problem(422, "unprocessable");
    let engine = world.server.engine();
    let credentials = credentials::list_account_credentials(engine.store(), ana.account).await.unwrap();
    assert!(
        credentials.iter().find(|it| it.kind == StoredCredentialKind::Totp).unwrap().disabled_at.is_some()
    );
    // The password alone still signs no one in, on that device or another.
    let mut other = world.start_flow(json!({"kind": "sign_in"})).await;
    let response = other.submit("password", body.clone()).await.assert_status(200);
    assert_eq!(response.body["stage"], "second_factor");
    let action_names: Vec<_> =
        response.body["actions"].as_array().unwrap().iter().map(|it| it["name"].clone()).collect();
    assert!(
        !action_names.contains(&json!("totp")) && action_names.contains(&json!("recovery_code")),
        "{action_names:?}"
    );
    world.clock.advance(sinete_core::time::Lifetime::from_seconds(30));
    other
        .try_submit("totp", json!({"code": app.code_at(seconds(world))}))
        .await
        .assert_problem(409, "conflict");
    // A recovery code does, and then the app can be enrolled again.
    let response = other.submit("recovery_code", json!({"code": codes[0]})).await.assert_status(200);
    let back = world.user_with_session(&response.text_member("session_token")).await;
    let app = enroll_totp(world, &back).await;
    let mut second_flow = world.start_flow(json!({"kind": "sign_in"})).await;
    second_flow.submit("password", body).await.assert_status(200);
    second_flow.submit("totp", json!({"code": app.code_at(seconds(world))})).await.assert_status(200);
}

async fn totp_is_locked_for_unknown_devices_and_not_for_its_owner(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let app = enroll_totp(world, &ana).await;
    let body = json!({"email": "ana@example.com", "password": PASSWORD});
    let mut browser = world.start_browser_flow(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    browser.submit("password", body.clone()).await.assert_status(200);
    browser.submit("totp", json!({"code": app.code_at(seconds(world))})).await.assert_status(200);
    nearly_too_often(world, &format!("account {}", ana.account), "totp").await;
    let mut client = world.start_flow(json!({"kind": "sign_in"})).await;
    client.submit("password", body.clone()).await.assert_status(200);
    client.try_submit("totp", json!({"code": "000000"})).await.assert_problem(422, "unprocessable");
    world.clock.advance(sinete_core::time::Lifetime::from_minutes(20));
    let valid_code = json!({"code": app.code_at(seconds(world))});
    client.try_submit("totp", valid_code.clone()).await.assert_problem(429, "too_many_requests");
    let mut owner = world.start_browser_flow(json!({"kind": "sign_in"}), &browser.cookies).await;
    owner.submit("password", body).await.assert_status(200);
    owner.submit("totp", valid_code).await.assert_status(200);
}

async fn passkey_signs_in_while_the_password_is_locked(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let mut device = PasskeyDevice::new();
    gets_passkey(world, &ana, &mut device).await;
    nearly_too_often(world, &format!("account {}", ana.account), "password").await;
    world
        .sign_in_with_password("ana@example.com", "wrong wrong wrong wrong")
        .await
        .assert_problem(422, "unprocessable");
    world.clock.advance(sinete_core::time::Lifetime::from_days(1));
    world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_problem(429, "too_many_requests");
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    let signed = device.get(&options(&walk, "passkey"), &world.origin()).unwrap();
    let response = walk.submit("passkey", json!({"credential": signed})).await.assert_status(200);
    assert_eq!(response.body["stage"], "signed_in");
}
