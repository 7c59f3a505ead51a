//! Client authentication with a certificate.

use crate::both_engines;
use crate::harness::client_certificates::{CertificateIssuer, TestCertificate};
use crate::harness::token_endpoint::{TokenClient, TokenFixture};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_crypto::platform::jwt::JwtType;

/// A service with this certificate metadata.
async fn known<'w>(books: &TokenFixture<'w>, extra_metadata: Value) -> TokenClient<'w> {
    let mut metadata =
        json!({"client_name": "Robot", "grant_types": ["client_credentials"], "scope": "invoices:read"});
    for (name, value) in extra_metadata.as_object().unwrap() {
        metadata[name] = value.clone();
    }
    books.create_machine_client("service", "clerk", metadata).await
}

both_engines!(
    crate::harness::world::World::start_behind_proxy,
    [
        tls_client_auth_needs_the_registered_name_in_a_trusted_certificate,
        self_signed_tls_client_auth_follows_the_registered_certificate,
        mtls_registration_needs_one_name_and_discovery_lists_the_aliases
    ]
);

async fn tls_client_auth_needs_the_registered_name_in_a_trusted_certificate(world: &World) {
    let books = world.create_token_fixture().await;
    let ours = TestCertificate::issue("robot", CertificateIssuer::TrustedCa);
    let subject = json!({"token_endpoint_auth_method": "tls_client_auth", "tls_client_auth_subject_dn": "CN=robot,O=Books\\, Inc."});
    let robot = known(&books, subject).await;
    for (member, name) in [
        ("tls_client_auth_san_dns", "robot.example"),
        ("tls_client_auth_san_uri", "spiffe://books.example/robot"),
        ("tls_client_auth_san_email", "robot@books.example"),
        ("tls_client_auth_san_ip", "192.0.2.5"),
    ] {
        let client =
            known(&books, json!({"token_endpoint_auth_method": "tls_client_auth", member: name})).await;
        client.client_credentials_over(&world.proxied_connection_with(&ours)).await.assert_granted();
        client
            .client_credentials_over(
                &world.proxied_connection_with(&TestCertificate::issue(
                    "other-one",
                    CertificateIssuer::TrustedCa,
                )),
            )
            .await
            .assert_oauth_error("invalid_client");
    }
    let token = robot
        .client_credentials_over(&world.proxied_connection_with(&ours))
        .await
        .assert_granted()
        .access_token();
    assert!(
        world.token_claims(&token, JwtType::Access).get("cnf").is_none(),
        "the client did not request binding"
    );
    // Another certificate with the same name is accepted, as after a renewal.
    robot
        .client_credentials_over(
            &world.proxied_connection_with(&TestCertificate::issue("robot", CertificateIssuer::TrustedCa)),
        )
        .await
        .assert_granted();
    for wrong in [
        TestCertificate::issue("robot", CertificateIssuer::UntrustedCa),
        TestCertificate::issue("robot", CertificateIssuer::SelfSigned),
        TestCertificate::issue_expired("robot", CertificateIssuer::TrustedCa),
        TestCertificate::issue("another", CertificateIssuer::TrustedCa),
    ] {
        robot
            .client_credentials_over(&world.proxied_connection_with(&wrong))
            .await
            .assert_oauth_error("invalid_client");
    }
    robot.client_credentials_over(&world.proxied_connection()).await.assert_oauth_error("invalid_client");
    robot.client_credentials_over(&world.untrusted_connection()).await.assert_oauth_error("invalid_client");
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", robot.id.as_str()),
        ("client_secret", "guessed"),
    ];
    world.proxied_connection_with(&ours).request_token(&form).await.assert_oauth_error("invalid_client");
    assert!(world.count_events("client.proof_failed").await >= 7);
}

