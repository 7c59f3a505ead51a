//! The whole way of a client that knows only the discovery document: registration with four fields, a loopback redirect
//! URI and PKCE; tokens with every claim; and everything that must be refused.

use super::add_member;
use super::flows::{enters, goes_on};
use crate::both_engines;
use crate::harness::oauth_application::{BrowserSession, OAuthApplication, VERIFIER};
use crate::harness::token_endpoint::{INVOICES, TokenFixture};
use crate::harness::world::World;
use crate::stories::oauth::client_registration::{minimal_metadata, minimal_metadata_with, register_client};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sinete_core::id::MembershipId;
use sinete_crypto::platform::jwt::JwtType;

const ACCESS_TOKEN: &str = "urn:ietf:params:oauth:token-type:access_token";

/// A client that registered itself with four fields, on an ephemeral port.
async fn newcomer(world: &World) -> OAuthApplication<'_> {
    let answer = register_client(world, &minimal_metadata()).await.assert_status(201);
    let id = answer.text_member("client_id").parse().unwrap();
    assert!(answer.text_member("registration_access_token").len() > 40);
    OAuthApplication { world, id, secret: None, callback: "http://127.0.0.1:49152/callback".to_owned() }
}

/// The client, and a member who reads and sends invoices.
struct Scene<'w> {
    books: TokenFixture<'w>,
    app: OAuthApplication<'w>,
    ana: MembershipId,
    browser: BrowserSession,
}

async fn scene(world: &World) -> Scene<'_> {
    let books = world.create_token_fixture().await;
    let ana = books.create_member("clerk").await;
    let browser = world.create_member_browser(&books.tenant, ana).await;
    Scene { app: newcomer(world).await, books, ana, browser }
}

const ASKED: [(&str, Option<&str>); 2] = [("scope", Some("openid invoices:read")), ("nonce", Some("n-0S6"))];

impl Scene<'_> {
    /// Obtains a code with consent.
    async fn code(&self) -> String {
        let mut walk = enters(&self.app, Some(&self.browser), &ASKED).await;
        assert_eq!(walk.stage(), "consent");
        assert_eq!(walk.last.body["consent"]["client"]["vouched_by"], "nobody");
        walk.submit("consent", json!({"allow": true})).await.assert_status(200);
        goes_on(self.app.world, &walk, &self.browser.token).await.code()
    }

    /// Obtains a code after consent was given in this session.
    async fn another_code(&self) -> String {
        self.app.obtain_code(&self.browser, &ASKED).await
    }

    async fn tokens(&self) -> Value {
        let (status, tokens) = self.app.redeem_code(&self.code().await).await;
        assert_eq!(status, 200, "{tokens}");
        tokens
    }

    async fn exchanges(&self, token: &str, scope: &str) -> (u16, Value) {
        let form = [
            ("grant_type", "token-exchange"),
            ("subject_token", token),
            ("subject_token_type", ACCESS_TOKEN),
            ("scope", scope),
            ("client_id", self.app.id.as_str()),
        ];
        self.app
            .post_form("/connect/token", &form.map(|(name, value)| (name.to_owned(), value.to_owned())))
            .await
    }

    /// Whether userinfo accepts the token.
    async fn counts(&self, tokens: &Value) -> bool {
        let world = self.app.world;
        let request = world.http.get(world.public_url("/connect/userinfo"));
        request.bearer_auth(text(tokens, "access_token")).send().await.unwrap().status() == 200
    }

    async fn refused(&self, token: &str) {
        let (status, body) = self.app.refresh_tokens(token).await;
        assert_eq!((status, &body["error"]), (400, &json!("invalid_grant")));
    }
}

fn text(body: &Value, member: &str) -> String {
    body[member].as_str().unwrap_or_else(|| panic!("no {member} in {body}")).to_owned()
}

/// Asserts that a published key signed this token.
async fn is_signed_by_a_published_key(world: &World, token: &str, of_type: &str) {
    let header = URL_SAFE_NO_PAD.decode(token.split('.').next().unwrap()).unwrap();
    let header: Value = serde_json::from_slice(&header).unwrap();
    assert_eq!(header["typ"], of_type);
    let keys: Value = world.get("/.well-known/jwks.json").await.json().await.unwrap();
    let is_its = |key: &Value| key["kid"] == header["kid"] && key["alg"] == header["alg"];
    assert!(keys["keys"].as_array().unwrap().iter().any(is_its), "{header}");
}

both_engines!(
    code_flow_from_registration_yields_three_valid_tokens,
    authorization_code_and_refresh_token_reuse_revokes_the_grant_and_its_tokens,
    token_exchange_names_the_actor_and_only_narrows,
    authorization_request_that_is_invalid_gets_no_code,
    scope_lost_before_redemption_is_refused_and_never_reduced,
    suspended_organization_issues_and_accepts_no_tokens_and_stays_visible
);

