//! Each proof ages by itself: an old one is not renewed by another proof given now, wherever a recent one is required.

use super::{enroll_recovery_codes, enroll_totp, gets_passkey, options, seconds, worth};
use crate::both_engines;
use crate::harness::flow_client::{FlowClient, PASSWORD};
use crate::harness::passkey_device::PasskeyDevice;
use crate::harness::signed_in_user::{SignedInUser, VERIFIED_PASSKEY};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::time::Lifetime;

const AAL1: &str = "urn:sinete:aal:1";
const AAL2: &str = "urn:sinete:aal:2";
const NUMBER: &str = "+5581999990000";

/// The names of the available actions.
fn offered(walk: &FlowClient<'_>) -> Vec<String> {
    let actions = walk.last.body["actions"].as_array().unwrap();
    actions.iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect()
}

async fn proves_password(world: &World, session: &str) -> String {
    let flow_request = json!({"kind": "step_up", "assurance": "aal1"});
    let mut walk = world.start_flow_in_session(flow_request, Some(session)).await;
    walk.submit("password", json!({"password": PASSWORD}))
        .await
        .assert_status(200)
        .text_member("session_token")
}

/// A user who signed in with a passkey a while ago, used the session since, and just entered the password.
async fn fresh_password_beside_old_passkey<'w>(
    world: &'w World,
    ago: Lifetime,
) -> (SignedInUser<'w>, PasskeyDevice) {
    let ana = world.create_user("ana@example.com").await;
    let mut device = PasskeyDevice::new();
    gets_passkey(world, &ana, &mut device).await;
    let signed_in =
        world.sign_in_account(ana.account, &AuthenticationEvidence::from_proof(VERIFIED_PASSKEY)).await;
    for _ in 0..ago.seconds() / 1_800 {
        world.clock.advance(Lifetime::from_minutes(30));
        signed_in.get("/account").await.assert_status(200);
    }
    let token = proves_password(world, &signed_in.token).await;
    (SignedInUser { token, ..signed_in }, device)
}

both_engines!(
    step_up_with_a_password_does_not_renew_a_passkey_of_yesterday,
    sensitive_actions_need_the_passkey_again_despite_other_recent_authentication,
    step_up_requires_the_passkey_instead_of_totp
);

async fn step_up_with_a_password_does_not_renew_a_passkey_of_yesterday(world: &World) {
    let (mut ana, mut device) = fresh_password_beside_old_passkey(world, Lifetime::from_hours(23)).await;
    assert_eq!(worth(world, &ana.token).await["acr"], AAL2);
    for _ in 0..4 {
        world.clock.advance(Lifetime::from_minutes(30));
        ana.get("/account").await.assert_status(200);
    }
    assert_eq!(worth(world, &ana.token).await["acr"], AAL1, "the passkey is 25 hours old");
    for _ in 0..2 {
        ana.token = proves_password(world, &ana.token).await;
        assert_eq!(worth(world, &ana.token).await["acr"], AAL1);
    }
    // A step-up to `aal2` needs the passkey, whatever was proven before.
    let mut walk =
        world.start_flow_in_session(json!({"kind": "step_up", "assurance": "aal2"}), Some(&ana.token)).await;
    assert_eq!(offered(&walk), ["passkey", "password"]);
    assert_eq!(
        walk.submit("password", json!({"password": PASSWORD})).await.assert_status(200).body["stage"],
        "reauthenticate"
    );
    let signed = device.get(&options(&walk, "passkey"), &world.origin()).unwrap();
    let response = walk.submit("passkey", json!({"credential": signed})).await.assert_status(200);
    assert_eq!(worth(world, &response.text_member("session_token")).await["acr"], AAL2);
}

