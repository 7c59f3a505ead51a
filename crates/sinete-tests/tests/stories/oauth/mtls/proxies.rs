//! Certificate headers of trusted proxies.

use crate::both_engines;
use crate::harness::client_certificates::{CertificateIssuer, PROXY_SECRET, TestCertificate};
use crate::harness::world::World;
use serde_json::json;

both_engines!(
    crate::harness::world::World::start_behind_proxy,
    [mtls_client_cert_header_is_accepted_only_from_a_trusted_proxy_with_the_secret]
);

async fn mtls_client_cert_header_is_accepted_only_from_a_trusted_proxy_with_the_secret(world: &World) {
    let books = world.create_token_fixture().await;
    let certificate = TestCertificate::issue("robot", CertificateIssuer::SelfSigned);
    let metadata = json!({
        "client_name": "Robot", "grant_types": ["client_credentials"], "scope": "invoices:read",
        "token_endpoint_auth_method": "self_signed_tls_client_auth", "jwks": {"keys": [certificate.jwk()]},
    });
    let robot = books.create_machine_client("service", "clerk", metadata).await;
    robot.client_credentials_over(&world.proxied_connection_with(&certificate)).await.assert_granted();
    let escaped = world
        .proxied_connection()
        .with_header("client-cert", certificate.escaped_pem())
        .with_header("client-cert-secret", PROXY_SECRET);
    robot.client_credentials_over(&escaped).await.assert_granted();

    let forged = |name| {
        world
            .untrusted_connection()
            .with_header(name, certificate.client_cert_header())
            .with_header("client-cert-secret", PROXY_SECRET)
    };
    robot.client_credentials_over(&forged("client-cert")).await.assert_oauth_error("invalid_client");
    for name in
        ["client_cert", "x-client-cert", "x-ssl-client-cert", "ssl-client-cert", "x-forwarded-client-cert"]
    {
        robot.client_credentials_over(&forged(name)).await.assert_oauth_error("invalid_client");
        let passed_on = world
            .proxied_connection()
            .with_header(name, certificate.client_cert_header())
            .with_header("client-cert-secret", PROXY_SECRET);
        robot.client_credentials_over(&passed_on).await.assert_oauth_error("invalid_client");
    }
    // A header that a proxy only forwards or that is malformed is refused, and never treated as no certificate.
    let passed_on = world.proxied_connection().with_header("client-cert", certificate.client_cert_header());
    let guessed = world
        .proxied_connection()
        .with_header("client-cert", certificate.client_cert_header())
        .with_header("client-cert-secret", "guessed");
    let garbled = world
        .proxied_connection()
        .with_header("client-cert", ":AAAA:")
        .with_header("client-cert-secret", PROXY_SECRET);
    let twice = world
        .proxied_connection_with(&certificate)
        .with_header("client-cert", certificate.client_cert_header());
    for client_connection in [passed_on, guessed, garbled, twice] {
        assert_eq!(robot.client_credentials_over(&client_connection).await.status, 400);
        let page = client_connection.request(reqwest::Method::GET, "/.well-known/openid-configuration");
        assert_eq!(page.send().await.unwrap().status(), 400);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mtls_disabled_offers_and_reads_no_certificates() {
    let on = crate::harness::database::TestEngine::Sqlite;
    let world = World::start_with_config(on, &[("SINETE_TRUSTED_PROXIES", "127.0.0.2")]).await;
    let document: serde_json::Value =
        world.get("/.well-known/openid-configuration").await.json().await.unwrap();
    assert!(!document.to_string().contains("tls_client"));
    assert!(document.get("mtls_endpoint_aliases").is_none());
    let certificate = TestCertificate::issue("robot", CertificateIssuer::SelfSigned);
    for client_connection in [
        world.proxied_connection_with(&certificate),
        world.proxied_connection().with_header("client-cert", "nonsense"),
    ] {
        let page = client_connection.request(reqwest::Method::GET, "/.well-known/openid-configuration");
        assert_eq!(page.send().await.unwrap().status(), 200);
    }
    let books = world.create_token_fixture().await;
    let metadata = json!({
        "client_name": "Robot", "grant_types": ["client_credentials"], "scope": "invoices:read",
        "token_endpoint_auth_method": "self_signed_tls_client_auth", "jwks": {"keys": [certificate.jwk()]},
    });
    let new_client = json!({"kind": "service", "metadata": metadata});
    let refused = books.owner.post(&books.tenant.path("/clients"), new_client).await.assert_status(422);
    assert!(refused.fault_pointers().contains(&"/metadata/token_endpoint_auth_method".to_owned()));
    world.stop().await;
}
