//! Clients prove who they are in the one way they registered.

use crate::both_engines;
use crate::harness::token_endpoint::{
    TestClientAuth, TokenClient, TokenEndpointResponse, TokenFixture, signed,
};
use crate::harness::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sinete_core::signing::SigningAlgorithm;
use sinete_crypto::jwt::JwtType;
use sinete_crypto::key::SigningKey;

pub(super) const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

pub(super) async fn robot<'w>(books: &TokenFixture<'w>, method: &str) -> TokenClient<'w> {
    let metadata = json!({"client_name": "Robot", "grant_types": ["client_credentials"], "scope": "invoices:read", "token_endpoint_auth_method": method});
    books.machine("service", "clerk", metadata).await
}

/// A service that signs, and its key.
pub(super) async fn signer<'w>(
    books: &TokenFixture<'w>,
    algorithm: SigningAlgorithm,
) -> (TokenClient<'w>, SigningKey) {
    let key = SigningKey::generate(algorithm).unwrap();
    let metadata = json!({
        "client_name": "Signer", "grant_types": ["client_credentials"], "scope": "invoices:read",
        "token_endpoint_auth_method": "private_key_jwt", "jwks": {"keys": [key.public_jwk()]},
    });
    (books.machine("service", "clerk", metadata).await, key)
}

pub(super) fn secret(client: &TokenClient<'_>) -> String {
    match &client.proof {
        TestClientAuth::Basic(secret) | TestClientAuth::Post(secret) => secret.clone(),
        TestClientAuth::Nothing => panic!("the client has no secret"),
    }
}

/// Asks with a header and a body as they are.
pub(super) async fn ask(
    world: &World,
    authorization: Option<String>,
    form: &[(&str, &str)],
) -> TokenEndpointResponse {
    let mut request = world.http.post(world.public("/connect/token"));
    if let Some(authorization) = authorization {
        request = request.header("authorization", authorization);
    }
    let form = [&[("grant_type", "client_credentials")], form].concat();
    TokenEndpointResponse::of(request.form(&form).send().await.unwrap()).await
}

pub(super) fn basic(id: &str, secret: &str) -> Option<String> {
    Some(format!("Basic {}", STANDARD.encode(format!("{id}:{secret}"))))
}

/// The usual claims, with this id.
pub(super) fn claims(world: &World, client: &str, jti: &str) -> Value {
    let engine = world.server.engine();
    let now = engine.now().seconds();
    json!({"iss": client, "sub": client, "aud": engine.settings().issuer, "jti": jti, "iat": now, "exp": now + 60})
}

pub(super) async fn assert_with(world: &World, assertion: &str) -> TokenEndpointResponse {
    ask(world, None, &[("client_assertion", assertion), ("client_assertion_type", ASSERTION_TYPE)]).await
}

both_engines!(
    each_method_works_and_no_other_does_in_its_place,
    the_unknown_and_the_wrong_read_alike,
    an_unknown_client_takes_the_same_work_as_a_wrong_secret_at_every_endpoint,
    two_methods_at_once_are_none,
    a_secret_that_was_revoked_or_replaced_stops_at_once,
    a_certificate_that_somebody_writes_into_a_header_proves_nothing,
    what_belongs_into_the_body_is_refused_in_the_address_and_nothing_is_repeated
);

async fn each_method_works_and_no_other_does_in_its_place(world: &World) {
    let books = world.books().await;
    let (basics, posts) =
        (robot(&books, "client_secret_basic").await, robot(&books, "client_secret_post").await);
    basics.for_itself(&[]).await.granted();
    posts.for_itself(&[]).await.granted();
    let swapped = TokenClient { proof: TestClientAuth::Post(secret(&basics)), ..basics.clone() };
    swapped.for_itself(&[]).await.refused("invalid_client");
    let swapped = TokenClient { proof: TestClientAuth::Basic(secret(&posts)), ..posts.clone() };
    swapped.for_itself(&[]).await.refused("invalid_client");
    for client in [&basics, &posts] {
        let bare = TokenClient { proof: TestClientAuth::Nothing, ..client.clone() };
        bare.for_itself(&[]).await.refused("invalid_client");
    }
}

async fn the_unknown_and_the_wrong_read_alike(world: &World) {
    let books = world.books().await;
    let (one, other) =
        (robot(&books, "client_secret_basic").await, robot(&books, "client_secret_basic").await);
    let right = secret(&one);
    let spoiled = [
        right.to_uppercase(),
        right[..right.len() - 1].to_owned(),
        format!("{right}="),
        format!("{right} "),
        right.replace("sn_cs_", "sn_rt_"),
        secret(&other),
        "x".to_owned(),
        String::new(),
    ];
    let expected = ask(world, basic("01936f5e-7c2a-7def-8a1b-2c3d4e5f6071", &right), &[])
        .await
        .refused("invalid_client");
    for secret in spoiled {
        let refused = ask(world, basic(&one.id, &secret), &[]).await.refused("invalid_client");
        assert_eq!(refused.text, expected.text, "{secret}");
        assert_eq!(refused.headers["www-authenticate"], expected.headers["www-authenticate"]);
    }
    let challenge = expected.headers["www-authenticate"].to_str().unwrap();
    assert!(challenge.starts_with("Basic realm="), "{challenge}");
    let in_body =
        ask(world, None, &[("client_id", &one.id), ("client_secret", "x")]).await.refused("invalid_client");
    assert!(!in_body.headers.contains_key("www-authenticate"));
}

