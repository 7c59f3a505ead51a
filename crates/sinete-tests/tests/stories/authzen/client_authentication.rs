//! AuthZEN clients authenticate as at the token endpoint, with the method they registered.

use crate::both_engines;
use crate::harness::client_certificates::{CertificateIssuer, ClientConnection, TestCertificate};
use crate::harness::drive_api::{DriveApi, evaluation_request};
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
    let request = evaluation_request(&format!("member:{ana}"), "write", "document:plan");
    let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let certificate = TestCertificate::issue("asker", CertificateIssuer::SelfSigned);
    let signer = create_service(
        &drive,
        json!({"token_endpoint_auth_method": "private_key_jwt", "jwks": {"keys": [key.public_jwk()]}}),
    )
    .await;
    let poster = create_service(&drive, json!({"token_endpoint_auth_method": "client_secret_post"})).await;
    let holder = create_service(
        &drive,
        json!({"token_endpoint_auth_method": "self_signed_tls_client_auth", "jwks": {"keys": [certificate.jwk()]}}),
    )
    .await;

    let signer = AssertionClient { world, client: &signer, key: &key };
    assertion_counts_once_for_the_issuer_or_the_endpoint(&signer, &request).await;
    next_search_page_accepts_a_new_assertion(&signer, &request).await;
    secret_in_the_body_counts_unless_another_method_is_used_too(&drive, &poster, &request).await;
    certificate_counts_only_if_it_is_the_registered_one(world, &holder, &certificate, &request).await;
    unauthenticated_request_is_refused_before_its_body_is_read(world).await;
}

async fn create_service(drive: &DriveApi<'_>, extra_metadata: Value) -> TestClient {
    let mut metadata = json!({"client_name": "An API"});
    metadata.as_object_mut().unwrap().extend(extra_metadata.as_object().unwrap().clone());
    drive
        .books
        .world
        .create_client(ClientKind::Service, ClientOrigin::Organization(drive.tenant().id), metadata)
        .await
}

fn post_json(world: &World, path: &str, body: String) -> reqwest::RequestBuilder {
    world.http.post(world.public_url(path)).header("content-type", "application/json").body(body)
}

async fn send(world: &World, path: &str, body: &Value) -> OAuthResponse {
    OAuthResponse::of(post_json(world, path, body.to_string()).send().await.unwrap()).await
}

/// The body with further members, which authenticate the client.
fn with_credentials(body: &Value, credentials: &[(&str, &str)]) -> Value {
    let mut body = body.clone();
    for (name, value) in credentials {
        body[*name] = json!(value);
    }
    body
}

/// A client that authenticates with `private_key_jwt`.
struct AssertionClient<'w> {
    world: &'w World,
    client: &'w TestClient,
    key: &'w SigningKey,
}

impl AssertionClient<'_> {
    fn sign_assertion(&self, jti: &str, audience: &str) -> String {
        let now = self.world.server.engine().now().seconds();
        let id = self.client.id.as_str();
        let claims = json!({"iss": id, "sub": id, "aud": audience, "jti": jti, "iat": now, "exp": now + 60});
        sign_jws(self.key, &json!({"alg": "ES256"}), &claims)
    }

    async fn send(&self, path: &str, body: &Value, assertion: &str) -> OAuthResponse {
        let credentials = [("client_assertion", assertion), ("client_assertion_type", ASSERTION_TYPE)];
        send(self.world, path, &with_credentials(body, &credentials)).await
    }

    fn issuer(&self) -> String {
        self.world.server.engine().settings().issuer.clone()
    }
}

async fn assertion_counts_once_for_the_issuer_or_the_endpoint(signer: &AssertionClient<'_>, request: &Value) {
    let issuer = signer.issuer();
    let first = signer.sign_assertion("1", &issuer);
    assert_eq!(signer.send(EVALUATION, request, &first).await.is(200).body["decision"], true);
    signer.send(EVALUATION, request, &first).await.is(401);
    let second = signer.sign_assertion("2", &format!("{issuer}{EVALUATION}"));
    assert_eq!(signer.send(EVALUATION, request, &second).await.is(200).body["decision"], true);
    let third = signer.sign_assertion("3", "https://elsewhere.example");
    signer.send(EVALUATION, request, &third).await.is(401);
    let basic = post_json(signer.world, EVALUATION, request.to_string())
        .basic_auth(&signer.client.id, signer.client.secret.as_ref());
    assert_eq!(
        basic.send().await.unwrap().status(),
        401,
        "client_secret_basic is not the method that it registered"
    );
}

/// The page token belongs to the search, not to the assertion that authenticated it.
async fn next_search_page_accepts_a_new_assertion(signer: &AssertionClient<'_>, request: &Value) {
    let issuer = signer.issuer();
    let search = json!({"subject": request["subject"], "action": request["action"], "resource": {"type": "document"}, "page": {"limit": 1}});
    let page = signer.send(SEARCH, &search, &signer.sign_assertion("4", &issuer)).await.is(200);
    assert_eq!(page.body["results"], json!([{"type": "document", "id": "note"}]));
    let mut next = search.clone();
    next["page"]["token"] = page.body["page"]["next_token"].clone();
    assert_eq!(
        signer.send(SEARCH, &next, &signer.sign_assertion("5", &issuer)).await.is(200).body["results"],
        json!([{"type": "document", "id": "plan"}])
    );
}

async fn secret_in_the_body_counts_unless_another_method_is_used_too(
    drive: &DriveApi<'_>,
    poster: &TestClient,
    request: &Value,
) {
    let secret = poster.secret.clone().unwrap();
    let credentials = [("client_id", poster.id.as_str()), ("client_secret", secret.as_str())];
    let with_secret = with_credentials(request, &credentials);
    assert_eq!(send(drive.books.world, EVALUATION, &with_secret).await.is(200).body["decision"], true);
    let wrong = [("client_id", poster.id.as_str()), ("client_secret", "wrong")];
    send(drive.books.world, EVALUATION, &with_credentials(request, &wrong)).await.is(401);
    let twice = post_json(drive.books.world, EVALUATION, with_secret.to_string())
        .basic_auth(&drive.service.id, drive.service.secret.as_ref());
    assert_eq!(twice.send().await.unwrap().status(), 401);
}

async fn certificate_counts_only_if_it_is_the_registered_one(
    world: &World,
    holder: &TestClient,
    certificate: &TestCertificate,
    request: &Value,
) {
    let body = with_credentials(request, &[("client_id", holder.id.as_str())]);
    let send_over = async |connection: &ClientConnection| {
        let request = connection
            .request(reqwest::Method::POST, EVALUATION)
            .header("content-type", "application/json")
            .body(body.to_string());
        OAuthResponse::of(request.send().await.unwrap()).await
    };
    assert_eq!(send_over(&world.proxied_connection_with(certificate)).await.is(200).body["decision"], true);
    let other = TestCertificate::issue("asker", CertificateIssuer::SelfSigned);
    send_over(&world.proxied_connection_with(&other)).await.is(401);
    send_over(&world.proxied_connection()).await.is(401);
}

/// The response does not even say that the body is not JSON.
async fn unauthenticated_request_is_refused_before_its_body_is_read(world: &World) {
    for body in ["{", "[]", "{}"] {
        let refused = post_json(world, EVALUATION, body.to_owned()).send().await.unwrap();
        assert_eq!(
            (refused.status().as_u16(), refused.headers().contains_key("www-authenticate")),
            (401, true),
            "{body}"
        );
    }
}
