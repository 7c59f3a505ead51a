//! A document that cannot be used is explained to the user, and nothing is stored.

use super::{application, document, signed_in, stored_clients};
use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::document_web::DocumentWeb;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;
use sinete_engine::ports::OutboundFailureKind;

both_engines!(
    engine,
    [
        client_document_that_cannot_be_fetched_is_explained_and_not_stored,
        client_document_that_contradicts_itself_is_reported_with_locations_and_not_stored,
        client_document_url_that_cannot_be_used_is_explained_and_not_fetched,
        client_document_that_is_new_consumes_the_registration_rate_limit,
        client_document_fetches_of_one_address_are_limited
    ]
);

async fn client_document_that_cannot_be_fetched_is_explained_and_not_stored(on: TestEngine) {
    let web = DocumentWeb::create();
    let world = World::start_with_web(on, web.clone()).await;
    {
        let (_, browser) = signed_in(&world).await;
        for (number, (kind, expected_text)) in [
            (OutboundFailureKind::TimedOut, "took too long"),
            (OutboundFailureKind::TooLarge, "too large"),
            (OutboundFailureKind::Redirected, "redirect"),
            (OutboundFailureKind::HostNotAllowed, "not public"),
            (OutboundFailureKind::AddressNotAllowed, "not public"),
            (OutboundFailureKind::StatusNotOk, "not 200"),
            (OutboundFailureKind::NoResponse, "does not respond"),
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
                assert!(page.assert_page().text.contains(expected_text), "{kind:?}: {}", page.text);
            }
            assert_eq!(web.fetch_count(&url), 1, "the failure is remembered");
            // A program learns the same.
            let (status, body) = app.push_request(&[]).await;
            assert_eq!((status, &body["error"]), (400, &json!("invalid_client_metadata")));
            assert!(body["error_description"].as_str().unwrap().contains(expected_text), "{body}");
        }
        assert_eq!((stored_clients(&world).await, world.count_events("client.created").await), (0, 0));
    }
    world.stop().await;
}

async fn client_document_that_contradicts_itself_is_reported_with_locations_and_not_stored(on: TestEngine) {
    let web = DocumentWeb::create();
    let world = World::start_with_web(on, web.clone()).await;
    {
        let (_, browser) = signed_in(&world).await;
        for (number, (extra_members, expected_text)) in [
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
            bad.as_object_mut().unwrap().extend(extra_members.as_object().unwrap().clone());
            web.publish(&url, &bad, None);
            let app = application(&world, &url);
            app.authorize(Some(&browser), &[]).await.assert_page();
            let (status, body) = app.push_request(&[]).await;
            assert_eq!((status, &body["error"]), (400, &json!("invalid_client_metadata")), "{body}");
            assert!(body["error_description"].as_str().unwrap().contains(expected_text), "{body}");
        }
        for (number, text) in ["", "[]", "<html>", "{"].into_iter().enumerate() {
            let url = format!("https://text{number}.example/client");
            web.publish_text(&url, text, None);
            let page = application(&world, &url).authorize(Some(&browser), &[]).await;
            assert!(page.assert_page().text.contains("not a JSON object"), "{}", page.text);
        }
        assert_eq!((stored_clients(&world).await, world.count_events("client.created").await), (0, 0));
    }
    world.stop().await;
}

