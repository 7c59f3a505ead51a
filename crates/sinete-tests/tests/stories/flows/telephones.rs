//! Digits by telephone: a number is proven, signs in, and adds possession to a password.

use crate::both_engines;
use crate::harness::api::ApiRequest;
use crate::harness::person::{PASSWORD, TestUser};
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_core::limits::{MAILED_CODE_PAUSE, TEXTED_CODE_LIFETIME};
use sinete_engine::sessions;
use sinete_store::{contacts, credentials};

const ANA: &str = "ana@example.com";
const NUMBER: &str = "+5581999990000";

async fn asks(
    person: &TestUser<'_>,
    method: Method,
    path: &str,
    body: Option<serde_json::Value>,
) -> crate::harness::api::ApiResponse {
    let headers = vec![("authorization", format!("Session {}", person.session))];
    person.world.ask(method, path, ApiRequest { body, headers, ..ApiRequest::default() }).await
}

both_engines!(
    a_number_is_added_proven_and_removed,
    digits_by_telephone_sign_in_at_the_lowest_level_once,
    digits_by_telephone_follow_a_password_where_the_application_was_closed,
    sms_code_does_not_stand_in_for_an_authenticator_application,
    a_number_that_is_nobodys_is_answered_alike_and_old_or_foreign_digits_prove_nothing
);

async fn a_number_is_added_proven_and_removed(world: &World) {
    let ana = world.somebody(ANA).await;
    let added = asks(
        &ana,
        Method::POST,
        "/account/contacts",
        Some(json!({"kind": "phone", "address": "+55 81 99999-0000"})),
    )
    .await
    .is(201);
    let mut walk = world.flow_as(json!({"kind": "verify_phone"}), Some(&ana.session)).await;
    assert_eq!(walk.stage(), "texted_proof");
    let code = world.texted_code(NUMBER).await;
    assert!(code.len() == 6 && code.bytes().all(|byte| byte.is_ascii_digit()), "{code}");
    walk.says("code", json!({"code": "000000"})).await.refused(422, "unprocessable");
    assert_eq!(walk.says("code", json!({"code": code})).await.is(200).body["stage"], "phone_verified");
    let engine = world.server.engine();
    let owner = contacts::find_verified(engine.store(), contacts::ContactKind::Phone, NUMBER).await.unwrap();
    assert_eq!(owner.map(|contact| contact.account), Some(ana.account));
    // What somebody else could have done is told.
    assert!(world.newest_mail(ANA).await.contains(NUMBER));
    // Nothing is left to prove, and whoever has no session proves nothing.
    let again = ApiRequest {
        body: Some(json!({"kind": "verify_phone", "session": "token"})),
        headers: vec![("authorization", format!("Session {}", ana.session))],
        ..ApiRequest::default()
    };
    world.ask(Method::POST, "/flows", again).await.refused(409, "conflict");
    let nobody = ApiRequest {
        body: Some(json!({"kind": "verify_phone", "session": "token"})),
        ..ApiRequest::default()
    };
    world.ask(Method::POST, "/flows", nobody).await.refused(401, "unauthenticated");
    // It makes the higher level with a password, and is not demanded.
    let path = format!("/account/contacts/{}", added.text_of("id"));
    let mut usual = world.flow_as(json!({"kind": "step_up"}), Some(&ana.session)).await;
    let done = usual.says("password", json!({"password": PASSWORD})).await.is(200);
    let ana = world.holding(&done.text_of("session_token")).await;
    let mut more = world.flow_as(json!({"kind": "step_up", "assurance": "aal2"}), Some(&ana.session)).await;
    world.clock.pass(MAILED_CODE_PAUSE);
    more.says("password", json!({"password": PASSWORD})).await.is(200);
    more.says("sms_code", json!({})).await.is(200);
    let code = world.texted_code(NUMBER).await;
    let done = more.says("code", json!({"code": code})).await.is(200);
    let ana = world.holding(&done.text_of("session_token")).await;
    asks(&ana, Method::DELETE, &path, None).await.is(204);
    assert!(
        contacts::find_verified(engine.store(), contacts::ContactKind::Phone, NUMBER)
            .await
            .unwrap()
            .is_none()
    );
}

async fn digits_by_telephone_sign_in_at_the_lowest_level_once(world: &World) {
    let ana = world.somebody(ANA).await;
    world.has_telephone(ana.account, NUMBER).await;
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    let offered =
        walk.last.body["actions"].as_array().unwrap().iter().find(|it| it["name"] == "sms_code").unwrap();
    assert_eq!(offered["restricted"], true);
    assert_eq!(walk.says("sms_code", json!({"phone": NUMBER})).await.is(200).body["stage"], "texted_proof");
    let code = world.texted_code(NUMBER).await;
    let done = walk.says("code", json!({"code": code})).await.is(200);
    let token = done.text_of("session_token");
    let found = sessions::find(world.server.engine(), &token).await.unwrap().unwrap();
    assert_eq!((found.session.account, found.assurance.acr()), (ana.account, "urn:sinete:aal:1"));
    assert_eq!(found.evidence.methods().into_iter().collect::<Vec<_>>(), ["sms"]);
    walk.tries("code", json!({"code": code})).await.refused(409, "conflict");
    for bad in [
        json!({"phone": "12345"}),
        json!({"phone": "+55819999\u{0}90000"}),
        json!({}),
        json!({"phone": [NUMBER]}),
    ] {
        let walk = world.flow(json!({"kind": "sign_in"})).await;
        walk.tries("sms_code", bad).await.refused(422, "unprocessable");
    }
}

