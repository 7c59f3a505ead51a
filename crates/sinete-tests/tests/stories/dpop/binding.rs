//! What is bound to a key, and stays so.

use crate::both_engines;
use crate::harness::certificates::{CertificateIssuer, TestCertificate};
use crate::harness::key_holder::beside;
use crate::harness::tenants::OPERATORS_SCOPE;
use crate::harness::token_endpoint::{
    TestClientAuth, TokenClient, TokenEndpointResponse, TokenFixture, VERIFIER, signed,
};
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_core::signing::SigningAlgorithm;
use sinete_core::time::Lifetime;
use sinete_core::token::key_proof::hash_of;
use sinete_crypto::key::SigningKey;

const USERINFO: &str = "/connect/userinfo";

async fn public_app<'w>(books: &TokenFixture<'w>, more: Value) -> TokenClient<'w> {
    let mut metadata = json!({"token_endpoint_auth_method": "none"});
    metadata.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    books.app(metadata).await
}

async fn patched(books: &TokenFixture<'_>, app: &TokenClient<'_>, metadata: Value) {
    let path = books.tenant.path(&format!("/clients/{}", app.id));
    let seen = books.owner.get(&path).await.is(200).version();
    books.owner.patch(&path, seen, json!({"metadata": metadata})).await.is(200);
}

async fn introspected(world: &World, service: &TokenClient<'_>, token: &str) -> Value {
    let TestClientAuth::Basic(secret) = &service.proof else { panic!("a secret") };
    let asked = world.http.post(world.public("/connect/introspect")).basic_auth(&service.id, Some(secret));
    asked.form(&[("token", token)]).send().await.unwrap().json().await.unwrap()
}

both_engines!(
    crate::harness::world::World::behind_proxy,
    [
        a_public_client_s_tokens_are_worth_nothing_without_its_key,
        refresh_token_reuse_with_another_key_is_recorded_and_ends_nothing,
        refresh_token_reuse_by_a_client_that_authenticated_ends_the_grant_whatever_key_it_shows,
        a_refresh_token_that_is_bound_to_nobody_is_not_bound_by_whoever_shows_it,
        a_client_that_is_well_known_renews_nothing_bound_without_its_key,
        a_client_with_a_proof_of_its_own_may_take_another_key,
        what_is_bound_to_a_certificate_and_a_key_counts_for_whoever_shows_both,
        an_exchange_never_drops_a_binding_to_a_key,
        nobody_acts_as_a_person_through_an_application_that_binds_its_tokens_to_a_key
    ]
);

async fn a_public_client_s_tokens_are_worth_nothing_without_its_key(world: &World) {
    let books = world.books().await;
    let app = public_app(&books, json!({"dpop_bound_access_tokens": true})).await;
    let (own, other) = (world.key_holder(), world.key_holder());
    let (_, code) = books.code(&app, "openid invoices:read").await;
    // Nothing is spent where there is nothing to bind to.
    app.redeem(&code, &[]).await.refused("invalid_request");
    let tokens = app.redeem_holding(&own, &code).await.bound_to(&own);
    let token = tokens.access_token();

    let service = books.service("clerk", "invoices:read").await;
    let told = introspected(world, &service, &token).await;
    assert_eq!(
        (&told["active"], &told["token_type"], &told["cnf"]["jkt"]),
        (&json!(true), &json!("DPoP"), &json!(own.thumbprint()))
    );

    assert_eq!(own.shows(USERINFO, &token).await.status, 200);
    other.shows(USERINFO, &token).await.refused("invalid_token");
    // Nor does it count for whoever merely bears it, with its proof beside it or in a form.
    let proof = own.proof_saying("GET", USERINFO, &json!({"ath": hash_of(&token)}));
    for proofs in [vec![], vec![proof]] {
        let borne = world.borne(USERINFO, &token, &proofs).await;
        assert_eq!((borne.status, borne.challenges.len()), (401, 2), "{borne:?}");
        assert!(borne.challenges[0].starts_with("Bearer error=\"invalid_token\""));
        assert_eq!(borne.challenges[1], "DPoP algs=\"RS256 PS256 ES256 EdDSA\"");
    }
    let proof = own.proof_saying("POST", USERINFO, &json!({"ath": hash_of(&token)}));
    let formed = beside(world, Method::POST, USERINFO, &proof).form(&[("access_token", &token)]);
    assert_eq!(formed.send().await.unwrap().status(), 401);

    let renew = tokens.refresh_token();
    app.refresh_holding(&other, &renew).await.refused("invalid_grant");
    app.refresh(&renew, &[]).await.refused("invalid_request");
    let renewed = app.refresh_holding(&own, &renew).await.bound_to(&own);
    // What was bound stays so, even where the client asks for it no longer.
    patched(&books, &app, json!({"dpop_bound_access_tokens": false})).await;
    app.refresh(&renewed.refresh_token(), &[]).await.refused("invalid_grant");
    app.refresh_holding(&other, &renewed.refresh_token()).await.refused("invalid_grant");
    app.refresh_holding(&own, &renewed.refresh_token()).await.bound_to(&own);
    assert_eq!(world.logged("refresh_token.reused").await, 0);
}

