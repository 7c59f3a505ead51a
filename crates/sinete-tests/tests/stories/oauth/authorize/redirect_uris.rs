//! Redirect URIs are compared exactly; a response goes to a registered one only.

use super::{create_fixture, create_trusted_application};
use crate::both_engines;
use crate::harness::oauth_application::{CALLBACK, OAuthApplication};
use crate::harness::world::World;
use crate::stories::oauth::client_registration::register_client;
use serde_json::json;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_store::oauth::clients;
use sinete_store::oauth::clients::ClientOrigin;

both_engines!(
    redirect_uri_other_than_the_registered_one_gets_no_response,
    redirect_uri_that_is_unregistered_is_displayed_escaped_and_bounded_on_the_error_page,
    redirect_uri_on_loopback_without_a_port_matches_every_port_only,
    redirect_uri_of_a_private_use_scheme_with_an_authority_requires_consent_each_time,
    duplicate_parameter_is_an_error_and_a_duplicate_redirect_uri_is_answered_locally,
    disabled_or_removed_client_gets_no_redirect
);

async fn redirect_uri_other_than_the_registered_one_gets_no_response(world: &World) {
    let scene = create_fixture(world).await;
    scene.app.authorize(Some(&scene.browser), &[]).await.code();
    for redirect_uri in [
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
            scene.app.authorize(browser, &[("redirect_uri", Some(redirect_uri))]).await.assert_page();
        }
    }
    scene.app.authorize(None, &[("redirect_uri", None)]).await.assert_page();
    scene.app.authorize(None, &[("client_id", None)]).await.assert_page();
    scene.app.authorize(None, &[("client_id", Some("nobody"))]).await.assert_page();
    scene
        .app
        .authorize(None, &[("client_id", Some("01936f5e-7c2a-7def-8a1b-2c3d4e5f6071"))])
        .await
        .assert_page();
}

async fn redirect_uri_that_is_unregistered_is_displayed_escaped_and_bounded_on_the_error_page(world: &World) {
    let scene = create_fixture(world).await;
    let long = format!("https://evil.example/\"><script>{}", "x".repeat(500));
    for (redirect_uri, displayed_uri) in [
        ("https://app.example/callback/", "https://app.example/callback/</code>".to_owned()),
        (long.as_str(), format!("https://evil.example/%22%3E%3Cscript%3E{}...</code>", "x".repeat(89))),
    ] {
        let address =
            world.authorization_url(&scene.app.authorization_params(&[("redirect_uri", Some(redirect_uri))]));
        let response = world.http.get(&address).header("accept", "text/html").send().await.unwrap();
        assert_eq!(response.status(), 400);
        let page = response.text().await.unwrap();
        assert!(page.contains(&displayed_uri) && page.contains("redirect_uris of the client"), "{page}");
        // The response to a program names the error and repeats nothing that was sent.
        let response_text = world.http.get(&address).send().await.unwrap().text().await.unwrap();
        assert!(
            response_text.contains("redirect_uri_not_registered") && !response_text.contains(".example/"),
            "{response_text}"
        );
    }
}

async fn redirect_uri_on_loopback_without_a_port_matches_every_port_only(world: &World) {
    let scene = create_fixture(world).await;
    let native = json!({"redirect_uris": ["http://127.0.0.1/callback"], "application_type": "native", "token_endpoint_auth_method": "none"});
    let native = create_trusted_application(world, native).await;
    for redirect_uri in
        ["http://127.0.0.1/callback", "http://127.0.0.1:49152/callback", "http://127.0.0.1:1/callback"]
    {
        let response = native.authorize(Some(&scene.browser), &[("redirect_uri", Some(redirect_uri))]).await;
        assert!(response.location().unwrap().starts_with(&format!("{redirect_uri}?code=")), "{redirect_uri}");
    }
    for redirect_uri in [
        "http://localhost:49152/callback",
        "http://127.0.0.1:49152/other",
        "https://127.0.0.1:49152/callback",
        "http://127.0.0.1:0/callback",
        "http://127.0.0.1:99999/callback",
        "http://127.0.0.1.evil.example/callback",
        "http://[::1]:49152/callback",
    ] {
        native.authorize(Some(&scene.browser), &[("redirect_uri", Some(redirect_uri))]).await.assert_page();
    }
    let fixed = json!({"redirect_uris": ["http://localhost:8123/callback"], "application_type": "native", "token_endpoint_auth_method": "none"});
    let fixed = create_trusted_application(world, fixed).await;
    fixed.obtain_code(&scene.browser, &[]).await;
    fixed
        .authorize(Some(&scene.browser), &[("redirect_uri", Some("http://localhost:8124/callback"))])
        .await
        .assert_page();
}

