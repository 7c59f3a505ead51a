//! Authorization requests that need an interaction: they lead through a flow and back.

use super::{add_member, create_trusted_application};
use crate::both_engines;
use crate::harness::flow_client::{FlowClient, PASSWORD, TestUser};
use crate::harness::oauth_application::{AuthorizationResponse, BrowserSession, OAuthApplication};
use crate::harness::organizations::{OWNER_SCOPE, TestOrganization};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::time::Lifetime;
use sinete_store::oauth::clients::ClientOrigin;

pub(super) const EMAIL: &str = "ana@example.com";

/// A member of one organization.
pub(super) async fn ana(world: &World) -> (TestOrganization, TestUser<'_>) {
    let acme = world.create_organization("acme").await;
    let ana = world.create_user(EMAIL).await;
    add_member(world, ana.account, &acme, "member").await;
    (acme, ana)
}

pub(super) fn browser(user: &TestUser<'_>) -> BrowserSession {
    BrowserSession { account: user.account, token: user.session.clone() }
}

/// Another session of the same account.
pub(super) async fn another_browser(world: &World, user: &TestUser<'_>) -> BrowserSession {
    let token = world
        .create_session_token(
            user.account,
            &AuthenticationEvidence::from_proof(AuthenticationProof::Password),
        )
        .await;
    BrowserSession { account: user.account, token }
}

/// Sends an authorization request and starts the flow it leads to.
pub(super) async fn enters<'w>(
    app: &OAuthApplication<'w>,
    browser: Option<&BrowserSession>,
    changes: &[(&str, Option<&str>)],
) -> FlowClient<'w> {
    let response = app.authorize_as_json(browser, changes).await;
    assert_eq!(response.status, 401, "{}", response.text);
    let body: Value = serde_json::from_str(&response.text).unwrap();
    let text = |name: &str| body["flow"][name].as_str().unwrap().to_owned();
    assert!(text("href").ends_with(&format!("/flows/{}", text("id"))));
    app.world.continue_flow(&text("id"), &text("token")).await
}

/// Continues the authorization request after its flow is completed.
pub(super) async fn goes_on(world: &World, walk: &FlowClient<'_>, session: &str) -> AuthorizationResponse {
    let to = walk.last.text_member("continue_to");
    assert!(to.ends_with(&format!("/connect/authorize?flow={}", walk.id)));
    world.resume_flow(&walk.id, Some(session), &[]).await
}

async fn signs_in(walk: &mut FlowClient<'_>) -> String {
    walk.submit("password", json!({"email": EMAIL, "password": PASSWORD}))
        .await
        .assert_status(200)
        .text_member("session_token")
}

both_engines!(
    authorization_flow_leads_through_sign_in_and_consent_to_a_code,
    consent_denied_grants_nothing_and_is_required_again,
    consent_for_a_wider_request_marks_what_is_new,
    consent_to_a_self_registered_client_lasts_for_the_session,
    organization_selection_is_displayed_to_users_with_several_memberships,
    prompt_login_requires_a_new_sign_in_and_updates_auth_time,
    authorization_flow_resumes_only_in_its_own_session_with_its_own_parameters,
    pushed_request_survives_a_long_sign_in,
    permission_lost_during_the_flow_is_not_granted,
    authorization_endpoint_redirects_to_the_screen_with_a_flow_cookie
);

async fn authorization_flow_leads_through_sign_in_and_consent_to_a_code(world: &World) {
    let (acme, ana) = ana(world).await;
    let app = world
        .create_application(ClientOrigin::Operator, json!({"client_name": "Notes", "scope": "openid email"}))
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
    world.resume_flow(&walk.id, Some(&session), &[]).await.assert_no_redirect();
    walk.submit("consent", json!({"allow": true})).await.assert_status(200);
    assert_eq!(walk.stage(), "resume");
    let response = goes_on(world, &walk, &session).await;
    let code = response.code();
    assert_eq!(response.redirect_params()["state"], "mine");
    assert_eq!(app.redeem_code(&code).await.0, 200);
    assert_eq!(goes_on(world, &walk, &session).await.status, 410, "a flow returns one code");
    // A consent is remembered, for `prompt=none` and in every session.
    let browser = another_browser(world, &ana).await;
    app.obtain_code(&browser, &[("scope", Some("openid email")), ("prompt", Some("none"))]).await;
}

