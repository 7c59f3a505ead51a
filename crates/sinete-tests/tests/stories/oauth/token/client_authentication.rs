//! Clients authenticate with the one method they registered; a secret is accepted in the header and in the body.

use crate::both_engines;
use crate::harness::token_endpoint::{
    TestClientAuth, TokenClient, TokenEndpointResponse, TokenFixture, sign_jws,
};
use crate::harness::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::secret::{ClientSecret, Secret};
use sinete_crypto::platform::jwt::JwtType;
use sinete_crypto::platform::signing_keys::SigningKey;
use sinete_store::oauth::client_secrets;

pub(super) const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

pub(super) async fn robot<'w>(books: &TokenFixture<'w>, method: &str) -> TokenClient<'w> {
    let metadata = json!({"client_name": "Robot", "grant_types": ["client_credentials"], "scope": "invoices:read", "token_endpoint_auth_method": method});
    books.create_machine_client("service", "clerk", metadata).await
}

/// A service with `private_key_jwt`, and its key.
pub(super) async fn signer<'w>(
    books: &TokenFixture<'w>,
    algorithm: SigningAlgorithm,
) -> (TokenClient<'w>, SigningKey) {
    let key = SigningKey::generate(algorithm).unwrap();
    let metadata = json!({
        "client_name": "Signer", "grant_types": ["client_credentials"], "scope": "invoices:read",
        "token_endpoint_auth_method": "private_key_jwt", "jwks": {"keys": [key.public_jwk()]},
    });
    (books.create_machine_client("service", "clerk", metadata).await, key)
}

pub(super) fn secret(client: &TokenClient<'_>) -> String {
    match &client.auth {
        TestClientAuth::Basic(secret) | TestClientAuth::Post(secret) => secret.clone(),
        TestClientAuth::None => panic!("the client has no secret"),
    }
}

/// Sends a token request with this header and body.
pub(super) async fn ask(
    world: &World,
    authorization: Option<String>,
    form: &[(&str, &str)],
) -> TokenEndpointResponse {
    let mut request = world.http.post(world.public_url("/connect/token"));
    if let Some(authorization) = authorization {
        request = request.header("authorization", authorization);
    }
    let form = [&[("grant_type", "client_credentials")], form].concat();
    TokenEndpointResponse::from_response(request.form(&form).send().await.unwrap()).await
}

pub(super) fn basic(id: &str, secret: &str) -> Option<String> {
    Some(format!("Basic {}", STANDARD.encode(format!("{id}:{secret}"))))
}

/// The claims of a client assertion with this `jti`.
pub(super) fn claims(world: &World, client: &str, jti: &str) -> Value {
    let engine = world.server.engine();
    let now = engine.now().seconds();
    json!({"iss": client, "sub": client, "aud": engine.settings().issuer, "jti": jti, "iat": now, "exp": now + 60})
}

pub(super) async fn assert_with(world: &World, assertion: &str) -> TokenEndpointResponse {
    ask(world, None, &[("client_assertion", assertion), ("client_assertion_type", ASSERTION_TYPE)]).await
}

both_engines!(
    client_secret_is_accepted_in_header_and_body_and_other_methods_only_as_registered,
    client_authentication_error_names_the_expected_method_only_with_the_right_secret,
    client_authentication_errors_are_the_same_for_unknown_clients_and_wrong_secrets,
    client_authentication_of_an_unknown_client_does_the_same_work_at_every_endpoint,
    client_authentication_by_two_methods_is_refused,
    client_secret_revoked_or_replaced_stops_at_once,
    client_cert_header_from_an_untrusted_peer_is_ignored,
    client_credentials_in_the_query_are_refused_and_never_echoed
);

