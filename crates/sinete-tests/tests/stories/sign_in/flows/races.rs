//! Of 64 concurrent submissions, one succeeds.

use crate::both_engines;
use crate::harness::flow_client::{FlowClient, PASSWORD};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_engine::sign_in::sessions;
use sinete_store::sign_in::attempt_counters;
use sinete_store::sign_in::attempt_counters::AttemptCounterKey;

/// The statuses of the same submission, sent this many times concurrently.
async fn at_once(walk: &FlowClient<'_>, action: &str, body: Value) -> Vec<u16> {
    let requests: Vec<_> = (0..64).map(|_| tokio::spawn(walk.build_request(action, &body).send())).collect();
    let mut statuses = Vec::new();
    for answer in requests {
        statuses.push(answer.await.unwrap().unwrap().status().as_u16());
    }
    statuses.sort_unstable();
    statuses
}

both_engines!(
    password_submitted_concurrently_signs_in_once,
    email_code_submitted_concurrently_creates_one_account,
    failed_attempts_made_concurrently_are_all_counted
);

async fn password_submitted_concurrently_signs_in_once(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let walk = world.start_flow(json!({"kind": "sign_in"})).await;
    let statuses =
        at_once(&walk, "password", json!({"email": "ana@example.com", "password": PASSWORD})).await;
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 409, 429, 503].contains(status)), "{statuses:?}");
    let all = sessions::list(world.server.engine(), ana.account).await.unwrap();
    assert_eq!(all.len(), 2, "the first session of the user and one more");
}

async fn email_code_submitted_concurrently_creates_one_account(world: &World) {
    let mut walk = world.start_flow(json!({"kind": "sign_up"})).await;
    walk.submit("details", json!({"email": "ana@example.com", "password": PASSWORD}))
        .await
        .assert_status(200);
    let code = world.emailed_code("ana@example.com").await;
    let statuses = at_once(&walk, "code", json!({"code": code})).await;
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 409, 422, 429].contains(status)), "{statuses:?}");
}

async fn failed_attempts_made_concurrently_are_all_counted(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let walk = world.start_flow(json!({"kind": "sign_in"})).await;
    let wrong = json!({"email": "ana@example.com", "password": "wrong wrong wrong wrong"});
    let engine = world.server.engine();
    let before = engine.password_hash_count();
    let statuses = at_once(&walk, "password", wrong).await;
    assert!(statuses.iter().all(|status| [422, 429, 503].contains(status)), "{statuses:?}");
    let checked_count = statuses.iter().filter(|status| **status == 422).count();
    assert!((1..=6).contains(&checked_count), "at most six are checked before the delay: {statuses:?}");
    // Every attempt that was checked is counted, and no other.
    assert_eq!(engine.password_hash_count() - before, checked_count as u64);
    let subject = format!("account {}", ana.account);
    let attempt_counter = attempt_counters::find_attempt_counter(
        engine.store(),
        AttemptCounterKey { subject: &subject, factor: "password" },
    )
    .await
    .unwrap();
    assert_eq!(attempt_counter.map(|counter| counter.count), Some(checked_count as i64));
}
