//! Clients that are held to the FAPI 2.0 Security Profile.

use crate::both_engines;
use crate::harness::certificates::{CertificateIssuer, ClientConnection, TestCertificate};
use crate::harness::key_holder::DpopClient;
use crate::harness::token_endpoint::{
    CALLBACK, TokenClient, TokenEndpointResponse, TokenFixture, VERIFIER, signed,
};
use crate::harness::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_core::signing::SigningAlgorithm;
use sinete_crypto::jwt::JwtType;
use sinete_crypto::key::SigningKey;
use sinete_store::clients::ClientOrigin;

const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

fn strict(key: &SigningKey) -> Value {
    json!({
        "security_profile": "fapi2", "token_endpoint_auth_method": "private_key_jwt",
        "jwks": {"keys": [key.public_jwk()]}, "tls_client_certificate_bound_access_tokens": true,
    })
}

/// A client of the profile at the token endpoint.
struct Strict<'w> {
    client: TokenClient<'w>,
    key: SigningKey,
}

impl<'w> Strict<'w> {
    async fn made(books: &TokenFixture<'w>, key: SigningKey) -> Self {
        Self { client: books.app(strict(&key)).await, key }
    }

    fn assertion(&self, aud: Value, jti: &str) -> String {
        let now = self.client.world.server.engine().now().seconds();
        let claims = json!({
            "iss": self.client.id, "sub": self.client.id, "aud": aud, "jti": jti, "iat": now, "exp": now + 60,
        });
        let header = json!({"alg": self.key.algorithm().as_str(), "kid": self.key.kid()});
        signed(&self.key, &header, &claims)
    }

    /// Asks in this way, with an assertion that is for the issuer and comes once.
    async fn ask(&self, way: &ClientConnection, jti: &str, form: &[(&str, &str)]) -> TokenEndpointResponse {
        let assertion = self.assertion(json!(self.client.world.issuer()), jti);
        way.ask(&[form, &proof_of(&assertion)].concat()).await
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
    crate::harness::world::World::behind_proxy,
    [
        its_tokens_are_bound_and_its_refresh_token_stays,
        its_assertions_are_for_the_issuer_alone_and_signed_with_nothing_old,
        its_tokens_may_be_bound_to_a_key_instead,
        its_requests_are_pushed_and_no_other_counts,
        request_objects_of_the_profile_fapi2_are_short_lived_and_nothing_beside_them_counts,
        nobody_is_held_to_less_by_registering_again
    ]
);

async fn its_tokens_are_bound_and_its_refresh_token_stays(world: &World) {
    let books = world.books().await;
    let strict = Strict::made(&books, SigningKey::generate(SigningAlgorithm::Es256).unwrap()).await;
    let (own, other) = (
        TestCertificate::named("bank", CertificateIssuer::Itself),
        TestCertificate::named("bank", CertificateIssuer::Itself),
    );
    let (_, code) = books.code(&strict.client, "openid invoices:read").await;
    strict.ask(&world.proxied(), "a1", &redeem(&code)).await.refused("invalid_request");
    let without_verifier = [("grant_type", "authorization_code"), ("code", code.as_str())];
    strict.ask(&world.told(&own), "a2", &without_verifier).await.refused("invalid_grant");
    let (_, code) = books.code(&strict.client, "openid invoices:read").await;
    let tokens = strict.ask(&world.told(&own), "a3", &redeem(&code)).await.granted();
    let said = world.said(&tokens.access_token(), JwtType::Access);
    assert_eq!(said["cnf"], json!({"x5t#S256": own.thumbprint()}));
    let header = tokens.text_of("id_token");
    let header = URL_SAFE_NO_PAD.decode(header.split('.').next().unwrap()).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&header).unwrap()["alg"], "ES256");

    let token = tokens.refresh_token();
    for jti in ["b1", "b2", "b3"] {
        let renewed = strict.ask(&world.told(&own), jti, &refresh(&token)).await.granted();
        assert_eq!(renewed.refresh_token(), token, "it stays what it is");
        assert_eq!(world.said(&renewed.access_token(), JwtType::Access)["cnf"]["x5t#S256"], own.thumbprint());
    }
    assert_eq!(
        (world.logged("refresh_token.used").await, world.logged("refresh_token.rotated").await),
        (3, 0)
    );
    strict.ask(&world.told(&other), "c1", &refresh(&token)).await.refused("invalid_grant");
    strict.ask(&world.proxied(), "c2", &refresh(&token)).await.refused("invalid_request");
    world
        .told(&own)
        .ask(&[&refresh(&token)[..], &[("client_id", &strict.client.id)]].concat())
        .await
        .refused("invalid_client");
    // Revoked, it is worth nothing to anybody.
    let assertion = strict.assertion(json!(world.issuer()), "d1");
    let form = [&[("token", token.as_str())][..], &proof_of(&assertion)].concat();
    let revoked = world.told(&own).request(Method::POST, "/connect/revoke").form(&form).send().await.unwrap();
    assert_eq!(revoked.status(), 200);
    strict.ask(&world.told(&own), "d2", &refresh(&token)).await.refused("invalid_grant");
}

