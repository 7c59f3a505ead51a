//! Tokens that count only for whoever holds the key of a certificate.

use crate::both_engines;
use crate::harness::certificates::{CertificateIssuer, TestCertificate};
use crate::harness::grants::GrantRequest;
use crate::harness::tenants::OPERATORS_SCOPE;
use crate::harness::token_endpoint::{INVOICES, TokenClient, TokenFixture};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;
use sinete_core::token::jti::{Jti, TokenRoot};
use sinete_crypto::jwt::JwtType;

/// An application that keeps no secret and wants its tokens bound.
async fn public_app<'w>(books: &TokenFixture<'w>) -> TokenClient<'w> {
    let bound =
        json!({"token_endpoint_auth_method": "none", "tls_client_certificate_bound_access_tokens": true});
    books.app(bound).await
}

fn bound_to(world: &World, token: &str) -> Value {
    world.said(token, JwtType::Access)["cnf"]["x5t#S256"].clone()
}

both_engines!(
    crate::harness::world::World::behind_proxy,
    [
        a_public_client_s_tokens_are_worth_nothing_without_its_certificate,
        what_was_given_before_a_client_without_a_proof_bound_its_tokens_renews_nothing,
        nobody_acts_as_a_person_through_an_application_that_binds_its_tokens,
        an_exchange_never_drops_a_binding,
        a_client_whose_certificate_is_its_proof_may_renew_it,
        our_own_apis_ask_for_the_certificate_of_a_bound_token
    ]
);

async fn a_public_client_s_tokens_are_worth_nothing_without_its_certificate(world: &World) {
    let books = world.books().await;
    let app = public_app(&books).await;
    let (own, other) = (
        TestCertificate::named("app", CertificateIssuer::Itself),
        TestCertificate::named("app", CertificateIssuer::Itself),
    );
    let (granted, code) = books.code(&app, "openid invoices:read").await;
    // Nothing is spent where there is nothing to bind to.
    app.redeem_by(&world.proxied(), &code).await.refused("invalid_request");
    app.redeem_by(&world.stranger(), &code).await.refused("invalid_request");
    let tokens = app.redeem_by(&world.told(&own), &code).await.granted();
    assert_eq!(bound_to(world, &tokens.access_token()), json!(own.thumbprint()));

    let own_api = books.service("clerk", "invoices:read").await;
    let form = [("token", tokens.access_token())];
    let crate::harness::token_endpoint::TestClientAuth::Basic(secret) = &own_api.proof else {
        panic!("a secret")
    };
    let asked = world
        .http
        .post(world.public("/connect/introspect"))
        .basic_auth(&own_api.id, Some(secret))
        .form(&form);
    let told: Value = asked.send().await.unwrap().json().await.unwrap();
    assert_eq!((&told["active"], &told["cnf"]["x5t#S256"]), (&json!(true), &json!(own.thumbprint())));

    let userinfo = "/connect/userinfo";
    assert_eq!(world.told(&own).shown(userinfo, &tokens.access_token()).await.0, 200);
    for way in [world.told(&other), world.proxied(), world.stranger()] {
        let (status, challenge) = way.shown(userinfo, &tokens.access_token()).await;
        assert!(status == 401 && challenge.contains("invalid_token"), "{status} {challenge}");
    }

    let token = tokens.refresh_token();
    app.refresh_by(&world.told(&other), &token).await.refused("invalid_grant");
    app.refresh_by(&world.proxied(), &token).await.refused("invalid_request");
    let renewed = app.refresh_by(&world.told(&own), &token).await.granted();
    assert_eq!(bound_to(world, &renewed.access_token()), json!(own.thumbprint()));

    // What was bound stays so, even where the client asks for it no longer.
    let path = books.tenant.path(&format!("/clients/{}", app.id));
    let seen = books.owner.get(&path).await.is(200).version();
    let change = json!({"metadata": {"tls_client_certificate_bound_access_tokens": false}});
    books.owner.patch(&path, seen, change).await.is(200);
    app.refresh_by(&world.proxied(), &renewed.refresh_token()).await.refused("invalid_grant");
    app.refresh_by(&world.told(&other), &renewed.refresh_token()).await.refused("invalid_grant");
    let last = app.refresh_by(&world.told(&own), &renewed.refresh_token()).await.granted();
    assert_eq!(bound_to(world, &last.access_token()), json!(own.thumbprint()));
    assert_eq!(granted.audience.as_str(), INVOICES);
}