async fn self_signed_tls_client_auth_follows_the_registered_certificate(world: &World) {
    let books = world.create_token_fixture().await;
    let (first, second) = (
        TestCertificate::issue("robot", CertificateIssuer::SelfSigned),
        TestCertificate::issue("robot", CertificateIssuer::SelfSigned),
    );
    let metadata =
        json!({"token_endpoint_auth_method": "self_signed_tls_client_auth", "jwks": {"keys": [first.jwk()]}});
    let robot = known(&books, metadata).await;
    robot.client_credentials_over(&world.proxied_connection_with(&first)).await.assert_granted();
    robot
        .client_credentials_over(&world.proxied_connection_with(&second))
        .await
        .assert_oauth_error("invalid_client");
    robot.client_credentials_over(&world.proxied_connection()).await.assert_oauth_error("invalid_client");
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", robot.id.as_str()),
        ("client_secret", "guessed"),
    ];
    world.proxied_connection_with(&first).request_token(&form).await.assert_oauth_error("invalid_client");

    let path = books.tenant.path(&format!("/clients/{}", robot.id));
    let replace = async |key: Value| {
        let version = books.owner.get(&path).await.assert_status(200).version();
        let change = json!({"metadata": {"jwks": {"keys": [key]}}});
        books.owner.patch(&path, version, change).await.assert_status(200);
    };
    replace(second.x5c_jwk()).await;
    robot
        .client_credentials_over(&world.proxied_connection_with(&first))
        .await
        .assert_oauth_error("invalid_client");
    robot.client_credentials_over(&world.proxied_connection_with(&second)).await.assert_granted();
    let expired = TestCertificate::issue_expired("robot", CertificateIssuer::SelfSigned);
    replace(expired.x5c_jwk()).await;
    robot
        .client_credentials_over(&world.proxied_connection_with(&expired))
        .await
        .assert_oauth_error("invalid_client");
    // A certificate of one client is not accepted for another, even if the CA is trusted.
    let other = TestCertificate::issue("other-one", CertificateIssuer::TrustedCa);
    let other_metadata = json!({"token_endpoint_auth_method": "tls_client_auth", "tls_client_auth_san_dns": "other-one.example"});
    known(&books, other_metadata)
        .await
        .client_credentials_over(&world.proxied_connection_with(&other))
        .await
        .assert_granted();
    robot
        .client_credentials_over(&world.proxied_connection_with(&other))
        .await
        .assert_oauth_error("invalid_client");
}

async fn mtls_registration_needs_one_name_and_discovery_lists_the_aliases(world: &World) {
    let document: Value = world.get("/.well-known/openid-configuration").await.json().await.unwrap();
    assert_eq!(document["tls_client_certificate_bound_access_tokens"], true);
    let aliases = document["mtls_endpoint_aliases"].as_object().unwrap();
    assert_eq!(aliases["token_endpoint"], "https://mtls.localhost/connect/token");
    assert!(aliases.contains_key("userinfo_endpoint") && !aliases.contains_key("authorization_endpoint"));
    for method in ["tls_client_auth", "self_signed_tls_client_auth"] {
        assert!(
            document["token_endpoint_auth_methods_supported"].as_array().unwrap().contains(&json!(method))
        );
    }
    let register = async |extra_metadata: Value| {
        let mut client =
            json!({"client_name": "Portal", "redirect_uris": ["https://portal.example/callback"]});
        for (name, value) in extra_metadata.as_object().unwrap() {
            client[name] = value.clone();
        }
        let answer =
            world.http.post(world.public_url("/connect/register")).json(&client).send().await.unwrap();
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    let one = json!({"token_endpoint_auth_method": "tls_client_auth", "tls_client_auth_san_dns": "portal.example", "tls_client_certificate_bound_access_tokens": true});
    let (status, registered) = register(one).await;
    assert_eq!(status, 201, "{registered}");
    assert_eq!(registered["tls_client_auth_san_dns"], "portal.example");
    assert_eq!(registered["tls_client_certificate_bound_access_tokens"], true);
    assert!(registered.get("client_secret").is_none());
    for wrong in [
        json!({"token_endpoint_auth_method": "tls_client_auth"}),
        json!({"token_endpoint_auth_method": "tls_client_auth", "tls_client_auth_san_dns": "a.example", "tls_client_auth_san_ip": "192.0.2.1"}),
        json!({"token_endpoint_auth_method": "tls_client_auth", "tls_client_auth_subject_dn": "nobody"}),
        json!({"token_endpoint_auth_method": "none", "tls_client_auth_san_dns": "a.example"}),
        json!({"token_endpoint_auth_method": "self_signed_tls_client_auth"}),
    ] {
        let (status, refused) = register(wrong.clone()).await;
        assert_eq!((status, &refused["error"]), (400, &json!("invalid_client_metadata")), "{wrong}");
    }
}