async fn refresh_token_reuse_with_another_key_is_recorded_and_ends_nothing(world: &World) {
    let books = world.books().await;
    let app = public_app(&books, json!({"dpop_bound_access_tokens": true})).await;
    let (own, thief) = (world.key_holder(), world.key_holder());
    let (_, code) = books.code(&app, "openid invoices:read").await;
    let first = app.redeem_holding(&own, &code).await.bound_to(&own).refresh_token();
    let second = app.refresh_holding(&own, &first).await.bound_to(&own).refresh_token();
    // Whoever found a spent token does not hold its key, and is not its client.
    for _ in 0..3 {
        app.refresh_holding(&thief, &first).await.refused("invalid_grant");
    }
    assert_eq!(
        (world.logged("refresh_token.misdirected").await, world.logged("refresh_token.reused").await),
        (3, 0)
    );
    let third = app.refresh_holding(&own, &second).await.bound_to(&own);
    assert_eq!(own.shows(USERINFO, &third.access_token()).await.status, 200);
    // With its own key it is its client who presents it a second time, and that ends the grant.
    app.refresh_holding(&own, &second).await.refused("invalid_grant");
    assert_eq!(world.logged("refresh_token.reused").await, 1);
    own.shows(USERINFO, &third.access_token()).await.refused("invalid_token");
    app.refresh_holding(&own, &third.refresh_token()).await.refused("invalid_grant");
}

async fn refresh_token_reuse_by_a_client_that_authenticated_ends_the_grant_whatever_key_it_shows(
    world: &World,
) {
    let books = world.books().await;
    let app = books.app(json!({"dpop_bound_access_tokens": true})).await;
    let (one, other) = (world.key_holder(), world.key_holder());
    let (_, code) = books.code(&app, "openid invoices:read").await;
    let first = app.redeem_holding(&one, &code).await.bound_to(&one).refresh_token();
    let second = app.refresh_holding(&one, &first).await.bound_to(&one).refresh_token();
    app.refresh_holding(&other, &first).await.refused("invalid_grant");
    assert_eq!(world.logged("refresh_token.reused").await, 1);
    app.refresh_holding(&one, &second).await.refused("invalid_grant");
}

async fn a_refresh_token_that_is_bound_to_nobody_is_not_bound_by_whoever_shows_it(world: &World) {
    let books = world.books().await;
    let app = public_app(&books, json!({})).await;
    let (_, tokens) = books.tokens(&app, "openid invoices:read").await;
    let thief = world.key_holder();
    app.refresh_holding(&thief, &tokens.refresh_token()).await.refused("invalid_grant");
    // Its client goes on with it as before, until its tokens are to be bound.
    let renewed = app.refresh(&tokens.refresh_token(), &[]).await.granted();
    patched(&books, &app, json!({"dpop_bound_access_tokens": true})).await;
    app.refresh_holding(&thief, &renewed.refresh_token()).await.refused("invalid_grant");
    let (_, code) = books.code(&app, "openid invoices:read").await;
    let own = world.key_holder();
    let bound = app.redeem_holding(&own, &code).await.bound_to(&own);
    app.refresh_holding(&own, &bound.refresh_token()).await.bound_to(&own);
}

