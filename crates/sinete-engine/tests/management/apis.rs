//! APIs: who may add, change and remove them, and that resource names are unambiguous.

use crate::both_engines;
use crate::database::Database;
use crate::fixture::{World, api, faults, refusal_code, refused};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::organizations::domains::OrganizationDomain;
use sinete_core::refusal::RefusalCode::{
    Conflict, InsufficientScope, NotFound, OrganizationSuspended, PreconditionFailed, Unprocessable,
};
use sinete_engine::access_control::admin_scope::AdminScope;
use sinete_engine::access_control::instance_admin::InstanceAdmin;
use sinete_engine::organizations::api_catalog;
use sinete_engine::organizations::api_catalog::{ApiChange, NewApi};
use sinete_store::organizations::domains;
use std::sync::Arc;
use tokio::sync::Barrier;

both_engines!(
    api_management_is_limited_to_the_own_organization,
    api_management_by_operators_covers_the_instance_and_all_organizations,
    api_resource_name_is_unique_wherever_it_is_visible,
    api_resource_name_raced_by_two_operators_is_given_once,
    suspended_organization_cannot_change_its_apis,
    api_definition_is_refused_with_all_its_faults
);

fn wanted(permissions: &[&str]) -> NewApi {
    NewApi { id: None, is_offered_to_all: true, definition: api(permissions) }
}

/// The organization has verified these domains.
pub async fn proves(world: &World, slug: &str, names: &[&str]) {
    let organization = world.id_of(slug).await;
    for name in names {
        let name: OrganizationDomain = name.parse().unwrap();
        world.happens([domains::add_domain(organization, &name, "proof", world.now())]).await;
        let added = domains::find_domain(world.engine.store(), organization, &name).await.unwrap().unwrap();
        world.happens([domains::mark_domain_verified(&added, world.now())]).await;
    }
}

fn changed(permissions: &[&str]) -> ApiChange {
    ApiChange { is_offered_to_all: None, definition: api(permissions) }
}

async fn api_management_is_limited_to_the_own_organization(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    world.organization("other").await;
    let (admin, member) = (world.person("acme", &["admin"]).await, world.person("acme", &["member"]).await);
    let stranger = world.person("other", &["owner"]).await;
    let (engine, inside) = (&world.engine, world.acting(&admin, "acme").await);
    let here = AdminScope::Organization(&inside);

    proves(&world, "acme", &["invoices.example"]).await;
    let made = api_catalog::create(engine, here, &wanted(&["invoices:read"])).await.unwrap();
    assert_eq!((made.organization, made.is_offered_to_all), (Some(inside.organization.id), false));
    let listed = api_catalog::list(engine, here, None, 50).await.unwrap();
    assert_eq!(listed, std::slice::from_ref(&made));
    assert_eq!(api_catalog::show(engine, here, made.id).await.unwrap(), made);

    let lowly = world.acting(&member, "acme").await;
    let lowly = AdminScope::Organization(&lowly);
    assert_eq!(refused(api_catalog::list(engine, lowly, None, 50).await), InsufficientScope);
    assert_eq!(
        refused(api_catalog::create(engine, lowly, &wanted(&["files:read"])).await),
        InsufficientScope
    );
    assert_eq!(refused(api_catalog::remove(engine, lowly, made.id, made.version).await), InsufficientScope);

    let elsewhere = world.acting(&stranger, "other").await;
    let elsewhere = AdminScope::Organization(&elsewhere);
    assert!(api_catalog::list(engine, elsewhere, None, 50).await.unwrap().is_empty());
    assert_eq!(refused(api_catalog::show(engine, elsewhere, made.id).await), NotFound);
    let change = api_catalog::change(engine, elsewhere, made.id, made.version, &changed(&["x:y"])).await;
    assert_eq!(refused(change), NotFound);
    assert_eq!(refused(api_catalog::remove(engine, elsewhere, made.id, made.version).await), NotFound);

    let change = changed(&["invoices:read", "invoices:send"]);
    let after = api_catalog::change(engine, here, made.id, made.version, &change).await.unwrap();
    assert_eq!((after.definition.permissions.len(), after.version), (2, made.version + 1));
    assert_eq!(
        refused(api_catalog::change(engine, here, made.id, made.version, &change).await),
        PreconditionFailed
    );
    assert_eq!(refused(api_catalog::remove(engine, here, made.id, made.version).await), PreconditionFailed);
    api_catalog::remove(engine, here, made.id, after.version).await.unwrap();
    assert_eq!(refused(api_catalog::show(engine, here, made.id).await), NotFound);
    let events = world.events().await;
    for kind in ["api.created", "api.changed", "api.removed"] {
        assert_eq!(events.values().filter(|it| *it == kind).count(), 1, "{kind}");
    }
}

