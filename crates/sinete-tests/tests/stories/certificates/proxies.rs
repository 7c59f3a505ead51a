//! Whose word about a certificate counts.

use crate::both_engines;
use crate::harness::certificates::{CertificateIssuer, PROXY_SECRET, TestCertificate};
use crate::harness::world::World;
use serde_json::json;

both_engines!(
    crate::harness::world::World::behind_proxy,
    [only_a_proxy_that_is_trusted_and_knows_the_secret_tells_of_certificates]
);

async fn only_a_proxy_that_is_trusted_and_knows_the_secret_tells_of_certificates(world: &World) {
    let books = world.books().await;
    let own = TestCertificate::named("robot", CertificateIssuer::Itself);
    let metadata = json!({
        "client_name": "Robot", "grant_types": ["client_credentials"], "scope": "invoices:read",
        "token_endpoint_auth_method": "self_signed_tls_client_auth", "jwks": {"keys": [own.jwk()]},
    });
    let robot = books.machine("service", "clerk", metadata).await;
    robot.for_itself_by(&world.told(&own)).await.granted();
    let escaped = world.proxied().with("client-cert", own.escaped()).with("client-cert-secret", PROXY_SECRET);
    robot.for_itself_by(&escaped).await.granted();

    let forged =
        |name| world.stranger().with(name, own.structured()).with("client-cert-secret", PROXY_SECRET);
    robot.for_itself_by(&forged("client-cert")).await.refused("invalid_client");
    for name in
        ["client_cert", "x-client-cert", "x-ssl-client-cert", "ssl-client-cert", "x-forwarded-client-cert"]
    {
        robot.for_itself_by(&forged(name)).await.refused("invalid_client");
        let passed_on = world.proxied().with(name, own.structured()).with("client-cert-secret", PROXY_SECRET);
        robot.for_itself_by(&passed_on).await.refused("invalid_client");
    }
    // What a proxy passes on or garbles is refused, and is never as good as no certificate.
    let passed_on = world.proxied().with("client-cert", own.structured());
    let guessed = world.proxied().with("client-cert", own.structured()).with("client-cert-secret", "guessed");
    let garbled = world.proxied().with("client-cert", ":AAAA:").with("client-cert-secret", PROXY_SECRET);
    let twice = world.told(&own).with("client-cert", own.structured());
    for way in [passed_on, guessed, garbled, twice] {
        assert_eq!(robot.for_itself_by(&way).await.status, 400);
        let page = way.request(reqwest::Method::GET, "/.well-known/openid-configuration");
        assert_eq!(page.send().await.unwrap().status(), 400);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_certificates_are_not_taken_nothing_of_them_is_offered_or_read() {
    let on = crate::harness::database::TestEngine::Sqlite;
    let world = World::begin_with(on, &[("SINETE_TRUSTED_PROXIES", "127.0.0.2")]).await;
    let document: serde_json::Value =
        world.get("/.well-known/openid-configuration").await.json().await.unwrap();
    assert!(!document.to_string().contains("tls_client"));
    assert!(document.get("mtls_endpoint_aliases").is_none());
    let own = TestCertificate::named("robot", CertificateIssuer::Itself);
    for way in [world.told(&own), world.proxied().with("client-cert", "nonsense")] {
        let page = way.request(reqwest::Method::GET, "/.well-known/openid-configuration");
        assert_eq!(page.send().await.unwrap().status(), 200);
    }
    let books = world.books().await;
    let metadata = json!({
        "client_name": "Robot", "grant_types": ["client_credentials"], "scope": "invoices:read",
        "token_endpoint_auth_method": "self_signed_tls_client_auth", "jwks": {"keys": [own.jwk()]},
    });
    let wanted = json!({"kind": "service", "metadata": metadata});
    let refused = books.owner.post(&books.tenant.path("/clients"), wanted).await.is(422);
    assert!(refused.faults().contains(&"/metadata/token_endpoint_auth_method".to_owned()));
    world.end().await;
}
