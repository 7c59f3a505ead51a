//! Changing the e-mail address: the new one is verified first, the old one is notified and can undo the change for a
//! week.

use crate::both_engines;
use crate::harness::api_caller::{ApiRequest, ApiResponse};
use crate::harness::flow_client::{PASSWORD, TestUser};
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::id::ContactId;
use sinete_core::limits::{EMAIL_CODE_INTERVAL, PREVIOUS_EMAIL_LIFETIME, SENSITIVE_ACTION_AGE_MAX};
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::{ContactKind, NewContact};

const OLD: &str = "ana@example.com";
const NEW: &str = "ana@elsewhere.example";

async fn starts(user: &TestUser<'_>, email: &str) -> ApiResponse {
    let headers = vec![("authorization", format!("Session {}", user.session))];
    let body = Some(json!({"kind": "change_email", "email": email, "session": "token"}));
    user.world
        .send_request(Method::POST, "/flows", ApiRequest { body, headers, ..ApiRequest::default() })
        .await
}

/// Changes the address of a user who reads both.
async fn changes(user: &TestUser<'_>, email: &str) {
    let world = user.world;
    let mut walk = world
        .start_flow_in_session(json!({"kind": "change_email", "email": email}), Some(&user.session))
        .await;
    let code = world.emailed_code(email).await;
    assert_eq!(
        walk.submit("code", json!({"code": code})).await.assert_status(200).body["stage"],
        "email_changed"
    );
}

async fn owner_of(world: &World, email: &str) -> Option<sinete_core::id::AccountId> {
    let contact_row =
        contacts::find_verified_contact(world.server.engine().store(), ContactKind::Email, email)
            .await
            .unwrap();
    contact_row.map(|contact| contact.account)
}

fn undo_link(text: &str) -> String {
    let (_, rest) = text.split_once("/undo-email?token=").unwrap_or_else(|| panic!("no link in {text}"));
    rest.lines().next().unwrap().to_owned()
}

async fn press(world: &World, token: &str) -> u16 {
    let response = world
        .http
        .post(world.public_url("/links/undo-email"))
        .form(&[("token", token)])
        .send()
        .await
        .unwrap();
    response.status().as_u16()
}

both_engines!(
    email_change_happens_after_the_new_address_is_verified_and_notifies_the_old_one,
    email_change_is_undone_once_within_a_week_and_ends_every_session,
    email_change_undone_by_the_first_address_invalidates_later_undo_links,
    email_change_needs_recent_authentication_and_an_unused_address,
    email_change_of_the_primary_address_notifies_the_old_one_and_can_be_undone
);

async fn email_change_happens_after_the_new_address_is_verified_and_notifies_the_old_one(world: &World) {
    let ana = world.create_user(OLD).await;
    let mut walk =
        world.start_flow_in_session(json!({"kind": "change_email", "email": NEW}), Some(&ana.session)).await;
    assert_eq!((walk.stage(), owner_of(world, OLD).await), ("mailed_proof", Some(ana.account)));
    let (code, link) = (world.emailed_code(NEW).await, world.emailed_link(NEW).await);
    world.follow_link(&link).await.assert_problem(409, "conflict");
    walk.submit("code", json!({"code": "00000000"})).await.assert_problem(422, "unprocessable");
    assert_eq!((owner_of(world, NEW).await, world.count_emails_to(OLD).await), (None, 0));
    assert_eq!(
        walk.submit("code", json!({"code": code})).await.assert_status(200).body["stage"],
        "email_changed"
    );
    assert_eq!((owner_of(world, OLD).await, owner_of(world, NEW).await), (None, Some(ana.account)));
    let email_text = world.newest_email_text(OLD).await;
    assert!(email_text.contains(NEW) && email_text.contains("7 days"), "{email_text}");
    world.sign_in_with_password(OLD, PASSWORD).await.assert_problem(422, "unprocessable");
    world.sign_in_with_password(NEW, PASSWORD).await.assert_status(200);
    assert!(ana.is_signed_in().await);
}

async fn email_change_is_undone_once_within_a_week_and_ends_every_session(world: &World) {
    let ana = world.create_user(OLD).await;
    changes(&ana, NEW).await;
    let link = undo_link(&world.newest_email_text(OLD).await);
    for _ in 0..3 {
        let page = world
            .http
            .get(world.public_url(&format!("/undo-email?token={link}")))
            .header("accept", "text/html");
        assert_eq!(page.send().await.unwrap().status(), 200);
    }
    assert!(ana.is_signed_in().await && owner_of(world, OLD).await.is_none());
    assert_eq!(press(world, "sn_al_nonsense").await, 404);
    let (one, other) = tokio::join!(press(world, &link), press(world, &link));
    assert_eq!([one.min(other), one.max(other)], [200, 404]);
    assert!(!ana.is_signed_in().await);
    assert_eq!((owner_of(world, OLD).await, owner_of(world, NEW).await), (Some(ana.account), None));
    world.sign_in_with_password(OLD, PASSWORD).await.assert_status(200);
    let bia = world.create_user("bia@example.com").await;
    changes(&bia, "bia@elsewhere.example").await;
    let link = undo_link(&world.newest_email_text("bia@example.com").await);
    world.clock.advance(PREVIOUS_EMAIL_LIFETIME);
    assert_eq!(press(world, &link).await, 404);
}

