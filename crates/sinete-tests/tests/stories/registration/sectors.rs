//! A document that lists the addresses of those who share one idea of who a person is.

use super::{four_fields_and, register};
use crate::both_engines;
use crate::harness::world::World;
use crate::outbound::scripted_server::{ScriptedServer, Then};
use serde_json::json;

fn listing(addresses: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{addresses}", addresses.len())
}

both_engines!(
    it_is_fetched_and_must_list_every_redirect_address,
    one_that_cannot_be_read_is_refused_alike_whatever_is_there,
    a_logo_is_never_fetched
);

async fn it_is_fetched_and_must_list_every_redirect_address(world: &World) {
    let right = ScriptedServer::plain(
        &listing(r#"["http://127.0.0.1/callback","https://other.example/cb"]"#),
        Then::End,
    )
    .await;
    let wrong = ScriptedServer::plain(&listing(r#"["https://other.example/cb"]"#), Then::End).await;
    let at = |port: u16| {
        four_fields_and(json!({"sector_identifier_uri": format!("http://127.0.0.1:{port}/sector")}))
    };
    let made = register(world, &at(right.port)).await.is(201);
    assert_eq!(made.body["sector_identifier_uri"], at(right.port)["sector_identifier_uri"]);
    assert_eq!(right.asked().len(), 1);
    let refused = register(world, &at(wrong.port)).await.refused(400, "invalid_client_metadata");
    assert!(refused.text_of("error_description").starts_with("sector_identifier_uri: "));
}

async fn one_that_cannot_be_read_is_refused_alike_whatever_is_there(world: &World) {
    let redirect = "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\ncontent-length: 0\r\n\r\n";
    let elsewhere = ScriptedServer::plain(redirect, Then::End).await;
    let mut told = std::collections::BTreeSet::new();
    for address in [
        format!("http://127.0.0.1:{}/", elsewhere.port),
        "https://10.0.0.1/sector".to_owned(),
        "https://169.254.169.254/latest/meta-data".to_owned(),
        "https://[::ffff:10.0.0.1]/".to_owned(),
        "https://0x0a000001/".to_owned(),
        "https://no-such-name.invalid/".to_owned(),
        "http://127.0.0.1:1/".to_owned(),
    ] {
        let document = four_fields_and(json!({"sector_identifier_uri": address}));
        let refused = register(world, &document).await.refused(400, "invalid_client_metadata");
        told.insert(refused.text);
    }
    assert_eq!(told.len(), 1, "{told:?}");
}

async fn a_logo_is_never_fetched(world: &World) {
    let curious = ScriptedServer::plain(&listing("[]"), Then::End).await;
    let address = format!("http://127.0.0.1:{}/logo.png", curious.port);
    let all = json!({"logo_uri": address, "client_uri": address, "tos_uri": address, "policy_uri": address});
    register(world, &four_fields_and(all)).await.is(201);
    assert!(curious.asked().is_empty());
}
