//! Browsers: flow cookies work from the server's own pages only, and nothing is carried over between users.

use crate::both_engines;
use crate::harness::api_caller::ApiRequest;
use crate::harness::flow_client::PASSWORD;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_engine::sign_in::sessions;
use std::collections::BTreeMap;

fn usual() -> serde_json::Value {
    json!({"email": "ana@example.com", "password": PASSWORD})
}

both_engines!(
    browser_flow_uses_cookies_and_returns_no_token,
    cross_site_request_to_a_browser_flow_is_refused,
    sign_in_replaces_every_browser_token_and_ends_the_old_ones,
    browser_shared_by_two_users_retains_no_data_of_the_first,
    flow_of_a_program_that_names_no_session_kind_returns_tokens,
    flow_token_is_replaced_after_another_party_authenticated
);

async fn browser_flow_uses_cookies_and_returns_no_token(world: &World) {
    world.create_user("ana@example.com").await;
    let mut walk = world.start_browser_flow(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    assert!(walk.last.body.get("flow_token").is_none() && walk.csrf.is_some());
    let response = walk.read_flow().await.assert_status(200);
    assert_eq!(response.body["csrf_token"], json!(walk.csrf));
    let response = walk.submit("password", usual()).await.assert_status(200);
    assert!(response.body.get("session_token").is_none());
    let lines: Vec<_> =
        response.headers.get_all("set-cookie").iter().map(|it| it.to_str().unwrap().to_owned()).collect();
    let line = |name: &str| lines.iter().find(|line| line.starts_with(&format!("{name}="))).unwrap();
    assert!(line("sinete_session").ends_with("; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax"));
    assert!(line("sinete_device").ends_with("; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax"));
    assert!(line("sinete_flow").starts_with("sinete_flow=; Path=/; Max-Age=0"));
    let session = sessions::find(world.server.engine(), &walk.cookies["sinete_session"]).await.unwrap();
    assert!(session.is_some());
}

async fn cross_site_request_to_a_browser_flow_is_refused(world: &World) {
    world.create_user("ana@example.com").await;
    let walk = world.start_browser_flow(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    let headers = walk.headers();
    let with = |name: &'static str, value: &str| {
        let mut changed = headers.clone();
        changed.retain(|(header, _)| *header != name);
        changed.push((name, value.to_owned()));
        changed
    };
    let without = |name: &str| {
        let mut changed = headers.clone();
        changed.retain(|(header, _)| *header != name);
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
        let request = ApiRequest { body: Some(usual()), headers, ..ApiRequest::default() };
        let path = format!("/flows/{}/password", walk.id);
        world.send_request(Method::POST, &path, request).await.assert_problem(403, "forbidden");
    }
    let cookie = ("cookie", "sinete_device=x".to_owned());
    let evil = ("origin", "https://evil.example".to_owned());
    for (headers, body) in [
        (vec![cookie], json!({"kind": "sign_in"})),
        (vec![evil], json!({"kind": "sign_in"})),
        (vec![], json!({"kind": "sign_in", "session": "cookie"})),
    ] {
        let request = ApiRequest { body: Some(body), headers, ..ApiRequest::default() };
        world.send_request(Method::POST, "/flows", request).await.assert_problem(403, "forbidden");
    }
    assert_eq!(walk.read_flow().await.assert_status(200).body["stage"], "sign_in");
    walk.try_submit("password", usual()).await.assert_status(200);
}

async fn sign_in_replaces_every_browser_token_and_ends_the_old_ones(world: &World) {
    world.create_user("ana@example.com").await;
    let mut walk = world.start_browser_flow(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    walk.submit("password", usual()).await.assert_status(200);
    let first = walk.cookies.clone();
    let mut second_flow = world.start_browser_flow(json!({"kind": "sign_in"}), &first).await;
    second_flow.submit("password", usual()).await.assert_status(200);
    assert_ne!(second_flow.cookies["sinete_session"], first["sinete_session"]);
    assert_eq!(second_flow.cookies["sinete_device"], first["sinete_device"]);
    let engine = world.server.engine();
    assert!(sessions::find(engine, &first["sinete_session"]).await.unwrap().is_none());
    let now = sessions::find(engine, &second_flow.cookies["sinete_session"]).await.unwrap().unwrap();
    let all = sessions::list(engine, now.session.account).await.unwrap();
    assert_eq!(all.len(), 2, "the first session of the user and the one of the browser");
}

async fn browser_shared_by_two_users_retains_no_data_of_the_first(world: &World) {
    world.create_user("ana@example.com").await;
    let bia = world.create_user("bia@example.com").await;
    let mut walk = world.start_browser_flow(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    walk.submit("password", usual()).await.assert_status(200);
    let anas = walk.cookies["sinete_session"].clone();
    let mut walk = world.start_browser_flow(json!({"kind": "sign_in"}), &walk.cookies).await;
    walk.submit("password", json!({"email": "bia@example.com", "password": PASSWORD}))
        .await
        .assert_status(200);
    let engine = world.server.engine();
    assert!(sessions::find(engine, &anas).await.unwrap().is_none());
    let now = sessions::find(engine, &walk.cookies["sinete_session"]).await.unwrap().unwrap();
    assert_eq!(now.session.account, bia.account);
}

/// What curl sends: neither a cookie nor a header that only browsers send.
async fn flow_of_a_program_that_names_no_session_kind_returns_tokens(world: &World) {
    world.create_user("ana@example.com").await;
    let request = ApiRequest { body: Some(json!({"kind": "sign_in"})), ..ApiRequest::default() };
    let started = world.send_request(Method::POST, "/flows", request).await.assert_status(201);
    assert!(started.headers.get("set-cookie").is_none() && started.body.get("csrf_token").is_none());
    let token = started.body["flow_token"].as_str().unwrap();
    let headers = vec![("authorization", format!("Flow {token}"))];
    let request = ApiRequest { body: Some(usual()), headers, ..ApiRequest::default() };
    let path = format!("/flows/{}/password", started.body["id"].as_str().unwrap());
    let response = world.send_request(Method::POST, &path, request).await.assert_status(200);
    assert!(response.headers.get("set-cookie").is_none());
    let session = response.body["session_token"].as_str().unwrap();
    assert!(sessions::find(world.server.engine(), session).await.unwrap().is_some());
}

/// An attacker who prepared a flow that a victim signed in through cannot continue it.
async fn flow_token_is_replaced_after_another_party_authenticated(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    world.add_totp(&ana).await;
    let attacker = world.start_flow(json!({"kind": "sign_in"})).await;
    let mut victim = attacker.clone();
    let moved = victim.submit("password", usual()).await.assert_status(200);
    assert_eq!(moved.body["stage"], "second_factor");
    assert_ne!(victim.token, attacker.token);
    attacker.read_flow().await.assert_problem(404, "not_found");
    victim.read_flow().await.assert_status(200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn flow_api_cors_allows_configured_origins_only() {
    use crate::harness::{database::TestEngine, world::World};
    let page = "https://app.example.com";
    let world = World::start_with_config(TestEngine::Sqlite, &[("SINETE_FLOWS_ALLOWED_ORIGINS", page)]).await;
    let asks = async |origin: &str, method: Method| {
        let request = world.http.request(method, world.public_url("/flows")).header("origin", origin);
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
    for foreign_origin in ["https://evil.example", "https://app.example.com.evil.example", "null"] {
        assert_eq!(allowed(&asks(foreign_origin, Method::OPTIONS).await), (None, None), "{foreign_origin}");
        let refused = asks(foreign_origin, Method::POST).await;
        assert_eq!((refused.status().as_u16(), allowed(&refused)), (403, (None, None)), "{foreign_origin}");
    }
    world.stop().await;
}
