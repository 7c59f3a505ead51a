//! Sign-in and sign-up with a passkey only.

use super::{gets_passkey, options, worth};
use crate::both_engines;
use crate::harness::passkey_device::{DeviceBehavior, PasskeyDevice};
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::world::World;
use serde_json::{Value, json};

both_engines!(
    passkey_signs_in_without_an_identifier,
    passkey_enrollment_is_offered_after_another_sign_in_and_may_be_declined,
    sign_up_with_a_passkey_and_no_password_works,
    sign_up_with_an_email_address_only_works,
    bootstrap_sign_up_needs_a_credential_and_accepts_a_passkey,
    passkey_steps_up_its_own_users_session_only,
    passkey_counter_is_stored_and_a_cloned_key_is_detected,
    passkey_that_was_removed_signs_no_user_in
);

async fn passkey_signs_in_without_an_identifier(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let mut device = PasskeyDevice::new();
    gets_passkey(world, &ana, &mut device).await;
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    let passkey_options = options(&walk, "passkey");
    assert_eq!(
        (&passkey_options["allowCredentials"], &passkey_options["userVerification"]),
        (&json!([]), &json!("required"))
    );
    assert_eq!(
        (&passkey_options["rpId"], &passkey_options["timeout"]),
        (&json!("localhost"), &json!(300_000))
    );
    let signed = device.get(&passkey_options, &world.origin()).unwrap();
    let response = walk.submit("passkey", json!({"credential": signed})).await.assert_status(200);
    assert_eq!(response.body["stage"], "signed_in");
    assert!(response.body["may_enroll"].is_null(), "{}", response.text);
    let session = response.text_member("session_token");
    assert_eq!(world.user_with_session(&session).await.account, ana.account);
    let worth = worth(world, &session).await;
    assert_eq!((&worth["acr"], &worth["amr"]), (&json!("urn:sinete:aal:2"), &json!(["mfa", "swk", "user"])));
    let user = SignedInUser { world, account: ana.account, token: session };
    let response = user.get("/account/credentials").await.assert_status(200);
    let passkey =
        response.body["items"].as_array().unwrap().iter().find(|it| it["kind"] == "passkey").unwrap();
    assert_eq!((&passkey["name"], &passkey["passkey"]["backed_up"]), (&json!("my phone"), &json!(true)));
    assert!(passkey["used_at"].is_string());
}

async fn passkey_enrollment_is_offered_after_another_sign_in_and_may_be_declined(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let response = world
        .sign_in_with_password("ana@example.com", crate::harness::flow_client::PASSWORD)
        .await
        .assert_status(200);
    assert_eq!(response.body["may_enroll"], json!(["passkey"]));
    // Skipping the offer has no effect; accepting it starts another flow in the new session.
    let user = world.user_with_session(&response.text_member("session_token")).await;
    gets_passkey(world, &user, &mut PasskeyDevice::new()).await;
    let second_sign_in = world
        .sign_in_with_password("ana@example.com", crate::harness::flow_client::PASSWORD)
        .await
        .assert_status(200);
    assert!(second_sign_in.body["may_enroll"].is_null());
    assert_eq!(user.account, ana.account);
}

async fn sign_up_with_a_passkey_and_no_password_works(world: &World) {
    let mut device = PasskeyDevice::new();
    let mut walk = world.start_flow(json!({"kind": "sign_up"})).await;
    let created = device.create(&options(&walk, "details"), &world.origin()).unwrap();
    walk.submit("details", json!({"email": "ana@example.com", "name": "Ana", "passkey": created}))
        .await
        .assert_status(200);
    let code = world.emailed_code("ana@example.com").await;
    let response = walk.submit("code", json!({"code": code})).await.assert_status(200);
    let worth = worth(world, &response.text_member("session_token")).await;
    assert_eq!(worth["acr"], "urn:sinete:aal:2");
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    let signed = device.get(&options(&walk, "passkey"), &world.origin()).unwrap();
    walk.submit("passkey", json!({"credential": signed})).await.assert_status(200);
    assert_eq!(walk.stage(), "signed_in");
}

async fn sign_up_with_an_email_address_only_works(world: &World) {
    let mut walk = world.start_flow(json!({"kind": "sign_up"})).await;
    walk.submit("details", json!({"email": "ana@example.com"})).await.assert_status(200);
    let code = world.emailed_code("ana@example.com").await;
    let response = walk.submit("code", json!({"code": code})).await.assert_status(200);
    assert_eq!(response.body["may_enroll"], json!(["passkey"]));
    assert_eq!(worth(world, &response.text_member("session_token")).await["acr"], "urn:sinete:aal:1");
}

