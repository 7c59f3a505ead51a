//! Signing in and up with a passkey, and nothing else.

use super::{gets_passkey, options, worth};
use crate::both_engines;
use crate::harness::oneself::SignedInUser;
use crate::harness::passkey_device::{DeviceBehavior, PasskeyDevice};
use crate::harness::world::World;
use serde_json::{Value, json};

both_engines!(
    a_passkey_signs_a_person_in_without_saying_who_they_are,
    whoever_signs_in_otherwise_is_offered_a_passkey_and_may_decline,
    somebody_signs_up_with_a_passkey_and_no_password,
    somebody_signs_up_with_nothing_but_their_mail,
    the_first_operator_needs_something_to_sign_in_with_and_a_passkey_will_do,
    a_passkey_proves_it_again_in_a_session_and_another_persons_does_not,
    a_counter_is_kept_and_a_copy_of_the_key_is_noticed,
    a_removed_passkey_signs_nobody_in
);

async fn a_passkey_signs_a_person_in_without_saying_who_they_are(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let mut device = PasskeyDevice::new();
    gets_passkey(world, &ana, &mut device).await;
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    let asked = options(&walk, "passkey");
    assert_eq!((&asked["allowCredentials"], &asked["userVerification"]), (&json!([]), &json!("required")));
    assert_eq!((&asked["rpId"], &asked["timeout"]), (&json!("localhost"), &json!(300_000)));
    let signed = device.get(&asked, &world.origin()).unwrap();
    let done = walk.says("passkey", json!({"credential": signed})).await.is(200);
    assert_eq!(done.body["stage"], "signed_in");
    assert!(done.body["may_enroll"].is_null(), "{}", done.text);
    let session = done.text_of("session_token");
    assert_eq!(world.holding(&session).await.account, ana.account);
    let worth = worth(world, &session).await;
    assert_eq!((&worth["acr"], &worth["amr"]), (&json!("urn:sinete:aal:2"), &json!(["mfa", "swk", "user"])));
    let oneself = SignedInUser { world, account: ana.account, token: session };
    let listed = oneself.get("/account/credentials").await.is(200);
    let passkey = listed.body["items"].as_array().unwrap().iter().find(|it| it["kind"] == "passkey").unwrap();
    assert_eq!((&passkey["name"], &passkey["passkey"]["backed_up"]), (&json!("my phone"), &json!(true)));
    assert!(passkey["used_at"].is_string());
}

async fn whoever_signs_in_otherwise_is_offered_a_passkey_and_may_decline(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let done = world.sign_in("ana@example.com", crate::harness::person::PASSWORD).await.is(200);
    assert_eq!(done.body["may_enroll"], json!(["passkey"]));
    // Declining is doing nothing; accepting is another flow in the session that began.
    let person = world.holding(&done.text_of("session_token")).await;
    gets_passkey(world, &person, &mut PasskeyDevice::new()).await;
    let again = world.sign_in("ana@example.com", crate::harness::person::PASSWORD).await.is(200);
    assert!(again.body["may_enroll"].is_null());
    assert_eq!(person.account, ana.account);
}

async fn somebody_signs_up_with_a_passkey_and_no_password(world: &World) {
    let mut device = PasskeyDevice::new();
    let mut walk = world.flow(json!({"kind": "sign_up"})).await;
    let made = device.create(&options(&walk, "details"), &world.origin()).unwrap();
    walk.says("details", json!({"email": "ana@example.com", "name": "Ana", "passkey": made})).await.is(200);
    let code = world.mailed_code("ana@example.com").await;
    let done = walk.says("code", json!({"code": code})).await.is(200);
    let worth = worth(world, &done.text_of("session_token")).await;
    assert_eq!(worth["acr"], "urn:sinete:aal:2");
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    let signed = device.get(&options(&walk, "passkey"), &world.origin()).unwrap();
    walk.says("passkey", json!({"credential": signed})).await.is(200);
    assert_eq!(walk.stage(), "signed_in");
}

async fn somebody_signs_up_with_nothing_but_their_mail(world: &World) {
    let mut walk = world.flow(json!({"kind": "sign_up"})).await;
    walk.says("details", json!({"email": "ana@example.com"})).await.is(200);
    let code = world.mailed_code("ana@example.com").await;
    let done = walk.says("code", json!({"code": code})).await.is(200);
    assert_eq!(done.body["may_enroll"], json!(["passkey"]));
    assert_eq!(worth(world, &done.text_of("session_token")).await["acr"], "urn:sinete:aal:1");
}

