//! Being there, being ready, and going away.

use crate::both_engines;
use crate::harness::world::World;

both_engines!(
    a_node_that_serves_is_alive_and_ready,
    what_is_for_operators_is_not_on_the_public_listener,
    every_answer_has_an_id_that_also_stands_in_its_problem,
    the_host_header_never_decides_who_we_are,
    metrics_count_requests_and_name_no_path_that_is_not_ours
);

async fn a_node_that_serves_is_alive_and_ready(world: &World) {
    for address in [world.public("/healthz"), world.admin("/healthz"), world.admin("/readyz")] {
        let answer = world.http.get(&address).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{address}");
    }
}

async fn what_is_for_operators_is_not_on_the_public_listener(world: &World) {
    for path in ["/readyz", "/metrics"] {
        assert_eq!(world.get(path).await.status(), 404, "{path}");
        assert_eq!(world.http.get(world.admin(path)).send().await.unwrap().status(), 200, "{path}");
    }
}

async fn every_answer_has_an_id_that_also_stands_in_its_problem(world: &World) {
    let answer = world.get("/no/such/page").await;
    assert_eq!(answer.status(), 404);
    let id = answer.headers()["x-request-id"].to_str().unwrap().to_owned();
    let problem: serde_json::Value = answer.json().await.unwrap();
    assert_eq!(problem["status"], 404);
    assert!(problem["instance"].as_str().unwrap().contains(&id), "{problem}");
    let inbound = world.http.get(world.public("/healthz")).header("x-request-id", &id).send().await.unwrap();
    assert_ne!(inbound.headers()["x-request-id"].to_str().unwrap(), id, "nobody chooses our ids");
}

async fn the_host_header_never_decides_who_we_are(world: &World) {
    let asked =
        world.http.get(world.public("/")).header("host", "evil.example").header("accept", "text/html");
    let page = asked.header("x-forwarded-host", "evil.example").send().await.unwrap().text().await.unwrap();
    assert!(!page.contains("evil.example"), "{page}");
}

async fn metrics_count_requests_and_name_no_path_that_is_not_ours(world: &World) {
    world.get("/healthz").await;
    world.get("/somebody/guesses").await;
    let metrics = world.http.get(world.admin("/metrics")).send().await.unwrap().text().await.unwrap();
    assert!(metrics.contains("/healthz"), "{metrics}");
    assert!(!metrics.contains("guesses"), "{metrics}");
}
