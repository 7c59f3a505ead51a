//! How a user confirms or denies a device, and what the device gets.

use super::{Scene, scene};
use crate::both_engines;
use crate::harness::flow_client::PASSWORD;
use crate::harness::oauth_application::BrowserSession;
use crate::harness::second_factors::enroll_totp;
use crate::harness::token_endpoint::INVOICES;
use crate::harness::world::World;
use crate::stories::sign_in::credentials::seconds;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::time::Lifetime;
use sinete_crypto::platform::jwt::JwtType;
use sinete_store::oauth::clients::ClientOrigin;
use std::collections::BTreeMap;

fn cookies(browser: &BrowserSession) -> BTreeMap<String, String> {
    [("sinete_session".to_owned(), browser.token.clone())].into()
}

both_engines!(
    device_authorization_needs_sign_in_user_code_and_consent,
    device_authorization_is_notified_by_email_and_revoked_from_it,
    user_code_is_accepted_in_any_spelling_and_once,
    device_authorization_denied_is_access_denied_at_the_device,
    device_authorization_raced_by_two_users_is_answered_once,
    device_authorization_requires_consent_every_time_and_grants_no_browser_consent,
    device_authorization_needs_organization_selection_and_the_organization_may_refuse,
    device_authorization_is_limited_by_user_permissions_and_organization_policy,
    device_authorization_needs_step_up_where_the_organization_requires_it,
    device_authorization_is_bound_to_the_browser_session_and_csrf_token,
    device_authorization_after_sign_out_requires_a_new_sign_in
);

async fn device_authorization_needs_sign_in_user_code_and_consent(world: &World) {
    let scene = scene(world).await;
    let ana = world.create_user("ana@example.com").await;
    crate::stories::oauth::authorize::add_member(world, ana.account, &scene.books.tenant, "clerk").await;
    let form = [("client_id", scene.tv.id.as_str()), ("scope", "openid invoices:read")];
    let request = world.http.post(world.public_url("/connect/device")).form(&form);
    let request = request.basic_auth(scene.tv.id.as_str(), scene.tv.secret.as_ref());
    let body: Value = request
        .header("user-agent", "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0")
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    let mut walk = world.start_flow(json!({"kind": "confirm_device"})).await;
    assert_eq!(
        (walk.stage(), &walk.last.body["kind"]),
        ("sign_in", &json!("confirm_device")),
        "sign-in comes before the user code"
    );
    walk.try_submit("user_code", json!({"user_code": body["user_code"]}))
        .await
        .assert_problem(409, "conflict");
    walk.submit("password", json!({"email": "ana@example.com", "password": PASSWORD}))
        .await
        .assert_status(200);
    assert_eq!(walk.stage(), "user_code");
    walk.submit("user_code", json!({"user_code": body["user_code"]})).await.assert_status(200);
    assert_eq!(walk.stage(), "consent");
    assert_consent_describes_client_and_device(&scene, &walk.last.body["consent"]);
    walk.submit("consent", json!({"allow": true})).await.assert_status(200);
    assert_eq!((walk.stage(), walk.read_flow().await.status), ("device_allowed", 410));
    let (status, tokens) = scene.tv.poll_device_code(body["device_code"].as_str().unwrap()).await;
    assert_eq!((status, &tokens["scope"]), (200, &json!("openid invoices:read")));
    for kind in
        ["device.requested", "device.recognised", "device.allowed", "grant.given", "device_code.redeemed"]
    {
        assert_eq!(world.count_events(kind).await, 1, "{kind}");
    }
    // The account holder sees the grant among the authorized applications, and revokes it.
    let user = world
        .sign_in_account(ana.account, &AuthenticationEvidence::from_proof(AuthenticationProof::Password))
        .await;
    let response = user.get("/account/applications").await.assert_status(200);
    let application = &response.body["items"][0];
    assert_eq!(
        (&application["client_id"], response.body["items"].as_array().unwrap().len()),
        (&json!(scene.tv.id), 1)
    );
    let access = tokens["access_token"].as_str().unwrap();
    let membership = world.token_claims(access, JwtType::Access)["sub"].as_str().unwrap().to_owned();
    user.delete(&format!("/account/memberships/{membership}/applications/{}", scene.tv.id))
        .await
        .assert_status(204);
    assert_eq!(scene.tv.refresh_tokens(tokens["refresh_token"].as_str().unwrap()).await.0, 400);
}