async fn its_assertions_are_for_the_issuer_alone_and_signed_with_nothing_old(world: &World) {
    let books = world.books().await;
    let own = TestCertificate::named("bank", CertificateIssuer::Itself);
    let strict = Strict::made(&books, SigningKey::generate(SigningAlgorithm::Ps256).unwrap()).await;
    let (_, code) = books.code(&strict.client, "openid invoices:read").await;
    let issuer = world.issuer();
    for (jti, aud) in [
        ("a1", json!(format!("{issuer}/connect/token"))),
        ("a2", json!([issuer])),
        ("a3", json!([issuer, format!("{issuer}/connect/token")])),
        ("a4", json!("https://mtls.localhost/connect/token")),
    ] {
        let assertion = strict.assertion(aud, jti);
        let form = [&redeem(&code)[..], &proof_of(&assertion)].concat();
        world.told(&own).ask(&form).await.refused("invalid_client");
    }
    // The same key with the older padding: a key that names no algorithm could be used with both.
    let mut jwk = strict.key.public_jwk();
    jwk.as_object_mut().unwrap().remove("alg");
    let path = books.tenant.path(&format!("/clients/{}", strict.client.id));
    let seen = books.owner.get(&path).await.is(200).version();
    books.owner.patch(&path, seen, json!({"metadata": {"jwks": {"keys": [jwk]}}})).await.is(200);
    let now = world.server.engine().now().seconds();
    let claims = json!({"iss": strict.client.id, "sub": strict.client.id, "aud": issuer, "jti": "a5", "iat": now, "exp": now + 60});
    let old = SigningKey::parse(&strict.key.to_pem().unwrap(), Some(SigningAlgorithm::Rs256)).unwrap();
    let assertion = signed(&old, &json!({"alg": "RS256", "kid": strict.key.kid()}), &claims);
    world
        .told(&own)
        .ask(&[&redeem(&code)[..], &proof_of(&assertion)].concat())
        .await
        .refused("invalid_client");
    strict.ask(&world.told(&own), "a6", &redeem(&code)).await.granted();
}

async fn its_tokens_may_be_bound_to_a_key_instead(world: &World) {
    let books = world.books().await;
    let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let mut metadata = strict(&key);
    metadata["tls_client_certificate_bound_access_tokens"] = json!(false);
    metadata["dpop_bound_access_tokens"] = json!(true);
    let strict = Strict { client: books.app(metadata).await, key };
    let (own, new, old) =
        (world.key_holder(), world.key_holder(), world.key_holder_of(SigningAlgorithm::Rs256));
    let (_, code) = books.code(&strict.client, "openid invoices:read").await;
    let ask = async |holder: &DpopClient<'_>, jti: &str, form: &[(&str, &str)]| {
        let assertion = strict.assertion(json!(world.issuer()), jti);
        let proof = holder.proof("POST", "/connect/token");
        strict.client.ask_beside(&[proof], &[form, &proof_of(&assertion)].concat()).await
    };
    strict.ask(&world.stranger(), "a1", &redeem(&code)).await.refused("invalid_request");
    ask(&old, "a2", &redeem(&code)).await.refused("invalid_dpop_proof");
    let tokens = ask(&own, "a3", &redeem(&code)).await.bound_to(&own);
    let token = tokens.refresh_token();
    // Its own proof holds the refresh token, which stays, so that it may change its key.
    for (jti, holder) in [("b1", &own), ("b2", &new)] {
        let renewed = ask(holder, jti, &refresh(&token)).await.bound_to(holder);
        assert_eq!(renewed.refresh_token(), token);
    }
    strict.ask(&world.stranger(), "b3", &refresh(&token)).await.refused("invalid_request");
}

