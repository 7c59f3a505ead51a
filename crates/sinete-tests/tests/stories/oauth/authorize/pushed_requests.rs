//! Pushed authorization requests (RFC 9126).

use super::{create_fixture, create_trusted_application};
use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;

const UNKNOWN: &str =
    "urn:ietf:params:oauth:request_uri:sn_pr_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

both_engines!(
    pushed_request_is_used_once_and_parameters_beside_it_are_ignored,
    request_uri_belongs_to_its_client_and_expires,
    pushed_request_errors_are_returned_at_push_time,
    require_pushed_authorization_requests_is_enforced
);

async fn pushed_request_is_used_once_and_parameters_beside_it_are_ignored(world: &World) {
    let scene = create_fixture(world).await;
    let (status, pushed) = scene.app.push_request(&[("state", Some("pushed"))]).await;
    assert_eq!((status, &pushed["expires_in"]), (201, &json!(90)));
    let handle = pushed["request_uri"].as_str().unwrap();
    assert_eq!(pushed.as_object().unwrap().len(), 2);
    let secret = scene.app.secret.clone().unwrap();
    assert!(handle.starts_with("urn:ietf:params:oauth:request_uri:") && !handle.contains(&secret));
    let id = ("client_id".to_owned(), scene.app.id.to_string());
    let with = |extra_params: &[(&str, &str)]| {
        let extra_params = extra_params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        [id.clone(), ("request_uri".to_owned(), handle.to_owned())]
            .into_iter()
            .chain(extra_params)
            .collect::<Vec<_>>()
    };
    // A request that fails does not use it up.
    world.open_authorization_endpoint(None, &with(&[("prompt", "none")])).await;
    let evil = [
        ("redirect_uri", "https://evil.example/"),
        ("state", "other"),
        ("scope", "everything"),
        ("response_mode", "fragment"),
    ];
    let response = world.open_authorization_endpoint(Some(&scene.browser), &with(&evil)).await;
    response.code();
    assert!(response.location().unwrap().starts_with(&scene.app.callback));
    assert_eq!(response.redirect_params()["state"], "pushed");
    let repeated_response = world.open_authorization_endpoint(Some(&scene.browser), &with(&[])).await;
    repeated_response.assert_page();
    assert!(repeated_response.text.contains("invalid_request_uri"));
}

async fn request_uri_belongs_to_its_client_and_expires(world: &World) {
    let scene = create_fixture(world).await;
    let other = create_trusted_application(world, json!({})).await;
    let handle = async || scene.app.push_request(&[]).await.1["request_uri"].as_str().unwrap().to_owned();
    let bring = async |client: &str, handle: &str| {
        let pairs = [("client_id", client), ("request_uri", handle)]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        world.open_authorization_endpoint(Some(&scene.browser), &pairs).await
    };
    let theirs = handle().await;
    bring(other.id.as_str(), &theirs).await.assert_page();
    for wrong in [
        UNKNOWN,
        "urn:ietf:params:oauth:request_uri:x",
        "https://evil.example/request",
        "urn:other",
        &theirs[..theirs.len() - 1],
    ] {
        bring(scene.app.id.as_str(), wrong).await.assert_page();
    }
    bring(scene.app.id.as_str(), &theirs).await.code();
    let late = handle().await;
    world.clock.advance(Lifetime::from_seconds(89));
    bring(scene.app.id.as_str(), &late).await.code();
    let later = handle().await;
    world.clock.advance(Lifetime::from_seconds(90));
    bring(scene.app.id.as_str(), &later).await.assert_page();
}

async fn pushed_request_errors_are_returned_at_push_time(world: &World) {
    let scene = create_fixture(world).await;
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
        let (status, refused) = scene.app.push_request(&[(name, value)]).await;
        let expected = if error == "invalid_client" { 401 } else { 400 };
        assert_eq!((status, &refused["error"]), (expected, &json!(error)), "{name}={value:?}");
    }
    let unproven = crate::harness::oauth_application::OAuthApplication { secret: None, ..scene.app.clone() };
    assert_eq!(unproven.push_request(&[]).await.0, 401);
}

async fn require_pushed_authorization_requests_is_enforced(world: &World) {
    let scene = create_fixture(world).await;
    let strict =
        create_trusted_application(world, json!({"require_pushed_authorization_requests": true})).await;
    strict.authorize(Some(&scene.browser), &[]).await.assert_error_redirect("invalid_request");
    let handle = strict.push_request(&[]).await.1["request_uri"].as_str().unwrap().to_owned();
    let pairs = [("client_id", strict.id.as_str()), ("request_uri", &handle)]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    world.open_authorization_endpoint(Some(&scene.browser), &pairs).await.code();
}
