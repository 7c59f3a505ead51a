//! Another address to be reached at: proven first, told to the old one, and brought back by it for a week.

use crate::both_engines;
use crate::harness::api::{ApiRequest, ApiResponse};
use crate::harness::person::{PASSWORD, TestUser};
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::id::ContactId;
use sinete_core::limits::{FORMER_ADDRESS_LIFETIME, MAILED_CODE_PAUSE, SENSITIVE_AGE_MAX};
use sinete_store::contacts::{self, ContactKind, NewContact};

const OLD: &str = "ana@example.com";
const NEW: &str = "ana@elsewhere.example";

async fn starts(person: &TestUser<'_>, email: &str) -> ApiResponse {
    let headers = vec![("authorization", format!("Session {}", person.session))];
    let body = Some(json!({"kind": "change_email", "email": email, "session": "token"}));
    person.world.ask(Method::POST, "/flows", ApiRequest { body, headers, ..ApiRequest::default() }).await
}

/// Changes the address of somebody, who reads both.
async fn changes(person: &TestUser<'_>, email: &str) {
    let world = person.world;
    let mut walk =
        world.flow_as(json!({"kind": "change_email", "email": email}), Some(&person.session)).await;
    let code = world.mailed_code(email).await;
    assert_eq!(walk.says("code", json!({"code": code})).await.is(200).body["stage"], "email_changed");
}

async fn owner_of(world: &World, email: &str) -> Option<sinete_core::id::AccountId> {
    let found =
        contacts::find_verified(world.server.engine().store(), ContactKind::Email, email).await.unwrap();
    found.map(|contact| contact.account)
}

fn undo_link(text: &str) -> String {
    let (_, rest) = text.split_once("/undo-email?token=").unwrap_or_else(|| panic!("no link in {text}"));
    rest.lines().next().unwrap().to_owned()
}

async fn press(world: &World, token: &str) -> u16 {
    let sent =
        world.http.post(world.public("/links/undo-email")).form(&[("token", token)]).send().await.unwrap();
    sent.status().as_u16()
}

both_engines!(
    an_address_changes_when_the_new_one_is_proven_and_the_old_one_is_told,
    the_old_address_brings_itself_back_once_within_a_week_and_ends_every_session,
    what_was_changed_later_does_not_come_back_after_the_first_address_did,
    an_address_is_changed_by_whoever_just_proved_who_they_are_and_to_nobody_elses,
    an_address_that_another_is_chosen_over_is_told_and_brings_itself_back
);

async fn an_address_changes_when_the_new_one_is_proven_and_the_old_one_is_told(world: &World) {
    let ana = world.somebody(OLD).await;
    let mut walk = world.flow_as(json!({"kind": "change_email", "email": NEW}), Some(&ana.session)).await;
    assert_eq!((walk.stage(), owner_of(world, OLD).await), ("mailed_proof", Some(ana.account)));
    let (code, link) = (world.mailed_code(NEW).await, world.mailed_link(NEW).await);
    world.follows_link(&link).await.refused(409, "conflict");
    walk.says("code", json!({"code": "00000000"})).await.refused(422, "unprocessable");
    assert_eq!((owner_of(world, NEW).await, world.mails_to(OLD).await), (None, 0));
    assert_eq!(walk.says("code", json!({"code": code})).await.is(200).body["stage"], "email_changed");
    assert_eq!((owner_of(world, OLD).await, owner_of(world, NEW).await), (None, Some(ana.account)));
    let told = world.newest_mail(OLD).await;
    assert!(told.contains(NEW) && told.contains("7 days"), "{told}");
    world.sign_in(OLD, PASSWORD).await.refused(422, "unprocessable");
    world.sign_in(NEW, PASSWORD).await.is(200);
    assert!(ana.is_signed_in().await);
}

async fn the_old_address_brings_itself_back_once_within_a_week_and_ends_every_session(world: &World) {
    let ana = world.somebody(OLD).await;
    changes(&ana, NEW).await;
    let link = undo_link(&world.newest_mail(OLD).await);
    for _ in 0..3 {
        let page =
            world.http.get(world.public(&format!("/undo-email?token={link}"))).header("accept", "text/html");
        assert_eq!(page.send().await.unwrap().status(), 200);
    }
    assert!(ana.is_signed_in().await && owner_of(world, OLD).await.is_none());
    assert_eq!(press(world, "sn_al_nonsense").await, 404);
    let (one, other) = tokio::join!(press(world, &link), press(world, &link));
    assert_eq!([one.min(other), one.max(other)], [200, 404]);
    assert!(!ana.is_signed_in().await);
    assert_eq!((owner_of(world, OLD).await, owner_of(world, NEW).await), (Some(ana.account), None));
    world.sign_in(OLD, PASSWORD).await.is(200);
    let bia = world.somebody("bia@example.com").await;
    changes(&bia, "bia@elsewhere.example").await;
    let link = undo_link(&world.newest_mail("bia@example.com").await);
    world.clock.pass(FORMER_ADDRESS_LIFETIME);
    assert_eq!(press(world, &link).await, 404);
}

