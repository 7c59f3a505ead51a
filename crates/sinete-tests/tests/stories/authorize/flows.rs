//! Requests for which somebody has to be asked: they lead through a flow and come back.

use super::{joins, trusted};
use crate::both_engines;
use crate::harness::application::{AuthorizationResponse, BrowserSession, OAuthApplication};
use crate::harness::person::{FlowClient, PASSWORD, TestUser};
use crate::harness::tenants::{OWNERS_SCOPE, TestOrganization};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::time::Lifetime;
use sinete_store::clients::ClientOrigin;

pub(super) const EMAIL: &str = "ana@example.com";

/// Somebody of one organization, not signed in anywhere that matters.
pub(super) async fn ana(world: &World) -> (TestOrganization, TestUser<'_>) {
    let acme = world.tenant("acme").await;
    let ana = world.somebody(EMAIL).await;
    joins(world, ana.account, &acme, "member").await;
    (acme, ana)
}

pub(super) fn browser(person: &TestUser<'_>) -> BrowserSession {
    BrowserSession { account: person.account, token: person.session.clone() }
}

/// One more session of the same person.
pub(super) async fn another_browser(world: &World, person: &TestUser<'_>) -> BrowserSession {
    let token =
        world.begin_session(person.account, &AuthenticationEvidence::of(AuthenticationProof::Password)).await;
    BrowserSession { account: person.account, token }
}

/// Asks, and walks into the flow that this leads to.
pub(super) async fn enters<'w>(
    app: &OAuthApplication<'w>,
    browser: Option<&BrowserSession>,
    changes: &[(&str, Option<&str>)],
) -> FlowClient<'w> {
    let answered = app.asks_in_json(browser, changes).await;
    assert_eq!(answered.status, 401, "{}", answered.text);
    let told: Value = serde_json::from_str(&answered.text).unwrap();
    let text = |name: &str| told["flow"][name].as_str().unwrap().to_owned();
    assert!(text("href").ends_with(&format!("/flows/{}", text("id"))));
    app.world.walking(&text("id"), &text("token")).await
}

/// Goes on where a flow that is done leads.
pub(super) async fn goes_on(world: &World, walk: &FlowClient<'_>, session: &str) -> AuthorizationResponse {
    let to = walk.last.text_of("continue_to");
    assert!(to.ends_with(&format!("/connect/authorize?flow={}", walk.id)));
    world.returns(&walk.id, Some(session), &[]).await
}

async fn signs_in(walk: &mut FlowClient<'_>) -> String {
    walk.says("password", json!({"email": EMAIL, "password": PASSWORD}))
        .await
        .is(200)
        .text_of("session_token")
}

both_engines!(
    somebody_signs_in_agrees_and_the_application_gets_its_code,
    whoever_says_no_gives_nothing_and_is_asked_again_next_time,
    a_wider_request_asks_again_and_says_what_is_new,
    an_agreement_with_a_stranger_lasts_as_long_as_the_session,
    whoever_belongs_to_several_organizations_chooses_one,
    signing_in_again_is_signing_in_again,
    only_the_flow_and_its_own_session_say_what_is_granted,
    a_pushed_request_survives_the_time_a_sign_in_takes,
    what_is_lost_meanwhile_is_not_granted,
    a_browser_is_led_to_the_screen_with_a_cookie_for_its_flow
);

async fn somebody_signs_in_agrees_and_the_application_gets_its_code(world: &World) {
    let (acme, ana) = ana(world).await;
    let app = world
        .application(ClientOrigin::Operator, json!({"client_name": "Notes", "scope": "openid email"}))
        .await;
    let mut walk = enters(&app, None, &[("scope", Some("openid email")), ("state", Some("mine"))]).await;
    assert_eq!((walk.stage(), &walk.last.body["kind"]), ("sign_in", &json!("authorize")));
    let session = signs_in(&mut walk).await;
    assert_eq!(walk.stage(), "consent");
    let question = walk.last.body["consent"].clone();
    assert_eq!(
        (&question["client"]["name"], &question["client"]["vouched_by"]),
        (&json!("Notes"), &json!("operator"))
    );
    assert_eq!(
        (&question["redirect_host"], &question["organization"]["id"]),
        (&json!("app.example"), &json!(acme.id))
    );
    let lines = question["lines"].as_array().unwrap();
    assert!(
        lines.len() == 2
            && lines
                .iter()
                .all(|line| line["is_new"] == json!(true) && line["english"] != line["portuguese"])
    );
    world.returns(&walk.id, Some(&session), &[]).await.is_not_a_redirect();
    walk.says("consent", json!({"allow": true})).await.is(200);
    assert_eq!(walk.stage(), "resume");
    let answered = goes_on(world, &walk, &session).await;
    let code = answered.code();
    assert_eq!(answered.told()["state"], "mine");
    assert_eq!(app.redeem(&code).await.0, 200);
    assert_eq!(goes_on(world, &walk, &session).await.status, 410, "a flow leads to one code");
    // What was agreed to is not asked again, also silently, and in any session.
    let browser = another_browser(world, &ana).await;
    app.code(&browser, &[("scope", Some("openid email")), ("prompt", Some("none"))]).await;
}