async fn a_client_that_is_well_known_renews_nothing_bound_without_its_key(world: &World) {
    let books = world.books().await;
    let app = public_app(&books, json!({})).await;
    // What is bound to nobody is renewed again and again, so that the client and its tokens are known.
    let (_, tokens) = books.tokens(&app, "openid invoices:read").await;
    let mut unbound = tokens.refresh_token();
    for _ in 0..3 {
        unbound = app.refresh(&unbound, &[]).await.granted().refresh_token();
    }
    let own = world.key_holder();
    let (_, code) = books.code(&app, "openid invoices:read").await;
    let mut bound = app.redeem_holding(&own, &code).await.bound_to(&own).refresh_token();
    for _ in 0..3 {
        app.refresh(&bound, &[]).await.refused("invalid_grant");
        bound = app.refresh_holding(&own, &bound).await.bound_to(&own).refresh_token();
    }
    app.refresh(&unbound, &[]).await.granted();
}

async fn a_client_with_a_proof_of_its_own_may_take_another_key(world: &World) {
    let books = world.books().await;
    let app = books.app(json!({"dpop_bound_access_tokens": true})).await;
    let (old, new) = (world.key_holder(), world.key_holder_of(SigningAlgorithm::EdDsa));
    let (_, code) = books.code(&app, "openid invoices:read").await;
    let tokens = app.redeem_holding(&old, &code).await.bound_to(&old);
    let renewed = app.refresh_holding(&new, &tokens.refresh_token()).await.bound_to(&new);
    old.shows(USERINFO, &renewed.access_token()).await.refused("invalid_token");
    assert_eq!(new.shows(USERINFO, &renewed.access_token()).await.status, 200);
    app.refresh(&renewed.refresh_token(), &[]).await.refused("invalid_request");
    let unproven = TokenClient { proof: TestClientAuth::Nothing, ..app.clone() };
    unproven.refresh_holding(&new, &renewed.refresh_token()).await.refused("invalid_client");
    app.refresh_holding(&new, &renewed.refresh_token()).await.bound_to(&new);
}

