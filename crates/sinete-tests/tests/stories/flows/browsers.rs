//! Browsers: cookies that only our own pages speak through, and nothing carried over from one person to the next.

use crate::both_engines;
use crate::harness::api::ApiRequest;
use crate::harness::person::PASSWORD;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_engine::sessions;
use std::collections::BTreeMap;

fn usual() -> serde_json::Value {
    json!({"email": "ana@example.com", "password": PASSWORD})
}

both_engines!(
    a_browser_signs_in_with_cookies_and_is_told_no_token,
    what_another_site_makes_a_browser_send_is_refused,
    signing_in_changes_every_token_and_the_old_ones_are_worth_nothing,
    two_people_in_one_browser_have_nothing_of_each_other,
    a_flow_handed_to_somebody_else_is_theirs_once_they_proved_something
);

async fn a_browser_signs_in_with_cookies_and_is_told_no_token(world: &World) {
    world.somebody("ana@example.com").await;
    let mut walk = world.browse(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    assert!(walk.last.body.get("flow_token").is_none() && walk.csrf.is_some());
    let shown = walk.looks().await.is(200);
    assert_eq!(shown.body["csrf_token"], json!(walk.csrf));
    let done = walk.says("password", usual()).await.is(200);
    assert!(done.body.get("session_token").is_none());
    let lines: Vec<_> =
        done.headers.get_all("set-cookie").iter().map(|it| it.to_str().unwrap().to_owned()).collect();
    let line = |name: &str| lines.iter().find(|line| line.starts_with(&format!("{name}="))).unwrap();
    assert!(line("session").ends_with("; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax"));
    assert!(line("device").ends_with("; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax"));
    assert!(line("flow").starts_with("flow=; Path=/; Max-Age=0"));
    let session = sessions::find(world.server.engine(), &walk.cookies["session"]).await.unwrap();
    assert!(session.is_some());
}

async fn what_another_site_makes_a_browser_send_is_refused(world: &World) {
    world.somebody("ana@example.com").await;
    let walk = world.browse(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    let headers = walk.headers();
    let with = |name: &'static str, value: &str| {
        let mut changed = headers.clone();
        changed.retain(|(known, _)| *known != name);
        changed.push((name, value.to_owned()));
        changed
    };
    let without = |name: &str| {
        let mut changed = headers.clone();
        changed.retain(|(known, _)| *known != name);
        changed
    };
    for headers in [
        without("x-csrf-token"),
        with("x-csrf-token", "nonsense"),
        without("origin"),
        with("origin", "https://evil.example"),
        with("origin", "null"),
        with("sec-fetch-site", "cross-site"),
    ] {
        let asked = ApiRequest { body: Some(usual()), headers, ..ApiRequest::default() };
        let path = format!("/flows/{}/password", walk.id);
        world.ask(Method::POST, &path, asked).await.refused(403, "forbidden");
    }
    for headers in [vec![], vec![("origin", "https://evil.example".to_owned())]] {
        let asked = ApiRequest { body: Some(json!({"kind": "sign_in"})), headers, ..ApiRequest::default() };
        world.ask(Method::POST, "/flows", asked).await.refused(403, "forbidden");
    }
    assert_eq!(walk.looks().await.is(200).body["stage"], "sign_in");
    walk.tries("password", usual()).await.is(200);
}

async fn signing_in_changes_every_token_and_the_old_ones_are_worth_nothing(world: &World) {
    world.somebody("ana@example.com").await;
    let mut walk = world.browse(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    walk.says("password", usual()).await.is(200);
    let first = walk.cookies.clone();
    let mut again = world.browse(json!({"kind": "sign_in"}), &first).await;
    again.says("password", usual()).await.is(200);
    assert_ne!(again.cookies["session"], first["session"]);
    assert_eq!(again.cookies["device"], first["device"]);
    let engine = world.server.engine();
    assert!(sessions::find(engine, &first["session"]).await.unwrap().is_none());
    let now = sessions::find(engine, &again.cookies["session"]).await.unwrap().unwrap();
    let all = sessions::list(engine, now.session.account).await.unwrap();
    assert_eq!(all.len(), 2, "the one the story began with, and the browser's");
}

async fn two_people_in_one_browser_have_nothing_of_each_other(world: &World) {
    world.somebody("ana@example.com").await;
    let bia = world.somebody("bia@example.com").await;
    let mut walk = world.browse(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    walk.says("password", usual()).await.is(200);
    let anas = walk.cookies["session"].clone();
    let mut walk = world.browse(json!({"kind": "sign_in"}), &walk.cookies).await;
    walk.says("password", json!({"email": "bia@example.com", "password": PASSWORD})).await.is(200);
    let engine = world.server.engine();
    assert!(sessions::find(engine, &anas).await.unwrap().is_none());
    let now = sessions::find(engine, &walk.cookies["session"]).await.unwrap().unwrap();
    assert_eq!(now.session.account, bia.account);
}

/// Somebody who prepared a flow and had another person sign in through it cannot go on with it.
async fn a_flow_handed_to_somebody_else_is_theirs_once_they_proved_something(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    world.has_totp(&ana).await;
    let attacker = world.flow(json!({"kind": "sign_in"})).await;
    let mut victim = attacker.clone();
    let moved = victim.says("password", usual()).await.is(200);
    assert_eq!(moved.body["stage"], "second_factor");
    assert_ne!(victim.token, attacker.token);
    attacker.looks().await.refused(404, "not_found");
    victim.looks().await.is(200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_of_a_configured_origin_walk_through_flows_and_no_others_do() {
    use crate::harness::{database::TestEngine, world::World};
    let page = "https://app.example.com";
    let world = World::begin_with(TestEngine::Sqlite, &[("SINETE_FLOWS_ALLOWED_ORIGINS", page)]).await;
    let asks = async |origin: &str, method: Method| {
        let request = world.http.request(method, world.public("/flows")).header("origin", origin);
        let request =
            request.header("sec-fetch-site", "same-site").header("content-type", "application/json");
        request.body(r#"{"kind":"sign_in"}"#).send().await.unwrap()
    };
    let allowed = |answer: &reqwest::Response| {
        let header = |name: &str| answer.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        (header("access-control-allow-origin"), header("access-control-allow-credentials"))
    };
    let open = (Some(page.to_owned()), Some("true".to_owned()));
    let preflight = asks(page, Method::OPTIONS).await;
    assert_eq!((preflight.status().as_u16(), allowed(&preflight)), (204, open.clone()));
    assert!(preflight.headers()["access-control-allow-headers"].to_str().unwrap().contains("x-csrf-token"));
    let started = asks(page, Method::POST).await;
    assert_eq!((started.status().as_u16(), allowed(&started)), (201, open));
    for stranger in ["https://evil.example", "https://app.example.com.evil.example", "null"] {
        assert_eq!(allowed(&asks(stranger, Method::OPTIONS).await), (None, None), "{stranger}");
        let refused = asks(stranger, Method::POST).await;
        assert_eq!((refused.status().as_u16(), allowed(&refused)), (403, (None, None)), "{stranger}");
    }
    world.end().await;
}