async fn whoever_says_no_gives_nothing_and_is_asked_again_next_time(world: &World) {
    let (_, ana) = ana(world).await;
    let (app, browser) = (world.application(ClientOrigin::Operator, json!({})).await, browser(&ana));
    let mut walk = enters(&app, Some(&browser), &[]).await;
    assert_eq!(walk.stage(), "consent");
    walk.says("consent", json!({"allow": false})).await.is(200);
    goes_on(world, &walk, &browser.token).await.refused("access_denied");
    assert_eq!(goes_on(world, &walk, &browser.token).await.status, 410);
    app.authorize(Some(&browser), &[("prompt", Some("none"))]).await.refused("consent_required");
    assert_eq!(enters(&app, Some(&browser), &[]).await.stage(), "consent");
}

async fn a_wider_request_asks_again_and_says_what_is_new(world: &World) {
    let (_, ana) = ana(world).await;
    let app = world.application(ClientOrigin::Operator, json!({"scope": "openid email profile"})).await;
    let browser = browser(&ana);
    let agree = async |changes: &[(&str, Option<&str>)]| {
        let mut walk = enters(&app, Some(&browser), changes).await;
        let lines = walk.last.body["consent"]["lines"].clone();
        walk.says("consent", json!({"allow": true})).await.is(200);
        goes_on(world, &walk, &browser.token).await.code();
        lines
            .as_array()
            .unwrap()
            .iter()
            .filter(|line| line["is_new"] == json!(true))
            .map(|line| line["scope"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(agree(&[("scope", Some("openid"))]).await, ["openid"]);
    assert_eq!(agree(&[("scope", Some("openid email"))]).await, ["email"]);
    app.code(&browser, &[("scope", Some("openid"))]).await;
    app.code(&browser, &[("scope", Some("email"))]).await;
    assert!(agree(&[("scope", Some("openid")), ("prompt", Some("consent"))]).await.is_empty());
}

async fn an_agreement_with_a_stranger_lasts_as_long_as_the_session(world: &World) {
    let (_, ana) = ana(world).await;
    let metadata = json!({"redirect_uris": ["https://app.example/callback", "https://other.example/callback"], "consent": "implied"});
    let (app, first) = (world.application(ClientOrigin::Itself, metadata).await, browser(&ana));
    let mut walk = enters(&app, Some(&first), &[]).await;
    assert_eq!(walk.last.body["consent"]["client"]["vouched_by"], "nobody");
    walk.says("consent", json!({"allow": true})).await.is(200);
    goes_on(world, &walk, &first.token).await.code();
    app.code(&first, &[]).await;
    assert_eq!(
        enters(&app, Some(&first), &[("redirect_uri", Some("https://other.example/callback"))]).await.stage(),
        "consent"
    );
    let second = another_browser(world, &ana).await;
    assert_eq!(enters(&app, Some(&second), &[]).await.stage(), "consent");
}

async fn whoever_belongs_to_several_organizations_chooses_one(world: &World) {
    let (_, ana) = ana(world).await;
    let globex = world.tenant("globex").await;
    let membership = joins(world, ana.account, &globex, "member").await;
    let (app, browser) = (trusted(world, json!({})).await, browser(&ana));
    let mut walk = enters(&app, Some(&browser), &[]).await;
    assert_eq!(
        (walk.stage(), walk.last.body["organizations"].as_array().unwrap().len()),
        ("choose_organization", 2)
    );
    let elsewhere = world.tenant("initech").await;
    walk.tries("choose_organization", json!({"organization": elsewhere.id})).await.is(409);
    walk.says("choose_organization", json!({"organization": globex.id})).await.is(200);
    let code = goes_on(world, &walk, &browser.token).await.code();
    let tokens = app.redeem(&code).await.1;
    let claims = super::whole::claims(&tokens["access_token"]);
    assert_eq!((&claims["org"], &claims["sub"]), (&json!(globex.id), &json!(membership)));
    // Asking for a choice brings the question back, even where it is settled.
    assert_eq!(
        enters(&app, Some(&browser), &[("prompt", Some("select_account"))]).await.stage(),
        "choose_organization"
    );
}

async fn signing_in_again_is_signing_in_again(world: &World) {
    let (_, ana) = ana(world).await;
    let (app, browser) = (trusted(world, json!({})).await, browser(&ana));
    let code = app.code(&browser, &[("max_age", Some("600"))]).await;
    let before = super::whole::claims(&app.redeem(&code).await.1["id_token"])["auth_time"].as_i64().unwrap();
    world.clock.pass(Lifetime::from_seconds(30));
    for changes in [("prompt", Some("login")), ("max_age", Some("10")), ("max_age", Some("0"))] {
        let mut walk = enters(&app, Some(&browser), &[changes]).await;
        assert_eq!(walk.stage(), "sign_in");
        let session = signs_in(&mut walk).await;
        let code = goes_on(world, &walk, &session).await.code();
        let after =
            super::whole::claims(&app.redeem(&code).await.1["id_token"])["auth_time"].as_i64().unwrap();
        assert!(after >= before + 30, "{changes:?}");
    }
}

async fn only_the_flow_and_its_own_session_say_what_is_granted(world: &World) {
    let (acme, ana) = ana(world).await;
    let (app, browser) = (world.application(ClientOrigin::Operator, json!({})).await, browser(&ana));
    let mut walk = enters(&app, Some(&browser), &[]).await;
    walk.says("consent", json!({"allow": true})).await.is(200);
    let bob = world.somebody("bob@example.com").await;
    joins(world, bob.account, &acme, "member").await;
    assert_eq!(world.returns(&walk.id, Some(&bob.session), &[]).await.status, 404);
    assert_eq!(world.returns(&walk.id, None, &[]).await.status, 404);
    assert_eq!(
        world.returns("01936f5e-7c2a-7def-8a1b-2c3d4e5f6071", Some(&browser.token), &[]).await.status,
        404
    );
    let evil =
        [("scope", "openid profile email"), ("redirect_uri", "https://evil.example/"), ("state", "evil")];
    let answered = world.returns(&walk.id, Some(&browser.token), &evil).await;
    assert!(answered.location().unwrap().starts_with(&app.callback));
    assert_eq!(answered.told()["state"], "a state");
    let tokens = app.redeem(&answered.code()).await.1;
    assert_eq!(super::whole::claims(&tokens["access_token"])["scope"], "openid");
}

async fn a_pushed_request_survives_the_time_a_sign_in_takes(world: &World) {
    ana(world).await;
    let app = world.application(ClientOrigin::Operator, json!({})).await;
    let handle = app.push(&[]).await.1["request_uri"].as_str().unwrap().to_owned();
    let bring = [("request_uri", Some(handle.as_str()))];
    let (mut one, mut other) = (enters(&app, None, &bring).await, enters(&app, None, &bring).await);
    world.clock.pass(Lifetime::from_minutes(20));
    let mut sessions = Vec::new();
    for walk in [&mut one, &mut other] {
        sessions.push(signs_in(walk).await);
        walk.says("consent", json!({"allow": true})).await.is(200);
    }
    goes_on(world, &one, &sessions[0]).await.code();
    goes_on(world, &other, &sessions[1]).await.refused("invalid_request");
}

async fn what_is_lost_meanwhile_is_not_granted(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let owner = world.key(&acme, owner.membership, &format!("{OWNERS_SCOPE} invoices:*")).await;
    let api = json!({"identifier": "https://invoices.example", "name": "Invoices", "permissions": [{"permission": "invoices:read", "english": "Read invoices", "portuguese": "Ler faturas"}]});
    owner.adds_api(api).await.is(201);
    let role = owner
        .post(&acme.path("/roles"), json!({"name": "reader", "permissions": ["invoices:read"]}))
        .await
        .is(201);
    let ana = world.somebody(EMAIL).await;
    let membership = joins(world, ana.account, &acme, "reader").await;
    let app = world
        .application(ClientOrigin::Organization(acme.id), json!({"scope": "openid invoices:read"}))
        .await;
    let mut walk = enters(&app, Some(&browser(&ana)), &[("scope", Some("openid invoices:read"))]).await;
    let line = walk.last.body["consent"]["lines"]
        .as_array()
        .unwrap()
        .iter()
        .find(|line| line["scope"] == "invoices:read")
        .unwrap()
        .clone();
    assert_eq!((&line["english"], &line["portuguese"]), (&json!("Read invoices"), &json!("Ler faturas")));
    assert_eq!(walk.last.body["consent"]["client"]["vouched_by"], "organization");
    walk.says("consent", json!({"allow": true})).await.is(200);
    let engine = world.server.engine();
    let role = role.text_of("id").parse().unwrap();
    world.happens([sinete_store::memberships::take_role(membership, role, engine.now())]).await;
    goes_on(world, &walk, &ana.session).await.refused("invalid_scope");
}

async fn a_browser_is_led_to_the_screen_with_a_cookie_for_its_flow(world: &World) {
    let app = world.application(ClientOrigin::Operator, json!({})).await;
    let answered = app.authorize(None, &[]).await;
    assert_eq!(answered.status, 303, "{}", answered.text);
    let issuer = &world.server.engine().settings().issuer;
    assert!(answered.location().unwrap().starts_with(&format!("{issuer}/sign-in?flow=")));
    let cookie = answered.headers["set-cookie"].to_str().unwrap();
    assert!(
        cookie.starts_with("flow=sn_fl_") && cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax")
    );
    let posted = world.submit(None, &app.request(&[])).await;
    assert_eq!(posted.status, 303);
}
