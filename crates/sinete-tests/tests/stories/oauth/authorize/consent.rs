//! Consent is given once, in the browser that was asked, from the server's own page, and for that request only.

use super::flows::{ana, browser};
use crate::both_engines;
use crate::harness::api_caller::{ApiRequest, ApiResponse};
use crate::harness::oauth_application::{BrowserSession, OAuthApplication};
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_store::oauth::clients::ClientOrigin;

/// What a browser sends with each action of its flow.
struct Page {
    flow: String,
    headers: Vec<(&'static str, String)>,
}

/// Opens the authorization endpoint in a browser with a session cookie, up to the consent page.
async fn opens(app: &OAuthApplication<'_>, browser: &BrowserSession) -> Page {
    let world = app.world;
    let address = world.authorization_url(&app.authorization_params(&[]));
    let session = format!("sinete_session={}", browser.token);
    let request = world.http.get(address).header("cookie", &session).header("accept", "text/html");
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 303);
    let location = answer.headers()["location"].to_str().unwrap();
    let flow = location.rsplit_once("flow=").unwrap().1.to_owned();
    let cookie = answer.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let cookies = format!("{session}; {cookie}");
    let response = said(world, Method::GET, &format!("/flows/{flow}"), &[("cookie", cookies.clone())])
        .await
        .assert_status(200);
    assert_eq!(response.body["stage"], "consent");
    let csrf = response.text_member("csrf_token");
    Page { flow, headers: vec![("cookie", cookies), ("origin", world.origin()), ("x-csrf-token", csrf)] }
}

