//! Client secrets: shown once, overlapping, and never fewer than a client needs.

use crate::both_engines;
use crate::clients::{application, metadata};
use crate::database::Database;
use crate::fixture::{World, refused};
use sinete_core::client_id::ClientId;
use sinete_core::limits::{CLIENT_SECRET_OVERLAP, CLIENT_SECRETS_MAX};
use sinete_core::refusal::RefusalCode::{Conflict, NotFound, Unprocessable};
use sinete_core::secret::{ClientSecret, Digest, Secret};
use sinete_core::time::Lifetime;
use sinete_engine::access_control::admin_scope::AdminScope;
use sinete_engine::oauth::clients;
use sinete_engine::oauth::clients::NewClientRequest;
use sinete_store::oauth::client_secrets;

both_engines!(
    client_secret_replaced_stays_valid_for_its_overlap,
    client_secret_is_revoked_at_once_except_the_last_one,
    public_client_gets_no_secret,
    client_secret_raced_for_the_last_slot_is_created_once,
    client_secret_hash_is_imported_once_and_only_from_the_command_line
);

const MOMENT: Lifetime = Lifetime::from_micros(1);

async fn counts(world: &World, id: &ClientId, digest: &Digest<ClientSecret>) -> bool {
    client_secrets::is_client_secret(world.store(), id, digest, world.now()).await.unwrap()
}

async fn client_secret_replaced_stays_valid_for_its_overlap(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let owner = world.person("acme", &["owner"]).await;
    let engine = &world.engine;
    let inside = world.acting(&owner, "acme").await;
    let result = clients::create(engine, AdminScope::Organization(&inside), &application()).await;
    let client = result.unwrap();
    let (id, first) = (client.overview.client.id, client.secret.unwrap().digest());
    assert!(counts(&world, &id, &first).await);

    let added = clients::add_secret(engine, AdminScope::Organization(&inside), &id, None).await;
    let second = added.unwrap();
    assert_eq!(second.others_expire_at, world.now().plus(Lifetime::from_hours(24)));
    let second = second.secret.digest();
    world.pass(Lifetime::from_hours(23));
    assert!(counts(&world, &id, &first).await && counts(&world, &id, &second).await);
    world.pass(Lifetime::from_hours(1));
    assert!(!counts(&world, &id, &first).await && counts(&world, &id, &second).await);

    let inside = world.acting(&owner, "acme").await;
    let admin_scope = AdminScope::Organization(&inside);
    let week = Lifetime::from_days(7);
    let added = clients::add_secret(engine, admin_scope, &id, Some(week.plus(MOMENT))).await;
    assert_eq!(refused(added), Unprocessable);
    let third = clients::add_secret(engine, admin_scope, &id, Some(week)).await.unwrap();
    // A rotation without overlap ends all earlier secrets, also those with a longer overlap.
    let fourth = clients::add_secret(engine, admin_scope, &id, Some(Lifetime::ZERO)).await.unwrap();
    for old in [&second, &third.secret.digest()] {
        assert!(!counts(&world, &id, old).await);
    }
    assert!(counts(&world, &id, &fourth.secret.digest()).await);
    let overviews = clients::list_secrets(engine, admin_scope, &id).await.unwrap();
    assert_eq!(overviews.iter().map(|it| it.id.as_str()).collect::<Vec<_>>(), [fourth.id.as_str()]);
    assert_eq!((overviews[0].expires_at, overviews[0].id.len()), (None, 16));
}

async fn client_secret_is_revoked_at_once_except_the_last_one(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let engine = &world.engine;
    let inside = world.system_in("acme").await;
    let admin_scope = AdminScope::Organization(&inside);
    let client = clients::create(engine, admin_scope, &application()).await.unwrap();
    let (id, first) = (client.overview.client.id, client.secret.unwrap().digest());
    let names = async || {
        let overviews = clients::list_secrets(engine, admin_scope, &id).await.unwrap();
        overviews.into_iter().map(|it| it.id).collect::<Vec<_>>()
    };
    let only = names().await.pop().unwrap();
    assert_eq!(refused(clients::revoke_secret(engine, admin_scope, &id, &only).await), Conflict);
    assert_eq!(refused(clients::revoke_secret(engine, admin_scope, &id, "0123456789abcdef").await), NotFound);
    let second = clients::add_secret(engine, admin_scope, &id, None).await.unwrap();
    clients::revoke_secret(engine, admin_scope, &id, &only).await.unwrap();
    assert!(!counts(&world, &id, &first).await && counts(&world, &id, &second.secret.digest()).await);
    assert_eq!(refused(clients::revoke_secret(engine, admin_scope, &id, &only).await), NotFound);
    assert_eq!(refused(clients::revoke_secret(engine, admin_scope, &id, &second.id).await), Conflict);
    for _ in 1..CLIENT_SECRETS_MAX {
        clients::add_secret(engine, admin_scope, &id, None).await.unwrap();
    }
    assert_eq!(refused(clients::add_secret(engine, admin_scope, &id, None).await), Conflict);
    assert_eq!(names().await.len(), CLIENT_SECRETS_MAX);
    let events = world.events().await;
    assert_eq!(events.values().filter(|kind| *kind == "client_secret.revoked").count(), 1);
}

