//! A provider that does not respond: sign-in fails at once, and the provider is retried less and less often.

use super::oidc_sign_in::{departs, fetched, signs_in};
use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::oidc_provider::{OidcProviderBehavior, provider_user};
use crate::harness::pausable_web::PausableWeb;
use crate::harness::world::World;
use crate::stories::oauth::token_use::logout::eventually;
use serde_json::json;
use sinete_core::limits::PROVIDER_CONCURRENT_MAX;
use sinete_core::time::Lifetime;

const AWAY: &str = "The identity provider of your organization cannot be reached. Try again later.";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn single_sign_on_with_all_slots_taken_is_unavailable_and_the_response_can_be_retried() {
    let web = PausableWeb::new_open();
    let world = World::start_with_web(TestEngine::Sqlite, web.clone()).await;
    {
        let acme = world.create_organization("acme").await;
        let owner = world.create_owner(&acme).await;
        let provider = world.create_oidc_provider().await;
        provider.create_connection(&owner, "acme.example").await;
        provider.set_user(provider_user("ana-7", "ana@acme.example"));
        signs_in(&world, &provider, "ana@acme.example").await.1.assert_status(200);
        web.set_open(false);
        let mut join_handles = Vec::new();
        for _ in 0..PROVIDER_CONCURRENT_MAX {
            let walk = departs(&world, "ana@acme.example").await;
            let body = fetched(&world, &provider, &walk).await;
            join_handles.push(tokio::spawn(walk.build_request("provider_answer", &body).send()));
        }
        eventually(async || web.held_count() == PROVIDER_CONCURRENT_MAX).await;
        let mut late = departs(&world, "ana@acme.example").await;
        let body = fetched(&world, &provider, &late).await;
        let refused = late.try_submit("provider_answer", body.clone()).await.assert_status(503);
        assert!(refused.headers.contains_key("retry-after"), "{}", refused.text);
        assert_eq!(web.held_count(), PROVIDER_CONCURRENT_MAX, "the refused request was not sent");
        web.set_open(true);
        for one in join_handles {
            one.await.unwrap().unwrap();
        }
        late.submit("provider_answer", body).await.assert_status(200);
        assert_eq!(late.stage(), "signed_in");
    }
    world.stop().await;
}

both_engines!(
    identity_provider_unreachable_is_retried_with_backoff,
    identity_provider_metadata_cached_completes_a_sign_in_in_progress
);

async fn identity_provider_unreachable_is_retried_with_backoff(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let created = provider.create_connection(&owner, "acme.example").await;
    provider.set_user(provider_user("ana-7", "ana@acme.example"));
    provider.set_behavior(OidcProviderBehavior { is_unreachable: true, ..OidcProviderBehavior::default() });
    let sign_in_body = json!({"email": "ana@acme.example", "return_to": "http://127.0.0.1:49152/back"});
    let walk = world.start_flow(json!({"kind": "sign_in"})).await;
    let refused = async || {
        assert_eq!(
            walk.try_submit("single_sign_on", sign_in_body.clone()).await.assert_status(422).body["detail"],
            AWAY
        )
    };
    // How many requests it has received after these seconds.
    for (seconds, expected_count) in [(0, 1), (0, 1), (4, 1), (1, 2), (5, 2), (5, 3), (10, 3), (10, 4)] {
        world.clock.advance(Lifetime::from_seconds(seconds));
        refused().await;
        assert_eq!(provider.discovery_count(), expected_count);
    }
    let figures = world.http.get(world.admin_url("/metrics")).send().await.unwrap().text().await.unwrap();
    let read_counter = |outcome: &str| {
        let name = format!("sinete_provider_requests_total{{what=\"description\",outcome=\"{outcome}\"}} ");
        let line =
            figures.lines().find_map(|line| line.strip_prefix(&name)).unwrap_or_else(|| panic!("{figures}"));
        line.parse::<u64>().unwrap()
    };
    assert!(
        read_counter("unanswered") >= 4
            && figures.contains("sinete_provider_request_duration_seconds_bucket")
    );
    assert!(!figures.contains(&provider.issuer), "metrics do not name the provider");
    // When it responds again, that is noticed after at most five minutes, and at once by a connection test.
    provider.set_behavior(OidcProviderBehavior::default());
    refused().await;
    assert_eq!(provider.discovery_count(), 4);
    let tried = owner
        .post(&acme.path(&format!("/connections/{}/test", created["id"].as_str().unwrap())), json!({}))
        .await
        .assert_status(200);
    assert!(!tried.text.contains("could not be fetched"), "{}", tried.text);
    assert_eq!(
        walk.try_submit("single_sign_on", sign_in_body.clone()).await.assert_status(200).body["stage"],
        "at_provider"
    );
    assert_eq!(provider.discovery_count(), 5);
}

async fn identity_provider_metadata_cached_completes_a_sign_in_in_progress(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    provider.create_connection(&owner, "acme.example").await;
    provider.set_user(provider_user("ana-7", "ana@acme.example"));
    signs_in(world, &provider, "ana@acme.example").await.1.assert_status(200);
    assert_eq!(provider.discovery_count(), 1, "read once for the whole sign-in");
    world.clock.advance(Lifetime::from_minutes(11));
    provider.set_behavior(OidcProviderBehavior { is_unreachable: true, ..OidcProviderBehavior::default() });
    let mut walk = departs(world, "ana@acme.example").await;
    for _ in 0..5 {
        assert!(walk.read_flow().await.assert_status(200).body["go_to"].is_string());
    }
    assert_eq!(provider.discovery_count(), 2, "reading a flow sends no request");
    let body = fetched(world, &provider, &walk).await;
    walk.submit("provider_answer", body).await.assert_status(200);
    // A discovery document that is too old is no longer used.
    world.clock.advance(Lifetime::from_hours(24));
    let late = world.start_flow(json!({"kind": "sign_in"})).await;
    let sign_in_body = json!({"email": "ana@acme.example", "return_to": "http://127.0.0.1:49152/back"});
    assert_eq!(late.try_submit("single_sign_on", sign_in_body).await.assert_status(422).body["detail"], AWAY);
}