/// Whoever took an account over and moved it on twice does not undo what its owner undid.
async fn what_was_changed_later_does_not_come_back_after_the_first_address_did(world: &World) {
    let ana = world.somebody(OLD).await;
    changes(&ana, "thief@example.com").await;
    let owners = undo_link(&world.newest_mail(OLD).await);
    world.clock.pass(MAILED_CODE_PAUSE);
    changes(&ana, "thief@elsewhere.example").await;
    let thiefs = undo_link(&world.newest_mail("thief@example.com").await);
    assert_eq!(press(world, &owners).await, 200);
    assert_eq!(press(world, &thiefs).await, 404);
    assert_eq!(owner_of(world, OLD).await, Some(ana.account));
    assert_eq!(owner_of(world, "thief@elsewhere.example").await, None);
}

async fn an_address_is_changed_by_whoever_just_proved_who_they_are_and_to_nobody_elses(world: &World) {
    let ana = world.somebody(OLD).await;
    let bia = world.somebody("bia@example.com").await;
    starts(&ana, OLD).await.refused(409, "conflict");
    for bad in ["", "nonsense", "a@b.example, c@d.example", "a@b.example\r\nBcc: c@d.example"] {
        starts(&ana, bad).await.refused(422, "unprocessable");
    }
    // Somebody else's address is answered like one that is free, and only they are told.
    let taken = starts(&ana, "bia@example.com").await.is(201);
    let free = starts(&ana, "eva@example.com").await.is(201);
    assert_eq!((taken.text.len(), &taken.body["stage"]), (free.text.len(), &free.body["stage"]));
    assert!(world.newest_mail("bia@example.com").await.contains("already"));
    assert_eq!(owner_of(world, "bia@example.com").await, Some(bia.account));
    // What is begun ends with the session it was begun in.
    world.clock.pass(MAILED_CODE_PAUSE);
    let mut walk = world.flow_as(json!({"kind": "change_email", "email": NEW}), Some(&ana.session)).await;
    let code = world.mailed_code(NEW).await;
    world.happens([sinete_store::sessions::end_all(ana.account, world.server.engine().now())]).await;
    walk.says("code", json!({"code": code})).await.refused(401, "unauthenticated");
    assert_eq!(owner_of(world, OLD).await, Some(ana.account));
    world.clock.pass(SENSITIVE_AGE_MAX);
    world.clock.pass(MAILED_CODE_PAUSE);
    starts(&bia, NEW).await.refused(401, "insufficient_user_authentication");
}

async fn an_address_that_another_is_chosen_over_is_told_and_brings_itself_back(world: &World) {
    let ana = world.somebody(OLD).await;
    let engine = world.server.engine();
    let id = ContactId::mint(engine.now(), engine.entropy());
    let added = NewContact {
        id,
        account: ana.account,
        kind: ContactKind::Email,
        address: NEW,
        lookup: NEW,
        is_primary: false,
        created_at: engine.now(),
    };
    world.happens([contacts::add(&added), contacts::verify(ana.account, id, engine.now())]).await;
    let oneself =
        world.signs_in(ana.account, &AuthenticationEvidence::of(AuthenticationProof::Password)).await;
    oneself.post(&format!("/account/contacts/{id}/primary"), json!(null)).await.is(200);
    let told = world.newest_mail(OLD).await;
    assert!(told.contains(NEW), "{told}");
    assert_eq!(world.mails_to(NEW).await, 0);
    let known = contacts::of_account(engine.store(), ana.account).await.unwrap();
    let old = known.iter().find(|it| it.address == OLD).unwrap().id;
    oneself.delete(&format!("/account/contacts/{old}")).await.is(204);
    assert_eq!(owner_of(world, OLD).await, None);
    // Whoever did that was not Ana: it is undone by who reads the old address, however far it went.
    assert_eq!(press(world, &undo_link(&told)).await, 200);
    assert_eq!((owner_of(world, OLD).await, owner_of(world, NEW).await), (Some(ana.account), None));
    oneself.get("/account").await.refused(401, "unauthenticated");
    // Choosing what is chosen already tells nobody anything.
    let oneself =
        world.signs_in(ana.account, &AuthenticationEvidence::of(AuthenticationProof::Password)).await;
    let known = contacts::of_account(engine.store(), ana.account).await.unwrap();
    let before = world.mails_to(OLD).await;
    oneself.post(&format!("/account/contacts/{}/primary", known[0].id), json!(null)).await.is(200);
    assert_eq!(world.mails_to(OLD).await, before);
}
