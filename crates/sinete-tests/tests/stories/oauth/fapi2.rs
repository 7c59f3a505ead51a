//! Clients with the FAPI 2.0 Security Profile.

use crate::both_engines;
use crate::harness::client_certificates::{CertificateIssuer, ClientConnection, TestCertificate};
use crate::harness::dpop_client::DpopClient;
use crate::harness::token_endpoint::{
    CALLBACK, TokenClient, TokenEndpointResponse, TokenFixture, VERIFIER, sign_jws,
};
use crate::harness::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::jwt::JwtType;
use sinete_crypto::platform::signing_keys::SigningKey;
use sinete_store::oauth::clients::ClientOrigin;

const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

fn strict(key: &SigningKey) -> Value {
    json!({
        "security_profile": "fapi2", "token_endpoint_auth_method": "private_key_jwt",
        "jwks": {"keys": [key.public_jwk()]}, "tls_client_certificate_bound_access_tokens": true,
    })
}

/// A FAPI 2.0 client at the token endpoint.
struct Strict<'w> {
    client: TokenClient<'w>,
    key: SigningKey,
}

impl<'w> Strict<'w> {
    async fn made(books: &TokenFixture<'w>, key: SigningKey) -> Self {
        Self { client: books.create_app_client(strict(&key)).await, key }
    }

    fn assertion(&self, aud: Value, jti: &str) -> String {
        let now = self.client.world.server.engine().now().seconds();
        let claims = json!({
            "iss": self.client.id, "sub": self.client.id, "aud": aud, "jti": jti, "iat": now, "exp": now + 60,
        });
        let header = json!({"alg": self.key.algorithm().as_str(), "kid": self.key.kid()});
        sign_jws(&self.key, &header, &claims)
    }

    /// Sends a token request over this connection, with a new client assertion for the issuer.
    async fn ask(
        &self,
        client_connection: &ClientConnection,
        jti: &str,
        form: &[(&str, &str)],
    ) -> TokenEndpointResponse {
        let assertion = self.assertion(json!(self.client.world.issuer()), jti);
        client_connection.request_token(&[form, &proof_of(&assertion)].concat()).await
    }
}

fn proof_of(assertion: &str) -> [(&str, &str); 2] {
    [("client_assertion", assertion), ("client_assertion_type", ASSERTION_TYPE)]
}

fn redeem(code: &str) -> [(&str, &str); 3] {
    [("grant_type", "authorization_code"), ("code", code), ("code_verifier", VERIFIER)]
}

fn refresh(token: &str) -> [(&str, &str); 2] {
    [("grant_type", "refresh_token"), ("refresh_token", token)]
}

both_engines!(
    crate::harness::world::World::start_behind_proxy,
    [
        fapi2_tokens_are_certificate_bound_and_refresh_tokens_are_not_rotated,
        fapi2_client_assertions_need_the_issuer_as_aud_and_a_modern_algorithm,
        fapi2_tokens_may_be_dpop_bound_instead,
        fapi2_requests_must_be_pushed,
        fapi2_request_objects_are_short_lived_and_parameters_beside_them_are_ignored,
        fapi2_profile_cannot_be_dropped_by_registering_again
    ]
);

