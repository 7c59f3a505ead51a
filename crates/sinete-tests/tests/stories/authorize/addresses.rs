//! Where answers go: to an address that was registered, spelled as it was registered, and nowhere else.

use super::{scene, trusted};
use crate::both_engines;
use crate::harness::application::CALLBACK;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::people::LifecycleCondition;
use sinete_store::clients::{self, ClientOrigin};

both_engines!(
    an_address_that_is_not_the_registered_one_gets_no_answer,
    a_loopback_address_without_a_port_stands_for_every_port_and_nothing_else,
    a_parameter_that_is_said_twice_is_an_error_and_an_ambiguous_address_is_none,
    a_client_that_is_disabled_or_gone_is_not_sent_anything
);

async fn an_address_that_is_not_the_registered_one_gets_no_answer(world: &World) {
    let scene = scene(world).await;
    scene.app.authorize(Some(&scene.browser), &[]).await.code();
    for asked in [
        "https://app.example/callback/",
        "https://app.example/callback?x",
        "https://app.example/callback#f",
        "https://app.example/CALLBACK",
        "https://APP.example/callback",
        "https://app.example:443/callback",
        "https://app.example@evil.example/callback",
        "https://app.example\\@evil.example/callback",
        "https://app.example/callback/..;/x",
        "https://app.example/%63allback",
        "https://app.example./callback",
        "https://app.example/%2e%2e/callback",
        "https://xn--app-bja.example/callback",
        "https://app.example/call\tback",
        "https://app.example/callback\n",
        "http://app.example/callback",
        "//app.example/callback",
        "/callback",
        "*",
        "",
    ] {
        for browser in [None, Some(&scene.browser)] {
            scene.app.authorize(browser, &[("redirect_uri", Some(asked))]).await.shown();
        }
    }
    scene.app.authorize(None, &[("redirect_uri", None)]).await.shown();
    scene.app.authorize(None, &[("client_id", None)]).await.shown();
    scene.app.authorize(None, &[("client_id", Some("nobody"))]).await.shown();
    scene.app.authorize(None, &[("client_id", Some("01936f5e-7c2a-7def-8a1b-2c3d4e5f6071"))]).await.shown();
}

async fn a_loopback_address_without_a_port_stands_for_every_port_and_nothing_else(world: &World) {
    let scene = scene(world).await;
    let native = json!({"redirect_uris": ["http://127.0.0.1/callback"], "application_type": "native", "token_endpoint_auth_method": "none"});
    let native = trusted(world, native).await;
    for asked in
        ["http://127.0.0.1/callback", "http://127.0.0.1:49152/callback", "http://127.0.0.1:1/callback"]
    {
        let answered = native.authorize(Some(&scene.browser), &[("redirect_uri", Some(asked))]).await;
        assert!(answered.location().unwrap().starts_with(&format!("{asked}?code=")), "{asked}");
    }
    for asked in [
        "http://localhost:49152/callback",
        "http://127.0.0.1:49152/other",
        "https://127.0.0.1:49152/callback",
        "http://127.0.0.1:0/callback",
        "http://127.0.0.1:99999/callback",
        "http://127.0.0.1.evil.example/callback",
        "http://[::1]:49152/callback",
    ] {
        native.authorize(Some(&scene.browser), &[("redirect_uri", Some(asked))]).await.shown();
    }
    let fixed = json!({"redirect_uris": ["http://localhost:8123/callback"], "application_type": "native", "token_endpoint_auth_method": "none"});
    let fixed = trusted(world, fixed).await;
    fixed.code(&scene.browser, &[]).await;
    fixed
        .authorize(Some(&scene.browser), &[("redirect_uri", Some("http://localhost:8124/callback"))])
        .await
        .shown();
}

async fn a_parameter_that_is_said_twice_is_an_error_and_an_ambiguous_address_is_none(world: &World) {
    let scene = scene(world).await;
    for name in ["state", "scope", "code_challenge", "nonce", "anything"] {
        let mut twice = scene.app.request(&[]);
        twice.extend([(name.to_owned(), "x".to_owned()), (name.to_owned(), "x".to_owned())]);
        world.visit(Some(&scene.browser), &twice).await.refused("invalid_request");
    }
    for (name, value) in [
        ("redirect_uri", CALLBACK),
        ("client_id", scene.app.id.as_str()),
        ("redirect_uri", "https://evil.example/"),
    ] {
        let mut twice = scene.app.request(&[]);
        twice.push((name.to_owned(), value.to_owned()));
        world.visit(Some(&scene.browser), &twice).await.shown();
        world.submit(Some(&scene.browser), &twice).await.shown();
    }
    // In the address and in the form at once is twice as well.
    let address = format!("{}?state=other", world.public("/connect/authorize"));
    let session = format!("Session {}", scene.browser.token);
    let both = world
        .http
        .post(address)
        .header("authorization", session)
        .form(&scene.app.request(&[]))
        .send()
        .await
        .unwrap();
    assert!(both.headers()["location"].to_str().unwrap().contains("error=invalid_request"));
}

async fn a_client_that_is_disabled_or_gone_is_not_sent_anything(world: &World) {
    let scene = scene(world).await;
    let stranger = world.application(ClientOrigin::Itself, json!({})).await;
    for condition in [LifecycleCondition::Suspended, LifecycleCondition::Ended] {
        for app in [&scene.app, &stranger] {
            let engine = world.server.engine();
            let found = clients::find(engine.store(), &app.id).await.unwrap().unwrap();
            world.happens([clients::change_condition(&app.id, found.version, condition, engine.now())]).await;
            app.authorize(Some(&scene.browser), &[]).await.shown();
        }
    }
}
