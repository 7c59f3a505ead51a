//! What is bound to a key stays bound.

use crate::both_engines;
use crate::harness::client_certificates::{CertificateIssuer, TestCertificate};
use crate::harness::dpop_client::request_with_proof;
use crate::harness::organizations::OPERATOR_SCOPE;
use crate::harness::token_endpoint::{
    TestClientAuth, TokenClient, TokenEndpointResponse, TokenFixture, VERIFIER, sign_jws,
};
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_core::oauth::dpop::compute_ath;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::Lifetime;
use sinete_crypto::platform::signing_keys::SigningKey;

const USERINFO: &str = "/connect/userinfo";

async fn public_app<'w>(books: &TokenFixture<'w>, extra_metadata: Value) -> TokenClient<'w> {
    let mut metadata = json!({"token_endpoint_auth_method": "none"});
    metadata.as_object_mut().unwrap().extend(extra_metadata.as_object().unwrap().clone());
    books.create_app_client(metadata).await
}

async fn patched(books: &TokenFixture<'_>, app: &TokenClient<'_>, metadata: Value) {
    let path = books.tenant.path(&format!("/clients/{}", app.id));
    let version = books.owner.get(&path).await.assert_status(200).version();
    books.owner.patch(&path, version, json!({"metadata": metadata})).await.assert_status(200);
}

async fn introspected(world: &World, service: &TokenClient<'_>, token: &str) -> Value {
    let TestClientAuth::Basic(secret) = &service.auth else { panic!("a secret") };
    let request_builder =
        world.http.post(world.public_url("/connect/introspect")).basic_auth(&service.id, Some(secret));
    request_builder.form(&[("token", token)]).send().await.unwrap().json().await.unwrap()
}

both_engines!(
    crate::harness::world::World::start_behind_proxy,
    [
        dpop_bound_token_of_a_public_client_needs_its_key,
        refresh_token_reuse_with_another_dpop_key_is_recorded_and_revokes_nothing,
        refresh_token_reuse_by_an_authenticated_client_revokes_the_grant_with_any_dpop_key,
        refresh_token_without_binding_is_not_bound_by_a_dpop_proof,
        refresh_token_bound_to_a_dpop_key_needs_it_even_when_cached,
        confidential_client_may_change_its_dpop_key,
        access_token_bound_to_certificate_and_dpop_key_needs_both,
        token_exchange_never_drops_a_dpop_binding,
        dpop_binding_client_cannot_be_used_for_impersonation
    ]
);

async fn dpop_bound_token_of_a_public_client_needs_its_key(world: &World) {
    let books = world.create_token_fixture().await;
    let app = public_app(&books, json!({"dpop_bound_access_tokens": true})).await;
    let (client, other) = (world.create_dpop_client(), world.create_dpop_client());
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    // A refused request without a proof does not consume the code.
    app.redeem_code(&code, &[]).await.assert_oauth_error("invalid_request");
    let tokens = app.redeem_code_with_dpop(&client, &code).await.assert_bound_to(&client);
    let token = tokens.access_token();

    let service = books.create_service("clerk", "invoices:read").await;
    let body = introspected(world, &service, &token).await;
    assert_eq!(
        (&body["active"], &body["token_type"], &body["cnf"]["jkt"]),
        (&json!(true), &json!("DPoP"), &json!(client.thumbprint()))
    );

    assert_eq!(client.call_with_token(USERINFO, &token).await.status, 200);
    other.call_with_token(USERINFO, &token).await.assert_dpop_challenge("invalid_token");
    // The token is not accepted as a bearer token, even with a valid proof or in a form.
    let proof = client.proof_with_claims("GET", USERINFO, &json!({"ath": compute_ath(&token)}));
    for proofs in [vec![], vec![proof]] {
        let borne = world.call_with_bearer(USERINFO, &token, &proofs).await;
        assert_eq!((borne.status, borne.challenges.len()), (401, 2), "{borne:?}");
        assert!(borne.challenges[0].starts_with("Bearer error=\"invalid_token\""));
        assert_eq!(borne.challenges[1], "DPoP algs=\"RS256 PS256 ES256 EdDSA\"");
    }
    let proof = client.proof_with_claims("POST", USERINFO, &json!({"ath": compute_ath(&token)}));
    let formed = request_with_proof(world, Method::POST, USERINFO, &proof).form(&[("access_token", &token)]);
    assert_eq!(formed.send().await.unwrap().status(), 401);

    let renew = tokens.refresh_token();
    app.refresh_with_dpop(&other, &renew).await.assert_oauth_error("invalid_grant");
    app.refresh_tokens(&renew, &[]).await.assert_oauth_error("invalid_request");
    let renewed = app.refresh_with_dpop(&client, &renew).await.assert_bound_to(&client);
    // A bound token stays bound, even if the client no longer requires it.
    patched(&books, &app, json!({"dpop_bound_access_tokens": false})).await;
    app.refresh_tokens(&renewed.refresh_token(), &[]).await.assert_oauth_error("invalid_grant");
    app.refresh_with_dpop(&other, &renewed.refresh_token()).await.assert_oauth_error("invalid_grant");
    app.refresh_with_dpop(&client, &renewed.refresh_token()).await.assert_bound_to(&client);
    assert_eq!(world.count_events("refresh_token.reused").await, 0);
}

