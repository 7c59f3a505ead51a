//! Whoever asks proves itself as it does at the token endpoint: by what it registered, and by nothing else.

use crate::both_engines;
use crate::harness::client_certificates::{CertificateIssuer, TestCertificate};
use crate::harness::drive_api::evaluation_request;
use crate::harness::grants::{OAuthResponse, TestClient};
use crate::harness::token_endpoint::sign_jws;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::client_id::ClientKind;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::signing_keys::SigningKey;
use sinete_store::oauth::clients::ClientOrigin;

const EVALUATION: &str = "/access/v1/evaluation";
const SEARCH: &str = "/access/v1/search/resource";
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// The same body with what proves who sends it.
fn proven(body: &Value, proof: &[(&str, &str)]) -> Value {
    let mut body = body.clone();
    for (name, value) in proof {
        body[*name] = json!(value);
    }
    body
}

both_engines!(
    crate::harness::world::World::start_behind_proxy,
    [authzen_client_authenticates_as_at_the_token_endpoint]
);

async fn authzen_client_authenticates_as_at_the_token_endpoint(world: &World) {
    let drive = world.create_drive_api().await;
    let ana = drive.create_member().await;
    drive
        .add_relationships(&[
            &format!("document:note editor member:{ana}"),
            &format!("document:plan editor member:{ana}"),
        ])
        .await;
    let asked = evaluation_request(&format!("member:{ana}"), "write", "document:plan");
    let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let own = TestCertificate::issue("asker", CertificateIssuer::SelfSigned);
    let service = async |more: Value| -> TestClient {
        let mut metadata = json!({"client_name": "An API"});
        metadata.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        world
            .create_client(ClientKind::Service, ClientOrigin::Organization(drive.tenant().id), metadata)
            .await
    };
    let signer = service(
        json!({"token_endpoint_auth_method": "private_key_jwt", "jwks": {"keys": [key.public_jwk()]}}),
    )
    .await;
    let poster = service(json!({"token_endpoint_auth_method": "client_secret_post"})).await;
    let holder = service(
        json!({"token_endpoint_auth_method": "self_signed_tls_client_auth", "jwks": {"keys": [own.jwk()]}}),
    )
    .await;
    let send = async |path: &str, body: &Value| {
        let request = world
            .http
            .post(world.public_url(path))
            .header("content-type", "application/json")
            .body(body.to_string());
        OAuthResponse::of(request.send().await.unwrap()).await
    };

    // By an assertion, each of which counts once, for us or for what was asked, and for nobody else.
    let assertion = |jti: &str, audience: &str| {
        let now = world.server.engine().now().seconds();
        let id = signer.id.as_str();
        let claims = json!({"iss": id, "sub": id, "aud": audience, "jti": jti, "iat": now, "exp": now + 60});
        sign_jws(&key, &json!({"alg": "ES256"}), &claims)
    };
    let issuer = world.server.engine().settings().issuer.clone();
    let by = |assertion: &str| {
        [("client_assertion", assertion.to_owned()), ("client_assertion_type", ASSERTION_TYPE.to_owned())]
    };
    let with = |body: &Value, assertion: &str| {
        let proof = by(assertion);
        proven(body, &proof.each_ref().map(|(name, value)| (*name, value.as_str())))
    };
    let first = assertion("1", &issuer);
    assert_eq!(send(EVALUATION, &with(&asked, &first)).await.is(200).body["decision"], true);
    send(EVALUATION, &with(&asked, &first)).await.is(401);
    assert_eq!(
        send(EVALUATION, &with(&asked, &assertion("2", &format!("{issuer}{EVALUATION}")))).await.is(200).body
            ["decision"],
        true
    );
    send(EVALUATION, &with(&asked, &assertion("3", "https://elsewhere.example"))).await.is(401);
    let basic = world
        .http
        .post(world.public_url(EVALUATION))
        .basic_auth(&signer.id, signer.secret.as_ref())
        .header("content-type", "application/json");
    assert_eq!(
        basic.body(asked.to_string()).send().await.unwrap().status(),
        401,
        "a secret is not what it registered"
    );
    // The next page is the same search, whatever proves who asks for it.
    let search = json!({"subject": asked["subject"], "action": asked["action"], "resource": {"type": "document"}, "page": {"limit": 1}});
    let page = send(SEARCH, &with(&search, &assertion("4", &issuer))).await.is(200);
    assert_eq!(page.body["results"], json!([{"type": "document", "id": "note"}]));
    let mut next = search.clone();
    next["page"]["token"] = page.body["page"]["next_token"].clone();
    assert_eq!(
        send(SEARCH, &with(&next, &assertion("5", &issuer))).await.is(200).body["results"],
        json!([{"type": "document", "id": "plan"}])
    );

    // By a secret in the body, and not in two ways at once.
    let secret = poster.secret.clone().unwrap();
    let said = [("client_id", poster.id.as_str()), ("client_secret", secret.as_str())];
    assert_eq!(send(EVALUATION, &proven(&asked, &said)).await.is(200).body["decision"], true);
    send(EVALUATION, &proven(&asked, &[("client_id", poster.id.as_str()), ("client_secret", "wrong")]))
        .await
        .is(401);
    let twice = world
        .http
        .post(world.public_url(EVALUATION))
        .basic_auth(&drive.service.id, drive.service.secret.as_ref())
        .header("content-type", "application/json");
    assert_eq!(twice.body(proven(&asked, &said).to_string()).send().await.unwrap().status(), 401);

    // By the certificate of the connection, with nothing but a name beside it.
    let named = proven(&asked, &[("client_id", holder.id.as_str())]);
    let by_way = async |way: &crate::harness::client_certificates::ClientConnection| {
        let request = way
            .request(reqwest::Method::POST, EVALUATION)
            .header("content-type", "application/json")
            .body(named.to_string());
        OAuthResponse::of(request.send().await.unwrap()).await
    };
    assert_eq!(by_way(&world.proxied_connection_with(&own)).await.is(200).body["decision"], true);
    by_way(&world.proxied_connection_with(&TestCertificate::issue("asker", CertificateIssuer::SelfSigned)))
        .await
        .is(401);
    by_way(&world.proxied_connection()).await.is(401);

    // Nobody else learns anything of what was sent, not even that it is no JSON.
    for body in ["{", "[]", "{}"] {
        let request = world
            .http
            .post(world.public_url(EVALUATION))
            .header("content-type", "application/json")
            .body(body);
        let refused = request.send().await.unwrap();
        assert_eq!(
            (refused.status().as_u16(), refused.headers().contains_key("www-authenticate")),
            (401, true),
            "{body}"
        );
    }
}
