//! Links by mail: opening one tells what it is for, following it proves that its reader reads the address, once.

use crate::both_engines;
use crate::harness::api::ApiRequest;
use crate::harness::person::PASSWORD;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_core::limits::{MAILED_CODE_LIFETIME, MAILED_CODE_PAUSE};
use sinete_core::people::LifecycleCondition;
use sinete_store::{accounts, contacts, sessions};
use std::collections::BTreeMap;

const ANA: &str = "ana@example.com";

fn named(email: &str) -> serde_json::Value {
    json!({"email": email})
}

both_engines!(
    a_link_signs_in_whoever_asked_for_it_once_and_opening_it_spends_nothing,
    a_link_goes_on_where_it_is_opened_and_nowhere_else,
    what_somebody_prepared_is_confirmed_where_it_was_prepared,
    a_link_of_another_flow_too_old_or_overtaken_is_worth_nothing,
    a_link_ends_with_the_address_and_with_the_account,
    an_address_that_is_nobodys_is_answered_alike_and_sent_nothing,
    a_browser_follows_a_link_with_a_button_that_only_our_page_presses
);

async fn a_link_signs_in_whoever_asked_for_it_once_and_opening_it_spends_nothing(world: &World) {
    let ana = world.somebody(ANA).await;
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    walk.says("email", named(ANA)).await.is(200);
    let link = world.mailed_link(ANA).await;
    for _ in 0..10 {
        let told = world.looks_at_link(&link).await.is(200).body;
        assert_eq!(
            (&told["kind"], &told["email"], &told["flow"]),
            (&json!("sign_in"), &json!(ANA), &json!(walk.id))
        );
        assert_eq!(told["works_anywhere"], true);
        let page = world.public(&format!("/link?token={link}"));
        assert_eq!(world.http.head(&page).send().await.unwrap().status(), 200);
        let shown = world.http.get(&page).header("accept", "text/html").send().await.unwrap();
        assert_eq!((shown.status().as_u16(), shown.headers().get("set-cookie").is_none()), (200, true));
    }
    let done = world.follows_link_in(&walk, &link).await.is(200);
    assert_eq!(done.body["stage"], "signed_in");
    let signed_in = world.holding(&done.text_of("session_token")).await;
    assert_eq!(signed_in.account, ana.account);
    world.follows_link_in(&walk, &link).await.refused(404, "not_found");
    world.follows_link(&link).await.refused(404, "not_found");
    world.looks_at_link(&link).await.refused(404, "not_found");
}

/// What was prepared by somebody else is theirs who followed the link, and nobody else's any more.
async fn a_link_goes_on_where_it_is_opened_and_nowhere_else(world: &World) {
    let ana = world.somebody(ANA).await;
    world.has_totp(&ana).await;
    let mut began = world.flow(json!({"kind": "sign_in"})).await;
    began.says("email", named(ANA)).await.is(200);
    let link = world.mailed_link(ANA).await;
    let taken = world.follows_link(&link).await.is(200);
    assert_eq!((&taken.body["stage"], &taken.body["id"]), (&json!("second_factor"), &json!(began.id)));
    assert!(taken.body.get("session_token").is_none());
    began.looks().await.refused(404, "not_found");
    world.walking(&began.id, &taken.text_of("flow_token")).await;

    world.clock.pass(MAILED_CODE_PAUSE);
    let mut reset = world.flow(json!({"kind": "reset_password"})).await;
    reset.says("email", named(ANA)).await.is(200);
    let link = world.mailed_link(ANA).await;
    assert_eq!(world.looks_at_link(&link).await.is(200).body["kind"], "reset_password");
    let taken = world.follows_link(&link).await.is(200);
    assert_eq!(taken.body["stage"], "new_password");
    let mut reader = world.walking(&reset.id, &taken.text_of("flow_token")).await;
    reset.tries("new_password", json!({"password": "chosen by another"})).await.refused(404, "not_found");
    let done = reader.says("new_password", json!({"password": "a new kettle sings"})).await.is(200);
    assert_eq!((done.body["stage"].as_str(), done.body.get("session_token")), (Some("password_set"), None));
    world.sign_in(ANA, "a new kettle sings").await.is(200);
}

