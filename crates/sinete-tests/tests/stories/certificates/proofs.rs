//! A certificate as the proof of who a client is.

use crate::both_engines;
use crate::harness::certificates::{CertificateIssuer, TestCertificate};
use crate::harness::token_endpoint::{TokenClient, TokenFixture};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_crypto::jwt::JwtType;

/// A service that is known by this.
async fn known<'w>(books: &TokenFixture<'w>, more: Value) -> TokenClient<'w> {
    let mut metadata =
        json!({"client_name": "Robot", "grant_types": ["client_credentials"], "scope": "invoices:read"});
    for (name, value) in more.as_object().unwrap() {
        metadata[name] = value.clone();
    }
    books.machine("service", "clerk", metadata).await
}

both_engines!(
    crate::harness::world::World::behind_proxy,
    [
        a_client_is_known_by_one_name_in_a_certificate_that_an_authority_vouches_for,
        a_client_is_known_by_the_certificate_it_registered_until_it_registers_another,
        who_registers_says_exactly_one_name_and_finds_where_to_show_it
    ]
);

async fn a_client_is_known_by_one_name_in_a_certificate_that_an_authority_vouches_for(world: &World) {
    let books = world.books().await;
    let ours = TestCertificate::named("robot", CertificateIssuer::Ours);
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
        client.for_itself_by(&world.told(&ours)).await.granted();
        client
            .for_itself_by(&world.told(&TestCertificate::named("other-one", CertificateIssuer::Ours)))
            .await
            .refused("invalid_client");
    }
    let token = robot.for_itself_by(&world.told(&ours)).await.granted().access_token();
    assert!(world.said(&token, JwtType::Access).get("cnf").is_none(), "nobody asked for a binding");
    // Another certificate of the same name is as good: it was renewed.
    robot
        .for_itself_by(&world.told(&TestCertificate::named("robot", CertificateIssuer::Ours)))
        .await
        .granted();
    for wrong in [
        TestCertificate::named("robot", CertificateIssuer::Theirs),
        TestCertificate::named("robot", CertificateIssuer::Itself),
        TestCertificate::expired("robot", CertificateIssuer::Ours),
        TestCertificate::named("another", CertificateIssuer::Ours),
    ] {
        robot.for_itself_by(&world.told(&wrong)).await.refused("invalid_client");
    }
    robot.for_itself_by(&world.proxied()).await.refused("invalid_client");
    robot.for_itself_by(&world.stranger()).await.refused("invalid_client");
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", robot.id.as_str()),
        ("client_secret", "guessed"),
    ];
    world.told(&ours).ask(&form).await.refused("invalid_client");
    assert!(world.logged("client.proof_failed").await >= 7);
}

async fn a_client_is_known_by_the_certificate_it_registered_until_it_registers_another(world: &World) {
    let books = world.books().await;
    let (first, second) = (
        TestCertificate::named("robot", CertificateIssuer::Itself),
        TestCertificate::named("robot", CertificateIssuer::Itself),
    );
    let metadata =
        json!({"token_endpoint_auth_method": "self_signed_tls_client_auth", "jwks": {"keys": [first.jwk()]}});
    let robot = known(&books, metadata).await;
    robot.for_itself_by(&world.told(&first)).await.granted();
    robot.for_itself_by(&world.told(&second)).await.refused("invalid_client");
    robot.for_itself_by(&world.proxied()).await.refused("invalid_client");
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", robot.id.as_str()),
        ("client_secret", "guessed"),
    ];
    world.told(&first).ask(&form).await.refused("invalid_client");

    let path = books.tenant.path(&format!("/clients/{}", robot.id));
    let replace = async |key: Value| {
        let seen = books.owner.get(&path).await.is(200).version();
        let change = json!({"metadata": {"jwks": {"keys": [key]}}});
        books.owner.patch(&path, seen, change).await.is(200);
    };
    replace(second.exact()).await;
    robot.for_itself_by(&world.told(&first)).await.refused("invalid_client");
    robot.for_itself_by(&world.told(&second)).await.granted();
    let expired = TestCertificate::expired("robot", CertificateIssuer::Itself);
    replace(expired.exact()).await;
    robot.for_itself_by(&world.told(&expired)).await.refused("invalid_client");
    // A certificate of one client is not one of another's, even where an authority vouches for it.
    let other = TestCertificate::named("other-one", CertificateIssuer::Ours);
    let named = json!({"token_endpoint_auth_method": "tls_client_auth", "tls_client_auth_san_dns": "other-one.example"});
    known(&books, named).await.for_itself_by(&world.told(&other)).await.granted();
    robot.for_itself_by(&world.told(&other)).await.refused("invalid_client");
}

async fn who_registers_says_exactly_one_name_and_finds_where_to_show_it(world: &World) {
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
    let register = async |more: Value| {
        let mut client =
            json!({"client_name": "Portal", "redirect_uris": ["https://portal.example/callback"]});
        for (name, value) in more.as_object().unwrap() {
            client[name] = value.clone();
        }
        let answer = world.http.post(world.public("/connect/register")).json(&client).send().await.unwrap();
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
