//! Limits on messages: each requester has a limit of its own, and the response says when another message may be sent.

use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::flow_client::PASSWORD;
use crate::harness::world::World;
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::id::ContactId;
use sinete_core::limits::{ANONYMOUS_MESSAGES_HOURLY_MAX, EMAIL_CODE_INTERVAL, OWNER_MESSAGES_HOURLY_MAX};
use sinete_core::time::Lifetime;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::{ContactKind, NewContact};
use std::collections::BTreeMap;

const ANA: &str = "ana@example.com";
const NUMBER: &str = "+5581999990000";

async fn behind_a_proxy(on: TestEngine) -> World {
    World::start_with_config(on, &[("SINETE_TRUSTED_PROXIES", "127.0.0.1")]).await
}

/// Requests a message to an address from a network, and returns the flow.
async fn asks(world: &World, from: &str, email: &str) -> Value {
    let send = async |request: RequestBuilder, body: Value| {
        let answer = request.header("x-forwarded-for", from).json(&body).send().await.unwrap();
        assert!(answer.status().is_success(), "{}", answer.text().await.unwrap());
        answer.json::<Value>().await.unwrap()
    };
    let started =
        send(world.http.post(world.public_url("/flows")), json!({"kind": "sign_in", "session": "token"}))
            .await;
    let address = world.public_url(&format!("/flows/{}/email", started["id"].as_str().unwrap()));
    let token = format!("Flow {}", started["flow_token"].as_str().unwrap());
    send(world.http.post(address).header("authorization", token), json!({"email": email})).await
}

both_engines!(
    super::behind_a_proxy,
    [
        email_rate_limit_of_a_requester_does_not_block_the_owner,
        email_rate_limit_does_not_apply_to_the_owners_known_device,
        message_and_guess_rate_limits_of_an_account_are_not_reset_by_signing_in_again,
        message_rate_limit_for_an_unverified_address_is_that_of_an_unknown_device_in_every_session,
        next_message_at_is_returned_the_same_for_every_address,
        next_message_at_is_displayed_on_the_page
    ]
);

async fn email_rate_limit_of_a_requester_does_not_block_the_owner(world: &World) {
    world.create_user(ANA).await;
    for _ in 0..12 {
        asks(world, "203.0.113.9", ANA).await;
        world.count_emails_to(ANA).await;
        world.clock.advance(EMAIL_CODE_INTERVAL);
    }
    assert_eq!(world.count_emails_to(ANA).await, 5, "one network causes five messages an hour");
    // The account holder on an unknown device has a limit of their own, and does not wait for the attacker's pause.
    asks(world, "203.0.113.9", ANA).await;
    asks(world, "198.51.100.7", ANA).await;
    assert_eq!(world.count_emails_to(ANA).await, 6);
}

