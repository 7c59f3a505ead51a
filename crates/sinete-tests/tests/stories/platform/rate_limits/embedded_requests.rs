//! Requests that another site embeds in its pages start no flow and use up no limit.

use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::world::World;
use reqwest::RequestBuilder;
use serde_json::json;
use sinete_store::oauth::clients::ClientOrigin;

async fn with_three_flows_a_minute(on: TestEngine) -> World {
    let limits = [("SINETE_RATE_LIMITS_ENABLED", "true"), ("SINETE_RATE_LIMITS_FLOWS", "3")];
    World::start_with_config(on, &limits).await
}

/// Adds the `Sec-Fetch-*` headers of a browser.
fn fetched(request: RequestBuilder, dest: &str, mode: &str) -> RequestBuilder {
    let request = request.header("sec-fetch-dest", dest).header("sec-fetch-mode", mode);
    request.header("sec-fetch-site", "cross-site").header("accept", "text/html")
}

both_engines!(
    super::with_three_flows_a_minute,
    [
        embedded_authorization_requests_do_not_consume_the_sign_in_rate_limit,
        embedded_prompt_none_request_is_answered_without_rate_limit_cost
    ]
);

async fn embedded_authorization_requests_do_not_consume_the_sign_in_rate_limit(world: &World) {
    let app =
        world.create_application(ClientOrigin::Operator, json!({"token_endpoint_auth_method": "none"})).await;
    let authorize = |changes: &[(&str, Option<&str>)]| {
        world.http.get(world.authorization_url(&app.authorization_params(changes)))
    };
    let before = world.count_rows().await;
    for number in 0..60 {
        let (dest, mode) = [("image", "no-cors"), ("iframe", "navigate"), ("empty", "no-cors")][number % 3];
        let status = fetched(authorize(&[]), dest, mode).send().await.unwrap().status();
        assert_eq!(status, 403, "{dest}");
        for page in ["/sign-in", "/sign-up", "/reset-password", "/device"] {
            let status =
                fetched(world.http.get(world.public_url(page)), dest, mode).send().await.unwrap().status();
            assert_eq!(status, 403, "{page} as {dest}");
        }
    }
    assert_eq!(world.count_rows().await["flows"], before["flows"]);
    // A navigation starts a flow as usual, also from another site, and so does a program.
    let opened = fetched(authorize(&[]), "document", "navigate").send().await.unwrap();
    assert_eq!(opened.status(), 303);
    let page =
        fetched(world.http.get(world.public_url("/sign-in")), "document", "navigate").send().await.unwrap();
    assert_eq!(page.status(), 303);
    world.start_flow(json!({"kind": "sign_in"})).await;
    assert_eq!(authorize(&[]).send().await.unwrap().status(), 429, "these requests were counted");
}

async fn embedded_prompt_none_request_is_answered_without_rate_limit_cost(world: &World) {
    let app = world.create_application(ClientOrigin::Operator, json!({"consent": "implied"})).await;
    let silent = || {
        let address = world.authorization_url(&app.authorization_params(&[("prompt", Some("none"))]));
        fetched(world.http.get(address), "iframe", "navigate")
    };
    for _ in 0..10 {
        let answer = silent().send().await.unwrap();
        assert_eq!(answer.status(), 303);
        assert!(answer.headers()["location"].to_str().unwrap().contains("error=login_required"));
    }
    assert_eq!(world.http.get(world.public_url("/sign-in")).send().await.unwrap().status(), 303);
}
