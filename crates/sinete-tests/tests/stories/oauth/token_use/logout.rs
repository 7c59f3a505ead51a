//! RP-initiated logout: without confirmation only with an ID token of this session; every other client of the session
//! is notified.

use crate::both_engines;
use crate::harness::grants::OAuthResponse;
use crate::harness::http_receiver::HttpReceiver;
use crate::harness::oauth_application::{BrowserSession, OAuthApplication};
use crate::harness::organizations::TestOrganization;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::id::MembershipId;
use sinete_core::time::Lifetime;
use sinete_crypto::platform::jwt::JwtType;
use sinete_store::oauth::clients;
use sinete_store::oauth::clients::ClientOrigin;

const BYE: &str = "https://app.example/bye";

struct Scene<'w> {
    world: &'w World,
    acme: TestOrganization,
    ana: MembershipId,
    browser: BrowserSession,
    app: OAuthApplication<'w>,
    tokens: Value,
}

async fn app<'w>(world: &'w World, extra_metadata: Value) -> OAuthApplication<'w> {
    let mut metadata = json!({"consent": "implied", "post_logout_redirect_uris": [BYE]});
    metadata.as_object_mut().unwrap().extend(extra_metadata.as_object().unwrap().clone());
    world.create_application(ClientOrigin::Operator, metadata).await
}

async fn tokens(app: &OAuthApplication<'_>, browser: &BrowserSession, scope: &str) -> Value {
    let code = app.obtain_code(browser, &[("scope", Some(scope))]).await;
    let (status, tokens) = app.redeem_code(&code).await;
    assert_eq!(status, 200, "{tokens}");
    tokens
}

async fn scene(world: &World) -> Scene<'_> {
    let acme = world.create_organization("acme").await;
    scene_in(world, acme).await
}

async fn scene_in(world: &World, acme: TestOrganization) -> Scene<'_> {
    let ana = world.create_member(&acme, &["member"]).await;
    let browser = world.create_member_browser(&acme, ana).await;
    let app = app(world, json!({})).await;
    let tokens = tokens(&app, &browser, "openid").await;
    Scene { world, acme, ana, browser, app, tokens }
}

impl Scene<'_> {
    fn hint(&self) -> &str {
        self.tokens["id_token"].as_str().unwrap()
    }

    /// Opens the logout endpoint in a browser with these parameters.
    async fn follows(&self, browser: Option<&BrowserSession>, parameters: &[(&str, &str)]) -> OAuthResponse {
        let mut address: url::Url = self.world.public_url("/connect/logout").parse().unwrap();
        address.query_pairs_mut().extend_pairs(parameters);
        self.sends(self.world.http.get(address), browser).await
    }

    /// Sends them as a form.
    async fn posts(
        &self,
        browser: Option<&BrowserSession>,
        site: &str,
        form: &[(&str, &str)],
    ) -> OAuthResponse {
        let request = self.world.http.post(self.world.public_url("/connect/logout")).form(form);
        self.sends(request.header("sec-fetch-site", site), browser).await
    }

    async fn sends(
        &self,
        request: reqwest::RequestBuilder,
        browser: Option<&BrowserSession>,
    ) -> OAuthResponse {
        let request = match browser {
            Some(browser) => request.header("cookie", format!("sinete_session={}", browser.token)),
            None => request,
        };
        OAuthResponse::of(request.header("accept", "text/html").send().await.unwrap()).await
    }

    async fn is_signed_in(&self, browser: &BrowserSession) -> bool {
        let silently = self.app.authorize(Some(browser), &[("prompt", Some("none"))]).await;
        !silently.redirect_params().contains_key("error")
    }

    async fn userinfo(&self, tokens: &Value) -> u16 {
        let token = tokens["access_token"].as_str().unwrap();
        let request = self.world.http.get(self.world.public_url("/connect/userinfo")).bearer_auth(token);
        request.send().await.unwrap().status().as_u16()
    }
}