async fn what_is_bound_to_a_certificate_and_a_key_counts_for_whoever_shows_both(world: &World) {
    let books = world.books().await;
    let both = json!({"dpop_bound_access_tokens": true, "tls_client_certificate_bound_access_tokens": true});
    let app = public_app(&books, both).await;
    let (own, other) = (world.key_holder(), world.key_holder());
    let (mine, theirs) = (
        TestCertificate::named("app", CertificateIssuer::Itself),
        TestCertificate::named("app", CertificateIssuer::Itself),
    );
    let (_, code) = books.code(&app, "openid invoices:read").await;
    let ask = async |certificate: Option<&TestCertificate>,
                     holder: Option<&crate::harness::key_holder::DpopClient<'_>>,
                     form: &[(&str, &str)]| {
        let way = certificate.map_or_else(|| world.proxied(), |it| world.told(it));
        let request = way.request(Method::POST, "/connect/token");
        let request = match holder {
            Some(holder) => request.header("dpop", holder.proof("POST", "/connect/token")),
            None => request,
        };
        let form = [form, &[("client_id", app.id.as_str())]].concat();
        TokenEndpointResponse::of(request.form(&form).send().await.unwrap()).await
    };
    let redeem = [("grant_type", "authorization_code"), ("code", &code), ("code_verifier", VERIFIER)];
    ask(Some(&mine), None, &redeem).await.refused("invalid_request");
    ask(None, Some(&own), &redeem).await.refused("invalid_request");
    let tokens = ask(Some(&mine), Some(&own), &redeem).await.bound_to(&own);
    let expected = json!({"x5t#S256": mine.thumbprint(), "jkt": own.thumbprint()});
    assert_eq!(world.bound_to(&tokens.access_token()), expected);
    let token = tokens.access_token();
    let show = async |certificate: &TestCertificate, holder: &crate::harness::key_holder::DpopClient<'_>| {
        let proof = holder.proof_saying("GET", USERINFO, &json!({"ath": hash_of(&token)}));
        let request = world.told(certificate).request(Method::GET, USERINFO).header("dpop", proof);
        request.header("authorization", format!("DPoP {token}")).send().await.unwrap().status().as_u16()
    };
    assert_eq!(
        (show(&mine, &own).await, show(&theirs, &own).await, show(&mine, &other).await),
        (200, 401, 401)
    );
    own.shows(USERINFO, &token).await.refused("invalid_token");
    let renew = tokens.refresh_token();
    let refresh = [("grant_type", "refresh_token"), ("refresh_token", renew.as_str())];
    ask(Some(&theirs), Some(&own), &refresh).await.refused("invalid_grant");
    ask(Some(&mine), Some(&other), &refresh).await.refused("invalid_grant");
    let renewed = ask(Some(&mine), Some(&own), &refresh).await.bound_to(&own);
    assert_eq!(world.bound_to(&renewed.access_token()), expected);
    // At the address where certificates are shown, that is the address which is proven.
    let aliased = own.strange_proof(&json!({}), &json!({"htu": "https://mtls.localhost/connect/token"}));
    let renew = renewed.refresh_token();
    let form = [("grant_type", "refresh_token"), ("refresh_token", renew.as_str()), ("client_id", &app.id)];
    let request = world.told(&mine).request(Method::POST, "/connect/token").header("dpop", aliased);
    TokenEndpointResponse::of(request.form(&form).send().await.unwrap()).await.bound_to(&own);
}

async fn an_exchange_never_drops_a_binding_to_a_key(world: &World) {
    let books = world.books().await;
    let app = public_app(&books, json!({})).await;
    let (own, other) = (world.key_holder(), world.key_holder());
    let (_, code) = books.code(&app, "openid invoices:read").await;
    let bound = app.redeem_holding(&own, &code).await.bound_to(&own).access_token();
    app.exchange(&bound, &[("scope", "invoices:read")]).await.refused("invalid_grant");
    app.exchange_holding(&other, &bound).await.refused("invalid_grant");
    app.exchange_holding(&own, &bound).await.bound_to(&own);
    // Whoever holds a token that is not theirs does not hold its key, and a secret is soon stolen with it.
    let agent = books.agent("invoices:read").await;
    agent.exchange_holding(&other, &bound).await.refused("invalid_grant");
    let secretive = books.service("clerk", "invoices:read").await;
    secretive.exchange_holding(&other, &bound).await.refused("invalid_grant");
    // The API it is for was shown it, is known by a key, and passes it on bound to one of its own.
    let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let api = books.machine("service", "clerk", json!({
        "client_name": "API", "scope": "invoices:read", "token_endpoint_auth_method": "private_key_jwt",
        "grant_types": ["client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange"],
        "jwks": {"keys": [key.public_jwk()]},
    })).await;
    let asserted = |id: &str| {
        let now = world.server.engine().now().seconds();
        let claims = json!({"iss": api.id, "sub": api.id, "aud": world.issuer(), "jti": id, "iat": now, "exp": now + 60});
        signed(&key, &json!({"alg": "ES256", "kid": key.kid()}), &claims)
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
        api.ask_beside(proofs, &form).await
    };
    exchange(&asserted("a"), &[]).await.refused("invalid_grant");
    exchange(&asserted("b"), &[other.proof("POST", "/connect/token")]).await.bound_to(&other);
}

async fn nobody_acts_as_a_person_through_an_application_that_binds_its_tokens_to_a_key(world: &World) {
    let books = world.books().await;
    let app = public_app(&books, json!({"dpop_bound_access_tokens": true})).await;
    let person = books.person("clerk").await;
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
}
