//! Documents are fetched with their caching headers, and the kinds of failure are distinguished.

use super::scripted_server::{NAME, ScriptedNames, ScriptedServer, Then, target};
use sinete_engine::ports::{OutboundFailureKind, OutboundHttp as _};

const BYTES_MAX: usize = 1024;

fn here() -> ScriptedNames {
    ScriptedNames::answering(&[&["127.0.0.1"]])
}

#[tokio::test]
async fn client_document_is_fetched_with_its_caching_headers() {
    let answer = "HTTP/1.1 200 OK\r\ncache-control: max-age=60\r\nage: 7\r\ncontent-length: 2\r\n\r\n{}";
    let server = ScriptedServer::secure(answer, Then::End).await;
    let web = server.guard(&["127.0.0.0/8"], here());
    let url = format!("https://{NAME}:{}/client", server.port);
    let document = web.get_document(&target(&url), BYTES_MAX).await.unwrap();
    assert_eq!(document.body, b"{}");
    assert_eq!((document.cache_control.as_deref(), document.age.as_deref()), (Some("max-age=60"), Some("7")));
}

#[tokio::test]
async fn client_document_fetch_distinguishes_its_failures() {
    let large = format!("HTTP/1.1 200 OK\r\ncontent-length: 1025\r\n\r\n{}", "x".repeat(1025));
    let elsewhere = "HTTP/1.1 302 Found\r\nlocation: https://other.example/\r\ncontent-length: 0\r\n\r\n";
    let open_ended = "HTTP/1.1 200 OK\r\n\r\n";
    for (answer, then, kind) in [
        (elsewhere, Then::End, OutboundFailureKind::Redirected),
        (large.as_str(), Then::End, OutboundFailureKind::TooLarge),
        (open_ended, Then::Flood, OutboundFailureKind::TooLarge),
        (open_ended, Then::Trickle, OutboundFailureKind::TimedOut),
        ("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n", Then::End, OutboundFailureKind::StatusNotOk),
        ("HTTP/1.1 204 No Content\r\n\r\n", Then::End, OutboundFailureKind::StatusNotOk),
    ] {
        let server = ScriptedServer::secure(answer, then).await;
        let web = server.guard(&["127.0.0.0/8"], here());
        let url = format!("https://{NAME}:{}/client", server.port);
        let failed = web.get_document(&target(&url), BYTES_MAX).await.unwrap_err();
        assert_eq!(failed.kind(), kind, "{}", failed.reason());
        assert_eq!(failed.to_string(), "the address could not be read");
    }
    let server = ScriptedServer::secure(open_ended, Then::End).await;
    let inside = server.guard(&[], ScriptedNames::answering(&[&["10.0.0.1"]]));
    let url = format!("https://{NAME}:{}/client", server.port);
    let failed = inside.get_document(&target(&url), BYTES_MAX).await.unwrap_err();
    assert_eq!(failed.kind(), OutboundFailureKind::HostNotAllowed, "{}", failed.reason());
    let failed = inside.get_document(&target("https://10.0.0.1/client"), BYTES_MAX).await.unwrap_err();
    assert_eq!(failed.kind(), OutboundFailureKind::AddressNotAllowed);
    assert!(server.asked().is_empty());
    let client = server.guard(&["127.0.0.0/8"], here());
    let failed =
        client.get_document(&target(&format!("https://{NAME}:1/client")), BYTES_MAX).await.unwrap_err();
    assert_eq!(failed.kind(), OutboundFailureKind::NoResponse);
}
