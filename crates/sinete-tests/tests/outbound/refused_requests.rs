//! Requests that are refused, with the same error whatever the reason.

use super::scripted_server::{NAME, ScriptedNames, ScriptedServer, Then, target};
use sinete::outbound::http_client::GuardedHttpClient;
use sinete_engine::ports::{OutboundError, OutboundHttp as _};
use std::time::Duration;

const ANSWER: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";

async fn not_reached(web: &GuardedHttpClient, address: &str) -> OutboundError {
    let read = web.get(&target(address)).await.expect_err(address);
    let error = web.post_form(&target(address), "a=b").await.expect_err(address);
    assert_eq!(read.to_string(), "the address could not be read");
    assert_eq!(read.to_string(), error.to_string());
    read
}

#[tokio::test]
async fn outbound_request_to_a_private_address_is_refused_in_any_notation() {
    let server = ScriptedServer::secure(ANSWER, Then::End).await;
    let web = server.guard(&[], ScriptedNames::default());
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0177.0.0.1",
        "0x7f.0.0.1",
        "0x7f000001",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "169.254.169.254",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "192.0.2.1",
        "224.0.0.1",
    ] {
        let error = not_reached(&web, &format!("https://{host}:{}/", server.port)).await;
        assert_eq!(error.reason(), "its address is not allowed", "{host}");
    }
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn outbound_request_to_a_name_with_any_private_address_is_refused() {
    let server = ScriptedServer::secure(ANSWER, Then::End).await;
    for addresses in [
        &["127.0.0.1"][..],
        &["::1"],
        &["::ffff:127.0.0.1"],
        &["169.254.169.254"],
        &["1.1.1.1", "127.0.0.1"],
        &["127.0.0.1", "1.1.1.1"],
        &[],
    ] {
        let web = server.guard(&[], ScriptedNames::answering(&[addresses]));
        not_reached(&web, &format!("https://{NAME}:{}/", server.port)).await;
    }
    let web = server.guard(&[], ScriptedNames::default());
    not_reached(&web, &format!("https://localhost:{}/", server.port)).await;
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn outbound_plain_http_is_allowed_only_for_configured_networks() {
    let server = ScriptedServer::plain(ANSWER, Then::End).await;
    let address = format!("http://127.0.0.1:{}/", server.port);
    not_reached(&server.guard(&[], ScriptedNames::default()), &address).await;
    not_reached(&server.guard(&["10.0.0.0/8"], ScriptedNames::default()), &address).await;
    let web = server.guard(&["127.0.0.0/8"], ScriptedNames::answering(&[&["1.1.1.1"]]));
    not_reached(&web, &format!("http://{NAME}:{}/", server.port)).await;
    assert!(server.asked().is_empty());
    assert!(server.guard(&["127.0.0.0/8"], ScriptedNames::default()).get(&target(&address)).await.is_ok());
}

#[tokio::test]
async fn outbound_request_to_an_invalid_url_is_refused() {
    let server = ScriptedServer::plain(ANSWER, Then::End).await;
    let web = server.guard(&["127.0.0.0/8"], ScriptedNames::answering(&[&["127.0.0.1"]]));
    let with_credentials = format!("http://me:secret@127.0.0.1:{}/", server.port);
    for address in
        ["", "keys", "//127.0.0.1/", "file:///etc/passwd", "ftp://127.0.0.1/", "data:,x", &with_credentials]
    {
        not_reached(&web, address).await;
    }
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn outbound_redirects_are_not_followed() {
    let inside = ScriptedServer::plain(ANSWER, Then::End).await;
    for status in [301, 302, 303, 307, 308] {
        let location = format!("http://127.0.0.1:{}/", inside.port);
        let answer =
            format!("HTTP/1.1 {status} Elsewhere\r\nlocation: {location}\r\ncontent-length: 2\r\n\r\n{{}}");
        let server = ScriptedServer::plain(&answer, Then::End).await;
        let web = server.guard(&["127.0.0.0/8"], ScriptedNames::default());
        not_reached(&web, &format!("http://127.0.0.1:{}/", server.port)).await;
        assert_eq!(server.asked().len(), 2);
    }
    assert!(inside.asked().is_empty());
}

#[tokio::test]
async fn outbound_response_large_endless_or_compressed_is_not_read() {
    let packed = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}";
    let announced = "HTTP/1.1 200 OK\r\ncontent-length: 10485760\r\n\r\n";
    let endless = "HTTP/1.1 200 OK\r\n\r\n";
    for (answer, then) in [(packed, Then::End), (announced, Then::Flood), (endless, Then::Flood)] {
        let server = ScriptedServer::plain(answer, then).await;
        let web = server.guard(&["127.0.0.0/8"], ScriptedNames::default());
        let error = not_reached(&web, &format!("http://127.0.0.1:{}/", server.port)).await;
        assert!(
            ["the response is compressed", "the response is too large"].contains(&error.reason()),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn outbound_response_that_is_slow_is_cut_off() {
    let beginning = "HTTP/1.1 200 OK\r\n";
    let body = "HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n";
    let cut_off = async |answer: &str| {
        let server = ScriptedServer::plain(answer, Then::Trickle).await;
        let web = server.guard(&["127.0.0.0/8"], ScriptedNames::default());
        let address = format!("http://127.0.0.1:{}/", server.port);
        let error = web.get(&target(&address)).await.unwrap_err();
        assert_eq!(error.reason(), "it took too long");
    };
    let both = async { tokio::join!(cut_off(beginning), cut_off(body)) };
    tokio::time::timeout(Duration::from_secs(120), both).await.unwrap();
}

#[tokio::test]
async fn outbound_response_other_than_200_or_with_an_untrusted_certificate_is_refused() {
    let missing = "HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\n{}";
    let server = ScriptedServer::plain(missing, Then::End).await;
    let web = server.guard(&["127.0.0.0/8"], ScriptedNames::default());
    assert!(web.get(&target(&format!("http://127.0.0.1:{}/", server.port))).await.is_err());

    let server = ScriptedServer::secure(ANSWER, Then::End).await;
    let scripted_server = ScriptedServer::secure(ANSWER, Then::End).await;
    let names = ScriptedNames::answering(&[&["127.0.0.1"]]);
    let web = scripted_server.guard(&["127.0.0.0/8"], names.clone());
    not_reached(&web, &format!("https://{NAME}:{}/", server.port)).await;
    let web = server.guard(&["127.0.0.0/8"], names);
    not_reached(&web, &format!("https://other.example:{}/", server.port)).await;
    assert!(server.asked().is_empty());
}
