//! Sign-in: one flow, its own token, and one action after another.

use crate::both_engines;
use crate::harness::api_caller::ApiRequest;
use crate::harness::flow_client::PASSWORD;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::limits::FLOW_LIFETIME;
use sinete_store::accounts;

both_engines!(
    password_sign_in_returns_the_session_token_once,
    email_code_signs_in_once,
    flow_action_out_of_order_repeated_or_empty_changes_nothing,
    flow_accepts_its_own_token_only,
    flow_expires,
    account_disabled_during_sign_in_does_not_get_a_session,
    flow_of_an_unknown_kind_or_with_unexpected_members_is_refused
);

async fn password_sign_in_returns_the_session_token_once(world: &World) {
    world.create_user("ana@example.com").await;
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    let names: Vec<_> =
        walk.last.body["actions"].as_array().unwrap().iter().map(|it| it["name"].clone()).collect();
    assert_eq!(names, [json!("passkey"), json!("password"), json!("email"), json!("sms_code")]);
    let schema = &walk.last.body["actions"][1]["schema"];
    assert_eq!(schema["required"], json!(["email", "password"]));
    assert_eq!(walk.read_flow().await.assert_status(200).body["stage"], "sign_in");
    let response = walk
        .submit("password", json!({"email": "ANA@example.com", "password": PASSWORD}))
        .await
        .assert_status(200);
    assert!(response.text_member("session_token").starts_with("sn_se_"));
    assert!(response.headers.get("set-cookie").is_none());
    walk.read_flow().await.assert_problem(410, "gone");
    walk.try_submit("password", json!({"email": "ana@example.com", "password": PASSWORD}))
        .await
        .assert_problem(409, "conflict");
}

async fn email_code_signs_in_once(world: &World) {
    world.create_user("ana@example.com").await;
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("email", json!({"email": "ana@example.com"})).await.assert_status(200);
    let code = world.emailed_code("ana@example.com").await;
    // A code of one flow is not accepted in another.
    let mut other = world.start_flow(json!({"kind": "reset_password"})).await;
    world.clock.advance(sinete_core::limits::EMAIL_CODE_INTERVAL);
    other.submit("email", json!({"email": "ana@example.com"})).await.assert_status(200);
    other.submit("code", json!({"code": code})).await.assert_problem(422, "unprocessable");
    assert_eq!(
        walk.submit("code", json!({"code": code})).await.assert_status(200).body["stage"],
        "signed_in"
    );
    walk.try_submit("code", json!({"code": code})).await.assert_problem(409, "conflict");
}

async fn flow_action_out_of_order_repeated_or_empty_changes_nothing(world: &World) {
    world.create_user("ana@example.com").await;
    let walk = world.start_flow(json!({"kind": "sign_in"})).await;
    for (action, body) in [
        ("code", json!({"code": "12345678"})),
        ("new_password", json!({"password": PASSWORD})),
        ("consent", json!({"allow": true})),
        ("choose_organization", json!({"organization": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071"})),
        ("details", json!({"email": "a@b.example", "password": PASSWORD})),
        ("resend", json!({})),
        ("restart", json!({})),
    ] {
        walk.try_submit(action, body).await.assert_problem(409, "conflict");
    }
    walk.try_submit("password", json!({})).await.assert_problem(422, "unprocessable");
    walk.try_submit("no_such_action", json!({})).await.assert_problem(404, "not_found");
    assert_eq!(walk.read_flow().await.assert_status(200).body["stage"], "sign_in");
}

async fn flow_accepts_its_own_token_only(world: &World) {
    let walk = world.start_flow(json!({"kind": "sign_in"})).await;
    let other = world.start_flow(json!({"kind": "sign_in"})).await;
    let mut mixed = walk.clone();
    mixed.token = other.token.clone();
    mixed.read_flow().await.assert_problem(404, "not_found");
    mixed
        .try_submit("password", json!({"email": "a@b.example", "password": "x"}))
        .await
        .assert_problem(404, "not_found");
    mixed.token = Some("sn_fl_nonsense".into());
    mixed.read_flow().await.assert_problem(404, "not_found");
    let response =
        world.send_request(Method::GET, &format!("/flows/{}", walk.id), ApiRequest::default()).await;
    response.assert_problem(401, "unauthenticated");
    // The token of a program's flow is not accepted as a cookie.
    let cookie = format!("sinete_flow={}", walk.token.clone().unwrap());
    let request = ApiRequest { headers: vec![("cookie", cookie)], ..ApiRequest::default() };
    world
        .send_request(Method::GET, &format!("/flows/{}", walk.id), request)
        .await
        .assert_problem(404, "not_found");
    let both = vec![("cookie", "sinete_flow=x".to_owned()), walk.headers().remove(0)];
    let request = ApiRequest { headers: both, ..ApiRequest::default() };
    world
        .send_request(Method::GET, &format!("/flows/{}", walk.id), request)
        .await
        .assert_problem(400, "invalid_request");
}

async fn flow_expires(world: &World) {
    world.create_user("ana@example.com").await;
    let walk = world.start_flow(json!({"kind": "sign_in"})).await;
    world.clock.advance(FLOW_LIFETIME);
    walk.read_flow().await.assert_problem(410, "gone");
    let body = json!({"email": "ana@example.com", "password": PASSWORD});
    walk.try_submit("password", body).await.assert_problem(410, "gone");
}

async fn account_disabled_during_sign_in_does_not_get_a_session(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("email", json!({"email": "ana@example.com"})).await.assert_status(200);
    let code = world.emailed_code("ana@example.com").await;
    let account = accounts::find_account(world.server.engine().store(), ana.account).await.unwrap().unwrap();
    let now = world.server.engine().now();
    world
        .apply_statements([accounts::change_account_condition(
            ana.account,
            account.version,
            LifecycleCondition::Suspended,
            now,
        )])
        .await;
    assert!(!ana.is_signed_in().await);
    walk.submit("code", json!({"code": code})).await.assert_problem(422, "unprocessable");
    world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_problem(422, "unprocessable");
}

async fn flow_of_an_unknown_kind_or_with_unexpected_members_is_refused(world: &World) {
    let start = async |body: serde_json::Value| {
        world
            .send_request(Method::POST, "/flows", ApiRequest { body: Some(body), ..ApiRequest::default() })
            .await
    };
    start(json!({"kind": "authorize", "session": "token"})).await.assert_problem(422, "unprocessable");
    start(json!({"kind": "nonsense"})).await.assert_problem(422, "unprocessable");
    start(json!({})).await.assert_problem(422, "unprocessable");
    let response = start(json!({"kind": "sign_in", "session": "token", "email": "a@b.example"})).await;
    assert_eq!(response.assert_problem(422, "unprocessable").fault_pointers(), ["/email"]);
    start(json!({"kind": "step_up", "session": "token"})).await.assert_problem(401, "unauthenticated");
    start(json!({"kind": "verify_email", "session": "token"})).await.assert_problem(401, "unauthenticated");
    let token = "sn_in_nonsense";
    start(json!({"kind": "accept_invitation", "session": "token", "token": token}))
        .await
        .assert_problem(404, "not_found");
    start(json!({"kind": "first_operator", "session": "token", "token": token}))
        .await
        .assert_problem(404, "not_found");
}
