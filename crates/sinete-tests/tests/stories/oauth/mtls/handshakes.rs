//! Client certificates in the TLS handshake of the server itself.

use crate::both_engines;
use crate::harness::client_certificates::{CertificateIssuer, MTLS_HOST, PROXY_SECRET, TestCertificate};
use crate::harness::token_endpoint::TokenFixture;
use crate::harness::world::World;
use serde_json::json;
use sinete_crypto::platform::jwt::JwtType;

both_engines!(
    crate::harness::world::World::start_with_tls,
    [mtls_certificate_of_the_handshake_is_used_only_on_the_mtls_host]
);

async fn mtls_certificate_of_the_handshake_is_used_only_on_the_mtls_host(world: &World) {
    let books = world.create_token_fixture().await;
    let (certificate, other) = (
        TestCertificate::issue("robot", CertificateIssuer::TrustedCa),
        TestCertificate::issue("other-one", CertificateIssuer::TrustedCa),
    );
    let metadata = json!({
        "client_name": "Robot", "grant_types": ["client_credentials"], "scope": "invoices:read",
        "token_endpoint_auth_method": "tls_client_auth", "tls_client_auth_san_dns": "robot.example",
        "tls_client_certificate_bound_access_tokens": true,
    });
    let robot = books.create_machine_client("service", "clerk", metadata).await;
    let client_connection = world.tls_connection(MTLS_HOST, Some(&certificate));
    let token = robot.client_credentials_over(&client_connection).await.assert_granted().access_token();
    assert_eq!(
        world.token_claims(&token, JwtType::Access)["cnf"],
        json!({"x5t#S256": certificate.thumbprint()})
    );
    robot.client_credentials_over(&client_connection).await.assert_granted();
    robot
        .client_credentials_over(&world.tls_connection(MTLS_HOST, Some(&other)))
        .await
        .assert_oauth_error("invalid_client");
    robot
        .client_credentials_over(&world.tls_connection(
            MTLS_HOST,
            Some(&TestCertificate::issue_expired("robot", CertificateIssuer::TrustedCa)),
        ))
        .await
        .assert_oauth_error("invalid_client");
    robot
        .client_credentials_over(&world.tls_connection(MTLS_HOST, None))
        .await
        .assert_oauth_error("invalid_client");
    // The handshake asks for no certificate on the host that browsers use.
    robot
        .client_credentials_over(&world.tls_connection("localhost", Some(&certificate)))
        .await
        .assert_oauth_error("invalid_client");
    // A header with a certificate does not count as a handshake.
    let forged = world
        .tls_connection(MTLS_HOST, None)
        .with_header("client-cert", certificate.client_cert_header())
        .with_header("client-cert-secret", PROXY_SECRET);
    robot.client_credentials_over(&forged).await.assert_oauth_error("invalid_client");
    let both = world
        .tls_connection(MTLS_HOST, Some(&other))
        .with_header("client-cert", certificate.client_cert_header());
    robot.client_credentials_over(&both).await.assert_oauth_error("invalid_client");
    bound_tokens_are_accepted_with_their_certificate_only(&books, &other).await;
}

async fn bound_tokens_are_accepted_with_their_certificate_only(
    books: &TokenFixture<'_>,
    other: &TestCertificate,
) {
    let world = books.world;
    let app = books
        .create_app_client(
            json!({"token_endpoint_auth_method": "none", "tls_client_certificate_bound_access_tokens": true}),
        )
        .await;
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    let certificate = TestCertificate::issue("app", CertificateIssuer::SelfSigned);
    let tokens = app
        .redeem_code_over(&world.tls_connection(MTLS_HOST, Some(&certificate)), &code)
        .await
        .assert_granted();
    let userinfo = "/connect/userinfo";
    assert_eq!(
        world
            .tls_connection(MTLS_HOST, Some(&certificate))
            .call_with_bearer(userinfo, &tokens.access_token())
            .await
            .0,
        200
    );
    for (host, has) in [(MTLS_HOST, None), (MTLS_HOST, Some(other)), ("localhost", Some(&certificate))] {
        assert_eq!(
            world.tls_connection(host, has).call_with_bearer(userinfo, &tokens.access_token()).await.0,
            401
        );
    }
    app.refresh_over(&world.tls_connection(MTLS_HOST, Some(other)), &tokens.refresh_token())
        .await
        .assert_oauth_error("invalid_grant");
    app.refresh_over(&world.tls_connection(MTLS_HOST, Some(&certificate)), &tokens.refresh_token())
        .await
        .assert_granted();
}
