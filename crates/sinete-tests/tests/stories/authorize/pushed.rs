//! Pushed authorization requests (RFC 9126).

use super::{scene, trusted};
use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;

const UNKNOWN: &str =
    "urn:ietf:params:oauth:request_uri:sn_pr_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

both_engines!(
    a_pushed_request_is_used_once_and_nothing_beside_it_counts,
    a_handle_is_its_clients_alone_and_not_for_long,
    what_is_wrong_is_said_when_it_is_pushed,
    a_client_that_pushes_its_requests_is_held_to_it
);

async fn a_pushed_request_is_used_once_and_nothing_beside_it_counts(world: &World) {
    let scene = scene(world).await;
    let (status, pushed) = scene.app.push(&[("state", Some("pushed"))]).await;
    assert_eq!((status, &pushed["expires_in"]), (201, &json!(90)));
    let handle = pushed["request_uri"].as_str().unwrap();
    assert_eq!(pushed.as_object().unwrap().len(), 2);
    let secret = scene.app.secret.clone().unwrap();
    assert!(handle.starts_with("urn:ietf:params:oauth:request_uri:") && !handle.contains(&secret));
    let id = ("client_id".to_owned(), scene.app.id.to_string());
    let with = |more: &[(&str, &str)]| {
        let more = more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        [id.clone(), ("request_uri".to_owned(), handle.to_owned())]
            .into_iter()
            .chain(more)
            .collect::<Vec<_>>()
    };
    // Looking does not use it up.
    world.visit(None, &with(&[("prompt", "none")])).await;
    let evil = [
        ("redirect_uri", "https://evil.example/"),
        ("state", "other"),
        ("scope", "everything"),
        ("response_mode", "fragment"),
    ];
    let answered = world.visit(Some(&scene.browser), &with(&evil)).await;
    answered.code();
    assert!(answered.location().unwrap().starts_with(&scene.app.callback));
    assert_eq!(answered.told()["state"], "pushed");
    let again = world.visit(Some(&scene.browser), &with(&[])).await;
    again.shown();
    assert!(again.text.contains("invalid_request_uri"));
}

async fn a_handle_is_its_clients_alone_and_not_for_long(world: &World) {
    let scene = scene(world).await;
    let other = trusted(world, json!({})).await;
    let handle = async || scene.app.push(&[]).await.1["request_uri"].as_str().unwrap().to_owned();
    let bring = async |client: &str, handle: &str| {
        let pairs = [("client_id", client), ("request_uri", handle)]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        world.visit(Some(&scene.browser), &pairs).await
    };
    let theirs = handle().await;
    bring(other.id.as_str(), &theirs).await.shown();
    for wrong in [
        UNKNOWN,
        "urn:ietf:params:oauth:request_uri:x",
        "https://evil.example/request",
        "urn:other",
        &theirs[..theirs.len() - 1],
    ] {
        bring(scene.app.id.as_str(), wrong).await.shown();
    }
    bring(scene.app.id.as_str(), &theirs).await.code();
    let late = handle().await;
    world.clock.pass(Lifetime::from_seconds(89));
    bring(scene.app.id.as_str(), &late).await.code();
    let later = handle().await;
    world.clock.pass(Lifetime::from_seconds(90));
    bring(scene.app.id.as_str(), &later).await.shown();
}

async fn what_is_wrong_is_said_when_it_is_pushed(world: &World) {
    let scene = scene(world).await;
    for (name, value, error) in [
        ("redirect_uri", Some("https://evil.example/"), "invalid_request"),
        ("redirect_uri", None, "invalid_request"),
        ("code_challenge", None, "invalid_request"),
        ("code_challenge_method", Some("plain"), "invalid_request"),
        ("response_type", Some("token"), "unsupported_response_type"),
        ("scope", Some("everything"), "invalid_scope"),
        ("scope", Some("openid files:read"), "invalid_scope"),
        ("resource", Some("https://nowhere.example"), "invalid_target"),
        ("authorization_details", Some("[]"), "invalid_authorization_details"),
        ("request_uri", Some(UNKNOWN), "invalid_request"),
        ("client_id", Some("somebody-else"), "invalid_client"),
    ] {
        let (status, refused) = scene.app.push(&[(name, value)]).await;
        let expected = if error == "invalid_client" { 401 } else { 400 };
        assert_eq!((status, &refused["error"]), (expected, &json!(error)), "{name}={value:?}");
    }
    let unproven = crate::harness::application::OAuthApplication { secret: None, ..scene.app.clone() };
    assert_eq!(unproven.push(&[]).await.0, 401);
}

async fn a_client_that_pushes_its_requests_is_held_to_it(world: &World) {
    let scene = scene(world).await;
    let strict = trusted(world, json!({"require_pushed_authorization_requests": true})).await;
    strict.authorize(Some(&scene.browser), &[]).await.refused("invalid_request");
    let handle = strict.push(&[]).await.1["request_uri"].as_str().unwrap().to_owned();
    let pairs = [("client_id", strict.id.as_str()), ("request_uri", &handle)]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    world.visit(Some(&scene.browser), &pairs).await.code();
}