async fn client_secret_is_accepted_in_header_and_body_and_other_methods_only_as_registered(world: &World) {
    let books = world.create_token_fixture().await;
    let (basics, posts) =
        (robot(&books, "client_secret_basic").await, robot(&books, "client_secret_post").await);
    basics.request_client_credentials(&[]).await.assert_granted();
    posts.request_client_credentials(&[]).await.assert_granted();
    let swapped = TokenClient { auth: TestClientAuth::Post(secret(&basics)), ..basics.clone() };
    swapped.request_client_credentials(&[]).await.assert_granted();
    let swapped = TokenClient { auth: TestClientAuth::Basic(secret(&posts)), ..posts.clone() };
    swapped.request_client_credentials(&[]).await.assert_granted();
    // Only the right secret, and only for clients that have one.
    let wrong = TokenClient { auth: TestClientAuth::Post(secret(&posts)), ..basics.clone() };
    wrong.request_client_credentials(&[]).await.assert_oauth_error("invalid_client");
    let (signer, key) = signer(&books, SigningAlgorithm::Es256).await;
    for auth in
        [TestClientAuth::Post(secret(&posts)), TestClientAuth::Basic(secret(&posts)), TestClientAuth::None]
    {
        let other = TokenClient { auth, ..signer.clone() };
        other.request_client_credentials(&[]).await.assert_oauth_error("invalid_client");
    }
    let header = json!({"alg": "ES256"});
    let assertion = sign_jws(&key, &header, &claims(world, &basics.id, "one"));
    assert_with(world, &assertion).await.assert_oauth_error("invalid_client");
    for client in [&basics, &posts] {
        let bare = TokenClient { auth: TestClientAuth::None, ..client.clone() };
        bare.request_client_credentials(&[]).await.assert_oauth_error("invalid_client");
    }
}

async fn client_authentication_error_names_the_expected_method_only_with_the_right_secret(world: &World) {
    let books = world.create_token_fixture().await;
    let (signer, _) = signer(&books, SigningAlgorithm::Es256).await;
    let engine = world.server.engine();
    let client_secret = Secret::<ClientSecret>::mint(engine.entropy());
    let id = signer.id.parse().unwrap();
    world
        .apply_statements([client_secrets::add_client_secret(
            &client_secret.digest(),
            &id,
            engine.now(),
            None,
        )])
        .await;
    let client_secret = client_secret.reveal();
    let response =
        ask(world, basic(&signer.id, &client_secret), &[]).await.assert_oauth_error("invalid_client");
    assert!(response.text.contains("registered for private_key_jwt"), "{}", response.text);
    // A caller without the secret learns nothing.
    let unknown = ask(world, basic("01936f5e-7c2a-7def-8a1b-2c3d4e5f6071", &client_secret), &[])
        .await
        .assert_oauth_error("invalid_client");
    let foreign_secret = secret(&robot(&books, "client_secret_basic").await);
    for wrong in [foreign_secret.as_str(), "x"] {
        let refused = ask(world, basic(&signer.id, wrong), &[]).await.assert_oauth_error("invalid_client");
        assert_eq!(refused.text, unknown.text);
    }
}

async fn client_authentication_errors_are_the_same_for_unknown_clients_and_wrong_secrets(world: &World) {
    let books = world.create_token_fixture().await;
    let (one, other) =
        (robot(&books, "client_secret_basic").await, robot(&books, "client_secret_basic").await);
    let valid_secret = secret(&one);
    let spoiled = [
        valid_secret.to_uppercase(),
        valid_secret[..valid_secret.len() - 1].to_owned(),
        format!("{valid_secret}="),
        format!("{valid_secret} "),
        valid_secret.replace("sn_cs_", "sn_rt_"),
        secret(&other),
        "x".to_owned(),
        String::new(),
    ];
    let expected = ask(world, basic("01936f5e-7c2a-7def-8a1b-2c3d4e5f6071", &valid_secret), &[])
        .await
        .assert_oauth_error("invalid_client");
    for secret in spoiled {
        let refused = ask(world, basic(&one.id, &secret), &[]).await.assert_oauth_error("invalid_client");
        assert_eq!(refused.text, expected.text, "{secret}");
        assert_eq!(refused.headers["www-authenticate"], expected.headers["www-authenticate"]);
    }
    let challenge = expected.headers["www-authenticate"].to_str().unwrap();
    assert!(challenge.starts_with("Basic realm="), "{challenge}");
    let in_body = ask(world, None, &[("client_id", &one.id), ("client_secret", "x")])
        .await
        .assert_oauth_error("invalid_client");
    assert!(!in_body.headers.contains_key("www-authenticate"));
}

