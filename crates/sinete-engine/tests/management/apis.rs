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
    api_resource_name_raced_by_two_operators_is_assigned_once,
    api_management_of_a_suspended_organization_is_refused,
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
    let user = world.person("other", &["owner"]).await;
    let (engine, inside) = (&world.engine, world.acting(&admin, "acme").await);
    let admin_scope = AdminScope::Organization(&inside);

    proves(&world, "acme", &["invoices.example"]).await;
    let api = api_catalog::create(engine, admin_scope, &wanted(&["invoices:read"])).await.unwrap();
    assert_eq!((api.organization, api.is_offered_to_all), (Some(inside.organization.id), false));
    let apis = api_catalog::list(engine, admin_scope, None, 50).await.unwrap();
    assert_eq!(apis, std::slice::from_ref(&api));
    assert_eq!(api_catalog::show(engine, admin_scope, api.id).await.unwrap(), api);

    let lowly = world.acting(&member, "acme").await;
    let lowly = AdminScope::Organization(&lowly);
    assert_eq!(refused(api_catalog::list(engine, lowly, None, 50).await), InsufficientScope);
    assert_eq!(
        refused(api_catalog::create(engine, lowly, &wanted(&["files:read"])).await),
        InsufficientScope
    );
    assert_eq!(refused(api_catalog::remove(engine, lowly, api.id, api.version).await), InsufficientScope);

    let elsewhere = world.acting(&user, "other").await;
    let elsewhere = AdminScope::Organization(&elsewhere);
    assert!(api_catalog::list(engine, elsewhere, None, 50).await.unwrap().is_empty());
    assert_eq!(refused(api_catalog::show(engine, elsewhere, api.id).await), NotFound);
    let change = api_catalog::change(engine, elsewhere, api.id, api.version, &changed(&["x:y"])).await;
    assert_eq!(refused(change), NotFound);
    assert_eq!(refused(api_catalog::remove(engine, elsewhere, api.id, api.version).await), NotFound);

    let change = changed(&["invoices:read", "invoices:send"]);
    let after = api_catalog::change(engine, admin_scope, api.id, api.version, &change).await.unwrap();
    assert_eq!((after.definition.permissions.len(), after.version), (2, api.version + 1));
    assert_eq!(
        refused(api_catalog::change(engine, admin_scope, api.id, api.version, &change).await),
        PreconditionFailed
    );
    assert_eq!(
        refused(api_catalog::remove(engine, admin_scope, api.id, api.version).await),
        PreconditionFailed
    );
    api_catalog::remove(engine, admin_scope, api.id, after.version).await.unwrap();
    assert_eq!(refused(api_catalog::show(engine, admin_scope, api.id).await), NotFound);
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
    let (engine, instance_admin) = (&world.engine, world.operating(&operator).await);
    let instance = AdminScope::Instance(&instance_admin);
    let inside = world.acting(&admin, "acme").await;
    proves(&world, "acme", &["files.example"]).await;
    let result =
        api_catalog::create(engine, AdminScope::Organization(&inside), &wanted(&["files:read"])).await;
    let api_row = result.unwrap();

    let created_api = api_catalog::create(engine, instance, &wanted(&["invoices:read"])).await.unwrap();
    assert_eq!((created_api.organization, created_api.is_offered_to_all), (None, true));
    let all = api_catalog::list(engine, instance, None, 50).await.unwrap();
    assert_eq!(all.iter().map(|api| api.id).collect::<Vec<_>>(), [created_api.id, api_row.id]);
    assert_eq!(api_catalog::show(engine, instance, api_row.id).await.unwrap(), api_row);

    // APIs of an organization are changed there, and those of the instance by operators.
    assert_eq!(
        refused(api_catalog::remove(engine, instance, api_row.id, api_row.version).await),
        InsufficientScope
    );
    let inside = AdminScope::Organization(&inside);
    assert_eq!(api_catalog::show(engine, inside, created_api.id).await.unwrap(), created_api);
    assert_eq!(
        refused(api_catalog::remove(engine, inside, created_api.id, created_api.version).await),
        InsufficientScope
    );

    for user in [&owner_there, &admin] {
        let instance_admin = world.operating(user).await;
        let admin_scope = AdminScope::Instance(&instance_admin);
        assert_eq!(refused(api_catalog::list(engine, admin_scope, None, 50).await), InsufficientScope);
        assert_eq!(
            refused(api_catalog::create(engine, admin_scope, &wanted(&["a:b"])).await),
            InsufficientScope
        );
        assert_eq!(
            refused(api_catalog::remove(engine, admin_scope, created_api.id, created_api.version).await),
            InsufficientScope
        );
    }
    let new_api = NewApi { definition: api(&["invoices:read"]), ..wanted(&["invoices:read"]) };
    let mut twin = new_api.clone();
    twin.definition.permissions[0].permission = "bills:read".parse().unwrap();
    assert_eq!(refused(api_catalog::create(engine, instance, &twin).await), Conflict);
    api_catalog::remove(engine, instance, created_api.id, created_api.version).await.unwrap();
    assert_eq!(refused(api_catalog::show(engine, inside, created_api.id).await), NotFound);
    // The identifier of a removed API is free again; its id is not.
    assert!(api_catalog::create(engine, instance, &twin).await.is_ok());
    let duplicate_api =
        NewApi { id: Some(created_api.id), definition: api(&["other:read"]), is_offered_to_all: true };
    assert_eq!(refused(api_catalog::create(engine, instance, &duplicate_api).await), Conflict);
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
    let instance_admin = world.system_operating().await;
    let instance = AdminScope::Instance(&instance_admin);
    let under = |host: &str, permissions: &[&str]| {
        let mut api = wanted(permissions);
        api.definition.identifier = format!("https://{host}.example").parse().unwrap();
        api
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
    let result = api_catalog::create(engine, acme, &under("d", &["files:send"])).await;
    assert_eq!(refused(result), Unprocessable);
    // A change cannot violate this either, while a change within the API's own names is allowed.
    let change = ApiChange { is_offered_to_all: None, definition: under("c", &["invoices:read"]).definition };
    let refusal = api_catalog::change(engine, instance, files.id, files.version, &change).await;
    assert_eq!(faults(refusal), ["/permissions/0/permission"]);
    let change =
        ApiChange { is_offered_to_all: Some(false), definition: under("c", &["files:x"]).definition };
    let after = api_catalog::change(engine, instance, files.id, files.version, &change).await.unwrap();
    assert!(!after.is_offered_to_all);
}

