//! Limits on messages to one address: further requests get the same response, and nothing is sent.

use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::limits::EMAIL_CODE_INTERVAL;
use sinete_core::time::Lifetime;

const ANA: &str = "ana@example.com";

both_engines!(
    email_rate_limit_per_address_is_silent_and_has_minute_hour_and_day_windows,
    message_rate_limit_per_account_covers_all_its_addresses
);

async fn email_rate_limit_per_address_is_silent_and_has_minute_hour_and_day_windows(world: &World) {
    world.create_user(ANA).await;
    let ask = async |email: &str| {
        let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
        let answer = walk.submit("email", json!({"email": email})).await.assert_status(200);
        (answer.text.len(), answer.body["stage"].clone(), walk)
    };
    let (length, stage, mut first) = ask(ANA).await;
    let (unknown, same, _) = ask("eva@example.com").await;
    assert_eq!((length, &stage), (unknown, &same));
    for _ in 0..3 {
        let (limited, same, _) = ask("Ana@EXAMPLE.com").await;
        assert_eq!((limited, &same), (length, &stage), "another spelling is the same address");
    }
    assert_eq!(world.count_emails_to(ANA).await, 1);
    // A request that is too early leaves the sent code valid.
    first.submit("resend", json!({})).await.assert_status(200);
    let code = world.emailed_code(ANA).await;
    assert_eq!(world.count_emails_to(ANA).await, 1);
    first.submit("code", json!({"code": code})).await.assert_status(200);
    let asked_for = async |times: u32| {
        for _ in 0..times {
            world.clock.advance(EMAIL_CODE_INTERVAL);
            ask(ANA).await;
        }
        world.count_emails_to(ANA).await
    };
    assert_eq!(asked_for(6).await, 5);
    world.clock.advance(Lifetime::from_hours(1));
    assert_eq!(asked_for(7).await, 10);
    world.clock.advance(Lifetime::from_hours(2));
    assert_eq!(asked_for(1).await, 10);
    world.clock.advance(Lifetime::from_hours(24));
    assert_eq!(asked_for(1).await, 11);
}

async fn message_rate_limit_per_account_covers_all_its_addresses(world: &World) {
    let ana = world.create_user(ANA).await;
    world.add_verified_phone(ana.account, "+5581999990000").await;
    for _ in 0..6 {
        world.clock.advance(EMAIL_CODE_INTERVAL);
        let mut walk = world.start_flow(json!({"kind": "reset_password"})).await;
        walk.submit("email", json!({"email": ANA})).await.assert_status(200);
    }
    assert_eq!(world.count_emails_to(ANA).await, 5);
    // SMS messages are counted separately.
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("sms_code", json!({"phone": "+5581999990000"})).await.assert_status(200);
    assert_eq!(world.count_sms_to("+5581999990000").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn message_rate_limit_can_be_disabled_by_configuration() {
    use crate::harness::database::TestEngine;
    let off = [("SINETE_RATE_LIMITS_MESSAGE_BUDGET", "false")];
    let world = World::start_with_config(TestEngine::Sqlite, &off).await;
    let mut walk = world.start_flow(json!({"kind": "sign_up"})).await;
    walk.submit("details", json!({"email": ANA})).await.assert_status(200);
    for email_count in 2..=12 {
        walk.submit("resend", json!({})).await.assert_status(200);
        assert_eq!(world.count_emails_to(ANA).await, email_count);
    }
    let code = world.emailed_code(ANA).await;
    walk.submit("code", json!({"code": code})).await.assert_status(200);
    world.stop().await;
}