async fn bootstrap_sign_up_needs_a_credential_and_accepts_a_passkey(world: &World) {
    let link = sinete_engine::administration::bootstrap::create_development_link(world.server.engine())
        .await
        .unwrap()
        .unwrap();
    let mut walk = world.start_flow(json!({"kind": "first_operator", "token": link.token})).await;
    let nothing = walk.submit("details", json!({"email": "ana@example.com"})).await;
    assert_eq!(nothing.assert_problem(422, "unprocessable").fault_pointers(), ["/passkey"]);
    let mut device = PasskeyDevice::new();
    let created = device.create(&options(&walk, "details"), &world.origin()).unwrap();
    let response = walk
        .submit("details", json!({"email": "ana@example.com", "passkey": created}))
        .await
        .assert_status(200);
    let user = SignedInUser {
        world,
        account: world.user_with_session(&response.text_member("session_token")).await.account,
        token: response.text_member("session_token"),
    };
    let belongs = user.get("/account/memberships").await.assert_status(200);
    assert_eq!(belongs.body["items"][0]["organization"]["slug"], "operator");
}

async fn passkey_steps_up_its_own_users_session_only(world: &World) {
    let (ana, bob) = (world.create_user("ana@example.com").await, world.create_user("bob@example.com").await);
    let (mut hers, mut his) = (PasskeyDevice::new(), PasskeyDevice::new());
    gets_passkey(world, &ana, &mut hers).await;
    gets_passkey(world, &bob, &mut his).await;
    let mut walk = world.start_flow_in_session(json!({"kind": "step_up"}), Some(&ana.session)).await;
    let passkey_options = options(&walk, "passkey");
    let foreign = his.get(&passkey_options, &world.origin()).unwrap();
    walk.try_submit("passkey", json!({"credential": foreign})).await.assert_problem(422, "unprocessable");
    let signed = hers.get(&passkey_options, &world.origin()).unwrap();
    let response = walk.submit("passkey", json!({"credential": signed})).await.assert_status(200);
    let session = response.text_member("session_token");
    assert_eq!(worth(world, &session).await["acr"], "urn:sinete:aal:2");
    assert!(!ana.is_signed_in().await, "the previous session token is invalid");
}

async fn passkey_counter_is_stored_and_a_cloned_key_is_detected(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let mut device = PasskeyDevice::new();
    device.behavior = DeviceBehavior { backed_up: false, ..DeviceBehavior::default() };
    gets_passkey(world, &ana, &mut device).await;
    let signs = async |device: &mut PasskeyDevice| {
        let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
        let signed = device.get(&options(&walk, "passkey"), &world.origin()).unwrap();
        walk.submit("passkey", json!({"credential": signed})).await
    };
    device.behavior.counter_step = 5;
    let response = signs(&mut device).await.assert_status(200);
    let worth = worth(world, &response.text_member("session_token")).await;
    assert_eq!(worth["amr"], json!(["hwk", "mfa", "user"]));
    device.behavior.counter_step = 0;
    signs(&mut device).await.assert_problem(422, "unprocessable");
    device.behavior.counter_step = -3;
    signs(&mut device).await.assert_problem(422, "unprocessable");
    device.behavior.counter_step = 4;
    let response = signs(&mut device).await.assert_status(200);
    let user = SignedInUser { world, account: ana.account, token: response.text_member("session_token") };
    let events = user.get("/account/events?limit=200").await.assert_status(200);
    let checks: Vec<&Value> = events.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["kind"] == "credential.failed")
        .map(|it| &it["detail"]["check"])
        .collect();
    assert_eq!(checks, ["counter", "counter"]);
}

async fn passkey_that_was_removed_signs_no_user_in(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let mut device = PasskeyDevice::new();
    gets_passkey(world, &ana, &mut device).await;
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    let signed = device.get(&options(&walk, "passkey"), &world.origin()).unwrap();
    let response = walk.submit("passkey", json!({"credential": signed})).await.assert_status(200);
    let user = SignedInUser { world, account: ana.account, token: response.text_member("session_token") };
    let response = user.get("/account/credentials").await.assert_status(200);
    let passkey =
        response.body["items"].as_array().unwrap().iter().find(|it| it["kind"] == "passkey").unwrap();
    let path = format!("/account/credentials/{}", passkey["id"].as_str().unwrap());
    // A session with the password alone may not remove a passkey.
    let weak = SignedInUser { world, account: ana.account, token: ana.session.clone() };
    weak.delete(&path).await.assert_problem(401, "insufficient_user_authentication");
    user.delete(&path).await.assert_status(204);
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    let signed = device.get(&options(&walk, "passkey"), &world.origin()).unwrap();
    walk.submit("passkey", json!({"credential": signed})).await.assert_problem(422, "unprocessable");
}
