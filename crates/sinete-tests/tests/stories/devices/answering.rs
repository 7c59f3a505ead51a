//! What whoever answers for a device goes through, and what comes of each answer.

use super::scene;
use crate::both_engines;
use crate::harness::application::BrowserSession;
use crate::harness::person::PASSWORD;
use crate::harness::second_factors::gets_app;
use crate::harness::token_endpoint::INVOICES;
use crate::harness::world::World;
use crate::stories::credentials::seconds;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::time::Lifetime;
use sinete_crypto::jwt::JwtType;
use sinete_store::clients::ClientOrigin;
use std::collections::BTreeMap;

fn cookies(browser: &BrowserSession) -> BTreeMap<String, String> {
    [("session".to_owned(), browser.token.clone())].into()
}

both_engines!(
    somebody_signs_in_types_the_code_sees_who_asks_and_allows_it,
    whoever_was_talked_into_it_is_written_to_and_takes_it_back_with_one_button,
    the_code_is_understood_however_it_was_typed_and_counts_for_one_answer,
    whoever_says_no_gives_nothing_and_the_device_is_told,
    two_people_with_one_code_answer_once,
    a_device_is_asked_about_every_time_and_answers_for_no_browser,
    whoever_belongs_to_several_organizations_chooses_and_may_be_refused_there,
    nobody_gives_a_device_what_they_do_not_hold_and_an_organization_gives_none_where_it_says_so,
    more_is_proven_first_where_the_organization_asks_for_it,
    a_browser_answers_in_the_session_it_began_in_and_with_its_own_token,
    whoever_signed_out_meanwhile_signs_in_again
);

async fn somebody_signs_in_types_the_code_sees_who_asks_and_allows_it(world: &World) {
    let scene = scene(world).await;
    let ana = world.somebody("ana@example.com").await;
    crate::stories::authorize::joins(world, ana.account, &scene.books.tenant, "clerk").await;
    let form = [("client_id", scene.tv.id.as_str()), ("scope", "openid invoices:read")];
    let request = world.http.post(world.public("/connect/device")).form(&form);
    let request = request.basic_auth(scene.tv.id.as_str(), scene.tv.secret.as_ref());
    let told: Value = request
        .header("user-agent", "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0")
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    let mut walk = world.flow(json!({"kind": "confirm_device"})).await;
    assert_eq!(
        (walk.stage(), &walk.last.body["kind"]),
        ("sign_in", &json!("confirm_device")),
        "before anything is typed"
    );
    walk.tries("user_code", json!({"user_code": told["user_code"]})).await.refused(409, "conflict");
    walk.says("password", json!({"email": "ana@example.com", "password": PASSWORD})).await.is(200);
    assert_eq!(walk.stage(), "user_code");
    walk.says("user_code", json!({"user_code": told["user_code"]})).await.is(200);
    assert_eq!(walk.stage(), "consent");
    let question = walk.last.body["consent"].clone();
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
        (&json!("127.0.0.1"), Some(world.server.engine().now().seconds()))
    );
    assert!(question.get("redirect_host").is_none(), "{question}");
    walk.says("consent", json!({"allow": true})).await.is(200);
    assert_eq!((walk.stage(), walk.looks().await.status), ("device_allowed", 410));
    let (status, tokens) = scene.tv.polls(told["device_code"].as_str().unwrap()).await;
    assert_eq!((status, &tokens["scope"]), (200, &json!("openid invoices:read")));
    for kind in
        ["device.requested", "device.recognised", "device.allowed", "grant.given", "device_code.redeemed"]
    {
        assert_eq!(world.logged(kind).await, 1, "{kind}");
    }
    // They see it among their applications, and take it back.
    let oneself =
        world.signs_in(ana.account, &AuthenticationEvidence::of(AuthenticationProof::Password)).await;
    let listed = oneself.get("/account/applications").await.is(200);
    let shown = &listed.body["items"][0];
    assert_eq!(
        (&shown["client_id"], listed.body["items"].as_array().unwrap().len()),
        (&json!(scene.tv.id), 1)
    );
    let access = tokens["access_token"].as_str().unwrap();
    let membership = world.said(access, JwtType::Access)["sub"].as_str().unwrap().to_owned();
    oneself.delete(&format!("/account/memberships/{membership}/applications/{}", scene.tv.id)).await.is(204);
    assert_eq!(scene.tv.refresh(tokens["refresh_token"].as_str().unwrap()).await.0, 400);
}