async fn an_unknown_client_takes_the_same_work_as_a_wrong_secret_at_every_endpoint(world: &World) {
    let books = world.books().await;
    let client = robot(&books, "client_secret_basic").await;
    let wrong = secret(&robot(&books, "client_secret_basic").await);
    let heard = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let hears = std::sync::Arc::clone(&heard);
    // What the server does by itself, for its log and its keys, comes at any time.
    let for_clients = ["client", "grants.", "security_log.append", "standing", "tokens", "visitors."];
    world.server.engine().store().overheard_by(move |statement: &'static str| {
        if for_clients.iter().any(|family| statement.starts_with(family)) {
            hears.lock().unwrap().push(statement);
        }
    });
    let work = async |path: &str, id: &str, secret: &str| {
        let form =
            [("grant_type", "client_credentials"), ("token", "x"), ("scope", "openid"), ("login_hint", "x")];
        let request = world.http.post(world.public(path)).form(&form);
        heard.lock().unwrap().clear();
        let answer = request.header("authorization", basic(id, secret).unwrap()).send().await.unwrap();
        let done = heard.lock().unwrap().clone();
        assert_eq!(answer.status(), 401, "{path}");
        (answer.text().await.unwrap(), done)
    };
    let (signer, key) = signer(&books, SigningAlgorithm::Es256).await;
    let stranger = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    // That a signature is verified for each of them is shown where the signatures are.
    let asserted = async |path: &str, id: &str, kid: Option<&str>| {
        let header = kid.map_or(json!({"alg": "ES256"}), |kid| json!({"alg": "ES256", "kid": kid}));
        let assertion = signed(&stranger, &header, &claims(world, id, "1"));
        let form = [
            ("grant_type", "client_credentials"),
            ("token", "x"),
            ("scope", "openid"),
            ("login_hint", "x"),
            ("client_assertion", &assertion),
            ("client_assertion_type", ASSERTION_TYPE),
        ];
        heard.lock().unwrap().clear();
        let answer = world.http.post(world.public(path)).form(&form).send().await.unwrap();
        let done = heard.lock().unwrap().clone();
        assert_eq!(answer.status(), 401, "{path}");
        (answer.text().await.unwrap(), done)
    };
    for path in [
        "/connect/token",
        "/connect/par",
        "/connect/introspect",
        "/connect/revoke",
        "/connect/device",
        "/connect/backchannel",
    ] {
        work(path, &client.id, &wrong).await;
        let known = work(path, &client.id, &wrong).await;
        let unknown = work(path, "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071", &wrong).await;
        assert_eq!(known, unknown, "{path}");
        assert!(known.1.contains(&"security_log.append"), "{path}: {known:?}");
        // The signature is wrong, the key is unknown, the client proves itself by a secret, and there is no such client.
        asserted(path, &signer.id, None).await;
        let known = asserted(path, &signer.id, None).await;
        assert!(known.1.contains(&"security_log.append"), "{path}: {known:?}");
        for (id, kid) in [
            (&*signer.id, Some(key.kid())),
            (&signer.id, Some("unknown")),
            (&client.id, None),
            ("01936f5e-7c2a-7def-8a1b-2c3d4e5f6071", None),
            ("01936f5e-7c2a-7def-8a1b-2c3d4e5f6071", Some(key.kid())),
        ] {
            assert_eq!(asserted(path, id, kid).await, known, "{path} {id} {kid:?}");
        }
    }
}

async fn two_methods_at_once_are_none(world: &World) {
    let books = world.books().await;
    let client = robot(&books, "client_secret_basic").await;
    let secret = secret(&client);
    let both = [("client_id", client.id.as_str()), ("client_secret", &secret)];
    ask(world, basic(&client.id, &secret), &both).await.refused("invalid_client");
    ask(world, basic(&client.id, &secret), &[("client_id", "other")]).await.refused("invalid_client");
    let assertion = [("client_assertion", "x.y.z"), ("client_assertion_type", ASSERTION_TYPE)];
    ask(world, basic(&client.id, &secret), &assertion).await.refused("invalid_client");
    ask(world, basic(&client.id, &secret), &[("client_id", &client.id)]).await.granted();
    let (signer, key) = signer(&books, SigningAlgorithm::Es256).await;
    let header = json!({"alg": "ES256", "kid": key.kid()});
    let assertion = signed(&key, &header, &claims(world, &signer.id, "1"));
    let mixed = [
        ("client_assertion", assertion.as_str()),
        ("client_assertion_type", ASSERTION_TYPE),
        ("client_secret", &secret),
    ];
    ask(world, None, &mixed).await.refused("invalid_client");
}