async fn client_authentication_of_an_unknown_client_does_the_same_work_at_every_endpoint(world: &World) {
    let books = world.create_token_fixture().await;
    let client = robot(&books, "client_secret_basic").await;
    let wrong = secret(&robot(&books, "client_secret_basic").await);
    let observed_statements = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let hears = std::sync::Arc::clone(&observed_statements);
    // Statements of background tasks come at any time and are left out.
    let for_clients = ["client", "grants.", "security_log.append", "standing", "tokens", "visitors."];
    world.server.engine().store().set_query_observer(move |statement: &'static str| {
        if for_clients.iter().any(|family| statement.starts_with(family)) {
            hears.lock().unwrap().push(statement);
        }
    });
    let authenticate_basic = async |path: &str, id: &str, secret: &str| {
        let form =
            [("grant_type", "client_credentials"), ("token", "x"), ("scope", "openid"), ("login_hint", "x")];
        let request = world.http.post(world.public_url(path)).form(&form);
        observed_statements.lock().unwrap().clear();
        let answer = request.header("authorization", basic(id, secret).unwrap()).send().await.unwrap();
        let statements = observed_statements.lock().unwrap().clone();
        assert_eq!(answer.status(), 401, "{path}");
        (answer.text().await.unwrap(), statements)
    };
    let (signer, key) = signer(&books, SigningAlgorithm::Es256).await;
    let signing_key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    // Signature verification itself is tested with the signatures.
    let asserted = async |path: &str, id: &str, kid: Option<&str>| {
        let header = kid.map_or(json!({"alg": "ES256"}), |kid| json!({"alg": "ES256", "kid": kid}));
        let assertion = sign_jws(&signing_key, &header, &claims(world, id, "1"));
        let form = [
            ("grant_type", "client_credentials"),
            ("token", "x"),
            ("scope", "openid"),
            ("login_hint", "x"),
            ("client_assertion", &assertion),
            ("client_assertion_type", ASSERTION_TYPE),
        ];
        observed_statements.lock().unwrap().clear();
        let answer = world.http.post(world.public_url(path)).form(&form).send().await.unwrap();
        let statements = observed_statements.lock().unwrap().clone();
        assert_eq!(answer.status(), 401, "{path}");
        (answer.text().await.unwrap(), statements)
    };
    for path in [
        "/connect/token",
        "/connect/par",
        "/connect/introspect",
        "/connect/revoke",
        "/connect/device",
        "/connect/backchannel",
    ] {
        authenticate_basic(path, &client.id, &wrong).await;
        let known_result = authenticate_basic(path, &client.id, &wrong).await;
        let unknown = authenticate_basic(path, "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071", &wrong).await;
        assert_eq!(known_result, unknown, "{path}");
        assert!(known_result.1.contains(&"security_log.append"), "{path}: {known_result:?}");
        // A wrong signature, an unknown key, a client with a secret, and an unknown client.
        asserted(path, &signer.id, None).await;
        let known_result = asserted(path, &signer.id, None).await;
        assert!(known_result.1.contains(&"security_log.append"), "{path}: {known_result:?}");
        for (id, kid) in [
            (&*signer.id, Some(key.kid())),
            (&signer.id, Some("unknown")),
            (&client.id, None),
            ("01936f5e-7c2a-7def-8a1b-2c3d4e5f6071", None),
            ("01936f5e-7c2a-7def-8a1b-2c3d4e5f6071", Some(key.kid())),
        ] {
            assert_eq!(asserted(path, id, kid).await, known_result, "{path} {id} {kid:?}");
        }
    }
}

async fn client_authentication_by_two_methods_is_refused(world: &World) {
    let books = world.create_token_fixture().await;
    let client = robot(&books, "client_secret_basic").await;
    let secret = secret(&client);
    let both = [("client_id", client.id.as_str()), ("client_secret", &secret)];
    ask(world, basic(&client.id, &secret), &both).await.assert_oauth_error("invalid_client");
    ask(world, basic(&client.id, &secret), &[("client_id", "other")])
        .await
        .assert_oauth_error("invalid_client");
    let assertion = [("client_assertion", "x.y.z"), ("client_assertion_type", ASSERTION_TYPE)];
    ask(world, basic(&client.id, &secret), &assertion).await.assert_oauth_error("invalid_client");
    ask(world, basic(&client.id, &secret), &[("client_id", &client.id)]).await.assert_granted();
    let (signer, key) = signer(&books, SigningAlgorithm::Es256).await;
    let header = json!({"alg": "ES256", "kid": key.kid()});
    let assertion = sign_jws(&key, &header, &claims(world, &signer.id, "1"));
    let mixed = [
        ("client_assertion", assertion.as_str()),
        ("client_assertion_type", ASSERTION_TYPE),
        ("client_secret", &secret),
    ];
    ask(world, None, &mixed).await.assert_oauth_error("invalid_client");
}

