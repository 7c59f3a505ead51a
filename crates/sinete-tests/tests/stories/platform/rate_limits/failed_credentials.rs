//! Failed authentication is limited for each network address; successful authentication is not.

use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;

async fn counting(on: TestEngine) -> World {
    let paces = [("SINETE_RATE_LIMITS_ENABLED", "true"), ("SINETE_RATE_LIMITS_TOKEN", "5")];
    World::start_with_config(on, &paces).await
}

async fn rate_limit_of_credentials_counts_failures_and_never_delays_valid_credentials(on: TestEngine) {
    let world = counting(on).await;
    let owner = world.create_operator().await;
    let wrong = || world.http.get(world.public_url("/manage/organizations")).bearer_auth("sn_ak_x").send();
    for _ in 0..5 {
        assert_eq!(wrong().await.unwrap().status(), 401);
    }
    let answer = wrong().await.unwrap();
    assert_eq!(answer.status(), 429);
    assert!(answer.headers()["retry-after"].to_str().unwrap().parse::<u64>().unwrap() > 0);
    let problem: serde_json::Value = answer.json().await.unwrap();
    assert_eq!(problem["code"], "too_many_requests");
    // A caller with valid credentials is served from the same address, and does not count.
    for _ in 0..20 {
        owner.get("/manage/organizations").await.assert_status(200);
    }
    owner.post("/manage/organizations", json!({"slug": "acme"})).await.assert_status(201);
    world.clock.advance(Lifetime::from_seconds(12));
    assert_eq!(wrong().await.unwrap().status(), 401);
    world.stop().await;
}

/// The hosted pages share the limits of the API: for each address, whatever cookies are sent.
async fn rate_limit_applies_to_the_hosted_pages_too(on: TestEngine) {
    let paces = [
        ("SINETE_RATE_LIMITS_ENABLED", "true"),
        ("SINETE_RATE_LIMITS_FLOWS", "4"),
        ("SINETE_RATE_LIMITS_PROOFS", "3"),
        ("SINETE_RATE_LIMITS_SENDS", "1"),
    ];
    let world = World::start_with_config(on, &paces).await;
    let mut reader = world.create_page_browser("en");
    let mut page = reader.open_page("/sign-in").await;
    let guess = |identifier: &'static str| {
        [("action", "password"), ("identifier", identifier), ("password", "a wrong password indeed")]
    };
    // Each attempt is for another account, so that no account's own counter refuses.
    let people = ["a@example.com", "b@example.com", "c@example.com"];
    for identifier in people {
        page = reader.submit_first_form(&page, &guess(identifier)).await.1;
        assert!(page.contains("id=\"trouble\"") && !page.contains("Too many attempts"), "{page}");
    }
    page = reader.submit_first_form(&page, &guess("d@example.com")).await.1;
    assert!(page.contains("Too many attempts"), "{page}");
    world.clock.advance(Lifetime::from_seconds(60));
    let write = |identifier: &'static str| [("action", "email"), ("identifier", identifier)];
    reader.submit_first_form(&page, &write("a@example.com")).await;
    let page = reader.open_page("/sign-in").await;
    assert!(reader.submit_first_form(&page, &write("b@example.com")).await.1.contains("Too many attempts"));
    // A page that starts a flow counts as an authorization request, and an invalid cookie does not authenticate.
    let authorize_path = "/connect/authorize?client_id=nobody";
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(reader.open_url("/sign-in").await.0);
    }
    assert_eq!(statuses, [200; 3]);
    let (status, page) = reader.open_url("/sign-up").await;
    assert!(status == 429 && page.contains("Too many requests from your network"), "{page}");
    assert_eq!(reader.open_url(authorize_path).await.0, 429);
    let request =
        world.http.get(world.public_url(authorize_path)).header("cookie", "sinete_session=of-nobody");
    assert_eq!(request.send().await.unwrap().status(), 429);
    world.stop().await;
}

both_engines!(
    engine,
    [
        rate_limit_of_credentials_counts_failures_and_never_delays_valid_credentials,
        rate_limit_applies_to_the_hosted_pages_too
    ]
);