async fn a_secret_that_was_revoked_or_replaced_stops_at_once(world: &World) {
    let books = world.books().await;
    let client = robot(&books, "client_secret_basic").await;
    client.for_itself(&[]).await.granted();
    let path = books.tenant.path(&format!("/clients/{}/secrets", client.id));
    let first = books.owner.get(&path).await.is(200).body["items"][0]["id"].as_str().unwrap().to_owned();
    let second = books.owner.post(&path, json!({"overlap_seconds": 3600})).await.is(201);
    client.for_itself(&[]).await.granted();
    books.owner.delete(&format!("{path}/{first}"), None).await.is(204);
    client.for_itself(&[]).await.refused("invalid_client");
    let client = TokenClient { proof: TestClientAuth::Basic(second.text_of("client_secret")), ..client };
    client.for_itself(&[]).await.granted();
    let shown = books.owner.get(&books.tenant.path(&format!("/clients/{}", client.id))).await.is(200);
    let changed = json!({"metadata": {"token_endpoint_auth_method": "client_secret_post"}});
    books
        .owner
        .patch(&books.tenant.path(&format!("/clients/{}", client.id)), shown.version(), changed)
        .await
        .is(200);
    client.for_itself(&[]).await.refused("invalid_client");
    let moved = TokenClient { proof: TestClientAuth::Post(secret(&client)), ..client.clone() };
    moved.for_itself(&[]).await.granted();
    books.owner.delete(&books.tenant.path(&format!("/clients/{}", client.id)), None).await.is(204);
    moved.for_itself(&[]).await.refused("invalid_client");
}

async fn a_certificate_that_somebody_writes_into_a_header_proves_nothing(world: &World) {
    let books = world.books().await;
    let client = robot(&books, "client_secret_post").await;
    let (own, certificate) = (secret(&client), ":MIIBszCCAVmgAwIBAgIUVkBt:");
    let form =
        [("grant_type", "client_credentials"), ("client_id", client.id.as_str()), ("scope", "invoices:read")];
    for header in [
        "client-cert",
        "x-client-cert",
        "x-ssl-client-cert",
        "ssl-client-cert",
        "x-ssl-cert",
        "x_client_cert",
        "client_cert",
        "x-forwarded-client-cert",
        "x-forwarded-tls-client-cert",
        "x-amzn-mtls-clientcert",
        "x-arr-clientcert",
        "x-ssl-client-verify",
    ] {
        let asked = |form: &[(&str, &str)]| {
            world.http.post(world.public("/connect/token")).header(header, certificate).form(form)
        };
        TokenEndpointResponse::of(asked(&form).send().await.unwrap()).await.refused("invalid_client");
        let with_secret = [&form[..], &[("client_secret", own.as_str())]].concat();
        let reply = TokenEndpointResponse::of(asked(&with_secret).send().await.unwrap()).await.granted();
        assert!(world.said(&reply.access_token(), JwtType::Access).get("cnf").is_none(), "{header}");
    }
    let document: Value = world.get("/.well-known/openid-configuration").await.json().await.unwrap();
    assert!(!document.to_string().contains("tls_client"), "nobody is told that certificates count");
}

async fn what_belongs_into_the_body_is_refused_in_the_address_and_nothing_is_repeated(world: &World) {
    let books = world.books().await;
    let client = robot(&books, "client_secret_post").await;
    let secret = secret(&client);
    for query in
        [format!("client_secret={secret}"), "access_token=x".to_owned(), "client_assertion=x".to_owned()]
    {
        let address = world.public(&format!("/connect/token?{query}"));
        let form = [
            ("grant_type", "client_credentials"),
            ("client_id", client.id.as_str()),
            ("client_secret", &secret),
        ];
        TokenEndpointResponse::of(world.http.post(address).form(&form).send().await.unwrap())
            .await
            .refused("invalid_request");
    }
    for body in [
        format!(
            "grant_type=client_credentials&client_id={0}&client_id={0}&client_secret={secret}",
            client.id
        ),
        format!(
            "grant_type=client_credentials&grant_type=client_credentials&client_id={}&client_secret={secret}",
            client.id
        ),
        format!(
            "grant_type=client_credentials&scope=invoices:read&scope=&client_id={}&client_secret={secret}",
            client.id
        ),
        format!("grant_type=%zz&client_id={}&client_secret={secret}", client.id),
    ] {
        let request = world
            .http
            .post(world.public("/connect/token"))
            .header("content-type", "application/x-www-form-urlencoded");
        TokenEndpointResponse::of(request.body(body).send().await.unwrap()).await.refused("invalid_request");
    }
    client.for_itself(&[("colour", "blue"), ("scope", "")]).await.granted();
}