async fn fapi2_tokens_are_certificate_bound_and_refresh_tokens_are_not_rotated(world: &World) {
    let books = world.create_token_fixture().await;
    let strict = Strict::made(&books, SigningKey::generate(SigningAlgorithm::Es256).unwrap()).await;
    let (certificate, other) = (
        TestCertificate::issue("bank", CertificateIssuer::SelfSigned),
        TestCertificate::issue("bank", CertificateIssuer::SelfSigned),
    );
    let (_, code) = books.issue_code(&strict.client, "openid invoices:read").await;
    strict.ask(&world.proxied_connection(), "a1", &redeem(&code)).await.assert_oauth_error("invalid_request");
    let without_verifier = [("grant_type", "authorization_code"), ("code", code.as_str())];
    strict
        .ask(&world.proxied_connection_with(&certificate), "a2", &without_verifier)
        .await
        .assert_oauth_error("invalid_grant");
    let (_, code) = books.issue_code(&strict.client, "openid invoices:read").await;
    let tokens =
        strict.ask(&world.proxied_connection_with(&certificate), "a3", &redeem(&code)).await.assert_granted();
    let body = world.token_claims(&tokens.access_token(), JwtType::Access);
    assert_eq!(body["cnf"], json!({"x5t#S256": certificate.thumbprint()}));
    let header = tokens.text_member("id_token");
    let header = URL_SAFE_NO_PAD.decode(header.split('.').next().unwrap()).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&header).unwrap()["alg"], "ES256");

    let token = tokens.refresh_token();
    for jti in ["b1", "b2", "b3"] {
        let renewed = strict
            .ask(&world.proxied_connection_with(&certificate), jti, &refresh(&token))
            .await
            .assert_granted();
        assert_eq!(renewed.refresh_token(), token, "the refresh token is not rotated");
        assert_eq!(
            world.token_claims(&renewed.access_token(), JwtType::Access)["cnf"]["x5t#S256"],
            certificate.thumbprint()
        );
    }
    assert_eq!(
        (world.count_events("refresh_token.used").await, world.count_events("refresh_token.rotated").await),
        (3, 0)
    );
    strict
        .ask(&world.proxied_connection_with(&other), "c1", &refresh(&token))
        .await
        .assert_oauth_error("invalid_grant");
    strict
        .ask(&world.proxied_connection(), "c2", &refresh(&token))
        .await
        .assert_oauth_error("invalid_request");
    world
        .proxied_connection_with(&certificate)
        .request_token(&[&refresh(&token)[..], &[("client_id", &strict.client.id)]].concat())
        .await
        .assert_oauth_error("invalid_client");
    // A revoked token is inactive.
    let assertion = strict.assertion(json!(world.issuer()), "d1");
    let form = [&[("token", token.as_str())][..], &proof_of(&assertion)].concat();
    let revoked = world
        .proxied_connection_with(&certificate)
        .request(Method::POST, "/connect/revoke")
        .form(&form)
        .send()
        .await
        .unwrap();
    assert_eq!(revoked.status(), 200);
    strict
        .ask(&world.proxied_connection_with(&certificate), "d2", &refresh(&token))
        .await
        .assert_oauth_error("invalid_grant");
}

async fn fapi2_client_assertions_need_the_issuer_as_aud_and_a_modern_algorithm(world: &World) {
    let books = world.create_token_fixture().await;
    let certificate = TestCertificate::issue("bank", CertificateIssuer::SelfSigned);
    let strict = Strict::made(&books, SigningKey::generate(SigningAlgorithm::Ps256).unwrap()).await;
    let (_, code) = books.issue_code(&strict.client, "openid invoices:read").await;
    let issuer = world.issuer();
    for (jti, aud) in [
        ("a1", json!(format!("{issuer}/connect/token"))),
        ("a2", json!([issuer])),
        ("a3", json!([issuer, format!("{issuer}/connect/token")])),
        ("a4", json!("https://mtls.localhost/connect/token")),
    ] {
        let assertion = strict.assertion(aud, jti);
        let form = [&redeem(&code)[..], &proof_of(&assertion)].concat();
        world
            .proxied_connection_with(&certificate)
            .request_token(&form)
            .await
            .assert_oauth_error("invalid_client");
    }
    // The same key with RS256: a JWK without `alg` could be used with both algorithms.
    let mut jwk = strict.key.public_jwk();
    jwk.as_object_mut().unwrap().remove("alg");
    let path = books.tenant.path(&format!("/clients/{}", strict.client.id));
    let version = books.owner.get(&path).await.assert_status(200).version();
    books
        .owner
        .patch(&path, version, json!({"metadata": {"jwks": {"keys": [jwk]}}}))
        .await
        .assert_status(200);
    let now = world.server.engine().now().seconds();
    let claims = json!({"iss": strict.client.id, "sub": strict.client.id, "aud": issuer, "jti": "a5", "iat": now, "exp": now + 60});
    let old = SigningKey::parse(&strict.key.to_pem().unwrap(), Some(SigningAlgorithm::Rs256)).unwrap();
    let assertion = sign_jws(&old, &json!({"alg": "RS256", "kid": strict.key.kid()}), &claims);
    world
        .proxied_connection_with(&certificate)
        .request_token(&[&redeem(&code)[..], &proof_of(&assertion)].concat())
        .await
        .assert_oauth_error("invalid_client");
    strict.ask(&world.proxied_connection_with(&certificate), "a6", &redeem(&code)).await.assert_granted();
}