async fn consent_denied_grants_nothing_and_is_required_again(world: &World) {
    let (_, ana) = ana(world).await;
    let (app, browser) = (world.create_application(ClientOrigin::Operator, json!({})).await, browser(&ana));
    let mut walk = enters(&app, Some(&browser), &[]).await;
    assert_eq!(walk.stage(), "consent");
    walk.submit("consent", json!({"allow": false})).await.assert_status(200);
    goes_on(world, &walk, &browser.token).await.assert_error_redirect("access_denied");
    assert_eq!(goes_on(world, &walk, &browser.token).await.status, 410);
    app.authorize(Some(&browser), &[("prompt", Some("none"))])
        .await
        .assert_error_redirect("consent_required");
    assert_eq!(enters(&app, Some(&browser), &[]).await.stage(), "consent");
}

async fn consent_for_a_wider_request_marks_what_is_new(world: &World) {
    let (_, ana) = ana(world).await;
    let app =
        world.create_application(ClientOrigin::Operator, json!({"scope": "openid email profile"})).await;
    let browser = browser(&ana);
    let agree = async |changes: &[(&str, Option<&str>)]| {
        let mut walk = enters(&app, Some(&browser), changes).await;
        let lines = walk.last.body["consent"]["lines"].clone();
        walk.submit("consent", json!({"allow": true})).await.assert_status(200);
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
    app.obtain_code(&browser, &[("scope", Some("openid"))]).await;
    app.obtain_code(&browser, &[("scope", Some("email"))]).await;
    assert!(agree(&[("scope", Some("openid")), ("prompt", Some("consent"))]).await.is_empty());
}

async fn consent_to_a_self_registered_client_lasts_for_the_session(world: &World) {
    let (_, ana) = ana(world).await;
    let metadata = json!({"redirect_uris": ["https://app.example/callback", "https://other.example/callback"], "consent": "implied"});
    let (app, first) =
        (world.create_application(ClientOrigin::DynamicRegistration, metadata).await, browser(&ana));
    let mut walk = enters(&app, Some(&first), &[]).await;
    assert_eq!(walk.last.body["consent"]["client"]["vouched_by"], "nobody");
    walk.submit("consent", json!({"allow": true})).await.assert_status(200);
    goes_on(world, &walk, &first.token).await.code();
    app.obtain_code(&first, &[]).await;
    assert_eq!(
        enters(&app, Some(&first), &[("redirect_uri", Some("https://other.example/callback"))]).await.stage(),
        "consent"
    );
    let second = another_browser(world, &ana).await;
    assert_eq!(enters(&app, Some(&second), &[]).await.stage(), "consent");
}

async fn organization_selection_is_displayed_to_users_with_several_memberships(world: &World) {
    let (_, ana) = ana(world).await;
    let globex = world.create_organization("globex").await;
    let membership = add_member(world, ana.account, &globex, "member").await;
    let (app, browser) = (create_trusted_application(world, json!({})).await, browser(&ana));
    let mut walk = enters(&app, Some(&browser), &[]).await;
    assert_eq!(
        (walk.stage(), walk.last.body["organizations"].as_array().unwrap().len()),
        ("choose_organization", 2)
    );
    let elsewhere = world.create_organization("initech").await;
    walk.try_submit("choose_organization", json!({"organization": elsewhere.id})).await.assert_status(409);
    walk.submit("choose_organization", json!({"organization": globex.id})).await.assert_status(200);
    let code = goes_on(world, &walk, &browser.token).await.code();
    let tokens = app.redeem_code(&code).await.1;
    let claims = super::code_flow::claims(&tokens["access_token"]);
    assert_eq!((&claims["org"], &claims["sub"]), (&json!(globex.id), &json!(membership)));
    // `prompt=select_account` asks for the organization again, even if it is decided.
    assert_eq!(
        enters(&app, Some(&browser), &[("prompt", Some("select_account"))]).await.stage(),
        "choose_organization"
    );
}

async fn prompt_login_requires_a_new_sign_in_and_updates_auth_time(world: &World) {
    let (_, ana) = ana(world).await;
    let (app, browser) = (create_trusted_application(world, json!({})).await, browser(&ana));
    let code = app.obtain_code(&browser, &[("max_age", Some("600"))]).await;
    let before =
        super::code_flow::claims(&app.redeem_code(&code).await.1["id_token"])["auth_time"].as_i64().unwrap();
    world.clock.advance(Lifetime::from_seconds(30));
    for changes in [("prompt", Some("login")), ("max_age", Some("10")), ("max_age", Some("0"))] {
        let mut walk = enters(&app, Some(&browser), &[changes]).await;
        assert_eq!(walk.stage(), "sign_in");
        let session = signs_in(&mut walk).await;
        let code = goes_on(world, &walk, &session).await.code();
        let after = super::code_flow::claims(&app.redeem_code(&code).await.1["id_token"])["auth_time"]
            .as_i64()
            .unwrap();
        assert!(after >= before + 30, "{changes:?}");
    }
}

async fn authorization_flow_resumes_only_in_its_own_session_with_its_own_parameters(world: &World) {
    let (acme, ana) = ana(world).await;
    let (app, browser) = (world.create_application(ClientOrigin::Operator, json!({})).await, browser(&ana));
    let mut walk = enters(&app, Some(&browser), &[]).await;
    walk.submit("consent", json!({"allow": true})).await.assert_status(200);
    let bob = world.create_user("bob@example.com").await;
    add_member(world, bob.account, &acme, "member").await;
    assert_eq!(world.resume_flow(&walk.id, Some(&bob.session), &[]).await.status, 404);
    assert_eq!(world.resume_flow(&walk.id, None, &[]).await.status, 404);
    assert_eq!(
        world.resume_flow("01936f5e-7c2a-7def-8a1b-2c3d4e5f6071", Some(&browser.token), &[]).await.status,
        404
    );
    let evil =
        [("scope", "openid profile email"), ("redirect_uri", "https://evil.example/"), ("state", "evil")];
    let response = world.resume_flow(&walk.id, Some(&browser.token), &evil).await;
    assert!(response.location().unwrap().starts_with(&app.callback));
    assert_eq!(response.redirect_params()["state"], "a state");
    let tokens = app.redeem_code(&response.code()).await.1;
    assert_eq!(super::code_flow::claims(&tokens["access_token"])["scope"], "openid");
}

async fn pushed_request_survives_a_long_sign_in(world: &World) {
    ana(world).await;
    let app = world.create_application(ClientOrigin::Operator, json!({})).await;
    let handle = app.push_request(&[]).await.1["request_uri"].as_str().unwrap().to_owned();
    let bring = [("request_uri", Some(handle.as_str()))];
    let (mut one, mut other) = (enters(&app, None, &bring).await, enters(&app, None, &bring).await);
    world.clock.advance(Lifetime::from_minutes(20));
    let mut sessions = Vec::new();
    for walk in [&mut one, &mut other] {
        sessions.push(signs_in(walk).await);
        walk.submit("consent", json!({"allow": true})).await.assert_status(200);
    }
    goes_on(world, &one, &sessions[0]).await.code();
    goes_on(world, &other, &sessions[1]).await.assert_error_redirect("invalid_request");
}

async fn permission_lost_during_the_flow_is_not_granted(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let owner =
        world.create_api_key_caller(&acme, owner.membership, &format!("{OWNER_SCOPE} invoices:*")).await;
    let api = json!({"identifier": "https://invoices.example", "name": "Invoices", "permissions": [{"permission": "invoices:read", "english": "Read invoices", "portuguese": "Ler faturas"}]});
    owner.create_api(api).await.assert_status(201);
    let role = owner
        .post(&acme.path("/roles"), json!({"name": "reader", "permissions": ["invoices:read"]}))
        .await
        .assert_status(201);
    let ana = world.create_user(EMAIL).await;
    let membership = add_member(world, ana.account, &acme, "reader").await;
    let app = world
        .create_application(ClientOrigin::Organization(acme.id), json!({"scope": "openid invoices:read"}))
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
    walk.submit("consent", json!({"allow": true})).await.assert_status(200);
    let engine = world.server.engine();
    let role = role.text_member("id").parse().unwrap();
    world
        .apply_statements([sinete_store::organizations::memberships::remove_role(
            membership,
            role,
            engine.now(),
        )])
        .await;
    goes_on(world, &walk, &ana.session).await.assert_error_redirect("invalid_scope");
}

async fn authorization_endpoint_redirects_to_the_screen_with_a_flow_cookie(world: &World) {
    let app = world.create_application(ClientOrigin::Operator, json!({})).await;
    let response = app.authorize(None, &[]).await;
    assert_eq!(response.status, 303, "{}", response.text);
    let issuer = &world.server.engine().settings().issuer;
    assert!(response.location().unwrap().starts_with(&format!("{issuer}/sign-in?flow=")));
    let cookie = response.headers["set-cookie"].to_str().unwrap();
    assert!(
        cookie.starts_with("sinete_flow=sn_fl_")
            && cookie.contains("HttpOnly")
            && cookie.contains("SameSite=Lax")
    );
    let posted = world.post_authorization_endpoint(None, &app.authorization_params(&[])).await;
    assert_eq!(posted.status, 303);
}