async fn api_resource_name_raced_by_two_operators_is_assigned_once(database: Database) {
    let world = World::new(database).await;
    for round in 0..10 {
        let people =
            [world.person("operator", &["operator"]).await, world.person("operator", &["operator"]).await];
        let barrier = Arc::new(Barrier::new(2));
        let racing: Vec<_> = people
            .iter()
            .enumerate()
            .map(|(racer, user)| {
                let (engine, barrier, user) = (world.engine.clone(), barrier.clone(), user.clone());
                let mut api = wanted(&[&format!("resource{round}:read")]);
                api.definition.identifier = format!("https://r{round}x{racer}.example").parse().unwrap();
                tokio::spawn(async move {
                    let caller = sinete_engine::oauth::caller_authentication::authenticate_caller(
                        &engine,
                        &user.key,
                        Default::default(),
                    )
                    .await;
                    let instance_admin = InstanceAdmin::new(&engine, &caller.unwrap());
                    barrier.wait().await;
                    api_catalog::create(&engine, AdminScope::Instance(&instance_admin), &api).await
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

async fn api_management_of_a_suspended_organization_is_refused(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let owner = world.person("acme", &["owner"]).await;
    let (engine, before) = (&world.engine, world.acting(&owner, "acme").await);
    proves(&world, "acme", &["invoices.example", "files.example"]).await;
    let result =
        api_catalog::create(engine, AdminScope::Organization(&before), &wanted(&["invoices:read"])).await;
    let api = result.unwrap();
    world.put("acme", LifecycleCondition::Suspended).await;
    let records = world.records().await;
    // Both for new requests and for those authorized a moment before.
    let after = world.acting(&owner, "acme").await;
    for access in [&before, &after] {
        let admin_scope = AdminScope::Organization(access);
        assert_eq!(
            refused(api_catalog::create(engine, admin_scope, &wanted(&["files:read"])).await),
            OrganizationSuspended
        );
        let change =
            api_catalog::change(engine, admin_scope, api.id, api.version, &changed(&["invoices:x"])).await;
        assert_eq!(refused(change), OrganizationSuspended);
        assert_eq!(
            refused(api_catalog::remove(engine, admin_scope, api.id, api.version).await),
            OrganizationSuspended
        );
        assert_eq!(api_catalog::show(engine, admin_scope, api.id).await.unwrap(), api);
    }
    assert_eq!(world.records().await, records);
    world.put("acme", LifecycleCondition::Enabled).await;
    let renewed_access = world.acting(&owner, "acme").await;
    api_catalog::remove(engine, AdminScope::Organization(&renewed_access), api.id, api.version)
        .await
        .unwrap();
}

async fn api_definition_is_refused_with_all_its_faults(database: Database) {
    let world = World::new(database).await;
    let instance_admin = world.system_operating().await;
    let mut api = wanted(&["members:read", "invoices:read"]);
    api.definition.name = String::new();
    api.definition.permissions[1].english = "a\u{202e}b".to_owned();
    let refusal = api_catalog::create(&world.engine, AdminScope::Instance(&instance_admin), &api).await;
    assert_eq!(faults(refusal), ["/name", "/permissions/0/permission", "/permissions/1/english"]);
    assert_eq!(world.database.number("SELECT count(*) FROM apis").await, 0);
}
