//! Setting something up needs a fresh proof, and proves nothing by itself.

use super::{gets_app, gets_passkey, worth};
use crate::both_engines;
use crate::harness::api::ApiRequest;
use crate::harness::passkey_device::PasskeyDevice;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;

both_engines!(
    setting_something_up_needs_a_fresh_proof_of_everything_one_has,
    setting_something_up_does_not_raise_what_the_session_is_worth,
    what_was_begun_in_a_session_that_ended_is_not_kept,
    one_flow_sets_up_one_thing
);

async fn setting_something_up_needs_a_fresh_proof_of_everything_one_has(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let starts = async |session: Option<&str>, credential: &str| {
        let body = Some(json!({"kind": "enroll", "credential": credential, "session": "token"}));
        let headers =
            session.map(|token| ("authorization", format!("Session {token}"))).into_iter().collect();
        world.ask(Method::POST, "/flows", ApiRequest { body, headers, ..ApiRequest::default() }).await
    };
    for credential in ["passkey", "totp", "recovery_codes"] {
        starts(None, credential).await.refused(401, "unauthenticated");
        starts(Some(&ana.session), credential).await.is(201);
    }
    starts(Some(&ana.session), "password").await.refused(422, "unprocessable");
    gets_app(world, &ana).await;
    // The application that was just set up is now asked for, and the session never passed it.
    for credential in ["passkey", "totp", "recovery_codes"] {
        let refused =
            starts(Some(&ana.session), credential).await.refused(401, "insufficient_user_authentication");
        assert_eq!(refused.body["needs"]["acr_values"], "urn:sinete:aal:2");
    }
    let bob = world.somebody("bob@example.com").await;
    world.clock.pass(Lifetime::from_seconds(301));
    starts(Some(&bob.session), "passkey").await.refused(401, "insufficient_user_authentication");
}

async fn setting_something_up_does_not_raise_what_the_session_is_worth(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let before = worth(world, &ana.session).await;
    gets_passkey(world, &ana, &mut PasskeyDevice::new()).await;
    assert_eq!(worth(world, &ana.session).await, before);
    assert_eq!(before["acr"], "urn:sinete:aal:1");
}

async fn what_was_begun_in_a_session_that_ended_is_not_kept(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let mut walk =
        world.flow_as(json!({"kind": "enroll", "credential": "recovery_codes"}), Some(&ana.session)).await;
    let engine = world.server.engine();
    world.happens([sinete_store::sessions::end_all(ana.account, engine.now())]).await;
    walk.says("recovery_codes", json!({})).await.refused(401, "unauthenticated");
    let kept = sinete_store::credentials::of_account(engine.store(), ana.account).await.unwrap();
    assert_eq!(kept.len(), 1);
}

async fn one_flow_sets_up_one_thing(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let mut walk =
        world.flow_as(json!({"kind": "enroll", "credential": "recovery_codes"}), Some(&ana.session)).await;
    for (action, body) in
        [("totp_confirmation", json!({"code": "1"})), ("passkey", json!({"credential": {}}))]
    {
        walk.tries(action, body).await.refused(409, "conflict");
    }
    let done = walk.says("recovery_codes", json!({})).await.is(200);
    assert_eq!(done.body["actions"], Value::Array(Vec::new()));
    walk.says("recovery_codes", json!({})).await.refused(409, "conflict");
}