async fn code_flow_from_registration_yields_three_valid_tokens(world: &World) {
    let scene = scene(world).await;
    let code = scene.code().await;
    let (status, tokens) = scene.app.redeem_code(&code).await;
    assert_eq!(status, 200, "{tokens}");
    let (access_token, id_token) = (text(&tokens, "access_token"), text(&tokens, "id_token"));
    assert!(text(&tokens, "refresh_token").starts_with("sn_rt_"));
    is_signed_by_a_published_key(world, &access_token, "at+jwt").await;
    is_signed_by_a_published_key(world, &id_token, "JWT").await;

    let body = world.token_claims(&access_token, JwtType::Access);
    for (claim, value) in [
        ("iss", json!(world.server.issuer.as_str())),
        ("sub", json!(scene.ana)),
        ("aud", json!(INVOICES)),
        ("org", json!(scene.books.tenant.id)),
        ("role", json!("clerk")),
        ("scope", json!("openid invoices:read")),
        ("client_id", json!(scene.app.id)),
    ] {
        assert_eq!(body[claim], value, "{claim}");
    }
    let mut claims: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
    claims.sort_unstable();
    // There is no certificate and no actor, so neither `cnf` nor `act`.
    let all = [
        "acr",
        "aud",
        "auth_time",
        "client_id",
        "exp",
        "iat",
        "iss",
        "jti",
        "org",
        "role",
        "scope",
        "sid",
        "sub",
    ];
    assert_eq!(claims, all);

    let id = world.token_claims(&id_token, JwtType::Id);
    assert_eq!(
        (&id["sub"], &id["aud"], &id["nonce"]),
        (&json!(scene.ana), &json!(scene.app.id), &json!("n-0S6"))
    );
    assert!(["org", "role", "scope"].iter().all(|claim| id.get(claim).is_none()), "{id}");
    assert!(scene.counts(&tokens).await);
}

async fn authorization_code_and_refresh_token_reuse_revokes_the_grant_and_its_tokens(world: &World) {
    let scene = scene(world).await;
    // A second use of a code.
    let code = scene.code().await;
    let tokens = scene.app.redeem_code(&code).await.1;
    assert!(scene.counts(&tokens).await);
    let (status, error_body) = scene.app.redeem_code(&code).await;
    assert_eq!((status, &error_body["error"]), (400, &json!("invalid_grant")));
    assert!(!scene.counts(&tokens).await, "the grant is revoked");
    scene.refused(&text(&tokens, "refresh_token")).await;
    // A second use of a refresh token.
    let tokens = scene.app.redeem_code(&scene.another_code().await).await.1;
    let (first, mut newest) = (text(&tokens, "refresh_token"), tokens.clone());
    for _ in 0..3 {
        let (status, next) = scene.app.refresh_tokens(&text(&newest, "refresh_token")).await;
        assert_eq!(status, 200, "{next}");
        assert_ne!(text(&next, "refresh_token"), text(&newest, "refresh_token"));
        newest = next;
    }
    assert!(scene.counts(&tokens).await && scene.counts(&newest).await);
    scene.refused(&first).await;
    scene.refused(&text(&newest, "refresh_token")).await;
    assert!(!scene.counts(&tokens).await && !scene.counts(&newest).await);
    assert_eq!(
        (world.count_events("code.replayed").await, world.count_events("refresh_token.reused").await),
        (1, 1)
    );
}

async fn token_exchange_names_the_actor_and_only_narrows(world: &World) {
    let scene = scene(world).await;
    let subject = text(&scene.tokens().await, "access_token");
    let (status, narrower) = scene.exchanges(&subject, "invoices:read").await;
    assert_eq!((status, &narrower["scope"]), (200, &json!("invoices:read")), "{narrower}");
    let body = world.token_claims(&text(&narrower, "access_token"), JwtType::Access);
    assert_eq!(
        (&body["sub"], &body["org"], &body["act"]["sub"]),
        (&json!(scene.ana), &json!(scene.books.tenant.id), &json!(scene.app.id))
    );
    // An agent of the organization is the actor, and the previous actor is nested in it.
    let agent = scene.books.create_agent("openid invoices:*").await;
    let passed_on = agent.exchange_token(&text(&narrower, "access_token"), &[]).await.assert_granted();
    let act_claim = &world.token_claims(&passed_on.access_token(), JwtType::Access)["act"];
    assert_eq!((&act_claim["sub"], &act_claim["act"]["sub"]), (&json!(agent.id), &json!(scene.app.id)));
    // More than the token's scope: what the user may do, what the user may not, and what an earlier exchange removed.
    for wider in
        ["invoices:read invoices:send", "invoices:*", "invoices:void", "openid profile", "members:read"]
    {
        let (status, refused) = scene.exchanges(&subject, wider).await;
        assert_eq!((status, &refused["error"]), (400, &json!("invalid_scope")), "{wider}");
        assert!(refused.get("access_token").is_none());
    }
    agent
        .exchange_token(&text(&narrower, "access_token"), &[("scope", "openid")])
        .await
        .assert_oauth_error("invalid_scope");
    agent.exchange_token(&subject, &[("scope", "invoices:send")]).await.assert_oauth_error("invalid_scope");
}

