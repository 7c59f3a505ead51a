//! Magic links: opening one shows what it is for; using it proves access to the address, once.

use crate::both_engines;
use crate::harness::api_caller::ApiRequest;
use crate::harness::flow_client::PASSWORD;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::limits::{EMAIL_CODE_INTERVAL, EMAIL_CODE_LIFETIME};
use sinete_store::accounts;
use sinete_store::accounts::contacts;
use sinete_store::sign_in::sessions;
use std::collections::BTreeMap;

const ANA: &str = "ana@example.com";

fn named(email: &str) -> serde_json::Value {
    json!({"email": email})
}

both_engines!(
    magic_link_signs_in_once_and_opening_it_does_not_use_it,
    magic_link_continues_only_where_it_is_opened,
    magic_link_confirms_sign_up_and_email_verification_only_where_they_began,
    magic_link_of_another_flow_expired_or_superseded_is_refused,
    magic_link_ends_with_its_address_and_account,
    magic_link_for_an_unknown_address_returns_the_same_response_and_sends_nothing,
    magic_link_in_a_browser_needs_the_button_of_its_page
);

async fn magic_link_signs_in_once_and_opening_it_does_not_use_it(world: &World) {
    let ana = world.create_user(ANA).await;
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("email", named(ANA)).await.assert_status(200);
    let link = world.emailed_link(ANA).await;
    for _ in 0..10 {
        let body = world.read_link(&link).await.assert_status(200).body;
        assert_eq!(
            (&body["kind"], &body["email"], &body["flow"]),
            (&json!("sign_in"), &json!(ANA), &json!(walk.id))
        );
        assert_eq!(body["works_anywhere"], true);
        let page = world.public_url(&format!("/link?token={link}"));
        assert_eq!(world.http.head(&page).send().await.unwrap().status(), 200);
        let response = world.http.get(&page).header("accept", "text/html").send().await.unwrap();
        assert_eq!((response.status().as_u16(), response.headers().get("set-cookie").is_none()), (200, true));
    }
    let response = world.follow_link_in_flow(&walk, &link).await.assert_status(200);
    assert_eq!(response.body["stage"], "signed_in");
    let signed_in = world.user_with_session(&response.text_member("session_token")).await;
    assert_eq!(signed_in.account, ana.account);
    world.follow_link_in_flow(&walk, &link).await.assert_problem(404, "not_found");
    world.follow_link(&link).await.assert_problem(404, "not_found");
    world.read_link(&link).await.assert_problem(404, "not_found");
}

/// A flow that an attacker prepared belongs to the user who used the link, and no longer to the attacker.
async fn magic_link_continues_only_where_it_is_opened(world: &World) {
    let ana = world.create_user(ANA).await;
    world.add_totp(&ana).await;
    let mut began = world.start_flow(json!({"kind": "sign_in"})).await;
    began.submit("email", named(ANA)).await.assert_status(200);
    let link = world.emailed_link(ANA).await;
    let response = world.follow_link(&link).await.assert_status(200);
    assert_eq!((&response.body["stage"], &response.body["id"]), (&json!("second_factor"), &json!(began.id)));
    assert!(response.body.get("session_token").is_none());
    began.read_flow().await.assert_problem(404, "not_found");
    world.continue_flow(&began.id, &response.text_member("flow_token")).await;

    world.clock.advance(EMAIL_CODE_INTERVAL);
    let mut reset = world.start_flow(json!({"kind": "reset_password"})).await;
    reset.submit("email", named(ANA)).await.assert_status(200);
    let link = world.emailed_link(ANA).await;
    assert_eq!(world.read_link(&link).await.assert_status(200).body["kind"], "reset_password");
    let response = world.follow_link(&link).await.assert_status(200);
    assert_eq!(response.body["stage"], "new_password");
    let mut reader = world.continue_flow(&reset.id, &response.text_member("flow_token")).await;
    reset
        .try_submit("new_password", json!({"password": "chosen by another"}))
        .await
        .assert_problem(404, "not_found");
    let response =
        reader.submit("new_password", json!({"password": "a new kettle sings"})).await.assert_status(200);
    assert_eq!(
        (response.body["stage"].as_str(), response.body.get("session_token")),
        (Some("password_set"), None)
    );
    world.sign_in_with_password(ANA, "a new kettle sings").await.assert_status(200);
}