/// A button pressed by whoever reads the mail makes no account with what somebody else chose, and gives no account
/// of somebody else an address.
async fn what_somebody_prepared_is_confirmed_where_it_was_prepared(world: &World) {
    let mut stranger = world.flow(json!({"kind": "sign_up"})).await;
    stranger.says("details", json!({"email": ANA, "password": "chosen by a stranger"})).await.is(200);
    let link = world.mailed_link(ANA).await;
    assert_eq!(world.looks_at_link(&link).await.is(200).body["works_anywhere"], false);
    world.follows_link(&link).await.refused(409, "conflict");
    let page = world.public("/link");
    let pressed = world.http.post(&page).header("origin", world.origin()).form(&[("token", &link)]);
    assert_eq!(pressed.send().await.unwrap().status(), 409);
    let engine = world.server.engine();
    assert!(
        contacts::find_verified(engine.store(), contacts::ContactKind::Email, ANA).await.unwrap().is_none()
    );
    // Where it was begun it works, and the refusals spent nothing.
    let done = world.follows_link_in(&stranger, &link).await.is(200);
    assert_eq!(done.body["stage"], "signed_in");
    world.sign_in(ANA, "chosen by a stranger").await.is(200);

    let bia = world.somebody("bia@example.com").await;
    let headers = vec![("authorization", format!("Session {}", bia.session))];
    let asked = ApiRequest {
        body: Some(json!({"kind": "email", "address": "carla@example.com"})),
        headers,
        ..ApiRequest::default()
    };
    world.ask(Method::POST, "/account/contacts", asked).await.is(201);
    let verify = world
        .flow_as(json!({"kind": "verify_email", "email": "carla@example.com"}), Some(&bia.session))
        .await;
    let link = world.mailed_link("carla@example.com").await;
    world.follows_link(&link).await.refused(409, "conflict");
    assert_eq!(world.follows_link_in(&verify, &link).await.is(200).body["stage"], "email_verified");
}

async fn a_link_of_another_flow_too_old_or_overtaken_is_worth_nothing(world: &World) {
    world.somebody(ANA).await;
    world.somebody("bia@example.com").await;
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    walk.says("email", named(ANA)).await.is(200);
    let first = world.mailed_link(ANA).await;
    // Whoever begins anew with another address is not let in by the link to the first one.
    walk.says("restart", json!({})).await.is(200);
    world.looks_at_link(&first).await.refused(404, "not_found");
    walk.says("email", named("bia@example.com")).await.is(200);
    world.follows_link_in(&walk, &first).await.refused(404, "not_found");
    let second = world.mailed_link("bia@example.com").await;
    // The other way was taken: the code.
    let code = world.mailed_code("bia@example.com").await;
    walk.says("code", json!({"code": code})).await.is(200);
    world.follows_link(&second).await.refused(404, "not_found");

    world.clock.pass(MAILED_CODE_PAUSE);
    let mut late = world.flow(json!({"kind": "sign_in"})).await;
    late.says("email", named(ANA)).await.is(200);
    let old = world.mailed_link(ANA).await;
    world.clock.pass(MAILED_CODE_LIFETIME);
    world.looks_at_link(&old).await.refused(404, "not_found");
    world.follows_link_in(&late, &old).await.refused(404, "not_found");
    for nonsense in ["sn_ml_nonsense", "nonsense", &first.replace("sn_ml_", "sn_al_")] {
        world.follows_link(nonsense).await.refused(404, "not_found");
    }
}

