//! API offers: who gets which permissions, who may assign them, and that they end with the offer.

use crate::both_engines;
use crate::database::Database;
use crate::fixture::{Person, World, api, refused};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::refusal::RefusalCode::{InsufficientScope, NotFound, OrganizationSuspended, Unprocessable};
use sinete_engine::access_control::admin_scope::AdminScope;
use sinete_engine::organizations::api_catalog;
use sinete_engine::organizations::api_catalog::{ApiChange, ApiRow, NewApi};
use sinete_engine::organizations::{members, roles};

both_engines!(
    api_offer_is_made_to_an_organization_and_withdrawn,
    offered_permissions_are_granted_by_owners_and_not_by_admins,
    permissions_removed_from_an_api_or_offer_are_held_by_no_member,
    role_with_removed_permissions_cannot_be_assigned
);

async fn offered_to_some(world: &World, permissions: &[&str]) -> ApiRow {
    let instance_admin = world.system_operating().await;
    let new_api = NewApi { id: None, is_offered_to_all: false, definition: api(permissions) };
    api_catalog::create(&world.engine, AdminScope::Instance(&instance_admin), &new_api).await.unwrap()
}

async fn covers(world: &World, user: &Person, permission: &str) -> bool {
    world.caller(user).await.authority.covers(&permission.parse().unwrap())
}

fn role(name: &str, permissions: &[&str]) -> roles::RoleDraft {
    roles::RoleDraft {
        name: name.to_owned(),
        description: String::new(),
        permissions: permissions.iter().map(|it| it.parse().unwrap()).collect(),
    }
}

async fn api_offer_is_made_to_an_organization_and_withdrawn(database: Database) {
    let world = World::new(database).await;
    let acme = world.organization("acme").await;
    world.organization("other").await;
    let engine = &world.engine;
    let [user, other_user] =
        [world.person("acme", &["owner"]).await, world.person("other", &["owner"]).await];
    let api = offered_to_some(&world, &["invoices:read"]).await;
    let operator = world.person("operator", &["operator"]).await;
    let instance_admin = world.operating(&operator).await;
    api_catalog::offer_to_organization(engine, &instance_admin, api.id, "acme").await.unwrap();
    // Offering again changes nothing and is not recorded again.
    let records = world.records().await;
    api_catalog::offer_to_organization(engine, &instance_admin, api.id, &acme.to_string()).await.unwrap();
    assert_eq!(world.records().await, records);
    assert_eq!(api_catalog::list_offers(engine, &instance_admin, api.id).await.unwrap(), [acme]);

    let (inside, outside) = (world.acting(&user, "acme").await, world.acting(&other_user, "other").await);
    assert!(api_catalog::show(engine, AdminScope::Organization(&inside), api.id).await.is_ok());
    assert_eq!(
        refused(api_catalog::show(engine, AdminScope::Organization(&outside), api.id).await),
        NotFound
    );
    // The organization's audit log records it, with the actor.
    let log_entry = world.list_audit_entries(acme).await.pop().unwrap();
    assert_eq!((log_entry.kind.as_str(), log_entry.actor_kind.as_str()), ("api.changed", "api_key"));
    assert_eq!(log_entry.detail.parse::<serde_json::Value>().unwrap()["offered"], true);

    let unprivileged_admin = world.operating(&user).await;
    assert_eq!(
        refused(api_catalog::offer_to_organization(engine, &unprivileged_admin, api.id, "other").await),
        InsufficientScope
    );
    assert_eq!(
        refused(api_catalog::withdraw_offer(engine, &unprivileged_admin, api.id, "acme").await),
        InsufficientScope
    );
    assert_eq!(
        refused(api_catalog::list_offers(engine, &unprivileged_admin, api.id).await),
        InsufficientScope
    );
    assert_eq!(
        refused(api_catalog::offer_to_organization(engine, &instance_admin, api.id, "nobody").await),
        NotFound
    );

    world.put("other", LifecycleCondition::Suspended).await;
    assert_eq!(
        refused(api_catalog::offer_to_organization(engine, &instance_admin, api.id, "other").await),
        OrganizationSuspended
    );
    api_catalog::withdraw_offer(engine, &instance_admin, api.id, "acme").await.unwrap();
    assert_eq!(refused(api_catalog::show(engine, AdminScope::Organization(&inside), api.id).await), NotFound);
}