/// Using the link elsewhere creates no account with data that an attacker chose, and verifies no address of another
/// account.
async fn magic_link_confirms_sign_up_and_email_verification_only_where_they_began(world: &World) {
    let mut client = world.start_flow(json!({"kind": "sign_up"})).await;
    client
        .submit("details", json!({"email": ANA, "password": "chosen by a stranger"}))
        .await
        .assert_status(200);
    let link = world.emailed_link(ANA).await;
    assert_eq!(world.read_link(&link).await.assert_status(200).body["works_anywhere"], false);
    world.follow_link(&link).await.assert_problem(409, "conflict");
    let page = world.public_url("/link");
    let pressed = world.http.post(&page).header("origin", world.origin()).form(&[("token", &link)]);
    assert_eq!(pressed.send().await.unwrap().status(), 409);
    let engine = world.server.engine();
    assert!(
        contacts::find_verified_contact(engine.store(), contacts::ContactKind::Email, ANA)
            .await
            .unwrap()
            .is_none()
    );
    // In the flow it belongs to it works; the refusals consumed nothing.
    let response = world.follow_link_in_flow(&client, &link).await.assert_status(200);
    assert_eq!(response.body["stage"], "signed_in");
    world.sign_in_with_password(ANA, "chosen by a stranger").await.assert_status(200);

    let bia = world.create_user("bia@example.com").await;
    let headers = vec![("authorization", format!("Session {}", bia.session))];
    let request = ApiRequest {
        body: Some(json!({"kind": "email", "address": "carla@example.com"})),
        headers,
        ..ApiRequest::default()
    };
    world.send_request(Method::POST, "/account/contacts", request).await.assert_status(201);
    let verify = world
        .start_flow_in_session(
            json!({"kind": "verify_email", "email": "carla@example.com"}),
            Some(&bia.session),
        )
        .await;
    let link = world.emailed_link("carla@example.com").await;
    world.follow_link(&link).await.assert_problem(409, "conflict");
    assert_eq!(
        world.follow_link_in_flow(&verify, &link).await.assert_status(200).body["stage"],
        "email_verified"
    );
}

async fn magic_link_of_another_flow_expired_or_superseded_is_refused(world: &World) {
    world.create_user(ANA).await;
    world.create_user("bia@example.com").await;
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("email", named(ANA)).await.assert_status(200);
    let first = world.emailed_link(ANA).await;
    // After a restart with another address, the link to the first one does not work.
    walk.submit("restart", json!({})).await.assert_status(200);
    world.read_link(&first).await.assert_problem(404, "not_found");
    walk.submit("email", named("bia@example.com")).await.assert_status(200);
    world.follow_link_in_flow(&walk, &first).await.assert_problem(404, "not_found");
    let second = world.emailed_link("bia@example.com").await;
    // The user used the code instead.
    let code = world.emailed_code("bia@example.com").await;
    walk.submit("code", json!({"code": code})).await.assert_status(200);
    world.follow_link(&second).await.assert_problem(404, "not_found");

    world.clock.advance(EMAIL_CODE_INTERVAL);
    let mut late = world.start_flow(json!({"kind": "sign_in"})).await;
    late.submit("email", named(ANA)).await.assert_status(200);
    let old = world.emailed_link(ANA).await;
    world.clock.advance(EMAIL_CODE_LIFETIME);
    world.read_link(&old).await.assert_problem(404, "not_found");
    world.follow_link_in_flow(&late, &old).await.assert_problem(404, "not_found");
    for nonsense in ["sn_ml_nonsense", "nonsense", &first.replace("sn_ml_", "sn_al_")] {
        world.follow_link(nonsense).await.assert_problem(404, "not_found");
    }
}

