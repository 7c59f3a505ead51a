//! A document is fetched once for many requests, used as long as HTTP says, and read again then.

use super::{CLIENT, application, document, signed_in};
use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::document_web::DocumentWeb;
use crate::harness::world::World;
use crate::stories::platform::api_conventions::join_all;
use serde_json::json;
use sinete_core::time::Lifetime;
use sinete_engine::ports::OutboundFailureKind;

both_engines!(
    engine,
    [
        client_document_is_cached_and_concurrent_requests_share_one_fetch,
        client_document_change_ends_the_consents_of_its_users,
        client_document_that_cannot_be_fetched_again_preserves_its_grants
    ]
);

async fn client_document_is_cached_and_concurrent_requests_share_one_fetch(on: TestEngine) {
    let web = DocumentWeb::create();
    web.publish(CLIENT, &document(json!({})), Some("public, max-age=1800"));
    let world = World::start_with_web(on, web.clone()).await;
    {
        let (_, browser) = signed_in(&world).await;
        let app = application(&world, CLIENT);
        web.set_open(false);
        let racers = (0..8).map(|_| app.authorize(Some(&browser), &[("prompt", Some("none"))])).collect();
        let released = async {
            while web.fetch_count(CLIENT) == 0 {
                tokio::task::yield_now().await;
            }
            web.set_open(true);
        };
        let (replies, ()) = tokio::join!(join_all(racers), released);
        for reply in replies {
            reply.assert_error_redirect("consent_required");
        }
        assert_eq!((web.fetch_count(CLIENT), world.count_events("client.created").await), (1, 1));
        for (minutes, fetched) in [(29, 1), (2, 2), (29, 2), (2, 3)] {
            world.clock.advance(Lifetime::from_minutes(minutes));
            app.authorize(Some(&browser), &[("prompt", Some("none"))]).await;
            assert_eq!(web.fetch_count(CLIENT), fetched);
        }
        assert_eq!(world.count_events("client.changed").await, 0);
    }
    world.stop().await;
}

async fn client_document_change_ends_the_consents_of_its_users(on: TestEngine) {
    let web = DocumentWeb::create();
    web.publish(CLIENT, &document(json!({})), None);
    let world = World::start_with_web(on, web.clone()).await;
    {
        let (_, browser) = signed_in(&world).await;
        let app = application(&world, CLIENT);
        let silent = [("prompt", Some("none"))];
        app.obtain_code_with_consent(&browser, &[]).await;
        app.authorize(Some(&browser), &silent).await.code();
        // Read again, and unchanged.
        world.clock.advance(Lifetime::from_minutes(11));
        app.authorize(Some(&browser), &silent).await.code();
        for change in [
            json!({"client_name": "Notas"}),
            json!({"redirect_uris": [super::NOTES_CALLBACK, "https://notes.example/other"]}),
            json!({"tos_uri": "https://notes.example/terms"}),
        ] {
            web.publish(CLIENT, &document(change), None);
            app.authorize(Some(&browser), &silent).await.code();
            world.clock.advance(Lifetime::from_minutes(11));
            app.authorize(Some(&browser), &silent).await.assert_error_redirect("consent_required");
            app.obtain_code_with_consent(&browser, &[]).await;
        }
        assert_eq!(world.count_events("client.changed").await, 3);
    }
    world.stop().await;
}

async fn client_document_that_cannot_be_fetched_again_preserves_its_grants(on: TestEngine) {
    let web = DocumentWeb::create();
    web.publish(CLIENT, &document(json!({})), None);
    let world = World::start_with_web(on, web.clone()).await;
    {
        let (_, browser) = signed_in(&world).await;
        let app = application(&world, CLIENT);
        let code = app.obtain_code_with_consent(&browser, &[]).await;
        let (_, tokens) = app.redeem_code(&code).await;
        web.fail(CLIENT, OutboundFailureKind::TimedOut);
        world.clock.advance(Lifetime::from_minutes(11));
        let page = app.authorize(Some(&browser), &[]).await;
        assert!(page.assert_page().text.contains("took too long"), "{}", page.text);
        let (status, renewed) = app.refresh_tokens(tokens["refresh_token"].as_str().unwrap()).await;
        assert_eq!(status, 200, "{renewed}");
        // The failure is remembered for a minute, then the document is read again.
        assert_eq!(web.fetch_count(CLIENT), 2);
        web.publish(CLIENT, &document(json!({})), None);
        app.authorize(Some(&browser), &[]).await.assert_page();
        world.clock.advance(Lifetime::from_seconds(61));
        app.authorize(Some(&browser), &[("prompt", Some("none"))]).await.code();
        assert_eq!(web.fetch_count(CLIENT), 3);
    }
    world.stop().await;
}