async fn said(world: &World, method: Method, path: &str, headers: &[(&'static str, String)]) -> ApiResponse {
    let body = (method == Method::POST).then(|| json!({"allow": true}));
    world
        .send_request(method, path, ApiRequest { body, headers: headers.to_vec(), ..ApiRequest::default() })
        .await
}

impl Page {
    async fn allows_with(&self, world: &World, name: &'static str, value: Option<&str>) -> ApiResponse {
        let mut headers = self.headers.clone();
        headers.retain(|(header_name, _)| *header_name != name);
        headers.extend(value.map(|value| (name, value.to_owned())));
        said(world, Method::POST, &format!("/flows/{}/consent", self.flow), &headers).await
    }
}

both_engines!(consent_from_another_page_or_browser_is_refused, consent_is_accepted_in_its_own_flow_and_once);

async fn consent_from_another_page_or_browser_is_refused(world: &World) {
    let (acme, ana) = ana(world).await;
    let app = world.create_application(ClientOrigin::Operator, json!({})).await;
    let page = opens(&app, &browser(&ana)).await;
    let bob = world.create_user("bob@example.com").await;
    super::add_member(world, bob.account, &acme, "member").await;
    let bobs = opens(&app, &browser(&bob)).await;
    let of = |page: &Page, name: &str| {
        page.headers.iter().find(|(header_name, _)| *header_name == name).unwrap().1.clone()
    };
    let (own_cookies, others) = (of(&page, "cookie"), of(&bobs, "cookie"));
    let mixed =
        format!("{}; {}", others.split("; ").next().unwrap(), own_cookies.split("; ").nth(1).unwrap());
    let without_session = own_cookies.split("; ").nth(1).unwrap().to_owned();
    for (name, value) in [
        ("x-csrf-token", None),
        ("x-csrf-token", Some("nonsense")),
        ("x-csrf-token", Some(of(&bobs, "x-csrf-token").as_str())),
        ("origin", None),
        ("origin", Some("https://evil.example")),
        ("sec-fetch-site", Some("cross-site")),
        ("cookie", Some(mixed.as_str())),
        ("cookie", Some(without_session.as_str())),
    ] {
        page.allows_with(world, name, value).await.assert_problem(403, "forbidden");
    }
    // With the cookie of another flow, the flow is not found.
    assert!([403, 404].contains(&page.allows_with(world, "cookie", Some(&others)).await.status));
    assert_eq!(world.count_events("grant.given").await + world.count_events("consent.given").await, 0);
    assert_eq!(
        world.resume_flow(&page.flow, Some(&ana.session), &[]).await.status,
        401,
        "consent is still pending"
    );
    // A second answer is refused.
    page.allows_with(world, "x-unused", None).await.assert_status(200);
    let second_response = page.allows_with(world, "x-unused", None).await;
    assert!([403, 404, 409].contains(&second_response.status), "{}", second_response.text);
    let code = world.resume_flow(&page.flow, Some(&ana.session), &[]).await.code();
    assert_eq!(app.redeem_code(&code).await.0, 200);
    assert_eq!(world.resume_flow(&page.flow, Some(&ana.session), &[]).await.status, 410);
    assert_eq!((world.count_events("grant.given").await, world.count_events("consent.given").await), (1, 1));
}

async fn consent_is_accepted_in_its_own_flow_and_once(world: &World) {
    let (_, ana) = ana(world).await;
    let (app, browser) = (world.create_application(ClientOrigin::Operator, json!({})).await, browser(&ana));
    let other = world.create_application(ClientOrigin::Operator, json!({})).await;
    let mut walk = super::flows::enters(&app, Some(&browser), &[]).await;
    let elsewhere = super::flows::enters(&other, Some(&browser), &[]).await;
    // The token of one flow is not accepted in another.
    let mut crossed = walk.clone();
    crossed.id = elsewhere.id.clone();
    crossed.try_submit("consent", json!({"allow": true})).await.assert_problem(404, "not_found");
    walk.submit("consent", json!({"allow": true})).await.assert_status(200);
    walk.try_submit("consent", json!({"allow": false})).await.assert_problem(409, "conflict");
    walk.try_submit("consent", json!({"allow": true})).await.assert_problem(409, "conflict");
    super::flows::goes_on(world, &walk, &browser.token).await.code();
    assert_eq!(elsewhere.read_flow().await.assert_status(200).body["stage"], "consent");
    other
        .authorize(Some(&browser), &[("prompt", Some("none"))])
        .await
        .assert_error_redirect("consent_required");
    assert_eq!(world.count_events("consent.denied").await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trusted_client_may_use_its_own_interaction_url_without_screens() {
    use crate::harness::database::TestEngine;
    let off =
        [("SINETE_SCREENS_ENABLED", "false"), ("SINETE_FLOWS_INTERACTION_URL", "https://all.example/ask")];
    let world = World::start_with_config(TestEngine::Sqlite, &off).await;
    let metadata = json!({"interaction_url": "https://own.example/ask?look=1"});
    let leads_to = async |app: &OAuthApplication<'_>| {
        let response = app.authorize(None, &[]).await;
        assert_eq!(response.status, 303, "{}", response.text);
        response.location().unwrap().rsplit_once("flow=").unwrap().0.to_owned()
    };
    let vouched = world.create_application(ClientOrigin::Operator, metadata.clone()).await;
    assert_eq!(leads_to(&vouched).await, "https://own.example/ask?look=1&");
    // The setting of an untrusted client is ignored: its users go where everyone goes.
    let auth_application =
        world.create_application(ClientOrigin::DynamicRegistration, metadata.clone()).await;
    assert_eq!(leads_to(&auth_application).await, "https://all.example/ask?");
    let plain = world.create_application(ClientOrigin::Operator, json!({})).await;
    assert_eq!(leads_to(&plain).await, "https://all.example/ask?");
    // Dynamic client registration refuses the setting.
    let mut body = json!({"client_name": "x", "redirect_uris": ["https://a.example/cb"]});
    body.as_object_mut().unwrap().extend(metadata.as_object().unwrap().clone());
    let answer = world.http.post(world.public_url("/connect/register")).json(&body).send().await.unwrap();
    assert_eq!(answer.status(), 201);
    assert!(!answer.text().await.unwrap().contains("own.example"));
    world.stop().await;
}