/// An attacker who changed the address twice does not undo what the account holder undid.
async fn email_change_undone_by_the_first_address_invalidates_later_undo_links(world: &World) {
    let ana = world.create_user(OLD).await;
    changes(&ana, "thief@example.com").await;
    let owners = undo_link(&world.newest_email_text(OLD).await);
    world.clock.advance(EMAIL_CODE_INTERVAL);
    changes(&ana, "thief@elsewhere.example").await;
    let thiefs = undo_link(&world.newest_email_text("thief@example.com").await);
    assert_eq!(press(world, &owners).await, 200);
    assert_eq!(press(world, &thiefs).await, 404);
    assert_eq!(owner_of(world, OLD).await, Some(ana.account));
    assert_eq!(owner_of(world, "thief@elsewhere.example").await, None);
}

async fn email_change_needs_recent_authentication_and_an_unused_address(world: &World) {
    let ana = world.create_user(OLD).await;
    let bia = world.create_user("bia@example.com").await;
    starts(&ana, OLD).await.assert_problem(409, "conflict");
    for bad in ["", "nonsense", "a@b.example, c@d.example", "a@b.example\r\nBcc: c@d.example"] {
        starts(&ana, bad).await.assert_problem(422, "unprocessable");
    }
    // An address of another account gets the same response as a free one, and only that account is notified.
    let response = starts(&ana, "bia@example.com").await.assert_status(201);
    let free = starts(&ana, "eva@example.com").await.assert_status(201);
    assert_eq!((response.text.len(), &response.body["stage"]), (free.text.len(), &free.body["stage"]));
    assert!(world.newest_email_text("bia@example.com").await.contains("already"));
    assert_eq!(owner_of(world, "bia@example.com").await, Some(bia.account));
    // A flow ends with the session it was started in.
    world.clock.advance(EMAIL_CODE_INTERVAL);
    let mut walk =
        world.start_flow_in_session(json!({"kind": "change_email", "email": NEW}), Some(&ana.session)).await;
    let code = world.emailed_code(NEW).await;
    world
        .apply_statements([sinete_store::sign_in::sessions::end_account_sessions(
            ana.account,
            world.server.engine().now(),
        )])
        .await;
    walk.submit("code", json!({"code": code})).await.assert_problem(401, "unauthenticated");
    assert_eq!(owner_of(world, OLD).await, Some(ana.account));
    world.clock.advance(SENSITIVE_ACTION_AGE_MAX);
    world.clock.advance(EMAIL_CODE_INTERVAL);
    starts(&bia, NEW).await.assert_problem(401, "insufficient_user_authentication");
}

async fn email_change_of_the_primary_address_notifies_the_old_one_and_can_be_undone(world: &World) {
    let ana = world.create_user(OLD).await;
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
    world
        .apply_statements([
            contacts::add_contact(&added),
            contacts::verify_contact(ana.account, id, engine.now()),
        ])
        .await;
    let user = world
        .sign_in_account(ana.account, &AuthenticationEvidence::from_proof(AuthenticationProof::Password))
        .await;
    user.post(&format!("/account/contacts/{id}/primary"), json!(null)).await.assert_status(200);
    let email_text = world.newest_email_text(OLD).await;
    assert!(email_text.contains(NEW), "{email_text}");
    assert_eq!(world.count_emails_to(NEW).await, 0);
    let contacts = contacts::list_account_contacts(engine.store(), ana.account).await.unwrap();
    let old = contacts.iter().find(|it| it.address == OLD).unwrap().id;
    user.delete(&format!("/account/contacts/{old}")).await.assert_status(204);
    assert_eq!(owner_of(world, OLD).await, None);
    // An attacker made the change: the reader of the old address undoes it, however far it went.
    assert_eq!(press(world, &undo_link(&email_text)).await, 200);
    assert_eq!((owner_of(world, OLD).await, owner_of(world, NEW).await), (Some(ana.account), None));
    user.get("/account").await.assert_problem(401, "unauthenticated");
    // Choosing the current address sends no message.
    let user = world
        .sign_in_account(ana.account, &AuthenticationEvidence::from_proof(AuthenticationProof::Password))
        .await;
    let contacts = contacts::list_account_contacts(engine.store(), ana.account).await.unwrap();
    let before = world.count_emails_to(OLD).await;
    user.post(&format!("/account/contacts/{}/primary", contacts[0].id), json!(null)).await.assert_status(200);
    assert_eq!(world.count_emails_to(OLD).await, before);
}
