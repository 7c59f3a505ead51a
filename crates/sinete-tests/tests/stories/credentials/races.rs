//! Whatever works once works once, however many try at the same moment.

use super::{gets_app, gets_codes, gets_passkey, options, seconds};
use crate::both_engines;
use crate::harness::passkey_device::PasskeyDevice;
use crate::harness::person::{FlowClient, PASSWORD};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};

/// Everybody says their part at once; how many were heard.
async fn heard(walks: &[(FlowClient<'_>, &str, Value)]) -> usize {
    let requests: Vec<_> =
        walks.iter().map(|(walk, action, body)| tokio::spawn(walk.request(action, body).send())).collect();
    let mut heard = 0;
    for request in requests {
        let status = request.await.unwrap().unwrap().status();
        assert!(!status.is_server_error(), "{status}");
        heard += usize::from(status == 200);
    }
    heard
}

async fn after_password<'w>(world: &'w World) -> FlowClient<'w> {
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    walk.says("password", json!({"email": "ana@example.com", "password": PASSWORD})).await.is(200);
    walk
}

both_engines!(
    of_five_who_type_the_same_digits_one_is_let_in,
    of_five_who_type_the_same_recovery_code_one_is_let_in,
    of_sixteen_who_answer_one_challenge_one_is_let_in
);

async fn of_five_who_type_the_same_digits_one_is_let_in(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let app = gets_app(world, &ana).await;
    for _ in 0..3 {
        let body = json!({"code": app.digits_at(seconds(world))});
        let mut walks = Vec::new();
        for _ in 0..5 {
            walks.push((after_password(world).await, "totp", body.clone()));
        }
        assert_eq!(heard(&walks).await, 1);
        world.clock.pass(sinete_core::time::Lifetime::from_minutes(20));
    }
}

async fn of_five_who_type_the_same_recovery_code_one_is_let_in(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    gets_app(world, &ana).await;
    let strong = world
        .signs_in(
            ana.account,
            &AuthenticationEvidence::of(AuthenticationProof::Password).and(AuthenticationProof::Totp),
        )
        .await;
    let strong = world.holding(&strong.token).await;
    let codes = gets_codes(world, &strong).await;
    for code in &codes[..3] {
        let mut walks = Vec::new();
        for _ in 0..5 {
            walks.push((after_password(world).await, "recovery_code", json!({"code": code})));
        }
        assert_eq!(heard(&walks).await, 1);
        world.clock.pass(sinete_core::time::Lifetime::from_minutes(20));
    }
}

async fn of_sixteen_who_answer_one_challenge_one_is_let_in(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let mut device = PasskeyDevice::new();
    gets_passkey(world, &ana, &mut device).await;
    for _ in 0..3 {
        let walk = world.flow(json!({"kind": "sign_in"})).await;
        let signed = device.get(&options(&walk, "passkey"), &world.origin()).unwrap();
        let body = json!({"credential": signed});
        let walks: Vec<_> = (0..16).map(|_| (walk.clone(), "passkey", body.clone())).collect();
        assert_eq!(heard(&walks).await, 1);
    }
}