fn assert_consent_describes_client_and_device(scene: &Scene<'_>, question: &Value) {
    assert_eq!(
        (&question["client"]["name"], &question["client"]["vouched_by"]),
        (&json!("TV"), &json!("operator"))
    );
    assert_eq!(
        (&question["organization"]["id"], &question["api"]),
        (&json!(scene.books.tenant.id), &json!("Invoices"))
    );
    let device = &question["device"];
    assert_eq!(
        (&device["english"], &device["portuguese"]),
        (&json!("Firefox on Linux"), &json!("Firefox no Linux"))
    );
    assert_eq!(
        (&device["address"], device["asked_at"].as_i64()),
        (&json!("127.0.0.1"), Some(scene.tv.world.server.engine().now().seconds()))
    );
    assert!(question.get("redirect_host").is_none(), "{question}");
}

async fn device_authorization_is_notified_by_email_and_revoked_from_it(world: &World) {
    let scene = scene(world).await;
    let (ana, bob) = (world.create_user("ana@example.com").await, world.create_user("bob@example.com").await);
    for user in [&ana, &bob] {
        crate::stories::oauth::authorize::add_member(world, user.account, &scene.books.tenant, "clerk").await;
    }
    let lasting = [("scope", "openid offline_access")];
    let tokens = scene
        .tv
        .redeem_device_code(&scene.tv.start_allowed_device_authorization(&ana.session, &lasting).await)
        .await;
    let others = scene
        .tv
        .redeem_device_code(&scene.tv.start_allowed_device_authorization(&bob.session, &lasting).await)
        .await;
    let reply = scene.tv.start_allowed_device_authorization(&ana.session, &lasting).await;
    let email_text = world.newest_email_text("ana@example.com").await;
    for part in ["TV", "127.0.0.1", "/not-me?token=sn_al_"] {
        assert!(email_text.contains(part), "{part}: {email_text}");
    }
    let token = email_text.split("/not-me?token=").nth(1).unwrap().split_whitespace().next().unwrap();
    let response =
        world.http.post(world.public_url("/links/not-me")).form(&[("token", token)]).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(
        scene.tv.refresh_tokens(tokens["refresh_token"].as_str().unwrap()).await.0,
        400,
        "the refresh token is revoked, even with offline access"
    );
    let form = [("token".to_owned(), tokens["access_token"].as_str().unwrap().to_owned())];
    assert_eq!(scene.tv.post_form("/connect/introspect", &form).await.1, json!({"active": false}));
    let (status, body) = scene.tv.poll_device_code(&reply.device_code).await;
    assert_eq!(
        (status, &body["error"]),
        (400, &json!("invalid_grant")),
        "tokens that were not fetched are revoked too"
    );
    assert_eq!(
        scene.tv.refresh_tokens(others["refresh_token"].as_str().unwrap()).await.0,
        200,
        "other grants are not affected"
    );
}

async fn user_code_is_accepted_in_any_spelling_and_once(world: &World) {
    let scene = scene(world).await;
    let shapes: [fn(&str) -> String; 4] = [
        |code| code.to_lowercase(),
        |code| code.replace('-', ""),
        |code| code.replace('-', " "),
        |code| code.chars().map(|c| format!(" {c}-")).collect(),
    ];
    for shape in shapes {
        let reply = scene.tv.start_device_authorization(&[("scope", "openid")]).await;
        let mut walk = world.start_device_flow(&scene.browser.token).await;
        walk.submit("user_code", json!({"user_code": shape(&reply.user_code)})).await.assert_status(200);
        let other = world.start_device_flow(&scene.browser.token).await;
        walk.submit("consent", json!({"allow": true})).await.assert_status(200);
        other
            .try_submit("user_code", json!({"user_code": reply.user_code}))
            .await
            .assert_problem(422, "unprocessable");
        scene.tv.redeem_device_code(&reply).await;
    }
}

async fn device_authorization_denied_is_access_denied_at_the_device(world: &World) {
    let scene = scene(world).await;
    let reply = scene.tv.start_device_authorization(&[("scope", "openid")]).await;
    let mut walk = world.start_device_flow(&scene.browser.token).await;
    walk.submit("user_code", json!({"user_code": reply.user_code})).await.assert_status(200);
    let second = walk.clone();
    walk.submit("consent", json!({"allow": false})).await.assert_status(200);
    assert_eq!(walk.stage(), "device_denied");
    second.try_submit("consent", json!({"allow": true})).await.assert_problem(409, "conflict");
    scene.tv.assert_device_poll_error(&reply, "access_denied").await;
    scene.tv.assert_device_poll_error(&reply, "access_denied").await;
    let second_flow = world.start_device_flow(&scene.browser.token).await;
    second_flow
        .try_submit("user_code", json!({"user_code": reply.user_code}))
        .await
        .assert_problem(422, "unprocessable");
    assert_eq!((world.count_events("device.denied").await, world.count_events("grant.given").await), (1, 0));
}