async fn refresh_token_reuse_with_another_dpop_key_is_recorded_and_revokes_nothing(world: &World) {
    let books = world.create_token_fixture().await;
    let app = public_app(&books, json!({"dpop_bound_access_tokens": true})).await;
    let (client, thief) = (world.create_dpop_client(), world.create_dpop_client());
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    let first = app.redeem_code_with_dpop(&client, &code).await.assert_bound_to(&client).refresh_token();
    let second = app.refresh_with_dpop(&client, &first).await.assert_bound_to(&client).refresh_token();
    // An attacker with a used refresh token does not have its key, so it is not counted as reuse by the client.
    for _ in 0..3 {
        app.refresh_with_dpop(&thief, &first).await.assert_oauth_error("invalid_grant");
    }
    assert_eq!(
        (
            world.count_events("refresh_token.misdirected").await,
            world.count_events("refresh_token.reused").await
        ),
        (3, 0)
    );
    let third = app.refresh_with_dpop(&client, &second).await.assert_bound_to(&client);
    assert_eq!(client.call_with_token(USERINFO, &third.access_token()).await.status, 200);
    // With its key, it is the client that uses it after its successor was used, which revokes the grant.
    app.refresh_with_dpop(&client, &first).await.assert_oauth_error("invalid_grant");
    assert_eq!(world.count_events("refresh_token.reused").await, 1);
    client.call_with_token(USERINFO, &third.access_token()).await.assert_dpop_challenge("invalid_token");
    app.refresh_with_dpop(&client, &third.refresh_token()).await.assert_oauth_error("invalid_grant");
}

async fn refresh_token_reuse_by_an_authenticated_client_revokes_the_grant_with_any_dpop_key(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({"dpop_bound_access_tokens": true})).await;
    let (one, other) = (world.create_dpop_client(), world.create_dpop_client());
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    let first = app.redeem_code_with_dpop(&one, &code).await.assert_bound_to(&one).refresh_token();
    let second = app.refresh_with_dpop(&one, &first).await.assert_bound_to(&one).refresh_token();
    app.refresh_with_dpop(&other, &first).await.assert_oauth_error("invalid_grant");
    assert_eq!(world.count_events("refresh_token.reused").await, 1);
    app.refresh_with_dpop(&one, &second).await.assert_oauth_error("invalid_grant");
}

async fn refresh_token_without_binding_is_not_bound_by_a_dpop_proof(world: &World) {
    let books = world.create_token_fixture().await;
    let app = public_app(&books, json!({})).await;
    let (_, tokens) = books.issue_tokens(&app, "openid invoices:read").await;
    let thief = world.create_dpop_client();
    app.refresh_with_dpop(&thief, &tokens.refresh_token()).await.assert_oauth_error("invalid_grant");
    // The client continues to use an unbound token, until its tokens must be bound.
    let renewed = app.refresh_tokens(&tokens.refresh_token(), &[]).await.assert_granted();
    patched(&books, &app, json!({"dpop_bound_access_tokens": true})).await;
    app.refresh_with_dpop(&thief, &renewed.refresh_token()).await.assert_oauth_error("invalid_grant");
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    let client = world.create_dpop_client();
    let bound = app.redeem_code_with_dpop(&client, &code).await.assert_bound_to(&client);
    app.refresh_with_dpop(&client, &bound.refresh_token()).await.assert_bound_to(&client);
}

