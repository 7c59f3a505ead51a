//! The instance and each organization decide which metadata documents they accept.

use super::{CLIENT, application, document, signed_in};
use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::document_web::DocumentWeb;
use crate::harness::world::World;
use serde_json::{Value, json};

both_engines!(
    engine,
    [
        client_documents_disabled_are_neither_advertised_nor_fetched,
        client_documents_of_an_allow_list_are_accepted_from_listed_hosts_only,
        client_documents_are_restricted_by_an_organization
    ]
);

const OTHER: &str = "https://other.example/client";

async fn is_advertised(world: &World) -> Value {
    let address = world.public_url("/.well-known/openid-configuration");
    let document: Value = world.http.get(address).send().await.unwrap().json().await.unwrap();
    document["client_id_metadata_document_supported"].clone()
}

async fn client_documents_disabled_are_neither_advertised_nor_fetched(on: TestEngine) {
    let web = DocumentWeb::create();
    web.publish(CLIENT, &document(json!({})), None);
    let off = [("SINETE_CLIENT_DOCUMENTS_POLICY", "off")];
    let world = World::start_with_web_and_config(on, web.clone(), &off).await;
    {
        assert_eq!(is_advertised(&world).await, json!(false));
        let (_, browser) = signed_in(&world).await;
        let app = application(&world, CLIENT);
        let page = app.authorize(Some(&browser), &[]).await;
        assert!(page.assert_page().text.contains("client_id that is a URL"), "{}", page.text);
        assert_eq!(app.push_request(&[]).await.1["error"], "unauthorized_client");
        assert_eq!(web.fetch_count(CLIENT), 0);
    }
    world.stop().await;
}

async fn client_documents_of_an_allow_list_are_accepted_from_listed_hosts_only(on: TestEngine) {
    let web = DocumentWeb::create();
    web.publish(CLIENT, &document(json!({})), None);
    web.publish(OTHER, &document(json!({"client_id": OTHER})), None);
    let config = [
        ("SINETE_CLIENT_DOCUMENTS_POLICY", "allow_list"),
        ("SINETE_CLIENT_DOCUMENTS_HOSTS", "notes.example"),
    ];
    let world = World::start_with_web_and_config(on, web.clone(), &config).await;
    {
        assert_eq!(is_advertised(&world).await, json!(true));
        let (_, browser) = signed_in(&world).await;
        application(&world, CLIENT).obtain_code_with_consent(&browser, &[]).await;
        let page = application(&world, OTHER).authorize(Some(&browser), &[]).await;
        assert!(page.assert_page().text.contains("of this host are not accepted"), "{}", page.text);
        assert_eq!(web.fetch_count(OTHER), 0);
    }
    world.stop().await;
}

async fn client_documents_are_restricted_by_an_organization(on: TestEngine) {
    let web = DocumentWeb::create();
    web.publish(CLIENT, &document(json!({})), None);
    web.publish(OTHER, &document(json!({"client_id": OTHER})), None);
    let world = World::start_with_web(on, web.clone()).await;
    {
        assert_eq!(is_advertised(&world).await, json!(true));
        let (acme, browser) = signed_in(&world).await;
        let owner = world.create_owner(&acme).await;
        let settings = async |documents: Value| {
            let version = owner.get(&acme.path("")).await.assert_status(200).version();
            let change = json!({"settings": {"client_documents": documents}});
            owner.patch(&acme.path(""), version, change).await
        };
        let (notes, other) = (application(&world, CLIENT), application(&world, OTHER));
        let code = notes.obtain_code_with_consent(&browser, &[]).await;
        let (_, tokens) = notes.redeem_code(&code).await;
        settings(json!({"policy": "allow_list", "hosts": ["notes.example"]})).await.assert_status(200);
        notes.authorize(Some(&browser), &[]).await.code();
        other.authorize(Some(&browser), &[]).await.assert_error_redirect("access_denied");
        let (status, tokens) = notes.refresh_tokens(tokens["refresh_token"].as_str().unwrap()).await;
        assert_eq!(status, 200, "{tokens}");
        settings(json!({"policy": "off"})).await.assert_status(200);
        notes.authorize(Some(&browser), &[]).await.assert_error_redirect("access_denied");
        let (status, body) = notes.refresh_tokens(tokens["refresh_token"].as_str().unwrap()).await;
        assert_eq!((status, &body["error"]), (400, &json!("unauthorized_client")));
        settings(json!(null)).await.assert_status(200);
        assert_eq!(notes.refresh_tokens(tokens["refresh_token"].as_str().unwrap()).await.0, 200);
        for bad in
            [json!({"policy": "maybe"}), json!({"hosts": ["*.example"]}), json!({"hosts": ["A.example"]})]
        {
            assert_eq!(settings(bad).await.status, 422);
        }
    }
    world.stop().await;
}
