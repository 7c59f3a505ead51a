//! A provider that does not answer: whoever wants to go there is told so at once, and it is asked again less and less often.

use super::sign_in::{departs, fetched, signs_in};
use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::held_web::PausableWeb;
use crate::harness::provider::{OidcProviderBehavior, person};
use crate::harness::world::World;
use crate::stories::tokens_in_use::logout::eventually;
use serde_json::json;
use sinete_core::limits::PROVIDER_AT_ONCE_MAX;
use sinete_core::time::Lifetime;

const AWAY: &str = "the provider of your organization cannot be reached: try again in a while";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_finds_every_place_taken_is_told_so_and_brings_the_same_answer_again() {
    let web = PausableWeb::open();
    let world = World::begin_reaching(TestEngine::Sqlite, web.clone()).await;
    {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        let provider = world.provider().await;
        provider.connect(&owner, "acme.example").await;
        provider.knows(person("ana-7", "ana@acme.example"));
        signs_in(&world, &provider, "ana@acme.example").await.1.is(200);
        web.lets_through(false);
        let mut held = Vec::new();
        for _ in 0..PROVIDER_AT_ONCE_MAX {
            let walk = departs(&world, "ana@acme.example").await;
            let said = fetched(&world, &provider, &walk).await;
            held.push(tokio::spawn(walk.request("provider_answer", &said).send()));
        }
        eventually(async || web.held() == PROVIDER_AT_ONCE_MAX).await;
        let mut late = departs(&world, "ana@acme.example").await;
        let said = fetched(&world, &provider, &late).await;
        let refused = late.tries("provider_answer", said.clone()).await.is(503);
        assert!(refused.headers.contains_key("retry-after"), "{}", refused.text);
        assert_eq!(web.held(), PROVIDER_AT_ONCE_MAX, "nothing was asked for them");
        web.lets_through(true);
        for one in held {
            one.await.unwrap().unwrap();
        }
        late.says("provider_answer", said).await.is(200);
        assert_eq!(late.stage(), "signed_in");
    }
    world.end().await;
}

both_engines!(
    a_provider_that_does_not_answer_is_left_alone_longer_each_time,
    whoever_is_on_their_way_goes_on_by_what_the_provider_said_before
);

async fn a_provider_that_does_not_answer_is_left_alone_longer_each_time(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let provider = world.provider().await;
    let made = provider.connect(&owner, "acme.example").await;
    provider.knows(person("ana-7", "ana@acme.example"));
    provider.behaves(OidcProviderBehavior { is_away: true, ..OidcProviderBehavior::default() });
    let wanted = json!({"email": "ana@acme.example", "return_to": "http://127.0.0.1:49152/back"});
    let walk = world.flow(json!({"kind": "sign_in"})).await;
    let refused =
        async || assert_eq!(walk.tries("single_sign_on", wanted.clone()).await.is(422).body["detail"], AWAY);
    // How often it has been asked after so many seconds more.
    for (seconds, asked) in [(0, 1), (0, 1), (4, 1), (1, 2), (5, 2), (5, 3), (10, 3), (10, 4)] {
        world.clock.pass(Lifetime::from_seconds(seconds));
        refused().await;
        assert_eq!(provider.described(), asked);
    }
    let figures = world.http.get(world.admin("/metrics")).send().await.unwrap().text().await.unwrap();
    let counted = |outcome: &str| {
        let name = format!("sinete_provider_requests_total{{what=\"description\",outcome=\"{outcome}\"}} ");
        let line =
            figures.lines().find_map(|line| line.strip_prefix(&name)).unwrap_or_else(|| panic!("{figures}"));
        line.parse::<u64>().unwrap()
    };
    assert!(
        counted("unanswered") >= 4 && figures.contains("sinete_provider_request_duration_seconds_bucket")
    );
    assert!(!figures.contains(&provider.issuer), "which provider it was stays here");
    // Back again, it is noticed after at most five minutes, and at once by whoever tries the connection.
    provider.behaves(OidcProviderBehavior::default());
    refused().await;
    assert_eq!(provider.described(), 4);
    let tried = owner
        .post(&acme.path(&format!("/connections/{}/test", made["id"].as_str().unwrap())), json!({}))
        .await
        .is(200);
    assert!(!tried.text.contains("could not be read"), "{}", tried.text);
    assert_eq!(walk.tries("single_sign_on", wanted.clone()).await.is(200).body["stage"], "at_provider");
    assert_eq!(provider.described(), 5);
}

async fn whoever_is_on_their_way_goes_on_by_what_the_provider_said_before(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let provider = world.provider().await;
    provider.connect(&owner, "acme.example").await;
    provider.knows(person("ana-7", "ana@acme.example"));
    signs_in(world, &provider, "ana@acme.example").await.1.is(200);
    assert_eq!(provider.described(), 1, "read once for the whole way");
    world.clock.pass(Lifetime::from_minutes(11));
    provider.behaves(OidcProviderBehavior { is_away: true, ..OidcProviderBehavior::default() });
    let mut walk = departs(world, "ana@acme.example").await;
    for _ in 0..5 {
        assert!(walk.looks().await.is(200).body["go_to"].is_string());
    }
    assert_eq!(provider.described(), 2, "looking at a flow asks nobody");
    let said = fetched(world, &provider, &walk).await;
    walk.says("provider_answer", said).await.is(200);
    // What it said long ago counts no longer.
    world.clock.pass(Lifetime::from_hours(24));
    let late = world.flow(json!({"kind": "sign_in"})).await;
    let wanted = json!({"email": "ana@acme.example", "return_to": "http://127.0.0.1:49152/back"});
    assert_eq!(late.tries("single_sign_on", wanted).await.is(422).body["detail"], AWAY);
}