/// Waits until the condition is true.
pub(in crate::stories) async fn eventually(mut holds: impl AsyncFnMut() -> bool) {
    for _ in 0..2_400 {
        if holds().await {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("the condition was never true");
}

/// The hidden fields of the page's form.
fn fields(page: &str) -> Vec<(String, String)> {
    let value = |line: &str, name: &str| {
        let start = line.find(&format!("{name}=\""))? + name.len() + 2;
        Some(line[start..].split('"').next()?.to_owned())
    };
    let inputs = page.split("<input ").skip(1).filter_map(|line| {
        Some((value(line, "name")?, value(line, "value")?.replace("&#38;", "&").replace("&amp;", "&")))
    });
    inputs.collect()
}

both_engines!(
    logout_with_an_id_token_hint_of_the_session_redirects_with_state,
    logout_without_an_id_token_hint_of_the_session_requires_confirmation,
    logout_redirect_needs_an_id_token_and_a_registered_uri,
    logout_does_not_redirect_to_a_client_that_is_disabled_or_removed,
    backchannel_logout_is_sent_however_a_session_ends,
    backchannel_logout_reaches_every_client_before_the_response,
    logout_of_an_untrusted_client_does_not_redirect_without_a_session,
    backchannel_logout_is_sent_even_if_the_user_disconnects,
    logout_by_a_program_uses_the_header_and_gets_no_page
);

async fn logout_with_an_id_token_hint_of_the_session_redirects_with_state(world: &World) {
    let scene = scene(world).await;
    assert_eq!(scene.userinfo(&scene.tokens).await, 200);
    // An ID token has usually expired by then.
    world.clock.advance(Lifetime::from_hours(2));
    assert!(scene.is_signed_in(&scene.browser).await);
    let fresh = tokens(&scene.app, &scene.browser, "openid").await;
    let params = [("id_token_hint", scene.hint()), ("post_logout_redirect_uri", BYE), ("state", "a b&c")];
    let response = scene.follows(Some(&scene.browser), &params).await.is(303);
    assert_eq!(response.headers["location"], "https://app.example/bye?state=a+b%26c");
    assert!(
        response.headers["set-cookie"].to_str().unwrap().starts_with("sinete_session=; Path=/; Max-Age=0")
    );
    assert!(!scene.is_signed_in(&scene.browser).await);
    assert_eq!(scene.userinfo(&fresh).await, 401);
    assert_eq!(scene.app.refresh_tokens(fresh["refresh_token"].as_str().unwrap()).await.0, 400);
    assert_eq!(world.count_events("session.ended").await, 1);
    // A second logout has nothing to end, and redirects to the same place.
    scene.follows(Some(&scene.browser), &params).await.is(303);
    scene.posts(None, "cross-site", &params).await.is(303);
}

async fn logout_without_an_id_token_hint_of_the_session_requires_confirmation(world: &World) {
    let scene = scene(world).await;
    let other = world.create_member_browser(&scene.acme, scene.ana).await;
    let others = tokens(&scene.app, &other, "openid").await;
    let foreign = others["id_token"].as_str().unwrap();
    let everything = [("id_token_hint", foreign), ("post_logout_redirect_uri", BYE), ("state", "x")];
    for params in
        [&[][..], &[("client_id", scene.app.id.as_str()), ("post_logout_redirect_uri", BYE)], &everything]
    {
        for response in [
            scene.follows(Some(&scene.browser), params).await,
            scene.posts(Some(&scene.browser), "cross-site", params).await,
        ] {
            let page = response.is(200);
            assert!(page.text.contains("id=\"confirm-submit\"") && !page.headers.contains_key("location"));
            assert!(!page.headers.contains_key("set-cookie"));
        }
    }
    // A form that another site sends, or without the page's token, confirms nothing.
    let page = scene.follows(Some(&scene.browser), &everything).await;
    let fields = fields(&page.text);
    let mut form: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    form.push(("action", "confirm"));
    scene.posts(Some(&scene.browser), "cross-site", &form).await.is(403);
    let forged: Vec<_> =
        form.iter().map(|(name, value)| (*name, if *name == "csrf" { "x" } else { value })).collect();
    scene.posts(Some(&scene.browser), "same-origin", &forged).await.is(200);
    assert!(scene.is_signed_in(&scene.browser).await);
    // The page's own form does, and the redirect is that of the hint.
    let ended = scene.posts(Some(&scene.browser), "same-origin", &form).await.is(303);
    assert_eq!(ended.headers["location"], "https://app.example/bye?state=x");
    assert!(!scene.is_signed_in(&scene.browser).await);
    assert!(scene.is_signed_in(&other).await);
}

async fn logout_redirect_needs_an_id_token_and_a_registered_uri(world: &World) {
    let scene = scene(world).await;
    let claims = world.verify_token(JwtType::Id, scene.hint());
    let access = scene.tokens["access_token"].as_str().unwrap();
    let logout = world.sign_jwt(JwtType::Logout, &claims);
    let other = app(world, json!({"post_logout_redirect_uris": ["https://other.example/bye"]})).await;
    let mut elsewhere = claims.clone();
    elsewhere["iss"] = json!("https://other.example");
    let elsewhere = world.sign_jwt(JwtType::Id, &elsewhere);
    let unsigned = format!("{}.", scene.hint().rsplit_once('.').unwrap().0);
    for params in [
        vec![("id_token_hint", access), ("post_logout_redirect_uri", BYE)],
        vec![("id_token_hint", logout.as_str()), ("post_logout_redirect_uri", BYE)],
        vec![("id_token_hint", elsewhere.as_str()), ("post_logout_redirect_uri", BYE)],
        vec![("id_token_hint", unsigned.as_str()), ("post_logout_redirect_uri", BYE)],
        vec![("id_token_hint", "x")],
        vec![("id_token_hint", scene.hint()), ("post_logout_redirect_uri", "https://other.example/bye")],
        vec![("id_token_hint", scene.hint()), ("post_logout_redirect_uri", "https://app.example/bye?x")],
        vec![
            ("id_token_hint", scene.hint()),
            ("post_logout_redirect_uri", BYE),
            ("client_id", other.id.as_str()),
        ],
    ] {
        let response = scene.follows(Some(&scene.browser), &params).await.is(400);
        assert!(
            response.text.contains("id=\"error-page\"") && !response.headers.contains_key("location"),
            "{params:?}"
        );
    }
    assert!(scene.is_signed_in(&scene.browser).await);
    // Without a session and without a hint there is no redirect.
    let response = scene
        .follows(None, &[("post_logout_redirect_uri", BYE), ("client_id", scene.app.id.as_str())])
        .await
        .is(200);
    assert!(!response.headers.contains_key("location"));
}

async fn logout_does_not_redirect_to_a_client_that_is_disabled_or_removed(world: &World) {
    for ends in [LifecycleCondition::Suspended, LifecycleCondition::Ended] {
        let slug = if ends == LifecycleCondition::Ended { "removed" } else { "disabled" };
        let scene = scene_in(world, world.create_organization(slug).await).await;
        let params = [("id_token_hint", scene.hint()), ("post_logout_redirect_uri", BYE), ("state", "x")];
        let turn = |version, to| {
            clients::change_client_condition(&scene.app.id, version, to, world.server.engine().now())
        };
        world.apply_statements([turn(1, ends)]).await;
        // The user is signed out and sees a page of the server.
        let response = scene.follows(Some(&scene.browser), &params).await.is(200);
        assert!(!response.headers.contains_key("location"), "{ends:?}");
        let second_response = scene.follows(Some(&scene.browser), &params).await.is(200);
        assert!(!second_response.headers.contains_key("location"), "{ends:?}");
        let auth_response = scene.follows(None, &params).await.is(200);
        assert!(!auth_response.headers.contains_key("location"), "{ends:?}");
        if ends == LifecycleCondition::Suspended {
            world.apply_statements([turn(2, LifecycleCondition::Enabled)]).await;
            assert!(!scene.is_signed_in(&scene.browser).await);
            let redirect_response = scene.follows(None, &params).await.is(303);
            assert_eq!(redirect_response.headers["location"], "https://app.example/bye?state=x");
        }
    }
}

async fn backchannel_logout_is_sent_however_a_session_ends(world: &World) {
    let scene = scene(world).await;
    let receiver = HttpReceiver::with_status(200).await;
    let auth_application = app(world, json!({"backchannel_logout_uri": receiver.address})).await;
    let sid_of =
        |tokens: &Value| world.verify_token(JwtType::Id, tokens["id_token"].as_str().unwrap())["sid"].clone();
    let receive_sid = |count: usize| {
        let receiver = &receiver;
        async move {
            eventually(async || receiver.received_bodies().len() == count).await;
            let token = receiver.received_bodies().pop().unwrap();
            world.verify_token(JwtType::Logout, token.strip_prefix("logout_token=").unwrap())["sid"].clone()
        }
    };
    let account = world.account_of_member(&scene.acme, scene.ana).await;
    // By the account holder, from another session.
    let other = world.create_member_browser(&scene.acme, scene.ana).await;
    let granted = tokens(&auth_application, &other, "openid").await;
    let user = SignedInUser { world, account, token: scene.browser.token.clone() };
    user.delete(&format!("/account/sessions/{}", sid_of(&granted).as_str().unwrap()))
        .await
        .assert_status(204);
    assert_eq!(receive_sid(1).await, sid_of(&granted));
    // All other sessions at once.
    let other = world.create_member_browser(&scene.acme, scene.ana).await;
    let granted = tokens(&auth_application, &other, "openid").await;
    user.post("/account/sessions/end-others", json!({})).await.assert_status(204);
    assert_eq!(receive_sid(2).await, sid_of(&granted));
    // By an operator.
    let granted = tokens(&auth_application, &scene.browser, "openid").await;
    let operator = world.create_operator().await;
    operator.delete(&format!("/manage/accounts/{account}/sessions"), None).await.assert_status(204);
    assert_eq!(receive_sid(3).await, sid_of(&granted));
    assert_eq!(world.count_events("logout.not_delivered").await, 0);
}

async fn backchannel_logout_reaches_every_client_before_the_response(world: &World) {
    let scene = scene(world).await;
    let (one, two, broken) = (
        HttpReceiver::with_status(200).await,
        HttpReceiver::with_status(204).await,
        HttpReceiver::with_status(500).await,
    );
    let auth_application = app(world, json!({"backchannel_logout_uri": one.address})).await;
    let offline =
        app(world, json!({"backchannel_logout_uri": two.address, "id_token_signed_response_alg": "ES256"}))
            .await;
    let deaf = app(world, json!({"backchannel_logout_uri": broken.address})).await;
    let o_auth_application = app(world, json!({"backchannel_logout_uri": "http://127.0.0.1:1/told"})).await;
    let bystander = app(world, json!({"backchannel_logout_uri": one.address})).await;
    for app in [&auth_application, &deaf, &o_auth_application] {
        tokens(app, &scene.browser, "openid").await;
    }
    let lasting = tokens(&offline, &scene.browser, "openid offline_access").await;
    tokens(&bystander, &world.create_member_browser(&scene.acme, scene.ana).await, "openid").await;

    scene.follows(Some(&scene.browser), &[("id_token_hint", scene.hint())]).await.is(200);
    for (receiver, app, header) in [(&one, &auth_application, "RS256"), (&two, &offline, "ES256")] {
        let [body] = &receiver.received_bodies()[..] else { panic!("{:?}", receiver.received_bodies()) };
        let token = body.strip_prefix("logout_token=").unwrap();
        let claims = world.verify_token(JwtType::Logout, token);
        assert_eq!(
            (&claims["aud"], &claims["sid"]),
            (&json!(app.id), &world.verify_token(JwtType::Id, scene.hint())["sid"])
        );
        assert_eq!((&claims["sub"], claims.get("nonce")), (&json!(scene.ana), None));
        assert_eq!(claims["events"], json!({"http://schemas.openid.net/event/backchannel-logout": {}}));
        assert_eq!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(), 120);
        world.verify_signed(token, header.parse().unwrap());
    }
    assert_eq!(broken.received_bodies().len(), 1);
    assert_eq!(world.count_events("logout.not_delivered").await, 2);
    // Grants with offline access stay (Back-Channel Logout §2.7).
    assert_eq!(scene.userinfo(&lasting).await, 200);
    scene.follows(Some(&scene.browser), &[("id_token_hint", scene.hint())]).await.is(200);
    assert_eq!(one.received_bodies().len(), 1, "one notification for one session");
}

async fn logout_of_an_untrusted_client_does_not_redirect_without_a_session(world: &World) {
    let scene = scene(world).await;
    let addresses = json!({"post_logout_redirect_uris": [BYE, "http://127.0.0.1/bye"]});
    let auth_application = world.create_application(ClientOrigin::DynamicRegistration, addresses).await;
    let mut walk =
        crate::stories::oauth::authorize::start_authorization_flow(&auth_application, &scene.browser).await;
    walk.submit("consent", json!({"allow": true})).await.assert_status(200);
    let code = world.resume_flow(&walk.id, Some(&scene.browser.token), &[]).await.code();
    let tokens = auth_application.redeem_code(&code).await.1;
    let hint = tokens["id_token"].as_str().unwrap();
    let params = [("id_token_hint", hint), ("post_logout_redirect_uri", BYE)];
    // A link with the untrusted client's own ID token, in a browser without a session.
    let response = scene.follows(None, &params).await.is(200);
    assert!(
        !response.headers.contains_key("location") && !response.text.contains("app.example"),
        "{}",
        response.text
    );
    scene.posts(None, "cross-site", &params).await.is(200);
    // A loopback redirect URI stays on the user's own machine.
    let loopback = [("id_token_hint", hint), ("post_logout_redirect_uri", "http://127.0.0.1/bye")];
    assert_eq!(scene.follows(None, &loopback).await.is(303).headers["location"], "http://127.0.0.1/bye");
    // A user who was signed in through it returns to it.
    assert_eq!(scene.follows(Some(&scene.browser), &params).await.is(303).headers["location"], BYE);
    assert!(!scene.is_signed_in(&scene.browser).await);
}

async fn backchannel_logout_is_sent_even_if_the_user_disconnects(world: &World) {
    let scene = scene(world).await;
    let slow = HttpReceiver::paused_with_status(500).await;
    let app = app(world, json!({"backchannel_logout_uri": slow.address})).await;
    tokens(&app, &scene.browser, "openid").await;
    let mut address: url::Url = world.public_url("/connect/logout").parse().unwrap();
    address.query_pairs_mut().append_pair("id_token_hint", scene.hint());
    let request = world.http.get(address).header("cookie", format!("sinete_session={}", scene.browser.token));
    let join_handle = tokio::spawn(request.send());
    eventually(async || slow.received_bodies().len() == 1).await;
    join_handle.abort();
    assert!(join_handle.await.unwrap_err().is_cancelled());
    // By now the server has noticed that the browser closed the connection.
    for _ in 0..20 {
        world.get("/healthz").await;
    }
    slow.release();
    eventually(async || world.count_events("logout.not_delivered").await == 1).await;
}

async fn logout_by_a_program_uses_the_header_and_gets_no_page(world: &World) {
    let scene = scene(world).await;
    let address = world.public_url("/connect/logout");
    let by_cookie =
        world.http.post(&address).header("cookie", format!("sinete_session={}", scene.browser.token));
    let refused = by_cookie.header("accept", "application/json").send().await.unwrap();
    assert_eq!(
        (refused.status().as_u16(), refused.headers()["content-type"].to_str().unwrap()),
        (403, "application/problem+json")
    );
    assert!(scene.is_signed_in(&scene.browser).await);
    let by_header =
        world.http.post(&address).header("authorization", format!("Session {}", scene.browser.token));
    let ended = by_header.header("accept", "application/json").send().await.unwrap();
    assert_eq!(ended.status(), 204);
    assert!(!scene.is_signed_in(&scene.browser).await);
}