async fn a_link_ends_with_the_address_and_with_the_account(world: &World) {
    let ana = world.somebody(ANA).await;
    let engine = world.server.engine();
    let sent = async |email: &str| {
        world.clock.pass(MAILED_CODE_PAUSE);
        let mut walk = world.flow(json!({"kind": "sign_in"})).await;
        walk.says("email", named(email)).await.is(200);
        (world.mailed_link(email).await, world.mailed_code(email).await, walk)
    };
    let (link, code, mut walk) = sent(ANA).await;
    let known = accounts::find(engine.store(), ana.account).await.unwrap().unwrap();
    world
        .happens([accounts::change_condition(
            ana.account,
            known.version,
            LifecycleCondition::Suspended,
            engine.now(),
        )])
        .await;
    world.follows_link_in(&walk, &link).await.refused(404, "not_found");
    walk.says("code", json!({"code": code})).await.refused(422, "unprocessable");

    let bia = world.somebody("bia@example.com").await;
    let (link, code, mut walk) = sent("bia@example.com").await;
    world.happens([contacts::forget_all(bia.account)]).await;
    world.follows_link_in(&walk, &link).await.refused(404, "not_found");
    walk.says("code", json!({"code": code})).await.refused(422, "unprocessable");
    // Whoever has the address now is not let in to their account by what was sent to the one before.
    let next = world.somebody("bia@example.com").await;
    world.follows_link_in(&walk, &link).await.refused(404, "not_found");
    assert_eq!(sessions::of_account(engine.store(), next.account, engine.now()).await.unwrap().len(), 1);
}

async fn an_address_that_is_nobodys_is_answered_alike_and_sent_nothing(world: &World) {
    world.somebody(ANA).await;
    let (mut known, mut unknown) =
        (world.flow(json!({"kind": "sign_in"})).await, world.flow(json!({"kind": "sign_in"})).await);
    let one = known.says("email", named(ANA)).await.is(200);
    let other = unknown.says("email", named("eva@example.com")).await.is(200);
    assert_eq!((one.text.len(), &one.body["stage"]), (other.text.len(), &other.body["stage"]));
    assert_eq!((world.mails_to(ANA).await, world.mails_to("eva@example.com").await), (1, 0));
}

async fn a_browser_follows_a_link_with_a_button_that_only_our_page_presses(world: &World) {
    world.somebody(ANA).await;
    let mut walk = world.browse(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    walk.says("email", named(ANA)).await.is(200);
    let link = world.mailed_link(ANA).await;
    let page = world.get(&format!("/link?token={link}")).await.text().await.unwrap();
    assert!(
        page.contains("Sign in here?") && page.contains(ANA) && page.contains("name=\"token\""),
        "{page}"
    );
    let press = async |origin: &str, cookies: &str| {
        let form =
            world.http.post(world.public("/link")).form(&[("token", link.as_str()), ("action", "follow")]);
        form.header("origin", origin).header("cookie", cookies).send().await.unwrap()
    };
    assert_eq!(press("https://evil.example", "").await.status(), 403);
    // Another browser than the one it was asked for in.
    let other = press(&world.origin(), "").await;
    assert_eq!(other.status(), 303);
    let cookies: Vec<_> =
        other.headers().get_all("set-cookie").iter().map(|it| it.to_str().unwrap()).collect();
    assert!(cookies.iter().any(|line| line.starts_with("session=sn_se_")), "{cookies:?}");
    walk.looks().await.refused(410, "gone");
    assert_eq!(press(&world.origin(), "").await.status(), 410);
    world.sign_in(ANA, PASSWORD).await.is(200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_people_are_led_elsewhere_the_link_leads_there_and_where_they_are_led_nowhere_there_is_none() {
    use crate::harness::{database::TestEngine, world::World};
    let screens = ("SINETE_SCREENS_ENABLED", "false");
    let app = ("SINETE_FLOWS_INTERACTION_URL", "https://app.example.com/welcome?from=mail");
    let world = World::begin_with(TestEngine::Sqlite, &[screens, app]).await;
    world.somebody(ANA).await;
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    walk.says("email", named(ANA)).await.is(200);
    let text = world.newest_mail(ANA).await;
    let (_, link) = text.split_once("https://app.example.com/welcome?from=mail&link=").expect(&text);
    let done = world.follows_link(link.lines().next().unwrap()).await.is(200);
    assert_eq!(done.body["stage"], "signed_in");
    assert_eq!(world.get("/link").await.status(), 404);
    world.end().await;
    let world = World::begin_with(TestEngine::Sqlite, &[screens]).await;
    world.somebody(ANA).await;
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    walk.says("email", named(ANA)).await.is(200);
    let text = world.newest_mail(ANA).await;
    assert!(!text.contains("sn_ml_"), "{text}");
    let code = world.mailed_code(ANA).await;
    assert_eq!(walk.says("code", json!({"code": code})).await.is(200).body["stage"], "signed_in");
    world.end().await;
}