async fn digits_by_telephone_follow_a_password_where_the_application_was_closed(world: &World) {
    let ana = world.somebody(ANA).await;
    world.has_totp(&ana).await;
    world.has_telephone(ana.account, NUMBER).await;
    let kept = credentials::of_account(world.server.engine().store(), ana.account).await.unwrap();
    let app = kept.iter().find(|it| it.kind == credentials::StoredCredentialKind::Totp).unwrap();
    world.happens([credentials::disable(app, world.server.engine().now())]).await;
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    walk.says("password", json!({"email": ANA, "password": PASSWORD})).await.is(200);
    walk.tries("sms_code", json!({"phone": "+5581999991111"})).await.refused(422, "unprocessable");
    walk.says("sms_code", json!({})).await.is(200);
    assert_eq!(world.texts_to(NUMBER).await, 1);
    assert_eq!(walk.says("restart", json!({})).await.is(200).body["stage"], "second_factor");
    world.clock.pass(MAILED_CODE_PAUSE);
    walk.says("sms_code", json!({})).await.is(200);
    let code = world.texted_code(NUMBER).await;
    let done = walk.says("code", json!({"code": code})).await.is(200);
    let found = sessions::find(world.server.engine(), &done.text_of("session_token")).await.unwrap().unwrap();
    assert_eq!(found.assurance.acr(), "urn:sinete:aal:2");
    assert_eq!(found.evidence.methods().into_iter().collect::<Vec<_>>(), ["mfa", "pwd", "sms"]);
}

async fn sms_code_does_not_stand_in_for_an_authenticator_application(world: &World) {
    let ana = world.somebody(ANA).await;
    world.has_telephone(ana.account, NUMBER).await;
    let names = |reply: &crate::harness::api::ApiResponse| -> Vec<String> {
        reply.body["actions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["name"].as_str().unwrap().to_owned())
            .collect()
    };
    // Before there is an application, a number signs in alone, and makes the higher level with a password.
    let up = world.flow_as(json!({"kind": "step_up", "assurance": "aal2"}), Some(&ana.session)).await;
    assert_eq!(names(&up.last), ["password", "sms_code"]);
    world.has_totp(&ana).await;
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    let second = walk.says("password", json!({"email": ANA, "password": PASSWORD})).await.is(200);
    assert_eq!(names(&second), ["totp", "restart"]);
    walk.tries("sms_code", json!({})).await.refused(409, "conflict");
    // Where the number comes first, digits of the application are asked for after it, with the password or without.
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    walk.says("sms_code", json!({"phone": NUMBER})).await.is(200);
    let code = world.texted_code(NUMBER).await;
    assert_eq!(walk.says("code", json!({"code": code})).await.is(200).body["stage"], "second_factor");
    assert_eq!(
        walk.says("password", json!({"password": PASSWORD})).await.is(200).body["stage"],
        "second_factor"
    );
    // Nor does it at a step-up.
    let up = world.flow_as(json!({"kind": "step_up", "assurance": "aal2"}), Some(&ana.session)).await;
    assert_eq!(names(&up.last), ["password", "totp"]);
    up.tries("sms_code", json!({})).await.refused(409, "conflict");
}

async fn a_number_that_is_nobodys_is_answered_alike_and_old_or_foreign_digits_prove_nothing(world: &World) {
    let ana = world.somebody(ANA).await;
    world.has_telephone(ana.account, NUMBER).await;
    let (mut known, mut unknown) =
        (world.flow(json!({"kind": "sign_in"})).await, world.flow(json!({"kind": "sign_in"})).await);
    let one = known.says("sms_code", json!({"phone": NUMBER})).await.is(200);
    let other = unknown.says("sms_code", json!({"phone": "+5581999991111"})).await.is(200);
    assert_eq!((one.text.len(), &one.body["stage"]), (other.text.len(), &other.body["stage"]));
    assert_eq!((world.texts_to(NUMBER).await, world.texts_to("+5581999991111").await), (1, 0));
    let code = world.texted_code(NUMBER).await;
    unknown.says("code", json!({"code": code})).await.refused(422, "unprocessable");
    world.clock.pass(TEXTED_CODE_LIFETIME);
    known.says("code", json!({"code": code})).await.refused(422, "unprocessable");
    // A number that was given up in between proves nothing either.
    let mut late = world.flow(json!({"kind": "sign_in"})).await;
    late.says("sms_code", json!({"phone": NUMBER})).await.is(200);
    let code = world.texted_code(NUMBER).await;
    world.happens([contacts::forget_all(ana.account)]).await;
    late.says("code", json!({"code": code})).await.refused(422, "unprocessable");
}
