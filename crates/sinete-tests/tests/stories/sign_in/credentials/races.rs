//! Single use holds under concurrent requests.

use super::{enroll_recovery_codes, enroll_totp, gets_passkey, options, seconds};
use crate::both_engines;
use crate::harness::flow_client::{FlowClient, PASSWORD};
use crate::harness::passkey_device::PasskeyDevice;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};

/// Submits all of these concurrently, and returns how many succeeded.
async fn heard(walks: &[(FlowClient<'_>, &str, Value)]) -> usize {
    let requests: Vec<_> = walks
        .iter()
        .map(|(walk, action, body)| tokio::spawn(walk.build_request(action, body).send()))
        .collect();
    let mut success_count = 0;
    for request in requests {
        let status = request.await.unwrap().unwrap().status();
        assert!(!status.is_server_error(), "{status}");
        success_count += usize::from(status == 200);
    }
    success_count
}

async fn after_password<'w>(world: &'w World) -> FlowClient<'w> {
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("password", json!({"email": "ana@example.com", "password": PASSWORD}))
        .await
        .assert_status(200);
    walk
}

both_engines!(
    totp_code_raced_by_five_is_accepted_once,
    recovery_code_raced_by_five_is_accepted_once,
    webauthn_challenge_raced_by_sixteen_is_accepted_once
);

async fn totp_code_raced_by_five_is_accepted_once(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let app = enroll_totp(world, &ana).await;
    for _ in 0..3 {
        let body = json!({"code": app.code_at(seconds(world))});
        let mut walks = Vec::new();
        for _ in 0..5 {
            walks.push((after_password(world).await, "totp", body.clone()));
        }
        assert_eq!(heard(&walks).await, 1);
        world.clock.advance(sinete_core::time::Lifetime::from_minutes(20));
    }
}

async fn recovery_code_raced_by_five_is_accepted_once(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    enroll_totp(world, &ana).await;
    let strong = world
        .sign_in_account(
            ana.account,
            &AuthenticationEvidence::from_proof(AuthenticationProof::Password)
                .with_proof(AuthenticationProof::Totp),
        )
        .await;
    let strong = world.user_with_session(&strong.token).await;
    let codes = enroll_recovery_codes(world, &strong).await;
    for code in &codes[..3] {
        let mut walks = Vec::new();
        for _ in 0..5 {
            walks.push((after_password(world).await, "recovery_code", json!({"code": code})));
        }
        assert_eq!(heard(&walks).await, 1);
        world.clock.advance(sinete_core::time::Lifetime::from_minutes(20));
    }
}

async fn webauthn_challenge_raced_by_sixteen_is_accepted_once(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let mut device = PasskeyDevice::new();
    gets_passkey(world, &ana, &mut device).await;
    for _ in 0..3 {
        let walk = world.start_flow(json!({"kind": "sign_in"})).await;
        let signed = device.get(&options(&walk, "passkey"), &world.origin()).unwrap();
        let body = json!({"credential": signed});
        let walks: Vec<_> = (0..16).map(|_| (walk.clone(), "passkey", body.clone())).collect();
        assert_eq!(heard(&walks).await, 1);
    }
}