async fn refresh_token_bound_to_a_dpop_key_needs_it_even_when_cached(world: &World) {
    let books = world.create_token_fixture().await;
    let app = public_app(&books, json!({})).await;
    // An unbound token is refreshed several times, so that the client and its tokens are cached.
    let (_, tokens) = books.issue_tokens(&app, "openid invoices:read").await;
    let mut unbound = tokens.refresh_token();
    for _ in 0..3 {
        unbound = app.refresh_tokens(&unbound, &[]).await.assert_granted().refresh_token();
    }
    let client = world.create_dpop_client();
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    let mut bound = app.redeem_code_with_dpop(&client, &code).await.assert_bound_to(&client).refresh_token();
    for _ in 0..3 {
        app.refresh_tokens(&bound, &[]).await.assert_oauth_error("invalid_grant");
        bound = app.refresh_with_dpop(&client, &bound).await.assert_bound_to(&client).refresh_token();
    }
    app.refresh_tokens(&unbound, &[]).await.assert_granted();
}

async fn confidential_client_may_change_its_dpop_key(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({"dpop_bound_access_tokens": true})).await;
    let (old, new) = (world.create_dpop_client(), world.create_dpop_client_with(SigningAlgorithm::EdDsa));
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    let tokens = app.redeem_code_with_dpop(&old, &code).await.assert_bound_to(&old);
    let renewed = app.refresh_with_dpop(&new, &tokens.refresh_token()).await.assert_bound_to(&new);
    old.call_with_token(USERINFO, &renewed.access_token()).await.assert_dpop_challenge("invalid_token");
    assert_eq!(new.call_with_token(USERINFO, &renewed.access_token()).await.status, 200);
    app.refresh_tokens(&renewed.refresh_token(), &[]).await.assert_oauth_error("invalid_request");
    let unproven = TokenClient { auth: TestClientAuth::None, ..app.clone() };
    unproven.refresh_with_dpop(&new, &renewed.refresh_token()).await.assert_oauth_error("invalid_client");
    app.refresh_with_dpop(&new, &renewed.refresh_token()).await.assert_bound_to(&new);
}

async fn access_token_bound_to_certificate_and_dpop_key_needs_both(world: &World) {
    let books = world.create_token_fixture().await;
    let both = json!({"dpop_bound_access_tokens": true, "tls_client_certificate_bound_access_tokens": true});
    let app = public_app(&books, both).await;
    let (client, other) = (world.create_dpop_client(), world.create_dpop_client());
    let (mine, theirs) = (
        TestCertificate::issue("app", CertificateIssuer::SelfSigned),
        TestCertificate::issue("app", CertificateIssuer::SelfSigned),
    );
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    let ask = async |certificate: Option<&TestCertificate>,
                     holder: Option<&crate::harness::dpop_client::DpopClient<'_>>,
                     form: &[(&str, &str)]| {
        let client_connection =
            certificate.map_or_else(|| world.proxied_connection(), |it| world.proxied_connection_with(it));
        let request = client_connection.request(Method::POST, "/connect/token");
        let request = match holder {
            Some(holder) => request.header("dpop", holder.proof("POST", "/connect/token")),
            None => request,
        };
        let form = [form, &[("client_id", app.id.as_str())]].concat();
        TokenEndpointResponse::from_response(request.form(&form).send().await.unwrap()).await
    };
    let redeem = [("grant_type", "authorization_code"), ("code", &code), ("code_verifier", VERIFIER)];
    ask(Some(&mine), None, &redeem).await.assert_oauth_error("invalid_request");
    ask(None, Some(&client), &redeem).await.assert_oauth_error("invalid_request");
    let tokens = ask(Some(&mine), Some(&client), &redeem).await.assert_bound_to(&client);
    let expected = json!({"x5t#S256": mine.thumbprint(), "jkt": client.thumbprint()});
    assert_eq!(world.token_confirmation(&tokens.access_token()), expected);
    let token = tokens.access_token();
    let show = async |certificate: &TestCertificate, holder: &crate::harness::dpop_client::DpopClient<'_>| {
        let proof = holder.proof_with_claims("GET", USERINFO, &json!({"ath": compute_ath(&token)}));
        let request =
            world.proxied_connection_with(certificate).request(Method::GET, USERINFO).header("dpop", proof);
        request.header("authorization", format!("DPoP {token}")).send().await.unwrap().status().as_u16()
    };
    assert_eq!(
        (show(&mine, &client).await, show(&theirs, &client).await, show(&mine, &other).await),
        (200, 401, 401)
    );
    client.call_with_token(USERINFO, &token).await.assert_dpop_challenge("invalid_token");
    let renew = tokens.refresh_token();
    let refresh = [("grant_type", "refresh_token"), ("refresh_token", renew.as_str())];
    ask(Some(&theirs), Some(&client), &refresh).await.assert_oauth_error("invalid_grant");
    ask(Some(&mine), Some(&other), &refresh).await.assert_oauth_error("invalid_grant");
    let renewed = ask(Some(&mine), Some(&client), &refresh).await.assert_bound_to(&client);
    assert_eq!(world.token_confirmation(&renewed.access_token()), expected);
    // At the mTLS alias of the endpoint, `htu` is the alias.
    let aliased = client.custom_proof(&json!({}), &json!({"htu": "https://mtls.localhost/connect/token"}));
    let renew = renewed.refresh_token();
    let form = [("grant_type", "refresh_token"), ("refresh_token", renew.as_str()), ("client_id", &app.id)];
    let request =
        world.proxied_connection_with(&mine).request(Method::POST, "/connect/token").header("dpop", aliased);
    TokenEndpointResponse::from_response(request.form(&form).send().await.unwrap())
        .await
        .assert_bound_to(&client);
}