async fn client_secret_revoked_or_replaced_stops_at_once(world: &World) {
    let books = world.create_token_fixture().await;
    let client = robot(&books, "client_secret_basic").await;
    client.request_client_credentials(&[]).await.assert_granted();
    let path = books.tenant.path(&format!("/clients/{}/secrets", client.id));
    let first =
        books.owner.get(&path).await.assert_status(200).body["items"][0]["id"].as_str().unwrap().to_owned();
    let second = books.owner.post(&path, json!({"overlap_seconds": 3600})).await.assert_status(201);
    client.request_client_credentials(&[]).await.assert_granted();
    books.owner.delete(&format!("{path}/{first}"), None).await.assert_status(204);
    client.request_client_credentials(&[]).await.assert_oauth_error("invalid_client");
    let client = TokenClient { auth: TestClientAuth::Basic(second.text_member("client_secret")), ..client };
    client.request_client_credentials(&[]).await.assert_granted();
    let response =
        books.owner.get(&books.tenant.path(&format!("/clients/{}", client.id))).await.assert_status(200);
    let changed = json!({"metadata": {"token_endpoint_auth_method": "client_secret_post"}});
    books
        .owner
        .patch(&books.tenant.path(&format!("/clients/{}", client.id)), response.version(), changed)
        .await
        .assert_status(200);
    client.request_client_credentials(&[]).await.assert_granted();
    let moved = TokenClient { auth: TestClientAuth::Post(secret(&client)), ..client.clone() };
    moved.request_client_credentials(&[]).await.assert_granted();
    books.owner.delete(&books.tenant.path(&format!("/clients/{}", client.id)), None).await.assert_status(204);
    moved.request_client_credentials(&[]).await.assert_oauth_error("invalid_client");
}

async fn client_cert_header_from_an_untrusted_peer_is_ignored(world: &World) {
    let books = world.create_token_fixture().await;
    let client = robot(&books, "client_secret_post").await;
    let (client_secret, certificate) = (secret(&client), ":MIIBszCCAVmgAwIBAgIUVkBt:");
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
        let build_request = |form: &[(&str, &str)]| {
            world.http.post(world.public_url("/connect/token")).header(header, certificate).form(form)
        };
        TokenEndpointResponse::from_response(build_request(&form).send().await.unwrap())
            .await
            .assert_oauth_error("invalid_client");
        let with_secret = [&form[..], &[("client_secret", client_secret.as_str())]].concat();
        let reply = TokenEndpointResponse::from_response(build_request(&with_secret).send().await.unwrap())
            .await
            .assert_granted();
        assert!(world.token_claims(&reply.access_token(), JwtType::Access).get("cnf").is_none(), "{header}");
    }
    let document: Value = world.get("/.well-known/openid-configuration").await.json().await.unwrap();
    assert!(!document.to_string().contains("tls_client"), "discovery does not advertise mTLS");
}

async fn client_credentials_in_the_query_are_refused_and_never_echoed(world: &World) {
    let books = world.create_token_fixture().await;
    let client = robot(&books, "client_secret_post").await;
    let secret = secret(&client);
    for query in
        [format!("client_secret={secret}"), "access_token=x".to_owned(), "client_assertion=x".to_owned()]
    {
        let address = world.public_url(&format!("/connect/token?{query}"));
        let form = [
            ("grant_type", "client_credentials"),
            ("client_id", client.id.as_str()),
            ("client_secret", &secret),
        ];
        TokenEndpointResponse::from_response(world.http.post(address).form(&form).send().await.unwrap())
            .await
            .assert_oauth_error("invalid_request");
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
            .post(world.public_url("/connect/token"))
            .header("content-type", "application/x-www-form-urlencoded");
        TokenEndpointResponse::from_response(request.body(body).send().await.unwrap())
            .await
            .assert_oauth_error("invalid_request");
    }
    client.request_client_credentials(&[("colour", "blue"), ("scope", "")]).await.assert_granted();
}
