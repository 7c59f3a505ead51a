//! Sign-in through a provider does not make a browser a known device: the account holder is notified, and the browser
//! shares the attempt limits of unknown ones.

use super::oidc_sign_in::fetched;
use crate::both_engines;
use crate::harness::flow_client::PASSWORD;
use crate::harness::oidc_provider::provider_user;
use crate::harness::world::World;
use serde_json::json;
use std::collections::BTreeMap;

both_engines!(known_device_from_single_sign_on_does_not_bypass_the_failure_counter);

async fn known_device_from_single_sign_on_does_not_bypass_the_failure_counter(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let created = provider.create_connection(&owner, "acme.example").await;
    let ana = world.sign_up_user("ana@home.example").await;
    world.add_member(&acme, ana.account).await;
    let start = json!({"kind": "link_identity", "connection": created["id"], "return_to": "http://127.0.0.1:49152/back"});
    let mut walk = world.start_flow_in_session(start, Some(&ana.session)).await;
    provider.set_user(provider_user("ana-7", "ana@acme.example"));
    let body = fetched(world, &provider, &walk).await;
    walk.submit("provider_answer", body).await.assert_status(200);
    let credentials = json!({"email": "ana@home.example", "password": PASSWORD});
    let mut home = world.start_browser_flow(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    home.submit("password", credentials.clone()).await.assert_status(200);
    // The operator of the provider signs in as her and gets a device cookie.
    let mut theirs = world.start_browser_flow(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    theirs.submit("single_sign_on", json!({"connection": created["id"]})).await.assert_status(200);
    let back = provider.follow_authorization(world, theirs.last.body["go_to"].as_str().unwrap()).await;
    let cookie_header =
        theirs.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ");
    let answer =
        world.http.get(world.public_url(&back)).header("cookie", cookie_header).send().await.unwrap();
    let response_cookies: BTreeMap<String, String> = answer
        .headers()
        .get_all("set-cookie")
        .iter()
        .filter_map(|line| line.to_str().unwrap().split(';').next()?.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .filter(|(name, _)| name.contains("device"))
        .collect();
    assert_eq!(response_cookies.len(), 1, "{answer:?}");
    // An attacker has used up the attempts of unknown devices. That browser is not a known one.
    for _ in 0..6 {
        world
            .sign_in_with_password("ana@home.example", "wrong wrong wrong wrong")
            .await
            .assert_problem(422, "unprocessable");
    }
    let guess = world.start_browser_flow(json!({"kind": "sign_in"}), &response_cookies).await;
    guess.try_submit("password", credentials.clone()).await.assert_problem(429, "too_many_requests");
    let device_cookies: BTreeMap<String, String> = home
        .cookies
        .iter()
        .filter(|(name, _)| name.contains("device"))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    assert_eq!(device_cookies.len(), 1);
    let known_device_flow = world.start_browser_flow(json!({"kind": "sign_in"}), &device_cookies).await;
    known_device_flow.try_submit("password", credentials).await.assert_status(200);
}
