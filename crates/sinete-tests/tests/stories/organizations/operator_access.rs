//! An operator acts inside an organization by assignment only, and the organization sees it.

use crate::both_engines;
use crate::harness::organizations::OWNER_SCOPE;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;

both_engines!(
    organization_without_an_assignment_is_not_found_for_operators,
    assignment_use_is_recorded_in_the_audit_log_with_its_reason,
    assignment_is_limited_to_its_holder_organization_and_time,
    assignment_held_by_a_non_operator_grants_no_permissions
);

async fn organization_without_an_assignment_is_not_found_for_operators(world: &World) {
    let (acme, operator) = (world.create_organization("acme").await, world.create_operator().await);
    let response = operator.get(&acme.path("")).await.assert_problem(404, "not_found");
    let nowhere = operator.get("/manage/organizations/no-such-thing").await.assert_problem(404, "not_found");
    let plain = |reply: &crate::harness::api_caller::ApiResponse| {
        let mut body = reply.body.clone();
        body["instance"] = json!(null);
        body
    };
    assert_eq!(plain(&response), plain(&nowhere));
    assert_eq!(response.text.len(), nowhere.text.len());
}

async fn assignment_use_is_recorded_in_the_audit_log_with_its_reason(world: &World) {
    let (acme, operator) = (world.create_organization("acme").await, world.create_operator().await);
    let owner = world.create_owner(&acme).await;
    world.create_assignment(&operator, &acme, "ticket 4711").await;
    operator.get(&acme.path("")).await.assert_status(200);
    operator.get(&acme.path("/members")).await.assert_status(200);
    operator.get(&acme.path(&format!("/members/{}", owner.membership))).await.assert_status(200);
    operator.get(&acme.path("/roles")).await.assert_status(200);
    operator.get(&acme.path("/api-keys")).await.assert_status(200);
    operator.get(&acme.path("/audit")).await.assert_status(200);
    operator.post(&acme.path("/roles"), json!({"name": "clerk"})).await.assert_status(201);
    let audit_log = owner.get(&acme.path("/audit")).await.assert_status(200);
    let entries = audit_log.body["items"].as_array().unwrap();
    let administered_entries = entries.iter().filter(|it| it["kind"] == "organization.administered");
    let looked: Vec<_> = administered_entries.map(|it| it["detail"]["looked_at"].as_str().unwrap()).collect();
    assert_eq!(looked.len(), 6, "{entries:?}");
    for entry in entries.iter().filter(|it| it["kind"] != "organization.created") {
        assert_eq!(entry["reason"], "ticket 4711");
    }
    assert!(entries.iter().any(|it| it["kind"] == "role.created"));
}

async fn assignment_is_limited_to_its_holder_organization_and_time(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let (operator, colleague) = (world.create_operator().await, world.create_operator().await);
    world.create_assignment(&operator, &acme, "a look").await;
    operator.get(&acme.path("")).await.assert_status(200);
    operator.get(&other.path("")).await.assert_problem(404, "not_found");
    colleague.get(&acme.path("")).await.assert_problem(404, "not_found");
    let narrow = world.create_api_key_caller(&operator.tenant, operator.membership, OWNER_SCOPE).await;
    narrow.get(&acme.path("")).await.assert_problem(404, "not_found");
    world.clock.advance(Lifetime::from_hours(1));
    operator.get(&acme.path("")).await.assert_problem(404, "not_found");
}

async fn assignment_held_by_a_non_operator_grants_no_permissions(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let member = world.create_member(&other, &["owner"]).await;
    let owner =
        world.create_api_key_caller(&other, member, &format!("{OWNER_SCOPE} organizations:administer")).await;
    world.create_assignment(&owner, &acme, "smuggled").await;
    owner.get(&acme.path("")).await.assert_problem(404, "not_found");
}
