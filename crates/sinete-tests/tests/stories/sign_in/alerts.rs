//! Sign-in alerts: users are notified of a sign-in on a new device or from an impossible distance, and can report it.

use crate::both_engines;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::events::security_event::{RequestOrigin, SecurityEventActor};
use sinete_core::id::{AccountId, ContactId};
use sinete_core::secret::{DeviceCookie, Digest, Secret};
use sinete_core::time::Lifetime;
use sinete_engine::EventCause;
use sinete_engine::sign_in::sessions;
use sinete_engine::sign_in::sessions::SessionStart;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::{ContactKind, NewContact};
use sinete_store::sign_in::known_devices;
use sinete_store::{JsonDocument, WriteBatch, accounts};

/// An account with a verified address.
async fn person(world: &World, address: &str) -> AccountId {
    let engine = world.server.engine();
    let (now, entropy) = (engine.now(), engine.entropy());
    let (account, contact) = (AccountId::mint(now, entropy), ContactId::mint(now, entropy));
    let nothing = JsonDocument::from_value(&serde_json::json!({})).unwrap();
    let new = NewContact {
        id: contact,
        account,
        kind: ContactKind::Email,
        address,
        lookup: address,
        is_primary: true,
        created_at: now,
    };
    let steps = [
        accounts::create_account(account, None, &nothing, now),
        contacts::add_contact(&new),
        contacts::verify_contact(account, contact, now),
    ];
    world.apply_statements(steps).await;
    account
}

fn device(world: &World) -> Digest<DeviceCookie> {
    Secret::<DeviceCookie>::mint(world.server.engine().entropy()).digest()
}

/// Signs an account in on a device, from an address, and returns the session token.
async fn signs_in(world: &World, account: AccountId, device: Digest<DeviceCookie>, address: &str) -> String {
    let engine = world.server.engine();
    let origin = RequestOrigin::new(
        None,
        Some(address.parse().unwrap()),
        Some("Mozilla/5.0 (X11; Linux) Firefox/140.0"),
    );
    let cause = EventCause { actor: SecurityEventActor::Account(account), origin };
    let account_row = accounts::find_account(engine.store(), account).await.unwrap().unwrap();
    let evidence = AuthenticationEvidence::default().with_proof(AuthenticationProof::Password);
    let start = SessionStart { account: &account_row, evidence: &evidence, device: Some(device) };
    let (batch, session) = sessions::start(engine, WriteBatch::new(), &start, &cause).await.unwrap();
    let description = JsonDocument::from_value(&serde_json::json!({})).unwrap();
    let batch =
        batch.with_statement(known_devices::record_device(account, &device, &description, engine.now()));
    engine.store().commit(batch).await.unwrap().into_result().unwrap();
    session.token.reveal()
}

async fn is_signed_in(world: &World, token: &str) -> bool {
    sessions::find(world.server.engine(), token).await.unwrap().is_some()
}

fn link(text: &str) -> String {
    let (_, rest) = text.split_once("/not-me?token=").expect(text);
    rest.lines().next().unwrap().to_owned()
}

async fn press(world: &World, token: &str) -> u16 {
    let response =
        world.http.post(world.public_url("/links/not-me")).form(&[("token", token)]).send().await.unwrap();
    response.status().as_u16()
}

const RECIFE: &str = "198.51.100.7";
const LISBON: &str = "203.0.113.7";

both_engines!(
    sign_in_alert_is_sent_once_for_a_new_device_and_for_impossible_travel,
    session_has_its_location_or_none_when_unknown,
    report_sign_in_ends_every_session_once_and_only_by_the_button,
    report_sign_in_continues_to_a_password_reset,
    report_sign_in_link_expires_after_a_week
);

async fn sign_in_alert_is_sent_once_for_a_new_device_and_for_impossible_travel(world: &World) {
    let ana = person(world, "ana@example.com").await;
    let (home, other) = (device(world), device(world));
    let deliver_emails = async || {
        world.deliver_messages().await;
        world.mailbox.emails_to("ana@example.com")
    };
    signs_in(world, ana, home, RECIFE).await;
    assert!(deliver_emails().await.is_empty(), "the first sign-in sends no alert");
    world.clock.advance(Lifetime::from_hours(1));
    signs_in(world, ana, home, RECIFE).await;
    assert!(deliver_emails().await.is_empty());
    signs_in(world, ana, other, RECIFE).await;
    let mail = deliver_emails().await;
    assert_eq!(mail.len(), 1);
    for part in ["Firefox on Linux", "Recife, Brazil", RECIFE, "/not-me?token=sn_al_"] {
        assert!(mail[0].text.contains(part) && mail[0].html.contains(part), "{part}: {}", mail[0].text);
    }
    world.clock.advance(Lifetime::from_hours(1));
    signs_in(world, ana, home, LISBON).await;
    let mail = deliver_emails().await;
    assert!(
        mail.len() == 2
            && mail[1].subject.contains("Unusual sign-in")
            && mail[1].text.contains("Lisbon, Portugal")
    );
    world.clock.advance(Lifetime::from_hours(24));
    signs_in(world, ana, home, RECIFE).await;
    assert_eq!(deliver_emails().await.len(), 2, "a day is enough for the distance");
}

