//! Expiry: of TOTP codes, of a session's level, and of the session.

use super::{enroll_totp, gets_passkey, options, seconds, worth};
use crate::both_engines;
use crate::harness::flow_client::{FlowClient, PASSWORD};
use crate::harness::passkey_device::PasskeyDevice;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;

async fn after_password(world: &World) -> FlowClient<'_> {
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("password", json!({"email": "ana@example.com", "password": PASSWORD}))
        .await
        .assert_status(200);
    walk
}

both_engines!(
    totp_code_is_not_accepted_again_after_the_clock_is_set_back,
    assurance_aal2_fades_and_returns_with_authentication_under_a_new_session_token,
    session_lasts_a_week_unused_and_a_month_in_use,
    step_up_does_not_extend_the_maximum_age_of_a_session
);

async fn totp_code_is_not_accepted_again_after_the_clock_is_set_back(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let app = enroll_totp(world, &ana).await;
    let used = app.code_at(seconds(world));
    after_password(world).await.submit("totp", json!({"code": used})).await.assert_status(200);
    world.clock.rewind(Lifetime::from_seconds(60));
    let mut walk = after_password(world).await;
    // The code that was used and now belongs to a later step, the current one, and the one before.
    for digits in [used.clone(), app.code_at(seconds(world)), app.code_at(seconds(world) - 30)] {
        walk.submit("totp", json!({"code": digits})).await.assert_problem(422, "unprocessable");
    }
    // After the clock was set back, the same time comes again, and still no code is accepted twice.
    world.clock.advance(Lifetime::from_seconds(60));
    walk.submit("totp", json!({"code": used})).await.assert_problem(422, "unprocessable");
    world.clock.advance(Lifetime::from_seconds(30));
    walk.submit("totp", json!({"code": app.code_at(seconds(world))})).await.assert_status(200);
}

async fn assurance_aal2_fades_and_returns_with_authentication_under_a_new_session_token(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let mut device = PasskeyDevice::new();
    gets_passkey(world, &ana, &mut device).await;
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    let signed = device.get(&options(&walk, "passkey"), &world.origin()).unwrap();
    let response = walk.submit("passkey", json!({"credential": signed})).await.assert_status(200);
    let first = SignedInUser { world, account: ana.account, token: response.text_member("session_token") };
    let acr = async |user: &SignedInUser<'_>| worth(world, &user.token).await["acr"].clone();
    let contact = json!({"kind": "email", "address": "ana@work.example"});
    assert_eq!(acr(&first).await, "urn:sinete:aal:2");
    // After an hour without use, the session is active, and sensitive actions need the passkey again.
    world.clock.advance(Lifetime::from_seconds(3_601));
    assert_eq!(acr(&first).await, "urn:sinete:aal:1");
    let refused = first.post("/account/contacts", contact.clone()).await;
    let refused = refused.assert_problem(401, "insufficient_user_authentication");
    let challenge = "Session error=\"insufficient_user_authentication\", \
                     acr_values=\"urn:sinete:aal:2\", max_age=\"300\"";
    assert_eq!(refused.headers["www-authenticate"], challenge);
    // Using the session does not raise the level again.
    assert_eq!(acr(&first).await, "urn:sinete:aal:1");
    let mut walk = world
        .start_flow_in_session(json!({"kind": "step_up", "assurance": "aal2"}), Some(&first.token))
        .await;
    let signed = device.get(&options(&walk, "passkey"), &world.origin()).unwrap();
    let response = walk.submit("passkey", json!({"credential": signed})).await.assert_status(200);
    let second = SignedInUser { token: response.text_member("session_token"), ..first.clone() };
    first.get("/account").await.assert_problem(401, "unauthenticated");
    assert_eq!(acr(&second).await, "urn:sinete:aal:2");
    second.post("/account/contacts", contact).await.assert_status(201);
    // With continuous use, the level drops after a day.
    for _ in 0..48 {
        world.clock.advance(Lifetime::from_minutes(30));
        second.get("/account").await.assert_status(200);
    }
    assert_eq!(acr(&second).await, "urn:sinete:aal:2");
    world.clock.advance(Lifetime::from_seconds(1));
    assert_eq!(acr(&second).await, "urn:sinete:aal:1");
}

async fn session_lasts_a_week_unused_and_a_month_in_use(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let used = SignedInUser { world, account: ana.account, token: ana.session.clone() };
    let idle = world
        .sign_in_account(
            ana.account,
            &sinete_core::assurance::AuthenticationEvidence::from_proof(
                sinete_core::assurance::AuthenticationProof::Password,
            ),
        )
        .await;
    let nearly_a_week = Lifetime::from_seconds(7 * 86_400 - 60);
    world.clock.advance(nearly_a_week);
    used.get("/account").await.assert_status(200);
    idle.get("/account").await.assert_status(200);
    for _ in 0..3 {
        world.clock.advance(nearly_a_week);
        used.get("/account").await.assert_status(200);
    }
    // Almost 28 days have passed, and one session was not used for three weeks.
    idle.get("/account").await.assert_problem(401, "unauthenticated");
    world.clock.advance(Lifetime::from_seconds(2 * 86_400 + 230));
    used.get("/account").await.assert_status(200);
    world.clock.advance(Lifetime::from_seconds(10));
    used.get("/account").await.assert_problem(401, "unauthenticated");
}

async fn step_up_does_not_extend_the_maximum_age_of_a_session(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let mut token = ana.session.clone();
    for _ in 0..4 {
        world.clock.advance(Lifetime::from_days(6));
        let mut walk = world.start_flow_in_session(json!({"kind": "step_up"}), Some(&token)).await;
        let response = walk.submit("password", json!({"password": PASSWORD})).await.assert_status(200);
        token = response.text_member("session_token");
    }
    world.clock.advance(Lifetime::from_seconds(6 * 86_400 - 1));
    let user = SignedInUser { world, account: ana.account, token };
    user.get("/account").await.assert_status(200);
    world.clock.advance(Lifetime::from_seconds(1));
    user.get("/account").await.assert_problem(401, "unauthenticated");
}
