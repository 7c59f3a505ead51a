//! SMS codes: a number is verified, signs in, and is a second factor after a password.

use crate::both_engines;
use crate::harness::api_caller::ApiRequest;
use crate::harness::flow_client::{PASSWORD, TestUser};
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_core::limits::{EMAIL_CODE_INTERVAL, SMS_CODE_LIFETIME};
use sinete_engine::sign_in::sessions;
use sinete_store::accounts::contacts;
use sinete_store::sign_in::credentials;

const ANA: &str = "ana@example.com";
const NUMBER: &str = "+5581999990000";

async fn asks(
    user: &TestUser<'_>,
    method: Method,
    path: &str,
    body: Option<serde_json::Value>,
) -> crate::harness::api_caller::ApiResponse {
    let headers = vec![("authorization", format!("Session {}", user.session))];
    user.world.send_request(method, path, ApiRequest { body, headers, ..ApiRequest::default() }).await
}

both_engines!(
    phone_number_is_added_verified_and_removed,
    sms_code_signs_in_at_aal1_once,
    sms_code_follows_a_password_where_totp_was_locked,
    sms_code_does_not_replace_an_enrolled_totp,
    sms_code_for_an_unknown_number_returns_the_same_response_and_old_or_foreign_codes_fail
);

async fn phone_number_is_added_verified_and_removed(world: &World) {
    let ana = world.create_user(ANA).await;
    let added = asks(
        &ana,
        Method::POST,
        "/account/contacts",
        Some(json!({"kind": "phone", "address": "+55 81 99999-0000"})),
    )
    .await
    .assert_status(201);
    let mut walk = world.start_flow_in_session(json!({"kind": "verify_phone"}), Some(&ana.session)).await;
    assert_eq!(walk.stage(), "texted_proof");
    let code = world.sms_code(NUMBER).await;
    assert!(code.len() == 6 && code.bytes().all(|byte| byte.is_ascii_digit()), "{code}");
    walk.submit("code", json!({"code": "000000"})).await.assert_problem(422, "unprocessable");
    assert_eq!(
        walk.submit("code", json!({"code": code})).await.assert_status(200).body["stage"],
        "phone_verified"
    );
    let engine = world.server.engine();
    let owner =
        contacts::find_verified_contact(engine.store(), contacts::ContactKind::Phone, NUMBER).await.unwrap();
    assert_eq!(owner.map(|contact| contact.account), Some(ana.account));
    // The account holder is notified.
    assert!(world.newest_email_text(ANA).await.contains(NUMBER));
    // There is nothing left to verify, and without a session nothing can be verified.
    let repeated_request = ApiRequest {
        body: Some(json!({"kind": "verify_phone", "session": "token"})),
        headers: vec![("authorization", format!("Session {}", ana.session))],
        ..ApiRequest::default()
    };
    world.send_request(Method::POST, "/flows", repeated_request).await.assert_problem(409, "conflict");
    let request = ApiRequest {
        body: Some(json!({"kind": "verify_phone", "session": "token"})),
        ..ApiRequest::default()
    };
    world.send_request(Method::POST, "/flows", request).await.assert_problem(401, "unauthenticated");
    // With a password it makes `aal2`, and it is not required.
    let path = format!("/account/contacts/{}", added.text_member("id"));
    let mut step_up_flow = world.start_flow_in_session(json!({"kind": "step_up"}), Some(&ana.session)).await;
    let response = step_up_flow.submit("password", json!({"password": PASSWORD})).await.assert_status(200);
    let ana = world.user_with_session(&response.text_member("session_token")).await;
    let mut client = world
        .start_flow_in_session(json!({"kind": "step_up", "assurance": "aal2"}), Some(&ana.session))
        .await;
    world.clock.advance(EMAIL_CODE_INTERVAL);
    client.submit("password", json!({"password": PASSWORD})).await.assert_status(200);
    client.submit("sms_code", json!({})).await.assert_status(200);
    let code = world.sms_code(NUMBER).await;
    let response = client.submit("code", json!({"code": code})).await.assert_status(200);
    let ana = world.user_with_session(&response.text_member("session_token")).await;
    asks(&ana, Method::DELETE, &path, None).await.assert_status(204);
    assert!(
        contacts::find_verified_contact(engine.store(), contacts::ContactKind::Phone, NUMBER)
            .await
            .unwrap()
            .is_none()
    );
}

async fn sms_code_signs_in_at_aal1_once(world: &World) {
    let ana = world.create_user(ANA).await;
    world.add_verified_phone(ana.account, NUMBER).await;
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    let sms_action =
        walk.last.body["actions"].as_array().unwrap().iter().find(|it| it["name"] == "sms_code").unwrap();
    assert_eq!(sms_action["restricted"], true);
    assert_eq!(
        walk.submit("sms_code", json!({"phone": NUMBER})).await.assert_status(200).body["stage"],
        "texted_proof"
    );
    let code = world.sms_code(NUMBER).await;
    let response = walk.submit("code", json!({"code": code})).await.assert_status(200);
    let token = response.text_member("session_token");
    let session = sessions::find(world.server.engine(), &token).await.unwrap().unwrap();
    assert_eq!((session.session.account, session.assurance.acr()), (ana.account, "urn:sinete:aal:1"));
    assert_eq!(session.evidence.amr_values().into_iter().collect::<Vec<_>>(), ["sms"]);
    walk.try_submit("code", json!({"code": code})).await.assert_problem(409, "conflict");
    for bad in [
        json!({"phone": "12345"}),
        json!({"phone": "+55819999\u{0}90000"}),
        json!({}),
        json!({"phone": [NUMBER]}),
    ] {
        let walk = world.start_flow(json!({"kind": "sign_in"})).await;
        walk.try_submit("sms_code", bad).await.assert_problem(422, "unprocessable");
    }
}

