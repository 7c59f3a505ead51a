//! Authorization responses and response types.

use super::{create_fixture, create_trusted_application};
use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::oauth::authorize::redirectable_request::ResponseMode;
use sinete_core::oauth::client_metadata::{ClientAuthMethod, GrantType, ResponseType};
use sinete_store::oauth::clients::ClientOrigin;

both_engines!(
    authorization_response_has_code_state_and_iss_for_get_and_post,
    form_post_response_mode_escapes_every_value,
    unsupported_response_types_are_refused_and_never_in_a_fragment,
    authorization_request_without_s256_pkce_is_refused,
    optional_and_unknown_parameters_are_ignored,
    self_registered_client_never_redirects_without_a_page,
    client_without_the_authorization_code_grant_is_unauthorized_client
);

async fn authorization_response_has_code_state_and_iss_for_get_and_post(world: &World) {
    let scene = create_fixture(world).await;
    let issuer = &world.server.engine().settings().issuer;
    let got = scene.app.authorize(Some(&scene.browser), &[]).await;
    let posted =
        world.post_authorization_endpoint(Some(&scene.browser), &scene.app.authorization_params(&[])).await;
    for response in [got, posted] {
        assert!(response.code().starts_with("sn_ac_"));
        let params = response.redirect_params();
        assert_eq!((params["iss"].as_str(), params["state"].as_str()), (issuer.as_str(), "a state"));
    }
    let plain = scene.app.authorize(Some(&scene.browser), &[("state", None)]).await;
    assert!(!plain.redirect_params().contains_key("state"));
    let long = "s".repeat(128);
    assert_eq!(
        scene
            .app
            .authorize(Some(&scene.browser), &[("state", Some(&long)), ("nonce", Some(&"n".repeat(384)))])
            .await
            .redirect_params()["state"],
        long
    );
}

async fn form_post_response_mode_escapes_every_value(world: &World) {
    let scene = create_fixture(world).await;
    let hostile = "\"><script>alert(1)</script>";
    let changes = [("response_mode", Some("form_post")), ("state", Some(hostile))];
    for changes in
        [changes.to_vec(), [&changes[..], &[("prompt", Some("none")), ("max_age", Some("0"))]].concat()]
    {
        let response = scene.app.authorize(Some(&scene.browser), &changes).await;
        assert_eq!((response.status, response.location()), (200, None));
        assert!(response.text.contains(&format!("method=\"post\" action=\"{}\"", scene.app.callback)));
        assert!(response.text.contains("name=\"iss\"") && response.text.contains("<button"));
        assert!(!response.text.contains("<script>alert") && response.text.contains("&lt;script&gt;alert(1)"));
        let policy = response.headers["content-security-policy"].to_str().unwrap();
        let nonce = policy.split("'nonce-").nth(1).unwrap().split('\'').next().unwrap();
        assert!(response.text.contains(&format!("<script nonce=\"{nonce}\">")), "{policy}");
        assert!(
            policy.starts_with("default-src 'none'")
                && policy.contains("frame-ancestors 'none'")
                && !policy.contains("unsafe")
        );
    }
}

async fn unsupported_response_types_are_refused_and_never_in_a_fragment(world: &World) {
    let scene = create_fixture(world).await;
    for kind in ["token", "id_token", "code id_token", "code token", "code id_token token", "none", "CODE"] {
        scene
            .app
            .authorize(Some(&scene.browser), &[("response_type", Some(kind))])
            .await
            .assert_error_redirect("unsupported_response_type");
    }
    scene
        .app
        .authorize(Some(&scene.browser), &[("response_type", None)])
        .await
        .assert_error_redirect("invalid_request");
    for mode in ["fragment", "form_post.jwt", "query.jwt", "web_message"] {
        scene
            .app
            .authorize(Some(&scene.browser), &[("response_mode", Some(mode))])
            .await
            .assert_error_redirect("invalid_request");
    }
}

async fn authorization_request_without_s256_pkce_is_refused(world: &World) {
    let scene = create_fixture(world).await;
    let short = "x".repeat(42);
    for changes in [
        &[("code_challenge", None)][..],
        &[("code_challenge", Some(""))],
        &[("code_challenge", Some("not-43-characters"))],
        &[("code_challenge", Some(short.as_str()))],
        &[("code_challenge", Some("+/9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c"))],
        &[("code_challenge_method", None)],
        &[("code_challenge_method", Some("plain"))],
        &[("code_challenge_method", Some("s256"))],
        &[("code_challenge", None), ("code_challenge_method", None)],
    ] {
        scene.app.authorize(Some(&scene.browser), changes).await.assert_error_redirect("invalid_request");
    }
}

async fn optional_and_unknown_parameters_are_ignored(world: &World) {
    let scene = create_fixture(world).await;
    for (name, value) in [
        ("login_hint", "somebody@example.com"),
        ("ui_locales", "pt-BR en"),
        ("claims_locales", "se"),
        ("display", "page"),
        ("acr_values", "urn:sinete:aal:2"),
        ("id_token_hint", "not.a.token"),
        ("made_up", "x"),
        ("nonce", ""),
        (
            "claims",
            "{\"userinfo\":{\"org\":null},\"id_token\":{\"acr\":{\"values\":[\"urn:sinete:aal:2\"]}}}",
        ),
    ] {
        scene.app.obtain_code(&scene.browser, &[(name, Some(value))]).await;
    }
    // A claim that no scope releases is no error, but needs consent.
    let name = "{\"userinfo\":{\"name\":null},\"id_token\":{\"acr\":{\"values\":[\"urn:sinete:aal:2\"]}}}";
    scene.app.obtain_code_with_consent(&scene.browser, &[("claims", Some(name))]).await;
}

