//! Member search: indexing rounds, and data that cannot be parsed.

use crate::both_engines;
use crate::clients::{metadata, service};
use crate::database::Database;
use crate::fixture::{MOMENT, World};
use sinete_core::id::MembershipId;
use sinete_engine::access_control::admin_scope::AdminScope;
use sinete_engine::oauth::clients;
use sinete_engine::organizations::member_search;
use sinete_engine::organizations::member_search::{MemberIndexRound, MemberSearchRequest};
use sinete_engine::{Error, Failure};
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::{MembershipHolder, NewMembership};
use sinete_store::{JsonDocument, StoreFailure};

both_engines!(
    member_search_indexing_continues_in_rounds_until_done,
    member_search_indexing_skips_an_unreadable_organization_until_it_is_fixed,
    member_search_indexing_reports_an_unreadable_client_by_id_and_continues
);

/// A member with this name and external id.
async fn named(world: &World, organization: &str, name: &str) -> MembershipId {
    let id = MembershipId::mint(world.now(), world.engine.entropy());
    let new = NewMembership {
        id,
        organization: world.id_of(organization).await,
        holder: &MembershipHolder::Unclaimed,
        profile: &JsonDocument::from_value(&serde_json::json!({"name": name})).unwrap(),
        external_id: Some(name),
        created_at: world.now(),
    };
    world.happens([memberships::create_membership(&new)]).await;
    id
}

async fn found(world: &World, organization: &str, search: &str) -> Result<Vec<MembershipId>, Error> {
    let (search, inside) = (search.parse().unwrap(), world.system_in(organization).await);
    let looked = MemberSearchRequest { search: &search, after: None, limit: 10, scans_max: 1 };
    let page = member_search::search_members(&world.engine, &inside, looked).await?;
    assert!(page.stopped_at.is_none() && !page.is_index_incomplete);
    Ok(page.members.iter().map(|member| member.member.membership.id).collect())
}

async fn member_search_indexing_continues_in_rounds_until_done(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    for number in 0..120 {
        named(&world, "acme", &format!("n{number:03}")).await;
    }
    let round = async || member_search::index_due_members(&world.engine, 100).await.unwrap();
    assert_eq!(round().await, MemberIndexRound { indexed: 100, has_more: true });
    assert_eq!(world.database.number("SELECT count(*) FROM member_words_due").await, 20);
    assert_eq!(round().await, MemberIndexRound { indexed: 20, has_more: false });
    assert_eq!(round().await, MemberIndexRound::default());
    assert_eq!(world.database.number("SELECT count(*) FROM member_words").await, 120);
}

async fn member_search_indexing_skips_an_unreadable_organization_until_it_is_fixed(database: Database) {
    let world = World::new(database).await;
    for organization in ["acme", "umbra"] {
        world.organization(organization).await;
        world.pass(MOMENT);
    }
    let (ana, rui) = (named(&world, "acme", "Ana").await, named(&world, "umbra", "Rui").await);
    let damage = "INSERT INTO clients (id, kind, name, condition, condition_at, created_at) \
                  VALUES ('no id', 'service', 'Robot', 'enabled', 0, 0); \
                  UPDATE memberships SET client_id = 'no id' WHERE external_id = 'Ana'";
    world.database.run(damage).await;
    let round = async || member_search::index_due_members(&world.engine, 100).await.unwrap();
    assert_eq!(
        round().await,
        MemberIndexRound { indexed: 1, has_more: false },
        "acme comes first, and umbra is written"
    );
    assert_eq!(found(&world, "umbra", "rui").await.unwrap(), [rui]);
    let failed = found(&world, "acme", "ana").await.unwrap_err();
    assert!(matches!(failed, Error::Failed(Failure::Store(StoreFailure::Damaged(_)))), "{failed:?}");
    world.database.run("UPDATE memberships SET client_id = NULL WHERE external_id = 'Ana'").await;
    assert_eq!(round().await, MemberIndexRound { indexed: 1, has_more: false });
    assert_eq!(found(&world, "acme", "ana").await.unwrap(), [ana]);
}

async fn member_search_indexing_reports_an_unreadable_client_by_id_and_continues(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let inside = world.system_in("acme").await;
    let mut request = service();
    request.metadata = metadata(r#"{"client_name": "Robot", "grant_types": ["client_credentials"]}"#);
    request.roles = vec![world.role("acme", "member").await];
    let result = clients::create(&world.engine, AdminScope::Organization(&inside), &request).await;
    let client = result.unwrap().overview.client.id;
    let rui = named(&world, "acme", "Rui").await;
    let [robot] = found(&world, "acme", "robot").await.unwrap().try_into().unwrap();
    world.database.run("UPDATE clients SET scope = '\"', name = 'Android'").await;
    assert_eq!(found(&world, "acme", client.as_str()).await.unwrap(), [robot]);
    assert_eq!(found(&world, "acme", "rui").await.unwrap(), [rui]);
    for gone in ["robot", "android"] {
        assert!(found(&world, "acme", gone).await.unwrap().is_empty(), "{gone}");
    }
    world.database.run("UPDATE clients SET scope = '', name = 'Machine'").await;
    assert_eq!(found(&world, "acme", "machine").await.unwrap(), [robot]);
}
