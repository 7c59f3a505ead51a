//! The `sector_identifier_uri` document lists the redirect URIs that share pairwise subjects.

use super::{minimal_metadata_with, register_client};
use crate::both_engines;
use crate::harness::world::World;
use crate::outbound::scripted_server::{ScriptedServer, Then};
use serde_json::json;

fn listing(addresses: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{addresses}", addresses.len())
}

both_engines!(
    sector_identifier_uri_is_fetched_and_must_list_every_redirect_uri,
    sector_identifier_uri_that_is_unreadable_is_refused_uniformly,
    logo_uri_is_never_fetched
);

async fn sector_identifier_uri_is_fetched_and_must_list_every_redirect_uri(world: &World) {
    let scripted_server = ScriptedServer::plain(
        &listing(r#"["http://127.0.0.1/callback","https://other.example/cb"]"#),
        Then::End,
    )
    .await;
    let wrong = ScriptedServer::plain(&listing(r#"["https://other.example/cb"]"#), Then::End).await;
    let at = |port: u16| {
        minimal_metadata_with(json!({"sector_identifier_uri": format!("http://127.0.0.1:{port}/sector")}))
    };
    let reply = register_client(world, &at(scripted_server.port)).await.assert_status(201);
    assert_eq!(reply.body["sector_identifier_uri"], at(scripted_server.port)["sector_identifier_uri"]);
    assert_eq!(scripted_server.asked().len(), 1);
    let refused =
        register_client(world, &at(wrong.port)).await.assert_oauth_error(400, "invalid_client_metadata");
    assert!(refused.text_member("error_description").starts_with("sector_identifier_uri: "));
}

async fn sector_identifier_uri_that_is_unreadable_is_refused_uniformly(world: &World) {
    let redirect = "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\ncontent-length: 0\r\n\r\n";
    let elsewhere = ScriptedServer::plain(redirect, Then::End).await;
    let mut error_texts = std::collections::BTreeSet::new();
    for address in [
        format!("http://127.0.0.1:{}/", elsewhere.port),
        "https://10.0.0.1/sector".to_owned(),
        "https://169.254.169.254/latest/meta-data".to_owned(),
        "https://[::ffff:10.0.0.1]/".to_owned(),
        "https://0x0a000001/".to_owned(),
        "https://no-such-name.invalid/".to_owned(),
        "http://127.0.0.1:1/".to_owned(),
    ] {
        let document = minimal_metadata_with(json!({"sector_identifier_uri": address}));
        let refused =
            register_client(world, &document).await.assert_oauth_error(400, "invalid_client_metadata");
        error_texts.insert(refused.text);
    }
    assert_eq!(error_texts.len(), 1, "{error_texts:?}");
}

async fn logo_uri_is_never_fetched(world: &World) {
    let curious = ScriptedServer::plain(&listing("[]"), Then::End).await;
    let address = format!("http://127.0.0.1:{}/logo.png", curious.port);
    let all = json!({"logo_uri": address, "client_uri": address, "tos_uri": address, "policy_uri": address});
    register_client(world, &minimal_metadata_with(all)).await.assert_status(201);
    assert!(curious.asked().is_empty());
}