async fn token_exchange_never_drops_a_dpop_binding(world: &World) {
    let books = world.create_token_fixture().await;
    let app = public_app(&books, json!({})).await;
    let (client, other) = (world.create_dpop_client(), world.create_dpop_client());
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    let bound = app.redeem_code_with_dpop(&client, &code).await.assert_bound_to(&client).access_token();
    app.exchange_token(&bound, &[("scope", "invoices:read")]).await.assert_oauth_error("invalid_grant");
    app.exchange_with_dpop(&other, &bound).await.assert_oauth_error("invalid_grant");
    app.exchange_with_dpop(&client, &bound).await.assert_bound_to(&client);
    // A stolen token is stolen without its key, and a client secret may be stolen with it.
    let agent = books.create_agent("invoices:read").await;
    agent.exchange_with_dpop(&other, &bound).await.assert_oauth_error("invalid_grant");
    let secretive = books.create_service("clerk", "invoices:read").await;
    secretive.exchange_with_dpop(&other, &bound).await.assert_oauth_error("invalid_grant");
    // The API that the token is for authenticates with a key, and exchanges it for one bound to its own key.
    let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let api = books.create_machine_client("service", "clerk", json!({
        "client_name": "API", "scope": "invoices:read", "token_endpoint_auth_method": "private_key_jwt",
        "grant_types": ["client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange"],
        "jwks": {"keys": [key.public_jwk()]},
    })).await;
    let asserted = |id: &str| {
        let now = world.server.engine().now().seconds();
        let claims = json!({"iss": api.id, "sub": api.id, "aud": world.issuer(), "jti": id, "iat": now, "exp": now + 60});
        sign_jws(&key, &json!({"alg": "ES256", "kid": key.kid()}), &claims)
    };
    let exchange = async |assertion: &str, proofs: &[String]| {
        let form = [
            ("grant_type", "token-exchange"),
            ("subject_token", bound.as_str()),
            ("scope", "invoices:read"),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"),
            ("client_assertion", assertion),
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
        ];
        api.request_token_with_proofs(proofs, &form).await
    };
    exchange(&asserted("a"), &[]).await.assert_oauth_error("invalid_grant");
    exchange(&asserted("b"), &[other.proof("POST", "/connect/token")]).await.assert_bound_to(&other);
}

async fn dpop_binding_client_cannot_be_used_for_impersonation(world: &World) {
    let books = world.create_token_fixture().await;
    let app = public_app(&books, json!({"dpop_bound_access_tokens": true})).await;
    let member = books.create_member("clerk").await;
    let house = world.find_organization("operator").await;
    let ana = world.create_member(&house, &["operator"]).await;
    let ana =
        world.create_api_key_caller(&house, ana, &format!("{OPERATOR_SCOPE} accounts:impersonate")).await;
    let ends_at = world.server.engine().now().plus(Lifetime::from_hours(1)).to_string();
    let assignment_body = json!({
        "organization": "books", "holder": ana.membership, "member": member, "reason": "ticket 7", "ends_at": ends_at,
    });
    let response =
        world.create_operator().await.post("/manage/assignments", assignment_body).await.assert_status(201);
    let path = format!("/manage/assignments/{}/impersonate", response.text_member("id"));
    ana.post(&path, json!({"client": app.id, "scope": "invoices:read"})).await.assert_status(400);
}