async fn whoever_was_talked_into_it_is_written_to_and_takes_it_back_with_one_button(world: &World) {
    let scene = scene(world).await;
    let (ana, bob) = (world.somebody("ana@example.com").await, world.somebody("bob@example.com").await);
    for person in [&ana, &bob] {
        crate::stories::authorize::joins(world, person.account, &scene.books.tenant, "clerk").await;
    }
    let lasting = [("scope", "openid offline_access")];
    let tokens = scene.tv.is_handed(&scene.tv.allowed_by(&ana.session, &lasting).await).await;
    let others = scene.tv.is_handed(&scene.tv.allowed_by(&bob.session, &lasting).await).await;
    let waiting = scene.tv.allowed_by(&ana.session, &lasting).await;
    let letter = world.newest_mail("ana@example.com").await;
    for part in ["TV", "127.0.0.1", "/not-me?token=sn_al_"] {
        assert!(letter.contains(part), "{part}: {letter}");
    }
    let token = letter.split("/not-me?token=").nth(1).unwrap().split_whitespace().next().unwrap();
    let sent = world.http.post(world.public("/links/not-me")).form(&[("token", token)]).send().await.unwrap();
    assert_eq!(sent.status(), 200);
    assert_eq!(
        scene.tv.refresh(tokens["refresh_token"].as_str().unwrap()).await.0,
        400,
        "although it was to outlive the session"
    );
    let form = [("token".to_owned(), tokens["access_token"].as_str().unwrap().to_owned())];
    assert_eq!(scene.tv.post("/connect/introspect", &form).await.1, json!({"active": false}));
    let (status, told) = scene.tv.polls(&waiting.device_code).await;
    assert_eq!(
        (status, &told["error"]),
        (400, &json!("invalid_grant")),
        "what was not handed over is not either"
    );
    assert_eq!(
        scene.tv.refresh(others["refresh_token"].as_str().unwrap()).await.0,
        200,
        "nobody else's is touched"
    );
}

async fn the_code_is_understood_however_it_was_typed_and_counts_for_one_answer(world: &World) {
    let scene = scene(world).await;
    let shapes: [fn(&str) -> String; 4] = [
        |code| code.to_lowercase(),
        |code| code.replace('-', ""),
        |code| code.replace('-', " "),
        |code| code.chars().map(|c| format!(" {c}-")).collect(),
    ];
    for shape in shapes {
        let waiting = scene.tv.waits(&[("scope", "openid")]).await;
        let mut walk = world.at_a_device(&scene.browser.token).await;
        walk.says("user_code", json!({"user_code": shape(&waiting.user_code)})).await.is(200);
        let other = world.at_a_device(&scene.browser.token).await;
        walk.says("consent", json!({"allow": true})).await.is(200);
        other.tries("user_code", json!({"user_code": waiting.user_code})).await.refused(422, "unprocessable");
        scene.tv.is_handed(&waiting).await;
    }
}

async fn whoever_says_no_gives_nothing_and_the_device_is_told(world: &World) {
    let scene = scene(world).await;
    let waiting = scene.tv.waits(&[("scope", "openid")]).await;
    let mut walk = world.at_a_device(&scene.browser.token).await;
    walk.says("user_code", json!({"user_code": waiting.user_code})).await.is(200);
    let second = walk.clone();
    walk.says("consent", json!({"allow": false})).await.is(200);
    assert_eq!(walk.stage(), "device_denied");
    second.tries("consent", json!({"allow": true})).await.refused(409, "conflict");
    scene.tv.is_told(&waiting, "access_denied").await;
    scene.tv.is_told(&waiting, "access_denied").await;
    let again = world.at_a_device(&scene.browser.token).await;
    again.tries("user_code", json!({"user_code": waiting.user_code})).await.refused(422, "unprocessable");
    assert_eq!((world.logged("device.denied").await, world.logged("grant.given").await), (1, 0));
}