async fn redirect_uri_of_a_private_use_scheme_with_an_authority_requires_consent_each_time(world: &World) {
    let scene = create_fixture(world).await;
    // As Cursor registers: without `application_type` and `scope`.
    let body = json!({
        "client_name": "Cursor",
        "redirect_uris": ["cursor://anysphere.cursor-mcp/oauth/callback"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    });
    let registered = register_client(world, &body).await.assert_status(201);
    assert_eq!(registered.body["redirect_uris"], body["redirect_uris"]);
    let cursor = OAuthApplication {
        world,
        id: registered.text_member("client_id").parse().unwrap(),
        secret: None,
        callback: "cursor://anysphere.cursor-mcp/oauth/callback".to_owned(),
    };
    // The operator trusts this client, so that consent could be skipped; with such a scheme it is not.
    let vscode = json!({"redirect_uris": ["vscode://publisher.extension/callback"], "token_endpoint_auth_method": "none"});
    let vscode = create_trusted_application(world, vscode).await;
    for app in [&cursor, &vscode] {
        for _ in 0..2 {
            let code = app.obtain_code_with_consent(&scene.browser, &[]).await;
            let (status, body) = app.redeem_code(&code).await;
            assert_eq!(status, 200, "{body}");
            let silent = app.authorize(Some(&scene.browser), &[("prompt", Some("none"))]).await;
            silent.assert_error_redirect("consent_required");
        }
        for redirect_uri in
            ["cursor://anysphere.other/oauth/callback", "vscode://publisher.extension/callback/x"]
        {
            app.authorize(Some(&scene.browser), &[("redirect_uri", Some(redirect_uri))]).await.assert_page();
        }
    }
    // A scheme that is a reversed domain name keeps what its users consented to.
    let metadata =
        json!({"redirect_uris": ["com.example.app://callback"], "token_endpoint_auth_method": "none"});
    create_trusted_application(world, metadata).await.obtain_code(&scene.browser, &[]).await;
}

async fn duplicate_parameter_is_an_error_and_a_duplicate_redirect_uri_is_answered_locally(world: &World) {
    let scene = create_fixture(world).await;
    for name in ["state", "scope", "code_challenge", "nonce", "anything"] {
        let mut twice = scene.app.authorization_params(&[]);
        twice.extend([(name.to_owned(), "x".to_owned()), (name.to_owned(), "x".to_owned())]);
        world
            .open_authorization_endpoint(Some(&scene.browser), &twice)
            .await
            .assert_error_redirect("invalid_request");
    }
    for (name, value) in [
        ("redirect_uri", CALLBACK),
        ("client_id", scene.app.id.as_str()),
        ("redirect_uri", "https://evil.example/"),
    ] {
        let mut twice = scene.app.authorization_params(&[]);
        twice.push((name.to_owned(), value.to_owned()));
        world.open_authorization_endpoint(Some(&scene.browser), &twice).await.assert_page();
        world.post_authorization_endpoint(Some(&scene.browser), &twice).await.assert_page();
    }
    // A parameter both in the query and in the form counts as repeated.
    let address = format!("{}?state=other", world.public_url("/connect/authorize"));
    let session = format!("Session {}", scene.browser.token);
    let both = world
        .http
        .post(address)
        .header("authorization", session)
        .form(&scene.app.authorization_params(&[]))
        .send()
        .await
        .unwrap();
    assert!(both.headers()["location"].to_str().unwrap().contains("error=invalid_request"));
}

async fn disabled_or_removed_client_gets_no_redirect(world: &World) {
    let scene = create_fixture(world).await;
    let auth_application = world.create_application(ClientOrigin::DynamicRegistration, json!({})).await;
    for condition in [LifecycleCondition::Suspended, LifecycleCondition::Ended] {
        for app in [&scene.app, &auth_application] {
            let engine = world.server.engine();
            let client = clients::find_client(engine.store(), &app.id).await.unwrap().unwrap();
            world
                .apply_statements([clients::change_client_condition(
                    &app.id,
                    client.version,
                    condition,
                    engine.now(),
                )])
                .await;
            app.authorize(Some(&scene.browser), &[]).await.assert_page();
        }
    }
}
