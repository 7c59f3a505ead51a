//! Certificate-bound tokens.

use crate::both_engines;
use crate::harness::client_certificates::{CertificateIssuer, TestCertificate};
use crate::harness::grants::GrantRequest;
use crate::harness::organizations::OPERATOR_SCOPE;
use crate::harness::token_endpoint::{INVOICES, TokenClient, TokenFixture};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::oauth::jti::{Jti, TokenRevocationRoot};
use sinete_core::time::Lifetime;
use sinete_crypto::platform::jwt::JwtType;

/// A public client with certificate-bound tokens.
async fn public_app<'w>(books: &TokenFixture<'w>) -> TokenClient<'w> {
    let bound =
        json!({"token_endpoint_auth_method": "none", "tls_client_certificate_bound_access_tokens": true});
    books.create_app_client(bound).await
}

fn bound_to(world: &World, token: &str) -> Value {
    world.token_claims(token, JwtType::Access)["cnf"]["x5t#S256"].clone()
}

both_engines!(
    crate::harness::world::World::start_behind_proxy,
    [
        mtls_bound_token_of_a_public_client_needs_its_certificate,
        mtls_refresh_token_issued_before_binding_is_refused,
        mtls_binding_client_cannot_be_used_for_impersonation,
        mtls_token_exchange_never_drops_the_binding,
        mtls_client_with_tls_client_auth_may_renew_its_certificate,
        mtls_bound_token_needs_its_certificate_at_the_management_api_and_userinfo
    ]
);

async fn mtls_bound_token_of_a_public_client_needs_its_certificate(world: &World) {
    let books = world.create_token_fixture().await;
    let app = public_app(&books).await;
    let (certificate, other) = (
        TestCertificate::issue("app", CertificateIssuer::SelfSigned),
        TestCertificate::issue("app", CertificateIssuer::SelfSigned),
    );
    let (granted, code) = books.issue_code(&app, "openid invoices:read").await;
    // A refused request without a certificate does not consume the code.
    app.redeem_code_over(&world.proxied_connection(), &code).await.assert_oauth_error("invalid_request");
    app.redeem_code_over(&world.untrusted_connection(), &code).await.assert_oauth_error("invalid_request");
    let tokens =
        app.redeem_code_over(&world.proxied_connection_with(&certificate), &code).await.assert_granted();
    assert_eq!(bound_to(world, &tokens.access_token()), json!(certificate.thumbprint()));

    let own_api = books.create_service("clerk", "invoices:read").await;
    let form = [("token", tokens.access_token())];
    let crate::harness::token_endpoint::TestClientAuth::Basic(secret) = &own_api.auth else {
        panic!("a secret")
    };
    let request_builder = world
        .http
        .post(world.public_url("/connect/introspect"))
        .basic_auth(&own_api.id, Some(secret))
        .form(&form);
    let body: Value = request_builder.send().await.unwrap().json().await.unwrap();
    assert_eq!((&body["active"], &body["cnf"]["x5t#S256"]), (&json!(true), &json!(certificate.thumbprint())));

    let userinfo = "/connect/userinfo";
    assert_eq!(
        world
            .proxied_connection_with(&certificate)
            .call_with_bearer(userinfo, &tokens.access_token())
            .await
            .0,
        200
    );
    for client_connection in
        [world.proxied_connection_with(&other), world.proxied_connection(), world.untrusted_connection()]
    {
        let (status, challenge) = client_connection.call_with_bearer(userinfo, &tokens.access_token()).await;
        assert!(status == 401 && challenge.contains("invalid_token"), "{status} {challenge}");
    }

    let token = tokens.refresh_token();
    app.refresh_over(&world.proxied_connection_with(&other), &token)
        .await
        .assert_oauth_error("invalid_grant");
    app.refresh_over(&world.proxied_connection(), &token).await.assert_oauth_error("invalid_request");
    let renewed =
        app.refresh_over(&world.proxied_connection_with(&certificate), &token).await.assert_granted();
    assert_eq!(bound_to(world, &renewed.access_token()), json!(certificate.thumbprint()));

    // A bound token stays bound, even if the client no longer requires it.
    let path = books.tenant.path(&format!("/clients/{}", app.id));
    let version = books.owner.get(&path).await.assert_status(200).version();
    let change = json!({"metadata": {"tls_client_certificate_bound_access_tokens": false}});
    books.owner.patch(&path, version, change).await.assert_status(200);
    app.refresh_over(&world.proxied_connection(), &renewed.refresh_token())
        .await
        .assert_oauth_error("invalid_grant");
    app.refresh_over(&world.proxied_connection_with(&other), &renewed.refresh_token())
        .await
        .assert_oauth_error("invalid_grant");
    let last = app
        .refresh_over(&world.proxied_connection_with(&certificate), &renewed.refresh_token())
        .await
        .assert_granted();
    assert_eq!(bound_to(world, &last.access_token()), json!(certificate.thumbprint()));
    assert_eq!(granted.audience.as_str(), INVOICES);
}