async fn offered_permissions_are_granted_by_owners_and_not_by_admins(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let api = offered_to_some(&world, &["invoices:read", "invoices:void"]).await;
    let instance_admin = world.system_operating().await;
    let engine = &world.engine;
    api_catalog::offer_to_organization(engine, &instance_admin, api.id, "acme").await.unwrap();
    let owner = world.person("acme", &["owner"]).await;
    let admin = world.person("acme", &["admin"]).await;
    let clerk = world.person("acme", &["member"]).await;
    let (by_owner, by_admin) = (world.acting(&owner, "acme").await, world.acting(&admin, "acme").await);

    let result = roles::create(engine, &by_admin, &role("clerk", &["invoices:read"])).await;
    assert_eq!(refused(result), InsufficientScope);
    let result = roles::create(engine, &by_owner, &role("clerk", &["invoices:read"])).await;
    let role = result.unwrap().id;
    let version = members::show(engine, &by_owner, clerk.membership).await.unwrap();
    let version = version.membership.version;
    let records = world.records().await;
    let assignment_result = members::set_roles(engine, &by_admin, clerk.membership, version, &[role]).await;
    assert_eq!(refused(assignment_result), InsufficientScope);
    assert_eq!(world.records().await, records);
    members::set_roles(engine, &by_owner, clerk.membership, version, &[role]).await.unwrap();
    let clerk = world.narrow_key("acme", &clerk, "invoices:read").await;
    assert!(covers(&world, &clerk, "invoices:read").await && !covers(&world, &clerk, "invoices:void").await);

    // An owner whose key lacks the APIs' permissions cannot assign the owner role, which includes them.
    let scope = "members:manage members:read organization:read organization:update organization:delete \
                 roles:read roles:manage clients:read clients:create clients:manage agents:manage apis:read \
                 apis:manage api_keys:manage audit:read webhooks:manage sso:manage domains:manage scim:provision";
    let lowered = world.narrow_key("acme", &owner, scope).await;
    let by_lowered = world.acting(&lowered, "acme").await;
    let owners = [world.role("acme", "owner").await];
    let member_version = members::show(engine, &by_owner, admin.membership).await.unwrap().membership.version;
    let result = members::set_roles(engine, &by_lowered, admin.membership, member_version, &owners).await;
    assert_eq!(refused(result), InsufficientScope);
    members::set_roles(engine, &by_owner, admin.membership, member_version, &owners).await.unwrap();
}

async fn permissions_removed_from_an_api_or_offer_are_held_by_no_member(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let api_row = offered_to_some(&world, &["invoices:read", "invoices:void"]).await;
    let instance_admin = world.system_operating().await;
    let engine = &world.engine;
    api_catalog::offer_to_organization(engine, &instance_admin, api_row.id, "acme").await.unwrap();
    let inside = world.system_in("acme").await;
    let clerk = role("clerk", &["invoices:read", "invoices:void"]);
    roles::create(engine, &inside, &clerk).await.unwrap();
    let [owner, user] =
        [world.person("acme", &["owner"]).await, world.person("acme", &["clerk", "member"]).await];
    assert!(covers(&world, &user, "invoices:void").await && covers(&world, &owner, "invoices:*").await);

    let change = ApiChange { is_offered_to_all: None, definition: api(&["invoices:read"]) };
    api_catalog::change(engine, AdminScope::Instance(&instance_admin), api_row.id, api_row.version, &change)
        .await
        .unwrap();
    assert!(covers(&world, &user, "invoices:read").await && !covers(&world, &user, "invoices:void").await);
    api_catalog::withdraw_offer(engine, &instance_admin, api_row.id, "acme").await.unwrap();
    assert!(
        !covers(&world, &user, "invoices:read").await && covers(&world, &user, "organization:read").await
    );
    assert!(!covers(&world, &owner, "invoices:read").await && covers(&world, &owner, "members:manage").await);
    // Permissions that were not removed from the role come back with the offer.
    api_catalog::offer_to_organization(engine, &instance_admin, api_row.id, "acme").await.unwrap();
    assert!(covers(&world, &user, "invoices:read").await && !covers(&world, &user, "invoices:void").await);
}

async fn role_with_removed_permissions_cannot_be_assigned(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let api = offered_to_some(&world, &["invoices:read", "invoices:void"]).await;
    let instance_admin = world.system_operating().await;
    let engine = &world.engine;
    api_catalog::offer_to_organization(engine, &instance_admin, api.id, "acme").await.unwrap();
    let owner = world.person("acme", &["owner"]).await;
    let by_owner = world.acting(&owner, "acme").await;
    let created = roles::create(engine, &by_owner, &role("clerk", &["invoices:read", "members:read"])).await;
    let created = created.unwrap();
    let member = world.person("acme", &["member"]).await;
    api_catalog::withdraw_offer(engine, &instance_admin, api.id, "acme").await.unwrap();

    let by_owner = world.acting(&owner, "acme").await;
    let member_version =
        members::show(engine, &by_owner, member.membership).await.unwrap().membership.version;
    let result =
        members::set_roles(engine, &by_owner, member.membership, member_version, &[created.id]).await;
    assert_eq!(refused(result), InsufficientScope);
    // The role can be fixed by removing what is gone; keeping it is rejected.
    let draft = role("clerk", &["invoices:read", "members:read", "roles:read"]);
    let role_draft = roles::change(engine, &by_owner, created.id, created.version, &draft).await;
    assert_eq!(refused(role_draft), Unprocessable);
    let mended = role("clerk", &["members:read"]);
    roles::change(engine, &by_owner, created.id, created.version, &mended).await.unwrap();
    members::set_roles(engine, &by_owner, member.membership, member_version, &[created.id]).await.unwrap();
}