async fn two_people_with_one_code_answer_once(world: &World) {
    let scene = scene(world).await;
    let other = world.browser_of(&scene.books.tenant, scene.books.person("clerk").await).await;
    let waiting = scene.tv.waits(&[("scope", "openid")]).await;
    let mut walks = Vec::new();
    for session in [&scene.browser.token, &other.token] {
        let mut walk = world.at_a_device(session).await;
        walk.says("user_code", json!({"user_code": waiting.user_code})).await.is(200);
        assert_eq!(walk.stage(), "consent");
        walks.push(walk);
    }
    walks[0].says("consent", json!({"allow": true})).await.is(200);
    walks[1].says("consent", json!({"allow": true})).await.is(200);
    assert_eq!((walks[0].stage(), walks[1].stage()), ("device_allowed", "refused"));
    let tokens = scene.tv.is_handed(&waiting).await;
    let said = world.said(tokens["access_token"].as_str().unwrap(), JwtType::Access);
    assert_eq!(said["sub"], json!(scene.clerk));
    assert_eq!(world.logged("grant.given").await, 1);
}

async fn a_device_is_asked_about_every_time_and_answers_for_no_browser(world: &World) {
    let scene = scene(world).await;
    let both = json!({"consent": "implied", "scope": "openid", "grant_types": ["authorization_code", crate::harness::devices::DEVICE_GRANT]});
    let app = world.application(ClientOrigin::Operator, both).await;
    for _ in 0..2 {
        // Also where nobody is asked in a browser: the device may be somebody else's.
        app.allowed_by(&scene.browser.token, &[("scope", "openid")]).await;
    }
    let asks = json!({"scope": "openid", "grant_types": ["authorization_code", crate::harness::devices::DEVICE_GRANT]});
    let app = world.application(ClientOrigin::Operator, asks).await;
    app.allowed_by(&scene.browser.token, &[("scope", "openid")]).await;
    app.authorize(Some(&scene.browser), &[("prompt", Some("none"))]).await.refused("consent_required");
}

async fn whoever_belongs_to_several_organizations_chooses_and_may_be_refused_there(world: &World) {
    let scene = scene(world).await;
    let other = world.tenant("other").await;
    crate::stories::authorize::joins(world, scene.browser.account, &other, "member").await;
    let asks = [("scope", "openid invoices:read"), ("resource", INVOICES)];
    let waiting = scene.tv.waits(&asks).await;
    let mut walk = world.at_a_device(&scene.browser.token).await;
    walk.says("user_code", json!({"user_code": waiting.user_code})).await.is(200);
    assert_eq!(walk.stage(), "choose_organization");
    walk.says("choose_organization", json!({"organization": scene.books.tenant.id})).await.is(200);
    assert_eq!(walk.stage(), "consent");
    let refused = scene.tv.waits(&asks).await;
    let mut walk = world.at_a_device(&scene.browser.token).await;
    walk.says("user_code", json!({"user_code": refused.user_code})).await.is(200);
    walk.says("choose_organization", json!({"organization": other.id})).await.is(200);
    assert_eq!((walk.stage(), &walk.last.body["refused"]["error"]), ("refused", &json!("invalid_target")));
    scene.tv.is_told(&refused, "access_denied").await;
    // One that the request names is not asked for; one that it is not for is as good as none.
    let named = scene.tv.waits(&[("scope", "openid"), ("organization", "books")]).await;
    let mut walk = world.at_a_device(&scene.browser.token).await;
    walk.says("user_code", json!({"user_code": named.user_code})).await.is(200);
    assert_eq!(walk.stage(), "consent");
    let nowhere = scene.tv.waits(&[("scope", "openid"), ("organization", "nowhere")]).await;
    let mut walk = world.at_a_device(&scene.browser.token).await;
    walk.says("user_code", json!({"user_code": nowhere.user_code})).await.is(200);
    assert_eq!(walk.last.body["refused"]["error"], "access_denied");
}

async fn nobody_gives_a_device_what_they_do_not_hold_and_an_organization_gives_none_where_it_says_so(
    world: &World,
) {
    let scene = scene(world).await;
    let tv = world.device(ClientOrigin::Operator, json!({"scope": "openid invoices:*"})).await;
    let waiting = tv.waits(&[("scope", "invoices:void")]).await;
    let mut walk = world.at_a_device(&scene.browser.token).await;
    walk.says("user_code", json!({"user_code": waiting.user_code})).await.is(200);
    assert_eq!((walk.stage(), &walk.last.body["refused"]["error"]), ("refused", &json!("invalid_scope")));
    tv.is_told(&waiting, "access_denied").await;
    let waiting = tv.waits(&[("scope", "openid")]).await;
    let mut walk = world.at_a_device(&scene.browser.token).await;
    walk.says("user_code", json!({"user_code": waiting.user_code})).await.is(200);
    assert_eq!(walk.stage(), "consent");
    scene.books.change_settings(json!({"refused_grants": ["device_code"]})).await;
    walk.says("consent", json!({"allow": true})).await.is(200);
    assert_eq!(
        (walk.stage(), &walk.last.body["refused"]["error"]),
        ("refused", &json!("access_denied")),
        "what changed since it was asked counts"
    );
    assert_eq!(world.logged("grant.given").await, 0);
}

