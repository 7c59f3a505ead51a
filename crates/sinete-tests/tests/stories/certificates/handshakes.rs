//! Certificates that are shown to us ourselves, when a connection begins.

use crate::both_engines;
use crate::harness::certificates::{CertificateIssuer, MUTUAL, PROXY_SECRET, TestCertificate};
use crate::harness::world::World;
use serde_json::json;
use sinete_crypto::jwt::JwtType;

both_engines!(
    crate::harness::world::World::with_tls,
    [a_certificate_counts_where_it_was_shown_in_a_handshake_under_the_name_that_asks]
);

async fn a_certificate_counts_where_it_was_shown_in_a_handshake_under_the_name_that_asks(world: &World) {
    let books = world.books().await;
    let (own, other) = (
        TestCertificate::named("robot", CertificateIssuer::Ours),
        TestCertificate::named("other-one", CertificateIssuer::Ours),
    );
    let metadata = json!({
        "client_name": "Robot", "grant_types": ["client_credentials"], "scope": "invoices:read",
        "token_endpoint_auth_method": "tls_client_auth", "tls_client_auth_san_dns": "robot.example",
        "tls_client_certificate_bound_access_tokens": true,
    });
    let robot = books.machine("service", "clerk", metadata).await;
    let asked = world.handshake(MUTUAL, Some(&own));
    let token = robot.for_itself_by(&asked).await.granted().access_token();
    assert_eq!(world.said(&token, JwtType::Access)["cnf"], json!({"x5t#S256": own.thumbprint()}));
    robot.for_itself_by(&asked).await.granted();
    robot.for_itself_by(&world.handshake(MUTUAL, Some(&other))).await.refused("invalid_client");
    robot
        .for_itself_by(
            &world.handshake(MUTUAL, Some(&TestCertificate::expired("robot", CertificateIssuer::Ours))),
        )
        .await
        .refused("invalid_client");
    robot.for_itself_by(&world.handshake(MUTUAL, None)).await.refused("invalid_client");
    // Under the name that people's browsers use nobody is asked.
    robot.for_itself_by(&world.handshake("localhost", Some(&own))).await.refused("invalid_client");
    // What somebody writes into a header is no handshake.
    let forged = world
        .handshake(MUTUAL, None)
        .with("client-cert", own.structured())
        .with("client-cert-secret", PROXY_SECRET);
    robot.for_itself_by(&forged).await.refused("invalid_client");
    let both = world.handshake(MUTUAL, Some(&other)).with("client-cert", own.structured());
    robot.for_itself_by(&both).await.refused("invalid_client");

    let app = books
        .app(
            json!({"token_endpoint_auth_method": "none", "tls_client_certificate_bound_access_tokens": true}),
        )
        .await;
    let (_, code) = books.code(&app, "openid invoices:read").await;
    let shown = TestCertificate::named("app", CertificateIssuer::Itself);
    let tokens = app.redeem_by(&world.handshake(MUTUAL, Some(&shown)), &code).await.granted();
    let userinfo = "/connect/userinfo";
    assert_eq!(world.handshake(MUTUAL, Some(&shown)).shown(userinfo, &tokens.access_token()).await.0, 200);
    for (host, has) in [(MUTUAL, None), (MUTUAL, Some(&other)), ("localhost", Some(&shown))] {
        assert_eq!(world.handshake(host, has).shown(userinfo, &tokens.access_token()).await.0, 401);
    }
    app.refresh_by(&world.handshake(MUTUAL, Some(&other)), &tokens.refresh_token())
        .await
        .refused("invalid_grant");
    app.refresh_by(&world.handshake(MUTUAL, Some(&shown)), &tokens.refresh_token()).await.granted();
}