async fn sms_code_follows_a_password_where_totp_was_locked(world: &World) {
    let ana = world.create_user(ANA).await;
    world.add_totp(&ana).await;
    world.add_verified_phone(ana.account, NUMBER).await;
    let credentials =
        credentials::list_account_credentials(world.server.engine().store(), ana.account).await.unwrap();
    let app = credentials.iter().find(|it| it.kind == credentials::StoredCredentialKind::Totp).unwrap();
    world.apply_statements([credentials::disable_credential(app, world.server.engine().now())]).await;
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("password", json!({"email": ANA, "password": PASSWORD})).await.assert_status(200);
    walk.try_submit("sms_code", json!({"phone": "+5581999991111"}))
        .await
        .assert_problem(422, "unprocessable");
    walk.submit("sms_code", json!({})).await.assert_status(200);
    assert_eq!(world.count_sms_to(NUMBER).await, 1);
    assert_eq!(walk.submit("restart", json!({})).await.assert_status(200).body["stage"], "second_factor");
    world.clock.advance(EMAIL_CODE_INTERVAL);
    walk.submit("sms_code", json!({})).await.assert_status(200);
    let code = world.sms_code(NUMBER).await;
    let response = walk.submit("code", json!({"code": code})).await.assert_status(200);
    let session =
        sessions::find(world.server.engine(), &response.text_member("session_token")).await.unwrap().unwrap();
    assert_eq!(session.assurance.acr(), "urn:sinete:aal:2");
    assert_eq!(session.evidence.amr_values().into_iter().collect::<Vec<_>>(), ["mfa", "pwd", "sms"]);
}

async fn sms_code_does_not_replace_an_enrolled_totp(world: &World) {
    let ana = world.create_user(ANA).await;
    world.add_verified_phone(ana.account, NUMBER).await;
    let names = |reply: &crate::harness::api_caller::ApiResponse| -> Vec<String> {
        reply.body["actions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["name"].as_str().unwrap().to_owned())
            .collect()
    };
    // Without an authenticator app, a number signs in alone and makes `aal2` with a password.
    let up = world
        .start_flow_in_session(json!({"kind": "step_up", "assurance": "aal2"}), Some(&ana.session))
        .await;
    assert_eq!(names(&up.last), ["password", "sms_code"]);
    world.add_totp(&ana).await;
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    let second =
        walk.submit("password", json!({"email": ANA, "password": PASSWORD})).await.assert_status(200);
    assert_eq!(names(&second), ["totp", "restart"]);
    walk.try_submit("sms_code", json!({})).await.assert_problem(409, "conflict");
    // If the number comes first, the authenticator app is required after it, with or without the password.
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("sms_code", json!({"phone": NUMBER})).await.assert_status(200);
    let code = world.sms_code(NUMBER).await;
    assert_eq!(
        walk.submit("code", json!({"code": code})).await.assert_status(200).body["stage"],
        "second_factor"
    );
    assert_eq!(
        walk.submit("password", json!({"password": PASSWORD})).await.assert_status(200).body["stage"],
        "second_factor"
    );
    // Nor does it replace the app at a step-up.
    let up = world
        .start_flow_in_session(json!({"kind": "step_up", "assurance": "aal2"}), Some(&ana.session))
        .await;
    assert_eq!(names(&up.last), ["password", "totp"]);
    up.try_submit("sms_code", json!({})).await.assert_problem(409, "conflict");
}

async fn sms_code_for_an_unknown_number_returns_the_same_response_and_old_or_foreign_codes_fail(
    world: &World,
) {
    let ana = world.create_user(ANA).await;
    world.add_verified_phone(ana.account, NUMBER).await;
    let (mut client, mut unknown) = (
        world.start_flow(json!({"kind": "sign_in"})).await,
        world.start_flow(json!({"kind": "sign_in"})).await,
    );
    let one = client.submit("sms_code", json!({"phone": NUMBER})).await.assert_status(200);
    let other = unknown.submit("sms_code", json!({"phone": "+5581999991111"})).await.assert_status(200);
    assert_eq!((one.text.len(), &one.body["stage"]), (other.text.len(), &other.body["stage"]));
    assert_eq!((world.count_sms_to(NUMBER).await, world.count_sms_to("+5581999991111").await), (1, 0));
    let code = world.sms_code(NUMBER).await;
    unknown.submit("code", json!({"code": code})).await.assert_problem(422, "unprocessable");
    world.clock.advance(SMS_CODE_LIFETIME);
    client.submit("code", json!({"code": code})).await.assert_problem(422, "unprocessable");
    // A number that was removed meanwhile does not count either.
    let mut late = world.start_flow(json!({"kind": "sign_in"})).await;
    late.submit("sms_code", json!({"phone": NUMBER})).await.assert_status(200);
    let code = world.sms_code(NUMBER).await;
    world.apply_statements([contacts::delete_account_contacts(ana.account)]).await;
    late.submit("code", json!({"code": code})).await.assert_problem(422, "unprocessable");
}
