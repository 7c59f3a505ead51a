//! What time does: to digits, to what a session is worth, and to the session.

use super::{gets_app, gets_passkey, options, seconds, worth};
use crate::both_engines;
use crate::harness::oneself::SignedInUser;
use crate::harness::passkey_device::PasskeyDevice;
use crate::harness::person::{FlowClient, PASSWORD};
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;

async fn after_password(world: &World) -> FlowClient<'_> {
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    walk.says("password", json!({"email": "ana@example.com", "password": PASSWORD})).await.is(200);
    walk
}

both_engines!(
    a_clock_that_is_set_back_makes_no_digits_count_again,
    the_second_level_fades_and_comes_back_with_a_proof_under_another_token,
    a_session_lasts_a_week_without_use_and_a_month_with_it,
    proving_more_does_not_lengthen_the_month_of_a_session
);

async fn a_clock_that_is_set_back_makes_no_digits_count_again(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let app = gets_app(world, &ana).await;
    let used = app.digits_at(seconds(world));
    after_password(world).await.says("totp", json!({"code": used})).await.is(200);
    world.clock.set_back(Lifetime::from_seconds(60));
    let mut walk = after_password(world).await;
    // Those that were used, now of a step to come, those of the present and those of the step before.
    for digits in [used.clone(), app.digits_at(seconds(world)), app.digits_at(seconds(world) - 30)] {
        walk.says("totp", json!({"code": digits})).await.refused(422, "unprocessable");
    }
    // The time that passed already comes again, and still nothing of it counts twice.
    world.clock.pass(Lifetime::from_seconds(60));
    walk.says("totp", json!({"code": used})).await.refused(422, "unprocessable");
    world.clock.pass(Lifetime::from_seconds(30));
    walk.says("totp", json!({"code": app.digits_at(seconds(world))})).await.is(200);
}

async fn the_second_level_fades_and_comes_back_with_a_proof_under_another_token(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let mut device = PasskeyDevice::new();
    gets_passkey(world, &ana, &mut device).await;
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    let signed = device.get(&options(&walk, "passkey"), &world.origin()).unwrap();
    let done = walk.says("passkey", json!({"credential": signed})).await.is(200);
    let first = SignedInUser { world, account: ana.account, token: done.text_of("session_token") };
    let acr = async |oneself: &SignedInUser<'_>| worth(world, &oneself.token).await["acr"].clone();
    let contact = json!({"kind": "email", "address": "ana@work.example"});
    assert_eq!(acr(&first).await, "urn:sinete:aal:2");
    // An hour of rest: the session counts, and what is sensitive asks for the passkey again.
    world.clock.pass(Lifetime::from_seconds(3_601));
    assert_eq!(acr(&first).await, "urn:sinete:aal:1");
    let refused = first.post("/account/contacts", contact.clone()).await;
    let refused = refused.refused(401, "insufficient_user_authentication");
    let challenge = "Session error=\"insufficient_user_authentication\", \
                     acr_values=\"urn:sinete:aal:2\", max_age=\"300\"";
    assert_eq!(refused.headers["www-authenticate"], challenge);
    // Using the session does not bring back what faded.
    assert_eq!(acr(&first).await, "urn:sinete:aal:1");
    let mut walk = world.flow_as(json!({"kind": "step_up", "assurance": "aal2"}), Some(&first.token)).await;
    let signed = device.get(&options(&walk, "passkey"), &world.origin()).unwrap();
    let done = walk.says("passkey", json!({"credential": signed})).await.is(200);
    let second = SignedInUser { token: done.text_of("session_token"), ..first.clone() };
    first.get("/account").await.refused(401, "unauthenticated");
    assert_eq!(acr(&second).await, "urn:sinete:aal:2");
    second.post("/account/contacts", contact).await.is(201);
    // Used all day and all night, it fades after a day.
    for _ in 0..48 {
        world.clock.pass(Lifetime::from_minutes(30));
        second.get("/account").await.is(200);
    }
    assert_eq!(acr(&second).await, "urn:sinete:aal:2");
    world.clock.pass(Lifetime::from_seconds(1));
    assert_eq!(acr(&second).await, "urn:sinete:aal:1");
}

async fn a_session_lasts_a_week_without_use_and_a_month_with_it(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let used = SignedInUser { world, account: ana.account, token: ana.session.clone() };
    let idle = world
        .signs_in(
            ana.account,
            &sinete_core::assurance::AuthenticationEvidence::of(
                sinete_core::assurance::AuthenticationProof::Password,
            ),
        )
        .await;
    let nearly_a_week = Lifetime::from_seconds(7 * 86_400 - 60);
    world.clock.pass(nearly_a_week);
    used.get("/account").await.is(200);
    idle.get("/account").await.is(200);
    for _ in 0..3 {
        world.clock.pass(nearly_a_week);
        used.get("/account").await.is(200);
    }
    // Twenty-eight days less four minutes have passed, and one of them was not used for three weeks.
    idle.get("/account").await.refused(401, "unauthenticated");
    world.clock.pass(Lifetime::from_seconds(2 * 86_400 + 230));
    used.get("/account").await.is(200);
    world.clock.pass(Lifetime::from_seconds(10));
    used.get("/account").await.refused(401, "unauthenticated");
}

async fn proving_more_does_not_lengthen_the_month_of_a_session(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let mut token = ana.session.clone();
    for _ in 0..4 {
        world.clock.pass(Lifetime::from_days(6));
        let mut walk = world.flow_as(json!({"kind": "step_up"}), Some(&token)).await;
        let done = walk.says("password", json!({"password": PASSWORD})).await.is(200);
        token = done.text_of("session_token");
    }
    world.clock.pass(Lifetime::from_seconds(6 * 86_400 - 1));
    let held = SignedInUser { world, account: ana.account, token };
    held.get("/account").await.is(200);
    world.clock.pass(Lifetime::from_seconds(1));
    held.get("/account").await.refused(401, "unauthenticated");
}
