//! Roles: made from what their maker holds, changed by version, gone at once when removed.

use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;

both_engines!(
    a_role_is_made_changed_and_removed,
    a_role_never_holds_what_its_maker_lacks_and_is_refused_whole,
    a_role_holds_nothing_that_is_reserved_or_unknown,
    a_built_in_role_stays_as_it_is_and_its_name_is_taken,
    whoever_carried_a_role_that_was_removed_lacks_it_at_the_next_call
);

async fn a_role_is_made_changed_and_removed(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let wanted = json!({"name": "clerk", "description": "Sees the members", "permissions": ["members:read"]});
    let made = owner.post(&acme.path("/roles"), wanted).await.is(201);
    let path = acme.path(&format!("/roles/{}", made.text_of("id")));
    assert_eq!(made.headers["location"].to_str().unwrap(), path);
    assert_eq!(owner.get(&path).await.is(200).body, made.body);
    let changed = owner.patch(&path, 1, json!({"permissions": ["members:read", "roles:read"]})).await.is(200);
    assert_eq!(changed.body["description"], "Sees the members");
    assert_eq!(changed.version(), 2);
    owner.patch(&path, 1, json!({"name": "x"})).await.refused(412, "precondition_failed");
    owner.delete(&path, Some(1)).await.refused(412, "precondition_failed");
    owner.delete(&path, Some(2)).await.is(204);
    owner.get(&path).await.refused(404, "not_found");
    owner.post(&acme.path("/roles"), json!({"name": "clerk"})).await.is(201);
}

async fn a_role_never_holds_what_its_maker_lacks_and_is_refused_whole(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let admin = world.member(&acme, &["admin"]).await;
    let narrow = world.key(&acme, admin, "roles:read roles:manage members:read").await;
    let before = owner.get(&acme.path("/roles")).await.is(200).body;
    let wide = json!({"name": "wide", "permissions": ["members:read", "members:manage"]});
    narrow.post(&acme.path("/roles"), wide).await.refused(403, "insufficient_scope");
    assert_eq!(owner.get(&acme.path("/roles")).await.is(200).body, before);
    let made = narrow
        .post(&acme.path("/roles"), json!({"name": "slim", "permissions": ["members:read"]}))
        .await
        .is(201);
    let path = acme.path(&format!("/roles/{}", made.text_of("id")));
    narrow
        .patch(&path, 1, json!({"permissions": ["members:read", "audit:read"]}))
        .await
        .refused(403, "insufficient_scope");
    assert_eq!(owner.get(&path).await.is(200).body, made.body);
}

async fn a_role_holds_nothing_that_is_reserved_or_unknown(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    for permission in
        ["organizations:administer", "accounts:impersonate", "instance:operate", "invoices:read"]
    {
        let wanted = json!({"name": "boss", "permissions": [permission]});
        owner.post(&acme.path("/roles"), wanted).await.refused(422, "unprocessable");
    }
    for permission in ["*:*", "invoices:*:x", "invoices*", "invoices：read"] {
        let wanted = json!({"name": "boss", "permissions": ["members:read", permission]});
        let refused = owner.post(&acme.path("/roles"), wanted).await.refused(422, "unprocessable");
        assert_eq!(refused.faults(), ["/permissions/1"], "{permission}");
    }
}

async fn a_built_in_role_stays_as_it_is_and_its_name_is_taken(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let listed = owner.get(&acme.path("/roles")).await.is(200);
    for role in listed.body["items"].as_array().unwrap() {
        assert_eq!(role["built_in"], true);
        let path = acme.path(&format!("/roles/{}", role["id"].as_str().unwrap()));
        owner.patch(&path, 1, json!({"permissions": []})).await.refused(409, "conflict");
        owner.delete(&path, Some(1)).await.refused(409, "conflict");
        owner.post(&acme.path("/roles"), json!({"name": role["name"]})).await.refused(409, "conflict");
    }
}

async fn whoever_carried_a_role_that_was_removed_lacks_it_at_the_next_call(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let made = owner
        .post(&acme.path("/roles"), json!({"name": "clerk", "permissions": ["members:read"]}))
        .await
        .is(201);
    let clerk = world.member(&acme, &["member", "clerk"]).await;
    let clerk = world.key(&acme, clerk, "members:read organization:read").await;
    clerk.get(&acme.path("/members")).await.is(200);
    let path = acme.path(&format!("/roles/{}", made.text_of("id")));
    owner.patch(&path, 1, json!({"permissions": ["audit:read"]})).await.is(200);
    clerk.get(&acme.path("/members")).await.refused(403, "insufficient_scope");
    owner.patch(&path, 2, json!({"permissions": ["members:read"]})).await.is(200);
    clerk.get(&acme.path("/members")).await.is(200);
    owner.delete(&path, Some(3)).await.is(204);
    clerk.get(&acme.path("/members")).await.refused(403, "insufficient_scope");
    clerk.get(&acme.path("")).await.is(200);
}