async fn mtls_refresh_token_issued_before_binding_is_refused(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({"token_endpoint_auth_method": "none"})).await;
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    let before =
        app.redeem_code_over(&world.proxied_connection(), &code).await.assert_granted().refresh_token();
    let path = books.tenant.path(&format!("/clients/{}", app.id));
    let version = books.owner.get(&path).await.assert_status(200).version();
    let change = json!({"metadata": {"tls_client_certificate_bound_access_tokens": true}});
    books.owner.patch(&path, version, change).await.assert_status(200);
    let certificate = TestCertificate::issue("brought", CertificateIssuer::SelfSigned);
    app.refresh_over(&world.proxied_connection_with(&certificate), &before)
        .await
        .assert_oauth_error("invalid_grant");
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    let test_certificate = TestCertificate::issue("app", CertificateIssuer::SelfSigned);
    let after = app
        .redeem_code_over(&world.proxied_connection_with(&test_certificate), &code)
        .await
        .assert_granted()
        .refresh_token();
    app.refresh_over(&world.proxied_connection_with(&test_certificate), &after).await.assert_granted();
}

async fn mtls_binding_client_cannot_be_used_for_impersonation(world: &World) {
    let books = world.create_token_fixture().await;
    let (app, member) = (public_app(&books).await, books.create_member("clerk").await);
    let house = world.find_organization("operator").await;
    let ana = world.create_member(&house, &["operator"]).await;
    let ana =
        world.create_api_key_caller(&house, ana, &format!("{OPERATOR_SCOPE} accounts:impersonate")).await;
    let ends_at = world.server.engine().now().plus(Lifetime::from_hours(1)).to_string();
    let assignment = json!({
        "organization": "books", "holder": ana.membership, "member": member, "reason": "ticket 7", "ends_at": ends_at,
    });
    let response =
        world.create_operator().await.post("/manage/assignments", assignment).await.assert_status(201);
    let path = format!("/manage/assignments/{}/impersonate", response.text_member("id"));
    ana.post(&path, json!({"client": app.id, "scope": "invoices:read"})).await.assert_status(400);
    let other = books.create_app_client(json!({})).await;
    ana.post(&path, json!({"client": other.id, "scope": "invoices:read"})).await.assert_status(200);
}

async fn mtls_token_exchange_never_drops_the_binding(world: &World) {
    let books = world.create_token_fixture().await;
    let app = public_app(&books).await;
    let certificate = TestCertificate::issue("app", CertificateIssuer::SelfSigned);
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    let bound = app
        .redeem_code_over(&world.proxied_connection_with(&certificate), &code)
        .await
        .assert_granted()
        .access_token();
    let passes_on = |method: &str, name: &str| {
        json!({
            "client_name": name, "scope": "invoices:read",
            "grant_types": ["client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange"],
            "token_endpoint_auth_method": method, "tls_client_auth_san_dns": format!("{name}.example"),
        })
    };
    let agent = books.create_machine_client("agent", "clerk", passes_on("tls_client_auth", "agent")).await;
    let api = books.create_machine_client("service", "clerk", passes_on("tls_client_auth", "api")).await;
    let (of_agent, of_api) = (
        TestCertificate::issue("agent", CertificateIssuer::TrustedCa),
        TestCertificate::issue("api", CertificateIssuer::TrustedCa),
    );
    // A client with a stolen token does not have the key of its certificate.
    agent
        .exchange_over(&world.proxied_connection_with(&of_agent), &bound)
        .await
        .assert_oauth_error("invalid_grant");
    // The API that the token is for exchanges it for one bound to its own certificate.
    let passed = api
        .exchange_over(&world.proxied_connection_with(&of_api), &bound)
        .await
        .assert_granted()
        .access_token();
    assert_eq!(bound_to(world, &passed), json!(of_api.thumbprint()));
    let secretive = books.create_service("clerk", "invoices:read").await;
    secretive.exchange_token(&bound, &[("scope", "invoices:read")]).await.assert_oauth_error("invalid_grant");
    // Nor with a secret and any certificate: an attacker with both could bring one.
    let test_certificate = TestCertificate::issue("brought", CertificateIssuer::SelfSigned);
    let mut with_secret = passes_on("client_secret_post", "secretive");
    with_secret.as_object_mut().unwrap().remove("tls_client_auth_san_dns");
    let secretive = books.create_machine_client("service", "clerk", with_secret).await;
    secretive
        .exchange_over(&world.proxied_connection_with(&test_certificate), &bound)
        .await
        .assert_oauth_error("invalid_grant");
    // The client itself exchanges its token with the same certificate, and with no other.
    let narrowed = app
        .exchange_over(&world.proxied_connection_with(&certificate), &bound)
        .await
        .assert_granted()
        .access_token();
    assert_eq!(bound_to(world, &narrowed), json!(certificate.thumbprint()));
    app.exchange_over(
        &world.proxied_connection_with(&TestCertificate::issue("app", CertificateIssuer::SelfSigned)),
        &bound,
    )
    .await
    .assert_oauth_error("invalid_grant");
}

