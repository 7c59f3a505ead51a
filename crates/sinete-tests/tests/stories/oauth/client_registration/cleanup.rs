//! Unused registrations are deleted.

use super::{TestRegistration, minimal_metadata_with, register_client};
use crate::both_engines;
use crate::harness::grants::GrantRequest;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::client_id::ClientId;
use sinete_core::time::Lifetime;
use sinete_engine::oauth::dcr::remove_unused;
use sinete_store::oauth::dcr;

async fn is_there(world: &World, client: &TestRegistration) -> bool {
    let id: ClientId = client.id.parse().unwrap();
    sinete_store::oauth::clients::find_client(world.server.engine().store(), &id).await.unwrap().is_some()
}

async fn used(world: &World, client: &TestRegistration) {
    let id: ClientId = client.id.parse().unwrap();
    world.apply_statements([dcr::record_client_use(&id, world.server.engine().now())]).await;
}

both_engines!(
    client_registration_unused_is_removed_after_a_day,
    client_registration_used_is_removed_thirty_days_after_the_last_use,
    client_registration_with_grants_or_delegations_is_not_deleted,
    client_registration_verified_or_added_by_an_administrator_is_not_deleted,
    client_registration_cleanup_removes_any_number
);

async fn client_registration_unused_is_removed_after_a_day(world: &World) {
    let engine = world.server.engine();
    let confidential = minimal_metadata_with(json!({"token_endpoint_auth_method": "client_secret_post"}));
    let client =
        TestRegistration::from_response(&register_client(world, &confidential).await.assert_status(201));
    world.clock.advance(Lifetime::from_hours(23));
    assert_eq!(remove_unused(engine).await.unwrap(), 0);
    client.read(world, &client.token).await.assert_status(200);
    let younger = TestRegistration::new(world).await;
    world.clock.advance(Lifetime::from_minutes(61));
    assert_eq!(remove_unused(engine).await.unwrap(), 1);
    assert!(!is_there(world, &client).await && is_there(world, &younger).await);
    client.read(world, &client.token).await.assert_oauth_error(401, "invalid_token");
    assert!(world.dump_database().await["client_secrets"].is_empty());
}

async fn client_registration_used_is_removed_thirty_days_after_the_last_use(world: &World) {
    let engine = world.server.engine();
    let client = TestRegistration::new(world).await;
    used(world, &client).await;
    world.clock.advance(Lifetime::from_days(20));
    assert_eq!(remove_unused(engine).await.unwrap(), 0);
    used(world, &client).await;
    world.clock.advance(Lifetime::from_days(29));
    assert_eq!(remove_unused(engine).await.unwrap(), 0);
    world.clock.advance(Lifetime::from_days(2));
    assert_eq!(remove_unused(engine).await.unwrap(), 1);
    assert!(!is_there(world, &client).await);
}

/// A registered client is kept while it has grants or acts for users.
async fn client_registration_with_grants_or_delegations_is_not_deleted(world: &World) {
    let engine = world.server.engine();
    let (used, unused) = (TestRegistration::new(world).await, TestRegistration::new(world).await);
    let id: ClientId = used.id.parse().unwrap();
    let acme = world.create_organization("acme").await;
    let membership = world.create_member(&acme, &["member"]).await;
    let tokens = world.create_grant(&acme, membership, &id, GrantRequest::for_scope("openid")).await;
    let exchanged = async |token: &str| {
        let form = [
            ("grant_type", "token-exchange"),
            ("client_id", used.id.as_str()),
            ("subject_token", token),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"),
        ];
        let answer = world.http.post(world.public_url("/connect/token")).form(&form).send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    // Only the time of the last use changes in the client's row.
    let load_row = async || {
        world.dump_database().await["clients"].iter().find(|row| row.contains(&used.id)).unwrap().clone()
    };
    let never = load_row().await;
    let (status, text) = exchanged(&tokens.issue_access_token().await).await;
    assert_eq!(status, 200, "{text}");
    let first = load_row().await;
    assert_ne!(first, never);
    // The time of the last use is written at intervals, however often the client is used.
    world.clock.advance(Lifetime::from_minutes(5));
    assert_eq!(exchanged(&tokens.issue_access_token().await).await.0, 200);
    assert_eq!(load_row().await, first);
    world.clock.advance(Lifetime::from_hours(2));
    assert_eq!(exchanged(&tokens.issue_access_token().await).await.0, 200);
    let later = load_row().await;
    assert_ne!(later, first);
    // A refused request does not count as use.
    world.clock.advance(Lifetime::from_hours(2));
    assert_eq!(exchanged("nonsense").await.0, 400);
    assert_eq!(load_row().await, later);
    world.clock.advance(Lifetime::from_days(2));
    assert_eq!(remove_unused(engine).await.unwrap(), 1);
    assert!(is_there(world, &used).await && !is_there(world, &unused).await);
}

async fn client_registration_verified_or_added_by_an_administrator_is_not_deleted(world: &World) {
    let engine = world.server.engine();
    let operator = world.create_operator().await;
    let vouched = TestRegistration::new(world).await;
    operator
        .post(&format!("/manage/clients/{}/verification", vouched.id), Value::Null)
        .await
        .assert_status(200);
    let added = json!({"kind": "application", "metadata": {"client_name": "Portal", "redirect_uris": ["https://portal.example/cb"]}});
    let added = operator.post("/manage/clients", added).await.assert_status(201);
    world.clock.advance(Lifetime::from_days(80));
    assert_eq!(remove_unused(engine).await.unwrap(), 0);
    assert!(is_there(world, &vouched).await);
    operator.get(&format!("/manage/clients/{}", added.text_member("id"))).await.assert_status(200);
}

async fn client_registration_cleanup_removes_any_number(world: &World) {
    let engine = world.server.engine();
    for _ in 0..120 {
        TestRegistration::new(world).await;
    }
    world.clock.advance(Lifetime::from_days(2));
    assert_eq!(remove_unused(engine).await.unwrap(), 120);
    assert_eq!(remove_unused(engine).await.unwrap(), 0);
    assert!(world.dump_database().await["clients"].is_empty());
}
