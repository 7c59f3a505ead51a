//! More sign-ins than passwords can be hashed: few are hashed concurrently, few wait, the rest get 503 with
//! `Retry-After`, and other requests are served.

use crate::harness::database::TestEngine;
use crate::harness::world::World;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How many are hashed concurrently; four times as many may wait.
const SLOTS: usize = 2;
/// Ten times as many as are hashed or wait.
const FLOODERS: usize = SLOTS * 5 * 10;

async fn password_flood_is_refused_without_delaying_others(on: TestEngine) {
    let slow = [
        ("SINETE_PASSWORDS_HASHED_AT_ONCE", "2"),
        ("SINETE_PASSWORDS_MEMORY_KIB", "19456"),
        ("SINETE_PASSWORDS_PASSES", "4"),
    ];
    let world = World::start_with_config(on, &slow).await;
    let walk = world.start_flow(json!({"kind": "sign_in"})).await;
    let (over, [checked, turned_away, elsewhere]) =
        (Arc::new(AtomicBool::new(false)), [(); 3].map(|()| Arc::new(AtomicUsize::new(0))));
    let mut flooders = Vec::new();
    for flooder in 0..FLOODERS {
        let over = Arc::clone(&over);
        let [checked, turned_away, elsewhere] = [&checked, &turned_away, &elsewhere].map(Arc::clone);
        let (http, headers) = (world.http.clone(), walk.headers());
        let address = world.public_url(&format!("/flows/{}/password", walk.id));
        flooders.push(tokio::spawn(async move {
            let mut guesses = 0;
            while !over.load(Ordering::SeqCst) {
                // Another address each time, so that only the pool limits.
                guesses += 1;
                let email = format!("f{flooder}-{guesses}@example.com");
                let body = json!({"email": email, "password": "wrong wrong wrong wrong"});
                let request_builder = http.post(&address).header("content-type", "application/json");
                let with = |request_builder: reqwest::RequestBuilder, (name, value): &(&str, String)| {
                    request_builder.header(*name, value)
                };
                let request_builder = headers.iter().fold(request_builder.body(body.to_string()), with);
                let answer = request_builder.send().await.unwrap();
                let (status, wait) = (answer.status().as_u16(), answer.headers().get("retry-after").cloned());
                let body: Value = answer.json().await.unwrap();
                let outcome_count = match (status, body["detail"].as_str().unwrap()) {
                    (422, _) => &checked,
                    (503, "The server is verifying too many passwords now. Try again in a moment.") => {
                        &turned_away
                    }
                    // The database may be busy too.
                    (503, _) => &elsewhere,
                    _ => panic!("{status} {body}"),
                };
                assert!(status == 422 || wait.unwrap().to_str().unwrap().parse::<u64>().unwrap() > 0);
                outcome_count.fetch_add(1, Ordering::SeqCst);
            }
        }));
    }
    let owner = world.create_operator().await;
    let mut served = 0;
    // Meanwhile the pool is full, so some requests are always refused.
    while turned_away.load(Ordering::SeqCst) < FLOODERS || checked.load(Ordering::SeqCst) < SLOTS {
        assert_eq!(world.get("/.well-known/openid-configuration").await.status(), 200);
        owner.get("/manage/organizations").await.assert_status(200);
        world.start_flow(json!({"kind": "sign_in"})).await;
        served += 1;
        assert!(served < 5_000, "no request was refused");
    }
    assert!(served > 0);
    over.store(true, Ordering::SeqCst);
    for flooder in flooders {
        flooder.await.unwrap();
    }
    let engine = world.server.engine();
    assert_eq!(engine.max_concurrent_hashes(), SLOTS, "the flood fills every slot and no more");
    assert_eq!(
        engine.password_hash_count(),
        checked.load(Ordering::SeqCst) as u64,
        "a refused request hashes nothing"
    );
    // After the flood, the next password is checked at once.
    assert_eq!(world.sign_in_with_password("late@example.com", "wrong wrong wrong wrong").await.status, 422);
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn password_flood_is_refused_without_delaying_others_on_sqlite() {
    password_flood_is_refused_without_delaying_others(TestEngine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn password_flood_is_refused_without_delaying_others_on_postgres() {
    password_flood_is_refused_without_delaying_others(TestEngine::Postgres).await;
}
