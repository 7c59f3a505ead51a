//! Signing in: one flow, its own token, each answer in its turn.

use crate::both_engines;
use crate::harness::api::ApiRequest;
use crate::harness::person::PASSWORD;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_core::limits::FLOW_LIFETIME;
use sinete_core::people::LifecycleCondition;
use sinete_store::accounts;

both_engines!(
    a_password_signs_in_and_the_session_is_told_once,
    a_code_by_mail_signs_in_once,
    what_is_out_of_turn_twice_or_empty_changes_nothing,
    a_flow_answers_to_its_own_token_only,
    a_flow_ends_by_itself,
    whoever_is_disabled_on_the_way_does_not_arrive,
    a_kind_that_does_not_exist_or_brings_what_it_should_not_is_refused
);

async fn a_password_signs_in_and_the_session_is_told_once(world: &World) {
    world.somebody("ana@example.com").await;
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    let names: Vec<_> =
        walk.last.body["actions"].as_array().unwrap().iter().map(|it| it["name"].clone()).collect();
    assert_eq!(names, [json!("password"), json!("passkey"), json!("email"), json!("sms_code")]);
    let schema = &walk.last.body["actions"][0]["schema"];
    assert_eq!(schema["required"], json!(["email", "password"]));
    assert_eq!(walk.looks().await.is(200).body["stage"], "sign_in");
    let done = walk.says("password", json!({"email": "ANA@example.com", "password": PASSWORD})).await.is(200);
    assert!(done.text_of("session_token").starts_with("sn_se_"));
    assert!(done.headers.get("set-cookie").is_none());
    walk.looks().await.refused(410, "gone");
    walk.tries("password", json!({"email": "ana@example.com", "password": PASSWORD}))
        .await
        .refused(409, "conflict");
}

async fn a_code_by_mail_signs_in_once(world: &World) {
    world.somebody("ana@example.com").await;
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    walk.says("email", json!({"email": "ana@example.com"})).await.is(200);
    let code = world.mailed_code("ana@example.com").await;
    // A code of one flow is nothing in another.
    let mut other = world.flow(json!({"kind": "reset_password"})).await;
    world.clock.pass(sinete_core::limits::MAILED_CODE_PAUSE);
    other.says("email", json!({"email": "ana@example.com"})).await.is(200);
    other.says("code", json!({"code": code})).await.refused(422, "unprocessable");
    assert_eq!(walk.says("code", json!({"code": code})).await.is(200).body["stage"], "signed_in");
    walk.tries("code", json!({"code": code})).await.refused(409, "conflict");
}

async fn what_is_out_of_turn_twice_or_empty_changes_nothing(world: &World) {
    world.somebody("ana@example.com").await;
    let walk = world.flow(json!({"kind": "sign_in"})).await;
    for (action, body) in [
        ("code", json!({"code": "12345678"})),
        ("new_password", json!({"password": PASSWORD})),
        ("consent", json!({"allow": true})),
        ("choose_organization", json!({"organization": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071"})),
        ("details", json!({"email": "a@b.example", "password": PASSWORD})),
        ("resend", json!({})),
        ("restart", json!({})),
    ] {
        walk.tries(action, body).await.refused(409, "conflict");
    }
    walk.tries("password", json!({})).await.refused(422, "unprocessable");
    walk.tries("no_such_action", json!({})).await.refused(404, "not_found");
    assert_eq!(walk.looks().await.is(200).body["stage"], "sign_in");
}

async fn a_flow_answers_to_its_own_token_only(world: &World) {
    let walk = world.flow(json!({"kind": "sign_in"})).await;
    let other = world.flow(json!({"kind": "sign_in"})).await;
    let mut mixed = walk.clone();
    mixed.token = other.token.clone();
    mixed.looks().await.refused(404, "not_found");
    mixed.tries("password", json!({"email": "a@b.example", "password": "x"})).await.refused(404, "not_found");
    mixed.token = Some("sn_fl_nonsense".into());
    mixed.looks().await.refused(404, "not_found");
    let nobody = world.ask(Method::GET, &format!("/flows/{}", walk.id), ApiRequest::default()).await;
    nobody.refused(401, "unauthenticated");
    // A token that is told is not taken from a cookie.
    let cookie = format!("flow={}", walk.token.clone().unwrap());
    let asked = ApiRequest { headers: vec![("cookie", cookie)], ..ApiRequest::default() };
    world.ask(Method::GET, &format!("/flows/{}", walk.id), asked).await.refused(404, "not_found");
    let both = vec![("cookie", "flow=x".to_owned()), walk.headers().remove(0)];
    let asked = ApiRequest { headers: both, ..ApiRequest::default() };
    world.ask(Method::GET, &format!("/flows/{}", walk.id), asked).await.refused(400, "invalid_request");
}

async fn a_flow_ends_by_itself(world: &World) {
    world.somebody("ana@example.com").await;
    let walk = world.flow(json!({"kind": "sign_in"})).await;
    world.clock.pass(FLOW_LIFETIME);
    walk.looks().await.refused(410, "gone");
    let body = json!({"email": "ana@example.com", "password": PASSWORD});
    walk.tries("password", body).await.refused(410, "gone");
}

async fn whoever_is_disabled_on_the_way_does_not_arrive(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    walk.says("email", json!({"email": "ana@example.com"})).await.is(200);
    let code = world.mailed_code("ana@example.com").await;
    let account = accounts::find(world.server.engine().store(), ana.account).await.unwrap().unwrap();
    let now = world.server.engine().now();
    world
        .happens([accounts::change_condition(
            ana.account,
            account.version,
            LifecycleCondition::Suspended,
            now,
        )])
        .await;
    assert!(!ana.is_signed_in().await);
    walk.says("code", json!({"code": code})).await.refused(422, "unprocessable");
    world.sign_in("ana@example.com", PASSWORD).await.refused(422, "unprocessable");
}

async fn a_kind_that_does_not_exist_or_brings_what_it_should_not_is_refused(world: &World) {
    let start = async |body: serde_json::Value| {
        world.ask(Method::POST, "/flows", ApiRequest { body: Some(body), ..ApiRequest::default() }).await
    };
    start(json!({"kind": "authorize", "session": "token"})).await.refused(422, "unprocessable");
    start(json!({"kind": "nonsense"})).await.refused(422, "unprocessable");
    start(json!({})).await.refused(422, "unprocessable");
    let told = start(json!({"kind": "sign_in", "session": "token", "email": "a@b.example"})).await;
    assert_eq!(told.refused(422, "unprocessable").faults(), ["/email"]);
    start(json!({"kind": "step_up", "session": "token"})).await.refused(401, "unauthenticated");
    start(json!({"kind": "verify_email", "session": "token"})).await.refused(401, "unauthenticated");
    let token = "sn_in_nonsense";
    start(json!({"kind": "accept_invitation", "session": "token", "token": token}))
        .await
        .refused(404, "not_found");
    start(json!({"kind": "first_operator", "session": "token", "token": token}))
        .await
        .refused(404, "not_found");
}