async fn sensitive_actions_need_the_passkey_again_despite_other_recent_authentication(world: &World) {
    let (ana, mut device) = fresh_password_beside_old_passkey(world, Lifetime::from_minutes(30)).await;
    assert_eq!(worth(world, &ana.token).await["acr"], AAL2);
    let credential = ana.get("/account/credentials").await.assert_status(200).body["items"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let contact = json!({"kind": "email", "address": "ana@work.example"});
    let password = json!({"current_password": PASSWORD, "password": "another kettle sings at dusk"});
    // Every sensitive route asks for it.
    ana.post("/account/contacts", contact.clone())
        .await
        .assert_problem(401, "insufficient_user_authentication");
    ana.get("/account/export").await.assert_problem(401, "insufficient_user_authentication");
    ana.delete(&format!("/account/credentials/{credential}"))
        .await
        .assert_problem(401, "insufficient_user_authentication");
    ana.delete("/account").await.assert_problem(401, "insufficient_user_authentication");
    ana.post("/account/password", password).await.assert_problem(401, "insufficient_user_authentication");
    for flow_request in [
        json!({"kind": "enroll", "credential": "totp"}),
        json!({"kind": "enroll", "credential": "passkey"}),
        json!({"kind": "enroll", "credential": "recovery_codes"}),
        json!({"kind": "change_email", "email": "ana@work.example"}),
        json!({"kind": "link_identity", "connection": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071"}),
    ] {
        let mut flow_request: Value = flow_request;
        flow_request["session"] = "token".into();
        let refused =
            ana.post("/flows", flow_request).await.assert_problem(401, "insufficient_user_authentication");
        assert_eq!(refused.body["needs"]["acr_values"], AAL2);
    }
    // The passkey allows all of them; a route that is not sensitive never asked.
    ana.get("/account/credentials").await.assert_status(200);
    let mut walk = world.start_flow_in_session(json!({"kind": "step_up"}), Some(&ana.token)).await;
    let signed = device.get(&options(&walk, "passkey"), &world.origin()).unwrap();
    let response = walk.submit("passkey", json!({"credential": signed})).await.assert_status(200);
    let ana = SignedInUser { token: response.text_member("session_token"), ..ana };
    ana.post("/account/contacts", contact).await.assert_status(201);
}

async fn step_up_requires_the_passkey_instead_of_totp(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let app = enroll_totp(world, &ana).await;
    let strong = world
        .sign_in_account(
            ana.account,
            &AuthenticationEvidence::from_proof(AuthenticationProof::Password)
                .with_proof(AuthenticationProof::Totp),
        )
        .await;
    let strong = world.user_with_session(&strong.token).await;
    let codes = enroll_recovery_codes(world, &strong).await;
    let mut device = PasskeyDevice::new();
    gets_passkey(world, &strong, &mut device).await;
    world.add_verified_phone(ana.account, NUMBER).await;
    // Signed in with password and TOTP a moment ago, which is `aal2` but can be phished.
    world.clock.advance(Lifetime::from_seconds(30));
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("password", json!({"email": "ana@example.com", "password": PASSWORD}))
        .await
        .assert_status(200);
    let response = walk.submit("totp", json!({"code": app.code_at(seconds(world))})).await.assert_status(200);
    let user = SignedInUser { world, account: ana.account, token: response.text_member("session_token") };
    assert_eq!(worth(world, &user.token).await["acr"], AAL2);
    let contact = json!({"kind": "email", "address": "ana@work.example"});
    user.post("/account/contacts", contact.clone())
        .await
        .assert_problem(401, "insufficient_user_authentication");
    let mut walk = world.start_flow_in_session(json!({"kind": "step_up"}), Some(&user.token)).await;
    assert_eq!(offered(&walk), ["passkey", "password", "recovery_code"]);
    world.clock.advance(Lifetime::from_seconds(30));
    walk.try_submit("totp", json!({"code": app.code_at(seconds(world))}))
        .await
        .assert_problem(409, "conflict");
    walk.try_submit("sms_code", json!({})).await.assert_problem(409, "conflict");
    // A recovery code replaces a lost passkey.
    let response = walk.submit("recovery_code", json!({"code": codes[0]})).await.assert_status(200);
    let user = SignedInUser { token: response.text_member("session_token"), ..user };
    user.post("/account/contacts", contact).await.assert_status(201);
}