async fn its_requests_are_pushed_and_no_other_counts(world: &World) {
    let acme = world.tenant("acme").await;
    let ana = world.member(&acme, &["member"]).await;
    let browser = world.browser_of(&acme, ana).await;
    let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let mut metadata = strict(&key);
    metadata["consent"] = json!("implied");
    let app = world.application(ClientOrigin::Operator, metadata).await;
    app.authorize(Some(&browser), &[]).await.refused("invalid_request");
    let id = app.id.to_string();
    let client =
        TokenClient { world, id: id.clone(), proof: crate::harness::token_endpoint::TestClientAuth::Nothing };
    let bank = Strict { client, key };
    let assertion = bank.assertion(json!(world.issuer()), "p1");
    let mut form = app.request(&[]);
    form.extend(proof_of(&assertion).map(|(name, value)| (name.to_owned(), value.to_owned())));
    let pushed = world.http.post(world.public("/connect/par")).form(&form).send().await.unwrap();
    assert_eq!(pushed.status(), 201);
    let pushed: Value = pushed.json().await.unwrap();
    assert!(pushed["expires_in"].as_i64().unwrap() < 600);
    let handle = pushed["request_uri"].as_str().unwrap().to_owned();
    let bring = [("client_id".to_owned(), id), ("request_uri".to_owned(), handle)];
    let answered = world.visit(Some(&browser), &bring).await;
    answered.code();
    assert_eq!(answered.told()["iss"], world.issuer());
    let unproven =
        world.http.post(world.public("/connect/par")).form(&app.request(&[])).send().await.unwrap();
    assert_eq!(unproven.status(), 401);
}

async fn request_objects_of_the_profile_fapi2_are_short_lived_and_nothing_beside_them_counts(world: &World) {
    let acme = world.tenant("acme").await;
    let ana = world.member(&acme, &["member"]).await;
    let browser = world.browser_of(&acme, ana).await;
    let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let mut metadata = strict(&key);
    metadata["consent"] = json!("implied");
    let app = world.application(ClientOrigin::Operator, metadata).await;
    let id = app.id.to_string();
    let client =
        TokenClient { world, id: id.clone(), proof: crate::harness::token_endpoint::TestClientAuth::Nothing };
    let bank = Strict { client, key };
    let now = world.server.engine().now().seconds();
    let push = async |changes: &Value, beside: &[(&str, &str)]| {
        let mut claims: Value =
            app.request(&[]).into_iter().map(|(name, value)| (name, Value::from(value))).collect();
        let usual = json!({"iss": id, "aud": world.issuer(), "nbf": now, "exp": now + 60});
        for (name, value) in usual.as_object().unwrap().iter().chain(changes.as_object().unwrap()) {
            claims[name] = value.clone();
        }
        claims.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        let header = json!({"alg": "ES256", "kid": bank.key.kid(), "typ": "oauth-authz-req+jwt"});
        let object = signed(&bank.key, &header, &claims);
        let assertion = bank.assertion(json!(world.issuer()), &format!("{changes}{beside:?}"));
        let form =
            [&[("client_id", id.as_str()), ("request", &object)], &proof_of(&assertion)[..], beside].concat();
        let pushed = world.http.post(world.public("/connect/par")).form(&form).send().await.unwrap();
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
    // What is not signed does not count, whether or not it is inside.
    let (status, refused) = push(&json!({"scope": null}), &[("scope", "openid")]).await;
    assert_eq!((status, &refused["error"]), (400, &json!("invalid_scope")), "{refused}");
    let (status, pushed) =
        push(&json!({}), &[("state", "beside"), ("redirect_uri", "https://evil.example/")]).await;
    assert_eq!(status, 201, "{pushed}");
    let handle = pushed["request_uri"].as_str().unwrap().to_owned();
    let answered = world
        .visit(Some(&browser), &[("client_id".to_owned(), id.clone()), ("request_uri".to_owned(), handle)])
        .await;
    answered.code();
    assert_eq!(answered.told()["state"], "a state");
}

async fn nobody_is_held_to_less_by_registering_again(world: &World) {
    let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let mut wanted = strict(&key);
    wanted["client_name"] = json!("Bank");
    wanted["redirect_uris"] = json!([CALLBACK]);
    let send = async |method: Method, path: &str, token: &str, body: &Value| {
        let mut request = world.http.request(method, world.public(path)).json(body);
        if !token.is_empty() {
            request = request.bearer_auth(token);
        }
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    let (status, made) = send(Method::POST, "/connect/register", "", &wanted).await;
    assert_eq!((status, &made["security_profile"]), (201, &json!("fapi2")), "{made}");
    assert_eq!(made["id_token_signed_response_alg"], "ES256");
    let path = format!("/connect/register/{}", made["client_id"].as_str().unwrap());
    let token = made["registration_access_token"].as_str().unwrap();
    let with = |name: &str, value: Value| {
        let mut changed = wanted.clone();
        changed["client_id"] = made["client_id"].clone();
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
