//! Registrations that nobody uses end by themselves.

use super::{Registration, four_fields_and, register};
use crate::harness::world::World;
use crate::stories;
use serde_json::{Value, json};
use sinete_core::client::ClientId;
use sinete_core::time::Lifetime;
use sinete_engine::register_client::remove_unused;
use sinete_store::registrations;

async fn is_there(world: &World, client: &Registration) -> bool {
    let id: ClientId = client.id.parse().unwrap();
    sinete_store::clients::find(world.server.engine().store(), &id).await.unwrap().is_some()
}

async fn used(world: &World, client: &Registration) {
    let id: ClientId = client.id.parse().unwrap();
    world.happens([registrations::note_use(&id, world.server.engine().now())]).await;
}

stories! {
    async fn one_that_was_never_used_goes_after_a_day_with_its_secret(world: &World) {
        let engine = world.server.engine();
        let confidential = four_fields_and(json!({"token_endpoint_auth_method": "client_secret_post"}));
        let client = Registration::of(&register(world, &confidential).await.is(201));
        world.clock.pass(Lifetime::from_hours(23));
        assert_eq!(remove_unused(engine).await.unwrap(), 0);
        client.read(world, &client.token).await.is(200);
        let younger = Registration::new(world).await;
        world.clock.pass(Lifetime::from_minutes(61));
        assert_eq!(remove_unused(engine).await.unwrap(), 1);
        assert!(!is_there(world, &client).await && is_there(world, &younger).await);
        client.read(world, &client.token).await.refused(401, "invalid_token");
        assert!(world.dump().await["client_secrets"].is_empty());
    }

    async fn one_that_was_used_goes_thirty_days_later(world: &World) {
        let engine = world.server.engine();
        let client = Registration::new(world).await;
        used(world, &client).await;
        world.clock.pass(Lifetime::from_days(20));
        assert_eq!(remove_unused(engine).await.unwrap(), 0);
        used(world, &client).await;
        world.clock.pass(Lifetime::from_days(29));
        assert_eq!(remove_unused(engine).await.unwrap(), 0);
        world.clock.pass(Lifetime::from_days(2));
        assert_eq!(remove_unused(engine).await.unwrap(), 1);
        assert!(!is_there(world, &client).await);
    }

    async fn one_that_somebody_vouches_for_or_added_stays(world: &World) {
        let engine = world.server.engine();
        let operator = world.operator().await;
        let vouched = Registration::new(world).await;
        operator.post(&format!("/manage/clients/{}/verification", vouched.id), Value::Null).await.is(200);
        let added = json!({"kind": "application", "metadata": {"client_name": "Portal", "redirect_uris": ["https://portal.example/cb"]}});
        let added = operator.post("/manage/clients", added).await.is(201);
        world.clock.pass(Lifetime::from_days(80));
        assert_eq!(remove_unused(engine).await.unwrap(), 0);
        assert!(is_there(world, &vouched).await);
        operator.get(&format!("/manage/clients/{}", added.text_of("id"))).await.is(200);
    }

    async fn however_many_there_are_all_of_them_go(world: &World) {
        let engine = world.server.engine();
        for _ in 0..120 {
            Registration::new(world).await;
        }
        world.clock.pass(Lifetime::from_days(2));
        assert_eq!(remove_unused(engine).await.unwrap(), 120);
        assert_eq!(remove_unused(engine).await.unwrap(), 0);
        assert!(world.dump().await["clients"].is_empty());
    }
}