async fn api_management_by_operators_covers_the_instance_and_all_organizations(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let operator = world.person("operator", &["operator"]).await;
    let owner_there = world.person("operator", &["owner"]).await;
    let admin = world.person("acme", &["admin"]).await;
    let (engine, operating) = (&world.engine, world.operating(&operator).await);
    let instance = AdminScope::Instance(&operating);
    let inside = world.acting(&admin, "acme").await;
    proves(&world, "acme", &["files.example"]).await;
    let own = api_catalog::create(engine, AdminScope::Organization(&inside), &wanted(&["files:read"])).await;
    let own = own.unwrap();

    let made = api_catalog::create(engine, instance, &wanted(&["invoices:read"])).await.unwrap();
    assert_eq!((made.organization, made.is_offered_to_all), (None, true));
    let all = api_catalog::list(engine, instance, None, 50).await.unwrap();
    assert_eq!(all.iter().map(|api| api.id).collect::<Vec<_>>(), [made.id, own.id]);
    assert_eq!(api_catalog::show(engine, instance, own.id).await.unwrap(), own);

    // APIs of an organization are changed there, and those of the instance by operators.
    assert_eq!(refused(api_catalog::remove(engine, instance, own.id, own.version).await), InsufficientScope);
    let inside = AdminScope::Organization(&inside);
    assert_eq!(api_catalog::show(engine, inside, made.id).await.unwrap(), made);
    assert_eq!(refused(api_catalog::remove(engine, inside, made.id, made.version).await), InsufficientScope);

    for person in [&owner_there, &admin] {
        let nobody = world.operating(person).await;
        let nobody = AdminScope::Instance(&nobody);
        assert_eq!(refused(api_catalog::list(engine, nobody, None, 50).await), InsufficientScope);
        assert_eq!(refused(api_catalog::create(engine, nobody, &wanted(&["a:b"])).await), InsufficientScope);
        assert_eq!(
            refused(api_catalog::remove(engine, nobody, made.id, made.version).await),
            InsufficientScope
        );
    }
    let taken = NewApi { definition: api(&["invoices:read"]), ..wanted(&["invoices:read"]) };
    let mut twin = taken.clone();
    twin.definition.permissions[0].permission = "bills:read".parse().unwrap();
    assert_eq!(refused(api_catalog::create(engine, instance, &twin).await), Conflict);
    api_catalog::remove(engine, instance, made.id, made.version).await.unwrap();
    assert_eq!(refused(api_catalog::show(engine, inside, made.id).await), NotFound);
    // The identifier of a removed API is free again; its id is not.
    assert!(api_catalog::create(engine, instance, &twin).await.is_ok());
    let again = NewApi { id: Some(made.id), definition: api(&["other:read"]), is_offered_to_all: true };
    assert_eq!(refused(api_catalog::create(engine, instance, &again).await), Conflict);
}

async fn api_resource_name_is_unique_wherever_it_is_visible(database: Database) {
    let world = World::new(database).await;
    for slug in ["acme", "other"] {
        world.organization(slug).await;
    }
    let engine = &world.engine;
    let [acme, other] = [world.person("acme", &["owner"]).await, world.person("other", &["owner"]).await];
    let [acme, other] = [world.acting(&acme, "acme").await, world.acting(&other, "other").await];
    let [acme, other] = [AdminScope::Organization(&acme), AdminScope::Organization(&other)];
    let operating = world.system_operating().await;
    let instance = AdminScope::Instance(&operating);
    let under = |host: &str, permissions: &[&str]| {
        let mut wanted = wanted(permissions);
        wanted.definition.identifier = format!("https://{host}.example").parse().unwrap();
        wanted
    };
    proves(&world, "acme", &["a.example", "c.example", "d.example"]).await;
    proves(&world, "other", &["b.example"]).await;
    // Two organizations never see each other's APIs.
    api_catalog::create(engine, acme, &under("a", &["invoices:read"])).await.unwrap();
    api_catalog::create(engine, other, &under("b", &["invoices:read"])).await.unwrap();
    // Within one, a name is unambiguous, and an API of the instance would be visible to both.
    let second = under("c", &["files:read", "invoices:void"]);
    assert_eq!(faults(api_catalog::create(engine, acme, &second).await), ["/permissions/1/permission"]);
    assert_eq!(faults(api_catalog::create(engine, instance, &second).await), ["/permissions/1/permission"]);
    let files = api_catalog::create(engine, instance, &under("c", &["files:read"])).await.unwrap();
    let own = api_catalog::create(engine, acme, &under("d", &["files:send"])).await;
    assert_eq!(refused(own), Unprocessable);
    // A change cannot violate this either, while a change within the API's own names is allowed.
    let change = ApiChange { is_offered_to_all: None, definition: under("c", &["invoices:read"]).definition };
    let refusal = api_catalog::change(engine, instance, files.id, files.version, &change).await;
    assert_eq!(faults(refusal), ["/permissions/0/permission"]);
    let change =
        ApiChange { is_offered_to_all: Some(false), definition: under("c", &["files:x"]).definition };
    let after = api_catalog::change(engine, instance, files.id, files.version, &change).await.unwrap();
    assert!(!after.is_offered_to_all);
}

