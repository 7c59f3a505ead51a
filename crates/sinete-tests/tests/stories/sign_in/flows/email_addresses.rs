//! E-mail addresses as users type them, and malicious ones.

use crate::both_engines;
use crate::harness::api_caller::ApiRequest;
use crate::harness::flow_client::PASSWORD;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};

/// Texts that a mail server or library could read as several recipients or as a header.
fn for_two() -> Vec<Value> {
    let addresses = [
        "",
        "ana@example.com,eve@evil.example",
        "ana@example.com;eve@evil.example",
        "ana@example.com eve@evil.example",
        "ana@example.com@evil.example",
        "ana@@example.com",
        "ana@example.com\r\nBcc: eve@evil.example",
        "ana@example.com\nBcc:eve@evil.example",
        "ana@example.com%0d%0aBcc:eve@evil.example",
        "Bcc:eve@evil.example",
        "Ana <ana@example.com>",
        "\"ana@example.com\"@evil.example",
        "ana@example.com\0",
    ];
    let lists = [json!(["ana@example.com", "eve@evil.example"]), json!({"0": "ana@example.com"}), json!(7)];
    addresses.into_iter().map(Value::from).chain(lists).collect()
}

both_engines!(
    email_address_for_two_recipients_is_refused_and_receives_nothing,
    email_address_homoglyph_signs_no_user_in_and_reaches_none,
    host_headers_never_change_emailed_links,
    failed_attempts_are_counted_across_sign_in_step_up_and_password_change,
    password_change_in_a_session_is_not_blocked_by_others_failed_attempts
);

async fn email_address_for_two_recipients_is_refused_and_receives_nothing(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let user = SignedInUser { world, account: ana.account, token: ana.session.clone() };
    for email in for_two() {
        for (kind, action) in [
            ("sign_in", "email"),
            ("sign_in", "password"),
            ("reset_password", "email"),
            ("sign_up", "details"),
        ] {
            let walk = world.start_flow(json!({"kind": kind})).await;
            let mut body = json!({"email": email});
            if action == "password" {
                body["password"] = PASSWORD.into();
            }
            let refused = walk.try_submit(action, body).await.assert_problem(422, "unprocessable");
            assert_eq!(refused.fault_pointers(), ["/email"], "{email} {}", refused.text);
            assert_eq!(walk.read_flow().await.assert_status(200).body["stage"], walk.last.body["stage"]);
        }
        let refused = user.post("/account/contacts", json!({"kind": "email", "address": email})).await;
        refused.assert_problem(422, "unprocessable");
    }
    world.deliver_messages().await;
    assert_eq!(world.mailbox.email_count(), 0, "no message was sent");
}

async fn email_address_homoglyph_signs_no_user_in_and_reaches_none(world: &World) {
    world.create_user("mike@example.com").await;
    for alike in [
        "m\u{131}ke@example.com",
        "\u{ff4d}ike@example.com",
        "mike@\u{435}xample.com",
        "mi\u{200d}ke@example.com",
        "mike@example.com.",
    ] {
        world.sign_in_with_password(alike, PASSWORD).await.assert_problem(422, "unprocessable");
        for kind in ["sign_in", "reset_password"] {
            let mut walk = world.start_flow(json!({"kind": kind})).await;
            let status = walk.submit("email", json!({"email": alike})).await.status;
            // A domain in another script is another domain; the rest are not addresses.
            assert!(
                [200, 422].contains(&status) && (status == 422 || alike.contains('\u{435}')),
                "{alike:?}: {status}"
            );
            world.clock.advance(sinete_core::limits::EMAIL_CODE_INTERVAL);
        }
    }
    world.deliver_messages().await;
    assert_eq!(world.mailbox.email_count(), 0);
    // Capital letters make the same address, and messages go to the verified one.
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("email", json!({"email": "MIKE@EXAMPLE.COM"})).await.assert_status(200);
    assert_eq!(world.count_emails_to("mike@example.com").await, 1);
}

async fn host_headers_never_change_emailed_links(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let role = owner.get(&acme.path("/roles")).await.assert_status(200).body["items"][0]["id"].clone();
    let forged = || {
        vec![
            ("host", "evil.example".to_owned()),
            ("x-forwarded-host", "evil.example".to_owned()),
            ("x-forwarded-proto", "gopher".to_owned()),
            ("x-forwarded-for", "not, an, address".to_owned()),
            ("forwarded", "for=\"_x\";host=evil.example;proto=https".to_owned()),
        ]
    };
    let request = ApiRequest {
        body: Some(json!({"kind": "sign_in", "session": "token"})),
        headers: forged(),
        ..ApiRequest::default()
    };
    let response = world.send_request(Method::POST, "/flows", request).await.assert_status(201);
    assert!(!response.text.contains("evil.example"), "{}", response.text);
    assert!(response.body["actions"][0]["href"].as_str().unwrap().starts_with(&world.origin()));
    // The flow is still at its first stage.
    assert_eq!(response.body["stage"], "sign_in");
    let invited = json!({"email": "ana@example.com", "roles": [role]});
    let request = ApiRequest { body: Some(invited), headers: forged(), ..ApiRequest::default() };
    owner.send_request(Method::POST, &acme.path("/invitations"), request).await.assert_status(201);
    let mail = world.newest_email_text("ana@example.com").await;
    assert!(mail.contains(&world.origin()) && !mail.contains("evil.example"), "{mail}");
}

async fn failed_attempts_are_counted_across_sign_in_step_up_and_password_change(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let user = SignedInUser { world, account: ana.account, token: ana.session.clone() };
    let step_up = async || {
        let mut walk = world.start_flow_in_session(json!({"kind": "step_up"}), Some(&ana.session)).await;
        walk.submit("password", json!({"password": "wrong wrong wrong wrong"})).await
    };
    let change = async || {
        let wrong = json!({"current_password": "wrong wrong wrong wrong", "password": "a new kettle sings"});
        user.post("/account/password", wrong).await
    };
    let guess = async |address: &str| world.sign_in_with_password(address, "wrong wrong wrong wrong").await;
    for _ in 0..3 {
        guess("ana@example.com").await.assert_problem(422, "unprocessable");
        guess("ANA@Example.com").await.assert_problem(422, "unprocessable");
    }
    // After six failures by unknown devices, every unknown device waits, however it spells the address.
    world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_problem(429, "too_many_requests");
    world.sign_in_with_password("ANA@Example.com", PASSWORD).await.assert_problem(429, "too_many_requests");
    // The session has one counter for both ways to guess.
    for _ in 0..3 {
        step_up().await.assert_problem(422, "unprocessable");
        change().await.assert_problem(422, "unprocessable");
    }
    step_up().await.assert_problem(429, "too_many_requests");
    change().await.assert_problem(429, "too_many_requests");
}

async fn password_change_in_a_session_is_not_blocked_by_others_failed_attempts(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    for _ in 0..6 {
        world
            .sign_in_with_password("ana@example.com", "wrong wrong wrong wrong")
            .await
            .assert_problem(422, "unprocessable");
    }
    world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_problem(429, "too_many_requests");
    let user = SignedInUser { world, account: ana.account, token: ana.session.clone() };
    let change = json!({"current_password": PASSWORD, "password": "a new kettle sings"});
    user.post("/account/password", change).await.assert_status(200);
}
