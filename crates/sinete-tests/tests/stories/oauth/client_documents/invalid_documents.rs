//! A document that cannot be used is explained to the user, and nothing is stored.

use super::{application, document, signed_in, stored_clients};
use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::document_web::DocumentWeb;
use crate::harness::world::World;
use serde_json::json;
use sinete_engine::ports::OutboundFailureKind;

both_engines!(
    engine,
    [
        client_document_that_cannot_be_fetched_says_why_and_stores_nothing,
        client_document_that_contradicts_itself_says_where_and_stores_nothing,
        client_document_fetches_of_one_address_are_limited
    ]
);

async fn client_document_that_cannot_be_fetched_says_why_and_stores_nothing(on: TestEngine) {
    let web = DocumentWeb::create();
    let world = World::start_with_web(on, web.clone()).await;
    {
        let (_, browser) = signed_in(&world).await;
        for (number, (kind, said)) in [
            (OutboundFailureKind::TimedOut, "took too long"),
            (OutboundFailureKind::TooLarge, "too large"),
            (OutboundFailureKind::Redirected, "redirect"),
            (OutboundFailureKind::NameNotAllowed, "not public"),
            (OutboundFailureKind::AddressNotAllowed, "not public"),
            (OutboundFailureKind::StatusNotOk, "not 200"),
            (OutboundFailureKind::NoAnswer, "does not respond"),
            (OutboundFailureKind::Unusable, "does not respond"),
        ]
        .into_iter()
        .enumerate()
        {
            let url = format!("https://bad{number}.example/client");
            web.fail(&url, kind);
            let app = application(&world, &url);
            for _ in 0..2 {
                let page = app.authorize(Some(&browser), &[]).await;
                assert!(page.assert_page().text.contains(said), "{kind:?}: {}", page.text);
            }
            assert_eq!(web.fetch_count(&url), 1, "the failure is remembered");
            // A program learns the same.
            let (status, told) = app.push_request(&[]).await;
            assert_eq!((status, &told["error"]), (400, &json!("invalid_client_metadata")));
            assert!(told["error_description"].as_str().unwrap().contains(said), "{told}");
        }
        assert_eq!((stored_clients(&world).await, world.count_events("client.created").await), (0, 0));
    }
    world.stop().await;
}

async fn client_document_that_contradicts_itself_says_where_and_stores_nothing(on: TestEngine) {
    let web = DocumentWeb::create();
    let world = World::start_with_web(on, web.clone()).await;
    {
        let (_, browser) = signed_in(&world).await;
        for (number, (more, said)) in [
            (json!({"client_id": "https://google.example/client"}), "client_id"),
            (json!({"client_secret": "x"}), "client_secret"),
            (json!({"token_endpoint_auth_method": "client_secret_basic"}), "token_endpoint_auth_method"),
            (json!({"redirect_uris": ["javascript:alert(1)"]}), "redirect_uris/0"),
            (json!({"redirect_uris": null}), "redirect_uris"),
            (json!({"grant_types": ["client_credentials"]}), "grant_types"),
            (json!({"token_endpoint_auth_method": "private_key_jwt"}), "jwks"),
            (json!({"scope": "members:manage"}), "scope"),
        ]
        .into_iter()
        .enumerate()
        {
            let url = format!("https://bad{number}.example/client");
            let mut bad = document(json!({"client_id": url}));
            bad.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            web.publish(&url, &bad, None);
            let app = application(&world, &url);
            app.authorize(Some(&browser), &[]).await.assert_page();
            let (status, told) = app.push_request(&[]).await;
            assert_eq!((status, &told["error"]), (400, &json!("invalid_client_metadata")), "{told}");
            assert!(told["error_description"].as_str().unwrap().contains(said), "{told}");
        }
        for (number, text) in ["", "[]", "<html>", "{"].into_iter().enumerate() {
            let url = format!("https://text{number}.example/client");
            web.publish_text(&url, text, None);
            let page = application(&world, &url).authorize(Some(&browser), &[]).await;
            assert!(page.assert_page().text.contains("not a JSON object"), "{}", page.text);
        }
        // What is no such URL is no client, and is not fetched.
        for id in [
            "http://notes.example/client",
            "https://notes.example",
            "https://127.0.0.1/client",
            "https://localhost/c",
        ] {
            let app = application(&world, "https://notes.example/client");
            app.authorize(Some(&browser), &[("client_id", Some(id))]).await.assert_page();
            assert_eq!(web.fetch_count(id), 0);
        }
        assert_eq!((stored_clients(&world).await, world.count_events("client.created").await), (0, 0));
    }
    world.stop().await;
}

async fn client_document_fetches_of_one_address_are_limited(on: TestEngine) {
    let web = DocumentWeb::create();
    let world = World::start_with_web(on, web.clone()).await;
    {
        let mut statuses = Vec::new();
        for number in 0..40 {
            let app = application(&world, &format!("https://h{number}.example/client"));
            statuses.push(app.authorize(None, &[]).await.status);
        }
        let limited = statuses.iter().filter(|status| **status == 429).count();
        assert_eq!((limited, statuses[0]), (10, 400), "{statuses:?}");
        assert_eq!(stored_clients(&world).await, 0);
    }
    world.stop().await;
}