async fn mtls_client_with_tls_client_auth_may_renew_its_certificate(world: &World) {
    let books = world.create_token_fixture().await;
    let method = json!({
        "token_endpoint_auth_method": "tls_client_auth", "tls_client_auth_san_dns": "app.example",
        "tls_client_certificate_bound_access_tokens": true,
    });
    let app = books.create_app_client(method).await;
    let (old, new) = (
        TestCertificate::issue("app", CertificateIssuer::TrustedCa),
        TestCertificate::issue("app", CertificateIssuer::TrustedCa),
    );
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    let tokens = app.redeem_code_over(&world.proxied_connection_with(&old), &code).await.assert_granted();
    let renewed = app
        .refresh_over(&world.proxied_connection_with(&new), &tokens.refresh_token())
        .await
        .assert_granted();
    assert_eq!(bound_to(world, &renewed.access_token()), json!(new.thumbprint()));
    assert_eq!(
        world
            .proxied_connection_with(&old)
            .call_with_bearer("/connect/userinfo", &renewed.access_token())
            .await
            .0,
        401
    );
    assert_eq!(
        world
            .proxied_connection_with(&new)
            .call_with_bearer("/connect/userinfo", &renewed.access_token())
            .await
            .0,
        200
    );
    let thief = TestCertificate::issue("thief", CertificateIssuer::TrustedCa);
    app.refresh_over(&world.proxied_connection_with(&thief), &renewed.refresh_token())
        .await
        .assert_oauth_error("invalid_client");
}

async fn mtls_bound_token_needs_its_certificate_at_the_management_api_and_userinfo(world: &World) {
    let tenant = world.create_organization("acme").await;
    let owner = world.create_owner(&tenant).await;
    let (certificate, other) = (
        TestCertificate::issue("app", CertificateIssuer::SelfSigned),
        TestCertificate::issue("app", CertificateIssuer::SelfSigned),
    );
    let app = world.create_confidential_client().await;
    let scope = "openid organization:read members:read scim:provision";
    let granted =
        world.create_grant(&tenant, owner.membership, &app.id, GrantRequest::for_scope(scope)).await;
    let jti = Jti::mint(TokenRevocationRoot::Grant(granted.grant), None, world.server.engine().entropy());
    let mut claims = serde_json::to_value(world.access_token_claims(&granted, jti).await).unwrap();
    let free = world.sign_jwt(JwtType::Access, &claims);
    claims["cnf"] = json!({"x5t#S256": certificate.thumbprint()});
    let bound = world.sign_jwt(JwtType::Access, &claims);
    for path in [
        tenant.path(""),
        tenant.path("/members"),
        "/scim/v2/Users".to_owned(),
        "/connect/userinfo".to_owned(),
    ] {
        assert_eq!(
            world.proxied_connection_with(&certificate).call_with_bearer(&path, &bound).await.0,
            200,
            "{path}"
        );
        for client_connection in
            [world.proxied_connection_with(&other), world.proxied_connection(), world.untrusted_connection()]
        {
            let (status, challenge) = client_connection.call_with_bearer(&path, &bound).await;
            assert!(status == 401 && challenge.contains("invalid_token"), "{path} {status} {challenge}");
        }
        // An unbound token is accepted with any certificate.
        assert_eq!(
            world.proxied_connection_with(&other).call_with_bearer(&path, &free).await.0,
            200,
            "{path}"
        );
    }
}