async fn what_was_given_before_a_client_without_a_proof_bound_its_tokens_renews_nothing(world: &World) {
    let books = world.books().await;
    let app = books.app(json!({"token_endpoint_auth_method": "none"})).await;
    let (_, code) = books.code(&app, "openid invoices:read").await;
    let before = app.redeem_by(&world.proxied(), &code).await.granted().refresh_token();
    let path = books.tenant.path(&format!("/clients/{}", app.id));
    let seen = books.owner.get(&path).await.is(200).version();
    let change = json!({"metadata": {"tls_client_certificate_bound_access_tokens": true}});
    books.owner.patch(&path, seen, change).await.is(200);
    let brought = TestCertificate::named("brought", CertificateIssuer::Itself);
    app.refresh_by(&world.told(&brought), &before).await.refused("invalid_grant");
    let (_, code) = books.code(&app, "openid invoices:read").await;
    let own = TestCertificate::named("app", CertificateIssuer::Itself);
    let after = app.redeem_by(&world.told(&own), &code).await.granted().refresh_token();
    app.refresh_by(&world.told(&own), &after).await.granted();
}

async fn nobody_acts_as_a_person_through_an_application_that_binds_its_tokens(world: &World) {
    let books = world.books().await;
    let (app, person) = (public_app(&books).await, books.person("clerk").await);
    let house = world.tenant_of("operator").await;
    let ana = world.member(&house, &["operator"]).await;
    let ana = world.key(&house, ana, &format!("{OPERATORS_SCOPE} accounts:impersonate")).await;
    let ends_at = world.server.engine().now().plus(Lifetime::from_hours(1)).to_string();
    let wanted = json!({
        "organization": "books", "holder": ana.membership, "member": person, "reason": "ticket 7", "ends_at": ends_at,
    });
    let made = world.operator().await.post("/manage/assignments", wanted).await.is(201);
    let path = format!("/manage/assignments/{}/impersonate", made.text_of("id"));
    ana.post(&path, json!({"client": app.id, "scope": "invoices:read"})).await.is(400);
    let other = books.app(json!({})).await;
    ana.post(&path, json!({"client": other.id, "scope": "invoices:read"})).await.is(200);
}

async fn an_exchange_never_drops_a_binding(world: &World) {
    let books = world.books().await;
    let app = public_app(&books).await;
    let own = TestCertificate::named("app", CertificateIssuer::Itself);
    let (_, code) = books.code(&app, "openid invoices:read").await;
    let bound = app.redeem_by(&world.told(&own), &code).await.granted().access_token();
    let passes_on = |method: &str, name: &str| {
        json!({
            "client_name": name, "scope": "invoices:read",
            "grant_types": ["client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange"],
            "token_endpoint_auth_method": method, "tls_client_auth_san_dns": format!("{name}.example"),
        })
    };
    let agent = books.machine("agent", "clerk", passes_on("tls_client_auth", "agent")).await;
    let api = books.machine("service", "clerk", passes_on("tls_client_auth", "api")).await;
    let (of_agent, of_api) = (
        TestCertificate::named("agent", CertificateIssuer::Ours),
        TestCertificate::named("api", CertificateIssuer::Ours),
    );
    // Whoever holds a token that is not theirs does not hold its key.
    agent.exchange_by(&world.told(&of_agent), &bound).await.refused("invalid_grant");
    // The API it is for was shown it, and passes it on bound to its own.
    let passed = api.exchange_by(&world.told(&of_api), &bound).await.granted().access_token();
    assert_eq!(bound_to(world, &passed), json!(of_api.thumbprint()));
    let secretive = books.service("clerk", "invoices:read").await;
    secretive.exchange(&bound, &[("scope", "invoices:read")]).await.refused("invalid_grant");
    // Nor with some certificate beside a secret: who stole both would bring one.
    let brought = TestCertificate::named("brought", CertificateIssuer::Itself);
    let mut with_secret = passes_on("client_secret_post", "secretive");
    with_secret.as_object_mut().unwrap().remove("tls_client_auth_san_dns");
    let secretive = books.machine("service", "clerk", with_secret).await;
    secretive.exchange_by(&world.told(&brought), &bound).await.refused("invalid_grant");
    // The client itself narrows its token with the same certificate, and with no other.
    let narrowed = app.exchange_by(&world.told(&own), &bound).await.granted().access_token();
    assert_eq!(bound_to(world, &narrowed), json!(own.thumbprint()));
    app.exchange_by(&world.told(&TestCertificate::named("app", CertificateIssuer::Itself)), &bound)
        .await
        .refused("invalid_grant");
}