async fn device_authorization_raced_by_two_users_is_answered_once(world: &World) {
    let scene = scene(world).await;
    let other =
        world.create_member_browser(&scene.books.tenant, scene.books.create_member("clerk").await).await;
    let reply = scene.tv.start_device_authorization(&[("scope", "openid")]).await;
    let mut walks = Vec::new();
    for session in [&scene.browser.token, &other.token] {
        let mut walk = world.start_device_flow(session).await;
        walk.submit("user_code", json!({"user_code": reply.user_code})).await.assert_status(200);
        assert_eq!(walk.stage(), "consent");
        walks.push(walk);
    }
    walks[0].submit("consent", json!({"allow": true})).await.assert_status(200);
    walks[1].submit("consent", json!({"allow": true})).await.assert_status(200);
    assert_eq!((walks[0].stage(), walks[1].stage()), ("device_allowed", "refused"));
    let tokens = scene.tv.redeem_device_code(&reply).await;
    let body = world.token_claims(tokens["access_token"].as_str().unwrap(), JwtType::Access);
    assert_eq!(body["sub"], json!(scene.clerk));
    assert_eq!(world.count_events("grant.given").await, 1);
}

async fn device_authorization_requires_consent_every_time_and_grants_no_browser_consent(world: &World) {
    let scene = scene(world).await;
    let both = json!({"consent": "implied", "scope": "openid", "grant_types": ["authorization_code", crate::harness::device_authorization::DEVICE_GRANT]});
    let app = world.create_application(ClientOrigin::Operator, both).await;
    for _ in 0..2 {
        // Consent is asked for even if the client skips it in a browser: the device may belong to another user.
        app.start_allowed_device_authorization(&scene.browser.token, &[("scope", "openid")]).await;
    }
    let asks = json!({"scope": "openid", "grant_types": ["authorization_code", crate::harness::device_authorization::DEVICE_GRANT]});
    let app = world.create_application(ClientOrigin::Operator, asks).await;
    app.start_allowed_device_authorization(&scene.browser.token, &[("scope", "openid")]).await;
    app.authorize(Some(&scene.browser), &[("prompt", Some("none"))])
        .await
        .assert_error_redirect("consent_required");
}

async fn device_authorization_needs_organization_selection_and_the_organization_may_refuse(world: &World) {
    let scene = scene(world).await;
    let other = world.create_organization("other").await;
    crate::stories::oauth::authorize::add_member(world, scene.browser.account, &other, "member").await;
    let asks = [("scope", "openid invoices:read"), ("resource", INVOICES)];
    let reply = scene.tv.start_device_authorization(&asks).await;
    let mut walk = world.start_device_flow(&scene.browser.token).await;
    walk.submit("user_code", json!({"user_code": reply.user_code})).await.assert_status(200);
    assert_eq!(walk.stage(), "choose_organization");
    walk.submit("choose_organization", json!({"organization": scene.books.tenant.id}))
        .await
        .assert_status(200);
    assert_eq!(walk.stage(), "consent");
    let refused = scene.tv.start_device_authorization(&asks).await;
    let mut walk = world.start_device_flow(&scene.browser.token).await;
    walk.submit("user_code", json!({"user_code": refused.user_code})).await.assert_status(200);
    walk.submit("choose_organization", json!({"organization": other.id})).await.assert_status(200);
    assert_eq!((walk.stage(), &walk.last.body["refused"]["error"]), ("refused", &json!("invalid_target")));
    scene.tv.assert_device_poll_error(&refused, "access_denied").await;
    // An organization in the request is not asked for; one that does not apply is ignored.
    let authorization_reply =
        scene.tv.start_device_authorization(&[("scope", "openid"), ("organization", "books")]).await;
    let mut walk = world.start_device_flow(&scene.browser.token).await;
    walk.submit("user_code", json!({"user_code": authorization_reply.user_code})).await.assert_status(200);
    assert_eq!(walk.stage(), "consent");
    let nowhere =
        scene.tv.start_device_authorization(&[("scope", "openid"), ("organization", "nowhere")]).await;
    let mut walk = world.start_device_flow(&scene.browser.token).await;
    walk.submit("user_code", json!({"user_code": nowhere.user_code})).await.assert_status(200);
    assert_eq!(walk.last.body["refused"]["error"], "access_denied");
}