async fn fapi2_tokens_may_be_dpop_bound_instead(world: &World) {
    let books = world.create_token_fixture().await;
    let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let mut metadata = strict(&key);
    metadata["tls_client_certificate_bound_access_tokens"] = json!(false);
    metadata["dpop_bound_access_tokens"] = json!(true);
    let strict = Strict { client: books.create_app_client(metadata).await, key };
    let (client, new, old) = (
        world.create_dpop_client(),
        world.create_dpop_client(),
        world.create_dpop_client_with(SigningAlgorithm::Rs256),
    );
    let (_, code) = books.issue_code(&strict.client, "openid invoices:read").await;
    let ask = async |holder: &DpopClient<'_>, jti: &str, form: &[(&str, &str)]| {
        let assertion = strict.assertion(json!(world.issuer()), jti);
        let proof = holder.proof("POST", "/connect/token");
        strict.client.request_token_with_proofs(&[proof], &[form, &proof_of(&assertion)].concat()).await
    };
    strict
        .ask(&world.untrusted_connection(), "a1", &redeem(&code))
        .await
        .assert_oauth_error("invalid_request");
    ask(&old, "a2", &redeem(&code)).await.assert_oauth_error("invalid_dpop_proof");
    let tokens = ask(&client, "a3", &redeem(&code)).await.assert_bound_to(&client);
    let token = tokens.refresh_token();
    // The refresh token stays the same and is bound to the client's authentication, so that the client may change its
    // DPoP key.
    for (jti, holder) in [("b1", &client), ("b2", &new)] {
        let renewed = ask(holder, jti, &refresh(&token)).await.assert_bound_to(holder);
        assert_eq!(renewed.refresh_token(), token);
    }
    strict
        .ask(&world.untrusted_connection(), "b3", &refresh(&token))
        .await
        .assert_oauth_error("invalid_request");
}

async fn fapi2_requests_must_be_pushed(world: &World) {
    let acme = world.create_organization("acme").await;
    let ana = world.create_member(&acme, &["member"]).await;
    let browser = world.create_member_browser(&acme, ana).await;
    let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let mut metadata = strict(&key);
    metadata["consent"] = json!("implied");
    let app = world.create_application(ClientOrigin::Operator, metadata).await;
    app.authorize(Some(&browser), &[]).await.assert_error_redirect("invalid_request");
    let id = app.id.to_string();
    let client =
        TokenClient { world, id: id.clone(), auth: crate::harness::token_endpoint::TestClientAuth::None };
    let bank = Strict { client, key };
    let assertion = bank.assertion(json!(world.issuer()), "p1");
    let mut form = app.authorization_params(&[]);
    form.extend(proof_of(&assertion).map(|(name, value)| (name.to_owned(), value.to_owned())));
    let pushed = world.http.post(world.public_url("/connect/par")).form(&form).send().await.unwrap();
    assert_eq!(pushed.status(), 201);
    let pushed: Value = pushed.json().await.unwrap();
    assert!(pushed["expires_in"].as_i64().unwrap() < 600);
    let handle = pushed["request_uri"].as_str().unwrap().to_owned();
    let bring = [("client_id".to_owned(), id), ("request_uri".to_owned(), handle)];
    let response = world.open_authorization_endpoint(Some(&browser), &bring).await;
    response.code();
    assert_eq!(response.redirect_params()["iss"], world.issuer());
    let unproven = world
        .http
        .post(world.public_url("/connect/par"))
        .form(&app.authorization_params(&[]))
        .send()
        .await
        .unwrap();
    assert_eq!(unproven.status(), 401);
}

