//! Addresses as people type them, and as others would like us to read them.

use crate::both_engines;
use crate::harness::api::ApiRequest;
use crate::harness::oneself::SignedInUser;
use crate::harness::person::PASSWORD;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};

/// Texts that some mail server or some library would take for more than one recipient, or for a header.
fn for_two() -> Vec<Value> {
    let texts = [
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
    texts.into_iter().map(Value::from).chain(lists).collect()
}

both_engines!(
    an_address_that_could_reach_two_people_reaches_nobody,
    what_only_looks_like_an_address_signs_nobody_in_and_reaches_nobody,
    no_header_changes_where_links_lead,
    a_guess_counts_wherever_it_is_made,
    password_change_of_a_signed_in_program_does_not_wait_for_strangers
);

async fn an_address_that_could_reach_two_people_reaches_nobody(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let oneself = SignedInUser { world, account: ana.account, token: ana.session.clone() };
    for email in for_two() {
        for (kind, action) in [
            ("sign_in", "email"),
            ("sign_in", "password"),
            ("reset_password", "email"),
            ("sign_up", "details"),
        ] {
            let walk = world.flow(json!({"kind": kind})).await;
            let mut body = json!({"email": email});
            if action == "password" {
                body["password"] = PASSWORD.into();
            }
            let refused = walk.tries(action, body).await.refused(422, "unprocessable");
            assert_eq!(refused.faults(), ["/email"], "{email} {}", refused.text);
            assert_eq!(walk.looks().await.is(200).body["stage"], walk.last.body["stage"]);
        }
        let refused = oneself.post("/account/contacts", json!({"kind": "email", "address": email})).await;
        refused.refused(422, "unprocessable");
    }
    world.deliver().await;
    assert_eq!(world.mailbox.count(), 0, "nothing was sent to anybody");
}

async fn what_only_looks_like_an_address_signs_nobody_in_and_reaches_nobody(world: &World) {
    world.somebody("mike@example.com").await;
    for alike in [
        "m\u{131}ke@example.com",
        "\u{ff4d}ike@example.com",
        "mike@\u{435}xample.com",
        "mi\u{200d}ke@example.com",
        "mike@example.com.",
    ] {
        world.sign_in(alike, PASSWORD).await.refused(422, "unprocessable");
        for kind in ["sign_in", "reset_password"] {
            let mut walk = world.flow(json!({"kind": kind})).await;
            let status = walk.says("email", json!({"email": alike})).await.status;
            // Another script is somebody else's domain; the rest is no address at all.
            assert!(
                [200, 422].contains(&status) && (status == 422 || alike.contains('\u{435}')),
                "{alike:?}: {status}"
            );
            world.clock.pass(sinete_core::limits::MAILED_CODE_PAUSE);
        }
    }
    world.deliver().await;
    assert_eq!(world.mailbox.count(), 0);
    // Capital letters are the same address, and what is sent goes to the one that was proven.
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    walk.says("email", json!({"email": "MIKE@EXAMPLE.COM"})).await.is(200);
    assert_eq!(world.mails_to("mike@example.com").await, 1);
}

async fn no_header_changes_where_links_lead(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let role = owner.get(&acme.path("/roles")).await.is(200).body["items"][0]["id"].clone();
    let forged = || {
        vec![
            ("host", "evil.example".to_owned()),
            ("x-forwarded-host", "evil.example".to_owned()),
            ("x-forwarded-proto", "gopher".to_owned()),
            ("x-forwarded-for", "not, an, address".to_owned()),
            ("forwarded", "for=\"_x\";host=evil.example;proto=https".to_owned()),
        ]
    };
    let asked = ApiRequest {
        body: Some(json!({"kind": "sign_in", "session": "token"})),
        headers: forged(),
        ..ApiRequest::default()
    };
    let begun = world.ask(Method::POST, "/flows", asked).await.is(201);
    assert!(!begun.text.contains("evil.example"), "{}", begun.text);
    assert!(begun.body["actions"][0]["href"].as_str().unwrap().starts_with(&world.origin()));
    // Nothing was skipped either: the flow stands at its beginning.
    assert_eq!(begun.body["stage"], "sign_in");
    let invited = json!({"email": "ana@example.com", "roles": [role]});
    let asked = ApiRequest { body: Some(invited), headers: forged(), ..ApiRequest::default() };
    owner.ask(Method::POST, &acme.path("/invitations"), asked).await.is(201);
    let mail = world.newest_mail("ana@example.com").await;
    assert!(mail.contains(&world.origin()) && !mail.contains("evil.example"), "{mail}");
}

async fn a_guess_counts_wherever_it_is_made(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let oneself = SignedInUser { world, account: ana.account, token: ana.session.clone() };
    let step_up = async || {
        let mut walk = world.flow_as(json!({"kind": "step_up"}), Some(&ana.session)).await;
        walk.says("password", json!({"password": "wrong wrong wrong wrong"})).await
    };
    let change = async || {
        let wrong = json!({"current_password": "wrong wrong wrong wrong", "password": "a new kettle sings"});
        oneself.post("/account/password", wrong).await
    };
    let guess = async |address: &str| world.sign_in(address, "wrong wrong wrong wrong").await;
    for _ in 0..3 {
        guess("ana@example.com").await.refused(422, "unprocessable");
        guess("ANA@Example.com").await.refused(422, "unprocessable");
    }
    // Six guesses by strangers: everyone who is not signed in waits, however they write the address.
    world.sign_in("ana@example.com", PASSWORD).await.refused(429, "too_many_requests");
    world.sign_in("ANA@Example.com", PASSWORD).await.refused(429, "too_many_requests");
    // The session has a counter of its own, which both of its ways to guess share.
    for _ in 0..3 {
        step_up().await.refused(422, "unprocessable");
        change().await.refused(422, "unprocessable");
    }
    step_up().await.refused(429, "too_many_requests");
    change().await.refused(429, "too_many_requests");
}

async fn password_change_of_a_signed_in_program_does_not_wait_for_strangers(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    for _ in 0..6 {
        world.sign_in("ana@example.com", "wrong wrong wrong wrong").await.refused(422, "unprocessable");
    }
    world.sign_in("ana@example.com", PASSWORD).await.refused(429, "too_many_requests");
    let oneself = SignedInUser { world, account: ana.account, token: ana.session.clone() };
    let change = json!({"current_password": PASSWORD, "password": "a new kettle sings"});
    oneself.post("/account/password", change).await.is(200);
}