async fn session_has_its_location_or_none_when_unknown(world: &World) {
    let ana = person(world, "ana@example.com").await;
    let token = signs_in(world, ana, device(world), RECIFE).await;
    // Sessions are ordered by id, which has milliseconds.
    world.clock.advance(Lifetime::from_micros(2_000));
    signs_in(world, ana, device(world), "192.0.2.1").await;
    let request_builder = world
        .http
        .get(world.public_url("/account/sessions"))
        .header("authorization", format!("Session {token}"));
    let sessions: serde_json::Value = request_builder.send().await.unwrap().json().await.unwrap();
    let list_values = |member: &str| {
        sessions["items"].as_array().unwrap().iter().map(|it| it[member].clone()).collect::<Vec<_>>()
    };
    assert_eq!(list_values("place"), [json!("Recife, Brazil"), json!(null)], "{sessions}");
    assert_eq!(list_values("address"), [RECIFE, "192.0.2.1"]);
    assert_eq!(list_values("device"), ["Firefox on Linux", "Firefox on Linux"]);
    // The page and the e-mail are in the user's language.
    let page = async || world.create_page_browser("en").with_session(&token).open_page("/my-account").await;
    assert!(page().await.contains("<strong>Firefox on Linux"));
    let user = SignedInUser { world, account: ana, token: token.clone() };
    let version = user.get("/account").await.assert_status(200).version();
    user.patch("/account", Some(version), json!({"language": "pt"})).await.assert_status(200);
    // So are e-mails.
    world.clock.advance(Lifetime::from_micros(2_000));
    signs_in(world, ana, device(world), RECIFE).await;
    let outgoing_email = world.newest_email_to("ana@example.com").await.unwrap();
    for text in [page().await, outgoing_email.text, outgoing_email.html] {
        assert!(text.contains("Firefox no Linux") && !text.contains("Firefox on"), "{text}");
    }
}

async fn report_sign_in_ends_every_session_once_and_only_by_the_button(world: &World) {
    let ana = person(world, "ana@example.com").await;
    let bob = person(world, "bob@example.com").await;
    let first = signs_in(world, ana, device(world), RECIFE).await;
    let second = signs_in(world, ana, device(world), RECIFE).await;
    let bobs = signs_in(world, bob, device(world), RECIFE).await;
    world.deliver_messages().await;
    let token = link(&world.mailbox.emails_to("ana@example.com")[0].text);
    // A mail scanner opens every link, more than once.
    for _ in 0..10 {
        let page =
            world.http.get(world.public_url(&format!("/not-me?token={token}"))).header("accept", "text/html");
        assert_eq!(page.send().await.unwrap().status(), 200);
        let head = world.http.head(world.public_url(&format!("/not-me?token={token}"))).send().await.unwrap();
        assert_eq!(head.status(), 200);
    }
    assert!(is_signed_in(world, &first).await && is_signed_in(world, &second).await);
    assert_eq!(press(world, "sn_al_nonsense").await, 404);
    let mut answers = together([(); 8].map(|()| press(world, &token))).await;
    answers.sort_unstable();
    assert_eq!(answers, [200, 404, 404, 404, 404, 404, 404, 404]);
    assert!(!is_signed_in(world, &first).await && !is_signed_in(world, &second).await);
    assert!(is_signed_in(world, &bobs).await, "sessions of another account stay active");
}

async fn report_sign_in_continues_to_a_password_reset(world: &World) {
    let ana = person(world, "ana@example.com").await;
    let session = signs_in(world, ana, device(world), RECIFE).await;
    signs_in(world, ana, device(world), RECIFE).await;
    world.deliver_messages().await;
    let token = link(&world.mailbox.emails_to("ana@example.com")[0].text);
    let response =
        world.http.post(world.public_url("/links/not-me")).form(&[("token", token)]).send().await.unwrap();
    let report_body: serde_json::Value = response.json().await.unwrap();
    assert_eq!(
        (&report_body["sessions_ended"], &report_body["flow"]["kind"]),
        (&json!(true), &json!("reset_password"))
    );
    assert_eq!(report_body["flow"]["stage"], "mailed_proof", "the reset needs a code in another e-mail");
    assert!(!is_signed_in(world, &session).await);
    let flow = |member: &str| report_body["flow"][member].as_str().unwrap().to_owned();
    let mut walk = world.continue_flow(&flow("id"), &flow("flow_token")).await;
    walk.try_submit("new_password", json!({"password": "a new kettle sings"}))
        .await
        .assert_problem(409, "conflict");
    let code = world.emailed_code("ana@example.com").await;
    walk.submit("code", json!({"code": code})).await.assert_status(200);
    let response =
        walk.submit("new_password", json!({"password": "a new kettle sings"})).await.assert_status(200);
    assert_eq!((&response.body["stage"], response.body.get("session_token")), (&json!("password_set"), None));
    world.sign_in_with_password("ana@example.com", "a new kettle sings").await.assert_status(200);
}

async fn report_sign_in_link_expires_after_a_week(world: &World) {
    let ana = person(world, "ana@example.com").await;
    signs_in(world, ana, device(world), RECIFE).await;
    signs_in(world, ana, device(world), RECIFE).await;
    world.deliver_messages().await;
    let token = link(&world.mailbox.emails_to("ana@example.com")[0].text);
    world.clock.advance(Lifetime::from_days(7));
    assert_eq!(press(world, &token).await, 404);
}

/// The results of concurrent requests.
async fn together<F: Future<Output = u16>>(all: [F; 8]) -> [u16; 8] {
    let [a, b, c, d, e, f, g, h] = all;
    let (a, b, c, d, e, f, g, h) = tokio::join!(a, b, c, d, e, f, g, h);
    [a, b, c, d, e, f, g, h]
}