async fn api_resource_name_raced_by_two_operators_is_given_once(database: Database) {
    let world = World::new(database).await;
    for round in 0..10 {
        let people =
            [world.person("operator", &["operator"]).await, world.person("operator", &["operator"]).await];
        let barrier = Arc::new(Barrier::new(2));
        let racing: Vec<_> = people
            .iter()
            .enumerate()
            .map(|(racer, person)| {
                let (engine, barrier, person) = (world.engine.clone(), barrier.clone(), person.clone());
                let mut wanted = wanted(&[&format!("resource{round}:read")]);
                wanted.definition.identifier = format!("https://r{round}x{racer}.example").parse().unwrap();
                tokio::spawn(async move {
                    let caller = sinete_engine::oauth::caller_authentication::authenticate_caller(
                        &engine,
                        &person.key,
                        Default::default(),
                    )
                    .await;
                    let operating = InstanceAdmin::new(&engine, &caller.unwrap());
                    barrier.wait().await;
                    api_catalog::create(&engine, AdminScope::Instance(&operating), &wanted).await
                })
            })
            .collect();
        let mut won = 0;
        for racer in racing {
            match racer.await.unwrap() {
                Ok(_) => won += 1,
                Err(error) => assert_eq!(refusal_code(error), Unprocessable),
            }
        }
        assert_eq!(won, 1, "round {round}");
    }
    assert_eq!(world.database.number("SELECT count(*) FROM apis").await, 10);
    assert_eq!(world.database.number("SELECT count(*) FROM audit WHERE kind = 'api.created'").await, 10);
}

async fn suspended_organization_cannot_change_its_apis(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let owner = world.person("acme", &["owner"]).await;
    let (engine, before) = (&world.engine, world.acting(&owner, "acme").await);
    proves(&world, "acme", &["invoices.example", "files.example"]).await;
    let made =
        api_catalog::create(engine, AdminScope::Organization(&before), &wanted(&["invoices:read"])).await;
    let made = made.unwrap();
    world.put("acme", LifecycleCondition::Suspended).await;
    let records = world.records().await;
    // Both for new requests and for those authorized a moment before.
    let after = world.acting(&owner, "acme").await;
    for acting in [&before, &after] {
        let here = AdminScope::Organization(acting);
        assert_eq!(
            refused(api_catalog::create(engine, here, &wanted(&["files:read"])).await),
            OrganizationSuspended
        );
        let change =
            api_catalog::change(engine, here, made.id, made.version, &changed(&["invoices:x"])).await;
        assert_eq!(refused(change), OrganizationSuspended);
        assert_eq!(
            refused(api_catalog::remove(engine, here, made.id, made.version).await),
            OrganizationSuspended
        );
        assert_eq!(api_catalog::show(engine, here, made.id).await.unwrap(), made);
    }
    assert_eq!(world.records().await, records);
    world.put("acme", LifecycleCondition::Enabled).await;
    let again = world.acting(&owner, "acme").await;
    api_catalog::remove(engine, AdminScope::Organization(&again), made.id, made.version).await.unwrap();
}

async fn api_definition_is_refused_with_all_its_faults(database: Database) {
    let world = World::new(database).await;
    let operating = world.system_operating().await;
    let mut wanted = wanted(&["members:read", "invoices:read"]);
    wanted.definition.name = String::new();
    wanted.definition.permissions[1].english = "a\u{202e}b".to_owned();
    let refusal = api_catalog::create(&world.engine, AdminScope::Instance(&operating), &wanted).await;
    assert_eq!(faults(refusal), ["/name", "/permissions/0/permission", "/permissions/1/english"]);
    assert_eq!(world.database.number("SELECT count(*) FROM apis").await, 0);
}