async fn self_registered_client_never_redirects_without_a_page(world: &World) {
    let scene = create_fixture(world).await;
    let app = world
        .create_application(
            ClientOrigin::DynamicRegistration,
            json!({"client_name": "<script>alert(1)</script>", "scope": "openid"}),
        )
        .await;
    let wrong = [("scope", Some("openid nowhere:read"))];
    // Without a registered scope the user's organization decides, so the request leads to our own sign-in first.
    let unlimited = world.create_application(ClientOrigin::DynamicRegistration, json!({})).await;
    let response = unlimited.authorize(None, &wrong).await;
    assert!(
        response.status == 303 && response.headers["location"].to_str().unwrap().starts_with(&world.origin())
    );
    unlimited.authorize(Some(&scene.browser), &wrong).await.assert_error_redirect("invalid_scope");
    let page = app.authorize(None, &wrong).await;
    page.assert_page();
    assert!(
        page.text.contains("app.example")
            && page.text.contains("error=invalid_scope")
            && !page.text.contains("<script>")
    );
    app.authorize(Some(&scene.browser), &wrong).await.assert_error_redirect("invalid_scope");
    app.authorize(None, &[("prompt", Some("none"))]).await.assert_error_redirect("login_required");
    app.authorize(None, &[("prompt", Some("none")), ("code_challenge", None)])
        .await
        .assert_error_redirect("login_required");
    // An invalid request with `prompt=none` gets the same error.
    for invalid in [
        ("response_type", Some("token")),
        ("response_type", None),
        ("request", Some("x.y.z")),
        ("request_uri", Some("https://app.example/r")),
        ("scope", Some("openid nowhere:read")),
        ("response_mode", Some("fragment")),
        ("max_age", Some("soon")),
        ("claims", Some("[]")),
        ("resource", Some("https://nowhere.example")),
        ("authorization_details", Some("x")),
    ] {
        app.authorize(None, &[("prompt", Some("none")), invalid]).await.assert_page();
        app.authorize(None, &[invalid]).await.assert_page();
        let response = scene.app.authorize(None, &[("prompt", Some("none")), invalid]).await;
        assert!(response.redirect_params().contains_key("error"), "{invalid:?}");
    }
    let own_scheme = json!({"redirect_uris": ["com.example.app:/cb"], "token_endpoint_auth_method": "none", "application_type": "native", "scope": "openid"});
    let own_scheme = world.create_application(ClientOrigin::DynamicRegistration, own_scheme).await;
    own_scheme.authorize(None, &wrong).await.assert_page();
    own_scheme.authorize(None, &[("prompt", Some("none"))]).await.assert_error_redirect("login_required");
    scene.app.authorize(None, &wrong).await.assert_error_redirect("invalid_scope");
    let native = json!({"redirect_uris": ["http://127.0.0.1/cb"], "token_endpoint_auth_method": "none", "application_type": "native", "scope": "openid"});
    world
        .create_application(ClientOrigin::DynamicRegistration, native)
        .await
        .authorize(None, &wrong)
        .await
        .assert_error_redirect("invalid_scope");
    let answer =
        world.http.get(world.authorization_url(&app.authorization_params(&wrong))).send().await.unwrap();
    assert_eq!(
        (answer.status().as_u16(), answer.headers()["content-type"].to_str().unwrap()),
        (400, "application/problem+json")
    );
    let problem: serde_json::Value = answer.json().await.unwrap();
    assert!(problem["detail"].as_str().unwrap().contains("nowhere:read"), "{problem}");
}

async fn client_without_the_authorization_code_grant_is_unauthorized_client(world: &World) {
    let scene = create_fixture(world).await;
    let machine = create_trusted_application(world, json!({"grant_types": ["client_credentials"]})).await;
    machine.authorize(Some(&scene.browser), &[]).await.assert_error_redirect("unauthorized_client");
}

#[test]
fn unsupported_features_are_in_no_enumeration() {
    assert_eq!(serde_json::to_value(ResponseType::Code).unwrap(), json!("code"));
    let modes: Vec<_> = ResponseMode::ALL.iter().map(|mode| mode.as_str()).collect();
    assert_eq!(modes, ["query", "form_post"]);
    for name in ["implicit", "password", "urn:ietf:params:oauth:grant-type:saml2-bearer"] {
        assert!(serde_json::from_value::<GrantType>(json!(name)).is_err(), "{name}");
    }
    for name in ["token", "id_token", "code id_token", "none"] {
        assert!(serde_json::from_value::<ResponseType>(json!(name)).is_err(), "{name}");
    }
    assert!(serde_json::from_value::<ClientAuthMethod>(json!("client_secret_jwt")).is_err());
}