async fn fapi2_request_objects_are_short_lived_and_parameters_beside_them_are_ignored(world: &World) {
    let acme = world.create_organization("acme").await;
    let ana = world.create_member(&acme, &["member"]).await;
    let browser = world.create_member_browser(&acme, ana).await;
    let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let mut metadata = strict(&key);
    metadata["consent"] = json!("implied");
    let app = world.create_application(ClientOrigin::Operator, metadata).await;
    let id = app.id.to_string();
    let client =
        TokenClient { world, id: id.clone(), auth: crate::harness::token_endpoint::TestClientAuth::None };
    let bank = Strict { client, key };
    let now = world.server.engine().now().seconds();
    let push = async |changes: &Value, extra_params: &[(&str, &str)]| {
        let mut claims: Value = app
            .authorization_params(&[])
            .into_iter()
            .map(|(name, value)| (name, Value::from(value)))
            .collect();
        let default_claims = json!({"iss": id, "aud": world.issuer(), "nbf": now, "exp": now + 60});
        for (name, value) in default_claims.as_object().unwrap().iter().chain(changes.as_object().unwrap()) {
            claims[name] = value.clone();
        }
        claims.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        let header = json!({"alg": "ES256", "kid": bank.key.kid(), "typ": "oauth-authz-req+jwt"});
        let object = sign_jws(&bank.key, &header, &claims);
        let assertion = bank.assertion(json!(world.issuer()), &format!("{changes}{extra_params:?}"));
        let form =
            [&[("client_id", id.as_str()), ("request", &object)], &proof_of(&assertion)[..], extra_params]
                .concat();
        let pushed = world.http.post(world.public_url("/connect/par")).form(&form).send().await.unwrap();
        (pushed.status().as_u16(), pushed.json::<Value>().await.unwrap())
    };
    for wrong in [
        json!({"iss": null}),
        json!({"aud": null}),
        json!({"nbf": null}),
        json!({"exp": null}),
        json!({"nbf": now - 3_700}),
        json!({"exp": now + 3_700}),
        json!({"exp": now - 60}),
        json!({"nbf": now + 3_600}),
        json!({"aud": "https://other.example"}),
        json!({"iss": "other"}),
    ] {
        let (status, refused) = push(&wrong, &[]).await;
        assert_eq!(
            (status, &refused["error"]),
            (400, &json!("invalid_request_object")),
            "{wrong}: {refused}"
        );
    }
    // Parameters outside the signed request are ignored, even if the signed request lacks them.
    let (status, refused) = push(&json!({"scope": null}), &[("scope", "openid")]).await;
    assert_eq!((status, &refused["error"]), (400, &json!("invalid_scope")), "{refused}");
    let (status, pushed) =
        push(&json!({}), &[("state", "beside"), ("redirect_uri", "https://evil.example/")]).await;
    assert_eq!(status, 201, "{pushed}");
    let handle = pushed["request_uri"].as_str().unwrap().to_owned();
    let response = world
        .open_authorization_endpoint(
            Some(&browser),
            &[("client_id".to_owned(), id.clone()), ("request_uri".to_owned(), handle)],
        )
        .await;
    response.code();
    assert_eq!(response.redirect_params()["state"], "a state");
}

async fn fapi2_profile_cannot_be_dropped_by_registering_again(world: &World) {
    let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let mut metadata = strict(&key);
    metadata["client_name"] = json!("Bank");
    metadata["redirect_uris"] = json!([CALLBACK]);
    let send = async |method: Method, path: &str, token: &str, body: &Value| {
        let mut request = world.http.request(method, world.public_url(path)).json(body);
        if !token.is_empty() {
            request = request.bearer_auth(token);
        }
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    let (status, created) = send(Method::POST, "/connect/register", "", &metadata).await;
    assert_eq!((status, &created["security_profile"]), (201, &json!("fapi2")), "{created}");
    assert_eq!(created["id_token_signed_response_alg"], "ES256");
    let path = format!("/connect/register/{}", created["client_id"].as_str().unwrap());
    let token = created["registration_access_token"].as_str().unwrap();
    let with = |name: &str, value: Value| {
        let mut changed = metadata.clone();
        changed["client_id"] = created["client_id"].clone();
        changed[name] = value;
        changed
    };
    for (name, value) in [
        ("security_profile", Value::Null),
        ("security_profile", json!("standard")),
        ("token_endpoint_auth_method", json!("none")),
        ("tls_client_certificate_bound_access_tokens", json!(false)),
        ("id_token_signed_response_alg", json!("RS256")),
    ] {
        let (status, refused) = send(Method::PUT, &path, token, &with(name, value)).await;
        assert_eq!((status, &refused["error"]), (400, &json!("invalid_client_metadata")), "{name}");
    }
    assert_eq!(send(Method::PUT, &path, token, &with("client_name", json!("Bank"))).await.0, 200);
}