async fn email_rate_limit_does_not_apply_to_the_owners_known_device(world: &World) {
    world.create_user(ANA).await;
    let mut client = world.start_browser_flow(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    client.submit("password", json!({"email": ANA, "password": PASSWORD})).await.assert_status(200);
    let device: BTreeMap<_, _> =
        client.cookies.clone().into_iter().filter(|(name, _)| name.contains("device")).collect();
    assert_eq!(device.len(), 1, "{:?}", client.cookies);
    for network in 1..=4 {
        for _ in 0..5 {
            asks(world, &format!("203.0.113.{network}"), ANA).await;
            world.count_emails_to(ANA).await;
            world.clock.advance(EMAIL_CODE_INTERVAL);
        }
    }
    let message_limit = usize::try_from(ANONYMOUS_MESSAGES_HOURLY_MAX).unwrap();
    assert_eq!(world.count_emails_to(ANA).await, message_limit, "messages to one address are limited");
    let mut flow_client = world.start_browser_flow(json!({"kind": "sign_in"}), &device).await;
    flow_client.submit("email", json!({"email": ANA})).await.assert_status(200);
    assert_eq!(world.count_emails_to(ANA).await, message_limit + 1);
    // A known device of one account is unknown to another.
    world.create_user("bea@example.com").await;
    let mut others = world.start_browser_flow(json!({"kind": "sign_in"}), &device).await;
    others.submit("email", json!({"email": "bea@example.com"})).await.assert_status(200);
    assert_eq!(world.count_emails_to("bea@example.com").await, 1);
}

async fn message_and_guess_rate_limits_of_an_account_are_not_reset_by_signing_in_again(world: &World) {
    let ana = world.create_user(ANA).await;
    world.add_verified_phone(ana.account, NUMBER).await;
    let asks_and_guesses = async || {
        let session = world
            .create_session_token(
                ana.account,
                &AuthenticationEvidence::from_proof(AuthenticationProof::Password),
            )
            .await;
        let cookies = BTreeMap::from([("sinete_session".to_owned(), session)]);
        let mut up =
            world.start_browser_flow(json!({"kind": "step_up", "assurance": "aal2"}), &cookies).await;
        up.submit("password", json!({"password": PASSWORD})).await.assert_status(200);
        up.submit("sms_code", json!({})).await.assert_status(200);
        let mut checked_count = 0;
        for _ in 0..5 {
            checked_count +=
                usize::from(up.try_submit("code", json!({"code": "000000"})).await.status == 422);
        }
        checked_count
    };
    let mut checked_count = 0;
    for _ in 0..14 {
        checked_count += asks_and_guesses().await;
    }
    let limit = usize::try_from(OWNER_MESSAGES_HOURLY_MAX).unwrap();
    assert_eq!(world.count_sms_to(NUMBER).await, limit);
    assert_eq!(checked_count, 6, "after the sixth failure every session is delayed");
    // Requests from unknown devices are counted separately, and the account holder's limit is renewed after an hour.
    let mut client = world.start_flow(json!({"kind": "sign_in"})).await;
    client.submit("sms_code", json!({"phone": NUMBER})).await.assert_status(200);
    assert_eq!(world.count_sms_to(NUMBER).await, limit + 1);
    world.clock.advance(Lifetime::from_hours(1));
    asks_and_guesses().await;
    assert_eq!(world.count_sms_to(NUMBER).await, limit + 2);
}

async fn message_rate_limit_for_an_unverified_address_is_that_of_an_unknown_device_in_every_session(
    world: &World,
) {
    const VICTIM: &str = "victim@example.com";
    let ana = world.create_user(ANA).await;
    let asks = async |body: Value| {
        let session = world
            .create_session_token(
                ana.account,
                &AuthenticationEvidence::from_proof(AuthenticationProof::Password),
            )
            .await;
        world.start_flow_in_session(body, Some(&session)).await;
    };
    for _ in 0..14 {
        asks(json!({"kind": "change_email", "email": VICTIM})).await;
    }
    assert_eq!(world.count_emails_to(VICTIM).await, 1, "one message a minute for one network");
    for _ in 0..14 {
        world.clock.advance(EMAIL_CODE_INTERVAL);
        asks(json!({"kind": "change_email", "email": VICTIM})).await;
        world.count_emails_to(VICTIM).await;
    }
    assert_eq!(world.count_emails_to(VICTIM).await, 5, "five messages an hour");
    let engine = world.server.engine();
    let (id, now) = (ContactId::mint(engine.now(), engine.entropy()), engine.now());
    let number = NewContact {
        id,
        account: ana.account,
        kind: ContactKind::Phone,
        address: NUMBER,
        lookup: NUMBER,
        is_primary: false,
        created_at: now,
    };
    world.apply_statements([contacts::add_contact(&number)]).await;
    for _ in 0..14 {
        asks(json!({"kind": "verify_phone", "phone": NUMBER})).await;
    }
    assert_eq!(world.count_sms_to(NUMBER).await, 1);
    // Messages to another address do not delay those to her own.
    let session = world
        .create_session_token(ana.account, &AuthenticationEvidence::from_proof(AuthenticationProof::Password))
        .await;
    let cookies = BTreeMap::from([("sinete_session".to_owned(), session)]);
    let mut client = world.start_browser_flow(json!({"kind": "sign_in"}), &cookies).await;
    client.submit("email", json!({"email": ANA})).await.assert_status(200);
    assert_eq!(world.count_emails_to(ANA).await, 1);
}

async fn next_message_at_is_returned_the_same_for_every_address(world: &World) {
    world.create_user(ANA).await;
    let read_next_message = async |email: &str| {
        let mut flow = asks(world, "203.0.113.9", email).await;
        let next = flow["next_message_at"].as_str().unwrap().to_owned();
        for member in ["id", "actions", "flow_token", "expires_at"] {
            flow.as_object_mut().unwrap().remove(member);
        }
        (next, flow)
    };
    let mut last = String::new();
    for number in 0..7 {
        let (ana, unknown_result) =
            (read_next_message(ANA).await, read_next_message("nobody@example.com").await);
        assert_eq!(ana, unknown_result, "the {number}th message");
        last = ana.0;
        world.clock.advance(EMAIL_CODE_INTERVAL);
    }
    assert_eq!(world.count_emails_to(ANA).await, 5);
    assert_eq!(world.count_emails_to("nobody@example.com").await, 0);
    // The hourly limit is reached, so waiting a minute does not help, and the response says when the hour ends.
    assert!(read_next_message(ANA).await.0 == last, "further requests do not change the time");
    world.clock.advance(Lifetime::from_hours(1));
    read_next_message(ANA).await;
    assert_eq!(world.count_emails_to(ANA).await, 6);
}

async fn next_message_at_is_displayed_on_the_page(world: &World) {
    world.create_user(ANA).await;
    for identifier in [ANA, "nobody@example.com"] {
        let mut reader = world.create_page_browser("en");
        let page = reader.open_page("/sign-in").await;
        let (_, page) =
            reader.submit_first_form(&page, &[("action", "email"), ("identifier", identifier)]).await;
        assert!(page.contains("You can request another message in 1 minute"), "{page}");
    }
}