async fn authorization_request_that_is_invalid_gets_no_code(world: &World) {
    let scene = scene(world).await;
    scene.tokens().await;
    for invalid_params in [
        [("code_challenge", None), ("code_challenge_method", None)],
        [("code_challenge", None), ("code_challenge_method", Some("S256"))],
        [("code_challenge", Some(VERIFIER)), ("code_challenge_method", Some("plain"))],
    ] {
        scene
            .app
            .authorize(Some(&scene.browser), &[&ASKED[..], &invalid_params].concat())
            .await
            .assert_error_redirect("invalid_request");
    }
    for address in [
        "http://127.0.0.1:49152/callback/",
        "http://127.0.0.1:49152/",
        "http://localhost:49152/callback",
        "http://notes.example/callback",
        "https://127.0.0.1:49152/callback",
    ] {
        scene
            .app
            .authorize(Some(&scene.browser), &[&ASKED[..], &[("redirect_uri", Some(address))]].concat())
            .await
            .assert_page();
    }
    for address in ["http://notes.example/callback", "http://127.0.0.1.notes.example/callback"] {
        register_client(world, &minimal_metadata_with(json!({"redirect_uris": [address]})))
            .await
            .assert_oauth_error(400, "invalid_redirect_uri");
    }
    // More than the client registered, and more than the user's permissions in that organization.
    scene
        .app
        .authorize(Some(&scene.browser), &[("scope", Some("openid invoices:send"))])
        .await
        .assert_error_redirect("invalid_scope");
    let bob = scene.books.create_member("member").await;
    let bobs = world.create_member_browser(&scene.books.tenant, bob).await;
    scene.app.authorize(Some(&bobs), &ASKED).await.assert_error_redirect("invalid_scope");
}

async fn scope_lost_before_redemption_is_refused_and_never_reduced(world: &World) {
    let scene = scene(world).await;
    let (tokens, code) = (scene.tokens().await, scene.another_code().await);
    scene.books.change_role("clerk", &["invoices:send"]).await;
    let (status, refused) = scene.app.redeem_code(&code).await;
    assert_eq!((status, &refused["error"]), (400, &json!("invalid_grant")));
    scene.refused(&text(&tokens, "refresh_token")).await;
    let (status, refused) = scene.exchanges(&text(&tokens, "access_token"), "invoices:read").await;
    assert_eq!((status, &refused["error"]), (400, &json!("invalid_scope")));
    // Nothing was consumed: with the role restored, everything works.
    scene.books.change_role("clerk", &["invoices:read", "invoices:send"]).await;
    assert_eq!(scene.app.redeem_code(&code).await.0, 200);
    assert_eq!(scene.app.refresh_tokens(&text(&tokens, "refresh_token")).await.0, 200);
    assert_eq!(scene.exchanges(&text(&tokens, "access_token"), "invoices:read").await.0, 200);
}

async fn suspended_organization_issues_and_accepts_no_tokens_and_stays_visible(world: &World) {
    let scene = scene(world).await;
    let (tokens, code) = (scene.tokens().await, scene.another_code().await);
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &scene.books.tenant, "Unpaid").await;
    operator.post(&scene.books.tenant.path("/suspend"), json!({"reason": "Unpaid"})).await.assert_status(200);
    assert!(!scene.counts(&tokens).await);
    let (status, refused) = scene.app.redeem_code(&code).await;
    assert_eq!((status, &refused["error"]), (400, &json!("invalid_grant")));
    scene.refused(&text(&tokens, "refresh_token")).await;
    let (status, refused) = scene.exchanges(&text(&tokens, "access_token"), "invoices:read").await;
    assert_eq!((status, &refused["error"]), (400, &json!("invalid_grant")));
    scene.app.authorize(Some(&scene.browser), &ASKED).await.assert_error_redirect("access_denied");
    let role = json!({"name": "clerk of clerks", "permissions": ["invoices:read"]});
    scene
        .books
        .owner
        .post(&scene.books.tenant.path("/roles"), role)
        .await
        .assert_problem(409, "organization_suspended");
    assert_eq!(
        scene.books.owner.get(&scene.books.tenant.path("")).await.assert_status(200).body["condition"],
        "suspended"
    );
    // A member of another organization acts there as before.
    let globex = world.create_organization("globex").await;
    add_member(world, scene.browser.account, &globex, "member").await;
    let app = super::create_trusted_application(world, json!({})).await;
    app.obtain_code(&scene.browser, &[("scope", Some("openid"))]).await;
}
