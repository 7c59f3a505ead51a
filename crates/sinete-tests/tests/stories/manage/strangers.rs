//! Strangers: an operator acts inside an organization by assignment only, and the organization reads it.

use crate::both_engines;
use crate::harness::tenants::OWNERS_SCOPE;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;

both_engines!(
    without_an_assignment_an_organization_of_others_does_not_exist,
    every_use_of_an_assignment_stands_in_the_trail_with_its_reason,
    an_assignment_counts_for_its_holder_its_organization_and_its_time,
    an_assignment_in_the_hands_of_a_member_elsewhere_confers_nothing
);

async fn without_an_assignment_an_organization_of_others_does_not_exist(world: &World) {
    let (acme, operator) = (world.tenant("acme").await, world.operator().await);
    let there = operator.get(&acme.path("")).await.refused(404, "not_found");
    let nowhere = operator.get("/manage/organizations/no-such-thing").await.refused(404, "not_found");
    let plain = |reply: &crate::harness::api::ApiResponse| {
        let mut body = reply.body.clone();
        body["instance"] = json!(null);
        body
    };
    assert_eq!(plain(&there), plain(&nowhere));
    assert_eq!(there.text.len(), nowhere.text.len());
}

async fn every_use_of_an_assignment_stands_in_the_trail_with_its_reason(world: &World) {
    let (acme, operator) = (world.tenant("acme").await, world.operator().await);
    let owner = world.owner(&acme).await;
    world.assign(&operator, &acme, "ticket 4711").await;
    operator.get(&acme.path("")).await.is(200);
    operator.get(&acme.path("/members")).await.is(200);
    operator.get(&acme.path(&format!("/members/{}", owner.membership))).await.is(200);
    operator.get(&acme.path("/roles")).await.is(200);
    operator.get(&acme.path("/api-keys")).await.is(200);
    operator.get(&acme.path("/audit")).await.is(200);
    operator.post(&acme.path("/roles"), json!({"name": "clerk"})).await.is(201);
    let trail = owner.get(&acme.path("/audit")).await.is(200);
    let entries = trail.body["items"].as_array().unwrap();
    let looks = entries.iter().filter(|it| it["kind"] == "organization.administered");
    let looked: Vec<_> = looks.map(|it| it["detail"]["looked_at"].as_str().unwrap()).collect();
    assert_eq!(looked.len(), 6, "{entries:?}");
    for entry in entries.iter().filter(|it| it["kind"] != "organization.created") {
        assert_eq!(entry["reason"], "ticket 4711");
    }
    assert!(entries.iter().any(|it| it["kind"] == "role.created"));
}

async fn an_assignment_counts_for_its_holder_its_organization_and_its_time(world: &World) {
    let (acme, other) = (world.tenant("acme").await, world.tenant("other").await);
    let (operator, colleague) = (world.operator().await, world.operator().await);
    world.assign(&operator, &acme, "a look").await;
    operator.get(&acme.path("")).await.is(200);
    operator.get(&other.path("")).await.refused(404, "not_found");
    colleague.get(&acme.path("")).await.refused(404, "not_found");
    let narrow = world.key(&operator.tenant, operator.membership, OWNERS_SCOPE).await;
    narrow.get(&acme.path("")).await.refused(404, "not_found");
    world.clock.pass(Lifetime::from_hours(1));
    operator.get(&acme.path("")).await.refused(404, "not_found");
}

async fn an_assignment_in_the_hands_of_a_member_elsewhere_confers_nothing(world: &World) {
    let (acme, other) = (world.tenant("acme").await, world.tenant("other").await);
    let member = world.member(&other, &["owner"]).await;
    let owner = world.key(&other, member, &format!("{OWNERS_SCOPE} organizations:administer")).await;
    world.assign(&owner, &acme, "smuggled").await;
    owner.get(&acme.path("")).await.refused(404, "not_found");
}
