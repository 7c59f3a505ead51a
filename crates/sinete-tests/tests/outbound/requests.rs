//! Requests that succeed.

use super::scripted_server::{NAME, ScriptedNames, ScriptedServer, Then, target};
use sinete_engine::ports::OutboundHttp as _;

const ANSWER: &str = "HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{\"keys\":[]}";

#[tokio::test]
async fn outbound_get_uses_tls_and_drops_the_fragment() {
    let server = ScriptedServer::secure(ANSWER, Then::End).await;
    let web = server.guard(&["127.0.0.0/8"], ScriptedNames::answering(&[&["127.0.0.1"]]));
    let body = web.get(&target(&format!("https://{NAME}:{}/jwks?x=1#secret", server.port))).await.unwrap();
    assert_eq!(body, b"{\"keys\":[]}");
    let request = server.asked().remove(0);
    assert!(request.starts_with("GET /jwks?x=1 HTTP/1.1\r\n"), "{request}");
    let request = request.to_ascii_lowercase();
    for header in ["cookie", "authorization", "referer", "accept-encoding"] {
        assert!(!request.contains(header), "{request}");
    }
}

#[tokio::test]
async fn outbound_form_post_returns_any_status() {
    let refused = "HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}";
    let server = ScriptedServer::plain(refused, Then::End).await;
    let web = server.guard(&["127.0.0.1/32"], ScriptedNames::default());
    let address = format!("http://127.0.0.1:{}/logout", server.port);
    let response = web.post_form(&target(&address), "logout_token=a.b.c").await.unwrap();
    assert_eq!((response.status, response.body.as_slice()), (400, b"{}".as_slice()));
    let request = server.asked().remove(0);
    assert!(request.ends_with("\r\n\r\nlogout_token=a.b.c"), "{request}");
    assert!(request.contains("content-type: application/x-www-form-urlencoded"), "{request}");
}

#[tokio::test]
async fn outbound_fetch_resolves_the_name_every_time() {
    let server = ScriptedServer::secure(ANSWER, Then::End).await;
    let names = ScriptedNames::answering(&[&["127.0.0.1"], &["10.0.0.1"], &["127.0.0.1"]]);
    let web = server.guard(&["127.0.0.0/8"], names);
    let address = format!("https://{NAME}:{}/", server.port);
    assert!(web.get(&target(&address)).await.is_ok());
    assert!(web.get(&target(&address)).await.is_err());
    assert!(web.get(&target(&address)).await.is_ok());
    assert_eq!(server.asked().len(), 2);
}

#[tokio::test]
async fn outbound_response_is_read_up_to_its_limit() {
    let full = "x".repeat(256 * 1024);
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{full}", full.len());
    let server = ScriptedServer::plain(&answer, Then::End).await;
    let web = server.guard(&["127.0.0.1/32"], ScriptedNames::default());
    let body = web.get(&target(&format!("http://127.0.0.1:{}/", server.port))).await.unwrap();
    assert_eq!(body.len(), full.len());
}