async fn magic_link_ends_with_its_address_and_account(world: &World) {
    let ana = world.create_user(ANA).await;
    let engine = world.server.engine();
    let request_link = async |email: &str| {
        world.clock.advance(EMAIL_CODE_INTERVAL);
        let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
        walk.submit("email", named(email)).await.assert_status(200);
        (world.emailed_link(email).await, world.emailed_code(email).await, walk)
    };
    let (link, code, mut walk) = request_link(ANA).await;
    let account = accounts::find_account(engine.store(), ana.account).await.unwrap().unwrap();
    world
        .apply_statements([accounts::change_account_condition(
            ana.account,
            account.version,
            LifecycleCondition::Suspended,
            engine.now(),
        )])
        .await;
    world.follow_link_in_flow(&walk, &link).await.assert_problem(404, "not_found");
    walk.submit("code", json!({"code": code})).await.assert_problem(422, "unprocessable");

    let bia = world.create_user("bia@example.com").await;
    let (link, code, mut walk) = request_link("bia@example.com").await;
    world.apply_statements([contacts::delete_account_contacts(bia.account)]).await;
    world.follow_link_in_flow(&walk, &link).await.assert_problem(404, "not_found");
    walk.submit("code", json!({"code": code})).await.assert_problem(422, "unprocessable");
    // A link to an earlier owner of the address does not sign in its new owner.
    let next = world.create_user("bia@example.com").await;
    world.follow_link_in_flow(&walk, &link).await.assert_problem(404, "not_found");
    assert_eq!(
        sessions::list_account_sessions(engine.store(), next.account, engine.now()).await.unwrap().len(),
        1
    );
}

async fn magic_link_for_an_unknown_address_returns_the_same_response_and_sends_nothing(world: &World) {
    world.create_user(ANA).await;
    let (mut client, mut unknown) = (
        world.start_flow(json!({"kind": "sign_in"})).await,
        world.start_flow(json!({"kind": "sign_in"})).await,
    );
    let one = client.submit("email", named(ANA)).await.assert_status(200);
    let other = unknown.submit("email", named("eva@example.com")).await.assert_status(200);
    assert_eq!((one.text.len(), &one.body["stage"]), (other.text.len(), &other.body["stage"]));
    assert_eq!((world.count_emails_to(ANA).await, world.count_emails_to("eva@example.com").await), (1, 0));
}

async fn magic_link_in_a_browser_needs_the_button_of_its_page(world: &World) {
    world.create_user(ANA).await;
    let mut walk = world.start_browser_flow(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    walk.submit("email", named(ANA)).await.assert_status(200);
    let link = world.emailed_link(ANA).await;
    let page = world.get(&format!("/link?token={link}")).await.text().await.unwrap();
    assert!(
        page.contains("Sign in here?") && page.contains(ANA) && page.contains("name=\"token\""),
        "{page}"
    );
    let press = async |origin: &str, cookies: &str| {
        let form = world
            .http
            .post(world.public_url("/link"))
            .form(&[("token", link.as_str()), ("action", "follow")]);
        form.header("origin", origin).header("cookie", cookies).send().await.unwrap()
    };
    assert_eq!(press("https://evil.example", "").await.status(), 403);
    // A browser that did not request the link.
    let other = press(&world.origin(), "").await;
    assert_eq!(other.status(), 303);
    let cookies: Vec<_> =
        other.headers().get_all("set-cookie").iter().map(|it| it.to_str().unwrap()).collect();
    assert!(cookies.iter().any(|line| line.starts_with("sinete_session=sn_se_")), "{cookies:?}");
    walk.read_flow().await.assert_problem(410, "gone");
    assert_eq!(press(&world.origin(), "").await.status(), 410);
    world.sign_in_with_password(ANA, PASSWORD).await.assert_status(200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn magic_link_points_to_the_interaction_url_and_is_omitted_without_one() {
    use crate::harness::{database::TestEngine, world::World};
    let screens = ("SINETE_SCREENS_ENABLED", "false");
    let app = ("SINETE_FLOWS_INTERACTION_URL", "https://app.example.com/welcome?from=mail");
    let world = World::start_with_config(TestEngine::Sqlite, &[screens, app]).await;
    world.create_user(ANA).await;
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("email", named(ANA)).await.assert_status(200);
    let text = world.newest_email_text(ANA).await;
    let (_, link) = text.split_once("https://app.example.com/welcome?from=mail&link=").expect(&text);
    let response = world.follow_link(link.lines().next().unwrap()).await.assert_status(200);
    assert_eq!(response.body["stage"], "signed_in");
    assert_eq!(world.get("/link").await.status(), 404);
    world.stop().await;
    let world = World::start_with_config(TestEngine::Sqlite, &[screens]).await;
    world.create_user(ANA).await;
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("email", named(ANA)).await.assert_status(200);
    let text = world.newest_email_text(ANA).await;
    assert!(!text.contains("sn_ml_"), "{text}");
    let code = world.emailed_code(ANA).await;
    assert_eq!(
        walk.submit("code", json!({"code": code})).await.assert_status(200).body["stage"],
        "signed_in"
    );
    world.stop().await;
}
