//! Proving more while signed in, confirming an address, and choosing another password.

use crate::both_engines;
use crate::harness::api::ApiRequest;
use crate::harness::person::PASSWORD;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_core::id::ContactId;
use sinete_core::time::Lifetime;
use sinete_engine::sessions;
use sinete_store::contacts::{self, ContactKind, NewContact};

both_engines!(
    stepping_up_proves_it_again_under_a_new_token,
    a_level_that_is_out_of_reach_is_said_to_be_so,
    an_address_is_confirmed_by_whoever_reads_it_and_others_lose_their_claim,
    a_password_is_changed_by_whoever_knows_the_old_one_and_others_are_signed_out
);

async fn stepping_up_proves_it_again_under_a_new_token(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    world.clock.pass(Lifetime::from_hours(2));
    let mut walk = world.flow_as(json!({"kind": "step_up"}), Some(&ana.session)).await;
    assert_eq!((walk.stage(), &walk.last.body["actions"][0]["name"]), ("reauthenticate", &json!("password")));
    walk.says("password", json!({"password": "wrong wrong wrong wrong"})).await.refused(422, "unprocessable");
    walk.says("password", json!({"email": "bia@example.com", "password": PASSWORD}))
        .await
        .refused(422, "unprocessable");
    let done = walk.says("password", json!({"password": PASSWORD})).await.is(200);
    assert_eq!(done.body["stage"], "signed_in");
    assert!(!ana.is_signed_in().await, "the old token is worth nothing");
    let engine = world.server.engine();
    let renewed = sessions::find(engine, &done.text_of("session_token")).await.unwrap().unwrap();
    assert_eq!((renewed.session.account, renewed.session.authenticated_at), (ana.account, engine.now()));
    assert_eq!(sessions::list(engine, ana.account).await.unwrap().len(), 1);
}

async fn a_level_that_is_out_of_reach_is_said_to_be_so(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let wanted = json!({"kind": "step_up", "assurance": "aal2", "session": "token"});
    let headers = || vec![("authorization", format!("Session {}", ana.session))];
    let asked = ApiRequest { body: Some(wanted), headers: headers(), ..ApiRequest::default() };
    world.ask(Method::POST, "/flows", asked).await.refused(409, "conflict");
    let asked = ApiRequest {
        body: Some(json!({"kind": "step_up", "session": "token"})),
        headers: vec![("authorization", "Session sn_se_nonsense".to_owned())],
        ..ApiRequest::default()
    };
    world.ask(Method::POST, "/flows", asked).await.refused(401, "unauthenticated");
}

async fn an_address_is_confirmed_by_whoever_reads_it_and_others_lose_their_claim(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let squatter = world.somebody("squatter@example.com").await;
    let engine = world.server.engine();
    let claim = |account| {
        let (now, id) = (engine.now(), ContactId::mint(engine.now(), engine.entropy()));
        let address = "new@example.com";
        contacts::add(&NewContact {
            id,
            account,
            kind: ContactKind::Email,
            address,
            lookup: address,
            is_primary: false,
            created_at: now,
        })
    };
    world.happens([claim(squatter.account), claim(ana.account)]).await;
    let mut walk =
        world.flow_as(json!({"kind": "verify_email", "email": "NEW@example.com"}), Some(&ana.session)).await;
    let code = world.mailed_code("new@example.com").await;
    walk.says("code", json!({"code": "00000000"})).await.refused(422, "unprocessable");
    let done = walk.says("code", json!({"code": code})).await.is(200);
    assert_eq!(done.body["stage"], "email_verified");
    assert!(done.body.get("session_token").is_none());
    let owner = contacts::find_verified(engine.store(), ContactKind::Email, "new@example.com")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(owner.account, ana.account);
    let left = contacts::of_account(engine.store(), squatter.account).await.unwrap();
    assert_eq!(left.iter().map(|it| it.lookup.as_str()).collect::<Vec<_>>(), ["squatter@example.com"]);
    let asked = ApiRequest {
        body: Some(json!({"kind": "verify_email", "session": "token"})),
        headers: vec![("authorization", format!("Session {}", ana.session))],
        ..ApiRequest::default()
    };
    world.ask(Method::POST, "/flows", asked).await.refused(409, "conflict");
}

async fn a_password_is_changed_by_whoever_knows_the_old_one_and_others_are_signed_out(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let elsewhere = world.sign_in("ana@example.com", PASSWORD).await.is(200).text_of("session_token");
    let change = async |session: &str, body: serde_json::Value| {
        let headers = vec![("authorization", format!("Session {session}"))];
        world
            .ask(
                Method::POST,
                "/account/password",
                ApiRequest { body: Some(body), headers, ..ApiRequest::default() },
            )
            .await
    };
    let new = "a new kettle sings";
    let told = change(&ana.session, json!({"password": new})).await.refused(422, "unprocessable");
    assert_eq!(told.faults(), ["/current_password"]);
    change(&ana.session, json!({"current_password": "wrong wrong wrong wrong", "password": new}))
        .await
        .refused(422, "unprocessable");
    let told = change(&ana.session, json!({"current_password": PASSWORD, "password": "too short"})).await;
    assert_eq!(told.refused(422, "unprocessable").faults(), ["/password"]);
    let done = change(&ana.session, json!({"current_password": PASSWORD, "password": new})).await.is(200);
    let engine = world.server.engine();
    let kept = done.text_of("session_token");
    assert!(sessions::find(engine, &kept).await.unwrap().is_some());
    assert!(!ana.is_signed_in().await && sessions::find(engine, &elsewhere).await.unwrap().is_none());
    assert!(world.newest_mail("ana@example.com").await.len() > 20);
    world.sign_in("ana@example.com", PASSWORD).await.refused(422, "unprocessable");
    world.sign_in("ana@example.com", new).await.is(200);
    // A session that is not fresh is asked to prove it again (RFC 9470).
    world.clock.pass(Lifetime::from_minutes(6));
    let stale = change(&kept, json!({"current_password": new, "password": PASSWORD})).await;
    let stale = stale.refused(401, "insufficient_user_authentication");
    assert!(stale.headers["www-authenticate"].to_str().unwrap().contains("max_age=\"300\""));
}
