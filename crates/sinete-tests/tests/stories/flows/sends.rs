//! How often somebody is written to: whoever asks for more is answered as ever, and nothing leaves.

use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::limits::MAILED_CODE_PAUSE;
use sinete_core::time::Lifetime;

const ANA: &str = "ana@example.com";

both_engines!(
    an_address_is_written_to_once_a_minute_five_times_an_hour_and_ten_a_day_and_nobody_is_told,
    an_account_is_written_about_so_often_whichever_address_it_goes_to
);

async fn an_address_is_written_to_once_a_minute_five_times_an_hour_and_ten_a_day_and_nobody_is_told(
    world: &World,
) {
    world.somebody(ANA).await;
    let ask = async |email: &str| {
        let mut walk = world.flow(json!({"kind": "sign_in"})).await;
        let answer = walk.says("email", json!({"email": email})).await.is(200);
        (answer.text.len(), answer.body["stage"].clone(), walk)
    };
    let (length, stage, mut first) = ask(ANA).await;
    let (unknown, same, _) = ask("eva@example.com").await;
    assert_eq!((length, &stage), (unknown, &same));
    for _ in 0..3 {
        let (limited, same, _) = ask("Ana@EXAMPLE.com").await;
        assert_eq!((limited, &same), (length, &stage), "another spelling is the same address");
    }
    assert_eq!(world.mails_to(ANA).await, 1);
    // Asking again too soon leaves what was sent as it was.
    first.says("resend", json!({})).await.is(200);
    let code = world.mailed_code(ANA).await;
    assert_eq!(world.mails_to(ANA).await, 1);
    first.says("code", json!({"code": code})).await.is(200);
    let asked_for = async |times: u32| {
        for _ in 0..times {
            world.clock.pass(MAILED_CODE_PAUSE);
            ask(ANA).await;
        }
        world.mails_to(ANA).await
    };
    assert_eq!(asked_for(6).await, 5);
    world.clock.pass(Lifetime::from_hours(1));
    assert_eq!(asked_for(7).await, 10);
    world.clock.pass(Lifetime::from_hours(2));
    assert_eq!(asked_for(1).await, 10);
    world.clock.pass(Lifetime::from_hours(24));
    assert_eq!(asked_for(1).await, 11);
}

async fn an_account_is_written_about_so_often_whichever_address_it_goes_to(world: &World) {
    let ana = world.somebody(ANA).await;
    world.has_telephone(ana.account, "+5581999990000").await;
    for _ in 0..6 {
        world.clock.pass(MAILED_CODE_PAUSE);
        let mut walk = world.flow(json!({"kind": "reset_password"})).await;
        walk.says("email", json!({"email": ANA})).await.is(200);
    }
    assert_eq!(world.mails_to(ANA).await, 5);
    // What is said by telephone is counted apart.
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    walk.says("sms_code", json!({"phone": "+5581999990000"})).await.is(200);
    assert_eq!(world.texts_to("+5581999990000").await, 1);
}
