//! Step-up, verifying an address, and changing the password.

use crate::both_engines;
use crate::harness::api_caller::ApiRequest;
use crate::harness::flow_client::PASSWORD;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_core::id::ContactId;
use sinete_core::time::Lifetime;
use sinete_engine::sign_in::sessions;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::{ContactKind, NewContact};

both_engines!(
    step_up_authenticates_again_under_a_new_session_token,
    step_up_to_an_unreachable_assurance_or_without_a_session_is_refused,
    contact_verification_ends_unverified_claims_of_other_accounts,
    password_change_needs_the_current_one_and_ends_other_sessions
);

async fn step_up_authenticates_again_under_a_new_session_token(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    world.clock.advance(Lifetime::from_hours(2));
    let mut walk = world.start_flow_in_session(json!({"kind": "step_up"}), Some(&ana.session)).await;
    assert_eq!((walk.stage(), &walk.last.body["actions"][0]["name"]), ("reauthenticate", &json!("password")));
    walk.submit("password", json!({"password": "wrong wrong wrong wrong"}))
        .await
        .assert_problem(422, "unprocessable");
    walk.submit("password", json!({"email": "bia@example.com", "password": PASSWORD}))
        .await
        .assert_problem(422, "unprocessable");
    let response = walk.submit("password", json!({"password": PASSWORD})).await.assert_status(200);
    assert_eq!(response.body["stage"], "signed_in");
    assert!(!ana.is_signed_in().await, "the previous session token is invalid");
    let engine = world.server.engine();
    let renewed = sessions::find(engine, &response.text_member("session_token")).await.unwrap().unwrap();
    assert_eq!((renewed.session.account, renewed.session.authenticated_at), (ana.account, engine.now()));
    assert_eq!(sessions::list(engine, ana.account).await.unwrap().len(), 1);
}

async fn step_up_to_an_unreachable_assurance_or_without_a_session_is_refused(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let flow_request = json!({"kind": "step_up", "assurance": "aal2", "session": "token"});
    let headers = || vec![("authorization", format!("Session {}", ana.session))];
    let request = ApiRequest { body: Some(flow_request), headers: headers(), ..ApiRequest::default() };
    world.send_request(Method::POST, "/flows", request).await.assert_problem(409, "conflict");
    let request = ApiRequest {
        body: Some(json!({"kind": "step_up", "session": "token"})),
        headers: vec![("authorization", "Session sn_se_nonsense".to_owned())],
        ..ApiRequest::default()
    };
    world.send_request(Method::POST, "/flows", request).await.assert_problem(401, "unauthenticated");
}

async fn contact_verification_ends_unverified_claims_of_other_accounts(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let squatter = world.create_user("squatter@example.com").await;
    let engine = world.server.engine();
    let claim = |account| {
        let (now, id) = (engine.now(), ContactId::mint(engine.now(), engine.entropy()));
        let address = "new@example.com";
        contacts::add_contact(&NewContact {
            id,
            account,
            kind: ContactKind::Email,
            address,
            lookup: address,
            is_primary: false,
            created_at: now,
        })
    };
    world.apply_statements([claim(squatter.account), claim(ana.account)]).await;
    let mut walk = world
        .start_flow_in_session(
            json!({"kind": "verify_email", "email": "NEW@example.com"}),
            Some(&ana.session),
        )
        .await;
    let code = world.emailed_code("new@example.com").await;
    walk.submit("code", json!({"code": "00000000"})).await.assert_problem(422, "unprocessable");
    let response = walk.submit("code", json!({"code": code})).await.assert_status(200);
    assert_eq!(response.body["stage"], "email_verified");
    assert!(response.body.get("session_token").is_none());
    let owner = contacts::find_verified_contact(engine.store(), ContactKind::Email, "new@example.com")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(owner.account, ana.account);
    let remaining_contacts = contacts::list_account_contacts(engine.store(), squatter.account).await.unwrap();
    assert_eq!(
        remaining_contacts.iter().map(|it| it.lookup.as_str()).collect::<Vec<_>>(),
        ["squatter@example.com"]
    );
    let request = ApiRequest {
        body: Some(json!({"kind": "verify_email", "session": "token"})),
        headers: vec![("authorization", format!("Session {}", ana.session))],
        ..ApiRequest::default()
    };
    world.send_request(Method::POST, "/flows", request).await.assert_problem(409, "conflict");
}

async fn password_change_needs_the_current_one_and_ends_other_sessions(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let elsewhere = world
        .sign_in_with_password("ana@example.com", PASSWORD)
        .await
        .assert_status(200)
        .text_member("session_token");
    let change = async |session: &str, body: serde_json::Value| {
        let headers = vec![("authorization", format!("Session {session}"))];
        world
            .send_request(
                Method::POST,
                "/account/password",
                ApiRequest { body: Some(body), headers, ..ApiRequest::default() },
            )
            .await
    };
    let new = "a new kettle sings";
    let response = change(&ana.session, json!({"password": new})).await.assert_problem(422, "unprocessable");
    assert_eq!(response.fault_pointers(), ["/current_password"]);
    change(&ana.session, json!({"current_password": "wrong wrong wrong wrong", "password": new}))
        .await
        .assert_problem(422, "unprocessable");
    let response = change(&ana.session, json!({"current_password": PASSWORD, "password": "too short"})).await;
    assert_eq!(response.assert_problem(422, "unprocessable").fault_pointers(), ["/password"]);
    let response =
        change(&ana.session, json!({"current_password": PASSWORD, "password": new})).await.assert_status(200);
    let engine = world.server.engine();
    let session_token = response.text_member("session_token");
    assert!(sessions::find(engine, &session_token).await.unwrap().is_some());
    assert!(!ana.is_signed_in().await && sessions::find(engine, &elsewhere).await.unwrap().is_none());
    assert!(world.newest_email_text("ana@example.com").await.len() > 20);
    world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_problem(422, "unprocessable");
    world.sign_in_with_password("ana@example.com", new).await.assert_status(200);
    // A session without a recent authentication gets a challenge (RFC 9470).
    world.clock.advance(Lifetime::from_minutes(6));
    let stale = change(&session_token, json!({"current_password": new, "password": PASSWORD})).await;
    let stale = stale.assert_problem(401, "insufficient_user_authentication");
    assert!(stale.headers["www-authenticate"].to_str().unwrap().contains("max_age=\"300\""));
}
