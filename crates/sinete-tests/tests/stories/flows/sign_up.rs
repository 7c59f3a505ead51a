//! Making an account: whoever reads the address owns it, and nothing shows whether it was taken.

use crate::both_engines;
use crate::harness::person::PASSWORD;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::limits::MAILED_CODE_PAUSE;
use sinete_store::{contacts, memberships};

both_engines!(
    somebody_signs_up_with_a_password_and_is_a_member_of_home,
    a_taken_address_looks_like_a_free_one_and_makes_nothing,
    whoever_reads_the_address_owns_it_whoever_asked_first,
    every_fault_is_told_with_its_place
);

async fn somebody_signs_up_with_a_password_and_is_a_member_of_home(world: &World) {
    let mut walk = world.flow(json!({"kind": "sign_up"})).await;
    assert_eq!((walk.stage(), &walk.last.body["actions"][0]["name"]), ("details", &json!("details")));
    let details = json!({"email": "Ana@Example.com", "password": PASSWORD, "name": "Ana"});
    assert_eq!(walk.says("details", details).await.is(200).body["stage"], "mailed_proof");
    let code = world.mailed_code("Ana@example.com").await;
    walk.says("code", json!({"code": "00000000"})).await.refused(422, "unprocessable");
    let done = walk.says("code", json!({"code": code})).await.is(200);
    assert_eq!(
        (&done.body["stage"], done.body["actions"].as_array().unwrap().len()),
        (&json!("signed_in"), 0)
    );
    let ana = world.holding(&done.text_of("session_token")).await;
    let engine = world.server.engine();
    let known = contacts::of_account(engine.store(), ana.account).await.unwrap();
    assert_eq!((known.len(), known[0].lookup.as_str()), (1, "ana@example.com"));
    assert!(known[0].verified_at.is_some());
    let home = world.tenant_of("home").await;
    let member = memberships::of_account(engine.store(), ana.account).await.unwrap();
    assert_eq!(member.iter().map(|it| it.organization).collect::<Vec<_>>(), [home.id]);
    let again = world.sign_in("ana@example.com", PASSWORD).await.is(200);
    assert_eq!(again.body["stage"], "signed_in");
}

async fn a_taken_address_looks_like_a_free_one_and_makes_nothing(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let mut taken = world.flow(json!({"kind": "sign_up"})).await;
    let mut free = world.flow(json!({"kind": "sign_up"})).await;
    let details = |email: &str| json!({"email": email, "password": "another password entirely"});
    let taken_reply = taken.says("details", details("ana@example.com")).await.is(200);
    let free_reply = free.says("details", details("bia@example.com")).await.is(200);
    assert_eq!(taken_reply.text.len(), free_reply.text.len());
    assert_eq!(taken_reply.body["stage"], free_reply.body["stage"]);
    let told = world.newest_mail("ana@example.com").await;
    assert!(told.contains("already"), "{told}");
    taken.says("code", json!({"code": "12345678"})).await.refused(422, "unprocessable");
    assert!(ana.is_signed_in().await);
    world.sign_in("ana@example.com", "another password entirely").await.refused(422, "unprocessable");
    world.sign_in("ana@example.com", PASSWORD).await.is(200);
}

/// Somebody who signs up with another's address before them gets nothing, and leaves nothing behind.
async fn whoever_reads_the_address_owns_it_whoever_asked_first(world: &World) {
    let mut squatter = world.flow(json!({"kind": "sign_up"})).await;
    let wanted = json!({"email": "ana@example.com", "password": "the squatter's password"});
    squatter.says("details", wanted).await.is(200);
    let stolen = world.mailed_code("ana@example.com").await;
    world.clock.pass(MAILED_CODE_PAUSE);
    let ana = world.person("ana@example.com").await;
    // Even with the code that was mailed first, which only Ana has, the squatter comes too late.
    squatter.says("code", json!({"code": stolen})).await.refused(409, "conflict");
    world.sign_in("ana@example.com", "the squatter's password").await.refused(422, "unprocessable");
    assert!(ana.is_signed_in().await);
}

async fn every_fault_is_told_with_its_place(world: &World) {
    let walk = world.flow(json!({"kind": "sign_up"})).await;
    let faults = async |body: serde_json::Value| {
        walk.tries("details", body).await.refused(422, "unprocessable").faults()
    };
    assert_eq!(faults(json!({})).await, ["/email"]);
    assert_eq!(faults(json!({"email": "a@b.example", "password": PASSWORD, "more": 1})).await, ["/more"]);
    assert_eq!(faults(json!({"email": "a@b.example, c@d.example", "password": PASSWORD})).await, ["/email"]);
    assert_eq!(faults(json!({"email": ["a@b.example"], "password": PASSWORD})).await, ["/email"]);
    assert_eq!(
        faults(json!({"email": "a@b.example\r\nBcc: c@d.example", "password": PASSWORD})).await,
        ["/email"]
    );
    assert_eq!(faults(json!({"email": "a@b.example", "password": "too short"})).await, ["/password"]);
    assert_eq!(faults(json!({"email": "a@b.example", "password": "passwordpassword"})).await, ["/password"]);
    assert_eq!(
        faults(json!({"email": "long.address@b.example", "password": "long.address@b.example"})).await,
        ["/password"]
    );
    assert_eq!(walk.looks().await.is(200).body["stage"], "details");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_accounts_are_made_by_invitation_nobody_signs_up() {
    use crate::harness::{database::TestEngine, world::World};
    let world = World::begin_with(TestEngine::Sqlite, &[("SINETE_ACCOUNTS_SIGN_UP", "invited")]).await;
    let asked = crate::harness::api::ApiRequest {
        body: Some(json!({"kind": "sign_up", "session": "token"})),
        ..Default::default()
    };
    world.ask(reqwest::Method::POST, "/flows", asked).await.refused(403, "forbidden");
    world.flow(json!({"kind": "sign_in"})).await;
    world.end().await;
}
