//! Roles: made of permissions that the author has, changed with `If-Match`, and without effect once deleted.

use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;

both_engines!(
    role_is_created_changed_and_removed,
    role_with_permissions_its_author_lacks_is_refused,
    role_with_reserved_or_unknown_permissions_is_refused,
    built_in_role_cannot_be_changed_and_its_name_is_reserved,
    removed_role_is_lost_by_its_members_at_the_next_request
);

async fn role_is_created_changed_and_removed(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let new_role =
        json!({"name": "clerk", "description": "Sees the members", "permissions": ["members:read"]});
    let response = owner.post(&acme.path("/roles"), new_role).await.assert_status(201);
    let path = acme.path(&format!("/roles/{}", response.text_member("id")));
    assert_eq!(response.headers["location"].to_str().unwrap(), path);
    assert_eq!(owner.get(&path).await.assert_status(200).body, response.body);
    let changed = owner
        .patch(&path, 1, json!({"permissions": ["members:read", "roles:read"]}))
        .await
        .assert_status(200);
    assert_eq!(changed.body["description"], "Sees the members");
    assert_eq!(changed.version(), 2);
    owner.patch(&path, 1, json!({"name": "x"})).await.assert_problem(412, "precondition_failed");
    owner.delete(&path, Some(1)).await.assert_problem(412, "precondition_failed");
    owner.delete(&path, Some(2)).await.assert_status(204);
    owner.get(&path).await.assert_problem(404, "not_found");
    owner.post(&acme.path("/roles"), json!({"name": "clerk"})).await.assert_status(201);
}

async fn role_with_permissions_its_author_lacks_is_refused(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let admin = world.create_member(&acme, &["admin"]).await;
    let narrow = world.create_api_key_caller(&acme, admin, "roles:read roles:manage members:read").await;
    let before = owner.get(&acme.path("/roles")).await.assert_status(200).body;
    let wide = json!({"name": "wide", "permissions": ["members:read", "members:manage"]});
    narrow.post(&acme.path("/roles"), wide).await.assert_problem(403, "insufficient_scope");
    assert_eq!(owner.get(&acme.path("/roles")).await.assert_status(200).body, before);
    let response = narrow
        .post(&acme.path("/roles"), json!({"name": "slim", "permissions": ["members:read"]}))
        .await
        .assert_status(201);
    let path = acme.path(&format!("/roles/{}", response.text_member("id")));
    narrow
        .patch(&path, 1, json!({"permissions": ["members:read", "audit:read"]}))
        .await
        .assert_problem(403, "insufficient_scope");
    assert_eq!(owner.get(&path).await.assert_status(200).body, response.body);
}

async fn role_with_reserved_or_unknown_permissions_is_refused(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    for permission in
        ["organizations:administer", "accounts:impersonate", "instance:operate", "invoices:read"]
    {
        let new_role = json!({"name": "boss", "permissions": [permission]});
        owner.post(&acme.path("/roles"), new_role).await.assert_problem(422, "unprocessable");
    }
    for permission in ["*:*", "invoices:*:x", "invoices*", "invoices：read"] {
        let new_role = json!({"name": "boss", "permissions": ["members:read", permission]});
        let refused = owner.post(&acme.path("/roles"), new_role).await.assert_problem(422, "unprocessable");
        assert_eq!(refused.fault_pointers(), ["/permissions/1"], "{permission}");
    }
}

async fn built_in_role_cannot_be_changed_and_its_name_is_reserved(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let response = owner.get(&acme.path("/roles")).await.assert_status(200);
    for role in response.body["items"].as_array().unwrap() {
        assert_eq!(role["built_in"], true);
        let path = acme.path(&format!("/roles/{}", role["id"].as_str().unwrap()));
        owner.patch(&path, 1, json!({"permissions": []})).await.assert_problem(409, "conflict");
        owner.delete(&path, Some(1)).await.assert_problem(409, "conflict");
        owner.post(&acme.path("/roles"), json!({"name": role["name"]})).await.assert_problem(409, "conflict");
    }
}

async fn removed_role_is_lost_by_its_members_at_the_next_request(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let response = owner
        .post(&acme.path("/roles"), json!({"name": "clerk", "permissions": ["members:read"]}))
        .await
        .assert_status(201);
    let clerk = world.create_member(&acme, &["member", "clerk"]).await;
    let clerk = world.create_api_key_caller(&acme, clerk, "members:read organization:read").await;
    clerk.get(&acme.path("/members")).await.assert_status(200);
    let path = acme.path(&format!("/roles/{}", response.text_member("id")));
    owner.patch(&path, 1, json!({"permissions": ["audit:read"]})).await.assert_status(200);
    clerk.get(&acme.path("/members")).await.assert_problem(403, "insufficient_scope");
    owner.patch(&path, 2, json!({"permissions": ["members:read"]})).await.assert_status(200);
    clerk.get(&acme.path("/members")).await.assert_status(200);
    owner.delete(&path, Some(3)).await.assert_status(204);
    clerk.get(&acme.path("/members")).await.assert_problem(403, "insufficient_scope");
    clerk.get(&acme.path("")).await.assert_status(200);
}