async fn device_authorization_is_limited_by_user_permissions_and_organization_policy(world: &World) {
    let scene = scene(world).await;
    let tv = world.create_device_client(ClientOrigin::Operator, json!({"scope": "openid invoices:*"})).await;
    let reply = tv.start_device_authorization(&[("scope", "invoices:void")]).await;
    let mut walk = world.start_device_flow(&scene.browser.token).await;
    walk.submit("user_code", json!({"user_code": reply.user_code})).await.assert_status(200);
    assert_eq!((walk.stage(), &walk.last.body["refused"]["error"]), ("refused", &json!("invalid_scope")));
    tv.assert_device_poll_error(&reply, "access_denied").await;
    let reply = tv.start_device_authorization(&[("scope", "openid")]).await;
    let mut walk = world.start_device_flow(&scene.browser.token).await;
    walk.submit("user_code", json!({"user_code": reply.user_code})).await.assert_status(200);
    assert_eq!(walk.stage(), "consent");
    scene.books.change_settings(json!({"refused_grants": ["device_code"]})).await;
    walk.submit("consent", json!({"allow": true})).await.assert_status(200);
    assert_eq!(
        (walk.stage(), &walk.last.body["refused"]["error"]),
        ("refused", &json!("access_denied")),
        "the current settings apply"
    );
    assert_eq!(world.count_events("grant.given").await, 0);
}

async fn device_authorization_needs_step_up_where_the_organization_requires_it(world: &World) {
    let scene = scene(world).await;
    let ana = world.create_user("ana@example.com").await;
    crate::stories::oauth::authorize::add_member(world, ana.account, &scene.books.tenant, "clerk").await;
    let authenticator = enroll_totp(world, &ana).await;
    world.clock.advance(Lifetime::from_seconds(60));
    scene.books.change_settings(json!({"least_assurance": "aal2"})).await;
    let reply = scene.tv.start_device_authorization(&[("scope", "openid")]).await;
    let mut walk = world.start_device_flow(&ana.session).await;
    walk.submit("user_code", json!({"user_code": reply.user_code})).await.assert_status(200);
    assert_eq!(walk.stage(), "reauthenticate");
    walk.try_submit("consent", json!({"allow": true})).await.assert_problem(409, "conflict");
    walk.submit("totp", json!({"code": authenticator.code_at(seconds(world))})).await.assert_status(200);
    walk.submit("consent", json!({"allow": true})).await.assert_status(200);
    let body = world.token_claims(
        scene.tv.redeem_device_code(&reply).await["access_token"].as_str().unwrap(),
        JwtType::Access,
    );
    assert_eq!(body["acr"], "urn:sinete:aal:2");
    // A user who could not complete a step-up is refused at once.
    let reply = scene.tv.start_device_authorization(&[("scope", "openid")]).await;
    let mut walk = world.start_device_flow(&scene.browser.token).await;
    walk.submit("user_code", json!({"user_code": reply.user_code})).await.assert_status(200);
    assert_eq!(walk.last.body["refused"]["error"], "access_denied");
}

async fn device_authorization_is_bound_to_the_browser_session_and_csrf_token(world: &World) {
    let scene = scene(world).await;
    let other =
        world.create_member_browser(&scene.books.tenant, scene.books.create_member("clerk").await).await;
    let reply = scene.tv.start_device_authorization(&[("scope", "openid")]).await;
    let mut walk =
        world.start_browser_flow(json!({"kind": "confirm_device"}), &cookies(&scene.browser)).await;
    let mut stolen = walk.clone();
    stolen.cookies.insert("sinete_session".to_owned(), other.token.clone());
    stolen
        .try_submit("user_code", json!({"user_code": reply.user_code}))
        .await
        .assert_problem(403, "forbidden");
    walk.submit("user_code", json!({"user_code": reply.user_code})).await.assert_status(200);
    stolen.try_submit("consent", json!({"allow": true})).await.assert_problem(403, "forbidden");
    walk.csrf = None;
    walk.try_submit("consent", json!({"allow": true})).await.assert_problem(403, "forbidden");
    assert_eq!(world.count_events("grant.given").await, 0);
}

async fn device_authorization_after_sign_out_requires_a_new_sign_in(world: &World) {
    let scene = scene(world).await;
    let ana = world.create_user("ana@example.com").await;
    crate::stories::oauth::authorize::add_member(world, ana.account, &scene.books.tenant, "clerk").await;
    let reply = scene.tv.start_device_authorization(&[("scope", "openid")]).await;
    let mut walk = world.start_device_flow(&ana.session).await;
    let user = world
        .sign_in_account(ana.account, &AuthenticationEvidence::from_proof(AuthenticationProof::Password))
        .await;
    for session in user.get("/account/sessions").await.assert_status(200).body["items"].as_array().unwrap() {
        user.delete(&format!("/account/sessions/{}", session["id"].as_str().unwrap())).await;
    }
    walk.submit("user_code", json!({"user_code": reply.user_code})).await.assert_status(200);
    assert_eq!(walk.stage(), "sign_in");
    walk.submit("password", json!({"email": "ana@example.com", "password": PASSWORD}))
        .await
        .assert_status(200);
    assert_eq!(walk.stage(), "user_code");
    walk.submit("user_code", json!({"user_code": reply.user_code})).await.assert_status(200);
    assert_eq!(walk.stage(), "consent");
}
