//! Sign-up: the reader of the address owns the account, and no response shows whether the address is taken.

use crate::both_engines;
use crate::harness::flow_client::PASSWORD;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::limits::EMAIL_CODE_INTERVAL;
use sinete_store::accounts::contacts;
use sinete_store::organizations::memberships;

both_engines!(
    sign_up_with_a_password_creates_a_member_of_home,
    sign_up_with_an_existing_address_returns_the_same_response_and_creates_nothing,
    sign_up_creates_the_account_of_the_address_owner_not_of_the_first_requester,
    sign_up_faults_are_all_reported_with_their_location
);

async fn sign_up_with_a_password_creates_a_member_of_home(world: &World) {
    let mut walk = world.start_flow(json!({"kind": "sign_up"})).await;
    assert_eq!((walk.stage(), &walk.last.body["actions"][0]["name"]), ("details", &json!("details")));
    let details = json!({"email": "Ana@Example.com", "password": PASSWORD, "name": "Ana"});
    assert_eq!(walk.submit("details", details).await.assert_status(200).body["stage"], "mailed_proof");
    let code = world.emailed_code("Ana@example.com").await;
    walk.submit("code", json!({"code": "00000000"})).await.assert_problem(422, "unprocessable");
    let response = walk.submit("code", json!({"code": code})).await.assert_status(200);
    assert_eq!(
        (&response.body["stage"], response.body["actions"].as_array().unwrap().len()),
        (&json!("signed_in"), 0)
    );
    let ana = world.user_with_session(&response.text_member("session_token")).await;
    let engine = world.server.engine();
    let contacts = contacts::list_account_contacts(engine.store(), ana.account).await.unwrap();
    assert_eq!((contacts.len(), contacts[0].lookup.as_str()), (1, "ana@example.com"));
    assert!(contacts[0].verified_at.is_some());
    let home = world.find_organization("home").await;
    let member = memberships::list_account_memberships(engine.store(), ana.account).await.unwrap();
    assert_eq!(member.iter().map(|it| it.organization).collect::<Vec<_>>(), [home.id]);
    let sign_in_response = world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_status(200);
    assert_eq!(sign_in_response.body["stage"], "signed_in");
}

async fn sign_up_with_an_existing_address_returns_the_same_response_and_creates_nothing(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let mut client = world.start_flow(json!({"kind": "sign_up"})).await;
    let mut free = world.start_flow(json!({"kind": "sign_up"})).await;
    let details = |email: &str| json!({"email": email, "password": "another password entirely"});
    let taken_reply = client.submit("details", details("ana@example.com")).await.assert_status(200);
    let free_reply = free.submit("details", details("bia@example.com")).await.assert_status(200);
    assert_eq!(taken_reply.text.len(), free_reply.text.len());
    assert_eq!(taken_reply.body["stage"], free_reply.body["stage"]);
    let email_text = world.newest_email_text("ana@example.com").await;
    assert!(email_text.contains("already"), "{email_text}");
    client.submit("code", json!({"code": "12345678"})).await.assert_problem(422, "unprocessable");
    assert!(ana.is_signed_in().await);
    world
        .sign_in_with_password("ana@example.com", "another password entirely")
        .await
        .assert_problem(422, "unprocessable");
    world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_status(200);
}

/// An attacker who signs up with another user's address first gets nothing and leaves nothing behind.
async fn sign_up_creates_the_account_of_the_address_owner_not_of_the_first_requester(world: &World) {
    let mut squatter = world.start_flow(json!({"kind": "sign_up"})).await;
    let details = json!({"email": "ana@example.com", "password": "the squatter's password"});
    squatter.submit("details", details).await.assert_status(200);
    let stolen = world.emailed_code("ana@example.com").await;
    world.clock.advance(EMAIL_CODE_INTERVAL);
    let ana = world.sign_up_user("ana@example.com").await;
    // Even with the first code, which only Ana has, the attacker is too late.
    squatter.submit("code", json!({"code": stolen})).await.assert_problem(409, "conflict");
    world
        .sign_in_with_password("ana@example.com", "the squatter's password")
        .await
        .assert_problem(422, "unprocessable");
    assert!(ana.is_signed_in().await);
}

async fn sign_up_faults_are_all_reported_with_their_location(world: &World) {
    let walk = world.start_flow(json!({"kind": "sign_up"})).await;
    let list_faults = async |body: serde_json::Value| {
        walk.try_submit("details", body).await.assert_problem(422, "unprocessable").fault_pointers()
    };
    assert_eq!(list_faults(json!({})).await, ["/email"]);
    assert_eq!(
        list_faults(json!({"email": "a@b.example", "password": PASSWORD, "more": 1})).await,
        ["/more"]
    );
    assert_eq!(
        list_faults(json!({"email": "a@b.example, c@d.example", "password": PASSWORD})).await,
        ["/email"]
    );
    assert_eq!(list_faults(json!({"email": ["a@b.example"], "password": PASSWORD})).await, ["/email"]);
    assert_eq!(
        list_faults(json!({"email": "a@b.example\r\nBcc: c@d.example", "password": PASSWORD})).await,
        ["/email"]
    );
    assert_eq!(list_faults(json!({"email": "a@b.example", "password": "too short"})).await, ["/password"]);
    assert_eq!(
        list_faults(json!({"email": "a@b.example", "password": "passwordpassword"})).await,
        ["/password"]
    );
    assert_eq!(
        list_faults(json!({"email": "long.address@b.example", "password": "long.address@b.example"})).await,
        ["/password"]
    );
    assert_eq!(walk.read_flow().await.assert_status(200).body["stage"], "details");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sign_up_is_refused_where_accounts_are_created_by_invitation() {
    use crate::harness::{database::TestEngine, world::World};
    let world = World::start_with_config(TestEngine::Sqlite, &[("SINETE_ACCOUNTS_SIGN_UP", "invited")]).await;
    let request = crate::harness::api_caller::ApiRequest {
        body: Some(json!({"kind": "sign_up", "session": "token"})),
        ..Default::default()
    };
    world.send_request(reqwest::Method::POST, "/flows", request).await.assert_problem(403, "forbidden");
    world.start_flow(json!({"kind": "sign_in"})).await;
    world.stop().await;
}
