//! The answer to the question of consent is given once, in the browser it was put to, from our own page, and for the
//! request that it was put for.

use super::flows::{ana, browser};
use crate::both_engines;
use crate::harness::api::{ApiRequest, ApiResponse};
use crate::harness::application::{BrowserSession, OAuthApplication};
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_store::clients::ClientOrigin;

/// What a browser that has a session shows with each answer in its flow.
struct Page {
    flow: String,
    headers: Vec<(&'static str, String)>,
}

/// A browser with a cookie opens the authorization endpoint and is led to the question.
async fn opens(app: &OAuthApplication<'_>, browser: &BrowserSession) -> Page {
    let world = app.world;
    let address = world.authorization_address(&app.request(&[]));
    let session = format!("session={}", browser.token);
    let request = world.http.get(address).header("cookie", &session).header("accept", "text/html");
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 303);
    let location = answer.headers()["location"].to_str().unwrap();
    let flow = location.rsplit_once("flow=").unwrap().1.to_owned();
    let cookie = answer.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let cookies = format!("{session}; {cookie}");
    let shown =
        said(world, Method::GET, &format!("/flows/{flow}"), &[("cookie", cookies.clone())]).await.is(200);
    assert_eq!(shown.body["stage"], "consent");
    let csrf = shown.text_of("csrf_token");
    Page { flow, headers: vec![("cookie", cookies), ("origin", world.origin()), ("x-csrf-token", csrf)] }
}

async fn said(world: &World, method: Method, path: &str, headers: &[(&'static str, String)]) -> ApiResponse {
    let body = (method == Method::POST).then(|| json!({"allow": true}));
    world.ask(method, path, ApiRequest { body, headers: headers.to_vec(), ..ApiRequest::default() }).await
}

impl Page {
    async fn allows_with(&self, world: &World, name: &'static str, value: Option<&str>) -> ApiResponse {
        let mut headers = self.headers.clone();
        headers.retain(|(known, _)| *known != name);
        headers.extend(value.map(|value| (name, value.to_owned())));
        said(world, Method::POST, &format!("/flows/{}/consent", self.flow), &headers).await
    }
}

both_engines!(
    an_answer_that_was_not_given_on_our_own_page_in_that_browser_does_not_count,
    an_answer_counts_in_one_flow_and_once
);

async fn an_answer_that_was_not_given_on_our_own_page_in_that_browser_does_not_count(world: &World) {
    let (acme, ana) = ana(world).await;
    let app = world.application(ClientOrigin::Operator, json!({})).await;
    let page = opens(&app, &browser(&ana)).await;
    let bob = world.somebody("bob@example.com").await;
    super::joins(world, bob.account, &acme, "member").await;
    let bobs = opens(&app, &browser(&bob)).await;
    let of =
        |page: &Page, name: &str| page.headers.iter().find(|(known, _)| *known == name).unwrap().1.clone();
    let (own, others) = (of(&page, "cookie"), of(&bobs, "cookie"));
    let mixed = format!("{}; {}", others.split("; ").next().unwrap(), own.split("; ").nth(1).unwrap());
    let without_session = own.split("; ").nth(1).unwrap().to_owned();
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
        page.allows_with(world, name, value).await.refused(403, "forbidden");
    }
    // With another flow's cookie there is no such flow.
    assert!([403, 404].contains(&page.allows_with(world, "cookie", Some(&others)).await.status));
    assert_eq!(world.logged("grant.given").await + world.logged("consent.given").await, 0);
    assert_eq!(
        world.returns(&page.flow, Some(&ana.session), &[]).await.status,
        401,
        "the question still stands"
    );
    // Once it is answered, it is answered.
    page.allows_with(world, "x-unused", None).await.is(200);
    let again = page.allows_with(world, "x-unused", None).await;
    assert!([403, 404, 409].contains(&again.status), "{}", again.text);
    let code = world.returns(&page.flow, Some(&ana.session), &[]).await.code();
    assert_eq!(app.redeem(&code).await.0, 200);
    assert_eq!(world.returns(&page.flow, Some(&ana.session), &[]).await.status, 410);
    assert_eq!((world.logged("grant.given").await, world.logged("consent.given").await), (1, 1));
}

async fn an_answer_counts_in_one_flow_and_once(world: &World) {
    let (_, ana) = ana(world).await;
    let (app, browser) = (world.application(ClientOrigin::Operator, json!({})).await, browser(&ana));
    let other = world.application(ClientOrigin::Operator, json!({})).await;
    let mut walk = super::flows::enters(&app, Some(&browser), &[]).await;
    let elsewhere = super::flows::enters(&other, Some(&browser), &[]).await;
    // The token of one flow says nothing in another.
    let mut crossed = walk.clone();
    crossed.id = elsewhere.id.clone();
    crossed.tries("consent", json!({"allow": true})).await.refused(404, "not_found");
    walk.says("consent", json!({"allow": true})).await.is(200);
    walk.tries("consent", json!({"allow": false})).await.refused(409, "conflict");
    walk.tries("consent", json!({"allow": true})).await.refused(409, "conflict");
    super::flows::goes_on(world, &walk, &browser.token).await.code();
    assert_eq!(elsewhere.looks().await.is(200).body["stage"], "consent");
    other.authorize(Some(&browser), &[("prompt", Some("none"))]).await.refused("consent_required");
    assert_eq!(world.logged("consent.denied").await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_somebody_vouches_for_can_have_screens_of_its_own_where_there_are_none() {
    use crate::harness::database::TestEngine;
    let off =
        [("SINETE_SCREENS_ENABLED", "false"), ("SINETE_FLOWS_INTERACTION_URL", "https://all.example/ask")];
    let world = World::begin_with(TestEngine::Sqlite, &off).await;
    let own = json!({"interaction_url": "https://own.example/ask?look=1"});
    let leads_to = async |app: &OAuthApplication<'_>| {
        let answered = app.authorize(None, &[]).await;
        assert_eq!(answered.status, 303, "{}", answered.text);
        answered.location().unwrap().rsplit_once("flow=").unwrap().0.to_owned()
    };
    let vouched = world.application(ClientOrigin::Operator, own.clone()).await;
    assert_eq!(leads_to(&vouched).await, "https://own.example/ask?look=1&");
    // A stranger who says so has its people led where everybody is.
    let stranger = world.application(ClientOrigin::Itself, own.clone()).await;
    assert_eq!(leads_to(&stranger).await, "https://all.example/ask?");
    let plain = world.application(ClientOrigin::Operator, json!({})).await;
    assert_eq!(leads_to(&plain).await, "https://all.example/ask?");
    // And whoever registers cannot say it at all.
    let mut said = json!({"client_name": "x", "redirect_uris": ["https://a.example/cb"]});
    said.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
    let answer = world.http.post(world.public("/connect/register")).json(&said).send().await.unwrap();
    assert_eq!(answer.status(), 201);
    assert!(!answer.text().await.unwrap().contains("own.example"));
    world.end().await;
}
