//! Known, unknown, disabled and passwordless accounts: the same answer after the same work.

use crate::harness::api::Reply;
use crate::harness::person::PASSWORD;
use crate::harness::world::World;
use crate::stories;
use serde_json::{Value, json};
use sinete_core::people::Condition;
use sinete_store::{accounts, credentials};

/// Somebody of each kind; of the last there is nobody.
const ADDRESSES: [&str; 4] =
    ["known@example.com", "locked@example.com", "pwless@example.com", "nobody@example.com"];

async fn cast(world: &World) {
    let engine = world.server.engine();
    world.somebody(ADDRESSES[0]).await;
    let locked = world.somebody(ADDRESSES[1]).await;
    let account = accounts::find(engine.store(), locked.account).await.unwrap().unwrap();
    let suspended =
        accounts::change_condition(locked.account, account.version, Condition::Suspended, engine.now());
    let passwordless = world.somebody(ADDRESSES[2]).await;
    let kept = credentials::of_account(engine.store(), passwordless.account).await.unwrap();
    world.happens([suspended, credentials::remove(&kept[0], engine.now())]).await;
}

/// What can be told apart from outside: status, headers but those of the moment, and the body but its ids.
fn told(reply: &Reply) -> (u16, Vec<(String, String)>, Value, usize) {
    let moment = ["date", "x-request-id", "content-length"];
    let headers = reply.headers.iter().filter(|(name, _)| !moment.contains(&name.as_str()));
    let mut headers: Vec<_> =
        headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned())).collect();
    headers.sort();
    let mut body = reply.body.clone();
    for own in ["id", "instance", "expires_at", "flow_token", "actions"] {
        body.as_object_mut().unwrap().remove(own);
    }
    (reply.status, headers, body, reply.text.len())
}

stories! {
    async fn a_wrong_password_tells_nothing_and_costs_one_hash_whoever_it_is(world: &World) {
        cast(world).await;
        let mut answers = Vec::new();
        for address in ADDRESSES {
            let before = world.server.engine().passwords_hashed();
            let reply = world.sign_in(address, "wrong wrong wrong wrong").await;
            let hashes = world.server.engine().passwords_hashed() - before;
            answers.push((told(&reply), hashes));
        }
        assert_eq!((answers[0].0.0, answers[0].1), (422, 1));
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:#?}");
        // Nor does the right one, for those it does not sign in.
        for address in &ADDRESSES[1..] {
            assert_eq!(told(&world.sign_in(address, PASSWORD).await), answers[0].0, "{address}");
        }
    }

    async fn asking_for_a_code_tells_nothing_and_only_the_owner_is_written_to(world: &World) {
        cast(world).await;
        for kind in ["sign_in", "reset_password"] {
            let mut answers = Vec::new();
            for address in ADDRESSES {
                let mut walk = world.flow(json!({"kind": kind})).await;
                let sent = walk.says("email", json!({"email": address})).await.is(200);
                let wrong = walk.says("code", json!({"code": "00000000"})).await;
                answers.push((told(&sent), told(&wrong)));
            }
            assert_eq!((answers[0].0.0, answers[0].1.0), (200, 422));
            assert!(answers.iter().all(|answer| *answer == answers[0]), "{kind}: {answers:#?}");
            world.clock.pass(sinete_core::limits::MAILED_CODE_PAUSE);
        }
        let mut received = Vec::new();
        for address in ADDRESSES {
            received.push(world.mails_to(address).await);
        }
        assert_eq!(received, [2, 0, 2, 0]);
    }

    async fn a_started_flow_asks_for_no_identifier_and_is_the_same_for_everybody(world: &World) {
        let first = told(&world.flow(json!({"kind": "sign_in"})).await.last);
        cast(world).await;
        let mut second = told(&world.flow(json!({"kind": "sign_in"})).await.last);
        let is_place = |(name, _): &(String, String)| name != "location";
        second.1.retain(is_place);
        let mut first = first;
        first.1.retain(is_place);
        assert_eq!(first, second);
    }
}