async fn a_client_whose_certificate_is_its_proof_may_renew_it(world: &World) {
    let books = world.books().await;
    let method = json!({
        "token_endpoint_auth_method": "tls_client_auth", "tls_client_auth_san_dns": "app.example",
        "tls_client_certificate_bound_access_tokens": true,
    });
    let app = books.app(method).await;
    let (old, new) = (
        TestCertificate::named("app", CertificateIssuer::Ours),
        TestCertificate::named("app", CertificateIssuer::Ours),
    );
    let (_, code) = books.code(&app, "openid invoices:read").await;
    let tokens = app.redeem_by(&world.told(&old), &code).await.granted();
    let renewed = app.refresh_by(&world.told(&new), &tokens.refresh_token()).await.granted();
    assert_eq!(bound_to(world, &renewed.access_token()), json!(new.thumbprint()));
    assert_eq!(world.told(&old).shown("/connect/userinfo", &renewed.access_token()).await.0, 401);
    assert_eq!(world.told(&new).shown("/connect/userinfo", &renewed.access_token()).await.0, 200);
    let thief = TestCertificate::named("thief", CertificateIssuer::Ours);
    app.refresh_by(&world.told(&thief), &renewed.refresh_token()).await.refused("invalid_client");
}

async fn our_own_apis_ask_for_the_certificate_of_a_bound_token(world: &World) {
    let tenant = world.tenant("acme").await;
    let owner = world.owner(&tenant).await;
    let (own, other) = (
        TestCertificate::named("app", CertificateIssuer::Itself),
        TestCertificate::named("app", CertificateIssuer::Itself),
    );
    let app = world.app().await;
    let scope = "openid organization:read members:read scim:provision";
    let granted = world.granted(&tenant, owner.membership, &app.id, GrantRequest::scope(scope)).await;
    let jti = Jti::mint(TokenRoot::Grant(granted.grant), None, world.server.engine().entropy());
    let mut claims = serde_json::to_value(world.claims(&granted, jti).await).unwrap();
    let free = world.sign(JwtType::Access, &claims);
    claims["cnf"] = json!({"x5t#S256": own.thumbprint()});
    let bound = world.sign(JwtType::Access, &claims);
    for path in [
        tenant.path(""),
        tenant.path("/members"),
        "/scim/v2/Users".to_owned(),
        "/connect/userinfo".to_owned(),
    ] {
        assert_eq!(world.told(&own).shown(&path, &bound).await.0, 200, "{path}");
        for way in [world.told(&other), world.proxied(), world.stranger()] {
            let (status, challenge) = way.shown(&path, &bound).await;
            assert!(status == 401 && challenge.contains("invalid_token"), "{path} {status} {challenge}");
        }
        // A token that is not bound is anybody's, with whatever certificate.
        assert_eq!(world.told(&other).shown(&path, &free).await.0, 200, "{path}");
    }
}