async fn client_secret_raced_for_the_last_slot_is_created_once(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let engine = &world.engine;
    let inside = world.system_in("acme").await;
    let admin_scope = AdminScope::Organization(&inside);
    for round in 0..5 {
        let client = clients::create(engine, admin_scope, &application()).await.unwrap();
        let id = client.overview.client.id;
        for _ in 2..CLIENT_SECRETS_MAX {
            clients::add_secret(engine, admin_scope, &id, None).await.unwrap();
        }
        let add = || clients::add_secret(engine, admin_scope, &id, None);
        let racers = tokio::join!(add(), add(), add(), add(), add(), add());
        let answers = [racers.0, racers.1, racers.2, racers.3, racers.4, racers.5];
        let success_count = answers.iter().filter(|it| it.is_ok()).count();
        assert_eq!(success_count, 1, "round {round}");
        for lost in answers.into_iter().filter(Result::is_err) {
            assert_eq!(refused(lost), Conflict);
        }
        let overviews = clients::list_secrets(engine, admin_scope, &id).await.unwrap();
        assert_eq!(overviews.len(), CLIENT_SECRETS_MAX);
    }
}

async fn public_client_gets_no_secret(database: Database) {
    let world = World::new(database).await;
    let engine = &world.engine;
    let instance_admin = world.system_operating().await;
    let instance = AdminScope::Instance(&instance_admin);
    let open = r#"{"redirect_uris": ["https://app.example/cb"], "token_endpoint_auth_method": "none"}"#;
    let request = NewClientRequest { metadata: metadata(open), ..application() };
    let client = clients::create(engine, instance, &request).await.unwrap();
    assert!(client.secret.is_none());
    let id = &client.overview.client.id;
    assert_eq!(refused(clients::add_secret(engine, instance, id, None).await), Conflict);
    assert_eq!(world.database.number("SELECT count(*) FROM client_secrets").await, 0);
}

async fn client_secret_hash_is_imported_once_and_only_from_the_command_line(database: Database) {
    let world = World::new(database).await;
    let engine = &world.engine;
    let operator = world.person("operator", &["operator"]).await;
    let (by_hand, instance_admin) = (world.system_operating().await, world.operating(&operator).await);
    let (by_hand, instance) = (AdminScope::Instance(&by_hand), AdminScope::Instance(&instance_admin));
    let [first, second] = [(); 2].map(|()| Secret::<ClientSecret>::mint(engine.entropy()).digest());
    let request = NewClientRequest { secret: Some(first), ..application() };
    let client = clients::create(engine, by_hand, &request).await.unwrap();
    assert!(client.secret.is_none());
    let id = client.overview.client.id;
    assert!(counts(&world, &id, &first).await);
    assert_eq!(
        refused(clients::adopt_secret(engine, instance, &id, &second, CLIENT_SECRET_OVERLAP).await),
        Unprocessable
    );
    let records = world.records().await;
    clients::adopt_secret(engine, by_hand, &id, &first, CLIENT_SECRET_OVERLAP).await.unwrap();
    assert_eq!(world.records().await, records);
    clients::adopt_secret(engine, by_hand, &id, &second, CLIENT_SECRET_OVERLAP).await.unwrap();
    assert!(counts(&world, &id, &first).await && counts(&world, &id, &second).await);
    world.pass(Lifetime::from_hours(24));
    assert!(!counts(&world, &id, &first).await && counts(&world, &id, &second).await);
    // A revoked secret cannot be added again.
    let later = world.system_operating().await;
    let result =
        clients::adopt_secret(engine, AdminScope::Instance(&later), &id, &first, CLIENT_SECRET_OVERLAP).await;
    assert_eq!(refused(result), Conflict);
}