async fn the_first_operator_needs_something_to_sign_in_with_and_a_passkey_will_do(world: &World) {
    let link = sinete_engine::bootstrap::at_first_start(world.server.engine()).await.unwrap().unwrap();
    let mut walk = world.flow(json!({"kind": "first_operator", "token": link.token})).await;
    let nothing = walk.says("details", json!({"email": "ana@example.com"})).await;
    assert_eq!(nothing.refused(422, "unprocessable").faults(), ["/passkey"]);
    let mut device = PasskeyDevice::new();
    let made = device.create(&options(&walk, "details"), &world.origin()).unwrap();
    let done = walk.says("details", json!({"email": "ana@example.com", "passkey": made})).await.is(200);
    let oneself = SignedInUser {
        world,
        account: world.holding(&done.text_of("session_token")).await.account,
        token: done.text_of("session_token"),
    };
    let belongs = oneself.get("/account/memberships").await.is(200);
    assert_eq!(belongs.body["items"][0]["organization"]["slug"], "operator");
}

async fn a_passkey_proves_it_again_in_a_session_and_another_persons_does_not(world: &World) {
    let (ana, bob) = (world.somebody("ana@example.com").await, world.somebody("bob@example.com").await);
    let (mut hers, mut his) = (PasskeyDevice::new(), PasskeyDevice::new());
    gets_passkey(world, &ana, &mut hers).await;
    gets_passkey(world, &bob, &mut his).await;
    let mut walk = world.flow_as(json!({"kind": "step_up"}), Some(&ana.session)).await;
    let asked = options(&walk, "passkey");
    let foreign = his.get(&asked, &world.origin()).unwrap();
    walk.tries("passkey", json!({"credential": foreign})).await.refused(422, "unprocessable");
    let signed = hers.get(&asked, &world.origin()).unwrap();
    let done = walk.says("passkey", json!({"credential": signed})).await.is(200);
    let session = done.text_of("session_token");
    assert_eq!(worth(world, &session).await["acr"], "urn:sinete:aal:2");
    assert!(!ana.is_signed_in().await, "the old token is worth nothing");
}

async fn a_counter_is_kept_and_a_copy_of_the_key_is_noticed(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let mut device = PasskeyDevice::new();
    device.conduct = DeviceBehavior { backed_up: false, ..DeviceBehavior::default() };
    gets_passkey(world, &ana, &mut device).await;
    let signs = async |device: &mut PasskeyDevice| {
        let mut walk = world.flow(json!({"kind": "sign_in"})).await;
        let signed = device.get(&options(&walk, "passkey"), &world.origin()).unwrap();
        walk.says("passkey", json!({"credential": signed})).await
    };
    device.conduct.counter_step = 5;
    let done = signs(&mut device).await.is(200);
    let worth = worth(world, &done.text_of("session_token")).await;
    assert_eq!(worth["amr"], json!(["hwk", "mfa", "user"]));
    device.conduct.counter_step = 0;
    signs(&mut device).await.refused(422, "unprocessable");
    device.conduct.counter_step = -3;
    signs(&mut device).await.refused(422, "unprocessable");
    device.conduct.counter_step = 4;
    let done = signs(&mut device).await.is(200);
    let oneself = SignedInUser { world, account: ana.account, token: done.text_of("session_token") };
    let events = oneself.get("/account/events?limit=200").await.is(200);
    let checks: Vec<&Value> = events.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["kind"] == "credential.failed")
        .map(|it| &it["detail"]["check"])
        .collect();
    assert_eq!(checks, ["counter", "counter"]);
}

async fn a_removed_passkey_signs_nobody_in(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let mut device = PasskeyDevice::new();
    gets_passkey(world, &ana, &mut device).await;
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    let signed = device.get(&options(&walk, "passkey"), &world.origin()).unwrap();
    let done = walk.says("passkey", json!({"credential": signed})).await.is(200);
    let oneself = SignedInUser { world, account: ana.account, token: done.text_of("session_token") };
    let listed = oneself.get("/account/credentials").await.is(200);
    let passkey = listed.body["items"].as_array().unwrap().iter().find(|it| it["kind"] == "passkey").unwrap();
    let path = format!("/account/credentials/{}", passkey["id"].as_str().unwrap());
    // A session by password alone is not enough to take a passkey away.
    let weak = SignedInUser { world, account: ana.account, token: ana.session.clone() };
    weak.delete(&path).await.refused(401, "insufficient_user_authentication");
    oneself.delete(&path).await.is(204);
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    let signed = device.get(&options(&walk, "passkey"), &world.origin()).unwrap();
    walk.says("passkey", json!({"credential": signed})).await.refused(422, "unprocessable");
}
