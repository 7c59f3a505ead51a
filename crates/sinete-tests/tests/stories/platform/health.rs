//! Liveness, readiness and shutdown.

use crate::both_engines;
use crate::harness::world::World;

both_engines!(
    health_endpoints_of_a_serving_node_are_live_and_ready,
    operator_endpoints_are_not_on_the_public_listener,
    request_id_is_on_every_response_and_in_its_problem,
    host_header_never_changes_the_issuer,
    metrics_count_requests_and_contain_no_unknown_path
);

async fn health_endpoints_of_a_serving_node_are_live_and_ready(world: &World) {
    for address in [world.public_url("/healthz"), world.admin_url("/healthz"), world.admin_url("/readyz")] {
        let answer = world.http.get(&address).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{address}");
    }
}

async fn operator_endpoints_are_not_on_the_public_listener(world: &World) {
    for path in ["/readyz", "/metrics"] {
        assert_eq!(world.get(path).await.status(), 404, "{path}");
        assert_eq!(world.http.get(world.admin_url(path)).send().await.unwrap().status(), 200, "{path}");
    }
}

async fn request_id_is_on_every_response_and_in_its_problem(world: &World) {
    let answer = world.get("/no/such/page").await;
    assert_eq!(answer.status(), 404);
    let id = answer.headers()["x-request-id"].to_str().unwrap().to_owned();
    let problem: serde_json::Value = answer.json().await.unwrap();
    assert_eq!(problem["status"], 404);
    assert!(problem["instance"].as_str().unwrap().contains(&id), "{problem}");
    let inbound =
        world.http.get(world.public_url("/healthz")).header("x-request-id", &id).send().await.unwrap();
    assert_ne!(
        inbound.headers()["x-request-id"].to_str().unwrap(),
        id,
        "a client cannot choose the request id"
    );
}

async fn host_header_never_changes_the_issuer(world: &World) {
    let request_builder =
        world.http.get(world.public_url("/")).header("host", "evil.example").header("accept", "text/html");
    let page = request_builder
        .header("x-forwarded-host", "evil.example")
        .send()
        .await
        .unwrap()
        .text()
        .await
        .unwrap();
    assert!(!page.contains("evil.example"), "{page}");
}

async fn metrics_count_requests_and_contain_no_unknown_path(world: &World) {
    world.get("/healthz").await;
    world.get("/somebody/guesses").await;
    let metrics = world.http.get(world.admin_url("/metrics")).send().await.unwrap().text().await.unwrap();
    assert!(metrics.contains("/healthz"), "{metrics}");
    assert!(!metrics.contains("guesses"), "{metrics}");
}
