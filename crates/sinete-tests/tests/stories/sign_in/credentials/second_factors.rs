//! TOTP and recovery codes after a password.

use super::{enroll_recovery_codes, enroll_totp, seconds, worth};
use crate::both_engines;
use crate::harness::flow_client::PASSWORD;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::time::Lifetime;

both_engines!(
    totp_follows_the_password_and_each_step_works_once,
    totp_seed_is_returned_during_enrollment_only,
    recovery_codes_are_ten_returned_once_and_each_works_once,
    totp_failures_are_counted_and_answered_with_retry_after
);

async fn totp_follows_the_password_and_each_step_works_once(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let app = enroll_totp(world, &ana).await;
    let after_password = async || {
        let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
        let body = json!({"email": "ana@example.com", "password": PASSWORD});
        let response = walk.submit("password", body).await.assert_status(200);
        assert_eq!(response.body["stage"], "second_factor");
        assert!(response.body["session_token"].is_null());
        walk
    };
    let mut walk = after_password().await;
    let code = app.code_at(seconds(world));
    for wrong in ["000000", "", "12345", &app.code_at(seconds(world) + 30), &app.code_at(seconds(world) - 60)]
    {
        let refused = walk.try_submit("totp", json!({"code": wrong})).await;
        assert_eq!(refused.status, 422, "{wrong}: {}", refused.text);
    }
    let response = walk.submit("totp", json!({"code": code})).await.assert_status(200);
    let worth = worth(world, &response.text_member("session_token")).await;
    assert_eq!((&worth["acr"], &worth["amr"]), (&json!("urn:sinete:aal:2"), &json!(["mfa", "otp", "pwd"])));
    // The same code again, in the same step and in the next one.
    let mut second_flow = after_password().await;
    second_flow.submit("totp", json!({"code": code})).await.assert_problem(422, "unprocessable");
    world.clock.advance(Lifetime::from_seconds(30));
    second_flow.submit("totp", json!({"code": code})).await.assert_problem(422, "unprocessable");
    // A code may be one step late.
    let late = app.code_at(seconds(world));
    world.clock.advance(Lifetime::from_seconds(30));
    second_flow.submit("totp", json!({"code": late})).await.assert_status(200);
}

async fn totp_seed_is_returned_during_enrollment_only(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let walk = world
        .start_flow_in_session(json!({"kind": "enroll", "credential": "totp"}), Some(&ana.session))
        .await;
    let totp = &walk.last.body["totp"];
    let secret = totp["secret"].as_str().unwrap().to_owned();
    assert_eq!(secret.len(), 32);
    assert!(totp["uri"].as_str().unwrap().contains(&secret));
    assert!(totp["qr_svg"].as_str().unwrap().starts_with("<svg"));
    let wrong = walk.try_submit("totp_confirmation", json!({"code": "000000"})).await;
    assert_eq!(wrong.assert_problem(422, "unprocessable").fault_pointers(), ["/code"]);
    let app = crate::harness::totp_app::TotpApp::from_uri(totp["uri"].as_str().unwrap());
    let mut walk = walk;
    let response = walk
        .submit("totp_confirmation", json!({"code": app.code_at(seconds(world)), "name": "app"}))
        .await
        .assert_status(200);
    assert!(!response.text.contains(&secret));
    let session = world
        .sign_in_account(
            ana.account,
            &AuthenticationEvidence::from_proof(AuthenticationProof::Password)
                .with_proof(AuthenticationProof::Totp),
        )
        .await;
    for path in ["/account/credentials", "/account/export", "/account/events?limit=200"] {
        assert!(!session.get(path).await.assert_status(200).text.contains(&secret), "{path}");
    }
    let dump = format!("{:?}", world.dump_database().await);
    assert!(!dump.contains(&secret));
}

async fn recovery_codes_are_ten_returned_once_and_each_works_once(world: &World) {
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
    let old = enroll_recovery_codes(world, &strong).await;
    let codes = enroll_recovery_codes(world, &strong).await;
    assert_eq!((codes.len(), codes[0].len()), (10, 34));
    let signs = async |code: &str| {
        let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
        walk.submit("password", json!({"email": "ana@example.com", "password": PASSWORD}))
            .await
            .assert_status(200);
        walk.submit("recovery_code", json!({"code": code})).await
    };
    // New recovery codes replace the old ones.
    signs(&old[0]).await.assert_problem(422, "unprocessable");
    signs("0000-0000-0000-0000-0000-0000-0000").await.assert_problem(422, "unprocessable");
    let response = signs(&codes[0].to_uppercase().replace('-', " ")).await.assert_status(200);
    assert_eq!(worth(world, &response.text_member("session_token")).await["acr"], "urn:sinete:aal:2");
    signs(&codes[0]).await.assert_problem(422, "unprocessable");
    signs(&codes[1]).await.assert_status(200);
    let user = SignedInUser { world, account: ana.account, token: strong.session.clone() };
    let response = user.get("/account/credentials").await.assert_status(200);
    let sets: Vec<_> = response.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["kind"] == "recovery_codes")
        .collect();
    assert_eq!((sets.len(), &sets[0]["codes_left"]), (1, &json!(8)));
    let dump = format!("{:?}", world.dump_database().await);
    assert!(codes.iter().all(|code| !dump.contains(code.as_str())));
}

async fn totp_failures_are_counted_and_answered_with_retry_after(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let app = enroll_totp(world, &ana).await;
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("password", json!({"email": "ana@example.com", "password": PASSWORD}))
        .await
        .assert_status(200);
    let mut statuses = Vec::new();
    for _ in 0..8 {
        statuses.push(walk.try_submit("totp", json!({"code": "000000"})).await.status);
    }
    assert_eq!(statuses[..5], [422; 5]);
    assert!(statuses.contains(&429), "{statuses:?}");
    let valid_code = json!({"code": app.code_at(seconds(world))});
    walk.try_submit("totp", valid_code).await.assert_problem(429, "too_many_requests");
    world.clock.advance(Lifetime::from_minutes(16));
    walk.submit("totp", json!({"code": app.code_at(seconds(world))})).await.assert_status(200);
}