async fn client_document_url_that_cannot_be_used_is_explained_and_not_fetched(on: TestEngine) {
    let web = DocumentWeb::create();
    let world = World::start_with_web(on, web.clone()).await;
    {
        let (_, browser) = signed_in(&world).await;
        let app = application(&world, "https://notes.example/client");
        for (id, expected_text) in [
            ("https://localhost/c", "has no dot"),
            ("https://intranet:8443/c", "has no dot"),
            ("https://127.0.0.1/client", "is an IP address"),
            ("https://notes.example", "has no path"),
            ("https://Notes.example/client", "normal spelling"),
        ] {
            web.publish(id, &document(json!({"client_id": id})), None);
            let page = app.authorize(Some(&browser), &[("client_id", Some(id))]).await;
            assert!(page.assert_page().text.contains(expected_text), "{id}: {}", page.text);
            let form = app.authorization_params(&[("client_id", Some(id))]);
            let pushed = world.http.post(world.public_url("/connect/par")).form(&form).send().await.unwrap();
            assert_eq!(pushed.status(), 400, "{id}");
            let body: Value = pushed.json().await.unwrap();
            assert_eq!(body["error"], "invalid_client_metadata", "{body}");
            assert!(body["error_description"].as_str().unwrap().contains(expected_text), "{body}");
            assert_eq!(web.fetch_count(id), 0);
        }
        // What does not begin like such a URL is an unknown client.
        for id in ["http://notes.example/client", "notes.example"] {
            let page = app.authorize(Some(&browser), &[("client_id", Some(id))]).await;
            assert!(page.assert_page().text.contains("no longer registered"), "{}", page.text);
        }
        assert_eq!(stored_clients(&world).await, 0);
    }
    world.stop().await;
}

/// The status of a pushed request of the client, as a proxy forwards it from this address.
async fn push_from(world: &World, url: &str, address: &str) -> (u16, Value) {
    let form = application(world, url).authorization_params(&[]);
    let request = world.http.post(world.public_url("/connect/par")).header("x-forwarded-for", address);
    let pushed = request.form(&form).send().await.unwrap();
    let status = pushed.status().as_u16();
    assert_eq!(status == 429, pushed.headers().contains_key("retry-after"));
    (status, pushed.json().await.unwrap())
}

async fn client_document_that_is_new_consumes_the_registration_rate_limit(on: TestEngine) {
    let web = DocumentWeb::create();
    let limits = [
        ("SINETE_TRUSTED_PROXIES", "127.0.0.1"),
        ("SINETE_REGISTRATION__PER_MINUTE", "10"),
        ("SINETE_REGISTRATION__BURST", "3"),
        ("SINETE_REGISTRATION__PER_DAY", "100"),
    ];
    let world = World::start_with_web_and_config(on, web.clone(), &limits).await;
    {
        let urls: Vec<String> = (0..4).map(|it| format!("https://h{it}.example/client")).collect();
        for url in &urls {
            web.publish(url, &document(json!({"client_id": url})), None);
        }
        let (client_ip, elsewhere) = ("203.0.113.9", "198.51.100.7");
        // A document that is not accepted costs no registration.
        assert_eq!(push_from(&world, "https://gone.example/client", client_ip).await.0, 400);
        let body = json!({"client_name": "Notes", "redirect_uris": ["https://notes.example/callback"]});
        let request =
            world.http.post(world.public_url("/connect/register")).header("x-forwarded-for", client_ip);
        assert_eq!(request.json(&body).send().await.unwrap().status(), 201);
        assert_eq!(push_from(&world, &urls[0], client_ip).await.0, 201);
        assert_eq!(push_from(&world, &urls[1], client_ip).await.0, 201);
        // Registrations and documents share one limit. A client that is known is not counted.
        let (status, body) = push_from(&world, &urls[2], client_ip).await;
        assert_eq!((status, &body["error"]), (429, &json!("temporarily_unavailable")), "{body}");
        assert_eq!(push_from(&world, &urls[0], client_ip).await.0, 201);
        let at = world.authorization_url(&application(&world, &urls[2]).authorization_params(&[]));
        let page = world.http.get(at).header("x-forwarded-for", client_ip).send().await.unwrap();
        assert_eq!(page.status(), 429);
        assert_eq!(stored_clients(&world).await, 3);
        assert_eq!(push_from(&world, &urls[3], elsewhere).await.0, 201);
        world.clock.advance(Lifetime::from_seconds(6));
        assert_eq!(push_from(&world, &urls[2], client_ip).await.0, 201);
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