async fn more_is_proven_first_where_the_organization_asks_for_it(world: &World) {
    let scene = scene(world).await;
    let ana = world.somebody("ana@example.com").await;
    crate::stories::authorize::joins(world, ana.account, &scene.books.tenant, "clerk").await;
    let authenticator = gets_app(world, &ana).await;
    world.clock.pass(Lifetime::from_seconds(60));
    scene.books.change_settings(json!({"least_assurance": "aal2"})).await;
    let waiting = scene.tv.waits(&[("scope", "openid")]).await;
    let mut walk = world.at_a_device(&ana.session).await;
    walk.says("user_code", json!({"user_code": waiting.user_code})).await.is(200);
    assert_eq!(walk.stage(), "reauthenticate");
    walk.tries("consent", json!({"allow": true})).await.refused(409, "conflict");
    walk.says("totp", json!({"code": authenticator.digits_at(seconds(world))})).await.is(200);
    walk.says("consent", json!({"allow": true})).await.is(200);
    let said =
        world.said(scene.tv.is_handed(&waiting).await["access_token"].as_str().unwrap(), JwtType::Access);
    assert_eq!(said["acr"], "urn:sinete:aal:2");
    // Whoever could not prove as much is not led into a dead end.
    let waiting = scene.tv.waits(&[("scope", "openid")]).await;
    let mut walk = world.at_a_device(&scene.browser.token).await;
    walk.says("user_code", json!({"user_code": waiting.user_code})).await.is(200);
    assert_eq!(walk.last.body["refused"]["error"], "access_denied");
}

async fn a_browser_answers_in_the_session_it_began_in_and_with_its_own_token(world: &World) {
    let scene = scene(world).await;
    let other = world.browser_of(&scene.books.tenant, scene.books.person("clerk").await).await;
    let waiting = scene.tv.waits(&[("scope", "openid")]).await;
    let mut walk = world.browse(json!({"kind": "confirm_device"}), &cookies(&scene.browser)).await;
    let mut stolen = walk.clone();
    stolen.cookies.insert("session".to_owned(), other.token.clone());
    stolen.tries("user_code", json!({"user_code": waiting.user_code})).await.refused(403, "forbidden");
    walk.says("user_code", json!({"user_code": waiting.user_code})).await.is(200);
    stolen.tries("consent", json!({"allow": true})).await.refused(403, "forbidden");
    walk.csrf = None;
    walk.tries("consent", json!({"allow": true})).await.refused(403, "forbidden");
    assert_eq!(world.logged("grant.given").await, 0);
}

async fn whoever_signed_out_meanwhile_signs_in_again(world: &World) {
    let scene = scene(world).await;
    let ana = world.somebody("ana@example.com").await;
    crate::stories::authorize::joins(world, ana.account, &scene.books.tenant, "clerk").await;
    let waiting = scene.tv.waits(&[("scope", "openid")]).await;
    let mut walk = world.at_a_device(&ana.session).await;
    let oneself =
        world.signs_in(ana.account, &AuthenticationEvidence::of(AuthenticationProof::Password)).await;
    for session in oneself.get("/account/sessions").await.is(200).body["items"].as_array().unwrap() {
        oneself.delete(&format!("/account/sessions/{}", session["id"].as_str().unwrap())).await;
    }
    walk.says("user_code", json!({"user_code": waiting.user_code})).await.is(200);
    assert_eq!(walk.stage(), "sign_in");
    walk.says("password", json!({"email": "ana@example.com", "password": PASSWORD})).await.is(200);
    assert_eq!(walk.stage(), "user_code");
    walk.says("user_code", json!({"user_code": waiting.user_code})).await.is(200);
    assert_eq!(walk.stage(), "consent");
}
