//! Enrolling a credential needs a step-up, and does not raise the session's level.

use super::{enroll_totp, gets_passkey, worth};
use crate::both_engines;
use crate::harness::api_caller::ApiRequest;
use crate::harness::passkey_device::PasskeyDevice;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;

both_engines!(
    enrollment_needs_recent_authentication_with_every_enrolled_factor,
    enrollment_does_not_raise_the_assurance_of_the_session,
    enrollment_of_an_ended_session_is_not_stored,
    enrollment_flow_adds_one_credential_only
);

async fn enrollment_needs_recent_authentication_with_every_enrolled_factor(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let starts = async |session: Option<&str>, credential: &str| {
        let body = Some(json!({"kind": "enroll", "credential": credential, "session": "token"}));
        let headers =
            session.map(|token| ("authorization", format!("Session {token}"))).into_iter().collect();
        world
            .send_request(Method::POST, "/flows", ApiRequest { body, headers, ..ApiRequest::default() })
            .await
    };
    for credential in ["passkey", "totp", "recovery_codes"] {
        starts(None, credential).await.assert_problem(401, "unauthenticated");
        starts(Some(&ana.session), credential).await.assert_status(201);
    }
    starts(Some(&ana.session), "password").await.assert_problem(422, "unprocessable");
    enroll_totp(world, &ana).await;
    // The new authenticator app is now required, and the session never used it.
    for credential in ["passkey", "totp", "recovery_codes"] {
        let refused = starts(Some(&ana.session), credential)
            .await
            .assert_problem(401, "insufficient_user_authentication");
        assert_eq!(refused.body["needs"]["acr_values"], "urn:sinete:aal:2");
    }
    let bob = world.create_user("bob@example.com").await;
    world.clock.advance(Lifetime::from_seconds(301));
    starts(Some(&bob.session), "passkey").await.assert_problem(401, "insufficient_user_authentication");
}

async fn enrollment_does_not_raise_the_assurance_of_the_session(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let before = worth(world, &ana.session).await;
    gets_passkey(world, &ana, &mut PasskeyDevice::new()).await;
    assert_eq!(worth(world, &ana.session).await, before);
    assert_eq!(before["acr"], "urn:sinete:aal:1");
}

async fn enrollment_of_an_ended_session_is_not_stored(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let mut walk = world
        .start_flow_in_session(json!({"kind": "enroll", "credential": "recovery_codes"}), Some(&ana.session))
        .await;
    let engine = world.server.engine();
    world
        .apply_statements([sinete_store::sign_in::sessions::end_account_sessions(ana.account, engine.now())])
        .await;
    walk.submit("recovery_codes", json!({})).await.assert_problem(401, "unauthenticated");
    let credentials =
        sinete_store::sign_in::credentials::list_account_credentials(engine.store(), ana.account)
            .await
            .unwrap();
    assert_eq!(credentials.len(), 1);
}

async fn enrollment_flow_adds_one_credential_only(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let mut walk = world
        .start_flow_in_session(json!({"kind": "enroll", "credential": "recovery_codes"}), Some(&ana.session))
        .await;
    for (action, body) in
        [("totp_confirmation", json!({"code": "1"})), ("passkey", json!({"credential": {}}))]
    {
        walk.try_submit(action, body).await.assert_problem(409, "conflict");
    }
    let response = walk.submit("recovery_codes", json!({})).await.assert_status(200);
    assert_eq!(response.body["actions"], Value::Array(Vec::new()));
    walk.submit("recovery_codes", json!({})).await.assert_problem(409, "conflict");
}
